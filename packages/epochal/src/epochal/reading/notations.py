"""Dates in the notation of a calendar or a church within a text: "2563 BE", "the feast of St Michael 1303".

Only what a mark announces is looked at: an era behind or before a number, the word "feast" or "eve" before a name.
"""

from __future__ import annotations

import re

from epochal.errors import EpochalError
from epochal.reading.events import take_nominal_day
from epochal.reading.expression import TimeExpr
from epochal.reading.timex3 import day_span, timex3_value, year_value
from epochal.times.axis import DAY, civil_date
from epochal.times.calendars.feasts import read_feast
from epochal.times.span import Span
from epochal.times.when import resolve

__all__ = ["find_notations"]

_FEAST = re.compile(
    r"\b(?:the )?(?:(?:[Ff]east|[Ee]ve|[Vv]igil|[Mm]orrow|[Oo]ctave)(?: [Dd]ay)? of )+(?:the )?"
    r"[A-Z][\w.'’]*(?:,? (?:of|the|and|in|[A-Z][\w.'’]*)){0,6},? \d{3,4}\b(?! ?[-–/]?\d)"
    r"|\b(?:Passover|Pesach|Rosh Hashanah|Yom Kippur|Hanukkah|Chanukah|Sukkot|Shavuot|Eid al-(?:Fitr|Adha)|Ashura"
    r"|Nowruz|Corpus Christi|Ascension Day|Trinity Sunday|Shrove Tuesday),? (?:of |in )?(?:1\d|20)\d\d\b(?![-–/]?\d)"
)
_ERA = re.compile(
    r"\b2[3-6]\d\d B\.?E\.?(?!\w)|\bB\.?E\.? 2[3-6]\d\d\b|\b[Jj]uche \d{1,3}\b"
    r"|\b\d{2,4} AUC\b|\bAUC \d{2,4}\b|\bAM 5\d{3}\b"
)
#: What every one of them has: most texts have none of it, and are done with.
_MARKS = "feast |Feast |eve of|Eve of|igil of|orrow of|ctave of| BE| B.E.|BE 2|B.E. 2|uche |AUC|AM 5".split("|")
_MARKS += "Passover|Pesach|Hashanah|Kippur|nukkah|nukah|Sukkot|Shavuot|Eid al|Ashura|Nowruz|Christi|Ascension".split(
    "|"
)
_MARKS += ["Trinity", "Shrove"]
#: Longer spans than this are no single year.
_YEAR = 300


def find_notations(text: str) -> list[TimeExpr]:
    """The dates of other calendars and of feasts, which state their year, in order.

    >>> [(item.text, item.value) for item in find_notations("Thailand, in 2563 BE")]
    [('2563 BE', '2020')]
    """
    if not any(mark in text for mark in _MARKS):
        return []
    found = []
    for match in _FEAST.finditer(text):
        if spans := read_feast(match[0]):
            day = spans[0].start // DAY
            found.append(_make_expression(match, day_span(take_nominal_day(day, civil_date(day)[0]))))
    for match in _ERA.finditer(text):
        try:
            span = resolve(match[0])[0].span
        except EpochalError:
            continue
        found.append(_make_expression(match, span))
    return sorted(found, key=lambda item: item.start_char)


def _make_expression(match: re.Match[str], span: Span) -> TimeExpr:
    is_year = span.days is not None and span.days > _YEAR
    value = year_value(span.first_year or 0) if is_year else timex3_value(span)
    return TimeExpr(match[0], *match.span(), "DATE", value, span, confidence=0.85, stated=("year",))
