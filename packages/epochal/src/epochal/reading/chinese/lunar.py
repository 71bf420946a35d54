"""What the Chinese tagger reads through other calendars: lunar dates, holidays, eras (民国), solar terms (冬至)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TypeAlias

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.reading.chinese.annals import get_stated_span
from epochal.reading.chinese.clocks import add_clock
from epochal.reading.chinese.text import ChineseContext, RuleResult, parse_number
from epochal.reading.events import nth_weekday
from epochal.reading.scripts import simplify_characters
from epochal.reading.timex3 import timex3_value
from epochal.times.axis import DAY, Grain, civil_date, day_number
from epochal.times.calendars.base import CalendarDate
from epochal.times.calendars.lunisolar import stream
from epochal.times.calendars.registry import calendar
from epochal.times.calendars.regnal import RegnalCalendar
from epochal.times.numerals import BRANCHES, STEMS, from_ganzhi, get_sexagenary_year
from epochal.times.span import Span

__all__ = [
    "HOLIDAYS",
    "HOLIDAY_NAMES",
    "TERMS",
    "era_year",
    "find_holiday_in_year",
    "find_term",
    "holiday_alone",
    "lunar_date",
    "lunar_of_year",
]

# ---------------------------------------------------------------- the twenty-four solar terms

#: The terms from that of the beginning of January, at 285 degrees, each 15 degrees on.
TERMS = (
    "小寒 大寒 立春 雨水 惊蛰 春分 清明 谷雨 立夏 小满 芒种 夏至 "
    "小暑 大暑 立秋 处暑 白露 秋分 寒露 霜降 立冬 小雪 大雪 冬至"
).split()
_FIRST_DEGREE = 285
_EPOCH_DAY = day_number(2000, 1, 1)
#: Noon of 1 January 2000 in days of Beijing, which is eight hours ahead.
_BEIJING = 0.5 + 8 / 24
#: The calendar has followed the true sun since 1645.
_FIRST_YEAR, _LAST_YEAR = 1645, 2200


@lru_cache(maxsize=4096)
def find_term(name: str, year: int) -> Span | None:
    """The day of a solar term in a Gregorian year; None where it is not computed.

    >>> find_term("冬至", 2024).edtf(), find_term("立春", 2025).edtf()
    ('2024-12-21', '2025-02-03')
    """
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        return None
    place = TERMS.index(name)
    target = math.radians(_FIRST_DEGREE + 15 * place)
    days = day_number(year, 1, 6) - _EPOCH_DAY + 15.2184 * place
    for _ in range(5):
        days += 58 * math.sin(target - _sun_longitude(days))
    day = _EPOCH_DAY + math.floor(days + _BEIJING)
    return Span(day * 86_400, (day + 1) * 86_400, Span.day(year, 1, 1).grain)


def _sun_longitude(days: float) -> float:
    """The apparent longitude of the sun in radians, so many days after noon of 1 January 2000; good to a minute of arc.

    Jean Meeus, Astronomical Algorithms, chapter 25.
    """
    centuries = days / 36525
    mean = 280.46646 + 36000.76983 * centuries + 0.0003032 * centuries**2
    anomaly = math.radians(357.52911 + 35999.05029 * centuries - 0.0001537 * centuries**2)
    centre = (
        (1.914602 - 0.004817 * centuries) * math.sin(anomaly)
        + (0.019993 - 0.000101 * centuries) * math.sin(2 * anomaly)
        + 0.000289 * math.sin(3 * anomaly)
    )
    node = math.radians(125.04 - 1934.136 * centuries)
    return math.radians(mean + centre - 0.00569 - 0.00478 * math.sin(node))


# ---------------------------------------------------------------- lunar dates, holidays, eras

#: The stream of the civil lunisolar calendar of China.
_STREAM = 3
_FIXED = {
    "元旦": (1, 1),
    "情人节": (2, 14),
    "妇女节": (3, 8),
    "三八妇女节": (3, 8),
    "植树节": (3, 12),
    "愚人节": (4, 1),
    "劳动节": (5, 1),
    "五一劳动节": (5, 1),
    "五一国际劳动节": (5, 1),
    "青年节": (5, 4),
    "五四青年节": (5, 4),
    "儿童节": (6, 1),
    "六一儿童节": (6, 1),
    "建党节": (7, 1),
    "建军节": (8, 1),
    "八一建军节": (8, 1),
    "教师节": (9, 10),
    "国庆节": (10, 1),
    "国庆": (10, 1),
    "万圣节": (10, 31),
    "双十一": (11, 11),
    "国家公祭日": (12, 13),
    "平安夜": (12, 24),
    "圣诞节": (12, 25),
    "跨年夜": (12, 31),
}
_LUNAR = {
    "春节": (1, 1),
    "大年初一": (1, 1),
    "元宵节": (1, 15),
    "端午节": (5, 5),
    "端午": (5, 5),
    "七夕节": (7, 7),
    "七夕": (7, 7),
    "中元节": (7, 15),
    "中秋节": (8, 15),
    "中秋": (8, 15),
    "重阳节": (9, 9),
    "腊八节": (12, 8),
    "除夕": (12, 31),
    "大年三十": (12, 31),
}
_RULES: dict[str, Callable[[int], tuple[int, int, int]]] = {
    "母亲节": lambda year: civil_date(nth_weekday(year, 5, 7, 2)),
    "父亲节": lambda year: civil_date(nth_weekday(year, 6, 7, 3)),
    "感恩节": lambda year: civil_date(nth_weekday(year, 11, 4, 4)),
}
#: Solar terms that are other words as well: rain, snow, clear.
_WORDS = {"雨水", "小雪", "大雪", "小满", "清明"}
_TERM_NAMES = [*(name for name in TERMS if name not in _WORDS), *(f"{name}节气" for name in TERMS), "清明节"]
#: The holidays and solar terms it knows, longest name first.
HOLIDAYS = tuple(sorted([*_FIXED, *_LUNAR, *_RULES, *_TERM_NAMES], key=len, reverse=True))
#: 国庆 is a given name too: alone it needs a word of the feast after it.
_SHORT = "国庆(?=期间|假期|长假|黄金周|当天|档|前|后)"
HOLIDAY_NAMES = "|".join(_SHORT if name == "国庆" else name for name in HOLIDAYS)
_HOLIDAY = lazy_regex(rf"(?P<name>{HOLIDAY_NAMES})(?!号|路|村|阳|联欢晚会|档案)")
_LUNAR_DATE = lazy_regex(
    rf"(?P<mark>农历|阴历|旧历|夏历)?(?:(?P<year>[0-9]{{4}}|[〇○零一二三四五六七八九]{{4}})年|(?P<year_name>[{STEMS}][{BRANCHES}])年)?"
    r"(?P<leap>闰)?(?P<month>正|腊|冬|1[0-2]|[1-9]|十[一二]|[一二三四五六七八九十])月"
    r"(?:(?P<day>初[一二三四五六七八九十]|三十|[二]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|[0-9]{1,2})日?)?"
)


def find_holiday_in_year(name: str, year: int) -> Span | None:
    """The day of a holiday in a Gregorian year; None where the lunar tables do not reach."""
    if name in _FIXED:
        return Span.day(year, *_FIXED[name])
    if name in _TERM_NAMES:
        return find_term(name[:2], year)
    if name in _RULES:
        return Span.day(*_RULES[name](year)) if 1900 <= year < 2100 else None
    month, day = _LUNAR[name]
    # The eve of a year's festival lies in the lunar year before, the rest in the year itself.
    return _make_lunar_span(year - 1 if day == 31 else year, month, False, day)


def _make_lunar_span(year: int, month: int, leap: bool, day: int | None) -> Span | None:
    """A lunar month or day; day 31 means the month's last."""
    try:
        months = stream(_STREAM).months(year)
    except TimeRangeError:
        return None
    found = [item for item in months if (item.number, item.leap) == (month, leap)]
    if not found:
        return None
    first, length = found[-1].first, found[-1].length
    if day is None:
        return Span(first * DAY, (first + length) * DAY, Grain.MONTH)
    if day == 31:
        day = length
    if not 1 <= day <= length:
        return None
    return Span((first + day - 1) * DAY, (first + day) * DAY, Grain.DAY)


