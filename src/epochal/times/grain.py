"""Grain: how finely a time was stated. "2026" has the grain year, "3 May" the grain day."""

from __future__ import annotations

from enum import IntEnum

from epochal.errors import TimeRangeError, UnknownNameError
from epochal.times.axis import DAY, add_months, civil_date, day_number

__all__ = ["Grain"]

_YEAR_SECONDS = 31_556_952  # the mean Gregorian year: 146,097 days / 400


class Grain(IntEnum):
    """The units of stated time, from fine to coarse; comparable and usable as array codes.

    >>> Grain.DAY < Grain.MONTH
    True
    >>> Grain.named("Month")
    Grain.MONTH
    """

    SECOND = 0
    MINUTE = 1
    HOUR = 2
    DAY = 3
    WEEK = 4
    MONTH = 5
    SEASON = 6
    QUARTER = 7
    HALF = 8
    YEAR = 9
    DECADE = 10
    CENTURY = 11
    MILLENNIUM = 12
    ERA = 13

    def __repr__(self) -> str:
        return f"Grain.{self.name}"

    __str__ = __repr__

    @classmethod
    def named(cls, name: str) -> Grain:
        """The grain with that name, in any case.

        >>> Grain.named("year")
        Grain.YEAR
        """
        try:
            return cls[name.upper()]
        except KeyError:
            raise UnknownNameError("grain", name, [grain.name.lower() for grain in cls]) from None

    @property
    def label(self) -> str:
        """The name in lower case, as JSON and the command line write it.

        >>> Grain.DECADE.label
        'decade'
        """
        return self.name.lower()

    @property
    def seconds(self) -> int:
        """The mean length of one unit in seconds; an era counts as ten thousand years.

        >>> Grain.WEEK.seconds
        604800
        """
        return _SECONDS[self]

    @property
    def months(self) -> int:
        """How many months one unit has; 0 for grains that are not made of whole months.

        >>> Grain.QUARTER.months, Grain.CENTURY.months, Grain.WEEK.months
        (3, 1200, 0)
        """
        return _MONTHS.get(self, 0)

    def unit(self, second: int) -> tuple[int, int]:
        """The half-open unit of this grain that holds a second of the axis.

        Weeks start on Monday. Seasons are meteorological (March, June, September, December). Decades, centuries
        and millennia are those that share leading digits, on either side of year 0: 1905 lies in 1900-1999, and
        50 BCE (year -49) in the years -99 to 0, which people call the first century BCE.

        >>> Grain.DAY.unit(100_000)
        (86400, 172800)
        """
        if self <= Grain.WEEK:
            size = _SECONDS[self]
            # 1970-01-01 was a Thursday: Mondays lie four days after a multiple of the week.
            offset = 4 * DAY if self is Grain.WEEK else 0
            start = (second - offset) // size * size + offset
            return start, start + size
        if self is Grain.ERA:
            raise TimeRangeError("an era has no fixed length, so no unit of it can be computed")
        year, month, _ = civil_date(second // DAY)
        if self <= Grain.YEAR:
            size = _MONTHS[self]
            offset = 1 if self is Grain.SEASON else 0
            first = (year * 12 + month - 1 + offset) // size * size - offset
            return _month_start(first), _month_start(first + size)
        size = _MONTHS[self] // 12
        low = year // size * size if year > 0 else -(-year // size * size + size - 1)
        return day_number(low) * DAY, day_number(low + size) * DAY

    def thirds(self, start: int) -> tuple[Grain, int, int]:
        """What "early", "mid" and "late" divide a unit into: the grain of the parts, and the seconds of the two cuts.

        >>> Grain.YEAR.thirds(0)[0], Grain.DECADE.thirds(0)[0]
        (Grain.MONTH, Grain.YEAR)
        """
        if self not in _THIRDS:
            raise TimeRangeError(f"a unit of grain {self.label} has no early, mid or late part")
        part, *cuts = _THIRDS[self]
        if part is Grain.DAY:
            first, second = (start + cut * DAY for cut in cuts)
        else:
            first, second = (add_months(start, cut * part.months) for cut in cuts)
        return part, first, second


def _month_start(months: int) -> int:
    return day_number(months // 12, months % 12 + 1) * DAY


_MONTHS = {
    Grain.MONTH: 1,
    Grain.SEASON: 3,
    Grain.QUARTER: 3,
    Grain.HALF: 6,
    Grain.YEAR: 12,
    Grain.DECADE: 120,
    Grain.CENTURY: 1200,
    Grain.MILLENNIUM: 12_000,
}

_SECONDS = {
    Grain.SECOND: 1,
    Grain.MINUTE: 60,
    Grain.HOUR: 3600,
    Grain.DAY: DAY,
    Grain.WEEK: 7 * DAY,
    Grain.ERA: 10_000 * _YEAR_SECONDS,
} | {grain: months * _YEAR_SECONDS // 12 for grain, months in _MONTHS.items()}

_THIRDS: dict[Grain, tuple[Grain, int, int]] = {
    Grain.MONTH: (Grain.DAY, 10, 20),
    Grain.SEASON: (Grain.MONTH, 1, 2),
    Grain.QUARTER: (Grain.MONTH, 1, 2),
    Grain.HALF: (Grain.MONTH, 2, 4),
    Grain.YEAR: (Grain.MONTH, 4, 8),
    Grain.DECADE: (Grain.YEAR, 3, 7),
    Grain.CENTURY: (Grain.YEAR, 33, 67),
    Grain.MILLENNIUM: (Grain.YEAR, 333, 667),
}
