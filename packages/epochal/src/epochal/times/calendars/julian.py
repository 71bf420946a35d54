"""The Julian calendar, and the calendars of places: Julian until the switch, Gregorian from then on.

Both count astronomical years that start on 1 January, whenever people of the time let their year begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.tables import read_toml
from epochal.times.axis import DAY, Grain, civil_date, day_number, days_in_month
from epochal.times.calendars.base import CalendarDate, keep_valid, make_date, normalise_name
from epochal.times.calendars.gregorian import numeric_date
from epochal.times.span import Span
from epochal.times.words import MONTHS, format_year, read_date

#: The years covered: a round number short of the ends of the axis.
_FIRST: Final = -145_000_000_000
_LAST: Final = 145_000_000_000
_DAYS_IN_4_YEARS: Final = 1461
_DAYS_BEFORE_1970: Final = 719_470  # from 0000-03-01 (Julian) to 1970-01-01 (Gregorian)

_MARK = r"(?:julian(?: calendar)?|o\.?\s?s\.?|old style)"
_MARKED = lazy_regex(rf"(?P<words>.+?),?(?:\s*[(\[]\s*{_MARK}\s*[)\]]|\s{_MARK})", re.IGNORECASE)
_PLACED = lazy_regex(r"(?P<words>.+?),?\s*[(\[](?P<place>.+)[)\]]")
_DUAL = lazy_regex(r"(?<![\d/])(\d{3,4})/(\d{1,4})(?![\d/])")


def from_julian_date(year: int, month: int = 1, day: int = 1) -> int:
    """Days from 1970-01-01 (Gregorian) to a Julian date, which need not be checked: month 13 is the next January."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    shifted_year, shifted_month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    cycle, year_of_cycle = divmod(shifted_year, 4)
    day_of_cycle = year_of_cycle * 365 + (153 * shifted_month + 2) // 5 + day - 1
    return cycle * _DAYS_IN_4_YEARS + day_of_cycle - _DAYS_BEFORE_1970


