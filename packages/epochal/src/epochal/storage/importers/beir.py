"""BEIR queries, relevance judgements in BEIR's and TREC's formats, and TREC run files."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from epochal.errors import EpochalError, InputError
from epochal.files import write_atomically
from epochal.storage.importers.fields import DateReader
from epochal.storage.importers.rows import Meter, json_rows, lines, not_utf8
from epochal.times.span import Span

_IDS = ("_id", "id", "query_id", "qid")
_TEXTS = ("text", "query", "question")


RunFormat = Literal["trec", "jsonl"]
#: How a run may be written.
RUN_FORMATS: tuple[RunFormat, ...] = get_args(RunFormat)


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A question of a collection; `now` is its reference time, where the collection has it.

    >>> QueryRow("q1", "Who won last year?", Span.year(2004)).now.edtf()
    '2004'
    """

    id: str
    text: str
    now: Span | None = None


def read_queries(source: str | os.PathLike[str]) -> list[QueryRow]:
    """The questions in a BEIR folder's queries.jsonl (or .gz), or in such a file itself. A bad row is an error.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "Who won?", "now": "2004-05"}')
    >>> read_queries(folder)
    [QueryRow(id='q1', text='Who won?', now=Span.parse('2004-05'))]
    """
    path, name = _find_queries_file(Path(source), os.fspath(source))
    dates, queries = DateReader(), dict[str, QueryRow]()
    for row in json_rows(path, name, Meter(0)):
        if row.problem is not None:
            raise InputError(name, row.line, row.problem)
        key = next((row.values[field] for field in _IDS if row.values.get(field) is not None), None)
        text = next((row.values[field] for field in _TEXTS if row.values.get(field) is not None), None)
        if isinstance(key, int) and not isinstance(key, bool):
            key = str(key)
        if not isinstance(key, str) or not key:
            raise InputError(
                name, row.line, "the row has no id; accepted: a text under '_id', 'id', 'query_id' or 'qid'"
            )
        if not isinstance(text, str) or not text.strip():
            accepted = "a text that is not empty under 'text', 'query' or 'question'"
            raise InputError(name, row.line, f"the question {key!r} has no text; accepted: {accepted}")
        if key in queries:
            raise InputError(name, row.line, f"the id {key!r} occurs a second time; accepted: ids of one row")
        try:
            now = None if row.values.get("now") in (None, "") else dates.read(row.values["now"], "now")
        except EpochalError as error:
            raise InputError(name, row.line, str(error)) from None
        queries[key] = QueryRow(key, text, now)
    if not queries:
        raise InputError(name, 0, "holds no questions; accepted: rows such as {'_id': 'q1', 'text': 'Who won?'}")
    return list(queries.values())


def read_qrels(source: str | os.PathLike[str]) -> dict[str, dict[str, int]]:
    """Judgements, by question and document: BEIR's `query-id corpus-id score` with a header, or TREC's four columns.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "test.tsv"
    >>> _ = path.write_text("query-id\\tcorpus-id\\tscore\\nq1\\td3\\t1\\n")
    >>> read_qrels(path)
    {'q1': {'d3': 1}}
    """
    name = os.fspath(source)
    judged: dict[str, dict[str, int]] = {}
    first = True
    for line, text in field_lines(Path(source), name):
        parts = text.split("\t") if text.count("\t") in (2, 3) else text.split()
        if len(parts) not in (3, 4):
            accepted = "'query-id corpus-id score' with tabs between, or TREC's 'query 0 document score'"
            raise InputError(name, line, f"the row has {len(parts)} columns; accepted: {accepted}")
        query, document, score = parts[0], parts[-2], parts[-1].strip()
        was_first, first = first, False
        if not score.lstrip("+-").isdigit() or not score.isascii():
            if was_first and not any(character.isdigit() for character in score):
                continue  # the header
            raise InputError(name, line, f"the score is {score!r}; accepted: a whole number")
        grades = judged.setdefault(query, {})
        if grades.setdefault(document, int(score)) != int(score):
            problem = f"the document {document!r} is judged {score} for {query!r}, but {grades[document]} before"
            raise InputError(name, line, f"{problem}; accepted: one judgement a pair")
    if not judged:
        raise InputError(name, 0, "holds no judgements; accepted: rows such as 'q1 0 d3 1'")
    return judged


