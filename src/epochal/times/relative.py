"""The few words that name a time by its distance from the present: today, last week, next year."""

from __future__ import annotations

import re

from epochal.errors import TimeRangeError
from epochal.times.axis import OPEN_END
from epochal.times.grain import Grain
from epochal.times.interval import AnyInterval, Interval

__all__ = ["distance", "read_relative"]

_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_UNIT = re.compile(r"(?P<which>this|current|last|previous|next) (?P<grain>[a-z]+)")
_AGO = re.compile(r"(?P<count>\d{1,15}) (?P<grain>[a-z]+?)s? (?P<side>ago|from now)")
_PLURALS = {"centurie": "century", "millennia": "millennium", "halve": "half"}


def read_relative(text: str, now: AnyInterval) -> AnyInterval | None:
    """The interval of a relative expression as of `now`, of the same class; None when the text is none.

    A `now` without end is an error.

    >>> read_relative("last month", Interval.day(2026, 11, 15)) == Interval.month(2026, 10)
    True
    """
    words = re.sub(r"\s+", " ", text.strip().lower())
    # The present is known to its last second: of a day that is `now`, its end is the latest that can be meant.
    moment = now.end - 1
    if words == "now":
        return now
    if words in _DAYS:
        _must_end(now)
        return type(now).unit(moment, Grain.DAY).shift(_DAYS[words])
    if match := _UNIT.fullmatch(words):
        count = {"this": 0, "current": 0, "last": -1, "previous": -1, "next": 1}[match["which"]]
    elif match := _AGO.fullmatch(words):
        count = int(match["count"]) * (-1 if match["side"] == "ago" else 1)
    else:
        return None
    name = _PLURALS.get(match["grain"], match["grain"])
    if name.upper() not in Grain.__members__ or name == "era":
        return None
    _must_end(now)
    return type(now).unit(moment, Grain.named(name)).shift(count)


def _must_end(now: Interval) -> None:
    if now.end == OPEN_END:
        raise TimeRangeError(f"the present, {now}, has no end, so nothing can be counted from it")


def distance(span: Interval, now: Interval) -> str:
    """How far a span lies from the present, in words.

    >>> today = Interval.day(2026, 11, 15)
    >>> distance(Interval.year(2020), today), distance(Interval.year(2026), today)
    ('5 years ago', 'now')
    """
    gap = now.gap(span)
    if gap == 0 and span.overlaps(now):
        return "now"
    if gap == 0:
        return "just before now" if span.end <= now.start else "just after now"
    size = abs(gap)
    for grain in (Grain.YEAR, Grain.MONTH, Grain.DAY, Grain.HOUR, Grain.MINUTE, Grain.SECOND):
        count = size // grain.seconds
        if count or grain is Grain.SECOND:
            break
    words = f"{count:,} {grain.label}{'' if count == 1 else 's'}"
    return f"{words} ago" if gap < 0 else f"in {words}"
