"""Regnal dates in English words: "the third month of the first year of Duke Yin of Lu", "year 3 of Yongming"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from epochal.reading.expression import TimeExpr
from epochal.reading.timex3 import timex3_value
from epochal.times.calendars.base import CalendarDate
from epochal.times.calendars.date_text import normalise_latin
from epochal.times.calendars.registry import calendar
from epochal.times.calendars.regnal import BUNDLED, RegnalCalendar

__all__ = ["find_reigns"]

_ONES = "first second third fourth fifth sixth seventh eighth ninth".split()
_TEENS = "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()
_ORDINALS = {word: number for number, word in enumerate([*_ONES, *_TEENS], 1)} | {
    name: number
    for ten, tens, last in ((20, "twenty", "twentieth"), (30, "thirty", "thirtieth"), (40, "forty", "fortieth"))
    for name, number in [(last, ten), *((f"{tens}-{word}", ten + one) for one, word in enumerate(_ONES, 1))]
}
_ORDINAL = rf"\d{{1,3}}(?:st|nd|rd|th)|{'|'.join(sorted(_ORDINALS, key=len, reverse=True))}"
_OF = r"(?:\s+(?:of|in|under))?(?:\s+the)?(?:\s+(?:reign|era|rule)\s+of)?(?:\s+the)?"
#: A month, where one is named, and a year; the reign is named after them.
_BEFORE = re.compile(
    rf"(?<![\w-])(?:(?:the\s+)?(?:(?P<leap>intercalary|leap)\s+)?(?:(?P<month>{_ORDINAL})\s+month"
    rf"|month\s+(?P<month_number>\d{{1,2}}))"
    rf"\s+(?:of|in)\s+)?(?:the\s+)?(?:(?P<year>{_ORDINAL})\s+(?:regnal\s+)?year"
    rf"|year\s+(?P<year_number>\d{{1,3}})){_OF}\s+",
    re.IGNORECASE,
)
#: A year, and a month where one is named, after the name of a reign.
_BEHIND = re.compile(
    rf"(?<!\s)(?:['’]s?)?,?\s+(?:(?P<year>{_ORDINAL})\s+year|year\s+(?P<year_number>\d{{1,3}}))"
    rf"(?:,?\s+(?:(?P<leap>intercalary|leap)\s+)?(?:(?P<month>{_ORDINAL})\s+month"
    rf"|month\s+(?P<month_number>\d{{1,2}})))?",
    re.IGNORECASE,
)
#: Years of English and other reigns as statutes cite them: "12 Henry VIII", "15 Geo. II".
_CITED = re.compile(
    r"(?<![\w.])(?P<year>\d{1,2})\s+(?P<name>[A-Z][a-z]{1,9}\.?(?:\s+(?:&"
    r"|and)\s+[A-Z][a-z]+)?(?:\s+[IVX]{1,4}\b)?)"
)
_WORD = re.compile(r"[^\W\d_]+\.?")
#: The most words of a name: "Duke Zhuang of Lu".
_MAX_WORDS = 5


def find_reigns(text: str) -> list[TimeExpr]:
    """The regnal dates in words of a text; those that may mean several reigns are left out."""
    expressions: list[TimeExpr] = []
    for start, end, match, names in sorted(
        [*_find_leading_years(text), *_find_trailing_years(text)], key=lambda item: (item[0], -item[1])
    ):
        if expressions and start < expressions[-1].end_char:
            continue
        dates = _parse_dates(match, names)
        if len(dates) == 1:
            item, date = dates[0]
            span = item.span(date)
            stated = ("era", "year") if date.month is None else ("era", "year", "month")
            expressions.append(TimeExpr(text[start:end], start, end, "DATE", timex3_value(span), span, "", 0.9, stated))
    for match in _CITED.finditer(text):
        if all(match.end() <= item.start_char or item.end_char <= match.start() for item in expressions):
            expressions += _read_citation(match)
    return expressions


def _read_citation(match: re.Match[str]) -> list[TimeExpr]:
    if normalise_latin(match["name"]) not in _load_names() or match["name"][-1] not in "IVX.":
        return []
    spans = {item.span(date) for item in _load_calendars() for date in item.parse(match[0])}
    if len(spans) != 1:
        return []
    span = spans.pop()
    return [TimeExpr(match[0], *match.span(), "DATE", timex3_value(span), span, "", 0.9, ("era", "year"))]


def _find_leading_years(text: str) -> Iterator[tuple[int, int, re.Match[str], str]]:
    """Years with the name of a reign behind them: the longest name that there is."""
    for match in _BEFORE.finditer(text):
        words = list(_WORD.finditer(text, match.end(), match.end() + 60))[:_MAX_WORDS]
        for last in reversed(words):
            name = text[match.end() : last.end()]
            if normalise_latin(name) in _load_names():
                yield match.start(), last.end(), match, name
                break


def _find_trailing_years(text: str) -> Iterator[tuple[int, int, re.Match[str], str]]:
    """Years with the name of a reign before them: the longest name that there is."""
    for match in _BEHIND.finditer(text):
        words = list(_WORD.finditer(text, max(0, match.start() - 60), match.start()))[-_MAX_WORDS:]
        for first in words:
            name = text[first.start() : match.start()]
            if normalise_latin(name) in _load_names():
                yield first.start(), match.end(), match, name
                break


@cache
def _load_calendars() -> tuple[RegnalCalendar, ...]:
    calendars = (calendar(name.removesuffix(".toml")) for name in BUNDLED)
    return tuple(item for item in calendars if isinstance(item, RegnalCalendar))


@cache
def _load_names() -> frozenset[str]:
    return frozenset(name for item in _load_calendars() for name in item.names.latin)


def _parse_dates(match: re.Match[str], name: str) -> list[tuple[RegnalCalendar, CalendarDate]]:
    year, month = (_parse_ordinal(match[part] or match[f"{part}_number"]) for part in ("year", "month"))
    words = f"{name}, year {year}"
    if month is not None:
        words += f", {'intercalary ' if match['leap'] else ''}month {month}"
    return [(item, date) for item in _load_calendars() for date in item.parse(words)]


def _parse_ordinal(text: str | None) -> int | None:
    if text is None:
        return None
    return _ORDINALS.get(text.lower()) or int(re.sub(r"\D", "", text))