def _find_nearest(context: ChineseContext, at: int, find: Callable[[int], Span | None]) -> tuple[Span | None, float]:
    """The occurrence that a text means which states no year: of the year it stated last, or by the rule of news."""
    stated = context.text_year(at)
    if stated is not None:
        return find(stated), 0.8
    today = context.today
    if today is None or context.moment is None:
        return None, 0.7
    if context.looks_ahead(at):
        years = (today[0], today[0] + 1)
        return next((span for year in years if (span := find(year)) and span.end > context.moment), None), 0.85
    years = (today[0], today[0] - 1)
    return next((span for year in years if (span := find(year)) and span.start <= context.moment), None), 0.85


def holiday_alone(context: ChineseContext, at: int) -> RuleResult | None:
    """A holiday without a year."""
    match = _HOLIDAY.match(context.plain, at)
    if match is None:
        return None
    name = match["name"]
    span, confidence = _find_nearest(context, at, lambda year: find_holiday_in_year(name, year))
    if span is None:
        value = f"XXXX-{_FIXED[name][0]:02d}-{_FIXED[name][1]:02d}" if name in _FIXED else "XXXX-XX-XX"
        return RuleResult(match.end(), "DATE", value, None, "", 0.7, ("day",))
    found = RuleResult(match.end(), "DATE", timex3_value(span), span, "", confidence, ("day",), ("year",))
    return add_clock(context, found)


