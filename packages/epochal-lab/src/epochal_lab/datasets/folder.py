"""A test set as a folder: BEIR's files with fields of our own beside theirs, and a manifest that vouches for them.

    corpus.jsonl     _id, title, text; published, valid, series, metadata where there are any
    queries.jsonl    _id, text; now, periods, kind, split, excluded, annotations where there are any
    qrels/SPLIT.tsv  query-id, corpus-id, score
    periods.tsv      query-id, period (counted from 1), corpus-id: what mentions which period
    manifest.json    id, card, how it was made, rows and sha256 of each file

Any tool that reads BEIR reads such a folder, and any BEIR folder is read as a set, without a manifest too.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from epochal.errors import EpochalError, InputError
from epochal.files import write_atomically
from epochal.storage.importers.beir import field_lines, read_qrels, read_queries
from epochal.storage.importers.export import build_row
from epochal.storage.importers.fields import DateReader, span_value
from epochal.storage.importers.read import read
from epochal.storage.importers.rows import Meter, json_rows
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery, BenchSet, SetCard
from epochal_lab.metrics.runs import PeriodQrels

_MANIFEST = "manifest.json"
_PERIODS = "periods.tsv"
_SPLIT = re.compile(r"[\w-][\w.-]*")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a folder says of itself: how it was made, and the rows and sha256 of each file.

    `made_by` names the builder, `parameters` are what it was given, `sources` the sha256 of what it read.
    """

    id: str
    card: SetCard = field(default_factory=lambda: SetCard(""))
    made_by: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def counts(self) -> dict[str, int]:
        """The rows of each file."""
        return {name: int(facts["rows"]) for name, facts in self.files.items()}


def check_new_folder(path: Path) -> None:
    """Raise an error for a place that no test set can be written to; call it before long work."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise EpochalError(f"a test set cannot be written to {str(path)!r}, which exists; accepted: a new folder")


def write_folder(folder: str | os.PathLike[str], bench_set: BenchSet, manifest: Manifest) -> Manifest:
    """Write a set into a folder that is new or empty; what the manifest says in the end. Equal sets give equal bytes.

    The manifest is written last: a folder without one was not finished. A set that does not hang together (judgements
    of questions that it does not have, ids that its tables cannot hold) is refused before anything is written.
    """
    place = Path(folder)
    check_new_folder(place)
    _check_set(bench_set)
    try:
        (place / "qrels").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EpochalError(f"cannot write {place}: {error.strerror or error}") from error
    files = {
        "corpus.jsonl": _write(
            place / "corpus.jsonl", (_dump_row(_make_corpus_row(item)) for item in bench_set.documents)
        ),
        "queries.jsonl": _write(place / "queries.jsonl", (_dump_row(_query_row(query)) for query in bench_set.queries)),
    }
    for split in bench_set.splits:
        name = f"qrels/{split}.tsv"
        files[name] = _write(place / name, _format_qrels(bench_set, split), header="query-id\tcorpus-id\tscore")
    if bench_set.period_qrels:
        lines = _format_periods(bench_set.period_qrels)
        files[_PERIODS] = _write(place / _PERIODS, lines, header="query-id\tperiod\tcorpus-id")
    complete = Manifest(
        bench_set.id, bench_set.card, manifest.made_by, manifest.parameters, manifest.sources, files, manifest.facts
    )
    with write_atomically(place / _MANIFEST) as file:
        file.write(json.dumps(asdict(complete), ensure_ascii=False, indent=2, default=dict).encode() + b"\n")
    return complete


def read_folder(folder: str | os.PathLike[str], id: str | None = None, *, check: bool = True) -> BenchSet:
    """The set in a folder; with a manifest, its files are compared with it unless `check` is off.

    Of a BEIR folder without a manifest, questions that no file of judgements knows are left out where any are judged,
    and so are judgements of questions that are not there.
    """
    folder, name = Path(folder), os.fspath(folder)
    manifest = read_folder_manifest(folder)
    if check and manifest is not None:
        for file, facts in manifest.files.items():
            _check_file(folder / file, str(facts["sha256"]))
    judged: dict[str, dict[str, int]] = {}
    splits: dict[str, str] = {}
    for path in sorted((folder / "qrels").glob("*.tsv")):
        if manifest is not None and not manifest.counts().get(f"qrels/{path.name}", 1):
            continue  # a split whose questions have nothing relevant
        for query, documents in read_qrels(path).items():
            judged.setdefault(query, {}).update(documents)
            splits.setdefault(query, path.stem)
    read = _read_queries(folder, name, splits)
    queries = tuple(query for query, is_placed in read if is_placed or not judged)
    query_ids = {query.id for query in queries}
    periods = folder / _PERIODS
    return BenchSet(
        id or (manifest.id if manifest is not None else folder.resolve().name),
        _Corpus(folder),
        queries,
        {query: documents for query, documents in judged.items() if query in query_ids},
        _read_periods(periods, {query.id: len(query.periods) for query in queries}) if periods.exists() else {},
        manifest.card if manifest is not None else SetCard(folder.resolve().name),
    )


def read_folder_manifest(folder: str | os.PathLike[str]) -> Manifest | None:
    """The manifest of a folder, or None where there is none."""
    path = Path(folder) / _MANIFEST
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        card = {**record["card"], "notes": tuple(record["card"].get("notes", ()))}
        for file in record["files"].values():
            int(file["rows"]), str(file["sha256"])
        return Manifest(**{**record, "card": SetCard(**card)})
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        raise EpochalError(f"{path} is no manifest of a test set; build the set again") from None


def file_digest(path: Path) -> str:
    """The sha256 of a file, which manifests vouch with."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


