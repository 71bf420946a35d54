"""Chinese times of day: 上午10点, 晚上8点半, 下午三时二十分, 凌晨, behind a date or by themselves."""

from __future__ import annotations

import re
from dataclasses import replace

from epochal.lazy import lazy_regex
from epochal.reading.chinese.text import ChineseContext, RuleResult, parse_number
from epochal.reading.timex3 import timex3_value
from epochal.times.axis import DAY, Grain, civil_date
from epochal.times.span import Span

__all__ = ["DAYTIMES", "add_clock", "clock_alone"]

#: Parts of the day: their TIMEX3 code, first and last hour, and whether hours said in them are those after noon.
_PARTS: dict[str, tuple[str, int, int, bool]] = {
    "凌晨": ("NI", 0, 5, False),
    "清晨": ("MO", 5, 8, False),
    "早晨": ("MO", 5, 9, False),
    "早上": ("MO", 5, 9, False),
    "上午": ("MO", 6, 12, False),
    "中午": ("MI", 11, 13, True),
    "正午": ("MI", 12, 13, True),
    "下午": ("AF", 12, 18, True),
    "午后": ("AF", 12, 18, True),
    "傍晚": ("EV", 17, 19, True),
    "白天": ("DT", 6, 18, False),
    "黎明": ("MO", 4, 7, False),
    "拂晓": ("MO", 4, 6, False),
    "朝早": ("MO", 5, 9, False),
    "上昼": ("MO", 6, 12, False),
    "下昼": ("AF", 12, 18, True),
    "晏昼": ("AF", 12, 18, True),
    "晚上": ("EV", 18, 24, True),
    "晚间": ("EV", 18, 24, True),
    "夜间": ("NI", 20, 24, True),
    "夜里": ("NI", 20, 24, True),
    "夜晚": ("NI", 20, 24, True),
    "深夜": ("NI", 22, 24, True),
    "午夜": ("NI", 23, 24, True),
    "半夜": ("NI", 0, 3, False),
    "晚": ("EV", 18, 24, True),
    "早": ("MO", 5, 9, False),
    "晨": ("MO", 5, 9, False),
    "夜": ("NI", 20, 24, True),
}
DAYTIMES = "|".join(name for name in _PARTS if len(name) == 2)
_CLOCK = (
    r"(?P<hour>2[0-4]|1[0-9]|0?[0-9]|二十[一二三四]?|十[一二三四五六七八九]?|[一二三四五六七八九两零])"
    r"(?:(?:[点时](?![差代尚装候光间刻常空期辰机]))(?P<sharp>整|钟|正(?![好在式常]))?(?:(?P<fourth>[一三13])刻|(?P<minute>[0-5]?[0-9]|[二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九])分?"
    r"(?:(?P<second>[0-5]?[0-9]|[二三四五]?十[一二三四五六七八九]?|[一二三四五六七八九])秒)?|(?P<half>半))?"
    r"|[:：](?P<colon>[0-5][0-9])(?::(?P<colon_second>[0-5][0-9]))?(?![0-9:：%]))"
)
_AFTER_DAY = lazy_regex(
    rf"[\s，,]?的?(?P<zone>北京时间|当地时间)?\s?"
    rf"(?:(?P<part>{DAYTIMES})|(?P<short>[晚早晨夜])(?![报餐饭宴会点期年日安总稻市礼场操起班些就已]))?(?:\s?{_CLOCK})?"
)
_ALONE = lazy_regex(rf"(?:(?P<part>{DAYTIMES})(?!茶|场|盘|餐|饭)\s?)?(?:{_CLOCK})?")
#: After a bare hour on the clock; without one of these, 3点 is as often "three points".
_HOUR_FOLLOWS = lazy_regex(r"[，。,]?(?:左右|许|前|后|开始|开|起|至|到|多|之间|抵达|准时|出发)")
#: Before hours and minutes with a colon: what makes them a score or a ratio.
_SCORE_BEFORE = lazy_regex(r"(?:以|比分|比|大|分|胜|负|为|了)[\s]?$")


def add_clock(context: ChineseContext, found: RuleResult) -> RuleResult:
    """The same date with the time of day that follows it, if any does."""
    match = _AFTER_DAY.match(context.plain, found.end)
    if match is None or not (match["part"] or match["short"] or match["hour"]):
        return found
    if match["hour"] and not (match["part"] or match["short"]) and not _is_clock(match, context.plain):
        return found
    timed = _evaluate_time(match, found.value, found.span)
    if timed is None:
        return found
    value, span, stated, end = timed
    return replace(found, end=end, kind="TIME", value=value, span=span, stated=(*found.stated, *stated))


