"""Amounts of time in Chinese: durations (三年, 两个半小时), counted times (三年前, 近五年) and sets (每年, 每周一)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from epochal.lazy import lazy_regex
from epochal.reading.chinese.dates import make_day_result, read_after_month, read_after_year
from epochal.reading.chinese.text import DAY_NUMBER, MONTH_NUMBER, NUMBER, ChineseContext, RuleResult, parse_number
from epochal.reading.expression import Kind
from epochal.reading.timex3 import duration_value, timex3_value, year_value
from epochal.times.axis import DAY, Certainty, Grain, civil_date, day_number, days_in_month
from epochal.times.edtf import get_iso_week
from epochal.times.span import Span

__all__ = ["ChineseAmount", "counted", "every", "read_amount"]


_UNIT = (
    r"(?:(?P<year>年)(?![级代头轻龄糕薪均审检货夜关华卡终宵纪]|度|一度|到头|四季|报(?![道告]))"
    r"|(?P<month>个月|(?<=个多)月|(?<=个半)月(?![球亮饼]))|(?P<quarter>个季度)|(?P<week>周(?![岁年边围期末])|个?(?:星期(?![一二三四五六日天])|礼拜(?![一二三四五六日天])))"
    r"|(?P<day>天(?![津河空下气才使堂窗地文线桥真府性猫然机价台坛涯际生体龙王鹅宫仙理赋赐到])|日(?=[前后内来]|[之以][前后内来]|时间)|个?工作日)"
    r"|(?P<hour>个?小时|个?钟头|个钟(?!表)|(?<=个半)钟(?!表))|(?P<quarter_hour>刻钟?)|(?P<minute>分半?钟)|(?P<second>秒钟?(?![杀拍针表]))|(?P<century>个世纪))"
)
_AMOUNT = lazy_regex(
    rf"(?:(?P<number>{NUMBER})(?:(?P<space>\s)|(?P<more>个多|多|余|几)?(?P<mid>个?半(?=个|小时|钟头|钟|年|天|分钟)|个半(?=月))?)|(?P<half>半)){_UNIT}"
    r"(?:(?P<and_half>半(?![导信数]))|(?P<and_more>多(?=以?[前后来]|之[前后]|的?时间|[，。])))?"
)
_GRAINS = {
    "year": (Grain.YEAR, "Y"),
    "quarter": (Grain.QUARTER, "Q"),
    "month": (Grain.MONTH, "M"),
    "week": (Grain.WEEK, "W"),
    "day": (Grain.DAY, "D"),
    "hour": (Grain.HOUR, "TH"),
    "quarter_hour": (Grain.MINUTE, "TM"),
    "minute": (Grain.MINUTE, "TM"),
    "second": (Grain.SECOND, "TS"),
    "century": (Grain.CENTURY, ""),
}
#: What a half of a unit is counted in.
_FINER = {
    Grain.YEAR: (Grain.MONTH, 12),
    Grain.DAY: (Grain.HOUR, 24),
    Grain.HOUR: (Grain.MINUTE, 60),
    Grain.MINUTE: (Grain.SECOND, 60),
}
#: What follows an amount whose number and unit are apart.
_AFTER_SPACED = lazy_regex(r"[前后内里间左以之的，。,.;；!！?？)）\s]|$")
_IDIOMS = lazy_regex(
    r"十年(?:树木|寒窗|磨一?剑)|三天(?:两头|打鱼)|一年(?:到头|四季|一度|半载)|三年五载|一天(?:到晚|天)|百年树人|一日千里|两年半的练习生"
)
#: Before 一天 and its like: a certain day, that day, which day.
_BEFORE_ONE = "有那这每某哪同另头前后"
_EVERY = lazy_regex(
    rf"每(?:年(?P<month>{MONTH_NUMBER})月(?:(?P<month_day>{DAY_NUMBER})[日号])?|月(?P<day>{DAY_NUMBER})[日号]"
    r"|逢?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])|(?:逢|个)?(?P<weekend>周末)"
    r"|(?P<unit>年|个?月(?!球)|周(?!刊)|个?星期|个?礼拜|天|日(?![经邮电新快商一])|个?季度|个?小时|分钟|(?P<night>晚|夜))"
    rf"|隔?(?P<number>{NUMBER})(?P<units>年|个月|周|个?星期|天|日|个?小时|分钟))|(?P<daily>天天|年年)(?!向上|有余|特价)"
)
_EVERY_UNIT = {
    "年": "Y",
    "月": "M",
    "周": "W",
    "期": "W",
    "拜": "W",
    "天": "D",
    "日": "D",
    "度": "Q",
    "时": "TH",
    "钟": "TM",
}


@dataclass(frozen=True, slots=True)
class ChineseAmount:
    """A count of units that ends at a place of the text; `count` is None when it is not a number."""

    end: int
    count: float | None
    grain: Grain
    iso: str
    is_more: bool

    @property
    def months(self) -> float | None:
        """Its length in months, where its unit is made of them."""
        return None if self.count is None or not self.grain.months else self.count * self.grain.months


def read_amount(plain: str, at: int) -> ChineseAmount | None:
    """The amount at an offset; None where there is none."""
    match = _AMOUNT.match(plain, at)
    if match is None or _IDIOMS.match(plain, at):
        return None
    before = plain[at - 1 : at] if at else ""
    if match["space"] and not _AFTER_SPACED.match(plain, match.end()):
        return None  # 526 周又元: a number and a name
    if before == "第" or (before and before in _BEFORE_ONE and match["number"] in ("一", "1")):
        return None
    if match["half"]:
        count = 0.5
        if before and before in "上下前后大小一多夜":
            return None  # 上半年 is another thing, and 大半天 no amount
    else:
        found = parse_number(match["number"])
        if not found or not any(char not in "百千" for char in match["number"]):
            return None  # 百年, 千年: as good as for ever
        is_half = match["mid"] or match["and_half"] or match["minute"] == "分半钟"
        count = found + (0.5 if is_half else 0)
    name = next(name for name in _GRAINS if match[name])
    if name == "quarter_hour":
        if count not in (1, 2, 3):
            return None
        count *= 15
    grain, letter = _GRAINS[name]
    if name == "year" and count >= 1000 and not match["more"]:
        return None  # a year, or a number that is none
    goes_on = (match["and_half"] or match["and_more"]) and not match["half"]
    is_more = bool(match["more"] or match["and_more"])
    value = f"P{round(100 * count)}Y" if name == "century" else duration_value(count, letter)
    return ChineseAmount(match.end() if goes_on else match.end(name), count, grain, value, is_more)


def every(context: ChineseContext, at: int) -> RuleResult | None:
    """A set: what comes again and again."""
    match = _EVERY.match(context.plain, at)
    if match is None:
        return None
    if match["month"]:
        value = f"XXXX-{int(parse_number(match['month']) or 0):02d}"
        if match["month_day"]:
            value += f"-{int(parse_number(match['month_day']) or 0):02d}"
    elif match["day"]:
        value = f"XXXX-XX-{int(parse_number(match['day']) or 0):02d}"
    elif match["weekday"]:
        value = f"XXXX-WXX-{min('一二三四五六日天'.index(match['weekday']), 6) + 1}"
    elif match["weekend"]:
        value = "XXXX-WXX-WE"
    elif match["night"]:
        value = "XXXX-XX-XXTEV"
    elif match["number"]:
        count = parse_number(match["number"])
        if not count:
            return None
        value = duration_value(count, _EVERY_UNIT[match["units"][-1]])
    else:
        value = duration_value(1, _EVERY_UNIT[(match["unit"] or match["daily"])[-1]])
    return RuleResult(match.end(), "SET", value, None, "", 0.9, ("set",))


#: What can come before 上两周, 后三天.
_BEFORE_LEAD = frozenset(" 　，。、；：,.;:!?！？（(“「\n在了是过就于这那的从对把给和与及或")
_DIGITS = tuple("0123456789一二三四五六七八九十两")
#: Between two amounts that make one: 两年零三个月.
_AND = lazy_regex(r"(?:零|又|，|,)?\s?")


def _read_amounts(plain: str, at: int) -> tuple[ChineseAmount, tuple[ChineseAmount, ...]] | None:
    """An amount and the finer ones that follow it: 8天20小时, 一个小时三十分钟."""
    first = last = read_amount(plain, at)
    if first is None or last is None:
        return None
    rest: list[ChineseAmount] = []
    while not last.is_more and (joint := _AND.match(plain, last.end)) is not None:
        following = read_amount(plain, joint.end()) if plain[joint.end() : joint.end() + 1] in _DIGITS else None
        following = following or (_read_minutes(plain, last.end) if last.grain is Grain.HOUR else None)
        if following is None or following.grain >= last.grain:
            break
        rest.append(following)
        last = following
    return first, tuple(rest)


_MINUTES = lazy_regex(r"(?P<number>[0-5]?[0-9]|[二三四五]?十[一二三四五六七八九]?)分(?=[，。、；,;\s前后内之以]|$)")


def _read_minutes(plain: str, at: int) -> ChineseAmount | None:
    """Minutes behind hours, without 钟: 两小时十分."""
    match = _MINUTES.match(plain, at)
    count = parse_number(match["number"]) if match is not None else None
    if match is None or not count:
        return None
    return ChineseAmount(match.end(), count, Grain.MINUTE, duration_value(count, "TM"), False)


def _join_values(values: list[str]) -> str:
    """The ISO 8601 durations of several amounts as one."""
    days = "".join(value[1:] for value in values if not value.startswith("PT"))
    times = "".join(value[2:] for value in values if value.startswith("PT"))
    return f"P{days}" + (f"T{times}" if times else "")


_SIDE = lazy_regex(
    r"(?:(?P<ago>以前|之前|前(?!后|沿|几|[一二三四五六七八九十两0-9]{1,2}(?:[个大名位天周强]|季度)))"
    r"|(?P<later>以后|之后|后(?!续|半|期))|(?P<since>以来|来)|(?P<within>之内|以内|内(?!部|地|容)))"
)
_LEAD = lazy_regex(
    r"(?P<past>近|过去|最近|这|此前)的?(?=[0-9一二三四五六七八九十两半])|(?P<future>未来|今后|接下来|[之此往]后)的?(?=[0-9一二三四五六七八九十两半])"
    r"|(?P<back>[上前])(?=[0-9二三四五六七八九十两])|(?P<on>[下后])(?=[0-9二三四五六七八九十两])"
    r"|(?P<passing>过)(?=[0-9二三四五六七八九十两]{1,3}(?:天|周|个月|年))"
)


def counted(context: ChineseContext, at: int) -> RuleResult | None:
    """An amount of time: counted back or forward it is a date (三年前, 两天后), else a duration (近五年, 三个月)."""
    lead = _LEAD.match(context.plain, at)
    if lead is not None and (lead["back"] or lead["on"]) and at and context.plain[at - 1] not in _BEFORE_LEAD:
        return None  # 会前两天, 前后两年
    amounts = _read_amounts(context.plain, lead.end() if lead else at)
    if amounts is None and lead is not None:
        amounts = _read_months(context.plain, lead.end())
    if amounts is None:
        return None
    amount, rest = amounts
    if rest:
        return _make_compound(context, amount, rest)
    if lead is not None and lead["passing"]:
        return _make_passing(context, at, amount)
    if lead is not None and (lead["back"] or lead["on"]):
        return _make_units(context, amount, -1 if lead["back"] else 1)
    side = _SIDE.match(context.plain, amount.end)
    if lead is None and side is not None and (side["ago"] or side["later"]) and amount.count is not None:
        dated = _make_counted_date(context, at, amount, side)
        if dated is not None:
            return dated
    mod = "MORE_THAN" if amount.is_more else ""
    end = amount.end
    moment = context.moment
    span = None
    past = (lead is not None and lead["past"]) or (side is not None and side["since"])
    if side is not None and side["since"]:
        end = side.end()
    if moment is not None and amount.count is not None and context.now is not None:
        if past:
            span = _make_window(context.now, amount, -1)
        elif lead is not None:
            span = _make_window(context.now, amount, 1)
        elif side is not None and side["within"] and (context.prefer is not None or context.looks_ahead(at)):
            span, end = _make_window(context.now, amount, 1), side.end()
    return RuleResult(end, "DURATION", amount.iso, span, mod, 0.9 if lead or side else 0.85, ("duration",))


#: Months that are counted behind 近, 前 and their like, without 个: 近三月.
_MONTHS = lazy_regex(rf"(?P<number>{NUMBER})月(?=[来内，。、；,;\s]|$)")


def _read_months(plain: str, at: int) -> tuple[ChineseAmount, tuple[ChineseAmount, ...]] | None:
    match = _MONTHS.match(plain, at)
    count = parse_number(match["number"]) if match is not None else None
    if match is None or not count or count != int(count):
        return None
    return ChineseAmount(match.end(), count, Grain.MONTH, duration_value(count, "M"), False), ()


def _make_compound(context: ChineseContext, first: ChineseAmount, rest: tuple[ChineseAmount, ...]) -> RuleResult:
    """Several amounts as one length, or counted back or forward as one time."""
    end = rest[-1].end
    value = _join_values([first.iso, *(one.iso for one in rest)])
    side = _SIDE.match(context.plain, end)
    counts = [one.count for one in (first, *rest)]
    now = context.now
    if side is None or not (side["ago"] or side["later"]) or now is None or now.is_open or None in counts:
        return RuleResult(end, "DURATION", value, None, "", 0.9, ("duration",))
    finest = rest[-1].grain
    span = Span.unit(now.start, finest if finest >= Grain.DAY else min(finest, now.end_grain))
    for one in (first, *rest):
        span = span.shift(round((-1 if side["ago"] else 1) * (one.count or 0)), one.grain)
    kind: Kind = "TIME" if span.grain < Grain.DAY else "DATE"
    return RuleResult(side.end(), kind, timex3_value(span), span, "", 0.8, (), ("year", "month", "day"))


def _make_passing(context: ChineseContext, at: int, amount: ChineseAmount) -> RuleResult | None:
    """过两天: the day, week or year after so many have passed; 度过两天 and 不过两天 say how long."""
    now, count = context.now, amount.count
    if (at and context.plain[at - 1] not in _BEFORE_LEAD) or now is None or now.is_open or amount.is_more:
        return None
    if count is None or count != int(count) or now.end_grain > amount.grain or count > 400:
        return None
    span = Span.unit(now.start, amount.grain).shift(int(count))
    return RuleResult(amount.end, "DATE", timex3_value(span), span, "", 0.7, (), ("year", "month", "day"))


def _make_units(context: ChineseContext, amount: ChineseAmount, sign: int) -> RuleResult | None:
    """So many whole units before or after the present one: 上两周, 后三天."""
    count = amount.count
    if count is None or count != int(count) or amount.is_more:
        return None
    span = None
    if context.moment is not None and context.now is not None and context.now.end_grain <= amount.grain:
        here = Span.unit(context.now.start, amount.grain)
        ends = (here.shift(sign), here.shift(sign * int(count)))
        span = Span.between(*(ends if sign > 0 else ends[::-1]))
    return RuleResult(amount.end, "DURATION", amount.iso, span, "", 0.85, ("duration",))


def _make_window(now: Span, amount: ChineseAmount, sign: int) -> Span | None:
    """The span of that length before or after the reference time."""
    count = round(amount.months or 0) if amount.grain.months else round(amount.count or 0)
    grain = Grain.MONTH if amount.grain.months else amount.grain
    if not 0 < count < 200_000:
        return None
    other = now.shift(sign * count, grain)
    ends = (other.end, now.end) if sign < 0 else (now.end, other.end)
    if now.end_grain < Grain.DAY:  # from the moment itself, not from the second after it
        ends = (other.start, now.end) if sign < 0 else (now.start, other.end)
    return Span(*ends, amount.grain, amount.grain, Certainty.APPROXIMATE, Certainty.APPROXIMATE)


def _make_counted_date(
    context: ChineseContext, at: int, amount: ChineseAmount, side: re.Match[str]
) -> RuleResult | None:
    sign, grain, size = -1 if side["ago"] else 1, amount.grain, amount.count or 0
    if size != int(size) and grain in _FINER:
        grain, size = _FINER[grain][0], _FINER[grain][1] * size  # 半年前, 一年半前
    count = sign * int(size)
    too_far = abs(count) > 100_000 or grain > Grain.YEAR
    is_whole = size == int(size) and not amount.is_more and not too_far
    if is_whole and sign > 0 and (later := _count_from_text_date(context, at, count, grain, side.end())) is not None:
        return later
    if context.now is None or context.moment is None or not is_whole:
        return RuleResult(side.end(), "DATE", "PAST_REF" if sign < 0 else "FUTURE_REF", None, "", 0.6)
    if context.now.end_grain > grain:
        kind: Kind = "TIME" if grain < Grain.DAY else "DATE"
        return RuleResult(side.end(), kind, "PAST_REF" if sign < 0 else "FUTURE_REF", None, "", 0.6)
    carried = ("year", "month", "day")
    confidence = 0.9 if sign < 0 else 0.5
    if grain is Grain.YEAR:
        return _count_years(context, count, side.end(), confidence)
    # An hour before 4:30 is 3:30.
    kept = min(grain, context.now.end_grain) if grain is Grain.HOUR else grain
    span = Span.unit(context.moment, kept).shift(count, grain)
    year, month, day = civil_date(span.start // DAY)
    if grain is Grain.MONTH:
        return read_after_month(context, side.end(), (year, month), ((), carried[:2]), confidence)
    if grain is Grain.DAY:
        return make_day_result(context, side.end(), (year, month, day), ((), carried), confidence)
    if grain is Grain.QUARTER:
        return RuleResult(side.end(), "DATE", timex3_value(span), span, "", confidence, (), ("year",))
    if grain is Grain.WEEK:
        week_year, week = get_iso_week(span.start // DAY)
        there = Span.unit(context.moment, Grain.DAY).shift(count, Grain.WEEK)  # in TIMEX3 a week, a day by the calendar
        return RuleResult(
            side.end(), "DATE", f"{year_value(week_year)}-W{week:02d}", there, "", confidence, (), ("week",)
        )
    return RuleResult(side.end(), "TIME", span.edtf().removesuffix("Z"), span, "", confidence, (), ("day",))


def _count_from_text_date(context: ChineseContext, at: int, count: int, grain: Grain, end: int) -> RuleResult | None:
    """三年后 in a narrative counts from the date that the text stated last, where that is as fine as the unit."""
    last = context.last
    if last is None or context.text_year(at) is None:
        return None
    year, month, day = last
    if grain is Grain.YEAR:
        return read_after_year(context, end, year + count, ((), ("year",)), 0.6)
    if grain is Grain.MONTH and month is not None:
        months = 12 * year + month - 1 + count
        return read_after_month(context, end, (months // 12, months % 12 + 1), ((), ("year", "month")), 0.6)
    if grain is Grain.DAY and month is not None and day is not None:
        date = civil_date(day_number(year, month, day) + count)
        return make_day_result(context, end, date, ((), ("year", "month", "day")), 0.6)
    return None


def _count_years(context: ChineseContext, count: int, end: int, confidence: float) -> RuleResult | None:
    """So many years ago, or on this day so many years ago."""
    today = context.today
    if today is None:
        return None
    year = today[0] + count
    if context.plain.startswith(("的今天", "今天"), end) and context.knows_day:
        end += 3 if context.plain[end] == "的" else 2
        day = min(today[2], days_in_month(year, today[1]))
        return make_day_result(context, end, (year, today[1], day), ((), ("year", "month", "day")), confidence)
    return read_after_year(context, end, year, ((), ("year",)), confidence)