def lunar_of_year(
    context: ChineseContext, at: int, year: int, parts: tuple[tuple[str, ...], tuple[str, ...]]
) -> RuleResult | None:
    """A lunar month and day behind a year that is known: 去年五月初五, 明年腊月."""
    match = _LUNAR_DATE.match(context.plain, at)
    if match is None or match["year"] or match["year_name"]:
        return None
    if not _has_lunar_form(match, context.plain):
        return None
    day = int(parse_number(match["day"].removeprefix("初")) or 0) if match["day"] else None
    span = _make_lunar_span(year, _read_month(match), bool(match["leap"]), day)
    if span is None:
        return None
    stated = (*parts[0], "month") if day is None else (*parts[0], "month", "day")
    found = RuleResult(match.end(), "DATE", timex3_value(span), span, "", 0.85, stated, parts[1])
    return found if day is None else add_clock(context, found)


def _has_lunar_form(match: re.Match[str], plain: str) -> bool:
    """Whether a date is one of the lunar calendar by its form: 初五, 廿三, 正月, 腊月, or 八月十五 without 日."""
    day = match["day"]
    if match["mark"] or match["leap"] or match["month"] in "正腊" or (day and day[0] in "初廿"):
        return True
    if not day or day.isdigit() or match["month"].isdigit() or match[0].endswith("日"):
        return False
    return len(day) > 1 and _LUNAR_END.match(plain, match.end()) is not None


#: What may follow 八月十五 so that it is the whole day.
_LUNAR_END = lazy_regex(r"[，。、；！？,!?\s（(]|[前后那这当是的晚夜]|$")


def _read_month(match: re.Match[str]) -> int:
    return {"正": 1, "腊": 12, "冬": 11}.get(match["month"]) or int(parse_number(match["month"]) or 0)


def lunar_date(context: ChineseContext, at: int) -> RuleResult | None:
    """A date of the lunar calendar: 农历八月十五, 腊月廿三, 正月初五, 甲辰年正月初一."""
    match = _LUNAR_DATE.match(context.plain, at)
    if match is None:
        return None
    month = _read_month(match)
    if not _has_lunar_form(match, context.plain) or (match["year"] and not match["mark"] and match["month"].isdigit()):
        return None
    if match["month"] in "正腊" and not match["mark"] and not match["day"]:
        return None  # 正月 alone is a word for a season of feasts
    day = int(parse_number(match["day"].removeprefix("初")) or 0) if match["day"] else None
    leap = bool(match["leap"])
    stated: tuple[str, ...] = ("month",) if day is None else ("month", "day")
    if match["year"]:
        year = int(parse_number(match["year"]) or 0)
        span, confidence = _make_lunar_span(year, month, leap, day), 0.9
        stated = ("year", *stated)
    else:
        year_name = from_ganzhi(match["year_name"]) if match["year_name"] else None
        span, confidence = _find_nearest(
            context, at, lambda year: _find_in_named_year(year, month, leap, day, year_name)
        )
    carried = () if match["year"] else ("year",)
    if span is None:
        return RuleResult(match.end(), "DATE", "XXXX-XX-XX" if day else "XXXX-XX", None, "", 0.6, stated)
    found = RuleResult(match.end(), "DATE", timex3_value(span), span, "", confidence, stated, carried)
    return found if day is None else add_clock(context, found)


