"""Span, the public interval type, and the clocks: the only module that reads the wall clock.

Everything below the outermost call takes `now` as an argument.
"""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import dataclass
from typing import Any, Protocol

from epochal.errors import TimeParseError
from epochal.times.axis import DAY, Grain, day_number, to_seconds
from epochal.times.edtf import format_edtf, get_zone_offset, parse_edtf
from epochal.times.interval import Allen, Interval, relation
from epochal.times.words import describe

_NUMPY_MONTHS = {"Y": Grain.YEAR, "M": Grain.MONTH}
_NUMPY_SECONDS = {"W": Grain.WEEK, "D": Grain.DAY, "h": Grain.HOUR, "m": Grain.MINUTE, "s": Grain.SECOND}
_NUMPY_TICKS = {"ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}


def get_value_bounds(value: Any, tz: dt.tzinfo = dt.timezone.utc) -> tuple[int, int, Grain]:
    """Start, end and grain of a value that is neither text nor a span; see `Span.of`."""
    if isinstance(value, dt.datetime):
        second = _to_utc_seconds(value if value.tzinfo else value.replace(tzinfo=tz))
        return second, second + 1, Grain.SECOND
    if isinstance(value, dt.date):
        today = day_number(value.year, value.month, value.day)
        return _get_local_midnight(today, tz), _get_local_midnight(today + 1, tz), Grain.DAY
    if type(value).__name__ == "datetime64":
        return _get_datetime64_bounds(value)
    raise TimeParseError(
        repr(value), "a text, date, datetime, datetime64 or Span", f"of type {type(value).__name__} is not a time"
    )


def _to_utc_seconds(moment: dt.datetime) -> int:
    return (moment - dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)) // dt.timedelta(seconds=1)


def _get_local_midnight(day: int, tz: dt.tzinfo) -> int:
    return day * DAY - get_zone_offset(day * DAY, tz)


