"""Chinese dates that name a year, month or day, with what refines them.

2023年5月3日上午10点    去年年底    2020年第1季度    前221年    上世纪90年代初    3月5日至8日    五月第三周
"""

from __future__ import annotations

import re
from dataclasses import replace

from epochal.lazy import lazy_regex
from epochal.reading.chinese.clocks import add_clock
from epochal.reading.chinese.lunar import HOLIDAY_NAMES, find_holiday_in_year, lunar_of_year
from epochal.reading.chinese.text import DAY_NUMBER, MONTH_NUMBER, ChineseContext, RuleResult, parse_number
from epochal.reading.timex3 import timex3_value, year_value
from epochal.times.axis import DAY, LAST_YEAR, Certainty, Grain, civil_date, days_in_month, to_seconds, weekday
from epochal.times.edtf import get_week_start
from epochal.times.span import Span

__all__ = [
    "century_or_decade",
    "explicit_year",
    "make_day_result",
    "month_day",
    "numeric_date",
    "read_after_month",
    "read_after_year",
]


_ORD = {"一": 1, "二": 2, "三": 3, "四": 4, "首": 1, "1": 1, "2": 2, "3": 3, "4": 4}
_YEAR = lazy_regex(
    r"(?:(?P<era>公元|西元|公历)(?P<bce>前)?\s?(?P<any>[0-9]{1,5}|[〇○零一二三四五六七八九十百千]{1,8})"
    r"|(?P<four>[0-9]{4}|[〇○零一二三四五六七八九]{4})|前(?P<before>[0-9]{3})"
    r"|(?P<two>[0-9]{2}|[一二三四五六七八九][〇○零一二三四五六七八九])(?=年(?:[0-9一二三四五六七八九十]{1,2}月|[初底末春夏秋冬年]|第?[一二三四1-4]季|第一|"
    rf"{HOLIDAY_NAMES}))"
    r"|(?P<zero>0[0-9]|[〇零][一二三四五六七八九]))\s?(?:年(?!级|代|头|糕|龄|薪|均|限|票)(?:度(?!假))?|(?=[Qq][1-4](?![0-9A-Za-z])))"
)
#: One of the weeks or days of a longer time, counted from its start: 第三周, 第一个星期一, 最后一天.
_NTH = (
    r"(?:第(?P<nth>[一二三四五六七八九十0-9]{1,3})|(?P<nth_last>最后[一1]))"
    r"(?:(?P<nth_each>个)?(?P<nth_week>周|星期|礼拜)(?:的?周)?(?P<nth_day>[一二三四五六日天])?|个?(?P<nth_of_day>天))"
)
#: What may follow a year. 年中 and 年初 only where no other word begins there (2024年中超, 2023年初中).
_YEAR_TAIL = lazy_regex(
    rf"\s?的?\s?(?:{_NTH}"
    r"|(?P<side>[前后首])(?P<side_count>[0-9一二三四五六七八九十两]{0,3})个?(?:月(?![球亮饼])|(?P<side_quarter>季度))"
    r"|"
    rf"(?P<month>{MONTH_NUMBER})\s?月份?(?![亮球饼票])"
    r"|(?:第\s?)?(?P<quarter>[一二三四首1-4])季度?(?!节|赛)(?P<quarter_end>[末初](?!期))?|[Qq](?P<q>[1-4])(?![0-9A-Za-z])"
    r"|(?P<half>[上下])半年"
    rf"|(?P<holiday>{HOLIDAY_NAMES})"
    r"|(?P<season>[春夏秋冬])(?:季|天|日)?(?![晚季节秋风雨游运宫令])"
    r"|年?(?P<start>初期?|伊始)(?![中级一二三次步始审稿心])|年?(?P<end>[末底])(?!层|部|气)|年?(?P<mid>中)(?=[，。、,；？?]|$|前后|以)"
    r")"
)
_MONTH_TAIL = lazy_regex(
    rf"\s?的?\s?(?:{_NTH}|(?P<side>[前后])(?P<side_count>[0-9一二三四五六七八九十两]{{1,3}})天|(?P<day>{DAY_NUMBER})(?:\s?(?:日(?!本|元(?![旦首宵]))|号(?![线楼院馆码店室令召称角]))"
    rf"|(?=(?:[-－–—~～]{{1,2}}|至|到){DAY_NUMBER}[日号])|(?<=[0-9])(?=[，。；至到]|$))"
    r"|(?P<third>[上中下])旬|(?P<start>初)(?![中级次步始审一二三四五六七八九十])|(?P<end>[末底])(?!层|部)|(?P<mid>中)(?=[，。、,；]|$))"
)
_MONTH = lazy_regex(
    rf"(?P<month>{MONTH_NUMBER})\s?月(?:份|(?![河花饼球票亮光老嫂台氏薪供租息均经]|革命|怀胎|流火|飞雪|围城|不知|之[内久]))"
)
_ISO = lazy_regex(
    r"(?P<year>[12][0-9]{3})(?P<mark>[-/.])"
    r"(?P<month>1[0-2]|0?[1-9])(?P=mark)(?P<day>[12][0-9]|3[01]|0?[1-9])(?![0-9.\-/])"
)
#: 2024-01 is a month, 2024-01号 and 文号2024-01 a number.
_ISO_MONTH = lazy_regex(r"(?P<year>[12][0-9]{3})-(?P<month>0[1-9]|1[0-2])(?![0-9A-Za-z\-./]|[号期批卷条次])")
_NUMBER_BEFORE = lazy_regex(r"[号第码案]\s?[:：]?\s?$")
_CENTURY = lazy_regex(
    r"(?:(?:公元)?(?P<bce>前)|公元)?(?:第)?(?:(?P<number>[0-9]{1,2}|[一二三四五六七八九十]{1,3})|(?P<which>上个?|本|这个?|新))世纪"
    r"(?P<decade>[0-9]0|[一二三四五六七八九]十)?(?(decade)年代)"
    r"(?:(?P<start>初期?|早期|前期)|(?P<mid>中叶|中期)|(?P<end>末期?|后期|晚期)|(?P<half>[上下前后]半(?:[叶期段]|(?![夜天]))))?"
)
_DECADE = lazy_regex(
    r"(?P<decade>[12][0-9]{2}0|[0-9]0|[二三四五六七八九]十)年代"
    r"(?:(?P<start>初期?|早期|前期)|(?P<mid>中期|中(?=[，。、,的；]|$))|(?P<end>末期?|后期|晚期))?"
)
#: Before what looks like a month: 同一月 is one and the same, 连续四月 counts.
_NO_MONTH_AFTER = lazy_regex("(?:[同每某哪那这第]|连续|长达|历时|为期)$")
#: A year by its number alone, of a reign that is not known here (昭二十年二月): the month is of that year, no other.
_YEAR_BEFORE = lazy_regex("[元一二三四五六七八九十廿卅百〇零]年$")
_DAY_GRAIN = ("year", "month", "day")
_SEASON = {"春": (3, "SP"), "夏": (6, "SU"), "秋": (9, "FA"), "冬": (12, "WI")}
_MODS = {"start": "START", "mid": "MID", "end": "END"}


