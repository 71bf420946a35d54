"""Fiscal calendars: what "FY24" and "the second fiscal quarter" mean where the year does not begin in January.

A setting says in which month fiscal years begin: a number from 1 to 12, or the name of one of `FISCAL_CALENDARS`. A
fiscal year has the number of the year in which it ends; those of Japan have that of the year in which they begin, which
the setting writes as "4 start". Without a setting a fiscal year is the calendar year.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from epochal.errors import EpochalError
from epochal.lazy import lazy_regex
from epochal.reading.expression import TimeExpr
from epochal.reading.timex3 import timex3_value
from epochal.times.axis import DAY, Grain, civil_date
from epochal.times.span import Span

__all__ = [
    "FISCAL_CALENDARS",
    "FISCAL_VARIABLE",
    "FiscalCalendar",
    "FiscalSetting",
    "apply_fiscal_calendar",
    "get_fiscal_calendar",
    "read_fiscal_setting",
    "use_fiscal_calendar",
]

#: The environment variable with the setting of a process.
FISCAL_VARIABLE: Final = "EPOCHAL_FISCAL_YEAR_START"


@dataclass(frozen=True, slots=True)
class FiscalCalendar:
    """Years that begin in a month, numbered by the year in which they end or begin."""

    first_month: int = 1
    names_start: bool = False

    def make_part(self, year: int, place: int = 0, months: int = 12) -> Span:
        """A fiscal year, or one of its parts of so many months, counted from 0.

        >>> FiscalCalendar(10).make_part(2024).edtf(), FiscalCalendar(10).make_part(2024, 2, 3).edtf()
        ('2023-10/2024-09', '2024-04/2024-06')
        """
        first = 12 * (year - (self.first_month > 1 and not self.names_start)) + self.first_month - 1 + place * months
        last = first + months - 1
        return Span.between(Span.month(first // 12, first % 12 + 1), Span.month(last // 12, last % 12 + 1))

    def find_year(self, second: int) -> int:
        """The number of the fiscal year that holds a second of the axis."""
        year, month, _ = civil_date(second // DAY)
        is_next = month >= self.first_month > 1
        return year + is_next - (self.names_start and self.first_month > 1)


#: Settings by the name of who has them.
FISCAL_CALENDARS: Final = {
    "calendar": FiscalCalendar(),
    "us-federal": FiscalCalendar(10),
    "uk": FiscalCalendar(4),
    "india": FiscalCalendar(4),
    "canada": FiscalCalendar(4),
    "japan": FiscalCalendar(4, names_start=True),
    "australia": FiscalCalendar(7),
}
FiscalSetting: TypeAlias = "FiscalCalendar | int | str"
_CURRENT: ContextVar[FiscalCalendar | None] = ContextVar("fiscal calendar", default=None)


def read_fiscal_setting(setting: FiscalSetting) -> FiscalCalendar:
    """The calendar of a setting.

    >>> read_fiscal_setting("us-federal"), read_fiscal_setting("4 start")
    (FiscalCalendar(first_month=10, names_start=False), FiscalCalendar(first_month=4, names_start=True))
    """
    if isinstance(setting, FiscalCalendar):
        return setting
    name = str(setting).strip().lower()
    if name in FISCAL_CALENDARS:
        return FISCAL_CALENDARS[name]
    match = re.fullmatch(r"(1[0-2]|0?[1-9])(\s+start)?", name)
    if match is None:
        names = ", ".join(FISCAL_CALENDARS)
        raise EpochalError(
            f"{setting!r} is no start of fiscal years; accepted: a month from 1 to 12, with 'start' behind it where "
            f"years have the number of the year in which they begin, or one of {names}"
        )
    return FiscalCalendar(int(match[1]), names_start=match[2] is not None)


def get_fiscal_calendar() -> FiscalCalendar:
    """The calendar in use: that of `use_fiscal_calendar`, of the environment, or the calendar year."""
    current = _CURRENT.get()
    if current is not None:
        return current
    setting = os.environ.get(FISCAL_VARIABLE, "")
    return read_fiscal_setting(setting) if setting else FISCAL_CALENDARS["calendar"]


@contextmanager
def use_fiscal_calendar(setting: FiscalSetting | None) -> Iterator[None]:
    """Read fiscal years by a setting for as long as the context lasts; None changes nothing."""
    if setting is None:
        yield
        return
    token = _CURRENT.set(read_fiscal_setting(setting))
    try:
        yield
    finally:
        _CURRENT.reset(token)


#: What makes a year, half or quarter one of a fiscal calendar, in it or right before it.
_FISCAL = lazy_regex(
    r"\bFY['’\s]?\d|\d[QH]FY\d|\bfiscal(?:e|es)?\b|\bfinancial year\b|\b(?:exercice|ejercicio|esercizio|exercício)\b"
    r"|\b(?:Geschäfts|Wirtschafts|Haushalts|Fiskal)jahr(?:e?s)?\b|\bboekjaar\b|会計年度|年度|[财財]年|회계연도",
    re.IGNORECASE,
)
#: How far before an expression such a word may be.
_BEFORE = 16
#: The second year of "FY2023/24".
_PAIR = lazy_regex(r"[/–-](\d\d)(?!\d)")
#: Units of the calendar that have a fiscal counterpart, and their months.
_MONTHS = {Grain.YEAR: 12, Grain.HALF: 6, Grain.QUARTER: 3}


def apply_fiscal_calendar(
    text: str, expressions: list[TimeExpr], now: Span | None, calendar: FiscalCalendar
) -> list[TimeExpr]:
    """The expressions of a text, fiscal years and their parts as the calendar has them."""
    if calendar.first_month == 1:
        return expressions
    return [_move(text, item, now, calendar) for item in expressions]


def _move(text: str, item: TimeExpr, now: Span | None, calendar: FiscalCalendar) -> TimeExpr:
    span = item.span
    if item.kind != "DATE" or span is None or span.is_open or span.grain not in _MONTHS or span.first_year is None:
        return item
    before = re.split(r"[.;,\n]", text[max(0, item.start_char - _BEFORE) : item.start_char])[-1]
    if _FISCAL.search(before + item.text) is None or span.coarsest_grain > Grain.YEAR:
        return item
    months = _MONTHS[span.grain]
    place = (civil_date(span.start // DAY)[1] - 1) // months
    year = span.first_year
    if "year" in item.carried and "year" not in item.stated and not re.search(r"\d\d", item.text):
        if now is None or now.is_open or now.first_year is None:
            return item
        year += calendar.find_year(now.start) - now.first_year
        if months < 12 and not re.search(r"year|année|año|anno|ano|jahr|年", item.text, re.IGNORECASE):
            # A part without a year is the latest that has begun.
            year -= calendar.make_part(year, place, months).start > now.start
    pair = _PAIR.match(text, item.end_char)
    if pair is not None and int(pair[1]) == (year + 1) % 100:
        calendar = replace(calendar, names_start=True)  # FY2023/24 names both years
    moved = calendar.make_part(year, place, months)
    return replace(item, span=moved, value=timex3_value(moved))
