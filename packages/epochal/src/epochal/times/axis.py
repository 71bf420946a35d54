"""The time axis (whole seconds from 1970-01-01T00:00:00 UTC), and the grain and certainty of a stated time.

Dates are proleptic Gregorian and years astronomical: 1 BCE is year 0, 722 BCE is year -721. There are no leap seconds;
every day has 86,400 seconds. A point is an int64. Open ends lie at a quarter of the int64 range, so that the difference
of two points cannot overflow.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from epochal.errors import TimeRangeError, UnknownNameError

DAY: Final = 86_400
OPEN_END: Final = 2**62 - 1
OPEN_START: Final = -OPEN_END
#: Years whose every second lies strictly between the open ends.
FIRST_YEAR: Final = -146_000_000_000
LAST_YEAR: Final = 146_000_000_000

_DAYS_IN_400_YEARS: Final = 146_097
_DAYS_BEFORE_1970: Final = 719_468  # from 0000-03-01
_JDN_OF_1970: Final = 2_440_588
_MONTH_LENGTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_leap_year(year: int) -> bool:
    """Whether an astronomical Gregorian year has 366 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    """The number of days of a Gregorian month."""
    return 29 if month == 2 and is_leap_year(year) else _MONTH_LENGTHS[month - 1]


def day_number(year: int, month: int = 1, day: int = 1) -> int:
    """Days from 1970-01-01 to a Gregorian date, which need not be checked: month 13 is the next January."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    # Count from 1 March, so that the leap day is the last day of its year.
    shifted_year, shifted_month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    cycle, year_of_cycle = divmod(shifted_year, 400)
    day_of_year = (153 * shifted_month + 2) // 5 + day - 1
    day_of_cycle = year_of_cycle * 365 + year_of_cycle // 4 - year_of_cycle // 100 + day_of_year
    return cycle * _DAYS_IN_400_YEARS + day_of_cycle - _DAYS_BEFORE_1970


def civil_date(day: int) -> tuple[int, int, int]:
    """The Gregorian (year, month, day) of a day number; the inverse of `day_number`."""
    cycle, day_of_cycle = divmod(day + _DAYS_BEFORE_1970, _DAYS_IN_400_YEARS)
    year_of_cycle = (day_of_cycle - day_of_cycle // 1460 + day_of_cycle // 36_524 - day_of_cycle // 146_096) // 365
    day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle // 4 - year_of_cycle // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    year = cycle * 400 + year_of_cycle + (month <= 2)
    return year, month, day_of_year - (153 * shifted_month + 2) // 5 + 1


def to_seconds(year: int, month: int = 1, day: int = 1) -> int:
    """The axis second at which a Gregorian day begins."""
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise TimeRangeError(f"year {year} lies outside the axis, which reaches from {FIRST_YEAR} to {LAST_YEAR}")
    return day_number(year, month, day) * DAY


def add_months(second: int, months: int) -> int:
    """The same day of the month and time of day some months on; a day that month lacks becomes its last."""
    day, time_of_day = divmod(second, DAY)
    year, month, day_of_month = civil_date(day)
    first = day_number(year, month + months)
    following = day_number(year, month + months + 1)
    return min(first + day_of_month - 1, following - 1) * DAY + time_of_day


def get_year(second: int) -> int:
    """The astronomical year in which a second of the axis lies."""
    return civil_date(second // DAY)[0]


def weekday(day: int) -> int:
    """The ISO weekday of a day number, Monday 1 to Sunday 7."""
    return (day + 3) % 7 + 1


def julian_day_number(day: int) -> int:
    """The astronomers' Julian day number (at noon) of a day number."""
    return day + _JDN_OF_1970


class Certainty(IntEnum):
    """Certain, approximate (`~`, "circa"), uncertain (`?`, "perhaps"), or both (`%`).

    An approximate end lies near what is stated; an uncertain one may be wrong altogether.

    >>> Certainty.of_mark("~") | Certainty.of_mark("?")
    Certainty.BOTH
    """

    CERTAIN = 0
    APPROXIMATE = 1
    UNCERTAIN = 2
    BOTH = 3

    def __repr__(self) -> str:
        return f"Certainty.{self.name}"

    __str__ = __repr__

    def __or__(self, other: int) -> Certainty:
        return Certainty(int(self) | int(other))

    @property
    def mark(self) -> str:
        """The EDTF qualifier: nothing, `~`, `?` or `%`.

        >>> Certainty.BOTH.mark
        '%'
        """
        return "~?%"[self - 1] if self else ""

    @property
    def label(self) -> str:
        """The name in lower case, as JSON and the command line write it.

        >>> Certainty.APPROXIMATE.label
        'approximate'
        """
        return self.name.lower()

    @property
    def is_approximate(self) -> bool:
        """Whether the end lies only near what is stated.

        >>> Certainty.BOTH.is_approximate, Certainty.UNCERTAIN.is_approximate
        (True, False)
        """
        return bool(self & 1)

    @property
    def is_uncertain(self) -> bool:
        """Whether the end may be wrong altogether.

        >>> Certainty.BOTH.is_uncertain, Certainty.APPROXIMATE.is_uncertain
        (True, False)
        """
        return bool(self & 2)

    @classmethod
    def of_mark(cls, mark: str) -> Certainty:
        """The certainty of an EDTF qualifier.

        >>> Certainty.of_mark("")
        Certainty.CERTAIN
        """
        marks = {"": cls.CERTAIN, "~": cls.APPROXIMATE, "?": cls.UNCERTAIN, "%": cls.BOTH}
        if mark not in marks:
            raise UnknownNameError("certainty mark", mark, [key or "(none)" for key in marks])
        return marks[mark]


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
            return _get_month_start(first), _get_month_start(first + size)
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


def _get_month_start(months: int) -> int:
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
