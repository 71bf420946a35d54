"""Readings as JSON has them: what the command line and the service tell of one expression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epochal.errors import TimeRangeError
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.calendars.base import Calendar
from epochal.times.calendars.registry import calendars
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.grain import Grain
from epochal.times.relative import distance
from epochal.times.span import Span
from epochal.times.when import Reading, renderings

__all__ = ["first_and_last_day", "ordinal_of", "reading_record"]


def reading_record(
    reading: Reading, now: Span, names: Sequence[str] | None = None, extra: Sequence[Calendar] = ()
) -> dict[str, Any]:
    """A reading as JSON has it; the keys are documented in docs/reference/json.md.

    `names` are the calendars that it is told in, all of them unless given; `extra` are calendars of one's own.

    >>> from epochal.times import resolve
    >>> record = reading_record(resolve("Meiji 10")[0], Span.year(2026), ["gregorian"])
    >>> record["edtf"], record["calendar"], record["date"]["year"], record["in"]["gregorian"]["first"]
    ('1877', 'nengo', 10, ['1877'])
    """
    span, date = reading.span, reading.date
    first, last = first_and_last_day(span)
    return {
        "calendar": reading.calendar,
        "text": reading.text,
        "words": span.describe(),
        "edtf": span.edtf(),
        "start": None if span.start == OPEN_START else span.start,
        "end": None if span.end == OPEN_END else span.end,
        "first_day": first,
        "last_day": last,
        "first_year": span.first_year,
        "last_year": span.last_year,
        "grain": span.grain.label,
        "end_grain": span.end_grain.label,
        "certainty": span.certainty.label,
        "end_certainty": span.end_certainty.label,
        "distance": distance(span, now),
        "date": None
        if date is None
        else {
            "era": date.era,
            "year": date.year,
            "season": date.season or None,
            "month": date.month,
            "leap": date.leap,
            "day": date.day,
            "sexagenary": date.sexagenary or None,
        },
        "ordinal": ordinal_of(reading, extra),
        "in": {
            item.calendar: {"first": list(item.first), "last": list(item.last)}
            for item in renderings(span, names, extra)
        },
    }


def ordinal_of(reading: Reading, extra: Sequence[Calendar] = ()) -> dict[str, Any] | None:
    """The key and place of a month in a calendar that has an ordinal axis; None for any other reading.

    >>> from epochal.times import resolve
    >>> ordinal_of(resolve("魯隱公元年十二月")[0])["place"]
    11
    """
    item = ({other.name: other for other in extra} | calendars()).get(reading.calendar)
    if not isinstance(item, RegnalCalendar) or not item.table.ordinal or reading.date is None:
        return None
    try:
        return {"key": item.key(reading.date), "place": item.ordinal(reading.date)}
    except TimeRangeError:
        return None  # years and seasons, and the two years that the axis leaves out, have no key


def first_and_last_day(span: Span) -> tuple[str | None, str | None]:
    """The days that a span begins and ends with, as EDTF; None for an open end.

    >>> first_and_last_day(Span.parse("1998-02"))
    ('1998-02-01', '1998-02-28')
    """
    first = None if span.start == OPEN_START else Span.unit(span.start, Grain.DAY).edtf()
    last = None if span.end == OPEN_END else Span.unit(span.end - 1, Grain.DAY).edtf()
    return first, last
