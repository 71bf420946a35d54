"""Amounts of time that are counted from somewhere: 三年前, 两天后, 近五年, 未来三个月; alone they are durations."""

from __future__ import annotations

import re

from epochal.reading.chinese.amounts import Amount, amount_at
from epochal.reading.chinese.atoms import Context, Found
from epochal.reading.chinese.dates import after_month, after_year, day_found
from epochal.reading.expr import Kind
from epochal.reading.timex3 import year_value
from epochal.times import Certainty, Grain, Span
from epochal.times.axis import DAY, civil_date, day_number, days_in_month
from epochal.times.iso import iso_week_of

__all__ = ["counted"]

_SIDE = re.compile(
    r"(?:(?P<ago>以前|之前|前(?!后|沿|几|[一二三四五六七八九十两0-9]{1,2}(?:[个大名位天周强]|季度)))"
    r"|(?P<later>以后|之后|后(?!续|半|期))|(?P<since>以来|来)|(?P<within>之内|以内|内(?!部|地|容)))"
)
_LEAD = re.compile(
    r"(?P<past>近|过去|最近|这|此前)的?(?=[0-9一二三四五六七八九十两半])|(?P<future>未来|今后|接下来)的?(?=[0-9一二三四五六七八九十两半])"
)


def counted(context: Context, at: int) -> Found | None:
    """An amount of time: counted back or forward it is a date (三年前, 两天后), else a duration (近五年, 三个月).

    >>> now = Span.parse("2024-02-29")
    >>> [counted(Context(text, now), 0).value for text in ("三年前", "4年前的1月", "10天后", "近五年", "两个月")]
    ['2021', '2020-01', '2024-03-10', 'P5Y', 'P2M']
    """
    lead = _LEAD.match(context.plain, at)
    amount = amount_at(context.plain, lead.end() if lead else at)
    if amount is None:
        return None
    side = _SIDE.match(context.plain, amount.end)
    if lead is None and side is not None and (side["ago"] or side["later"]) and amount.count is not None:
        dated = _counted_date(context, at, amount, side)
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
            span = _stretch(context.now, amount, -1)
        elif lead is not None:
            span = _stretch(context.now, amount, 1)
    return Found(end, "DURATION", amount.iso, span, mod, 0.9 if lead or side else 0.85, ("duration",))


def _stretch(now: Span, amount: Amount, sign: int) -> Span | None:
    """The stretch of that length before or after the reference time."""
    count = round(amount.months or 0) if amount.grain.months else round(amount.count or 0)
    grain = Grain.MONTH if amount.grain.months else amount.grain
    if not 0 < count < 200_000:
        return None
    other = now.shift(sign * count, grain)
    ends = (other.end, now.end) if sign < 0 else (now.end, other.end)
    return Span(*ends, amount.grain, amount.grain, Certainty.APPROXIMATE, Certainty.APPROXIMATE)


def _counted_date(context: Context, at: int, amount: Amount, side: re.Match[str]) -> Found | None:
    sign, grain, size = -1 if side["ago"] else 1, amount.grain, amount.count or 0
    if grain is Grain.YEAR and size != int(size):
        grain, size = Grain.MONTH, 12 * size  # 半年前, 一年半前
    count = sign * int(size)
    too_far = abs(count) > 100_000 or grain > Grain.YEAR
    if context.now is None or context.moment is None or size != int(size) or amount.is_more or too_far:
        return Found(side.end(), "DATE", "PAST_REF" if sign < 0 else "FUTURE_REF", None, "", 0.6)
    if sign > 0 and (later := _after_text_date(context, at, count, grain, side.end())) is not None:
        return later
    if context.now.end_grain > grain:
        kind: Kind = "TIME" if grain < Grain.DAY else "DATE"
        return Found(side.end(), kind, "PAST_REF" if sign < 0 else "FUTURE_REF", None, "", 0.6)
    carried = ("year", "month", "day")
    confidence = 0.9 if sign < 0 else 0.5
    if grain is Grain.YEAR:
        return _counted_years(context, count, side.end(), confidence)
    span = Span.unit(context.moment, grain).shift(count)
    year, month, day = civil_date(span.start // DAY)
    if grain is Grain.MONTH:
        return after_month(context, side.end(), (year, month), ((), carried[:2]), confidence)
    if grain is Grain.DAY:
        return day_found(context, side.end(), (year, month, day), ((), carried), confidence)
    if grain is Grain.WEEK:
        week_year, week = iso_week_of(span.start // DAY)
        return Found(side.end(), "DATE", f"{year_value(week_year)}-W{week:02d}", span, "", confidence, (), ("week",))
    return Found(side.end(), "TIME", span.edtf().removesuffix("Z"), span, "", confidence, (), ("day",))


def _after_text_date(context: Context, at: int, count: int, grain: Grain, end: int) -> Found | None:
    """三年后 in a story counts from the date that the story stated last, where that is as fine as the unit."""
    last = context.last
    if last is None or context.text_year(at) is None:
        return None
    year, month, day = last
    if grain is Grain.YEAR:
        return after_year(context, end, year + count, ((), ("year",)), 0.6)
    if grain is Grain.MONTH and month is not None:
        months = 12 * year + month - 1 + count
        return after_month(context, end, (months // 12, months % 12 + 1), ((), ("year", "month")), 0.6)
    if grain is Grain.DAY and month is not None and day is not None:
        date = civil_date(day_number(year, month, day) + count)
        return day_found(context, end, date, ((), ("year", "month", "day")), 0.6)
    return None


def _counted_years(context: Context, count: int, end: int, confidence: float) -> Found | None:
    """So many years ago, or on this day so many years ago."""
    today = context.today
    if today is None:
        return None
    year = today[0] + count
    if context.plain.startswith(("的今天", "今天"), end) and context.knows_day:
        end += 3 if context.plain[end] == "的" else 2
        day = min(today[2], days_in_month(year, today[1]))
        return day_found(context, end, (year, today[1], day), ((), ("year", "month", "day")), confidence)
    return after_year(context, end, year, ((), ("year",)), confidence)
