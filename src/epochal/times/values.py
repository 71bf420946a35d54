"""The bounds of the values that programs already have: dates, datetimes, numpy's datetime64."""

from __future__ import annotations

import datetime as dt
from typing import Any

from epochal.errors import TimeParseError
from epochal.times.axis import DAY, day_number, seconds_of
from epochal.times.grain import Grain
from epochal.times.iso import zone_offset

__all__ = ["value_bounds"]

_NUMPY_MONTHS = {"Y": Grain.YEAR, "M": Grain.MONTH}
_NUMPY_SECONDS = {"W": Grain.WEEK, "D": Grain.DAY, "h": Grain.HOUR, "m": Grain.MINUTE, "s": Grain.SECOND}
_NUMPY_TICKS = {"ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}


def value_bounds(value: Any, tz: dt.tzinfo = dt.timezone.utc) -> tuple[int, int, Grain]:
    """Start, end and grain of a value that is neither text nor a span; see `Span.of`.

    >>> value_bounds(dt.date(1970, 1, 2))
    (86400, 172800, Grain.DAY)
    """
    if isinstance(value, dt.datetime):
        second = _utc_seconds(value if value.tzinfo else value.replace(tzinfo=tz))
        return second, second + 1, Grain.SECOND
    if isinstance(value, dt.date):
        today = day_number(value.year, value.month, value.day)
        return _local_midnight(today, tz), _local_midnight(today + 1, tz), Grain.DAY
    if type(value).__name__ == "datetime64":
        return _datetime64_bounds(value)
    raise TimeParseError(
        repr(value), "a text, date, datetime, datetime64 or Span", f"of type {type(value).__name__} is not a time"
    )


def _utc_seconds(moment: dt.datetime) -> int:
    return (moment - dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)) // dt.timedelta(seconds=1)


def _local_midnight(day: int, tz: dt.tzinfo) -> int:
    return day * DAY - zone_offset(day * DAY, tz)


def _datetime64_bounds(value: Any) -> tuple[int, int, Grain]:
    import numpy as np

    if np.isnat(value):
        raise TimeParseError("NaT", "a datetime64 that is a time")
    unit, count = np.datetime_data(value.dtype)
    first = int(value.astype(np.int64)) * count
    last = first + count
    if unit in _NUMPY_MONTHS:
        grain = _NUMPY_MONTHS[unit]
        months = (12 * 1970 + edge * grain.months for edge in (first, last))
        start, end = (seconds_of(month // 12, month % 12 + 1) for month in months)
    elif unit in _NUMPY_SECONDS:
        grain = _NUMPY_SECONDS[unit]
        start, end = first * grain.seconds, last * grain.seconds
    else:
        grain, ticks = Grain.SECOND, _NUMPY_TICKS[unit]
        start, end = first // ticks, -(-last // ticks)
    return start, end, grain
