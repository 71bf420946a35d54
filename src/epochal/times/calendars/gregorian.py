"""The Gregorian calendar, proleptic: extended backwards over the years before 1582, with a year 0 (1 BCE)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from epochal.times.axis import DAY, FIRST_YEAR, LAST_YEAR, civil_date, seconds_of
from epochal.times.calendars.base import CalendarDate
from epochal.times.grain import Grain
from epochal.times.span import Span
from epochal.times.words import read

__all__ = ["GregorianCalendar", "numeric_date"]

_NUMERIC = re.compile(r"(?P<year>[+-]?\d+)(?:-(?P<month>\d\d?)(?:-(?P<day>\d\d?))?)?")
_GRAINS = {Grain.YEAR, Grain.MONTH, Grain.DAY}


def numeric_date(text: str) -> tuple[int, int | None, int | None] | None:
    """Year, month and day of a text in numbers, unchecked; None when it has another shape.

    >>> numeric_date("1582-10-04"), numeric_date("-43"), numeric_date("May")
    ((1582, 10, 4), (-43, None, None), None)
    """
    match = _NUMERIC.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day = (None if part is None else int(part) for part in match.group("year", "month", "day"))
    assert year is not None
    return year, month, day


@dataclass(frozen=True, slots=True)
class GregorianCalendar:
    """The calendar of the axis itself.

    >>> gregorian = GregorianCalendar()
    >>> gregorian.parse("15 March 44 BCE")
    (CalendarDate(calendar='gregorian', year=-43, month=3, day=15, leap=False, era='', season=0, sexagenary=0),)
    """

    name: str = "gregorian"
    title: str = "Gregorian (proleptic before 1582)"

    @property
    def coverage(self) -> Span:
        """The whole axis, a little short of its open ends.

        >>> GregorianCalendar().coverage.first_year
        -146000000000
        """
        return Span(seconds_of(FIRST_YEAR), seconds_of(LAST_YEAR), Grain.YEAR)

    def parse(self, text: str, *, bare: bool = False) -> tuple[CalendarDate, ...]:
        """Dates in words ("March 722 BCE"); with `bare`, in numbers too.

        >>> GregorianCalendar().parse("March 722 BCE")[0].year
        -721
        """
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
        """The date in words.

        >>> GregorianCalendar().format(CalendarDate("gregorian", -721, 3))
        'March 722 BCE'
        """
        return self.span(date).describe()

    def span(self, date: CalendarDate) -> Span:
        """The year, month or day.

        >>> GregorianCalendar().span(CalendarDate("gregorian", 2004, 2)).days
        29
        """
        if date.month is None:
            return Span.year(date.year)
        if date.day is None:
            return Span.month(date.year, date.month)
        return Span.day(date.year, date.month, date.day)

    def dates(self, day: int, grain: Grain = Grain.DAY) -> tuple[CalendarDate, ...]:
        """The one date that holds the day.

        >>> GregorianCalendar().dates(0, Grain.MONTH)[0].month
        1
        """
        year, month, day_of_month = civil_date(day)
        if grain >= Grain.YEAR:
            return (CalendarDate(self.name, year),)
        if grain >= Grain.MONTH:
            return (CalendarDate(self.name, year, month),)
        return (CalendarDate(self.name, year, month, day_of_month),)
