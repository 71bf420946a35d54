"""The proleptic Gregorian calendar, with a year 0 (1 BCE), and the week calendar of ISO 8601."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.times.axis import DAY, FIRST_YEAR, LAST_YEAR, Grain, civil_date, to_seconds, weekday
from epochal.times.calendars.base import CalendarDate, keep_valid
from epochal.times.edtf import format_edtf_year, get_iso_week, get_week_start
from epochal.times.span import Span
from epochal.times.words import read, read_year

_NUMERIC = lazy_regex(r"(?P<year>[+-]?\d+)(?:-(?P<month>\d\d?)(?:-(?P<day>\d\d?))?)?")
_GRAINS = {Grain.YEAR, Grain.MONTH, Grain.DAY}


def numeric_date(text: str) -> tuple[int, int | None, int | None] | None:
    """Year, month and day of a text in numbers, unchecked; None when it has another shape."""
    match = _NUMERIC.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day = (None if part is None else int(part) for part in match.group("year", "month", "day"))
    assert year is not None
    return year, month, day


@dataclass(frozen=True, slots=True)
class GregorianCalendar:
    """The calendar of the axis itself."""

    name: str = "gregorian"
    title: str = "Gregorian (proleptic before 1582)"

    @property
    def coverage(self) -> Span:
        """The whole axis, a little short of its open ends."""
        return Span(to_seconds(FIRST_YEAR), to_seconds(LAST_YEAR), Grain.YEAR)

    def parse(self, text: str, *, bare: bool = False) -> tuple[CalendarDate, ...]:
        """Dates in words ("March 722 BCE"); with `bare`, in numbers too."""
        span = read(text)
        if span is not None and span.grain in _GRAINS and not span.worst_certainty:
            whole = Span.unit(span.start, span.grain)
            return self.dates(span.start // DAY, span.grain) if whole == span else ()
        numbers = numeric_date(text) if bare else None
        if numbers is None:
            return ()
        date = CalendarDate(self.name, *numbers)
        try:
            self.span(date)
        except ValueError:
            return ()
        return (date,)

    def format(self, date: CalendarDate) -> str:
        """The date in words."""
        return self.span(date).describe()

    def span(self, date: CalendarDate) -> Span:
        """The year, month or day."""
        if date.month is None:
            return Span.year(date.year)
        if date.day is None:
            return Span.month(date.year, date.month)
        return Span.day(date.year, date.month, date.day)

    def dates(self, day: int, grain: Grain = Grain.DAY) -> tuple[CalendarDate, ...]:
        """The one date that holds the day."""
        year, month, day_of_month = civil_date(day)
        if grain >= Grain.YEAR:
            return (CalendarDate(self.name, year),)
        if grain >= Grain.MONTH:
            return (CalendarDate(self.name, year, month),)
        return (CalendarDate(self.name, year, month, day_of_month),)


#: Week years can start up to three days before, or end up to three days after, the Gregorian year of their number.
_FIRST: Final = FIRST_YEAR + 1
_LAST: Final = LAST_YEAR - 1

_WEEK = lazy_regex(r"(?P<year>[+-]\d{5,}|-?\d{4})-?W(?P<week>\d\d)(?:-?(?P<day>[1-7]))?")
_YEAR = lazy_regex(r"ISO (?:week[- ])?year (?P<year>.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class IsoWeekCalendar:
    """ISO 8601 week dates. In its dates `month` is the week, 1 to 53, and `day` the weekday, Monday 1 to Sunday 7.

    The span of a week has the grain week, though the date that names it states a year and a "month".
    """

    name: str = "iso_week"
    title: str = "ISO 8601 weeks"

    @property
    def coverage(self) -> Span:
        """Every week year of the axis but its outermost ones."""
        return Span(get_week_start(_FIRST, 1) * DAY, get_week_start(_LAST + 1, 1) * DAY, Grain.YEAR)

    def parse(self, text: str, *, bare: bool = False) -> tuple[CalendarDate, ...]:
        """Week dates of ISO 8601, "week 5 of 2004", "ISO year 2004"; with `bare`, year, week and weekday in numbers."""
        parsed = _read(" ".join(text.split())) or (numeric_date(text) if bare else None)
        if parsed is None:
            return ()
        return keep_valid(self, CalendarDate(self.name, *parsed))

    def format(self, date: CalendarDate) -> str:
        """The date as ISO 8601 writes it, years beyond four digits with a sign."""
        self.span(date)
        year = format_edtf_year(date.year) if abs(date.year) <= 9999 else f"{date.year:+d}"
        if date.month is None:
            return f"ISO year {year}"
        week = f"{year}-W{date.month:02d}"
        return week if date.day is None else f"{week}-{date.day}"

    def span(self, date: CalendarDate) -> Span:
        """The year, week or day."""
        year, week, day = date.year, date.month, date.day
        if not _FIRST <= year <= _LAST:
            raise TimeRangeError(f"year {year} lies outside the ISO week calendar, which covers {_FIRST} to {_LAST}")
        if week is None:
            return Span(get_week_start(year, 1) * DAY, get_week_start(year + 1, 1) * DAY, Grain.YEAR)
        weeks = (get_week_start(year + 1, 1) - get_week_start(year, 1)) // 7
        if not 1 <= week <= weeks:
            raise TimeRangeError(
                f"there is no week {week} in year {year} of the ISO week calendar, its weeks are 1 to {weeks}"
            )
        monday = get_week_start(year, week)
        if day is None:
            return Span(monday * DAY, (monday + 7) * DAY, Grain.WEEK)
        if not 1 <= day <= 7:
            raise TimeRangeError(f"there is no weekday {day} in the ISO week calendar, its weekdays are 1 to 7")
        return Span((monday + day - 1) * DAY, (monday + day) * DAY, Grain.DAY)

    def dates(self, day: int, grain: Grain = Grain.DAY) -> tuple[CalendarDate, ...]:
        """The one date that holds the day; weeks for the grains week and month."""
        year, week = get_iso_week(day)
        if not _FIRST <= year <= _LAST:
            return ()
        if grain >= Grain.YEAR:
            return (CalendarDate(self.name, year),)
        if grain >= Grain.WEEK:
            return (CalendarDate(self.name, year, week),)
        return (CalendarDate(self.name, year, week, weekday(day)),)


def _read(text: str) -> tuple[int, int | None, int | None] | None:
    if match := _WEEK.fullmatch(text):
        return int(match["year"]), int(match["week"]), int(match["day"]) if match["day"] else None
    if match := _YEAR.fullmatch(text):
        year = read_year(match["year"])
        return numeric_date(match["year"]) if year is None else (year, None, None)
    span = read(text)
    if span is None or span.worst_certainty or Span.unit(span.start, Grain.WEEK) != span:
        return None
    return (*get_iso_week(span.start // DAY), None)
