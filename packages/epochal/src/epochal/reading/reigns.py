"""Years of reigns in English words: "the third month of the first year of Duke Yin", "12 Henry VIII", "25 Hen. 8".

In running text a name that may be anybody's ("the first year of Mary") counts behind a word for reigns only, and an
abbreviation where a number or the citation of a statute follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from epochal.lazy import lazy_regex
from epochal.reading.expression import TimeExpr
from epochal.reading.timex3 import timex3_value
from epochal.times.calendars.base import CalendarDate
from epochal.times.calendars.date_text import normalise_latin
from epochal.times.calendars.registry import calendar
from epochal.times.calendars.regnal import BUNDLED, RegnalCalendar
from epochal.times.span import Span

__all__ = ["find_reigns", "find_reigns_in_text"]

_ONES = "first second third fourth fifth sixth seventh eighth ninth".split()
_TEENS = "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()
_ORDINALS = {word: number for number, word in enumerate([*_ONES, *_TEENS], 1)} | {
    name: number
    for ten, tens, last in ((20, "twenty", "twentieth"), (30, "thirty", "thirtieth"), (40, "forty", "fortieth"))
    for name, number in [(last, ten), *((f"{tens}-{word}", ten + one) for one, word in enumerate(_ONES, 1))]
}
_ORDINAL = rf"\d{{1,3}}(?:st|nd|rd|th)|{'|'.join(sorted(_ORDINALS, key=len, reverse=True))}"
_OF_REIGN = r"(?:\s+(?:of|in|under))?(?:\s+the)?(?:\s+(?:reign|era|rule)\s+of)?(?:\s+the)?"
#: A month, where one is named, and a year; the reign is named after them.
_BEFORE = lazy_regex(
    rf"(?<![\w-])(?:(?:the\s+)?(?:(?P<leap>intercalary|leap)\s+)?(?:(?P<month>{_ORDINAL})\s+month"
    rf"|month\s+(?P<month_number>\d{{1,2}}))"
    rf"\s+(?:of|in)\s+)?(?:the\s+)?(?:(?P<year>{_ORDINAL})\s+(?:regnal\s+)?year"
    rf"|year\s+(?P<year_number>\d{{1,3}})){_OF_REIGN}\s+",
    re.IGNORECASE,
)
#: A year, and a month where one is named, after the name of a reign.
_AFTER_REIGN = lazy_regex(
    rf"(?<!\s)(?:['’]s?)?,?\s+(?:(?P<year>{_ORDINAL})\s+year|year\s+(?P<year_number>\d{{1,3}}))"
    rf"(?:,?\s+(?:(?P<leap>intercalary|leap)\s+)?(?:(?P<month>{_ORDINAL})\s+month"
    rf"|month\s+(?P<month_number>\d{{1,2}})))?",
    re.IGNORECASE,
)
#: Years of English and other reigns as statutes cite them: "12 Henry VIII", "15 Geo. II", "25 Hen. 8", "1 & 2 Vict.".
_CITED = lazy_regex(
    r"(?<![\w.,/-])(?:(?P<first>\d{1,2})\s*(?:&|and)\s*)?(?P<year>\d{1,2})\s+"
    r"(?P<name>[A-Z][a-z]{0,9}\.?(?:\s+(?:&|and)\s+[A-Z][a-z]*\.?)?(?:\s+(?:[IVX]{1,4}|[1-8])(?![\w-]))?)"
)
#: What shows that an abbreviation is that of a statute.
_STATUTE = lazy_regex(r",?\s*(?:st(?:at)?\.?\s*\d|sess?\.|c(?:h|ap)?\.?\s*[\dxvi])", re.IGNORECASE)
#: Where running text may have a year of a reign.
_HINT = lazy_regex(
    # One set of first characters, which are rare, makes the search ten times as fast as two ways to begin.
    r"[y0-9](?:(?<=\by)ear\s+of\s+(?:the\s+)?(?:reign|rule|era|[A-Z])"
    r"|(?<=[0-9])\s+(?:[A-Z][a-z]{0,9}\.?\s+(?:[IVX]{1,4}|[1-8])(?![\w-])"
    r"|(?:Eliz|Vict?|Ann)\.|W(?:m|ill)?\.\s*(?:&|and)\s*M))"
)
_AROUND = 90
_NUMERAL = lazy_regex(r"\s(?:[IVX]+|[1-8])$")
_OF_A_REIGN = lazy_regex(r"\b(?:reign|rule|era)\b", re.IGNORECASE)
_REIGN_BEHIND = lazy_regex(r"['’]s?\s+reign\b")
_WORD = lazy_regex(r"[^\W\d_]+\.?")
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


def find_reigns_in_text(text: str) -> list[TimeExpr]:
    """The regnal dates of running text, of which those are left out that may be something else.

    >>> [(item.text, item.span.edtf()) for item in find_reigns_in_text("It was enacted in 12 Henry VIII.")]
    [('12 Henry VIII', '1520-05-02/1521-05-01')]
    """
    found: list[TimeExpr] = []
    place = 0
    while (hint := _HINT.search(text, place)) is not None:
        first = max(place, text.rfind(" ", 0, max(0, hint.start() - _AROUND)) + 1)
        stretch = text[first : hint.end() + _AROUND]
        found += (item.shift(first) for item in find_reigns(stretch) if _is_sure(stretch, item))
        place = max([hint.end(), *(item.end_char for item in found)])
    return list(dict.fromkeys(found))


def _is_sure(text: str, item: TimeExpr) -> bool:
    """Whether words of running text can be nothing but a year of a reign."""
    if item.text[0].isdigit() and "year" not in item.text.lower():
        name = item.text.lstrip("0123456789& ").removeprefix("and ")
        if _NUMERAL.search(name):
            return True
        is_short = normalise_latin(name) in ("eliz", "vict", "vic")
        return name.endswith(".") and (is_short or _STATUTE.match(text, item.end_char) is not None)
    name = _REIGN_BEHIND.sub("", item.text).rpartition(" of ")[2]
    is_led = _OF_A_REIGN.search(item.text) is not None
    return name[:1].isupper() and (is_led or " " in name.strip())


def _read_citation(match: re.Match[str]) -> list[TimeExpr]:
    name = match["name"]
    if normalise_latin(name) not in _load_names() or name[-1] not in "IVX.12345678":
        return []
    spans = {item.span(date) for item in _load_calendars() for date in item.parse(f"{match['year']} {name}")}
    if len(spans) != 1:
        return []
    span = spans.pop()
    if match["first"] is not None:  # a session over two years
        firsts = {item.span(date) for item in _load_calendars() for date in item.parse(f"{match['first']} {name}")}
        if len(firsts) != 1 or (first := firsts.pop()).start >= span.start:
            return []
        span = Span(first.start, span.end, first.grain, span.end_grain)
    return [TimeExpr(match[0], *match.span(), "DATE", timex3_value(span), span, "", 0.9, ("era", "year"))]


def _find_leading_years(text: str) -> Iterator[tuple[int, int, re.Match[str], str]]:
    """Years with the name of a reign behind them: the longest name that there is."""
    for match in _BEFORE.finditer(text):
        words = list(_WORD.finditer(text, match.end(), match.end() + 60))[:_MAX_WORDS]
        for last in reversed(words):
            name = text[match.end() : last.end()]
            if normalise_latin(name) in _load_names():
                behind = _REIGN_BEHIND.match(text, last.end())
                end = last.end() - bool(_NUMERAL.search(name.removesuffix("."))) * name.endswith(".")
                yield match.start(), end if behind is None else behind.end(), match, name
                break


def _find_trailing_years(text: str) -> Iterator[tuple[int, int, re.Match[str], str]]:
    """Years with the name of a reign before them: the longest name that there is."""
    for match in _AFTER_REIGN.finditer(text):
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
