"""Fields of documents as columns: what filters on metadata and counts of values read.

A field is a key of `meta`; "author.name" is a key within an object. `id`, `title` and `series` are fields, too. A list
has each of its values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from epochal.storage.protocol import Rows, View
from epochal.storage.records import Document

#: Fields that are no metadata.
OWN_FIELDS: Final = ("id", "title", "series")


@dataclass(frozen=True, slots=True, eq=False)
class FieldColumn:
    """The values of a field: `values[codes[n]]` is one of the document `rows[n]`. `rows` ascend."""

    rows: Rows
    codes: Rows
    values: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.rows)


@runtime_checkable
class SupportsFields(Protocol):
    """A `View` that can read a field of all documents without reading the documents."""

    def get_field_column(self, name: str) -> FieldColumn:
        """The values of a field, of living documents."""
        ...


def get_field_column(view: View, name: str) -> FieldColumn:
    """The values of a field in a view, by its own means or by reading all documents."""
    if isinstance(view, SupportsFields):
        return view.get_field_column(name)
    rows = view.alive_documents
    documents = (document for batch in view.iterate() for document in batch)
    return build_field_column(
        (row, get_field(document, name)) for row, document in zip(rows.tolist(), documents, strict=True)
    )


def get_field(document: Document, name: str) -> Any:
    """The value of a field of a document; None where it has none."""
    if name in OWN_FIELDS:
        return getattr(document, name) or None
    if name in document.meta:
        return document.meta[name]
    value: Any = document.meta
    for key in name.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


def build_field_column(items: Iterable[tuple[int, Any]]) -> FieldColumn:
    """The column of documents with their values; None is no value, and a list has several."""
    known: dict[tuple[str, Any], int] = {}
    values: list[Any] = []
    rows: list[int] = []
    codes: list[int] = []
    for row, value in items:
        for item in value if isinstance(value, list | tuple) else (value,):
            if item is None:
                continue
            # 1 and True are equal in Python, and not in JSON.
            kind = "bool" if isinstance(item, bool) else "number" if isinstance(item, int | float) else "other"
            key = (kind, item if isinstance(item, str | int | float) else repr(item))
            if key not in known:
                known[key] = len(values)
                values.append(item)
            rows.append(row)
            codes.append(known[key])
    order = np.argsort(np.array(rows, dtype=np.int64), kind="stable")
    return FieldColumn(np.array(rows, dtype=np.int64)[order], np.array(codes, dtype=np.int64)[order], tuple(values))


def merge_field_columns(parts: Iterable[FieldColumn]) -> FieldColumn:
    """One column of several, whose rows are numbered alike already."""
    return build_field_column(
        (row, part.values[code])
        for part in parts
        for row, code in zip(part.rows.tolist(), part.codes.tolist(), strict=True)
    )
