"""Lossless export of documents: JSON Lines, plain or gzipped, and Parquet."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable
from typing import Any, BinaryIO

from epochal.errors import EpochalError
from epochal.files import write_atomically
from epochal.storage.importers.fields import span_value
from epochal.storage.importers.parquet import write_parquet
from epochal.storage.records import Document

_COLUMNS = ("id", "text", "title", "published", "valid", "series", "meta")


def export(documents: Iterable[Document], path: str | os.PathLike[str]) -> int:
    """Write documents to a file that ends in .jsonl, .jsonl.gz or .parquet, or as JSON Lines to `-`, the output.

    How many were written. The file appears when all of them are in it; after an error it is as it was before.
    `epochal.storage.importers.read` reads it back, to documents that are equal.
    """
    name = os.fspath(path)
    if name.lower().endswith((".parquet", ".pq")):
        with write_atomically(path) as file:
            return write_parquet(file, _COLUMNS, (_make_table_row(document) for document in documents))
    if name != "-" and not name.lower().endswith((".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")):
        accepted = "a name that ends in .jsonl, .jsonl.gz or .parquet, or '-' for the output"
        raise EpochalError(f"documents cannot be exported to {name!r}; accepted: {accepted}")
    with write_atomically(path) as file:
        if not name.lower().endswith(".gz"):
            return _write_lines(documents, file)
        # Neither a name nor the time in it: equal documents give equal files.
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as zipped:
            return _write_lines(documents, zipped)


def build_row(document: Document) -> dict[str, Any]:
    """A document as an object of JSON, without the parts that it lacks."""
    row: dict[str, Any] = {"id": document.id, "text": document.text}
    if document.title:
        row["title"] = document.title
    if document.published is not None:
        row["published"] = span_value(document.published)
    if document.valid is not None:
        row["valid"] = span_value(document.valid)
    if document.series is not None:
        row["series"] = document.series
    if document.meta:
        row["meta"] = dict(document.meta)
    return row


def _write_lines(documents: Iterable[Document], file: BinaryIO | gzip.GzipFile) -> int:
    count = 0
    for document in documents:
        _check_meta(document)
        file.write(_dump_json(build_row(document), document.id) + b"\n")
        count += 1
    file.flush()
    return count


def _make_table_row(document: Document) -> tuple[str | None, ...]:
    _check_meta(document)
    row = build_row(document)
    for key in ("published", "valid", "meta"):
        if key in row and not isinstance(row[key], str):
            row[key] = _dump_json(row[key], document.id).decode()
    _dump_json(row, document.id)
    return tuple(row.get(column) for column in _COLUMNS)


def _dump_json(value: Any, name: str) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise EpochalError(f"the document {name!r} cannot be written as JSON: {error}") from None


def _check_meta(document: Document) -> None:
    """JSON turns keys into texts and tuples into lists without a word: what would come back changed is refused."""
    if document.meta and json.loads(_dump_json(dict(document.meta), document.id)) != dict(document.meta):
        accepted = "texts as keys; texts, numbers, true, false, null, lists and objects as values"
        raise EpochalError(f"the meta of document {document.id!r} is not plain JSON; accepted: {accepted}")
