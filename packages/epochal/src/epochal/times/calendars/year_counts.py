"""Calendars that differ from the Gregorian or the Julian one in how they count years.

thai        Buddhist Era (BE): 2567 is 2024; the year has begun on 1 January since 2484, and is taken so throughout
juche       Juche 1 is 1912
holocene    Human Era (HE): 12024 is 2024
auc         from the founding of Rome (Varro): AUC 753 is 1 BCE, in whole years as people equate them
byzantine   from the creation of the world, 1 September 5509 BCE, in Julian years from 1 September
vikram      Vikram Samvat: 2080 is the year from the spring of 2023; its new year is approximate
kali_yuga   elapsed years of the Kali era: 5125 is the year from the spring of 2024; its new year is approximate
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from epochal.errors import TimeRangeError
from epochal.regex import compile_regex
from epochal.times.axis import DAY, Certainty, Grain, civil_date, day_number
from epochal.times.calendars.base import Calendar, CalendarDate, keep_valid, make_date
from epochal.times.calendars.julian import from_julian_date, to_julian_date
from epochal.times.interval import Interval
from epochal.times.span import Span
from epochal.times.words import MONTHS, read_date


@dataclass(frozen=True, slots=True)
class YearCountCalendar:
    """A count of years: `offset` is what a year is ahead of the astronomical one that it begins in.

    `marks` recognise a text before or behind the year; the first one is written, behind the year unless `leads`.
    `first_month` is the month a year begins with.
    """

    name: str
    title: str
    marks: tuple[str, ...]
    offset: int
    last_year: int
    leads: bool = False
    is_julian: bool = False
    first_month: int = 1
    has_days: bool = True
    certainty: Certainty = Certainty.CERTAIN

    @property
    def coverage(self) -> Span:
        """From year 1 to the last."""
        return Span(self._get_new_year(1) * DAY, self._get_new_year(self.last_year + 1) * DAY, Grain.YEAR)

    def parse(self, text: str, *, bare: bool = False) -> tuple[CalendarDate, ...]:
        """Dates with the mark of the era; with `bare`, without it too."""
        body = self._take_mark(" ".join(text.split()))
        if body is None:
            if not bare:
                return ()
            body = text
        numbers = re.fullmatch(r"(\d{1,6})-(\d\d?)-(\d\d?)", body.strip())
        parts = tuple(map(int, numbers.groups())) if numbers else read_date(body)
        if parts is None or not 1 <= parts[0] <= self.last_year:
            return ()
        return keep_valid(self, CalendarDate(self.name, *parts))

    def format(self, date: CalendarDate) -> str:
        """The date in words with its mark."""
        self.span(date)
        mark = self.marks[0]
        year = f"{mark} {date.year}" if self.leads else f"{date.year} {mark}"
        if date.month is None:
            return year
        month = f"{MONTHS[date.month - 1]} {date.year}"
        words = month if date.day is None else f"{date.day} {month}"
        return f"{words} ({mark})" if self.leads else f"{words} {mark}"

    def span(self, date: CalendarDate) -> Span:
        """The year, month or day."""
        if not 1 <= date.year <= self.last_year:
            raise TimeRangeError(f"year {date.year} lies outside {self.title}, which covers 1 to {self.last_year}")
        if date.month is None:
            span = Span(self._get_new_year(date.year) * DAY, self._get_new_year(date.year + 1) * DAY, Grain.YEAR)
            return span.with_certainty(self.certainty)
        if not self.has_days:
            raise TimeRangeError(f"{self.title} counts years, but {date.month} is a month")
        year = self._get_civil_year(date.year, date.month)
        if not self.is_julian:
            whole = Interval.month(year, date.month) if date.day is None else Interval.day(year, date.month, date.day)
            return Span.of(whole)
        following = (year + date.month // 12, date.month % 12 + 1)
        start, end = from_julian_date(year, date.month, 1), from_julian_date(*following, 1)
        if date.day is None:
            return Span(start * DAY, end * DAY, Grain.MONTH)
        if not 1 <= date.day <= end - start:
            raise TimeRangeError(f"there is no day {date.day} in month {date.month}, its days are 1 to {end - start}")
        return Span((start + date.day - 1) * DAY, (start + date.day) * DAY, Grain.DAY)

    def dates(self, day: int, grain: Grain = Grain.DAY) -> tuple[CalendarDate, ...]:
        """The one date that contains the day; none outside the coverage."""
        if not self._get_new_year(1) <= day < self._get_new_year(self.last_year + 1):
            return ()
        year, month, number = to_julian_date(day) if self.is_julian else civil_date(day)
        counted = year + self.offset - (month < self.first_month)
        if day < self._get_new_year(counted):  # a new year within its month
            counted -= 1
        return (make_date(self.name, (counted, month, number), grain if self.has_days else Grain.YEAR),)

    def _get_civil_year(self, year: int, month: int) -> int:
        return year - self.offset + (month < self.first_month)

    def _get_new_year(self, year: int) -> int:
        convert = from_julian_date if self.is_julian else day_number
        return convert(year - self.offset, self.first_month, 1)

    def _take_mark(self, text: str) -> str | None:
        if not any(map(str.isdigit, text)):
            return None
        before, behind = _compile_marks(self.marks)
        if match := before.fullmatch(text):
            return f"{match['front']}{match['year']}"
        if match := behind.fullmatch(text):
            return match["body"]
        return None


@lru_cache(maxsize=32)
def _compile_marks(marks: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A text whose year has one of some marks before it, and one whose year has a mark behind it."""
    any_mark = "|".join(map(_make_pattern, marks))
    return (
        compile_regex(rf"(?P<front>.*?)(?:{any_mark})\s?(?P<year>\d{{1,6}})"),
        compile_regex(rf"(?P<body>.*\d)\s?[(\[]?(?:{any_mark})[)\]]?"),
    )


