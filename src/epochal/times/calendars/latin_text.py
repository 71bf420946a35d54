"""Regnal dates in Latin letters: "12 Henry VIII", "Meiji 10", "Duke Zhuang's 2nd year, 12th month"."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["LatinDate", "fold_latin", "read_latin", "write_latin"]

#: A number of a date; nine digits are more than any has.
_NUMBER = r"\d{1,9}"
_ORDINAL = rf"({_NUMBER})(?:st|nd|rd|th)?"
_LEAP = r"(?P<leap>intercalary |leap )?"
_REST = (
    rf"(?:,? {_LEAP}(?:month (?P<month>{_NUMBER})|(?P<month2>{_NUMBER})(?:st|nd|rd|th) month)"
    rf"(?:,? (?:day (?P<day>{_NUMBER})|(?P<day2>{_NUMBER})(?:st|nd|rd|th) day))?)?"
)
_FORMS = tuple(
    re.compile(form + _REST)
    for form in (
        rf"(?P<name>.+?)(?:'s?)? (?P<year>{_ORDINAL}) year",
        rf"(?P<name>.+?),? year (?P<year>{_NUMBER})",
        rf"(?:the )?(?P<year>{_ORDINAL}) year of (?:the reign of )?(?P<name>.+?)",
        rf"year (?P<year>{_NUMBER}) of (?:the reign of )?(?P<name>.+?)",
        rf"(?P<year>{_NUMBER}) (?P<name>[^\d].*?)",
        rf"(?P<name>[^\d,]*[^\d, ]) (?P<year>{_NUMBER})",
    )
)
_NUMERIC = re.compile(
    rf"(?P<name>[^\d,]*[^\d, ]) (?P<year>{_NUMBER})[-./](?P<month>{_NUMBER})(?:[-./](?P<day>{_NUMBER}))?"
)


@dataclass(frozen=True, slots=True)
class LatinDate:
    """A name and the numbers after it.

    >>> read_latin("Meiji 10, month 5")[0]
    LatinDate(name='meiji', year=10, month=5, day=None, leap=False)
    """

    name: str
    year: int
    month: int | None = None
    day: int | None = None
    leap: bool = False


def fold_latin(text: str) -> str:
    """A name without case, accents, full stops and double spaces, so that spellings meet.

    >>> fold_latin("Hen.  VIII") == fold_latin("hen viii"), fold_latin("Taishō")
    (True, 'taisho')
    """
    plain = "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
    plain = plain.replace("’", "'").replace(".", " ").replace("&", " and ")
    return re.sub(r"\s+", " ", plain).strip().casefold()


def read_latin(text: str) -> list[LatinDate]:
    """Every way to read the text as a name and numbers; the caller knows which names there are.

    >>> [(date.name, date.year, date.month) for date in read_latin("Duke Zhuang's 2nd year, 12th month")]
    [('duke zhuang', 2, 12)]
    """
    plain = fold_latin(text)
    found = []
    # fold_latin makes full stops spaces, so the numeric form is looked for in the text as it came.
    for form, source in (*((form, plain) for form in _FORMS), (_NUMERIC, re.sub(r"\s+", " ", text.strip()))):
        match = form.fullmatch(source)
        if match is None:
            continue
        groups = match.groupdict()
        month, day = (groups.get(key) or groups.get(f"{key}2") for key in ("month", "day"))
        date = LatinDate(
            fold_latin(groups["name"]),
            int(re.sub(r"\D", "", groups["year"])),
            int(month) if month else None,
            int(day) if day else None,
            bool(groups.get("leap")),
        )
        if date not in found:
            found.append(date)
    return found


def write_latin(date: LatinDate) -> str:
    """The text of a date whose name is written out; `read_latin` reads it back.

    >>> write_latin(LatinDate("Henry VIII", 12)), write_latin(LatinDate("Otto I", 3, 4, 5))
    ('12 Henry VIII', '3 Otto I, month 4, day 5')
    """
    text = f"{date.year} {date.name}"
    if date.month is not None:
        text += f", {'intercalary ' if date.leap else ''}month {date.month}"
    return text if date.day is None else f"{text}, day {date.day}"
