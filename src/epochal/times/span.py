"""Span: an interval of time that reads and writes text."""

from __future__ import annotations

import datetime as dt
from typing import Any

from epochal.errors import TimeParseError
from epochal.times.allen import Allen, relation
from epochal.times.edtf import format_edtf, parse_edtf
from epochal.times.interval import Interval
from epochal.times.values import value_bounds
from epochal.times.words import describe

__all__ = ["Span"]

_FIELDS = ("start", "end", "grain", "end_grain", "certainty", "end_certainty")


class Span(Interval):
    """A half-open stretch `[start, end)` of the axis, never empty.

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
        """A span from what people have at hand: text, a date, a datetime, a numpy datetime64, an interval or a span.

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
        return cls(*value_bounds(value, tz))

    @classmethod
    def _wrap(cls, interval: Interval) -> Span:
        """The interval as a span; its fields are checked already."""
        span = cls.__new__(cls)
        for name in _FIELDS:
            object.__setattr__(span, name, getattr(interval, name))
        return span

    def relation(self, other: Interval) -> Allen:
        """Which of Allen's thirteen relations this span has to the other.

        >>> Span.year(2004).relation(Span.year(2005))
        Allen.MEETS
        """
        return relation(self, other)

    def edtf(self) -> str:
        """EDTF text (ISO 8601 for times of day and weeks).

        Ends that do not lie on the edge of a Gregorian unit of their grain, as those of a lunar month, are written
        in the finest grain that they need; then the text states the same stretch in a finer grain.

        >>> Span.parse("2004-06-11%").edtf()
        '2004-06-11%'
        """
        return format_edtf(self)

    def describe(self) -> str:
        """Words for people.

        >>> Span.month(-721, 3).describe(), Span.parse("199X").describe(), Span.year(2004).part("early").describe()
        ('March 722 BCE', 'the 1990s', 'early 2004')
        """
        return describe(self)

    def __str__(self) -> str:
        return self.edtf()

    def __repr__(self) -> str:
        text = self.edtf()
        try:
            if parse_edtf(text) == self:
                return f"Span.parse({text!r})"
        except TimeParseError:
            pass  # two unknown ends, or years at the very rim of the axis, which EDTF cannot state
        return super().__repr__()
