"""Fields of documents as columns: what filters on metadata and counts of values read.

A field is a key of `meta`; "author.name" is a key within an object. `id`, `title` and `series` are fields, too. A list
has each of its values.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from epochal.storage.protocol import Rows, View
from epochal.storage.records import Document

#: Fields that are no metadata.
OWN_FIELDS: Final = ("id", "title", "series")


#: Operators that compare by order.
ORDERS: Final = ("<", "<=", ">", ">=")

Where = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class FieldColumn:
    """The values of a field: `values[codes[n]]` is one of the document `rows[n]`. `rows` ascend."""

    rows: Rows
    codes: Rows
    values: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def find_rows(self, operator: str, value: Any) -> Rows:
        """The documents with a value that meets a condition: "exists", "in" with a list, or an order."""
        if operator == "exists":
            return self.rows
        chosen = np.zeros(len(self.values), dtype=np.bool_)
        if operator == "in":
            codes = (self._code_by_value.get(_make_key(item)) for item in value)
            chosen[[code for code in codes if code is not None]] = True
        else:
            chosen[self._find_codes(operator, value)] = True
        return self.rows[chosen[self.codes]] if len(self.rows) else self.rows

    @cached_property
    def _code_by_value(self) -> dict[tuple[str, Any], int]:
        return {_make_key(value): code for code, value in enumerate(self.values)}

    @cached_property
    def _ordered(self) -> dict[bool, tuple[list[Any], list[int]]]:
        """Numbers (False) and texts (True) in their order, each with its code."""
        ordered = {}
        for is_text in (False, True):
            pairs = [
                (value, code)
                for code, value in enumerate(self.values)
                if (isinstance(value, str) if is_text else _is_number(value))
            ]
            pairs.sort()
            ordered[is_text] = [value for value, _ in pairs], [code for _, code in pairs]
        return ordered

    def _find_codes(self, operator: str, value: Any) -> list[int]:
        if not isinstance(value, str) and not _is_number(value):
            return []
        values, codes = self._ordered[isinstance(value, str)]
        place = (bisect_left if operator in ("<", ">=") else bisect_right)(values, value)
        return codes[:place] if operator in ("<", "<=") else codes[place:]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _make_key(value: Any) -> tuple[str, Any]:
    """A value as a key: 1 and True are equal in Python, and not in JSON."""
    kind = "bool" if isinstance(value, bool) else "number" if isinstance(value, int | float) else "other"
    return kind, value if isinstance(value, str | int | float) else repr(value)


@runtime_checkable
class SupportsFields(Protocol):
    """A `View` that can read a field of all documents without reading the documents."""

    def get_field_column(self, name: str) -> FieldColumn:
        """The values of a field, of living documents."""
        ...


@runtime_checkable
class SupportsFieldLookup(Protocol):
    """A `View` that can look values of a field up."""

    def find_field_rows(self, name: str, operator: str, value: Any) -> Rows | None:
        """The living documents with a value that meets a condition, as `FieldColumn.find_rows`; None if unknown."""
        ...


def find_documents(view: View, where: Where) -> Rows:
    """The rows of the documents that meet all conditions, ascending."""
    documents = view.alive_documents
    kept = np.zeros(int(documents[-1]) + 1 if len(documents) else 0, dtype=np.bool_)
    kept[documents] = True
    for name, condition in where.items():
        for operator, value in condition.items():
            if operator == "exists":
                met, is_negative = find_field_rows(view, name, "exists", True), not value
            elif operator in ORDERS:
                met, is_negative = find_field_rows(view, name, operator, value), False
            else:
                values = value if operator in ("in", "not in") else [value]
                met, is_negative = find_field_rows(view, name, "in", values), operator in ("!=", "not in")
            mask = np.zeros_like(kept)
            mask[met] = True
            kept &= ~mask if is_negative else mask
    return np.flatnonzero(kept)


def find_field_rows(view: View, name: str, operator: str, value: Any) -> Rows:
    """The documents of a view that meet a condition, by its own means or by the column of the field."""
    rows = view.find_field_rows(name, operator, value) if isinstance(view, SupportsFieldLookup) else None
    return get_field_column(view, name).find_rows(operator, value) if rows is None else rows


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
    return get_meta_field(document.meta, name)


def get_meta_field(meta: Mapping[str, Any], name: str) -> Any:
    """The value of a field of metadata: of a key, or of keys within objects with dots between them."""
    if name in meta:
        return meta[name]
    value: Any = meta
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
            key = _make_key(item)
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