def explicit_year(context: ChineseContext, at: int) -> RuleResult | None:
    """A date that opens with a year."""
    match = _YEAR.match(context.plain, at)
    if match is None:
        return None
    confidence = 0.98
    if match["any"] or match["before"]:
        value = parse_number(match["any"] or match["before"])
        if not value:
            return None
        year = 1 - int(value) if match["bce"] or match["before"] else int(value)
    elif match["four"]:
        year = int(parse_number(match["four"]) or 0)
        if not 1000 <= year <= 2200:
            return None  # 3000年 counts years, and no text tells of the year 9999
    else:
        value = parse_number(match["two"] or match["zero"])
        if value is None:
            return None
        year, confidence = _expand_year(int(value), context), 0.8
    if year > LAST_YEAR:
        return None
    return read_after_year(context, match.end(), year, (("year",), ()), confidence)


def _has_leap_day(year: int) -> bool:
    return days_in_month(year, 2) == 29


def _expand_year(short: int, context: ChineseContext) -> int:
    """The year that two digits mean: not more than ten years ahead of the reference time, nor of 2030 without one."""
    today = context.today
    limit = today[0] + 10 if today else 2030
    return limit - (limit - short) % 100


def read_after_year(
    context: ChineseContext,
    at: int,
    year: int,
    parts: tuple[tuple[str, ...], tuple[str, ...]],
    confidence: float,
) -> RuleResult:
    """The date whose year is known and whose anchor ends `at`: what follows may name its month, quarter, season, ..."""
    stated, carried = parts
    text = year_value(year)
    if (lunar := lunar_of_year(context, at, year, parts)) is not None:
        return lunar
    match = _YEAR_TAIL.match(context.plain, at)
    if match is None:
        context.record_date(year, None, None, at)
        return RuleResult(at, "DATE", text, Span.year(year), "", confidence, stated, carried)
    if match["month"]:
        month = int(parse_number(match["month"]) or 0)
        parts = ((*stated, "month"), carried)
        return read_after_month(context, match.end(), (year, month), parts, confidence)
    context.record_date(year, None, None, match.end())
    if (part := _read_nth(context, match, Span.year(year), parts, confidence)) is not None:
        return part
    if match["nth"] or match["nth_last"] or match["side"]:
        return RuleResult(at, "DATE", text, Span.year(year), "", confidence, stated, carried)
    if match["holiday"]:
        span = find_holiday_in_year(match["holiday"], year)
        if span is not None:
            day = (*stated, "day")
            found = RuleResult(match.end(), "DATE", timex3_value(span), span, "", confidence, day, carried)
            return add_clock(context, found)
        return RuleResult(at, "DATE", text, Span.year(year), "", confidence, stated, carried)
    return _make_year_part(match, year, (stated, carried), confidence)


