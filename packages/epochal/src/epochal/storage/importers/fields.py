"""Rows to documents: which fields are read, under which names, and the date formats they may have."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from epochal.errors import EpochalError, InputError, TimeParseError, UnknownNameError
from epochal.storage.importers.rows import Row
from epochal.storage.records import Document
from epochal.times.axis import DAY, OPEN_END, OPEN_START, Certainty, Grain
from epochal.times.catalogue import read_catalogue
from epochal.times.span import Span
from epochal.times.stamps import find_day_order, is_ambiguous_day, read_number, read_stamp

ACCEPTED: Final = (
    "ISO 8601 or EDTF (1998-03-15, 2024-05-01T10:00+02:00, -0043, 1984~/2004-06), a stamp of mail or logs, a date in "
    "words (15 March 1998), or seconds since 1970"
)

# Letters that no form of ISO 8601 or EDTF has: then the text is words, or nothing.
_WORDS = re.compile(r"[^\W\dTWXYZtz]")
_MAX_CACHED: Final = 10_000


def span_value(span: Span) -> str | dict[str, Any]:
    """A span as a value of JSON that `DateReader.read` reads back exactly: EDTF, or an object where EDTF says less."""
    text = span.edtf()
    if _reads_back(span):
        return text
    return {
        "edtf": text,
        "start": None if span.start == OPEN_START else span.start,
        "end": None if span.end == OPEN_END else span.end,
        "grain": span.grain.label,
        "end_grain": span.end_grain.label,
        "certainty": span.certainty.label,
        "end_certainty": span.end_certainty.label,
    }


@lru_cache(maxsize=1 << 14)  # many documents have the same day
def _reads_back(span: Span) -> bool:
    """Whether the EDTF of a span says all of it; one that does not carries nothing."""
    try:
        return Span.parse(span.edtf()) == span
    except EpochalError:
        return False


class DateReader:
    """Reads dates, and remembers those that it has read: the rows of a source share them.

    `day_first` says which of 05/04/2020 is the day. None learns it from the dates of the source that show it.
    """

    def __init__(self, day_first: bool | None = None) -> None:
        self._known: dict[str, Span] = {}
        self.day_first = day_first

    def learn_order(self, values: Iterable[Any]) -> None:
        """Learn the order of day and month from values that show it, before the others are read."""
        orders = {find_day_order(value) for value in values if isinstance(value, str)} - {None}
        if self.day_first is None and len(orders) == 1:
            (self.day_first,) = orders

    def read(self, value: Any, key: str) -> Span:
        """The span that a value represents. Times of day that state no zone are in UTC."""
        if isinstance(value, str):
            if span := self._known.get(value):
                return span
            if self.day_first is None:
                self.learn_order([value])
            span = _parse_text(value, key, self.day_first)
            if len(self._known) >= _MAX_CACHED:
                self._known.clear()
            self._known[value] = span
            return span
        if isinstance(value, Mapping):
            return _parse_numbers(value, key)
        if isinstance(value, Span):
            return value
        if isinstance(value, dt.date) or type(value).__name__ == "datetime64":
            return Span.of(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _parse_number(value, key)
        raise EpochalError(f"the date under {key!r} is {_format_value(value)}, which is no date; accepted: {ACCEPTED}")


def _parse_text(text: str, key: str, day_first: bool | None) -> Span:
    stripped = text.strip(_AROUND)
    if stripped.startswith('{"'):
        try:
            return _parse_numbers(json.loads(stripped), key)
        except (json.JSONDecodeError, RecursionError) as error:
            raise EpochalError(f"the date under {key!r} looks like an object of JSON, but is none: {error}") from None
    stamp = read_stamp(stripped, day_first=day_first) or _read_serial(stripped)
    if stamp is not None:
        return stamp
    try:
        if is_ambiguous_day(stripped):
            raise TimeParseError(stripped, ACCEPTED, "may be either day: which figure is the month is not known")
        if not _WORDS.search(stripped):
            try:
                return Span.parse(stripped)
            except TimeParseError:
                # What a catalogue writes in figures: "[1923?]", "1914-18".
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
#: Spaces and quotes, which exports put around dates.
_AROUND = " \t\r\n\xa0\"'“”‘’"
_SERIAL = re.compile(r"\d{5}(?:\.\d{1,12})?")
_SERIAL_OF_1970 = 25_569
#: No count of anything since any day is larger.
_MAX_NUMBER = 10**20
#: Days from 1954 to 2064: figures of this size are no other form of a date.
_SERIALS = (20_000, 60_000)


def _read_serial(text: str) -> Span | None:
    """Days since the last days of 1899, as spreadsheets count them."""
    if not _SERIAL.fullmatch(text) or not _SERIALS[0] <= float(text) < _SERIALS[1]:
        return None
    seconds = round((float(text) - _SERIAL_OF_1970) * DAY)
    return Span.at(seconds) if seconds % DAY else Span(seconds, seconds + DAY, Grain.DAY)


def _parse_words(text: str) -> Span:
    from epochal.reading.resolve import resolve

    readings = resolve(text)
    if readings[0].span.start == OPEN_START and readings[0].span.end == OPEN_END:
        raise TimeParseError(text, ACCEPTED, "states that there is no date")
    if len({reading.span for reading in readings}) > 1:
        named = ", ".join(dict.fromkeys(reading.text for reading in readings[:4]))
        raise TimeParseError(text, ACCEPTED, f"may be any of several times ({named})")
    return readings[0].span


def _parse_number(number: int | float, key: str) -> Span:
    is_in_range = abs(number) < _MAX_NUMBER  # of neither NaN nor infinity
    span = (read_number(number) or _read_serial(str(number))) if is_in_range else None
    if span is not None:
        return span
    shown = repr(number) if is_in_range or isinstance(number, float) else "of too many digits"
    raise EpochalError(f"the date under {key!r} is the number {shown}, which is no date; accepted: {ACCEPTED}")


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
    """The names under which each part of a document is looked for; the first that holds anything counts.

    Capitals do not matter. A name such as 'author.name' that is no field itself is looked for in an object.
    """

    id: tuple[str, ...] = ("id", "_id", "doc_id")
    text: tuple[str, ...] = ("text", "body", "content")
    title: tuple[str, ...] = ("title", "headline", "subject")
    published: tuple[str, ...] = (
        *("published", "date", "timestamp", "created", "published_at", "publication_date", "date_published", "pubdate"),
        *("pub_date", "created_at", "datetime"),
    )
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
        present = {column.lower() for column in columns} | set(columns)
        if id_needed and not present.intersection(self.id):
            return f"there is no column for the id; accepted: {_join_names(self.id)}{_OR_MAKE_IDS}"
        if not present.intersection(self.text + self.title):
            return f"there is no column for the text; accepted: {_join_names(self.text)}"
        return None


#: What else helps where there are no ids.
_OR_MAKE_IDS: Final = ", or make_ids=True (--id-from-row), which makes ids of file and line"


def build_document(
    row: Row, fields: Fields, dates: DateReader, *, make_id: bool = False, notes: list[str] | None = None
) -> Document:
    """The document that a row holds. Takes the fields that it knows out of the row's values; the rest is `meta`.

    A date that cannot be read is an error. Where there is a list for `notes`, it is noted there instead: the document
    is undated then, and has the text of the date in its `meta`.
    """
    values = _rename_capitals(row.values, fields)
    text, title = _get_text(values, fields.text) or "", _get_text(values, fields.title) or row.given.get("title", "")
    if text.isspace():
        text = ""
    if not text and not title.strip():
        raise EpochalError(f"the row has no text; accepted: a text that is not empty under {_join_names(fields.text)}")
    name = _get_text(values, fields.id) or row.given.get("id")
    if not name:
        if not make_id:
            accepted = f"a text or a whole number under {_join_names(fields.id)}{_OR_MAKE_IDS}"
            raise EpochalError(f"the row has no id; accepted: {accepted}")
        name = f"{row.file.replace(chr(92), '/').rpartition('/')[2]}:{row.line}"
    unreadable = dict[str, Any]()
    published = _take_date(values, fields.published, dates, notes, unreadable) or row.given.get("published")
    validity = {key: values[key] for key in fields.valid + fields.valid_from + fields.valid_to if key in values}
    try:
        valid = _read_valid(values, fields, dates)
    except EpochalError as error:
        if notes is None:
            raise
        notes.append(str(error))
        valid, unreadable = None, {**unreadable, **validity}
    series = _get_text(values, fields.series)
    return Document(name, text, title, published, valid, series, _read_meta({**values, **unreadable}))


def row_document(
    row: Row, fields: Fields, dates: DateReader, *, make_id: bool = False, notes: list[str] | None = None
) -> Document:
    """The document of a row; what is wrong with the row is said with its place."""
    if row.problem is not None:
        raise InputError(row.file, row.line, row.problem)
    try:
        return build_document(row, fields, dates, make_id=make_id, notes=notes)
    except EpochalError as error:
        raise InputError(row.file, row.line, str(error)) from None


def _rename_capitals(values: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """The values of a row, with names such as 'Date' and 'ID' spelled as those that are looked for."""
    if all(key.islower() for key in values):
        return values
    known = {name.lower(): name for names in (getattr(fields, part) for part in fields.__slots__) for name in names}
    renamed = dict[str, Any]()
    for key, value in values.items():
        name = known.get(key.strip().lower(), key)
        renamed[key if name in values and name != key else name] = value
    return renamed


def _take(values: dict[str, Any], keys: tuple[str, ...]) -> tuple[str, Any] | None:
    """Remove and give the first value that is there, and remove empty ones before it."""
    for key in keys:
        value = values.pop(key) if key in values else _take_within(values, key)
        if value is not None:
            return key, value
    return None


def _take_within(values: dict[str, Any], key: str) -> Any:
    """Remove and give the value of a name such as 'author.name'; the object that held it is replaced, not changed."""
    name, _, rest = key.partition(".")
    inner = values.get(name)
    if not rest or not isinstance(inner, Mapping):
        return None
    inner = values[name] = dict(inner)
    return inner.pop(rest) if rest in inner else _take_within(inner, rest)


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


def _take_date(
    values: dict[str, Any],
    keys: tuple[str, ...],
    dates: DateReader,
    notes: list[str] | None = None,
    unreadable: dict[str, Any] | None = None,
) -> Span | None:
    """The first date that is there and can be read; one that cannot is an error, or a note where there is a list."""
    for key in keys:
        value = values.pop(key) if key in values else _take_within(values, key)
        if value is None or value == "":
            continue
        try:
            return dates.read(value, key)
        except EpochalError as error:
            if notes is None or unreadable is None:
                raise
            notes.append(str(error))
            unreadable[key] = value
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
