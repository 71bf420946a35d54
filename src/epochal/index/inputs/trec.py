"""TREC's run files: what a search found for each question, six columns a row."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from epochal.errors import EpochalError, InputError
from epochal.files import write_atomically
from epochal.index.inputs.beir import field_lines

__all__ = ["RunRow", "ranked", "read_run", "write_run"]


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


def ranked(query: str, found: Iterable[tuple[str, float]], tag: str = "epochal") -> list[RunRow]:
    """The rows of one question, from its documents and scores in the order in which they were found.

    >>> [row.rank for row in ranked("q1", [("d3", 0.5), ("d1", 0.25)])]
    [1, 2]
    """
    return [RunRow(query, document, rank, score, tag) for rank, (document, score) in enumerate(found, 1)]


def write_run(path: str | os.PathLike[str], rows: Iterable[RunRow]) -> int:
    """Write a run, whole or not at all; how many rows it has. Scores are written so that they read back exactly.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.trec"
    >>> write_run(path, ranked("q1", [("d3", 0.5)])), path.read_text()
    (1, 'q1 Q0 d3 1 0.5 epochal\\n')
    """
    count = 0
    with write_atomically(path) as file:
        for row in rows:
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
