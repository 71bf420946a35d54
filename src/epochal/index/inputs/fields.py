"""Rows to documents: which fields are read, under which names, and what they must hold."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from epochal.errors import EpochalError, InputError, UnknownNameError
from epochal.index.inputs.dates import ACCEPTED, DateReader
from epochal.index.inputs.rows import Row
from epochal.index.records import Document
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.certainty import Certainty
from epochal.times.grain import Grain
from epochal.times.span import Span

__all__ = ["Fields", "document_of", "row_document"]


@dataclass(frozen=True, slots=True)
class Fields:
    """The names under which each part of a document is looked for; the first that holds anything counts.

    >>> Fields.named({"series": "doc"}).series
    ('doc',)
    """

    id: tuple[str, ...] = ("id", "_id", "doc_id")
    text: tuple[str, ...] = ("text", "body", "content")
    title: tuple[str, ...] = ("title",)
    published: tuple[str, ...] = ("published", "date", "timestamp", "created")
    valid: tuple[str, ...] = ("valid",)
    valid_from: tuple[str, ...] = ("valid_from",)
    valid_to: tuple[str, ...] = ("valid_to",)
    series: tuple[str, ...] = ("series",)

    @classmethod
    def named(cls, names: Mapping[str, str] | None) -> Fields:
        """The usual names, but for the parts that somebody's data has under a name of their own.

        >>> Fields.named({"txt": "body"})
        Traceback (most recent call last):
        ...
        epochal.errors.UnknownNameError: no field is called 'txt'; known: id, text, title, published, valid,
        valid_from, valid_to, series
        """
        fields = cls()
        for part, name in (names or {}).items():
            if part not in cls.__slots__:
                raise UnknownNameError("field", part, cls.__slots__)
            fields = replace(fields, **{part: (name,)})
        return fields

    def missing(self, columns: Iterable[str], *, id_needed: bool = True) -> str | None:
        """What a table with these columns lacks; None when it lacks nothing.

        >>> Fields().missing(["id", "headline"])
        "there is no column for the text; accepted: 'text', 'body' or 'content'"
        """
        present = set(columns)
        if id_needed and not present.intersection(self.id):
            return f"there is no column for the id; accepted: {_either(self.id)}"
        if not present.intersection(self.text + self.title):
            return f"there is no column for the text; accepted: {_either(self.text)}"
        return None


def document_of(row: Row, fields: Fields, dates: DateReader, *, make_id: bool = False) -> Document:
    """The document that a row holds. Takes the fields that it knows out of the row's values; the rest is `meta`.

    >>> row = Row("a.jsonl", 1, {"_id": 7, "text": "Rain.", "date": "1998-03", "source": "wire"})
    >>> document = document_of(row, Fields(), DateReader())
    >>> document.id, document.published.edtf(), document.meta
    ('7', '1998-03', {'source': 'wire'})
    """
    values = row.values
    text, title = _text(values, fields.text) or "", _text(values, fields.title) or row.given.get("title", "")
    if text.isspace():
        text = ""
    if not text and not title.strip():
        raise EpochalError(f"the row has no text; accepted: a text that is not empty under {_either(fields.text)}")
    name = _text(values, fields.id) or row.given.get("id")
    if not name:
        if not make_id:
            raise EpochalError(f"the row has no id; accepted: a text or a whole number under {_either(fields.id)}")
        name = f"{row.file.replace(chr(92), '/').rpartition('/')[2]}:{row.line}"
    published = _date(values, fields.published, dates) or row.given.get("published")
    return Document(
        id=name,
        text=text,
        title=title,
        published=published,
        valid=_valid(values, fields, dates),
        series=_text(values, fields.series),
        meta=_meta(values),
    )


def row_document(row: Row, fields: Fields, dates: DateReader, *, make_id: bool = False) -> Document:
    """The document of a row; what is wrong with the row is said with its place."""
    if row.problem is not None:
        raise InputError(row.file, row.line, row.problem)
    try:
        return document_of(row, fields, dates, make_id=make_id)
    except EpochalError as error:
        raise InputError(row.file, row.line, str(error)) from None


def _take(values: dict[str, Any], keys: tuple[str, ...]) -> tuple[str, Any] | None:
    """Remove and give the first value that is there, and remove empty ones before it."""
    for key in keys:
        if key in values:
            value = values.pop(key)
            if value is not None:
                return key, value
    return None


def _text(values: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    found = _take(values, keys)
    if found is None:
        return None
    key, value = found
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise EpochalError(f"the value under {key!r} is of type {type(value).__name__}; accepted: a text")


def _date(values: dict[str, Any], keys: tuple[str, ...], dates: DateReader) -> Span | None:
    for key in keys:
        value = values.pop(key, None)
        if value is not None and value != "":
            return dates.read(value, key)
    return None


def _valid(values: dict[str, Any], fields: Fields, dates: DateReader) -> Span | None:
    if valid := _date(values, fields.valid, dates):
        return valid
    first, last = _date(values, fields.valid_from, dates), _date(values, fields.valid_to, dates)
    if first is None and last is None:
        return None
    open_end = Certainty.CERTAIN
    start, grain, doubt = (
        (OPEN_START, Grain.ERA, open_end) if first is None else (first.start, first.grain, first.certainty)
    )
    end, end_grain, end_doubt = (
        (OPEN_END, Grain.ERA, open_end) if last is None else (last.end, last.end_grain, last.end_certainty)
    )
    if start >= end:
        raise EpochalError(
            f"the row is valid from {first} to {last}, which is earlier; accepted: the earlier date under "
            f"{fields.valid_from[0]!r}, each as {ACCEPTED}"
        )
    return Span(start, end, grain, end_grain, doubt, end_doubt)


def _meta(values: dict[str, Any]) -> dict[str, Any]:
    """What is left of a row. Objects under 'meta' and 'metadata' are laid open, also where a table holds their text."""
    meta: dict[str, Any] = {}
    for key in ("meta", "metadata"):
        inner = values.get(key)
        if isinstance(inner, str) and inner.startswith("{"):
            inner = _object(inner)
        if isinstance(inner, Mapping):
            meta.update(inner)
            del values[key]
    for key, value in values.items():
        meta[key] = value.isoformat() if isinstance(value, dt.date) else value
    return meta


def _object(text: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None  # a text that starts with a brace is a text like any other


def _either(names: tuple[str, ...]) -> str:
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
