"""The days of holidays by their keys in the table HOLIDAY of a `words.toml`.

12-25             a day of the year
easter+39         days after (or before) Easter Sunday of the western churches; `orthodox` is that of the eastern
advent-7          days from the first Sunday of Advent
5-7-2             the second Sunday (7) of May; -1 is the last; 11-4-4+1 is the day after the fourth Thursday
islamic 10-1      the first day of the tenth month of the Islamic calendar
lunar 8-15        the fifteenth day of the eighth month of the calendar of China and Korea
"""

from __future__ import annotations

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.reading.events import easter, nth_weekday
from epochal.times.axis import DAY, civil_date, day_number, weekday
from epochal.times.calendars.base import CalendarDate
from epochal.times.calendars.lunisolar import stream
from epochal.times.calendars.registry import calendar

__all__ = ["find_day"]

_MOVABLE = lazy_regex(r"(easter|orthodox|advent)([+-]\d+)?")
_ISLAMIC = lazy_regex(r"islamic (\d{1,2})-(\d{1,2})")
_LUNAR = lazy_regex(r"lunar (\d{1,2})-(\d{1,2})")
#: The stream of the civil lunisolar calendar of China.
_STREAM = 3
#: The years of the Islamic calendar in those of the Gregorian, and the year before its first.
_LUNAR_YEARS, _BEFORE_HIJRA = 1.0307, 621.5
_FIXED = lazy_regex(r"(\d{1,2})-(\d{1,2})(?:-(-?\d)(\+\d)?)?")


def find_day(key: str, year: int) -> int | None:
    """The day number of a holiday in a year; None where its key is not known.

    >>> from epochal.times.axis import civil_date
    >>> civil_date(find_day("easter+39", 2024))
    (2024, 5, 9)
    """
    match = _MOVABLE.fullmatch(key)
    if match is not None:
        base = {"easter": easter, "orthodox": _orthodox_easter, "advent": _advent}[match[1]](year)
        return base + int(match[2] or 0)
    islamic = _ISLAMIC.fullmatch(key)
    if islamic is not None:
        return _find_islamic(year, int(islamic[1]), int(islamic[2]))
    lunar = _LUNAR.fullmatch(key)
    if lunar is not None:
        return _find_lunar(year, int(lunar[1]), int(lunar[2]))
    fixed = _FIXED.fullmatch(key)
    if fixed is None:
        return None
    if fixed[3] is not None:
        return nth_weekday(year, int(fixed[1]), int(fixed[2]), int(fixed[3])) + int(fixed[4] or 0)
    return day_number(year, int(fixed[1]), int(fixed[2]))


def _find_islamic(year: int, month: int, day: int) -> int | None:
    """The first such day of a Gregorian year; None where the year has none."""
    islamic = calendar("islamic")
    near = round((year - _BEFORE_HIJRA) * _LUNAR_YEARS)
    for count in range(near - 2, near + 3):
        if count > 0:
            number = islamic.span(CalendarDate("islamic", count, month, day)).start // DAY
            if civil_date(number)[0] == year:
                return number
    return None


def _find_lunar(year: int, month: int, day: int) -> int | None:
    """Such a day of the lunar year that begins in a Gregorian year; None where the tables do not reach."""
    try:
        months = stream(_STREAM).months(year)
    except TimeRangeError:
        return None
    first = next((item.first for item in months if (item.number, item.leap) == (month, False)), None)
    return None if first is None else first + day - 1


def _advent(year: int) -> int:
    """The fourth Sunday before Christmas Day."""
    eve = day_number(year, 12, 24)
    return eve - weekday(eve) % 7 - 21


def _orthodox_easter(year: int) -> int:
    """Easter Sunday by the Julian calendar, as a day number."""
    moon = (19 * (year % 19) + 15) % 30
    days = moon + (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
    month, day = (days + 114) // 31, (days + 114) % 31 + 1
    return day_number(year, month, day) + year // 100 - year // 400 - 2
