"""Rows to documents: which fields are read, under which names, and the date formats they may have."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from epochal.errors import EpochalError, InputError, TimeParseError, UnknownNameError
from epochal.storage.importers.rows import Row
from epochal.storage.records import Document
from epochal.times.axis import OPEN_END, OPEN_START, Certainty, Grain, days_in_month
from epochal.times.catalogue import read_catalogue
from epochal.times.span import Span

ACCEPTED: Final = (
    "ISO 8601 or EDTF (1998-03-15, 2024-05-01T10:00+02:00, -0043, 1984~/2004-06), a date in words (15 March 1998), "
    "or seconds since 1970 under 'timestamp' (100000000 to 99999999999)"
)

# "2024/5/1" and the like: the year comes first, so nobody can take the month for the day.
_YEAR_FIRST = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})")
# Letters that no form of ISO 8601 or EDTF has: then the text is words, or nothing.
_WORDS = re.compile(r"[^\W\dTWXYZtz]")
_SECONDS = re.compile(r"[0-9]{9,11}(?:\.[0-9]*)?")
# Below, a number is rather a date without hyphens; above, rather one of milliseconds.
_FIRST_SECOND: Final = 10**8
_LAST_SECOND: Final = 10**11 - 1
_MAX_CACHED: Final = 10_000


def span_value(span: Span) -> str | dict[str, Any]:
    """A span as a value of JSON that `DateReader.read` reads back exactly: EDTF, or an object where EDTF says less."""
    text = span.edtf()
    try:
        if Span.parse(text) == span:
            return text
    except EpochalError:
        pass  # a text that does not read back carries nothing: the numbers do
    return {
        "edtf": text,
        "start": None if span.start == OPEN_START else span.start,
        "end": None if span.end == OPEN_END else span.end,
        "grain": span.grain.label,
        "end_grain": span.end_grain.label,
        "certainty": span.certainty.label,
        "end_certainty": span.end_certainty.label,
    }


class DateReader:
    """Reads dates, and remembers those that it has read: the rows of a source share them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bool], Span] = {}

    def read(self, value: Any, key: str) -> Span:
        """The span that a value represents. Times of day that state no zone are in UTC."""
        if isinstance(value, str):
            counted = key == "timestamp"
            if span := self._known.get((value, counted)):
                return span
            span = _parse_text(value, key)
            if len(self._known) >= _MAX_CACHED:
                self._known.clear()
            self._known[value, counted] = span
            return span
        if isinstance(value, Mapping):
            return _parse_numbers(value, key)
        if isinstance(value, (dt.date, Span)):
            return Span.of(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _parse_number(value, key)
        raise EpochalError(f"the date under {key!r} is {_format_value(value)}, which is no date; accepted: {ACCEPTED}")


def _parse_text(text: str, key: str) -> Span:
    stripped = text.strip()
    if stripped.startswith('{"'):
        try:
            return _parse_numbers(json.loads(stripped), key)
        except (json.JSONDecodeError, RecursionError) as error:
            raise EpochalError(f"the date under {key!r} looks like an object of JSON, but is none: {error}") from None
    if key == "timestamp" and _SECONDS.fullmatch(stripped):
        return _parse_number(int(stripped.partition(".")[0]), key)
    try:
        if match := _YEAR_FIRST.fullmatch(stripped):
            year, month, day = int(match[1]), int(match[2]), int(match[3])
            if 1 <= month <= 12 and 1 <= day <= days_in_month(year, month):
                return Span.day(year, month, day)
            stripped = f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}"  # let what is wrong with it be named
        if not _WORDS.search(stripped):
            try:
                return Span.parse(stripped)
            except TimeParseError:
                # What a catalogue writes in figures: "[1923?]", "1914-18". 05/04/2020 may be either day.
                is_unclear = stripped.isdecimal() or _DAY_OR_MONTH_FIRST.match(stripped)
                interval = None if is_unclear else read_catalogue(stripped)
                if interval is None:
                    raise
                return Span.of(interval)
        return _parse_words(stripped)
    except TimeParseError as error:
        problem = str(error).removesuffix(f"; accepted: {error.accepted}")
        raise EpochalError(f"the date under {key!r} cannot be read: {problem}; accepted: {ACCEPTED}") from None


_DAY_OR_MONTH_FIRST = re.compile(r"\d{1,2}[-/. ]\d{1,2}[-/. ]")


def _parse_words(text: str) -> Span:
    from epochal.reading.resolve import resolve

    readings = resolve(text)
    if readings[0].span.start == OPEN_START and readings[0].span.end == OPEN_END:
        raise TimeParseError(text, ACCEPTED, "says that there is no date")
    if len({reading.span for reading in readings}) > 1:
        named = ", ".join(dict.fromkeys(reading.text for reading in readings[:4]))
        raise TimeParseError(text, ACCEPTED, f"may be any of several times ({named})")
    return readings[0].span


