"""How far two spans lie apart, in the ways and units that measures of time may take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from epochal.times import OPEN_END, OPEN_START, Span
from epochal.times.axis import DAY

__all__ = ["BETWEEN", "UNITS", "distance", "nearest"]

#: Seconds of each unit; years and months are the mean ones of the Gregorian calendar.
UNITS: Final[Mapping[str, float]] = MappingProxyType(
    {"years": 365.2425 * DAY, "months": 365.2425 / 12 * DAY, "days": float(DAY)}
)
#: What is taken for the distance of two spans.
BETWEEN: Final = ("spans", "gaps", "starts", "middles")


def distance(first: Span, second: Span, between: str = "spans") -> float | None:
    """Seconds from the first span to the second, negative where the second is earlier; None where there is no telling.

    `spans`: 0 where they overlap, else how far the shorter would have to move to lie within the longer, at its edge.
    Spans of one length are then as far apart as their starts: a day is one day from the next, not none.
    `gaps`: what lies between them, 0 where they touch. `starts`, `middles`: from point to point, for comparison with
    figures that were made so; the start or the middle of an open span is its known end.

    >>> [distance(Span.year(2004), Span.year(2006), way) / DAY for way in BETWEEN]
    [730.0, 365.0, 731.0, 730.5]
    >>> distance(Span.year(2004), Span.parse("2004-05")), distance(Span.year(2004), Span.year(2003)) / DAY
    (0.0, -365.0)
    """
    if between in ("starts", "middles"):
        here, there = _point(first, between), _point(second, between)
        return None if here is None or there is None else there - here
    if first.overlaps(second):
        return 0.0
    moved = float(first.gap(second))
    if between == "gaps":
        return moved
    shorter = float(min(first.seconds, second.seconds))
    return moved + shorter if second.start > first.start else moved - shorter


def nearest(asked: Iterable[Span], stated: Iterable[Span], between: str = "spans") -> float | None:
    """The distance of the two spans that lie closest, one of each; None where there are none to compare.

    >>> nearest([Span.year(2004)], [Span.year(1998), Span.year(2005)]) / DAY
    365.0
    """
    given = tuple(stated)
    found = [
        between_them for one in asked for other in given if (between_them := distance(one, other, between)) is not None
    ]
    return min(found, key=abs, default=None)


def _point(span: Span, between: str) -> float | None:
    open_start, open_end = span.start == OPEN_START, span.end == OPEN_END
    if open_start and open_end:
        return None
    if open_start:
        return float(span.end)
    if open_end or between == "starts":
        return float(span.start)
    return (span.start + span.end) / 2
