"""The one time axis: whole seconds from 1970-01-01T00:00:00 UTC on the proleptic Gregorian calendar.

Years are astronomical: 1 BCE is year 0, 722 BCE is year -721. There are no leap seconds, every day has 86,400
seconds. The axis is an int64 whose outer values are reserved for open ends; they are chosen at a quarter of the
int64 range, so that the difference of any two points on the axis cannot overflow.
"""

from __future__ import annotations

from typing import Final

from epochal.errors import TimeRangeError

__all__ = [
    "DAY",
    "FIRST_YEAR",
    "LAST_YEAR",
    "OPEN_END",
    "OPEN_START",
    "add_months",
    "civil_date",
    "day_number",
    "days_in_month",
    "is_leap_year",
    "julian_day_number",
    "seconds_of",
    "weekday",
    "year_of",
]

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
    """Whether an astronomical Gregorian year has 366 days.

    >>> is_leap_year(0), is_leap_year(1900), is_leap_year(-4)
    (True, False, True)
    """
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    """The number of days of a Gregorian month.

    >>> days_in_month(2024, 2), days_in_month(-1, 2)
    (29, 28)
    """
    return 29 if month == 2 and is_leap_year(year) else _MONTH_LENGTHS[month - 1]


def day_number(year: int, month: int = 1, day: int = 1) -> int:
    """Days from 1970-01-01 to a Gregorian date, which need not be checked: month 13 is the next January.

    >>> day_number(1970), day_number(2000, 3, 1), day_number(-43, 3, 15)
    (0, 11017, -735160)
    """
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    # Count from 1 March, so that the leap day is the last day of its year.
    shifted_year, shifted_month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    cycle, year_of_cycle = divmod(shifted_year, 400)
    day_of_year = (153 * shifted_month + 2) // 5 + day - 1
    day_of_cycle = year_of_cycle * 365 + year_of_cycle // 4 - year_of_cycle // 100 + day_of_year
    return cycle * _DAYS_IN_400_YEARS + day_of_cycle - _DAYS_BEFORE_1970


def civil_date(day: int) -> tuple[int, int, int]:
    """The Gregorian (year, month, day) of a day number; the inverse of `day_number`.

    >>> civil_date(0), civil_date(-735160)
    ((1970, 1, 1), (-43, 3, 15))
    """
    cycle, day_of_cycle = divmod(day + _DAYS_BEFORE_1970, _DAYS_IN_400_YEARS)
    year_of_cycle = (day_of_cycle - day_of_cycle // 1460 + day_of_cycle // 36_524 - day_of_cycle // 146_096) // 365
    day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle // 4 - year_of_cycle // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    year = cycle * 400 + year_of_cycle + (month <= 2)
    return year, month, day_of_year - (153 * shifted_month + 2) // 5 + 1


def seconds_of(year: int, month: int = 1, day: int = 1) -> int:
    """The axis second at which a Gregorian day begins.

    >>> seconds_of(1970, 1, 2)
    86400
    """
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise TimeRangeError(f"year {year} lies outside the axis, which reaches from {FIRST_YEAR} to {LAST_YEAR}")
    return day_number(year, month, day) * DAY


def add_months(second: int, months: int) -> int:
    """The same day of the month and time of day some months on; a day that month lacks becomes its last.

    >>> civil_date(add_months(seconds_of(2004, 1, 31), 1) // DAY)
    (2004, 2, 29)
    """
    day, time_of_day = divmod(second, DAY)
    year, month, day_of_month = civil_date(day)
    first = day_number(year, month + months)
    following = day_number(year, month + months + 1)
    return min(first + day_of_month - 1, following - 1) * DAY + time_of_day


def year_of(second: int) -> int:
    """The astronomical year in which a second of the axis lies.

    >>> year_of(-1), year_of(0)
    (1969, 1970)
    """
    return civil_date(second // DAY)[0]


def weekday(day: int) -> int:
    """The ISO weekday of a day number, Monday 1 to Sunday 7.

    >>> weekday(0)  # 1970-01-01 was a Thursday
    4
    """
    return (day + 3) % 7 + 1


def julian_day_number(day: int) -> int:
    """The astronomers' Julian day number (at noon) of a day number.

    >>> julian_day_number(day_number(2000, 1, 1))
    2451545
    """
    return day + _JDN_OF_1970