def _make_year_part(
    match: re.Match[str], year: int, parts: tuple[tuple[str, ...], tuple[str, ...]], confidence: float
) -> RuleResult:
    (stated, carried), text, end = parts, year_value(year), match.end()
    if quarter := match["quarter"] or match["q"]:
        place = _ORD[quarter]
        span = Span.unit(to_seconds(year, 3 * place - 2), Grain.QUARTER)
        mod = {"末": "END", "初": "START"}.get(match["quarter_end"] or "", "")
        span = span.part("late" if mod == "END" else "early") if mod else span
        return RuleResult(end, "DATE", f"{text}-Q{place}", span, mod, confidence, (*stated, "quarter"), carried)
    if match["half"]:
        place = 1 if match["half"] == "上" else 2
        span = Span.unit(to_seconds(year, 6 * place - 5), Grain.HALF)
        return RuleResult(end, "DATE", f"{text}-H{place}", span, "", confidence, (*stated, "half"), carried)
    if match["season"]:
        month, code = _SEASON[match["season"]]
        span = Span.unit(to_seconds(year, month), Grain.SEASON)
        return RuleResult(end, "DATE", f"{text}-{code}", span, "", confidence, (*stated, "season"), carried)
    mod = next(mod for name, mod in _MODS.items() if match[name])
    months = {"START": (1, 3), "MID": (5, 8), "END": (10, 12)}[mod]
    span = Span.between(Span.month(year, months[0]), Span.month(year, months[1])).with_certainty(Certainty.APPROXIMATE)
    return RuleResult(end, "DATE", text, span, mod, confidence, stated, carried)


def read_after_month(
    context: ChineseContext,
    at: int,
    date: tuple[int | None, int],
    parts: tuple[tuple[str, ...], tuple[str, ...]],
    confidence: float,
) -> RuleResult:
    """The date whose month is known and whose anchor ends `at`: what follows may name its day or its third."""
    (year, month), (stated, carried) = date, parts
    text = f"{year_value(year) if year is not None else 'XXXX'}-{month:02d}"
    match = _MONTH_TAIL.match(context.plain, at)
    if match is not None and match["day"]:
        day = int(parse_number(match["day"]) or 0)
        if 1 <= day <= days_in_month(2000 if year is None else year, month):
            return make_day_result(context, match.end(), (year, month, day), ((*stated, "day"), carried), confidence)
        match = None
    whole = None if year is None else Span.month(year, month)
    if match is not None and (match["nth"] or match["nth_last"] or match["side"]):
        counted = None if whole is None else _read_nth(context, match, whole, parts, confidence)
        if counted is not None:
            return counted
        match = None
    if year is not None:
        context.record_date(year, month, None, at)
    if match is None:
        return RuleResult(at, "DATE", text, whole, "", confidence, stated, carried)
    third = {"上": "START", "中": "MID", "下": "END"}.get(match["third"] or "")
    mod = third or next(mod for name, mod in _MODS.items() if match[name])
    part = {"START": "early", "MID": "mid", "END": "late"}[mod]
    span = whole and whole.part(part)  # type: ignore[arg-type]
    return RuleResult(match.end(), "DATE", text, span, mod, confidence, stated, carried)