class _Corpus:
    """The documents of a folder, read from disk whenever they are gone through."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __iter__(self) -> Iterator[Document]:
        yield from read(self._folder, format="beir", strict=True)


def _read_queries(place: Path, name: str, splits: Mapping[str, str]) -> Iterator[tuple[BenchQuery, bool]]:
    """The questions, and whether the row or the judgements say to which split each belongs."""
    dates = DateReader()
    path = next((place / file for file in ("queries.jsonl", "queries.jsonl.gz") if (place / file).is_file()), place)
    plain = {query.id: query for query in read_queries(place)}  # which also tells what is wrong with a row
    for row, query in zip(json_rows(path, name, Meter(0)), plain.values(), strict=True):
        values = row.values
        try:
            periods = tuple(dates.read(period, "periods") for period in _get_value(values, "periods", list))
            excluded = tuple(str(id) for id in _get_value(values, "excluded", list))
            annotations = _get_value(values, "annotations", dict) or _get_value(values, "metadata", dict)
        except EpochalError as error:
            raise InputError(str(path), row.line, str(error)) from None
        split = str(values.get("split") or splits.get(query.id, ""))
        kind = str(values.get("kind") or "")
        bench_query = BenchQuery(query.id, query.text, query.now, periods, kind, split or "test", excluded, annotations)
        yield bench_query, bool(split)


def _get_value(values: Mapping[str, Any], key: str, kind: type[Any]) -> Any:
    value = values.get(key)
    if value is None:
        return kind()
    if not isinstance(value, kind):
        accepted = "a list" if kind is list else "an object"
        raise EpochalError(f"the value under {key!r} is a {type(value).__name__}; accepted: {accepted}")
    return value


def _read_periods(path: Path, counts: Mapping[str, int]) -> PeriodQrels:
    periods: dict[str, list[set[str]]] = {}
    for line, text in field_lines(path, str(path)):
        parts = text.split("\t")
        query, number = parts[0], parts[1] if len(parts) == 3 else ""
        is_number = number.isascii() and number.isdigit()
        if line == 1 and len(parts) == 3 and not is_number:
            continue
        if not is_number or not 1 <= int(number) <= counts.get(query, 0):
            accepted = "a question, the number of one of its periods, and a document (or nothing), with tabs between"
            raise InputError(str(path), line, f"{text!r} says nothing of a period; accepted: {accepted}")
        sets = periods.setdefault(query, [set() for _ in range(counts[query])])
        if parts[2]:
            sets[int(number) - 1].add(parts[2])
    return {query: tuple(frozenset(covered) for covered in sets) for query, sets in periods.items()}


def _check_file(path: Path, expected: str) -> None:
    if not path.is_file():
        raise EpochalError(f"{path} is missing; build the set again")
    if file_digest(path) != expected:
        raise EpochalError(f"{path} is not what its manifest says; build the set again")


def _check_set(bench_set: BenchSet) -> None:
    """Refuse what would not come back from the folder."""
    counts = {query.id: len(query.periods) for query in bench_set.queries}
    if len(counts) != len(bench_set.queries):
        raise EpochalError(f"two questions of the set {bench_set.id!r} have the same id; accepted: ids of one question")
    for split in bench_set.splits:
        if not _SPLIT.fullmatch(split):
            raise EpochalError(f"the split {split!r} cannot be the name of a file; accepted: letters, digits, _ and -")
    for query, covered in bench_set.period_qrels.items():
        if len(covered) != counts.get(query, -1):
            state = f"has {counts[query]}" if query in counts else "is no question of it"
            raise EpochalError(
                f"the set {bench_set.id!r} says what covers {len(covered)} periods of {query!r}, which {state}; "
                "accepted: as many as the question has"
            )
    pairs = {query: set(judged) for query, judged in bench_set.qrels.items()}
    for query, covered in bench_set.period_qrels.items():
        pairs.setdefault(query, set()).update(*covered)
    for query, documents in pairs.items():
        if query not in counts:
            raise EpochalError(f"the set {bench_set.id!r} judges {query!r}, which is no question of it")
        for id in (query, *documents):
            if not id or any(mark in id for mark in "\t\n\r"):
                raise EpochalError(
                    f"the id {id!r} cannot stand in a table; accepted: a text without tabs and line ends"
                )


def _write(path: Path, lines: Iterable[str], header: str = "") -> dict[str, Any]:
    digest, rows = hashlib.sha256(), 0

    def put(file: BinaryIO, line: str) -> None:
        data = line.encode() + b"\n"
        digest.update(data)
        file.write(data)

    with write_atomically(path) as file:
        if header:
            put(file, header)
        for line in lines:
            put(file, line)
            rows += 1
    return {"rows": rows, "sha256": digest.hexdigest()}


def _dump_row(row: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(row, ensure_ascii=False, allow_nan=False, default=_to_plain)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise EpochalError(f"the row {row['_id']!r} of a test set cannot be written as JSON: {error}") from None
    return text


def _to_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no type of JSON")


def _make_corpus_row(document: Document) -> dict[str, Any]:
    row = build_row(document)
    required = {"_id": row.pop("id"), "title": row.pop("title", ""), "text": row.pop("text")}
    if "meta" in row:
        row["metadata"] = row.pop("meta")
    return {**required, **row}


def _query_row(query: BenchQuery) -> dict[str, Any]:
    row: dict[str, Any] = {"_id": query.id, "text": query.text}
    if query.now is not None:
        row["now"] = span_value(query.now)
    if query.periods:
        row["periods"] = [span_value(span) for span in query.periods]
    if query.kind:
        row["kind"] = query.kind
    row["split"] = query.split
    if query.excluded:
        row["excluded"] = list(query.excluded)
    if query.annotations:
        row["annotations"] = dict(query.annotations)
    return row


def _format_qrels(bench_set: BenchSet, split: str) -> Iterator[str]:
    for query in bench_set.queries:
        if query.split == split:
            for document, score in bench_set.qrels.get(query.id, {}).items():
                yield f"{query.id}\t{document}\t{score}"


def _format_periods(judged: PeriodQrels) -> Iterator[str]:
    for query, covered in judged.items():
        for number, documents in enumerate(covered, 1):
            # A period that nothing mentions is known to be one: that is not the same as not knowing.
            for document in sorted(documents) or [""]:
                yield f"{query}\t{number}\t{document}"
