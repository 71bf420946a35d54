"""The week calendar of ISO 8601: years of 52 or 53 whole weeks, weeks of seven days from Monday."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from epochal.errors import TimeRangeError
from epochal.times.axis import DAY, FIRST_YEAR, LAST_YEAR, weekday
from epochal.times.calendars.base import CalendarDate
from epochal.times.calendars.gregorian import numeric_date
from epochal.times.edtf_text import year_text
from epochal.times.grain import Grain
from epochal.times.iso import iso_week_of, week_start
from epochal.times.span import Span
from epochal.times.words import read, read_year

__all__ = ["IsoWeekCalendar"]

#: Week years can start up to three days before, or end up to three days after, the Gregorian year of their number.
_FIRST: Final = FIRST_YEAR + 1
_LAST: Final = LAST_YEAR - 1

_WEEK = re.compile(r"(?P<year>[+-]\d{5,}|-?\d{4})-?W(?P<week>\d\d)(?:-?(?P<day>[1-7]))?")
_YEAR = re.compile(r"ISO (?:week[- ])?year (?P<year>.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class IsoWeekCalendar:
    """ISO 8601 week dates. In its dates `month` is the week, 1 to 53, and `day` the weekday, Monday 1 to Sunday 7.

    The span of a week has the grain week, though the date that names it states a year and a "month".

    >>> weeks = IsoWeekCalendar()
    >>> (week,) = weeks.parse("2004-W05")
    >>> week.year, week.month, weeks.span(week).grain, weeks.span(CalendarDate("iso_week", 2004, 5, 3)).edtf()
    (2004, 5, Grain.WEEK, '2004-01-28')
    """

    name: str = "iso_week"
    title: str = "ISO 8601 weeks"

    @property
    def coverage(self) -> Span:
        """Every week year of the axis but its outermost ones.

        >>> IsoWeekCalendar().dates(IsoWeekCalendar().coverage.start // DAY)[0].month
        1
        """
        return Span(week_start(_FIRST, 1) * DAY, week_start(_LAST + 1, 1) * DAY, Grain.YEAR)

    def parse(self, text: str, *, bare: bool = False) -> tuple[CalendarDate, ...]:
        """Week dates of ISO 8601, "week 5 of 2004", "ISO year 2004"; with `bare`, year, week and weekday in numbers.

        >>> weeks = IsoWeekCalendar()
        >>> [weeks.format(*weeks.parse(text)) for text in ("-0721W053", "week 5 of 722 BCE", "ISO year 722 BCE")]
        ['-0721-W05-3', '-0721-W05', 'ISO year -0721']
        """
        found = _read(" ".join(text.split())) or (numeric_date(text) if bare else None)
        if found is None:
            return ()
        date = CalendarDate(self.name, *found)
        try:
            self.span(date)
        except TimeRangeError:
            return ()
        return (date,)

    def format(self, date: CalendarDate) -> str:
        """The date as ISO 8601 writes it, years beyond four digits with a sign.

        >>> weeks = IsoWeekCalendar()
        >>> weeks.format(CalendarDate("iso_week", 12000, 5, 3)), weeks.format(CalendarDate("iso_week", 2004))
        ('+12000-W05-3', 'ISO year 2004')
        """
        self.span(date)
        year = year_text(date.year) if abs(date.year) <= 9999 else f"{date.year:+d}"
        if date.month is None:
            return f"ISO year {year}"
        week = f"{year}-W{date.month:02d}"
        return week if date.day is None else f"{week}-{date.day}"

    def span(self, date: CalendarDate) -> Span:
        """The year, week or day.

        >>> IsoWeekCalendar().span(CalendarDate("iso_week", 2004)).edtf()
        '2003-12-29/2005-01-02'
        """
        year, week, day = date.year, date.month, date.day
        if not _FIRST <= year <= _LAST:
            raise TimeRangeError(f"year {year} lies outside the ISO week calendar, which covers {_FIRST} to {_LAST}")
        if week is None:
            return Span(week_start(year, 1) * DAY, week_start(year + 1, 1) * DAY, Grain.YEAR)
        weeks = (week_start(year + 1, 1) - week_start(year, 1)) // 7
        if not 1 <= week <= weeks:
            raise TimeRangeError(
                f"there is no week {week} in year {year} of the ISO week calendar, its weeks are 1 to {weeks}"
            )
        monday = week_start(year, week)
        if day is None:
            return Span(monday * DAY, (monday + 7) * DAY, Grain.WEEK)
        if not 1 <= day <= 7:
            raise TimeRangeError(f"there is no weekday {day} in the ISO week calendar, its weekdays are 1 to 7")
        return Span((monday + day - 1) * DAY, (monday + day) * DAY, Grain.DAY)

    def dates(self, day: int, grain: Grain = Grain.DAY) -> tuple[CalendarDate, ...]:
        """The one date that holds the day; weeks for the grains week and month.

        >>> IsoWeekCalendar().dates(0) == (CalendarDate("iso_week", 1970, 1, 4),)
        True
        """
        year, week = iso_week_of(day)
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
    return (*iso_week_of(span.start // DAY), None)
