"""Times of day in Chinese: 上午10点30分, 下午3时, 晚上8点半, 凌晨, 10:30."""

from __future__ import annotations

import re
from dataclasses import replace

from epochal.reading.chinese.atoms import Context, Found, number
from epochal.reading.timex3 import timex3_value
from epochal.times import Grain, Span
from epochal.times.axis import civil_date

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
    "晚上": ("EV", 18, 24, True),
    "晚间": ("EV", 18, 24, True),
    "夜间": ("NI", 20, 24, True),
    "夜里": ("NI", 20, 24, True),
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
    r"(?:(?:[点时](?![差代尚装候光间刻常空期辰机]))(?P<sharp>整|钟)?(?:(?P<minute>[0-5]?[0-9]|[二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九])分?"
    r"(?:(?P<second>[0-5]?[0-9])秒)?|(?P<half>半)|(?P<fourth>[一三])刻)?"
    r"|[:：](?P<colon>[0-5][0-9])(?::(?P<colon_second>[0-5][0-9]))?(?![0-9:：%]))"
)
_AFTER_DAY = re.compile(
    rf"[\s，,]?的?(?P<zone>北京时间|当地时间)?\s?"
    rf"(?:(?P<part>{DAYTIMES})|(?P<short>[晚早晨夜])(?![报餐饭宴会点期年日安总稻市礼场操起班些就已]))?(?:\s?{_CLOCK})?"
)
_ALONE = re.compile(rf"(?:(?P<part>{DAYTIMES})(?!茶|场|盘|餐|饭)\s?)?(?:{_CLOCK})?")
#: After a bare hour on the clock; without one of these, 3点 is as often "three points".
_HOUR_FOLLOWS = re.compile(r"[，。,]?(?:左右|许|前|后|开始|开|起|至|到|多|之间|抵达|准时|出发)")
#: Before hours and minutes with a colon: what makes them a score or a ratio.
_SCORE_BEFORE = re.compile(r"(?:以|比分|比|大|分|胜|负|为|了)[\s]?$")


def add_clock(context: Context, found: Found) -> Found:
    """The same date with the time of day that follows it, if any does.

    >>> day = Found(2, "DATE", "2024-02-29", Span.day(2024, 2, 29))
    >>> add_clock(Context("今天下午3时15分"), day).value, add_clock(Context("今天凌晨"), day).value
    ('2024-02-29T15:15', '2024-02-29TNI')
    """
    match = _AFTER_DAY.match(context.plain, found.end)
    if match is None or not (match["part"] or match["short"] or match["hour"]):
        return found
    if match["hour"] and not (match["part"] or match["short"]) and not _is_clock(match, context.plain):
        return found
    timed = _timed(match, found.value, found.span)
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
    if match["half"] or match["fourth"] or match["sharp"]:
        return match["hour"] not in ("一", "两") or bool(match["sharp"])
    is_shi = plain[match.end("hour") : match.end("hour") + 1] == "时"
    if match["hour"].isdigit():
        return is_shi or _HOUR_FOLLOWS.match(plain, match.end()) is not None
    return (
        match["hour"] not in ("一", "两", "零") and not is_shi and _HOUR_FOLLOWS.match(plain, match.end()) is not None
    )


def _timed(match: re.Match[str], day: str, whole: Span | None) -> tuple[str, Span | None, tuple[str, ...], int] | None:
    """The value and span of a time of a day; None when the hour does not exist."""
    name = match["part"] or match.groupdict().get("short")
    part = _PARTS[name] if name else None
    if not match["hour"]:
        code, low, high, _ = part or ("", 0, 24, False)
        end = match.end("part") if match["part"] else match.end("short")
        span = whole and Span(whole.start + low * 3600, whole.start + high * 3600, Grain.HOUR)
        return f"{day}T{code}", span, ("daytime",), end
    hour = int(number(match["hour"]) or 0)
    if part and part[3] and hour < 12 and not (part[0] == "MI" and hour > 9) and not (part[0] == "NI" and hour < 5):
        hour += 12
    if hour > 24:
        return None
    minute = _minute(match)
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
        value, grain, start = f"{value}:{int(second):02d}", Grain.SECOND, start + int(second)
    stated = ("hour", "minute", "second")[: 3 - grain]
    return value, whole and Span(start, start + grain.seconds, grain), stated, match.end()


def _minute(match: re.Match[str]) -> int | None:
    if match["half"]:
        return 30
    if match["fourth"]:
        return 15 if match["fourth"] == "一" else 45
    text = match["minute"] or match["colon"]
    if text is None:
        return None
    return int(number(text.removeprefix("零") if len(text) > 1 else text) or 0)


def clock_alone(context: Context, at: int) -> Found | None:
    """A time of day without a date: that of the reference day, or of the day that the text stated last.

    >>> now = Span.parse("2024-02-29")
    >>> [clock_alone(Context(text, now), 0).value for text in ("上午10点30分", "晚上8点", "10:30", "凌晨")]
    ['2024-02-29T10:30', '2024-02-29T20', '2024-02-29T10:30', '2024-02-29TNI']
    >>> [clock_alone(Context(text, now), 0) for text in ("一点", "3点建议", "十分", "3.5点")]
    [None, None, None, None]
    """
    match = _ALONE.match(context.plain, at)
    if match is None or not (match["part"] or match["hour"]):
        return None
    if match["hour"] and not match["part"] and not _is_clock(match, context.plain):
        return None
    day, sure = _day_of(context, at)
    whole = Span.day(*day) if day else None
    timed = _timed(match, timex3_value(whole) if whole else "", whole)
    if timed is None:
        return None
    value, span, stated, end = timed
    confidence = sure if match["hour"] else sure - 0.3
    return Found(end, "TIME", value, span, "", confidence, stated, ("day",) if day else ())


def _day_of(context: Context, at: int) -> tuple[tuple[int, int, int] | None, float]:
    last = context.last
    if last is not None and last[1] is not None and last[2] is not None and context.text_year(at) is not None:
        return (last[0], last[1], last[2]), 0.85
    if context.knows_day and context.moment is not None:
        return civil_date(context.moment // 86_400), 0.85
    return None, 0.8