def to_julian_date(day: int) -> tuple[int, int, int]:
    """The Julian (year, month, day) of a day number; the inverse of `from_julian_date`."""
    cycle, day_of_cycle = divmod(day + _DAYS_BEFORE_1970, _DAYS_IN_4_YEARS)
    year_of_cycle = (day_of_cycle - day_of_cycle // 1460) // 365
    day_of_year = day_of_cycle - 365 * year_of_cycle
    shifted_month = (5 * day_of_year + 2) // 153
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    return cycle * 4 + year_of_cycle + (month <= 2), month, day_of_year - (153 * shifted_month + 2) // 5 + 1


def _count_julian_days(year: int, month: int) -> int:
    # A Julian February has 29 days in every fourth year; the other months are those of any year.
    return 29 if month == 2 and year % 4 == 0 else days_in_month(1, month)


def _format_date(date: CalendarDate) -> str:
    if date.month is None:
        return format_year(date.year)
    words = f"{MONTHS[date.month - 1]} {format_year(date.year)}"
    return words if date.day is None else f"{date.day} {words}"


def _read(text: str) -> tuple[int, int | None, int | None] | None:
    """Words or numbers to year, month and day; a dual year ("10 February 1748/9") counts as its second one."""
    dual = _DUAL.search(text)
    if dual is None:
        return read_date(text) or numeric_date(text)
    year = str(int(dual[1]) + 1)
    date = read_date(text[: dual.start()] + year + text[dual.end() :])
    is_early = date is not None and date[1] is not None and date[1] <= 3
    return date if is_early and year.endswith(dual[2]) else None


def _check_year_and_month(date: CalendarDate, calendar: str) -> None:
    if not _FIRST <= date.year <= _LAST:
        raise TimeRangeError(f"year {date.year} lies outside the {calendar}, which covers {_FIRST} to {_LAST}")
    if date.month is not None and not 1 <= date.month <= 12:
        raise TimeRangeError(f"there is no month {date.month} in the {calendar}, its months are 1 to 12")


@dataclass(frozen=True, slots=True)
class JulianCalendar:
    """Julian calendar, proleptic: every fourth year is a leap year, backwards too, and there is a year 0 (1 BCE)."""

    name: str = "julian"
    title: str = "Julian (proleptic before 45 BCE)"

    @property
    def coverage(self) -> Span:
        """The years -145,000,000,000 to 145,000,000,000."""
        return Span(from_julian_date(_FIRST) * DAY, from_julian_date(_LAST + 1) * DAY, Grain.YEAR)

    def parse(self, text: str, *, bare: bool = False) -> tuple[CalendarDate, ...]:
        """Words or numbers marked "(Julian)", "O.S." or "Old Style"; with `bare`, without the mark too."""
        squeezed = " ".join(text.split())
        marked = _MARKED.fullmatch(squeezed)
        if marked is None and not bare:
            return ()
        result = _read(marked["words"] if marked else squeezed)
        if result is None:
            return ()
        return keep_valid(self, CalendarDate(self.name, *result))

    def format(self, date: CalendarDate) -> str:
        """The date in words, marked."""
        self.span(date)
        return f"{_format_date(date)} (Julian)"

    def span(self, date: CalendarDate) -> Span:
        """The year, month or day."""
        _check_year_and_month(date, "Julian calendar")
        year, month, day = date.year, date.month, date.day
        if month is None:
            return Span(from_julian_date(year) * DAY, from_julian_date(year + 1) * DAY, Grain.YEAR)
        if day is None:
            return Span(from_julian_date(year, month) * DAY, from_julian_date(year, month + 1) * DAY, Grain.MONTH)
        length = _count_julian_days(year, month)
        if not 1 <= day <= length:
            name = f"{MONTHS[month - 1]} {format_year(year)}"
            raise TimeRangeError(f"there is no day {day} in {name} of the Julian calendar, its days are 1 to {length}")
        start = from_julian_date(year, month, day) * DAY
        return Span(start, start + DAY, Grain.DAY)

    def dates(self, day: int, grain: Grain = Grain.DAY) -> tuple[CalendarDate, ...]:
        """The one date that holds the day."""
        julian_date = to_julian_date(day)
        return (make_date(self.name, julian_date, grain),) if _FIRST <= julian_date[0] <= _LAST else ()


@dataclass(frozen=True)
class PlaceCalendar:
    """The civil calendar of a place: Julian up to a day, Gregorian after it; the days between were skipped.

    Years are numbered as today, from 1 January. Where the year once began on another day, `year_start` is its
    month and day and `year_start_until` the last year that did; `dual_year` writes such years in both ways.
    """

    place: str
    aliases: tuple[str, ...]
    last_julian: tuple[int, int, int]
    first_gregorian: tuple[int, int, int]
    year_start: tuple[int, int] | None = None
    year_start_until: int | None = None

    @cached_property
    def name(self) -> str:
        """`civil/` and the place, in plain letters."""
        return "civil/" + re.sub(r"[^\w]+", "-", normalise_name(self.place)).strip("-")

    @cached_property
    def title(self) -> str:
        """What it is, with the last Julian day."""
        year, month, day = self.last_julian
        return f"Civil calendar of {self.place} (Julian until {year}-{month:02d}-{day:02d})"

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(normalise_name(name) for name in (self.place, *self.aliases))

    @cached_property
    def _last_julian_day(self) -> int:
        return from_julian_date(*self.last_julian)

    @cached_property
    def _first_gregorian_day(self) -> int:
        return day_number(*self.first_gregorian)

    @property
    def coverage(self) -> Span:
        """The years -145,000,000,000 to 145,000,000,000, though the place is younger."""
        return Span(from_julian_date(_FIRST) * DAY, day_number(_LAST + 1) * DAY, Grain.YEAR)

    def parse(self, text: str, *, bare: bool = False) -> tuple[CalendarDate, ...]:
        """Words or numbers marked with the place or another name of it; with `bare`, without the mark too."""
        squeezed = " ".join(text.split())
        match = _PLACED.fullmatch(squeezed) if squeezed.endswith((")", "]")) else None
        if match is not None and normalise_name(match["place"]) in self._names:
            squeezed = match["words"]
        elif not bare:
            return ()
        result = _read(squeezed)
        if result is None:
            return ()
        return keep_valid(self, CalendarDate(self.name, *result))

    def format(self, date: CalendarDate) -> str:
        """The date in words, marked with the place."""
        self.span(date)
        return f"{_format_date(date)} ({self.place})"

    def span(self, date: CalendarDate) -> Span:
        """The year, month or day; a month or year cut by the switch has only the days that were lived."""
        _check_year_and_month(date, f"civil calendar of {self.place}")
        first, last = (1, 12) if date.month is None else (date.month, date.month)
        if date.month is None or date.day is None:
            julian = (
                from_julian_date(date.year, first),
                min(from_julian_date(date.year, last + 1), self._last_julian_day + 1),
            )
            civil = max(day_number(date.year, first), self._first_gregorian_day), day_number(date.year, last + 1)
        else:
            julian, civil = (
                self._get_julian_day(date.year, first, date.day),
                self._get_civil_day(date.year, first, date.day),
            )
        lived = [part for part in (julian, civil) if part[0] < part[1]]
        if not lived:
            raise self._make_error(date)
        grain = Grain.YEAR if date.month is None else Grain.MONTH if date.day is None else Grain.DAY
        return Span(lived[0][0] * DAY, lived[-1][1] * DAY, grain)

    def dates(self, day: int, grain: Grain = Grain.DAY) -> tuple[CalendarDate, ...]:
        """The date that holds the day; two where a switch repeated a day, as in Alaska, which crossed the date line."""
        if not self.coverage.start <= day * DAY < self.coverage.end:
            return ()
        julian_date = []
        if day <= self._last_julian_day:
            julian_date.append(make_date(self.name, to_julian_date(day), grain))
        if day >= self._first_gregorian_day:
            julian_date.append(make_date(self.name, civil_date(day), grain))
        return tuple(dict.fromkeys(julian_date))

    def dual_year(self, date: CalendarDate) -> str:
        """The year in both styles for days, and whole months, that then still belonged to the year before.

        Other dates have one year only. The table says until when the old style held, not since when.
        """
        self.span(date)
        plain = format_year(date.year)
        if self.year_start is None or self.year_start_until is None or date.month is None:
            return plain
        last_day = 31 if date.day is None else date.day
        if not 1 < date.year <= self.year_start_until or (date.month, last_day) >= self.year_start:
            return plain
        old, new = str(date.year - 1), str(date.year)
        shared = 0
        while len(old) == len(new) and old[shared] == new[shared]:
            shared += 1
        # A change of the century is written in full: 1699/1700.
        return f"{old}/{new[shared:] if len(new) - shared < 3 else new}"

    def _get_julian_day(self, year: int, month: int, day: int) -> tuple[int, int]:
        """The day as a half-open pair of day numbers, an empty pair when it was not dated so."""
        number = from_julian_date(year, month, day)
        is_real = 1 <= day <= _count_julian_days(year, month) and number <= self._last_julian_day
        return number, number + is_real

    def _get_civil_day(self, year: int, month: int, day: int) -> tuple[int, int]:
        number = day_number(year, month, day)
        is_real = 1 <= day <= days_in_month(year, month) and number >= self._first_gregorian_day
        return number, number + is_real

    def _make_error(self, date: CalendarDate) -> TimeRangeError:
        last, first = (_format_date(CalendarDate(self.name, *day)) for day in (self.last_julian, self.first_gregorian))
        return TimeRangeError(
            f"there is no {_format_date(date)} in the civil calendar of {self.place}, "
            f"which goes from {last} (Julian) straight to {first}"
        )


def load_place_calendars() -> Iterator[PlaceCalendar]:
    """The calendars of all places in the bundled table of switches."""
    for row in read_toml("julian_switch.toml", __package__, keep_as="julian_switch")["switch"]:
        last, first = (_split_date(row[key]) for key in ("last_julian", "first_gregorian"))
        start = row.get("year_start")
        month_day = None if start is None else (int(start[:2]), int(start[3:]))
        yield PlaceCalendar(
            row["place"], tuple(row.get("aliases", ())), last, first, month_day, row.get("year_start_until")
        )


def _split_date(text: str) -> tuple[int, int, int]:
    year, month, day = map(int, text.split("-"))
    return year, month, day
