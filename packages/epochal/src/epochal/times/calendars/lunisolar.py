"""Lunisolar years as they were kept: the first day of every month from 246 BCE to 2100, for China and Japan.

The months come from `tables/lunisolar.txt`. A *stream* is one line of official calendars; states that kept calendars
of their own at the same time have streams of their own.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from epochal.errors import TimeRangeError
from epochal.tables import read_text

_LENGTHS = {"0": 29, "1": 30, "a": 28, "b": 31}


class LunarMonth(NamedTuple):
    """A month: its number, whether it is intercalary, its first day (from 1970-01-01) and its length in days."""

    number: int
    leap: bool
    first: int
    length: int


@dataclass(frozen=True, slots=True)
class LunisolarStream:
    """The years of one stream."""

    rows: dict[int, str]
    years: tuple[int, ...]
    first_days: tuple[int, ...]

    def __contains__(self, year: int) -> bool:
        return year in self.rows

    def months(self, year: int) -> tuple[LunarMonth, ...]:
        """The months of the year that begins in, or just before, an astronomical year."""
        if year not in self.rows:
            raise TimeRangeError(f"the months of the lunisolar year {year} are not known")
        first_day, leap, lengths, *named = self.rows[year].split()
        if named:
            labels = [(int(label.rstrip("L")), label.endswith("L")) for label in named[0].split(",")]
        else:
            labels = [(number, False) for number in range(1, 13)]
            if int(leap):
                labels.insert(int(leap), (int(leap), True))
        months, day = [], int(first_day)
        for (number, is_leap), code in zip(labels, lengths, strict=True):
            months.append(LunarMonth(number, is_leap, day, _LENGTHS[code]))
            day += _LENGTHS[code]
        return tuple(months)

    def get_year(self, day: int) -> int | None:
        """The year that holds a day; None where the stream has no year."""
        position = bisect_right(self.first_days, day) - 1
        if position < 0:
            return None
        year = self.years[position]
        last = self.months(year)[-1]
        return year if day < last.first + last.length else None


@cache
def _load_streams() -> dict[int, LunisolarStream]:
    rows: dict[int, dict[int, str]] = {}
    for line in read_text("lunisolar.txt", __package__).splitlines():
        if line and not line.startswith("#"):
            number, year, rest = line.split(maxsplit=2)
            rows.setdefault(int(number), {})[int(year)] = rest
    return {
        number: LunisolarStream(years, tuple(years), tuple(int(rest.split()[0]) for rest in years.values()))
        for number, years in rows.items()
    }


def stream(number: int) -> LunisolarStream:
    """The stream of a number."""
    streams = _load_streams()
    if number not in streams:
        raise TimeRangeError(f"there is no lunisolar stream {number}; known: {', '.join(map(str, streams))}")
    return streams[number]
