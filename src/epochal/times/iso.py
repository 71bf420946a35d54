"""The ISO 8601 forms that EDTF leaves out: weeks, ordinal days, basic dates, times of day, durations."""

from __future__ import annotations

import datetime as dt
import re

from epochal.errors import TimeParseError, TimeRangeError
from epochal.times.axis import DAY, civil_date, day_number, is_leap_year, seconds_of, weekday
from epochal.times.grain import Grain
from epochal.times.interval import Interval

__all__ = ["add_duration", "iso_week_of", "parse_iso", "week_start", "zone_offset"]

# The axis ends at twelve digits; the limits on length keep absurd numbers from costing time.
_YEAR = r"(?P<year>[+-]\d{5,99}|-?\d{4})"
_BASIC = re.compile(r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)", re.ASCII)
_ORDINAL = re.compile(_YEAR + r"-(?P<day>\d{3})", re.ASCII)
_WEEK = re.compile(_YEAR + r"-?W(?P<week>\d\d)(?:-?(?P<day>[1-7]))?", re.ASCII)
_MOMENT = re.compile(
    _YEAR + r"-(?P<month>\d\d)-(?P<day>\d\d)[T ](?P<hour>\d\d)"
    r"(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,]\d+)?)?)?"
    r"\s?(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_DURATION = re.compile(
    r"P(?:(?P<Y>\d{1,99})Y)?(?:(?P<M>\d{1,99})M)?(?:(?P<W>\d{1,99})W)?(?:(?P<D>\d{1,99})D)?"
    r"(?:T(?:(?P<h>\d{1,99})H)?(?:(?P<m>\d{1,99})M)?(?:(?P<s>\d{1,99})S)?)?",
    re.ASCII,
)


def parse_iso(text: str, tz: dt.tzinfo = dt.timezone.utc) -> Interval | None:
    """Read one of the ISO forms above; None when the text has another shape.

    >>> parse_iso("2004-366") == Interval.day(2004, 12, 31), parse_iso("2004-W53-7") == Interval.day(2005, 1, 2)
    (True, True)
    >>> parse_iso("1970-01-01T05:30+05:30") == Interval(0, 60, Grain.MINUTE)
    True
    """
    if match := _MOMENT.fullmatch(text):
        return _moment(match, tz)
    if match := _WEEK.fullmatch(text):
        return _week(match)
    if match := _ORDINAL.fullmatch(text):
        year, day = int(match["year"]), int(match["day"])
        if not 1 <= day <= 365 + is_leap_year(year):
            raise TimeParseError(text, "days 001 to 365, or 366 in leap years", f"names day {day} of the year")
        start = seconds_of(year) + (day - 1) * DAY
        return Interval(start, start + DAY, Grain.DAY)
    if match := _BASIC.fullmatch(text):
        return Interval.day(int(match["year"]), int(match["month"]), int(match["day"]))
    return None


def week_start(year: int, week: int) -> int:
    """The day number of the Monday that opens an ISO week.

    >>> civil_date(week_start(2004, 1))
    (2003, 12, 29)
    """
    fourth = day_number(year, 1, 4)  # 4 January always lies in week 1
    return fourth - (weekday(fourth) - 1) + 7 * (week - 1)


def iso_week_of(day: int) -> tuple[int, int]:
    """The ISO week year and week of a day number.

    >>> iso_week_of(day_number(2005, 1, 1))
    (2004, 53)
    """
    thursday = day - weekday(day) + 4
    year = civil_date(thursday)[0]
    return year, (thursday - day_number(year)) // 7 + 1


def add_duration(span: Interval, text: str, sign: int) -> Interval | None:
    """The stretch that a duration covers after the start (sign 1) or before the end (sign -1) of a span.

    >>> add_duration(Interval.day(2004, 1, 31), "P1M", 1).days
    29
    """
    match = _DURATION.fullmatch(text)
    if match is None or not any(match.groupdict().values()):
        return None
    amounts = {name: int(value) for name, value in match.groupdict().items() if value}
    months = 12 * amounts.get("Y", 0) + amounts.get("M", 0)
    seconds = (
        (7 * amounts.get("W", 0) + amounts.get("D", 0)) * DAY
        + amounts.get("h", 0) * 3600
        + amounts.get("m", 0) * 60
        + amounts.get("s", 0)
    )
    grain = min(span.grain, Grain.DAY if not set(amounts) & set("hms") else Grain.SECOND)
    edge = Interval.at(span.start if sign > 0 else span.end)
    moved = edge.shift(sign * months, Grain.MONTH).shift(sign * seconds, Grain.SECOND)
    if moved.start == edge.start:
        raise TimeRangeError(f"the duration {text!r} has no length")
    return Interval(min(edge.start, moved.start), max(edge.start, moved.start), grain)


def zone_offset(local: int, tz: dt.tzinfo) -> int:
    """The seconds by which the clocks of a zone are ahead of UTC when they show a local time (in axis seconds).

    Outside the years that zone rules can express, the rule of the nearest such year stands in.

    >>> zone_offset(0, dt.timezone(dt.timedelta(hours=2)))
    7200
    """
    if tz is dt.timezone.utc:
        return 0
    year, month, day = civil_date(local // DAY)
    moment = dt.datetime(min(max(year, 1), 9999), month, min(day, 28) if not 1 <= year <= 9999 else day, tzinfo=tz)
    offset = (moment + dt.timedelta(seconds=local % DAY)).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())


def _moment(match: re.Match[str], tz: dt.tzinfo) -> Interval:
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    grain = Grain.SECOND if match["second"] else Grain.MINUTE if match["minute"] else Grain.HOUR
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second)):
        raise TimeParseError(match.string, "00:00:00 to 23:59:60, or 24:00", "names no time of day")
    # A leap second has no place on the axis: it is the last second of its minute.
    start = Interval.day(year, month, day).start + hour * 3600 + minute * 60 + min(second, 59)
    start -= _offset(match, start, tz)
    return Interval(start, start + grain.seconds, grain)


def _offset(match: re.Match[str], local: int, tz: dt.tzinfo) -> int:
    zone = match["zone"]
    if zone is None:
        return zone_offset(local, tz)
    if zone in "Zz":
        return 0
    sign = -1 if zone[0] == "-" else 1
    digits = zone[1:].replace(":", "")
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if hours > 23 or minutes > 59:
        raise TimeParseError(match.string, "offsets such as +05:30", f"has no valid time zone: {zone}")
    return sign * (hours * 3600 + minutes * 60)


def _week(match: re.Match[str]) -> Interval:
    year, week = int(match["year"]), int(match["week"])
    start = week_start(year, week)
    if not 1 <= week <= 53 or (week == 53 and iso_week_of(start) != (year, 53)):
        raise TimeParseError(match.string, "weeks 01 to 52, or 53 in long years", f"names week {week} of {year}")
    if match["day"]:
        day = (start + int(match["day"]) - 1) * DAY
        return Interval(day, day + DAY, Grain.DAY)
    return Interval(start * DAY, (start + 7) * DAY, Grain.WEEK)