def _find_in_named_year(year: int, month: int, leap: bool, day: int | None, year_name: int | None) -> Span | None:
    """The lunar date in a year; of a year with a name in the cycle of sixty, in the last one of that name."""
    if year_name is not None:
        year -= (get_sexagenary_year(year) - year_name) % 60
    return _make_lunar_span(year, month, leap, day)


@cache
def _load_calendars() -> tuple[RegnalCalendar, ...]:
    """The calendars whose reigns are named in characters."""
    found = (calendar(name) for name in ("chinese", "nengo", "lu"))
    return tuple(item for item in found if isinstance(item, RegnalCalendar))


_ERA_MONTH = r"(?:闰?(?:正|腊|1[0-2]|[1-9]|十[一二]|[一二三四五六七八九十])|闰)月"
_ERA_DATE = lazy_regex(
    rf"(?:元|[0-9]{{1,3}}|[一二三四五六七八九十百廿卅]{{1,6}})年(?:的(?={_ERA_MONTH}))?"
    rf"(?:[春夏秋冬](?![天季节]))?(?:{_ERA_MONTH}"
    r"(?:初?(?:[一二三]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|[一二三四五六七八九]|[0-9]{1,2})[日号]?"
    r"|[甲乙丙丁戊己庚辛壬癸][子丑寅卯辰巳午未申酉戌亥][日朔晦]?)?)?"
)
_LONGEST_ERA = 8
_EraDate: TypeAlias = tuple[RegnalCalendar, CalendarDate]


def era_year(context: ChineseContext, at: int) -> RuleResult | None:
    """A year of an era, found at its number: the era's name comes before it."""
    match = _ERA_DATE.match(context.plain, at)
    if match is None or at == 0:
        return None
    for length in range(min(_LONGEST_ERA, at), 1, -1):
        start = at - length
        named = [item for item in _load_calendars() if context.plain[start:at] in item.names.han]
        for end in _list_ends(match) if named else ():
            words = context.plain[start:end].replace("年的", "年")
            dates = [(item, date) for item in named for date in item.parse(words)]
            if not dates:
                continue
            confidence = 0.9
            if len(dates) > 1:
                dates, confidence = _select_realm(context.plain, start, dates), 0.75
            if len(dates) != 1:  # a name of several eras: which one, the text does not say
                return RuleResult(end, "DATE", "XXXX", None, "", 0.4, ("era", "year"), (), start)
            item, date = dates[0]
            span = get_stated_span(date, item)
            stated = ("era", "year", "month", "day")[: {9: 2, 6: 2, 5: 3, 3: 4}[span.grain]]
            if span.first_year is not None:
                context.record_date(span.first_year, None, None, end)
            return RuleResult(end, "DATE", timex3_value(span), span, "", confidence, stated, (), start)
    return None


#: How far before a date the realm is looked for whose eras it counts, and what shows that a realm is meant.
_REALM_CHARS = 40
_REALM_MARKS = "[纪紀书書史志朝国國]"


def _select_realm(plain: str, at: int, dates: list[_EraDate]) -> list[_EraDate]:
    """Of the dates that a shared era name may mean, those of the realm named last before it: 《齐纪》, 魏书."""
    before = plain[max(0, at - _REALM_CHARS) : at]
    named: dict[tuple[int, int], list[_EraDate]] = {}
    for item, date in dates:
        reign = item.table.by_id[date.era]
        names = "|".join(re.escape(simplify_characters(name)) for name in (reign.realm, *reign.realm_aliases) if name)
        places = [(match.end(), len(match[0])) for match in re.finditer(f"(?:{names}){_REALM_MARKS}", before)]
        if places:  # 北齐书 is of 北齐, though 齐书 is part of it: of names that end together the longest counts
            named.setdefault(max(places), []).append((item, date))
    return named[max(named)] if named else []


def _list_ends(match: re.Match[str]) -> list[int]:
    """The ends to try, longest first: the whole, the month, the year alone."""
    text = match[0]
    return [match.end(), *(match.start() + text.index(mark) + 1 for mark in "月年" if mark in text)]
