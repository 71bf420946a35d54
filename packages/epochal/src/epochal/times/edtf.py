"""EDTF (ISO 8601-2:2019, levels 0 to 2) and the ISO 8601 forms it leaves out: text to intervals and back.

How a form that leaves something open becomes an interval: unspecified digits (`156X`, `1984-1X`, `XXXX-12-25`) give the
least interval that holds every date the text admits; significant digits (`1950S2`) give the range that they leave, with
approximate ends; qualifiers of single components (`2004-06~-11`) count for the whole date; `..` is an open end, and an
empty side an unknown one, which is an open end that is uncertain.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from epochal.errors import TimeParseError, TimeRangeError
from epochal.lazy import lazy_regex
from epochal.times.axis import (
    DAY,
    OPEN_END,
    OPEN_START,
    Certainty,
    Grain,
    civil_date,
    day_number,
    days_in_month,
    is_leap_year,
    to_seconds,
    weekday,
)
from epochal.times.interval import Interval

#: EDTF level 2 sub-year groupings: code -> grain, first month, number of months. Seasons without a hemisphere are the
#: northern ones; winter starts in December of the year named. Four-month groups have no grain of their own.
SUBYEAR: dict[int, tuple[Grain, int, int]] = {
    **{code: (Grain.SEASON, month, 3) for code, month in zip(range(21, 25), (3, 6, 9, 12), strict=True)},
    **{code: (Grain.SEASON, month, 3) for code, month in zip(range(25, 29), (3, 6, 9, 12), strict=True)},
    **{code: (Grain.SEASON, month, 3) for code, month in zip(range(29, 33), (9, 12, 3, 6), strict=True)},
    **{code: (Grain.QUARTER, month, 3) for code, month in zip(range(33, 37), (1, 4, 7, 10), strict=True)},
    **{code: (Grain.MONTH, month, 4) for code, month in zip(range(37, 40), (1, 5, 9), strict=True)},
    **{code: (Grain.HALF, month, 6) for code, month in zip(range(40, 42), (1, 7), strict=True)},
}

_CODE_OF = {
    (Grain.SEASON, 3): 21,
    (Grain.SEASON, 6): 22,
    (Grain.SEASON, 9): 23,
    (Grain.SEASON, 12): 24,
    (Grain.QUARTER, 1): 33,
    (Grain.QUARTER, 4): 34,
    (Grain.QUARTER, 7): 35,
    (Grain.QUARTER, 10): 36,
    (Grain.HALF, 1): 40,
    (Grain.HALF, 7): 41,
}
_FALLBACK = (Grain.YEAR, Grain.MONTH, Grain.DAY, Grain.HOUR, Grain.MINUTE, Grain.SECOND)


@lru_cache(maxsize=1 << 14)  # many documents have the same day
def format_edtf(span: Interval) -> str:
    """EDTF text of an interval; see `Span.edtf`."""
    if span.start == OPEN_START:
        left = _open(span.certainty)
    else:
        left = _format_edge(span.start, span.grain, True) + span.certainty.mark
    if span.end == OPEN_END:
        right = _open(span.end_certainty)
    else:
        right = _format_edge(span.end, span.end_grain, False) + span.end_certainty.mark
    return left if left == right and not span.is_open else f"{left}/{right}"


def format_edtf_year(year: int) -> str:
    """A year as EDTF writes it."""
    if abs(year) > 9999:
        return f"Y{year}"
    return f"-{-year:04d}" if year < 0 else f"{year:04d}"


def _open(certainty: Certainty) -> str:
    return "" if certainty.is_uncertain else ".."


def _format_edge(point: int, grain: Grain, is_start: bool) -> str:
    """The text of the unit that starts (or ends) at a point, in a finer grain where the point lies inside a unit."""
    finer = [other for other in _FALLBACK if other < grain]
    for candidate in (grain, *finer):
        text = _format_unit(point, candidate, is_start)
        if text is not None:
            return text
    raise AssertionError("every point is the edge of a second")


def _format_unit(point: int, grain: Grain, is_start: bool) -> str | None:
    inside = point if is_start else point - 1
    if grain is Grain.ERA:
        return None
    year, month, day = civil_date(inside // DAY)
    if grain > Grain.YEAR:
        return _format_masked(point, year, grain, is_start)
    if grain.unit(inside)[0 if is_start else 1] != point:
        return None
    if grain is Grain.YEAR:
        return format_edtf_year(year)
    if grain is Grain.WEEK:
        return _format_week(inside // DAY)
    prefix = format_edtf_year(year) if abs(year) <= 9999 else f"{year:+d}"
    if grain is Grain.MONTH:
        return f"{prefix}-{month:02d}"
    if grain > Grain.MONTH:
        return _format_subyear(inside, grain)
    date = f"{prefix}-{month:02d}-{day:02d}"
    if grain is Grain.DAY:
        return date
    clock = inside % DAY
    hour, minute, second = clock // 3600, clock // 60 % 60, clock % 60
    parts = {
        Grain.HOUR: f"{hour:02d}",
        Grain.MINUTE: f"{hour:02d}:{minute:02d}",
        Grain.SECOND: f"{hour:02d}:{minute:02d}:{second:02d}",
    }
    return f"{date}T{parts[grain]}Z"


def _format_masked(point: int, year: int, grain: Grain, is_start: bool) -> str | None:
    """`156X` and the like. Year 0 closes the masks below zero (`-000X`) and opens those above (`000X`)."""
    size = grain.months // 12
    if abs(year) > 9999 or point != day_number(year + (not is_start)) * DAY:
        return None
    digits = len(str(size)) - 1
    edge_above, edge_below = (0, size - 1) if is_start else (size - 1, 0)
    if year >= 0 and year % size == edge_above:
        return f"{year // size:0{4 - digits}d}{'X' * digits}"
    if year <= 0 and -year % size == edge_below:
        return f"-{-year // size:0{4 - digits}d}{'X' * digits}"
    return None


def _format_subyear(inside: int, grain: Grain) -> str:
    year, month, _ = civil_date(grain.unit(inside)[0] // DAY)
    prefix = format_edtf_year(year) if abs(year) <= 9999 else f"{year:+d}"
    return f"{prefix}-{_CODE_OF[grain, month]}"


def _format_week(day: int) -> str:
    thursday = day - weekday(day) + 4
    year = civil_date(thursday)[0]
    prefix = format_edtf_year(year) if abs(year) <= 9999 else f"{year:+d}"
    return f"{prefix}-W{(thursday - day_number(year)) // 7 + 1:02d}"


# The axis ends at twelve digits; the limits on length keep absurd numbers from costing time.
_YEAR = r"(?P<year>[+-]\d{5,99}|-?\d{4})"
_BASIC = lazy_regex(r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)", re.ASCII)
_ORDINAL = lazy_regex(_YEAR + r"-(?P<day>\d{3})", re.ASCII)
_WEEK = lazy_regex(_YEAR + r"-?W(?P<week>\d\d)(?:-?(?P<day>[1-7]))?", re.ASCII)
_MOMENT = lazy_regex(
    _YEAR + r"-(?P<month>\d\d)-(?P<day>\d\d)[T ](?P<hour>\d\d)"
    r"(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,]\d+)?)?)?"
    r"\s?(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_DURATION = lazy_regex(
    r"P(?:(?P<Y>\d{1,99})Y)?(?:(?P<M>\d{1,99})M)?(?:(?P<W>\d{1,99})W)?(?:(?P<D>\d{1,99})D)?"
    r"(?:T(?:(?P<h>\d{1,99})H)?(?:(?P<m>\d{1,99})M)?(?:(?P<s>\d{1,99})S)?)?",
    re.ASCII,
)


def parse_iso(text: str, tz: dt.tzinfo = dt.timezone.utc) -> Interval | None:
    """Read one of the ISO forms above; None when the text has another shape."""
    if match := _MOMENT.fullmatch(text):
        return _parse_moment(match, tz)
    if match := _WEEK.fullmatch(text):
        return _parse_week(match)
    if match := _ORDINAL.fullmatch(text):
        year, day = int(match["year"]), int(match["day"])
        if not 1 <= day <= 365 + is_leap_year(year):
            raise TimeParseError(text, "days 001 to 365, or 366 in leap years", f"names day {day} of the year")
        start = to_seconds(year) + (day - 1) * DAY
        return Interval(start, start + DAY, Grain.DAY)
    if match := _BASIC.fullmatch(text):
        return Interval.day(int(match["year"]), int(match["month"]), int(match["day"]))
    return None


def get_week_start(year: int, week: int) -> int:
    """The day number of the Monday that opens an ISO week."""
    fourth = day_number(year, 1, 4)  # 4 January always lies in week 1
    return fourth - (weekday(fourth) - 1) + 7 * (week - 1)


def get_iso_week(day: int) -> tuple[int, int]:
    """The ISO week year and week of a day number."""
    thursday = day - weekday(day) + 4
    year = civil_date(thursday)[0]
    return year, (thursday - day_number(year)) // 7 + 1


def add_duration(span: Interval, text: str, sign: int) -> Interval | None:
    """The interval that a duration covers after the start (sign 1) or before the end (sign -1) of a span."""
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


def get_zone_offset(local: int, tz: dt.tzinfo) -> int:
    """The seconds by which the clocks of a zone are ahead of UTC when they show a local time (in axis seconds).

    Outside the years that zone rules can express, the rule of the nearest such year is used.
    """
    if tz is dt.timezone.utc:
        return 0
    year, month, day = civil_date(local // DAY)
    moment = dt.datetime(min(max(year, 1), 9999), month, min(day, 28) if not 1 <= year <= 9999 else day, tzinfo=tz)
    offset = (moment + dt.timedelta(seconds=local % DAY)).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())


def _parse_moment(match: re.Match[str], tz: dt.tzinfo) -> Interval:
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    grain = Grain.SECOND if match["second"] else Grain.MINUTE if match["minute"] else Grain.HOUR
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second)):
        raise TimeParseError(match.string, "00:00:00 to 23:59:60, or 24:00", "names no time of day")
    # A leap second has no place on the axis: it is the last second of its minute.
    start = Interval.day(year, month, day).start + hour * 3600 + minute * 60 + min(second, 59)
    start -= _parse_offset(match, start, tz)
    return Interval(start, start + grain.seconds, grain)


def _parse_offset(match: re.Match[str], local: int, tz: dt.tzinfo) -> int:
    zone = match["zone"]
    if zone is None:
        return get_zone_offset(local, tz)
    if zone in "Zz":
        return 0
    sign = -1 if zone[0] == "-" else 1
    digits = zone[1:].replace(":", "")
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if hours > 23 or minutes > 59:
        raise TimeParseError(match.string, "offsets such as +05:30", f"has no valid time zone: {zone}")
    return sign * (hours * 3600 + minutes * 60)


def _parse_week(match: re.Match[str]) -> Interval:
    year, week = int(match["year"]), int(match["week"])
    start = get_week_start(year, week)
    if not 1 <= week <= 53 or (week == 53 and get_iso_week(start) != (year, 53)):
        raise TimeParseError(match.string, "weeks 01 to 52, or 53 in long years", f"names week {week} of {year}")
    if match["day"]:
        day = (start + int(match["day"]) - 1) * DAY
        return Interval(day, day + DAY, Grain.DAY)
    return Interval(start * DAY, (start + 7) * DAY, Grain.WEEK)


ACCEPTED = "ISO 8601 and EDTF, such as 1998-03, -0043-03-15, 156X, 1984~/2004-06, ../2001, 2004-01-01T10:00Z"

_MARK = "[?~%]?"
_DATE = lazy_regex(
    rf"(?P<y1>{_MARK})(?P<year>Y-?\d{{1,99}}(?:E\d{{1,99}})?|[+-]\d{{5,99}}|-?[\dX]{{4}})"
    rf"(?:S(?P<digits>\d{{1,99}}))?(?P<y2>{_MARK})"
    rf"(?:-(?P<m1>{_MARK})(?P<month>[\dX]{{2}})(?P<m2>{_MARK})"
    rf"(?:-(?P<d1>{_MARK})(?P<day>[\dX]{{2}})(?P<d2>{_MARK}))?)?",
    re.ASCII,
)
_MASKED_GRAINS = {1: Grain.DECADE, 2: Grain.CENTURY, 3: Grain.MILLENNIUM, 4: Grain.ERA}


@dataclass(frozen=True, slots=True)
class EdtfSet:
    """An EDTF set: `one` of the intervals (`[...]`) or `all` of them (`{...}`); a plain date is a set of one."""

    intervals: tuple[Interval, ...]
    choice: Literal["one", "all"] = "all"


def parse_edtf(text: str, *, tz: dt.tzinfo = dt.timezone.utc) -> Interval:
    """Read one EDTF date, interval or ISO 8601 form."""
    return _recall(text) if tz is dt.timezone.utc and len(text) <= _SHORT else _parse(text, tz)


#: Texts of so many signs are remembered: documents, and searches, have the same dates again and again.
_SHORT = 40


@lru_cache(maxsize=1024)
def _recall(text: str) -> Interval:
    return _parse(text, dt.timezone.utc)


def _parse(text: str, tz: dt.tzinfo) -> Interval:
    stripped = text.strip()
    if stripped[:1] in ("[", "{"):
        raise TimeParseError(text, "one date or interval; `parse_set` and `SpanSet.parse` read sets", "is a set")
    try:
        if "/" in stripped:
            return _parse_interval(stripped, tz)
        return _read_date(stripped, tz)
    except TimeRangeError as error:
        raise TimeParseError(text, ACCEPTED, f"cannot be placed on the axis ({error})") from error


def parse_set(text: str, *, tz: dt.tzinfo = dt.timezone.utc) -> EdtfSet:
    """Read an EDTF set, or a plain date or interval as a set of one."""
    stripped = text.strip()
    closing = {"[": "]", "{": "}"}.get(stripped[:1])
    if closing is None:
        return EdtfSet((parse_edtf(stripped, tz=tz),))
    if not stripped.endswith(closing) or len(stripped) < 3:
        raise TimeParseError(text, "[a,b,c..d] or {a,b,c..d}", "is an unfinished set")
    members = []
    for part in stripped[1:-1].split(","):
        member = part.strip()
        if ".." in member:
            low, high = (side.strip() for side in member.split("..", 1))
            member = f"{low or '..'}/{high or '..'}"
        members.append(parse_edtf(member, tz=tz))
    return EdtfSet(tuple(members), "one" if closing == "]" else "all")


def _parse_interval(text: str, tz: dt.tzinfo) -> Interval:
    sides = text.split("/")
    if len(sides) != 2:
        raise TimeParseError(text, "two dates with one '/' between them", "is not an interval")
    left, right = (side.strip() for side in sides)
    if not left and not right:
        raise TimeParseError(text, "a date on at least one side, or ../..", "is an interval of nothing")
    if right.startswith("P") and (span := add_duration(_read_date(left, tz), right, 1)):
        return span
    if left.startswith("P") and (span := add_duration(_read_date(right, tz), left, -1)):
        return span
    first = None if left in ("", "..") else _read_date(left, tz)
    last = None if right in ("", "..") else _read_date(right, tz)
    if first and last and first.start >= last.end:
        raise TimeParseError(text, "the earlier date first", "is an interval that ends before it starts")
    unknown = {"": Certainty.UNCERTAIN, "..": Certainty.CERTAIN}
    return Interval(
        first.start if first else OPEN_START,
        last.end if last else OPEN_END,
        first.grain if first else Grain.ERA,
        last.end_grain if last else Grain.ERA,
        first.certainty if first else unknown[left],
        last.end_certainty if last else unknown[right],
    )


def _read_date(text: str, tz: dt.tzinfo) -> Interval:
    match = _DATE.fullmatch(text)
    if match is None:
        bare, mark = (text[:-1], text[-1]) if text[-1:] in ("~", "?", "%") else (text, "")
        span = parse_iso(bare, tz)
        if span is None:
            raise TimeParseError(text, ACCEPTED)
        return span.with_certainty(Certainty.of_mark(mark))
    doubt = Certainty.CERTAIN
    for mark in match.group("y1", "y2", "m1", "m2", "d1", "d2"):
        if mark:
            doubt |= Certainty.of_mark(mark)
    low, high, masked = _parse_years(match["year"])
    if match["digits"]:
        if match["month"] or masked:
            raise TimeParseError(text, "significant digits of a plain year, as 1950S2", "has misplaced digits")
        return _parse_significant(low, int(match["digits"]), doubt, text)
    if match["month"] is None:
        grain = _MASKED_GRAINS.get(masked, Grain.YEAR)
        return Interval(to_seconds(low), to_seconds(high, 13), grain, grain, doubt, doubt)
    if match["month"].isdigit() and int(match["month"]) > 12:
        return _parse_subyear(match, low, high, doubt)
    return _parse_month_or_day(match, low, high, masked, doubt)


def _parse_years(text: str) -> tuple[int, int, int]:
    """The first and last year that the text admits, and how many trailing digits it leaves open."""
    if text.startswith("Y"):
        base, _, exponent = text[1:].partition("E")
        # A power of such an exponent would be a number too large to hold, let alone to place.
        if len(base) + int(exponent or 0) > 20:
            raise TimeRangeError(f"the year {text} lies outside the axis")
        year = int(base) * 10 ** int(exponent or 0)
        return year, year, 0
    low, high = int(text.replace("X", "0")), int(text.replace("X", "9"))
    masked = len(text) - len(text.rstrip("X"))
    return min(low, high), max(low, high), masked


def _parse_significant(year: int, digits: int, doubt: Certainty, text: str) -> Interval:
    length = len(str(abs(year)))
    if not 1 <= digits <= length:
        raise TimeParseError(text, f"1 to {length} significant digits", f"has {digits} significant digits")
    size = 10 ** (length - digits)
    low = abs(year) // size * size
    first, last = (low, low + size - 1) if year >= 0 else (-(low + size - 1), -low)
    grain = _MASKED_GRAINS.get(length - digits, Grain.YEAR if size == 1 else Grain.ERA)
    doubt |= Certainty.APPROXIMATE
    return Interval(to_seconds(first), to_seconds(last, 13), grain, grain, doubt, doubt)


def _parse_subyear(match: re.Match[str], low: int, high: int, doubt: Certainty) -> Interval:
    code = int(match["month"])
    if code not in SUBYEAR or match["day"]:
        raise TimeParseError(match.string, "months 01 to 12, seasons and groups 21 to 41", f"has no month {code}")
    grain, first, count = SUBYEAR[code]
    return Interval(to_seconds(low, first), to_seconds(high, first + count), grain, grain, doubt, doubt)


def _parse_month_or_day(match: re.Match[str], low: int, high: int, masked: int, doubt: Certainty) -> Interval:
    months, days = _list_admitted(match["month"], 12), _list_admitted(match["day"] or "XX", 31)
    if not months or not days:
        raise TimeParseError(match.string, "months 01 to 12 and days 01 to 31", "has no such month or day")
    if len(days) == 31:
        start, end = to_seconds(low, months[0]), to_seconds(high, months[-1] + 1)
        grain = Grain.MONTH
        if len(months) == 12:
            grain = _MASKED_GRAINS.get(masked, Grain.YEAR)
        return Interval(start, end, grain, grain, doubt, doubt)
    first, last = (_find_edge_day(match, months, days, step) for step in (1, -1))
    start, end = to_seconds(*first), to_seconds(last[0], last[1], last[2] + 1)
    return Interval(start, end, Grain.DAY, Grain.DAY, doubt, doubt)


def _list_admitted(text: str, most: int) -> list[int]:
    """The numbers up to `most` that a two-digit component with unspecified digits admits."""
    if "X" not in text:
        return [int(text)] if 0 < int(text) <= most else []
    mask = lazy_regex(text.replace("X", "[0-9]"))
    return [number for number in range(1, most + 1) if mask.fullmatch(f"{number:02d}")]


def _find_edge_day(match: re.Match[str], months: list[int], days: list[int], step: int) -> tuple[int, int, int]:
    """The first (step 1) or last (step -1) real day that the masks admit: 29 February may need another year."""
    if "X" in match["year"]:
        choices = ("0123456789" if digit == "X" else digit for digit in match["year"])
        years = sorted(int("".join(digits)) for digits in itertools.product(*choices))
    else:
        years = [_parse_years(match["year"])[0]]
    for year in years[::step]:
        for month in months[::step]:
            length = days_in_month(year, month)
            for day in days[::step]:
                if day <= length:
                    return year, month, day
    raise TimeParseError(match.string, "days that their month has", "names a day that does not exist")
