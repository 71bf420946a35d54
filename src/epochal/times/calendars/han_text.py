"""Dates in Chinese characters: what follows the name of a reign, read and written.

    三年            a year                三年春            a season
    三年正月        a month               三年閏四月        an intercalary month
    三年正月初五    a day by its number   三年正月甲辰      a day by the cycle of sixty

Traditional, simplified and variant characters are read alike: both sides are folded to simplified ones first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from epochal.files import read_toml
from epochal.times.ganzhi import BRANCHES, STEMS, from_ganzhi
from epochal.times.numerals_han import NUMERAL_CHARS, from_han, to_han

__all__ = ["SEASONS", "HanDate", "fold", "month_text", "read_han", "write_han", "year_text"]

SEASONS = "春夏秋冬"
_NUMBER = f"[{NUMERAL_CHARS}]+"
_GANZHI = f"[{STEMS}][{BRANCHES}]"
_DATE = re.compile(
    rf"(?:(?P<year>{_NUMBER})年|(?P<year_name>{_GANZHI})(?:年|岁))"
    rf"(?:(?:(?P<season>[{SEASONS}])(?!月)(?:季|天)?)?"
    rf"(?:王?(?P<leap>闰|后)?(?:(?P<month>{_NUMBER}|腊|冬)?月"
    rf"(?:(?P<first>朔)|(?P<day_name>{_GANZHI})(?:日|朔|晦)?|(?:初|第)?(?P<day>{_NUMBER})(?:日|号)?)?)?)?)?"
)


@dataclass(frozen=True, slots=True)
class HanDate:
    """What a text states after the name of a reign; what it leaves out is None.

    `year_name` and `day_name` are places in the cycle of sixty. A `month` of 0 stands for an intercalary month that is
    not numbered; `month_name` is the month as written, since 正 and 一, or 臘 and 十二, have not always been the same.

    >>> read_han("三年閏四月初五")
    HanDate(year=3, year_name=None, season=None, month=4, leap=True, day=5, day_name=None, month_name='四')
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
def _fold_table() -> dict[int, int]:
    table = read_toml("han_fold.toml", __package__)
    return str.maketrans(table["traditional"], table["simplified"])


def fold(text: str) -> str:
    """The text with traditional and variant characters made simplified, without spaces and brackets.

    >>> fold("魯 隱公《元年》") == fold("鲁隐公元年")
    True
    """
    return re.sub(r"[\s《》「」『』〈〉，,、·・()（）]", "", text).translate(_fold_table())


def read_han(text: str) -> HanDate | None:
    """Read the part of a date after the name of its reign; None when it is none.

    >>> read_han("元年春王正月").month, read_han("十有二年").year, read_han("某年")
    (1, 12, None)
    """
    match = _DATE.fullmatch(fold(text))
    if match is None:
        return None
    year = from_han(match["year"]) if match["year"] else None
    year_name = from_ganzhi(match["year_name"]) if match["year_name"] else None
    if year is None and year_name is None:
        return None
    month = _month(match["month"] or "", bool(match["leap"]))
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


def _month(text: str, is_leap: bool) -> int | None:
    if not text:
        return 0 if is_leap else None
    number = {"腊": 12, "冬": 11}.get(text) or from_han(text)
    return number if number is not None and 1 <= number <= 12 else None


def write_han(date: HanDate, *, civil: bool = False) -> str:
    """The text of a date; `read_han` reads it back. Months and days of civil years are plain numbers.

    >>> write_han(HanDate(1, month=1)), write_han(HanDate(23, month=4, leap=True, day=15))
    ('元年正月', '二十三年閏四月十五日')
    >>> write_han(HanDate(6, month=1, day=1), civil=True)
    '六年一月一日'
    """
    text = year_text(date.year or 0)
    if date.month:
        text += f"{to_han(date.month)}月" if civil else month_text(date.month, date.leap)
    elif date.season:
        text += SEASONS[date.season - 1]
    if date.day is not None:
        early = date.day <= 10 and not civil
        text += f"{'初' if early else ''}{to_han(date.day)}日"
    return text


def year_text(year: int) -> str:
    """A regnal year.

    >>> year_text(1), year_text(12)
    ('元年', '十二年')
    """
    return "元年" if year == 1 else f"{to_han(year)}年"


def month_text(month: int, leap: bool = False) -> str:
    """A month.

    >>> month_text(1), month_text(12), month_text(4, leap=True), month_text(13), month_text(14)
    ('正月', '十二月', '閏四月', '臘月', '一月')
    """
    names = {1: "正月", 13: "臘月", 14: "一月"}
    return ("閏" if leap else "") + names.get(month, f"{to_han(month)}月")