def _parse_number(number: int | float, key: str) -> Span:
    if key == "timestamp" and _FIRST_SECOND <= number <= _LAST_SECOND:
        return Span.at(int(number // 1))
    if isinstance(number, int) and (1000 <= number <= 9999 or 10**7 <= number < 10**8):
        return _parse_text(str(number), key)
    raise EpochalError(f"the date under {key!r} is the number {number!r}, which is no date; accepted: {ACCEPTED}")


def _parse_numbers(value: Any, key: str) -> Span:
    """A span from the object that `span_value` writes."""
    accepted = "an object with 'start' and 'end' in seconds since 1970 (null for an open end), and names under 'grain'"
    try:
        start, end = value["start"], value["end"]
        for edge in (start, end):
            if edge is not None and (not isinstance(edge, int) or isinstance(edge, bool)):
                raise TypeError(f"{edge!r} is no whole number")
        grain, certainty = value.get("grain", "second"), value.get("certainty", "certain")
        return Span(
            OPEN_START if start is None else start,
            OPEN_END if end is None else end,
            Grain.named(grain),
            Grain.named(value.get("end_grain", grain)),
            Certainty[certainty.upper()],
            Certainty[value.get("end_certainty", certainty).upper()],
        )
    except (KeyError, TypeError, AttributeError, EpochalError) as error:
        problem = f"lacks {error}" if isinstance(error, KeyError) else f"is wrong ({error})"
        raise EpochalError(f"the date under {key!r} {problem}; accepted: {accepted}") from None


def _format_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


@dataclass(frozen=True, slots=True)
class Fields:
    """The names under which each part of a document is looked for; the first that holds anything counts."""

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
        """The usual names, but for the parts that somebody's data has under a name of their own."""
        fields = cls()
        for part, name in (names or {}).items():
            if part not in cls.__slots__:
                raise UnknownNameError("field", part, cls.__slots__)
            fields = replace(fields, **{part: (name,)})
        return fields

    def missing(self, columns: Iterable[str], *, id_needed: bool = True) -> str | None:
        """What a table with these columns lacks; None when it lacks nothing."""
        present = set(columns)
        if id_needed and not present.intersection(self.id):
            return f"there is no column for the id; accepted: {_join_names(self.id)}"
        if not present.intersection(self.text + self.title):
            return f"there is no column for the text; accepted: {_join_names(self.text)}"
        return None


def build_document(row: Row, fields: Fields, dates: DateReader, *, make_id: bool = False) -> Document:
    """The document that a row holds. Takes the fields that it knows out of the row's values; the rest is `meta`."""
    values = row.values
    text, title = _get_text(values, fields.text) or "", _get_text(values, fields.title) or row.given.get("title", "")
    if text.isspace():
        text = ""
    if not text and not title.strip():
        raise EpochalError(f"the row has no text; accepted: a text that is not empty under {_join_names(fields.text)}")
    name = _get_text(values, fields.id) or row.given.get("id")
    if not name:
        if not make_id:
            raise EpochalError(f"the row has no id; accepted: a text or a whole number under {_join_names(fields.id)}")
        name = f"{row.file.replace(chr(92), '/').rpartition('/')[2]}:{row.line}"
    published = _take_date(values, fields.published, dates) or row.given.get("published")
    return Document(
        id=name,
        text=text,
        title=title,
        published=published,
        valid=_read_valid(values, fields, dates),
        series=_get_text(values, fields.series),
        meta=_read_meta(values),
    )


def row_document(row: Row, fields: Fields, dates: DateReader, *, make_id: bool = False) -> Document:
    """The document of a row; what is wrong with the row is said with its place."""
    if row.problem is not None:
        raise InputError(row.file, row.line, row.problem)
    try:
        return build_document(row, fields, dates, make_id=make_id)
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


def _get_text(values: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    taken = _take(values, keys)
    if taken is None:
        return None
    key, value = taken
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise EpochalError(f"the value under {key!r} is of type {type(value).__name__}; accepted: a text")


def _take_date(values: dict[str, Any], keys: tuple[str, ...], dates: DateReader) -> Span | None:
    for key in keys:
        value = values.pop(key, None)
        if value is not None and value != "":
            return dates.read(value, key)
    return None


def _read_valid(values: dict[str, Any], fields: Fields, dates: DateReader) -> Span | None:
    if valid := _take_date(values, fields.valid, dates):
        return valid
    first, last = _take_date(values, fields.valid_from, dates), _take_date(values, fields.valid_to, dates)
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


def _read_meta(values: dict[str, Any]) -> dict[str, Any]:
    """What is left of a row. Objects under 'meta' and 'metadata' are laid open, also where a table holds their text."""
    meta: dict[str, Any] = {}
    for key in ("meta", "metadata"):
        inner = values.get(key)
        if isinstance(inner, str) and inner.startswith("{"):
            inner = _parse_object(inner)
        if isinstance(inner, Mapping):
            meta.update(inner)
            del values[key]
    for key, value in values.items():
        meta[key] = value.isoformat() if isinstance(value, dt.date) else value
    return meta


def _parse_object(text: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None  # a text that starts with a brace is a text like any other


def _join_names(names: tuple[str, ...]) -> str:
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
