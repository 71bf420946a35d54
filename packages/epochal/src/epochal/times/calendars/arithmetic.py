"""Calendars with rules that can be computed, resting on the package `convertdate`.

Of `convertdate` only the first days of years are used, and they are kept once computed; the months follow from the
length of the year. So each day has exactly one date, and months and years are exactly their days. `convertdate` is
imported on first use.

    hebrew             AM 1 to 9999      months are numbered from Nisan, years start with Tishri (7); in leap years
                                         month 12 is Adar I and 13 Adar II
    islamic            AH 1 to 9999      tabular, leap years 2, 5, 7, 10, 13, 16, 18, 21, 24, 26, 29 of 30; days begin
                                         at midnight, and observed months can differ by a day or two
    persian            SH 1 to 2377      new year by the equinox at 52.5° east; official in Iran since SH 1304
    french_republican  an I to MCCVIII   new year on the day of the autumn equinox (at Greenwich, as `convertdate`
                                         computes it by default), which gives the years I to XIV as they were kept
    indian_civil       Saka 1 to 9999    proleptic before its introduction in Saka 1879 (1957)
    coptic             1 to 9999         Era of the Martyrs
    ethiopian          1 to 9999         the Coptic year, counted from 8 CE
    armenian           1 to 9999         the moveable year of 365 days, without the reform of 1084
    bahai              BE 1 to 1156      new year by the equinox at Tehran for all years; until BE 171, western
                                         communities kept 21 March. The days between months 18 and 20 are month 19
    positivist         1 to 9999         months of 28 days; the one or two days after month 13 are month 14
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from math import floor
from typing import NamedTuple

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.times.axis import DAY, Grain
from epochal.times.calendars.arithmetic_tables import ROWS, CalendarRow
from epochal.times.calendars.base import Calendar, CalendarDate, keep_valid, make_date, normalise_name
from epochal.times.calendars.gregorian import numeric_date
from epochal.times.calendars.mayan import MayanCalendar
from epochal.times.numerals import from_roman, is_roman, to_roman
from epochal.times.span import Span

_JULIAN_DAY_OF_1970 = 2_440_587.5
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|[eè]me|e)?"
_NAME = r"(?P<name>[^\d,()]+?)"
_ARABIC = r"(?:year )?(?P<year>\d{1,6})"
_ROMAN = (
    r"(?P<an>(?:l['’]an|an|year) )?(?P<year>\d{1,4}|[IVXLCDM]+)"
    r"(?: de la r[ée]publique(?: fran[çc]aise)?| of the (?:french )?republic)?"
)


class _Year(NamedTuple):
    start: int
    end: int
    months: dict[int, tuple[int, int]]
    """Month number to its first day and the day after its last, in the order of the year."""


@lru_cache(maxsize=4096)
def _get_new_year(row: CalendarRow, year: int) -> int:
    return floor(row.new_year(year) - _JULIAN_DAY_OF_1970)


@lru_cache(maxsize=4096)
def _build_year(row: CalendarRow, year: int) -> _Year:
    start, end = _get_new_year(row, year), _get_new_year(row, year + 1)
    months, day = {}, start
    for number, length in row.shape(end - start):
        months[number] = (day, day + length)
        day += length
    return _Year(start, end, months)


@cache
def _map_month_numbers(row: CalendarRow) -> dict[str, tuple[int, ...]]:
    """Folded name to the months that bear it."""
    month_numbers: dict[str, tuple[int, ...]] = {}
    for number, spellings in (*enumerate(row.months, 1), *row.leap_year_names):
        for spelling in spellings.split("|"):
            folded = normalise_name(spelling)
            month_numbers[folded] = tuple(dict.fromkeys((*month_numbers.get(folded, ()), number)))
    return month_numbers


@cache
def _list_leap_year_names(row: CalendarRow) -> frozenset[str]:
    return frozenset(normalise_name(name) for _, spellings in row.leap_year_names for name in spellings.split("|"))


@cache
def _compile_forms(row: CalendarRow) -> tuple[re.Pattern[str], ...]:
    year = _ROMAN if row.is_roman else _ARABIC
    forms = (
        rf"(?:the |le )?{_DAY}(?: of)? {_NAME},? {year}",
        rf"{_NAME} {_DAY},? {year}",
        rf"{_NAME}(?:,| of)? {year}",
        year,
    )
    return tuple(lazy_regex(form, re.IGNORECASE) for form in forms)


@cache
def _compile_marks(row: CalendarRow) -> tuple[re.Pattern[str], ...]:
    """Patterns of a text with a strong mark after or before the year, then of one with a weak mark."""
    if row.is_roman:
        return ()
    adjective = rf"(?i:{re.escape(row.adjective)}(?: calendar)?)"
    strong = "|".join(map(_mark, (row.mark.strip("()"), *row.marks)))
    weak = "|".join(map(_mark, row.weak_marks))
    return (
        lazy_regex(rf"(?P<body>.+?),?(?:\s?[(\[](?:{strong}|{adjective})[)\]]|(?:(?<=\d)|\s)(?:{strong}))"),
        lazy_regex(rf"(?P<front>.*?)(?:{strong})\s(?P<body>\d+)"),
        *((lazy_regex(rf"(?P<body>.+?),?\s?(?:{weak})"),) if weak else ()),
    )


def _mark(mark: str) -> str:
    return r"\.?\s?".join(mark) + r"\.?" if mark.isupper() else rf"(?i:{re.escape(mark)})"


class _Reading(NamedTuple):
    """What is left of a text without its mark, and what the mark is worth: 2 strong, 1 weak, 0 there is none."""

    body: str
    worth: int
    is_before_year: bool = False


def _take_mark(row: CalendarRow, text: str) -> _Reading:
    for number, pattern in enumerate(_compile_marks(row)):
        if match := pattern.fullmatch(text):
            front = match.groupdict().get("front") or ""
            return _Reading(front + match["body"], 1 if number == 2 else 2, number == 1)
    return _Reading(text, 0)


@dataclass(frozen=True, slots=True)
class ArithmeticCalendar:
    """One of the calendars above, made of its row."""

    row: CalendarRow

    @property
    def name(self) -> str:
        """The name of the row."""
        return self.row.name

    @property
    def title(self) -> str:
        """The title of the row."""
        return self.row.title

    @property
    def coverage(self) -> Span:
        """From the first day of year 1 to the last day of the last year."""
        start, end = _get_new_year(self.row, 1), _get_new_year(self.row, self.row.last_year + 1)
        return Span(start * DAY, end * DAY, Grain.YEAR)

    def parse(self, text: str, *, bare: bool = False) -> tuple[CalendarDate, ...]:
        """Dates with the name of a month or the mark of the era; with `bare`, in numbers and unmarked ones too.

        Months are read in many spellings, with or without accents. In a Hebrew leap year "Adar" names both Adars.
        """
        if not self.row.is_roman and not any(map(str.isdecimal, text)):
            return ()  # every form has a year
        reading = _take_mark(self.row, " ".join(text.split()))
        return keep_valid(self, *self._list_candidates(reading, bare))

    def format(self, date: CalendarDate) -> str:
        """The date in words, marked with its era; French years are Roman numerals."""
        self.span(date)
        row = self.row
        year = to_roman(date.year) if row.is_roman else str(date.year)
        if date.month is None:
            is_marked_before = row.is_roman or date.year < row.first_plain_year
            return f"{row.mark} {year}" if is_marked_before else f"{year} {row.mark}"
        words = f"{self._get_month_name(date.year, date.month)} {year}"
        words = words if date.day is None else f"{date.day} {words}"
        return words if row.is_roman else f"{words} {row.mark}"

    def span(self, date: CalendarDate) -> Span:
        """The year, month or day."""
        row = self.row
        calendar = f"the {row.adjective} calendar"
        if not 1 <= date.year <= row.last_year:
            raise TimeRangeError(f"year {date.year} lies outside {calendar}, which covers 1 to {row.last_year}")
        year = _build_year(row, date.year)
        if date.month is None:
            return Span(year.start * DAY, year.end * DAY, Grain.YEAR)
        if date.month not in year.months:
            accepted = f"its months are 1 to {len(year.months)}"
            raise TimeRangeError(f"there is no month {date.month} in year {date.year} of {calendar}, {accepted}")
        start, end = year.months[date.month]
        if date.day is None:
            return Span(start * DAY, end * DAY, Grain.MONTH)
        if not 1 <= date.day <= end - start:
            month = f"{self._get_month_name(date.year, date.month)} {date.year}"
            raise TimeRangeError(
                f"there is no day {date.day} in {month} of {calendar}, its days are 1 to {end - start}"
            )
        return Span((start + date.day - 1) * DAY, (start + date.day) * DAY, Grain.DAY)

    def dates(self, day: int, grain: Grain = Grain.DAY) -> tuple[CalendarDate, ...]:
        """The one date that holds the day; none before year 1 or after the last year."""
        first, end = _get_new_year(self.row, 1), _get_new_year(self.row, self.row.last_year + 1)
        if not first <= day < end:
            return ()
        number = 1 + (day - first) * self.row.last_year // (end - first)
        while day < _get_new_year(self.row, number):
            number -= 1
        while day >= _get_new_year(self.row, number + 1):
            number += 1
        months = _build_year(self.row, number).months
        month = next(month for month, (start, stop) in months.items() if start <= day < stop)
        return (make_date(self.name, (number, month, day - months[month][0] + 1), grain),)

    def _get_month_name(self, year: int, month: int) -> str:
        spellings = self.row.months[month - 1]
        if len(_build_year(self.row, year).months) == len(self.row.months):
            spellings = dict(self.row.leap_year_names).get(month, spellings)
        return spellings.split("|")[0]

    def _list_candidates(self, reading: _Reading, bare: bool) -> Iterator[CalendarDate]:
        """The dates that a text may name, not yet checked."""
        row, is_marked = self.row, reading.worth == 2
        for form in _compile_forms(row):
            match = form.fullmatch(reading.body)
            if match is None:
                continue
            parts = match.groupdict()
            year = _parse_number(parts["year"])
            if year is None or not 1 <= year <= row.last_year:
                continue
            if "name" in parts:
                if is_marked or bare or not row.needs_mark:
                    day = int(parts["day"]) if "day" in parts else None
                    yield from (
                        CalendarDate(row.name, year, month, day) for month in self._find_months(year, parts["name"])
                    )
            elif row.is_roman:
                if (bare and parts["year"].isdecimal()) or _is_year_word(parts["an"], parts["year"]):
                    yield CalendarDate(row.name, year)
                return
            elif bare or (is_marked and (reading.is_before_year or year >= row.first_plain_year)):
                yield CalendarDate(row.name, year)
                return
        numbers = numeric_date(reading.body) if bare or is_marked else None
        if numbers is not None and numbers[1] is not None:
            yield CalendarDate(row.name, *numbers)

    def _find_months(self, year: int, name: str) -> tuple[int, ...]:
        folded = normalise_name(name)
        months = _build_year(self.row, year).months
        if folded in _list_leap_year_names(self.row) and len(months) < len(self.row.months):
            return ()
        return tuple(number for number in _map_month_numbers(self.row).get(folded, ()) if number in months)


def _parse_number(text: str) -> int | None:
    if text.isdecimal():
        return int(text)
    return from_roman(text.upper()) if is_roman(text.upper()) else None


def _is_year_word(word: str | None, year: str) -> bool:
    """Whether "an" or "year" makes a number a Republican year: "an 2", "an II" and "Year II" do, "year 2" does not."""
    if word is None or year.upper() != year:
        return False
    return not (word.lower().startswith("year") and year.isdecimal())


def load_arithmetic_calendars() -> Iterator[Calendar]:
    """All of them, and the Maya long count."""
    for row in ROWS:
        yield ArithmeticCalendar(row)
    yield MayanCalendar()