def _read_nth(
    context: ChineseContext,
    match: re.Match[str],
    whole: Span,
    parts: tuple[tuple[str, ...], tuple[str, ...]],
    confidence: float,
) -> RuleResult | None:
    """The n-th week, weekday or day of a year or month, or its first or last few months or days."""
    if match["side"]:
        return _read_side(match, whole, parts, confidence)
    if not (match["nth"] or match["nth_last"]):
        return None
    place = int(parse_number(match["nth"]) or 0) if match["nth"] else -1
    if match["nth_of_day"]:
        number = whole.start // DAY + place - 1 if place > 0 else whole.end // DAY - 1
    else:
        name = match["nth_day"]
        day = 0 if name is None else min("一二三四五六日天".index(name), 6)
        first, last = whole.start // DAY, whole.end // DAY - 1
        if name is not None and match["nth_each"]:
            # The n-th such weekday.
            number = first + (day + 1 - weekday(first)) % 7 + 7 * (place - 1)
            number = last - (weekday(last) - day - 1) % 7 if place < 0 else number
        else:
            # A week belongs to what has all of it.
            monday = first + (1 - weekday(first)) % 7 + 7 * (place - 1)
            monday = last - weekday(last) % 7 - 6 if place < 0 else monday
            if whole.grain is Grain.YEAR and 0 < place <= 53 and whole.first_year is not None:
                monday = get_week_start(whole.first_year, place)
            if name is None:
                span = Span.unit(monday * DAY, Grain.WEEK)
                if not whole.start <= span.end - 1 < whole.end + 7 * DAY:
                    return None
                return RuleResult(match.end(), "DATE", timex3_value(span), span, "", confidence, *parts)
            number = monday + day
    if not whole.start <= number * DAY < whole.end:
        return None
    stated, carried = parts
    return make_day_result(context, match.end(), civil_date(number), ((*stated, "day"), carried), confidence)


def _read_side(
    match: re.Match[str], whole: Span, parts: tuple[tuple[str, ...], tuple[str, ...]], confidence: float
) -> RuleResult | None:
    """今年前五个月, 4月前4天, 2005年首月."""
    grain = Grain.MONTH if whole.grain is Grain.YEAR else Grain.DAY
    count = int(parse_number(match["side_count"]) or 0) if match["side_count"] else 1
    if match.groupdict().get("side_quarter"):
        count *= 3
    if not 0 < count <= 31 or (match["side"] != "首" and not match["side_count"]):
        return None
    first = Span.unit(whole.start, grain) if match["side"] != "后" else Span.unit(whole.end - 1, grain).shift(1 - count)
    span = Span.between(first, first.shift(count - 1))
    return RuleResult(match.end(), "DATE", timex3_value(span), span, "", confidence, *parts)


def make_day_result(
    context: ChineseContext,
    at: int,
    date: tuple[int | None, int, int],
    parts: tuple[tuple[str, ...], tuple[str, ...]],
    confidence: float,
) -> RuleResult:
    """A day, with the time of day that may follow it."""
    year, month, day = date
    stated, carried = parts
    if year is None:
        found = RuleResult(at, "DATE", f"XXXX-{month:02d}-{day:02d}", None, "", confidence, stated, carried)
    else:
        context.record_date(year, month, day, at)
        value = f"{year_value(year)}-{month:02d}-{day:02d}"
        found = RuleResult(at, "DATE", value, Span.day(year, month, day), "", confidence, stated, carried)
    return add_clock(context, found)


def month_day(context: ChineseContext, at: int) -> RuleResult | None:
    """A month, or a month and day, without a year."""
    match = _MONTH.match(context.plain, at)
    if match is None or _NO_MONTH_AFTER.search(context.plain[max(0, at - 2) : at]):
        return None
    if context.plain.startswith("之间", match.end()) and not context.is_range_end:
        return None  # 三月之间: three months
    month = int(parse_number(match["month"]) or 0)
    tail = _MONTH_TAIL.match(context.plain, match.end())
    day = int(parse_number(tail["day"]) or 0) if tail and tail["day"] else None
    if context.is_range_end and context.last is not None and context.last[0] is not None:
        first = context.last
        year: int | None = first[0] + (month < (first[1] or 1))
        confidence = 0.9
    elif _YEAR_BEFORE.search(context.plain[max(0, at - 2) : at]):
        year, confidence = None, 0.7
    else:
        year, confidence = context.year_for(at, month, day)
        if (month, day) == (2, 29) and year is not None and not _has_leap_day(year):
            step = 1 if context.looks_ahead(at) else -1
            year = next(one for one in range(year, year + 9 * step, step) if _has_leap_day(one))
    carried = () if year is None else ("year",)
    return read_after_month(context, match.end(), (year, month), (("month",), carried), confidence)


