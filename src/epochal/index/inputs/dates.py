"""The dates that rows carry, in the forms that people write them; and spans as JSON, exactly."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from epochal.errors import EpochalError, TimeParseError
from epochal.times.axis import OPEN_END, OPEN_START, days_in_month
from epochal.times.certainty import Certainty
from epochal.times.grain import Grain
from epochal.times.span import Span

__all__ = ["ACCEPTED", "DateReader", "span_value"]

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
_MOST_KEPT: Final = 10_000


def span_value(span: Span) -> str | dict[str, Any]:
    """A span as a value of JSON that `DateReader.read` reads back exactly: EDTF, or an object where EDTF says less.

    >>> span_value(Span.parse("1984~/2004-06"))
    '1984~/2004-06'
    >>> span_value(Span(0, 100_000, Grain.MONTH))["end"]
    100000
    """
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
    """Reads dates, and remembers those that it has read: the rows of a source share them.

    >>> dates = DateReader()
    >>> dates.read("1998-03", "published").days
    31
    >>> dates.read(1714557600, "timestamp").edtf()
    '2024-05-01T10:00:00Z'
    >>> dates.read("2023-02-30", "date")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the date under 'date' cannot be read: '2023-02-30' names a day that does not exist; ...
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, bool], Span] = {}

    def read(self, value: Any, key: str) -> Span:
        """The span that a value stands for. Times of day that state no zone are in UTC.

        >>> DateReader().read({"start": 0, "end": None, "grain": "day"}, "valid").edtf()
        '1970-01-01/..'
        """
        if isinstance(value, str):
            counted = key == "timestamp"
            if span := self._known.get((value, counted)):
                return span
            span = _of_text(value, key)
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[value, counted] = span
            return span
        if isinstance(value, Mapping):
            return _of_numbers(value, key)
        if isinstance(value, (dt.date, Span)):
            return Span.of(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _of_number(value, key)
        raise EpochalError(f"the date under {key!r} is {_shown(value)}, which is no date; accepted: {ACCEPTED}")


def _of_text(text: str, key: str) -> Span:
    stripped = text.strip()
    if stripped.startswith('{"'):
        try:
            return _of_numbers(json.loads(stripped), key)
        except (json.JSONDecodeError, RecursionError) as error:
            raise EpochalError(f"the date under {key!r} looks like an object of JSON, but is none: {error}") from None
    if key == "timestamp" and _SECONDS.fullmatch(stripped):
        return _of_number(int(stripped.partition(".")[0]), key)
    try:
        if match := _YEAR_FIRST.fullmatch(stripped):
            year, month, day = int(match[1]), int(match[2]), int(match[3])
            if 1 <= month <= 12 and 1 <= day <= days_in_month(year, month):
                return Span.day(year, month, day)
            stripped = f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}"  # let what is wrong with it be named
        if not _WORDS.search(stripped):
            return Span.parse(stripped)
        return _in_words(stripped)
    except TimeParseError as error:
        problem = str(error).removesuffix(f"; accepted: {error.accepted}")
        raise EpochalError(f"the date under {key!r} cannot be read: {problem}; accepted: {ACCEPTED}") from None


def _in_words(text: str) -> Span:
    from epochal.times.when import resolve

    readings = resolve(text)
    if len({reading.span for reading in readings}) > 1:
        named = ", ".join(dict.fromkeys(reading.text for reading in readings[:4]))
        raise TimeParseError(text, ACCEPTED, f"may be any of several times ({named})")
    return readings[0].span


def _of_number(number: int | float, key: str) -> Span:
    if key == "timestamp" and _FIRST_SECOND <= number <= _LAST_SECOND:
        return Span.at(int(number // 1))
    if isinstance(number, int) and (1000 <= number <= 9999 or 10**7 <= number < 10**8):
        return _of_text(str(number), key)
    raise EpochalError(f"the date under {key!r} is the number {number!r}, which is no date; accepted: {ACCEPTED}")


def _of_numbers(value: Any, key: str) -> Span:
    """A span from the object that `span_value` writes."""
    wanted = "an object with 'start' and 'end' in seconds since 1970 (null for an open end), and names under 'grain'"
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
        raise EpochalError(f"the date under {key!r} {problem}; accepted: {wanted}") from None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