def _is_clock(match: re.Match[str], plain: str) -> bool:
    """Whether hours without a part of the day are a time at all."""
    if match["colon"]:
        return not _SCORE_BEFORE.search(plain[max(0, match.start("hour") - 3) : match.start("hour")])
    if match["minute"] and plain[match.end("minute") : match.end("minute") + 1] == "分":
        return True
    if match["minute"] and len(match["minute"]) == 2 and match["hour"].isdigit():
        return True  # 20点15
    if match.start() == 0 and match.end() == len(plain):
        return True  # nothing else is said
    if match["half"] or match["fourth"] or match["sharp"]:
        return match["hour"] not in ("一", "两") or bool(match["sharp"])
    is_shi = plain[match.end("hour") : match.end("hour") + 1] == "时"
    if match["hour"].isdigit():
        return is_shi or _HOUR_FOLLOWS.match(plain, match.end()) is not None
    return (
        match["hour"] not in ("一", "两", "零") and not is_shi and _HOUR_FOLLOWS.match(plain, match.end()) is not None
    )


def _evaluate_time(
    match: re.Match[str], day: str, whole: Span | None
) -> tuple[str, Span | None, tuple[str, ...], int] | None:
    """The value and span of a time of a day; None when the hour does not exist."""
    name = match["part"] or match.groupdict().get("short")
    part = _PARTS[name] if name else None
    if not match["hour"]:
        code, low, high, _ = part or ("", 0, 24, False)
        end = match.end("part") if match["part"] else match.end("short")
        span = whole and Span(whole.start + low * 3600, whole.start + high * 3600, Grain.HOUR)
        return f"{day}T{code}", span, ("daytime",), end
    hour = int(parse_number(match["hour"]) or 0)
    is_noon = part is not None and part[0] == "MI" and hour > 9
    is_night = part is not None and part[0] == "NI" and hour < 5
    if (part and part[3] and hour < 12 and not is_noon and not is_night) or (name == "半夜" and 9 <= hour < 12):
        hour += 12
    if hour > 24:
        return None
    minute = _read_minute(match)
    second = match["second"] or match["colon_second"]
    value, grain = f"{day}T{hour:02d}", Grain.HOUR
    if hour == 24:
        # 截至4月24日24时: the end of the day, whose last minute still belongs to it.
        last = whole and Span(whole.end - 60, whole.end, Grain.MINUTE)
        return value, last, ("hour",), match.end()
    start = (whole.start if whole else 0) + hour * 3600
    if minute is not None:
        value, grain, start = f"{value}:{minute:02d}", Grain.MINUTE, start + 60 * minute
    if second is not None:
        seconds = int(parse_number(second) or 0)
        value, grain, start = f"{value}:{seconds:02d}", Grain.SECOND, start + seconds
    stated = ("hour", "minute", "second")[: 3 - grain]
    return value, whole and Span(start, start + grain.seconds, grain), stated, match.end()


def _read_minute(match: re.Match[str]) -> int | None:
    if match["half"]:
        return 30
    if match["fourth"]:
        return 15 if match["fourth"] in "一1" else 45
    text = match["minute"] or match["colon"]
    if text is None:
        return None
    return int(parse_number(text.removeprefix("零") if len(text) > 1 else text) or 0)


def clock_alone(context: ChineseContext, at: int) -> RuleResult | None:
    """A time of day without a date: that of the reference day, or of the day that the text stated last."""
    match = _ALONE.match(context.plain, at)
    if match is None or not (match["part"] or match["hour"]):
        return None
    first = context.last_time if context.is_range_end else None
    if match["hour"] and not match["part"] and first is None and not _is_clock(match, context.plain):
        return None
    day, sure = _find_day(context, at)
    whole = Span.day(*day) if day else None
    timed = _evaluate_time(match, timex3_value(whole) if whole else "", whole)
    if timed is None:
        return None
    value, span, stated, end = timed
    if first is not None and span is not None and match["hour"] and span.start <= first.start:
        # The end of a range comes after its start: 下午1点到3点, 晚上10点到2点.
        half = 12 * 3600 if not match["part"] and span.start + 12 * 3600 > first.start else DAY
        is_noon = (first.start % DAY) // 3600 >= 12
        half = half if is_noon and (span.start + half) // DAY == first.start // DAY else DAY
        span = Span(span.start + half, span.end + half, span.grain)
        value = span.edtf().removesuffix("Z")
    confidence = sure if match["hour"] else sure - 0.3
    return RuleResult(end, "TIME", value, span, "", confidence, stated, ("day",) if day else ())


def _find_day(context: ChineseContext, at: int) -> tuple[tuple[int, int, int] | None, float]:
    last = context.last
    if last is not None and last[1] is not None and last[2] is not None and context.text_year(at) is not None:
        return (last[0], last[1], last[2]), 0.85
    if context.knows_day and context.moment is not None:
        return civil_date(context.moment // 86_400), 0.85
    return None, 0.8
