"""The text of regnal dates: what follows the name of a reign, in Chinese characters or in Latin letters.

    三年            a year                三年春            a season
    三年正月        a month               三年閏四月        an intercalary month
    三年正月初五    a day by its number   三年正月甲辰      a day by the cycle of sixty

    12 Henry VIII    Meiji 10    Duke Zhuang's 2nd year, 12th month

Traditional, simplified and variant characters are read alike: all are mapped to simplified ones first.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from epochal.lazy import lazy_regex
from epochal.tables import read_toml
from epochal.times.numerals import BRANCHES, NUMERAL_CHARS, STEMS, from_ganzhi, from_han, to_han

SEASONS = "春夏秋冬"
_HAN_NUMBER = f"[{NUMERAL_CHARS}]+"
_GANZHI = f"[{STEMS}][{BRANCHES}]"
_DATE = lazy_regex(
    rf"(?:(?P<year>{_HAN_NUMBER})年|(?P<year_name>{_GANZHI})(?:年|岁))"
    rf"(?:(?:(?P<season>[{SEASONS}])(?!月)(?:季|天)?)?"
    rf"(?:王?(?P<leap>闰|后)?(?:(?P<month>{_HAN_NUMBER}|腊|冬)?月"
    rf"(?:(?P<first>朔)|(?P<day_name>{_GANZHI})(?:日|朔|晦)?|(?:初|第)?(?P<day>{_HAN_NUMBER})(?:日|号)?)?)?)?)?"
)


@dataclass(frozen=True, slots=True)
class HanDate:
    """What a text states after the name of a reign; what it leaves out is None.

    `year_name` and `day_name` are places in the cycle of sixty. A `month` of 0 means an intercalary month that is
    not numbered; `month_name` is the month as written, since 正 and 一, or 臘 and 十二, have not always been the same.
    """

    year: int | None
    year_name: int | None = None
    season: int | None = None
    month: int | None = None
    leap: bool = False
    day: int | None = None
    day_name: int | None = None
    month_name: str = ""


@cache
def _load_simplifications() -> dict[int, int]:
    table = read_toml("han_fold.toml", __package__, keep_as="han_fold")
    return str.maketrans(table["traditional"], table["simplified"])


def normalise_han(text: str) -> str:
    """The text with traditional and variant characters made simplified, without spaces and brackets."""
    return re.sub(r"[\s《》「」『』〈〉，,、·・()（）]", "", text).translate(_load_simplifications())


def read_han(text: str) -> HanDate | None:
    """Read the part of a date after the name of its reign; None when it is none."""
    match = _DATE.fullmatch(normalise_han(text))
    if match is None:
        return None
    year = from_han(match["year"]) if match["year"] else None
    year_name = from_ganzhi(match["year_name"]) if match["year_name"] else None
    if year is None and year_name is None:
        return None
    month = _read_month(match["month"] or "", bool(match["leap"]))
    day = 1 if match["first"] else from_han(match["day"]) if match["day"] else None
    day_name = from_ganzhi(match["day_name"]) if match["day_name"] else None
    stated_but_unread = (
        (month is None and "月" in match[0])
        or ("月" not in match[0] and (match["leap"] or match[0].endswith("王")))
        or (day is None and match["day"])
        or (day_name is None and match["day_name"])
    )
    if stated_but_unread or year == 0:
        return None
    season = SEASONS.index(match["season"]) + 1 if match["season"] else None
    return HanDate(year, year_name, season, month, bool(match["leap"]), day, day_name, match["month"] or "")


def _read_month(text: str, is_leap: bool) -> int | None:
    if not text:
        return 0 if is_leap else None
    number = {"腊": 12, "冬": 11}.get(text) or from_han(text)
    return number if number is not None and 1 <= number <= 12 else None


def write_han(date: HanDate, *, civil: bool = False) -> str:
    """The text of a date; `read_han` reads it back. Months and days of civil years are plain numbers."""
    text = format_han_year(date.year or 0)
    if date.month:
        text += f"{to_han(date.month)}月" if civil else format_han_month(date.month, date.leap)
    elif date.season:
        text += SEASONS[date.season - 1]
    if date.day is not None:
        early = date.day <= 10 and not civil
        text += f"{'初' if early else ''}{to_han(date.day)}日"
    return text


def format_han_year(year: int) -> str:
    """A regnal year."""
    return "元年" if year == 1 else f"{to_han(year)}年"


def format_han_month(month: int, leap: bool = False) -> str:
    """A month."""
    names = {1: "正月", 13: "臘月", 14: "一月"}
    return ("閏" if leap else "") + names.get(month, f"{to_han(month)}月")


#: A number of a date; nine digits are more than any has.
_NUMBER = r"\d{1,9}"
_ORDINAL = rf"({_NUMBER})(?:st|nd|rd|th)?"
_LEAP = r"(?P<leap>intercalary |leap )?"
_REST = (
    rf"(?:,? {_LEAP}(?:month (?P<month>{_NUMBER})|(?P<month2>{_NUMBER})(?:st|nd|rd|th) month)"
    rf"(?:,? (?:day (?P<day>{_NUMBER})|(?P<day2>{_NUMBER})(?:st|nd|rd|th) day))?)?"
)
_FORMS = tuple(
    lazy_regex(form + _REST)
    for form in (
        rf"(?P<name>.+?)(?:'s?)? (?P<year>{_ORDINAL}) year",
        rf"(?P<name>.+?),? year (?P<year>{_NUMBER})",
        rf"(?:the )?(?P<year>{_ORDINAL}) year of (?:the reign of )?(?P<name>.+?)",
        rf"year (?P<year>{_NUMBER}) of (?:the reign of )?(?P<name>.+?)",
        rf"(?P<year>{_NUMBER}) (?P<name>[^\d].*?)",
        rf"(?P<name>[^\d,]*[^\d, ]) (?P<year>{_NUMBER})",
    )
)
_NUMERIC = lazy_regex(
    rf"(?P<name>[^\d,]*[^\d, ]) (?P<year>{_NUMBER})[-./](?P<month>{_NUMBER})(?:[-./](?P<day>{_NUMBER}))?"
)


@dataclass(frozen=True, slots=True)
class LatinDate:
    """A name and the numbers after it."""

    name: str
    year: int
    month: int | None = None
    day: int | None = None
    leap: bool = False


def normalise_latin(text: str) -> str:
    """A name without case, accents, full stops and double spaces, so that spellings meet."""
    plain = "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
    plain = plain.replace("’", "'").replace(".", " ").replace("&", " and ")
    return re.sub(r"\s+", " ", plain).strip().casefold()


def read_latin(text: str) -> list[LatinDate]:
    """Every way to read the text as a name and numbers; the caller knows which names there are."""
    plain = normalise_latin(text)
    dates = []
    # normalise_latin makes full stops spaces, so the numeric form is looked for in the text as it came.
    for form, source in (*((form, plain) for form in _FORMS), (_NUMERIC, re.sub(r"\s+", " ", text.strip()))):
        match = form.fullmatch(source)
        if match is None:
            continue
        groups = match.groupdict()
        month, day = (groups.get(key) or groups.get(f"{key}2") for key in ("month", "day"))
        date = LatinDate(
            normalise_latin(groups["name"]),
            int(re.sub(r"\D", "", groups["year"])),
            int(month) if month else None,
            int(day) if day else None,
            bool(groups.get("leap")),
        )
        if date not in dates:
            dates.append(date)
    return dates


def write_latin(date: LatinDate) -> str:
    """The text of a date whose name is written out; `read_latin` reads it back."""
    text = f"{date.year} {date.name}"
    if date.month is not None:
        text += f", {'intercalary ' if date.leap else ''}month {date.month}"
    return text if date.day is None else f"{text}, day {date.day}"
