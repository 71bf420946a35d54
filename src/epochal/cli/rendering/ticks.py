"""The ticks of a time axis: round days, months or years, as many as there is room to name."""

from __future__ import annotations

from typing import Final

from epochal.times.axis import DAY, civil_date, seconds_of
from epochal.times.words import MONTHS, year_words

__all__ = ["ticks"]

_DAYS: Final = (1, 2, 5, 10)
_MONTHS: Final = (1, 2, 3, 6)
_YEARS: Final = tuple(factor * 10**power for power in range(12) for factor in (1, 2, 5))
_GAP: Final = 2


def ticks(start: int, end: int, columns: int) -> list[tuple[int, str]]:
    """Seconds of the axis and what to call them, from the start to before the end; the finest that fit the columns.

    >>> ticks(seconds_of(2002), seconds_of(2026), 72)[:3]
    [(1009843200, '2002'), (1072915200, '2004'), (1136073600, '2006')]
    >>> [label for _, label in ticks(seconds_of(2011, 2), seconds_of(2011, 5), 40)]
    ['Feb 2011', 'Mar 2011', 'Apr 2011']
    """
    for step in _DAYS:
        if found := _fitting(_day_ticks(start, end, step, columns), columns):
            return found
    for step in (*_MONTHS, *(12 * years for years in _YEARS)):
        if found := _fitting(_month_ticks(start, end, step, columns), columns):
            return found
    return []


def _fitting(found: list[tuple[int, str]], columns: int) -> list[tuple[int, str]]:
    return found if sum(len(label) + _GAP for _, label in found) <= columns else []


def _day_ticks(start: int, end: int, step: int, columns: int) -> list[tuple[int, str]]:
    first, last = -(-start // DAY), -(-end // DAY)
    if (last - first) // step > columns:
        return []
    found: list[tuple[int, str]] = []
    for day in range(first, last):
        year, month, number = civil_date(day)
        if (number - 1) % step == 0 and (step == 1 or number <= 28):
            named = f"{number} {MONTHS[month - 1][:3]}"
            found.append((day * DAY, named if found else f"{named} {year_words(year)}"))
    return found


def _month_ticks(start: int, end: int, step: int, columns: int) -> list[tuple[int, str]]:
    year, month, _ = civil_date(start // DAY)
    first = year * 12 + month - 1
    year, month, _ = civil_date((end - 1) // DAY)
    last = year * 12 + month - 1
    if (last - first) // step > columns:
        return []
    found = []
    for place in range(first + -first % step, last + 1, step):
        second = seconds_of(place // 12, place % 12 + 1)
        if start <= second < end:
            found.append((second, _month_label(place) if step % 12 else year_words(place // 12)))
    return found


def _month_label(place: int) -> str:
    return f"{MONTHS[place % 12][:3]} {year_words(place // 12)}"
