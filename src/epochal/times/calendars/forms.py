"""Two small things that the calendars share: names compared loosely, and dates stated in a grain."""

from __future__ import annotations

import re
import unicodedata

from epochal.times.calendars.base import CalendarDate
from epochal.times.grain import Grain

__all__ = ["fold_name", "stated_date"]

_APOSTROPHES = re.compile("['`´‘’ʹʻʼʽʾʿ]")
_HYPHENS = re.compile(r"[\s\-‐‑‒–—_]+")
_LETTERS = str.maketrans({"ł": "l", "ı": "i", "ø": "o"})


def fold_name(text: str) -> str:
    """A name for comparing: without accents, apostrophes, hyphens and case.

    >>> fold_name("Vendémiaire"), fold_name("Dhū al-Ḥijjah"), fold_name("Poland–Lithuania")
    ('vendemiaire', 'dhu al hijjah', 'poland lithuania')
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    plain = _APOSTROPHES.sub("", plain.casefold().translate(_LETTERS))
    return _HYPHENS.sub(" ", plain).strip()


def stated_date(calendar: str, date: tuple[int, int, int], grain: Grain) -> CalendarDate:
    """A full date (year, month, day), with no more of it stated than the grain asks for.

    >>> stated_date("julian", (1752, 9, 2), Grain.MONTH) == CalendarDate("julian", 1752, 9)
    True
    """
    year, month, day = date
    if grain >= Grain.YEAR:
        return CalendarDate(calendar, year)
    return CalendarDate(calendar, year, month) if grain >= Grain.MONTH else CalendarDate(calendar, year, month, day)
