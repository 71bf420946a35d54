"""The twenty-four solar terms of the Chinese calendar (立春, 冬至): days when the sun has gone 15 degrees on."""

from __future__ import annotations

import math
from functools import cache

from epochal.times.axis import day_number
from epochal.times.span import Span

__all__ = ["TERMS", "find_term"]

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


@cache
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
