"""Years of reigns in English words: "the third month of the first year of Duke Yin of Lu", "year 3 of Yongming"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from epochal.reading.expr import TimeExpr
from epochal.reading.timex3 import timex3_value
from epochal.times import CalendarDate, calendar
from epochal.times.calendars.latin_text import fold_latin
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
    rf"(?<![\w-])(?:(?:the\s+)?(?:(?P<leap>intercalary|leap)\s+)?(?:(?P<month>{_ORDINAL})\s+month|month\s+(?P<month_number>\d{{1,2}}))"
    rf"\s+(?:of|in)\s+)?(?:the\s+)?(?:(?P<year>{_ORDINAL})\s+(?:regnal\s+)?year|year\s+(?P<year_number>\d{{1,3}})){_OF}\s+",
    re.IGNORECASE,
)
#: A year, and a month where one is named, after the name of a reign.
_BEHIND = re.compile(
    rf"(?:['’]s?)?,?\s+(?:(?P<year>{_ORDINAL})\s+year|year\s+(?P<year_number>\d{{1,3}}))"
    rf"(?:,?\s+(?:(?P<leap>intercalary|leap)\s+)?(?:(?P<month>{_ORDINAL})\s+month|month\s+(?P<month_number>\d{{1,2}})))?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+\.?")
#: The longest names have so many words: "Duke Zhuang of Lu".
_MOST_WORDS = 5


def find_reigns(text: str) -> list[TimeExpr]:
    """The dates that a text counts by reigns in words; those that may mean several reigns are left out.

    >>> [(item.text, item.value) for item in find_reigns("What was in the third month of the 1st year of Duke Yin?")]
    [('the third month of the 1st year of Duke Yin', 'BC0722-03')]
    >>> [(item.text, item.span.edtf()) for item in find_reigns("Who fell in Henry VIII's 27th year?")]
    [("Henry VIII's 27th year", '1535-05-02/1536-05-01')]
    """
    found: list[TimeExpr] = []
    for start, end, match, names in sorted([*_led(text), *_trailed(text)], key=lambda item: (item[0], -item[1])):
        if found and start < found[-1].end_char:
            continue
        dates = _dates(match, names)
        if len(dates) == 1:
            known, date = dates[0]
            span = known.span(date)
            stated = ("era", "year") if date.month is None else ("era", "year", "month")
            found.append(TimeExpr(text[start:end], start, end, "DATE", timex3_value(span), span, "", 0.9, stated))
    return found


def _led(text: str) -> Iterator[tuple[int, int, re.Match[str], str]]:
    """Years with the name of a reign behind them: the longest name that there is."""
    for match in _BEFORE.finditer(text):
        words = list(_WORD.finditer(text, match.end(), match.end() + 60))[:_MOST_WORDS]
        for last in reversed(words):
            name = text[match.end() : last.end()]
            if fold_latin(name) in _names():
                yield match.start(), last.end(), match, name
                break


def _trailed(text: str) -> Iterator[tuple[int, int, re.Match[str], str]]:
    """Years with the name of a reign before them: the longest name that there is."""
    for match in _BEHIND.finditer(text):
        words = list(_WORD.finditer(text, max(0, match.start() - 60), match.start()))[-_MOST_WORDS:]
        for first in words:
            name = text[first.start() : match.start()]
            if fold_latin(name) in _names():
                yield first.start(), match.end(), match, name
                break


@cache
def _regnal() -> tuple[RegnalCalendar, ...]:
    found = (calendar(name.removesuffix(".toml")) for name in BUNDLED)
    return tuple(item for item in found if isinstance(item, RegnalCalendar))


@cache
def _names() -> frozenset[str]:
    return frozenset(name for known in _regnal() for name in known.names.latin)


def _dates(match: re.Match[str], name: str) -> list[tuple[RegnalCalendar, CalendarDate]]:
    year, month = (_number(match[part] or match[f"{part}_number"]) for part in ("year", "month"))
    words = f"{name}, year {year}"
    if month is not None:
        words += f", {'intercalary ' if match['leap'] else ''}month {month}"
    return [(known, date) for known in _regnal() for date in known.parse(words)]


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    return _ORDINALS.get(text.lower()) or int(re.sub(r"\D", "", text))
