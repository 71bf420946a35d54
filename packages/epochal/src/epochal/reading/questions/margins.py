"""Margins: lengths of time, and the spans of such a length before, after, around and inside another span.

Years and months are counted in the calendar of the span: in lunar months where it starts and ends with lunar months.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from epochal.errors import TimeRangeError
from epochal.times.axis import DAY, Certainty, Grain, add_months
from epochal.times.calendars.lunisolar import LunarMonth, LunisolarStream, stream
from epochal.times.span import Span

__all__ = [
    "Margin",
    "after",
    "around",
    "before",
    "first_part",
    "from_start",
    "get_adjacent_unit",
    "last_part",
    "shift_away",
    "to_end",
]

#: The grain of the ends of a window, where it is not that of the unit: weeks are counted in days.
_STATED = {
    Grain.WEEK: Grain.DAY,
    Grain.SEASON: Grain.MONTH,
    Grain.QUARTER: Grain.MONTH,
    Grain.HALF: Grain.MONTH,
    Grain.DECADE: Grain.YEAR,
    Grain.CENTURY: Grain.YEAR,
    Grain.MILLENNIUM: Grain.YEAR,
}
#: The streams of months as China and Japan kept them, the one that lasts the longest first.
_STREAMS = (3, 1, 2, 4)


@dataclass(frozen=True, slots=True)
class Margin:
    """Years, months and seconds; `grain` is that of the ends of such a window."""

    years: int
    months: int
    seconds: int
    grain: Grain
    is_rough: bool = False

    @classmethod
    def of(cls, count: float, grain: Grain, is_rough: bool = False) -> Margin:
        """The length of a count of units; half a month has fifteen days."""
        if not 0 < count <= 10_000:
            raise TimeRangeError(f"a margin has from 0 to 10000 units, but not {count}")
        stated = _STATED.get(grain, grain)
        if not grain.months:
            whole = count == int(count) or grain <= Grain.SECOND
            return cls(0, 0, round(count * grain.seconds), stated if whole else Grain(stated - 1), is_rough)
        months, rest = divmod(count * grain.months, 1)
        seconds = round(rest * 30) * DAY
        years, months = divmod(int(months), 12) if grain >= Grain.YEAR else (0, int(months))
        stated = Grain.DAY if seconds else Grain.MONTH if months else stated
        return cls(years, months, seconds, stated, is_rough)


def before(span: Span, margin: Margin) -> Span:
    """The window that ends where the span starts."""
    return _make_span(_move_edge(span, span.start, margin, -1), span.start, span, margin)


def after(span: Span, margin: Margin) -> Span:
    """The window that starts where the span ends."""
    return _make_span(span.end, _move_edge(span, span.end, margin, 1), span, margin)


def around(span: Span, margin: Margin, later: Margin | None = None) -> Span:
    """From so long before the span to as long, or another while, after it."""
    then = later or margin
    start, end = _move_edge(span, span.start, margin, -1), _move_edge(span, span.end, then, 1)
    return _make_span(start, end, span, min(margin, then, key=lambda item: item.grain))


def from_start(span: Span, margin: Margin) -> Span:
    """The window that starts with the span."""
    return _make_span(span.start, _move_edge(span, span.start, margin, 1), span, margin)


def to_end(span: Span, margin: Margin) -> Span:
    """The window that ends with the span."""
    return _make_span(_move_edge(span, span.end, margin, -1), span.end, span, margin)


def first_part(span: Span, margin: Margin) -> Span | None:
    """The first so much of a span; None where the span is no longer than that."""
    part = from_start(span, margin)
    return part if part.end < span.end else None


def last_part(span: Span, margin: Margin) -> Span | None:
    """The last so much of a span; None where the span is no longer than that."""
    part = to_end(span, margin)
    return part if part.start > span.start else None


def shift_away(span: Span, margin: Margin, sign: int) -> Span:
    """The time that lies so far from a span: as fine as the span, or as the unit where the span has many of them."""
    if 2 * span.seconds > 3 * margin.grain.seconds:
        edge = Span.unit(span.start if sign < 0 else span.end - 1, margin.grain)
        span = edge.with_certainty(span.certainty, span.end_certainty)
    start, end = (_move_edge(span, edge, margin, sign) for edge in (span.start, span.end))
    doubt = Certainty.APPROXIMATE if margin.is_rough else Certainty.CERTAIN
    return replace(
        span, start=start, end=end, certainty=span.certainty | doubt, end_certainty=span.end_certainty | doubt
    )


def get_adjacent_unit(span: Span, grain: Grain, sign: int) -> Span:
    """The unit of a grain that comes before (-1) or after (1) the one that the span lies in."""
    moons = _find_lunar_months(span)
    if moons is None:
        unit = Span.unit(span.start if sign < 0 else span.end - 1, grain).shift(sign)
    else:
        edge = (span.start if sign < 0 else span.end - 1) // DAY
        year = moons.get_year(edge)
        months = moons.months(year) if year is not None else ()
        if grain is Grain.MONTH:
            months = tuple(month for month in months if month.first <= edge < month.first + month.length)
        if not months or grain not in (Grain.MONTH, Grain.YEAR):
            margin = Margin.of(1, grain)
            return before(span, margin) if sign < 0 else after(span, margin)
        whole = Span(months[0].first * DAY, (months[-1].first + months[-1].length) * DAY, grain)
        return (before if sign < 0 else after)(
            whole.with_certainty(span.certainty, span.end_certainty), Margin.of(1, grain)
        )
    return unit.with_certainty(span.certainty, span.end_certainty)


def _make_span(start: int, end: int, span: Span, margin: Margin) -> Span:
    """A window next to a span, with the certainty of the span and the finer of the two grains."""
    grain = min(_STATED.get(span.grain, span.grain), margin.grain)
    doubt = Certainty.APPROXIMATE if margin.is_rough else Certainty.CERTAIN
    return Span(start, end, grain, grain, span.certainty | doubt, span.end_certainty | doubt)


def _move_edge(span: Span, edge: int, margin: Margin, sign: int) -> int:
    """An edge of a span, so far from where it was; months beyond the tables of lunar ones are Gregorian."""
    if margin.years or margin.months:
        moons = _find_lunar_months(span)
        moved = None if moons is None else _move_lunar(moons, edge // DAY, sign * margin.years, sign * margin.months)
        edge = add_months(edge, sign * (12 * margin.years + margin.months)) if moved is None else moved * DAY
    return edge + sign * margin.seconds


def _find_lunar_months(span: Span) -> LunisolarStream | None:
    """The lunar months that a span starts and ends with; None for one that keeps the Gregorian ones, or neither."""
    if span.coarsest_grain < Grain.MONTH or span.start % DAY or span.end % DAY:
        return None
    first, last = span.start // DAY, span.end // DAY
    if all(Grain.MONTH.unit(day * DAY)[0] == day * DAY for day in (first, last)):
        return None
    for number in _STREAMS:
        moons = stream(number)
        if all(_month(moons, day) is not None for day in (first, last)):
            return moons
    return None


def _month(moons: LunisolarStream, day: int) -> tuple[int, LunarMonth] | None:
    """The lunar month that starts on a day, with its year; None where none does."""
    year = moons.get_year(day)
    months = moons.months(year) if year is not None else ()
    return next(((year, month) for month in months if month.first == day and year is not None), None)


def _move_lunar(moons: LunisolarStream, day: int, years: int, months: int) -> int | None:
    """The first day of the lunar month so many years and months on; None where the months are not known.

    Intercalary months count as months; years lead to the month of the same number.
    """
    found = _month(moons, day)
    if found is None or found[0] + years not in moons:
        return None
    year, month = found
    year += years
    if years:
        same = [other for other in moons.months(year) if other.number == month.number]
        month = same[0] if same else moons.months(year)[-1]
    for _ in range(abs(months)):
        near = _month(moons, month.first + month.length) if months > 0 else _month_before(moons, month.first)
        if near is None:
            return None
        month = near[1]
    return month.first


def _month_before(moons: LunisolarStream, day: int) -> tuple[int, LunarMonth] | None:
    year = moons.get_year(day - 1)
    return (
        None
        if year is None
        else next((year, month) for month in moons.months(year) if month.first + month.length == day)
    )