def field_lines(path: Path, name: str) -> Iterator[tuple[int, str]]:
    """The numbered lines of a file of fields, as text without line ends; blank ones are passed over."""
    for number, line in lines(path, name, Meter(0)):
        if line is None:
            raise InputError(name, number, "the line is too long to be a row of fields")
        try:
            text = line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InputError(name, number, not_utf8(error)) from None
        if text.strip():
            yield number, text


def _find_queries_file(path: Path, name: str) -> tuple[Path, str]:
    if not path.is_dir():
        return path, name
    for file in ("queries.jsonl", "queries.jsonl.gz"):
        if (path / file).is_file():
            return path / file, os.path.join(name, file)
    raise InputError(name, 0, "holds no queries.jsonl; accepted: a BEIR folder with queries.jsonl or queries.jsonl.gz")


@dataclass(frozen=True, slots=True)
class RunRow:
    """One document that was found for one question; ranks count from 1.

    >>> RunRow("q1", "d3", 1, 0.5).tag
    'epochal'
    """

    query: str
    document: str
    rank: int
    score: float
    tag: str = "epochal"


def ranked(query: str, scored: Iterable[tuple[str, float]], tag: str = "epochal") -> list[RunRow]:
    """The rows of one question, from its documents and scores in the order in which they were found."""
    return [RunRow(query, document, rank, score, tag) for rank, (document, score) in enumerate(scored, 1)]


def write_run(path: str | os.PathLike[str], rows: Iterable[RunRow], format: RunFormat = "trec") -> int:
    """Write a run, whole or not at all; how many rows it has. Scores are written so that they read back exactly.

    As "jsonl" each row is an object with query, document, rank and score, and names may have whitespace.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.trec"
    >>> write_run(path, ranked("q1", [("d3", 0.5)])), path.read_text()
    (1, 'q1 Q0 d3 1 0.5 epochal\\n')
    """
    count = 0
    with write_atomically(path) as file:
        for row in rows:
            if format == "jsonl":
                record = {"query": row.query, "document": row.document, "rank": row.rank, "score": float(row.score)}
                file.write(json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n")
                count += 1
                continue
            for part, value in (("question", row.query), ("document", row.document), ("run", row.tag)):
                if not value or value.split() != [value]:
                    raise EpochalError(
                        f"the {part} {value!r} cannot stand in a TREC run; accepted: names without whitespace"
                    )
            score = float(row.score)
            if not math.isfinite(score):
                raise EpochalError(f"the score of {row.document!r} for {row.query!r} is {score}; accepted: a number")
            file.write(f"{row.query} Q0 {row.document} {row.rank} {score!r} {row.tag}\n".encode())
            count += 1
    return count


def read_run(path: str | os.PathLike[str]) -> dict[str, Sequence[RunRow]]:
    """The rows of a run by question, best score first; of equal scores, the better rank.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.trec"
    >>> _ = path.write_text("q1 Q0 d1 2 0.25 mine\\nq1 Q0 d3 1 0.5 mine\\n")
    >>> [row.document for row in read_run(path)["q1"]]
    ['d3', 'd1']
    """
    name = os.fspath(path)
    run: dict[str, dict[str, RunRow]] = {}
    for line, text in field_lines(Path(path), name):
        parts = text.split()
        if len(parts) != 6:
            raise InputError(
                name, line, f"the row has {len(parts)} columns; accepted: 'query Q0 document rank score tag'"
            )
        query, _, document, rank, score, tag = parts
        try:
            row = RunRow(query, document, int(rank), float(score), tag)
        except ValueError:
            row = None
        if row is None or not math.isfinite(row.score):
            problem = f"the rank and the score are {rank!r} and {score!r}; accepted: a whole number and a number"
            raise InputError(name, line, problem)
        if run.setdefault(query, {}).setdefault(document, row) is not row:
            raise InputError(name, line, f"the document {document!r} is found twice for {query!r}; accepted: once")
    if not run:
        raise InputError(name, 0, "holds no rows; accepted: rows such as 'q1 Q0 d3 1 0.5 mine'")
    return {query: sorted(rows.values(), key=lambda row: (-row.score, row.rank)) for query, rows in run.items()}