def _get_datetime64_bounds(value: Any) -> tuple[int, int, Grain]:
    import numpy as np

    if np.isnat(value):
        raise TimeParseError("NaT", "a datetime64 that is a time")
    unit, count = np.datetime_data(value.dtype)
    first = int(value.astype(np.int64)) * count
    last = first + count
    if unit in _NUMPY_MONTHS:
        grain = _NUMPY_MONTHS[unit]
        months = (12 * 1970 + edge * grain.months for edge in (first, last))
        start, end = (to_seconds(month // 12, month % 12 + 1) for month in months)
    elif unit in _NUMPY_SECONDS:
        grain = _NUMPY_SECONDS[unit]
        start, end = first * grain.seconds, last * grain.seconds
    else:
        grain, ticks = Grain.SECOND, _NUMPY_TICKS[unit]
        start, end = first // ticks, -(-last // ticks)
    return start, end, grain


_FIELDS = ("start", "end", "grain", "end_grain", "certainty", "end_certainty")


class Span(Interval):
    """A half-open interval `[start, end)` of the time axis, never empty.

    `grain` and `certainty` belong to the start, `end_grain` and `end_certainty` to the end; left out, the end's
    are the start's. An open end is `OPEN_START` or `OPEN_END`; an open end that is uncertain is an unknown one, and
    no open end is approximate.

    >>> march = Span.parse("1998-03")
    >>> march.days, march.grain
    (31, Grain.MONTH)
    >>> march in Span.year(1998), march.overlaps(Span.parse("1998-03-31/1998-04-02"))
    (True, True)
    >>> print(Span.year(-721).describe())
    722 BCE
    """

    __slots__ = ()

    @classmethod
    def parse(cls, text: str, *, tz: dt.tzinfo = dt.timezone.utc) -> Span:
        """Read ISO 8601 or EDTF (levels 0 to 2). Times of day that state no zone are taken in `tz`.

        >>> Span.parse("1984~/2004-06").describe()
        'from about 1984 to June 2004'
        >>> from epochal.times import Grain
        >>> Span.parse("2004-W05") == Span.parse("2004-01-26/2004-02-01").with_grain(Grain.WEEK)
        True
        """
        return cls._wrap(parse_edtf(text, tz=tz))

    @classmethod
    def of(cls, value: Any, *, tz: dt.tzinfo = dt.timezone.utc) -> Span:
        """A span from text, a date, a datetime, a numpy datetime64, an interval or a span.

        Naive datetimes, and dates, are taken in `tz`; aware datetimes keep their own zone. The grain is that of
        the value: a date is a day, a datetime a second, a `datetime64[M]` a month. A `datetime64` is in UTC, and
        its weeks start on Thursday.

        >>> Span.of(dt.date(2004, 2, 29)).describe()
        '29 February 2004'
        >>> Span.of(dt.datetime(2004, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2)))).edtf()
        '2003-12-31T23:00:00Z'
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, Interval):
            return cls._wrap(value)
        if isinstance(value, str):
            return cls.parse(value, tz=tz)
        return cls(*get_value_bounds(value, tz))

    @classmethod
    def _wrap(cls, interval: Interval) -> Span:
        """The interval as a span; its fields are checked already."""
        span = cls.__new__(cls)
        for name in _FIELDS:
            object.__setattr__(span, name, getattr(interval, name))
        return span

    def __contains__(self, other: object) -> bool:
        """Whether a span, a date, a year or a text lies within this one.

        >>> dt.date(1998, 3, 5) in Span.parse("1998-03"), "1998" in Span.parse("1998-03")
        (True, False)
        """
        if isinstance(other, str | dt.date | int):
            other = Span.year(other) if isinstance(other, int) else Span.of(other)
        return super().__contains__(other)

    def __lt__(self, other: Interval) -> bool:
        """Spans are sorted by their starts, then by their ends; `relation` says whether one is before another."""
        if not isinstance(other, Interval):
            return NotImplemented
        return (self.start, self.end) < (other.start, other.end)

    def relation(self, other: Interval) -> Allen:
        """Which of Allen's thirteen relations this span has to the other.

        >>> Span.year(2004).relation(Span.year(2005))
        Allen.MEETS
        """
        return relation(self, other)

    def edtf(self) -> str:
        """EDTF text (ISO 8601 for times of day and weeks).

        Ends that do not lie on the edge of a Gregorian unit of their grain, as those of a lunar month, are written
        in the finest grain that they need; then the text states the same interval in a finer grain.

        >>> Span.parse("2004-06-11%").edtf()
        '2004-06-11%'
        """
        return format_edtf(self)

    def describe(self) -> str:
        """The span in English words.

        >>> Span.month(-721, 3).describe(), Span.parse("199X").describe(), Span.year(2004).part("early").describe()
        ('March 722 BCE', 'the 1990s', 'early 2004')
        """
        return describe(self)

    def __str__(self) -> str:
        return self.edtf()

    def _repr_html_(self) -> str:
        return f"<span title='{self.edtf()}'>{self.describe()}</span>"

    def __repr__(self) -> str:
        text = self.edtf()
        try:
            if parse_edtf(text) == self:
                return f"Span.parse({text!r})"
        except TimeParseError:
            pass  # two unknown ends, or years at the very rim of the axis, which EDTF cannot state
        return super().__repr__()


class Clock(Protocol):
    """Gives the current time.

    >>> clock: Clock = FixedClock(Span.parse("2026-11-15"))
    >>> clock.now().edtf()
    '2026-11-15'
    """

    def now(self) -> Span:
        """The current time, in the clock's grain."""
        ...


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's clock, to the second.

    >>> SystemClock().now().seconds
    1
    """

    def now(self) -> Span:
        """The present second."""
        return Span.at(int(time.time()))


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that does not move, for tests and for questions about the past.

    >>> FixedClock(Span.year(1999)).now().describe()
    '1999'
    """

    present: Span

    def now(self) -> Span:
        """The time it was set to."""
        return self.present


def stopwatch() -> float:
    """Seconds that pass, from no point in particular: for how long something takes, never for what time it is."""
    return time.perf_counter()
