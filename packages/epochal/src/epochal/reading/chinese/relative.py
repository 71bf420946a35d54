"""Chinese words that point from the reference time: 昨天, 去年, 上周五, 第三季度, 15日, 年底, 目前."""

from __future__ import annotations

import re

from epochal.lazy import lazy_regex
from epochal.reading.chinese.clocks import add_clock
from epochal.reading.chinese.dates import make_day_result, read_after_month, read_after_year
from epochal.reading.chinese.text import DAY_NUMBER, ChineseContext, RuleResult, parse_number
from epochal.reading.timex3 import timex3_value, year_value
from epochal.times.axis import DAY, Certainty, Grain, civil_date, day_number, to_seconds, weekday
from epochal.times.edtf import get_iso_week
from epochal.times.span import Span

__all__ = [
    "bare_day",
    "day_word",
    "edge_alone",
    "month_word",
    "quarter_or_half",
    "season_alone",
    "vague",
    "week_word",
    "year_word",
]

_DAY_WORD = lazy_regex(
    r"(?P<big>大)?(?P<far>[前后])(?:天|日(?![本内起程]))(?!性|因素|努力|培养|环境|养成|失调|条件|形成|免疫)"
    r"|(?P<near>[今昨明])(?:天|日(?!头条|之星|重现|说法|方舟|香))|(?P<short>[今昨明听寻琴])(?=[晚晨早夜](?![报点清会就已年]))|(?P<south>[听寻琴])日"
    r"|(?P<next>次日|翌日)|(?P<same>当[天日](?!地)|同日|当(?=晚))"
)
#: How far a day is; the last three are Cantonese.
_NEAR_DAYS = {"昨": -1, "今": 0, "明": 1, "寻": -1, "琴": -1, "听": 1}
_YEAR_WORD = lazy_regex(
    r"(?P<now>[今去明]年(?!轻|级|纪)|大?前年|后年(?![利均化])|[本上]年度|本年(?!级|薪|轻)|来年|上一?年(?![度级底末])|[下这]一年(?![度级来])|下年(?![度级]))|(?P<text>同年(?!级|龄|代)|[次翌]年)"
)
_YEARS = {
    "今年": 0,
    "去年": -1,
    "明年": 1,
    "大前年": -3,
    "前年": -2,
    "后年": 2,
    "本年度": 0,
    "上年度": -1,
    "本年": 0,
    "来年": 1,
    "上一年": -1,
    "上年": -1,
    "这一年": 0,
    "下一年": 1,
    "下年": 1,
}
_MONTH_WORD = lazy_regex(
    r"(?:(?P<which>上上?一?个?|下下?一?个?|本|这一?个|今个)月|(?P<text>[同当次]月))(?:份|(?![球亮饼台票经薪光季牙]))"
)
_WEEK_WORD = lazy_regex(
    r"(?P<which>上上?一?个?|下下?一?个?|本|这一?个?|今个?|当)(?P<unit>周|星期|礼拜)(?:(?:的?(?:周|星期|礼拜))?(?P<day>[一二三四五六日天])(?![个位次家名些])|(?P<end>末)|(?![围边期岁密全转年]))"
    r"|(?:(?P<plain>周)(?P<bare>[一二三四五六日])(?![个位次家名福围良岁年])|(?:星期|礼拜)(?P<full>[一二三四五六日天]))|(?P<weekend>周末)"
)
_QUARTER = lazy_regex(
    r"第?(?P<number>[一二三四首1-4])季度(?P<edge>[末初](?!期))?|[Qq](?P<q>[1-4])(?![0-9A-Za-z])"
    r"|(?P<which>上个?|本|这个?|下个?)季度(?P<which_edge>[末初](?!期))?|(?P<half>[上下])半年|(?P<half_month>[上下])半月(?!刊|板)"
    r"|前(?P<first>[二三两23])个?季度"
)
_SEASON = lazy_regex(
    r"(?P<year>[今去明])(?P<which>[春夏秋冬])(?![秋季天晚])|(?P<season>[春夏秋冬])(?:季|天)(?=[，。、；！？,!?里]|$|来临|到来|期间|过后)"
)
_RANGE_DAY = lazy_regex(rf"(?P<day>{DAY_NUMBER})[日号](?![本元线楼])")
_BARE_DAY = lazy_regex(
    r"(?P<day>[12][0-9]|3[01]|[1-9])(?:号(?=早上|上午|中午|下午|傍晚|晚上|凌晨|[0-9]{1,2}[点时:：])|日(?![本元语圆军均常化内间期游志程系夜经前后以之]))"
)
#: Before or after a bare day: what only a date has there. One strong sign is enough, a weak one needs a word after it.
_BARE_DAY_STRONG = lazy_regex(r"(?:[，。；：:\s（(》”」]|[于自从]|本报|(?<![存现所])在|^)$")
_BARE_DAY_AFTER = lazy_regex(r"[，,。电讯在从向对表晚凌早晨上下中与和就被至到将已宣发举起消报召公播说称]")
_EDGE = lazy_regex(r"(?P<unit>年|月)(?:初(?![一二三四五六七八九十中级次步始])|[底末](?![层部考]))")
_NOT_BEFORE_EDGE = "0123456789一二三四五六七八九十百千两几数多每个历新过大满同当早成来往周"
_VAGUE = lazy_regex(
    r"(?P<present>目前|(?<![出体发实呈展表浮])现在(?!于)|如今|当前|眼下|(?<!出)现今(?![冬年天])|此刻|[而依]家)"
    r"|(?P<days>近日(?!本)|(?<![生今明当节假次翌末工])日前(?!后)|前不久|不久前)"
    r"|(?P<months>最近(?![的处邻])|近期|近来)|(?P<years>近(?:几|些|数)?年来?|近(?:几|些)年|过去的?[几数多]年)"
    r"|(?P<future>(?<!好)未来(?![科城简主学派感世])|(?<!即)将来(?!临|到)|今后)"
    r"|(?P<once>(?:[几数多若]|好几|若干)(?:年|天|个月|周|十年)(?:以前|之前|前))"
)


