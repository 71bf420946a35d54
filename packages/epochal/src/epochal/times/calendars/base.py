"""The protocol of a calendar (its dates, spans and text), and two helpers that calendars share."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.times.axis import Grain
from epochal.times.span import Span


@dataclass(frozen=True, slots=True, order=True)
class CalendarDate:
    """A year, month or day as a calendar counts it. A part that is not stated is None.

    `era` names the reign or era the year is counted in, in calendars that have them. `leap` marks an intercalary
    month, which carries the number of the month before it. `season` (1 to 4, spring first) is set where a season is
    stated instead of a month. `sexagenary` (1 to 60, 甲子 first) names a day by its place in the cycle of sixty, in
    calendars that cannot tell its number.

    >>> CalendarDate("french_republican", 2, 11, 5).grain
    Grain.DAY
    """

    calendar: str
    year: int
    month: int | None = None
    day: int | None = None
    leap: bool = False
    era: str = ""
    season: int = 0
    sexagenary: int = 0

    @property
    def grain(self) -> Grain:
        """How finely the date is stated: day, month, season or year.

        >>> CalendarDate("hebrew", 5784).grain
        Grain.YEAR
        """
        if self.day is not None or self.sexagenary:
            return Grain.DAY
        if self.month is not None:
            return Grain.MONTH
        return Grain.SEASON if self.season else Grain.YEAR


@runtime_checkable
class Calendar(Protocol):
    """A calendar: a name for the registry, a title for people, and four ways between text, dates and spans.

    >>> from epochal.times.calendars import calendar
    >>> hebrew = calendar("hebrew")
    >>> (date,) = hebrew.parse("15 Nisan 5784 AM")
    >>> hebrew.span(date).edtf(), hebrew.format(date)
    ('2024-04-23', '15 Nisan 5784 AM')
    """

    @property
    def name(self) -> str:
        """The name it is registered under."""
        ...

    @property
    def title(self) -> str:
        """A few words that say what it is."""
        ...

    @property
    def coverage(self) -> Span:
        """The span for which it has days (or, without days, months or years)."""
        ...

    def parse(self, text: str, *, bare: bool = False) -> tuple[CalendarDate, ...]:
        """Every date that the text may name, none if it names none.

        Without `bare` the text must be recognisable as this calendar's, by its month names, era or mark; with it,
        plain numbers (`1582-10-04`, `1445`) and unmarked forms count too.
        """
        ...

    def format(self, date: CalendarDate) -> str:
        """The text of a date; `parse` gives back exactly that date."""
        ...

    def span(self, date: CalendarDate) -> Span:
        """The span of a date, in its grain."""
        ...

    def dates(self, day: int, grain: Grain = Grain.DAY) -> tuple[CalendarDate, ...]:
        """The dates of this calendar that contain a day (counted from 1970-01-01), stated as a day, month or year.

        Several when eras overlap; none when the calendar does not cover it.
        """
        ...


_APOSTROPHES = lazy_regex("['`´‘’ʹʻʼʽʾʿ]")
_HYPHENS = lazy_regex(r"[\s\-‐‑‒–—_]+")
_LETTERS = str.maketrans({"ł": "l", "ı": "i", "ø": "o"})


def normalise_name(text: str) -> str:
    """A name for comparing: without accents, apostrophes, hyphens and case."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    plain = _APOSTROPHES.sub("", plain.casefold().translate(_LETTERS))
    return _HYPHENS.sub(" ", plain).strip()


def make_date(calendar: str, date: tuple[int, int, int], grain: Grain) -> CalendarDate:
    """A full date (year, month, day), with no more of it stated than the grain asks for."""
    year, month, day = date
    if grain >= Grain.YEAR:
        return CalendarDate(calendar, year)
    return CalendarDate(calendar, year, month) if grain >= Grain.MONTH else CalendarDate(calendar, year, month, day)


def keep_valid(calendar: Calendar, *dates: CalendarDate) -> tuple[CalendarDate, ...]:
    """Drop dates that the calendar does not have."""
    return tuple(date for date in dates if _is_valid(calendar, date))


def _is_valid(calendar: Calendar, date: CalendarDate) -> bool:
    try:
        calendar.span(date)
    except TimeRangeError:
        return False
    return True
