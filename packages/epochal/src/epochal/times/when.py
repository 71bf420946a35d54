"""One time expression in any calendar to spans (`resolve`), and spans into every calendar (`render_span`)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from epochal.errors import TimeParseError, TimeRangeError
from epochal.times.axis import DAY, OPEN_END, OPEN_START, Grain
from epochal.times.calendars.base import Calendar, CalendarDate
from epochal.times.calendars.registry import calendar as find_calendar
from epochal.times.calendars.registry import calendars
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.edtf import parse_set
from epochal.times.span import Span
from epochal.times.words import describe_distance, read, read_relative

#: No expression of a time is longer.
MAX_CHARS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Interpretation:
    """One interpretation of an expression: its span, the calendar it was read in, and its date there, if it has one.

    >>> resolve("Meiji 10")[0].span.edtf()
    '1877'
    """

    span: Span
    calendar: str
    date: CalendarDate | None
    text: str


@dataclass(frozen=True, slots=True)
class Rendering:
    """A span as a calendar writes it: the dates that hold its first and its last day, several where eras overlap.

    >>> print(next(render_span(Span.parse("1998-03"), ["hebrew"])))
    from Adar 5758 AM to Nisan 5758 AM
    """

    calendar: str
    first: tuple[str, ...]
    last: tuple[str, ...]

    def __str__(self) -> str:
        if self.first == self.last:
            return " / ".join(self.first)
        return f"from {' / '.join(self.first) or '?'} to {' / '.join(self.last) or '?'}"


def check_length(text: str) -> None:
    """Refuse a text that is longer than any expression of a time: some forms take time that grows with its square."""
    if len(text) > MAX_CHARS:
        raise TimeParseError(
            text, f"up to {MAX_CHARS:,} characters", f"has {len(text):,} characters, more than a time has"
        )


def resolve(
    text: str,
    *,
    calendar: str | None = None,
    now: Span | None = None,
    extra: Iterable[Calendar] = (),
    tz: dt.tzinfo = dt.timezone.utc,
) -> tuple[Interpretation, ...]:
    """Every interpretation of an expression; an error when there is none.

    EDTF, ISO 8601 and plain words come first, then every calendar's own notation; `epochal.resolve` reads catalogue
    dates, feasts, periods and running text too. With `calendar`, only that one is
    tried, and plain numbers are dates of it. `now` allows "last year"; `extra` are calendars that are not registered.

    >>> [reading.span.edtf() for reading in resolve("44 BCE")]
    ['-0043']
    >>> [reading.text for reading in resolve("永和元年")]
    ['東漢永和元年', '東晉永和元年', '後秦永和元年', '閩永和元年', '永和元年']
    """
    check_length(text)
    if calendar is not None and calendar != "gregorian":
        named = {item.name: item for item in extra}.get(calendar) or find_calendar(calendar)
        interpretations = tuple(_read_in_calendar(named, text, bare=True))
        if interpretations:
            return interpretations
        accepted = f"dates of {named.title}, such as {_make_example(named)!r}"
        raise TimeParseError(
            text, accepted, f"is not a date of the calendar {named.name!r}{_find_rejection([named], text)}"
        )
    if interpretations := tuple(_read_gregorian(text, now, tz)):
        return interpretations
    plain = "EDTF (1998-03, 156X, 1984~/2004-06), words (15 March 44 BCE, the 1990s)"
    if calendar is not None:
        raise TimeParseError(text, plain, "is not a date of the calendar 'gregorian'")
    candidates = [*calendars().values(), *extra]
    interpretations = tuple(reading for item in candidates for reading in _read_in_calendar(item, text, bare=False))
    if interpretations:
        return interpretations
    accepted = f"{plain} and dates of any calendar that `epochal calendars` lists"
    raise TimeParseError(text, accepted, f"is not a time in any calendar{_find_rejection(candidates, text)}")


def render_span(span: Span, names: Iterable[str] | None = None, extra: Iterable[Calendar] = ()) -> Iterator[Rendering]:
    """The span in other calendars: those named, or all that cover it, except the civil calendars of places.

    >>> [str(item) for item in render_span(Span.day(1794, 7, 23), ["french_republican", "julian"])]
    ['5 Thermidor II', '12 July 1794 (Julian)']
    """
    available = calendars() | {item.name: item for item in extra}
    selected = (
        [find_calendar(name) if name not in available else available[name] for name in names]
        if names is not None
        else [item for name, item in available.items() if not name.startswith("civil/")]
    )
    grain = Grain.YEAR if span.coarsest_grain >= Grain.YEAR else span.coarsest_grain
    grain = Grain.MONTH if Grain.DAY < grain < Grain.YEAR else min(grain, Grain.YEAR)
    whole = max(grain, Grain.DAY)
    is_whole = whole < Grain.YEAR or span.is_open or _is_made_of(span, whole)
    for item in selected:
        grain = whole if is_whole or _has_edges(item, span, whole) else Grain.DAY
        first = _format_dates(item, span.start // DAY, grain) if span.start != OPEN_START else ()
        last = _format_dates(item, (span.end - 1) // DAY, grain) if span.end != OPEN_END else ()
        if first or last:
            yield Rendering(item.name, first, last)


def _is_made_of(span: Span, grain: Grain) -> bool:
    """Whether a span begins and ends with units of the civil calendar."""
    return grain.unit(span.start)[0] == span.start and grain.unit(span.end - 1)[1] == span.end


def _has_edges(item: Calendar, span: Span, grain: Grain) -> bool:
    """Whether a span begins and ends with units of a calendar."""
    firsts = [item.span(date).start for date in item.dates(span.start // DAY, grain)]
    lasts = [item.span(date).end for date in item.dates((span.end - 1) // DAY, grain)]
    return span.start in firsts and span.end in lasts


def _format_dates(item: Calendar, day: int, grain: Grain) -> tuple[str, ...]:
    return tuple(item.format(date) for date in item.dates(day, grain))


def _read_gregorian(text: str, now: Span | None, tz: dt.tzinfo) -> Iterator[Interpretation]:
    try:
        members = parse_set(text, tz=tz).intervals
    except TimeParseError:
        interval = read(text) or (read_relative(text, now) if now is not None else None)
        members = () if interval is None else (interval,)
    for interval in members:
        span = Span.of(interval)
        yield Interpretation(span, "gregorian", None, span.describe())


def _read_in_calendar(item: Calendar, text: str, *, bare: bool) -> Iterator[Interpretation]:
    for date in item.parse(text, bare=bare):
        yield Interpretation(item.span(date), item.name, date, item.format(date))


def _find_rejection(candidates: Iterable[Calendar], text: str) -> str:
    """Why a calendar that knows the name in a text rejects the rest of it."""
    for item in candidates:
        if isinstance(item, RegnalCalendar) and (problem := item.problem(text)):
            return f" ({problem})"
    return ""


def _make_example(item: Calendar) -> str:
    day = max(item.coverage.start // DAY, min(0, (item.coverage.end - 1) // DAY))
    dates = item.dates(day)
    return item.format(dates[0]) if dates else item.name


def interpretation_to_dict(
    interpretation: Interpretation, now: Span, names: Sequence[str] | None = None, extra: Sequence[Calendar] = ()
) -> dict[str, Any]:
    """An interpretation as JSON; the keys are documented in docs/reference/json.md.

    `names` are the calendars to render it in, all unless given; `extra` are calendars that are not registered.
    """
    span, date = interpretation.span, interpretation.date
    first, last = format_day_bounds(span)
    return {
        "calendar": interpretation.calendar,
        "text": interpretation.text,
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
        "distance": describe_distance(span, now),
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
        "ordinal": find_ordinal(interpretation, extra),
        "in": {
            item.calendar: {"first": list(item.first), "last": list(item.last)}
            for item in render_span(span, names, extra)
        },
    }


def find_ordinal(interpretation: Interpretation, extra: Sequence[Calendar] = ()) -> dict[str, Any] | None:
    """The key and index of a month in a calendar with an ordinal axis; None for any other interpretation."""
    item = ({other.name: other for other in extra} | calendars()).get(interpretation.calendar)
    if not isinstance(item, RegnalCalendar) or not item.table.ordinal or interpretation.date is None:
        return None
    try:
        return {"key": item.key(interpretation.date), "place": item.ordinal(interpretation.date)}
    except TimeRangeError:
        return None  # years and seasons, and the two years that the axis leaves out, have no key


def format_day_bounds(span: Span) -> tuple[str | None, str | None]:
    """The days that a span begins and ends with, as EDTF; None for an open end."""
    first = None if span.start == OPEN_START else Span.unit(span.start, Grain.DAY).edtf()
    last = None if span.end == OPEN_END else Span.unit(span.end - 1, Grain.DAY).edtf()
    return first, last
