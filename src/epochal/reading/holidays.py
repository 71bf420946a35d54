"""The days of holidays: fixed dates, the nth weekday of a month, and Easter."""

from __future__ import annotations

from epochal.times.axis import day_number, weekday

__all__ = ["easter", "holiday_day", "nth_weekday"]


def easter(year: int) -> int:
    """The day number of Easter Sunday in the Gregorian calendar (the anonymous computus).

    >>> from epochal.times.axis import civil_date
    >>> civil_date(easter(2000))
    (2000, 4, 23)
    """
    century, golden = divmod(year, 100)[0], year % 19
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (year % 100 // 4) - moon - year % 100 % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return day_number(year, month, day + 1)


def nth_weekday(year: int, month: int, number: int, nth: int) -> int:
    """The day number of the nth weekday (Monday 1) of a month; the last one for nth -1.

    >>> from epochal.times.axis import civil_date
    >>> civil_date(nth_weekday(1999, 11, 4, 4))
    (1999, 11, 25)
    """
    if nth > 0:
        first = day_number(year, month)
        return first + (number - weekday(first)) % 7 + 7 * (nth - 1)
    last = day_number(year, month + 1) - 1
    return last - (weekday(last) - number) % 7


def holiday_day(rule: tuple[int, int] | str, year: int) -> int | None:
    """The day number of a holiday in a year; None when its rule is not known here.

    >>> from epochal.times.axis import civil_date
    >>> civil_date(holiday_day("thanksgiving", 1999)), holiday_day("ramadan", 1999)
    ((1999, 11, 25), None)
    """
    if isinstance(rule, tuple):
        return day_number(year, *rule)
    if rule == "easter":
        return easter(year)
    if rule == "thanksgiving":
        return nth_weekday(year, 11, 4, 4)
    return None