def day_word(context: ChineseContext, at: int) -> RuleResult | None:
    """今天, 昨晚8点, 大后天; 次日 and 当天 count from the day that the text stated last."""
    match = _DAY_WORD.match(context.plain, at)
    if match is None:
        return None
    if match["next"] or match["same"]:
        return _text_day(context, match)
    if match["far"]:
        shift = (2 + bool(match["big"])) * (1 if match["far"] == "后" else -1)
        if match["far"] == "后" and at and context.plain[at - 1] in "前之以此":
            return None  # 前后天气, 之后天下
        if context.plain[at - 1 : at] in ("先", "头") or context.plain[max(0, at - 2) : at] == "先天":
            return None
    else:
        shift = _NEAR_DAYS[match["near"] or match["short"] or match["south"]]
    if not context.knows_day or context.moment is None:
        found = RuleResult(match.end(), "DATE", "PRESENT_REF" if shift == 0 else "XXXX-XX-XX", None, "", 0.7)
        return add_clock(context, found) if match["short"] else found
    date = civil_date(context.moment // DAY + shift)
    found = make_day_result(context, match.end(), date, ((), ("year", "month", "day")), 0.95)
    return None if match["short"] and found.kind != "TIME" else found


def _text_day(context: ChineseContext, match: re.Match[str]) -> RuleResult | None:
    """A day that is counted from the last one stated; none without one nearby."""
    last = context.last
    if last is None or last[1] is None or last[2] is None or context.text_year(match.start()) is None:
        if not context.is_range_end or context.last_time is None:
            return None
        last = civil_date(context.last_time.start // DAY)  # 13:20至次日05:40
    if last[1] is None or last[2] is None:
        return None
    date = civil_date(day_number(last[0], last[1], last[2]) + bool(match["next"]))
    found = make_day_result(context, match.end(), date, ((), ("year", "month", "day")), 0.8)
    return None if match["same"] == "当" and found.kind != "TIME" else found


def year_word(context: ChineseContext, at: int) -> RuleResult | None:
    """今年, 去年3月, 前年夏天, 同年, 次年."""
    match = _YEAR_WORD.match(context.plain, at)
    before = context.plain[at - 1 : at]
    if match is None or (match[0][0] in "前后" and before in ("年", "月", "天")):
        return None
    if match[0][0] == "这" and before == "年":
        return None  # 1998年这一年 is 1998
    if match["text"]:
        year = context.text_year(at)
        if year is None:
            return None
        return read_after_year(context, match.end(), year + (match[0][0] in "次翌"), ((), ("year",)), 0.85)
    today = context.today
    if today is None:
        return RuleResult(match.end(), "DATE", "XXXX", None, "", 0.7)
    last = context.last
    # What the year before is counted from, is the year that a report is of.
    here = (context.text_year(at) if match["now"].startswith("上") else None) or today[0]
    found = read_after_year(context, match.end(), here + _YEARS[match["now"]], ((), ("year",)), 0.95)
    if found.stated == ():
        context.last = last  # 今年 alone is the writer's year, not that of the story
    return found


def month_word(context: ChineseContext, at: int) -> RuleResult | None:
    """上个月, 本月8日, 同月."""
    match = _MONTH_WORD.match(context.plain, at)
    if match is None or (match[0][0] == "这" and context.plain[at - 1 : at] in ("月", "份")):
        return None  # 2014年3月这个月 is that March
    if match["text"]:
        last = context.last
        if last is None or last[1] is None or context.text_year(at) is None:
            is_first = at == 0 or context.plain[at - 1] in " ，。、；：,.;:（(\n"
            if match["text"] != "当月" or context.today is None or not is_first:
                return None  # 发布当月: of what happened then
            last = context.today
        months = 12 * last[0] + (last[1] or 1) - 1 + (match["text"] == "次月")
    elif context.today is None or context.now is None or context.now.end_grain > Grain.MONTH:
        return RuleResult(match.end(), "DATE", "XXXX-XX", None, "", 0.7)
    else:
        months = 12 * context.today[0] + context.today[1] - 1 + _shift(match["which"])
    year, month = months // 12, months % 12 + 1
    return read_after_month(context, match.end(), (year, month), ((), ("year", "month")), 0.95)


def _shift(which: str) -> int:
    """How many units a word goes forward: 上 back by one, 上上 by two, 下 forward."""
    return which.count("下") - which.count("上")


def week_word(context: ChineseContext, at: int) -> RuleResult | None:
    """上周五, 本周, 下星期三, 周末; a weekday alone is the latest one, or the next where something is announced."""
    match = _WEEK_WORD.match(context.plain, at)
    if match is None or (
        match["plain"] and context.plain[at - 1 : at] in tuple("0123456789一二三两四五六七八九十每四半")
    ):
        return None
    name = match["day"] or match["bare"] or match["full"]
    place = None if name is None else min("一二三四五六日天".index(name), 6)
    if not context.knows_day or context.moment is None:
        value = "XXXX-WXX" if place is None else f"XXXX-WXX-{place + 1}"
        return RuleResult(match.end(), "DATE", value, None, "", 0.7)
    today = context.moment // DAY
    monday = today - weekday(today) + 1
    if match["which"]:
        monday += 7 * _shift(match["which"])
    elif place is not None:
        monday = _choose_week(context, at, today, monday, place)
    if place is not None:
        carried = ("year", "month", "day")
        confidence = 0.95 if match["which"] else 0.85
        return make_day_result(context, match.end(), civil_date(monday + place), (("weekday",), carried), confidence)
    year, week = get_iso_week(monday)
    value = f"{year_value(year)}-W{week:02d}"
    if match["end"] or match["weekend"]:
        span = Span((monday + 5) * DAY, (monday + 7) * DAY, Grain.DAY)
        return RuleResult(
            match.end(), "DATE", f"{value}-WE", span, "", 0.9 if match["end"] else 0.6, (), ("year", "week")
        )
    return RuleResult(match.end(), "DATE", value, Span.unit(monday * DAY, Grain.WEEK), "", 0.95, (), ("year", "week"))


def _choose_week(context: ChineseContext, at: int, today: int, monday: int, place: int) -> int:
    """The Monday of the week whose day a weekday is that stands alone."""
    day = monday + place
    if context.prefer == "nearest":
        return monday + (7 if day < today - 3 else -7 if day > today + 3 else 0)
    if context.looks_ahead(at):
        # What is said to come is today at the earliest; what the caller wants ahead is not today.
        return monday + 7 * (day < today + (context.prefer == "future"))
    return monday - 7 * (day > today)


def quarter_or_half(context: ChineseContext, at: int) -> RuleResult | None:
    """第三季度, Q3, 上季度, 下半年: without a year, the latest that has begun."""
    match = _QUARTER.match(context.plain, at)
    if match is None:
        return None
    grain, mark = (Grain.HALF, "H") if match["half"] else (Grain.QUARTER, "Q")
    today = context.today
    if match["half_month"]:
        return _make_half_month(context, match)
    if match["which"]:
        if today is None or context.moment is None:
            return RuleResult(match.end(), "DATE", "XXXX-QX", None, "", 0.7)
        span = Span.unit(context.moment, grain).shift(_shift(match["which"]))
        year, month, _ = civil_date(span.start // DAY)
        value = f"{year_value(year)}-Q{month // 3 + 1}"
        mod = {"末": "END", "初": "START"}.get(match["which_edge"] or "", "")
        span = span.part("late" if mod == "END" else "early") if mod else span
        return RuleResult(match.end(), "DATE", value, span, mod, 0.95, (), ("year", "quarter"))
    name = match["half"] or match["number"] or match["q"] or match["first"]
    place = {"上": 1, "下": 2, "首": 1, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4}.get(name) or int(name)
    first = (place - 1) * grain.months + 1
    stated: tuple[str, ...] = (grain.label,)
    confidence = 0.8 if match["q"] else 0.9
    text = context.text_year(at)
    chosen = text
    if text is None and today is not None:
        chosen = today[0] + (first < today[1] - grain.months + 1 if context.looks_ahead(at) else -(first > today[1]))
    if chosen is None:
        return RuleResult(match.end(), "DATE", f"XXXX-{mark}{place}", None, "", confidence - 0.2, stated)
    if match["first"]:
        span = Span.between(Span.month(chosen, 1), Span.month(chosen, 3 * place))
        return RuleResult(match.end(), "DATE", timex3_value(span), span, "", confidence, stated, ("year",))
    span = Span.unit(to_seconds(chosen, first), grain)
    mod = {"末": "END", "初": "START"}.get(match["edge"] or "", "")
    span = span.part("late" if mod == "END" else "early") if mod else span
    return RuleResult(
        match.end(), "DATE", f"{year_value(chosen)}-{mark}{place}", span, mod, confidence, stated, ("year",)
    )


def _make_half_month(context: ChineseContext, match: re.Match[str]) -> RuleResult | None:
    """上半月: of the month at hand."""
    today = context.today
    if today is None or context.now is None or context.now.end_grain > Grain.MONTH:
        return None
    month = Span.month(today[0], today[1])
    middle = month.start + 15 * DAY
    ends = (month.start, middle) if match["half_month"] == "上" else (middle, month.end)
    span = Span(*ends, Grain.DAY)
    return RuleResult(match.end(), "DATE", timex3_value(span), span, "", 0.85, ("half",), ("year", "month"))


def season_alone(context: ChineseContext, at: int) -> RuleResult | None:
    """今春, 去冬, and a season alone, which names no year."""
    match = _SEASON.match(context.plain, at)
    if match is None:
        return None
    month, code = {"春": (3, "SP"), "夏": (6, "SU"), "秋": (9, "FA"), "冬": (12, "WI")}[
        match["which"] or match["season"]
    ]
    if match["season"] or context.today is None:
        return RuleResult(match.end(), "DATE", f"XXXX-{code}", None, "", 0.4, ("season",))
    year = context.today[0] + "去今明".index(match["year"]) - 1
    span = Span.unit(to_seconds(year, month), Grain.SEASON)
    return RuleResult(match.end(), "DATE", f"{year_value(year)}-{code}", span, "", 0.85, ("season",), ("year",))


def bare_day(context: ChineseContext, at: int) -> RuleResult | None:
    """15日 as news write it: of the month stated last, or the latest such day before the reference time."""
    match = (_RANGE_DAY if context.is_range_end else _BARE_DAY).match(context.plain, at)
    if match is None:
        return None
    day = int(parse_number(match["day"]) or 0)
    last = context.last
    if context.is_range_end and last is not None and last[1] is not None:
        if not context.has_day(last[0], last[1], day):
            return None
        return make_day_result(context, match.end(), (last[0], last[1], day), (("day",), ("year", "month")), 0.95)
    before = context.plain[max(0, at - 2) : at]
    if before.endswith(("第", "共", "近", "约", "期", "每", "了", "过", "满", "号")):
        return None
    if not (_BARE_DAY_STRONG.search(before) or _BARE_DAY_AFTER.match(context.plain, match.end())):
        return None
    if last is not None and last[1] is not None and context.text_year(at) is not None:
        year, month = last[0], last[1]
    elif context.today is not None and context.knows_day:
        year, month, today = context.today
        if context.prefer == "future" and day < today:
            year, month = (year, month + 1) if month < 12 else (year + 1, 1)
        elif day > today and not context.looks_ahead(at) and context.prefer != "nearest":
            year, month = (year, month - 1) if month > 1 else (year - 1, 12)
            if not context.has_day(year, month, day):
                year, month = (year, month - 1) if month > 1 else (year - 1, 12)  # no month of 31 days follows another
    else:
        return RuleResult(match.end(), "DATE", f"XXXX-XX-{day:02d}", None, "", 0.6, ("day",))
    if not context.has_day(year, month, day):
        return None
    return make_day_result(context, match.end(), (year, month, day), (("day",), ("year", "month")), 0.75)


def edge_alone(context: ChineseContext, at: int) -> RuleResult | None:
    """年初, 年底, 月底 without a year or month: those of the reference time."""
    match = _EDGE.match(context.plain, at)
    today = context.today
    if match is None or today is None or (at and context.plain[at - 1] in _NOT_BEFORE_EDGE):
        return None
    if match["unit"] == "年":
        found = read_after_year(context, at, today[0], ((), ("year",)), 0.7)
    elif context.now is not None and context.now.end_grain <= Grain.MONTH:
        found = read_after_month(context, at + 1, today[:2], ((), ("year", "month")), 0.7)
    else:
        return None
    return found if found.mod else None


def vague(context: ChineseContext, at: int) -> RuleResult | None:
    """目前, 近日, 最近, 近年来, 未来: words that point near the reference time without saying how near."""
    match = _VAGUE.match(context.plain, at)
    if match is None:
        return None
    now = context.now if context.moment is not None else None
    if match["present"]:
        return RuleResult(match.end(), "DATE", "PRESENT_REF", now, "", 0.5)
    if match["future"]:
        return RuleResult(match.end(), "DATE", "FUTURE_REF", None, "", 0.4)
    span = None
    for name, count, grain in (("days", 14, Grain.DAY), ("months", 2, Grain.MONTH), ("years", 5, Grain.YEAR)):
        if match[name] and now is not None:
            low = now.shift(-count, grain).start
            span = Span(low, now.end, grain, grain, Certainty.APPROXIMATE, Certainty.APPROXIMATE)
    return RuleResult(match.end(), "DATE", "PAST_REF", span, "", 0.5)