def _make_pattern(mark: str) -> str:
    """A mark in capitals is read with dots too; any other in any case."""
    return r"\.?\s?".join(mark) + r"\.?" if mark.isascii() and mark.isupper() else rf"(?i:{re.escape(mark)})"


def load_year_counts() -> Iterator[Calendar]:
    """All of them."""
    yield YearCountCalendar(
        "thai", "Thai solar (Buddhist Era)", ("BE", "Buddhist Era", "พ.ศ.", "Thai solar calendar"), 543, 9999
    )
    yield YearCountCalendar("juche", "Juche (North Korea)", ("Juche", "주체"), -1911, 8000, leads=True)
    yield YearCountCalendar("holocene", "Human Era", ("HE", "Human Era", "Holocene Era"), 10000, 19999)
    yield YearCountCalendar(
        "auc",
        "From the founding of Rome",
        ("AUC", "ab urbe condita", "anno urbis conditae"),
        753,
        9999,
        leads=True,
    )
    yield YearCountCalendar(
        "byzantine",
        "Byzantine (from the creation of the world)",
        ("Byzantine", "AM (Byzantine", "Anno Mundi (Byzantine", "Byzantine AM", "Etos Kosmou", "since the creation"),
        5509,
        9999,
        leads=True,
        is_julian=True,
        first_month=9,
    )
    yield YearCountCalendar(
        "kali_yuga",
        "Kali Yuga (elapsed years)",
        ("Kali Yuga", "Kaliyuga", "Kali era"),
        3101,
        9999,
        leads=True,
        first_month=4,
        has_days=False,
        certainty=Certainty.APPROXIMATE,
    )
    yield YearCountCalendar(
        "vikram",
        "Vikram Samvat",
        ("Vikram Samvat", "Bikram Sambat", "Vikrama Samvat", "Samvat"),
        57,
        9999,
        leads=True,
        first_month=4,
        has_days=False,
        certainty=Certainty.APPROXIMATE,
    )