def numeric_date(context: ChineseContext, at: int) -> RuleResult | None:
    """A date in numbers, as tables and web pages write it."""
    match = _ISO.match(context.plain, at)
    if match is None:
        return _read_iso_month(context, at)
    year, month, day = (int(match[name]) for name in _DAY_GRAIN)
    if not context.has_day(year, month, day) or not 1500 <= year <= 2200:
        return None
    return make_day_result(context, match.end(), (year, month, day), (_DAY_GRAIN, ()), 0.95)


def _read_iso_month(context: ChineseContext, at: int) -> RuleResult | None:
    match = _ISO_MONTH.match(context.plain, at)
    if match is None or _NUMBER_BEFORE.search(context.plain, max(0, at - 4), at):
        return None
    year, month = int(match["year"]), int(match["month"])
    if not 1500 <= year <= 2200:
        return None
    return read_after_month(context, match.end(), (year, month), (("year", "month"), ()), 0.9)


def century_or_decade(context: ChineseContext, at: int) -> RuleResult | None:
    """Centuries and decades."""
    match = _CENTURY.match(context.plain, at)
    if match is not None:
        return _make_century(match, context)
    match = _DECADE.match(context.plain, at)
    if match is None:
        return None
    first = int(parse_number(match["decade"]) or 0)
    confidence = 0.95
    if first < 100:
        # 10年代 and 20年代 are of this century or the last: only what is far enough back is sure.
        first, confidence = (first + 1900, 0.85) if first >= 30 else (first + 2000, 0.6)
    return _add_part(
        match,
        RuleResult(match.end(), "DATE", f"{first // 10:03d}", _make_years(first, 10), "", confidence, ("decade",)),
    )


def _make_century(match: re.Match[str], context: ChineseContext) -> RuleResult | None:
    carried: tuple[str, ...] = ()
    if match["number"]:
        place = int(parse_number(match["number"]) or 0)
        if not 1 <= place <= 30:
            return None
    else:
        # Without a reference time, this century is taken to be the twenty-first.
        today = context.today
        place = (today[0] if today else 2000) // 100 + 1 - (match["which"][0] == "上")
        carried = ("century",)
    stated = () if carried else ("century",)
    if match["bce"]:
        if match["decade"]:
            return None
        span = Span(to_seconds(1 - 100 * place), to_seconds(101 - 100 * place), Grain.CENTURY)
        return _add_part(match, RuleResult(match.end(), "DATE", f"BC{place - 1:02d}", span, "", 0.95, stated))
    first = 100 * (place - 1)
    if match["decade"]:
        first += int(parse_number(match["decade"]) or 0)
        found = RuleResult(
            match.end(), "DATE", f"{first // 10:03d}", _make_years(first, 10), "", 0.95, (*stated, "decade"), carried
        )
    else:
        found = RuleResult(match.end(), "DATE", f"{place - 1:02d}", _make_years(first, 100), "", 0.95, stated, carried)
        if match["half"]:
            middle = first + 50 * (match["half"][0] in "下后")
            half = Span(to_seconds(middle), to_seconds(middle + 50), Grain.YEAR)
            return replace(found, value=half.edtf(), span=half)
    return _add_part(match, found)


def _make_years(first: int, count: int) -> Span:
    return Span(to_seconds(first), to_seconds(first + count), Grain.DECADE if count == 10 else Grain.CENTURY)


def _add_part(match: re.Match[str], found: RuleResult) -> RuleResult:
    """The early, middle or late part that the words after a century or decade name."""
    for name, part in (("start", "early"), ("mid", "mid"), ("end", "late")):
        if match[name] and found.span is not None:
            return replace(found, span=found.span.part(part), mod=_MODS[name])  # type: ignore[arg-type]
    return found
