"""EDTF, the Extended Date/Time Format (ISO 8601-2:2019), levels 0 to 2: text to intervals.

How a form that leaves something open becomes an interval: unspecified digits (`156X`, `1984-1X`, `XXXX-12-25`) give the
least interval that holds every date the text admits; significant digits (`1950S2`) give the range that they leave, with
approximate ends; qualifiers of single components (`2004-06~-11`) count for the whole date; `..` is an open end and
nothing at all an unknown one, which is an open end that is uncertain.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from dataclasses import dataclass
from typing import Literal

from epochal.errors import TimeParseError, TimeRangeError
from epochal.times.axis import OPEN_END, OPEN_START, days_in_month, seconds_of
from epochal.times.certainty import Certainty
from epochal.times.edtf_text import SUBYEAR, format_edtf
from epochal.times.grain import Grain
from epochal.times.interval import Interval
from epochal.times.iso import add_duration, parse_iso

__all__ = ["EdtfSet", "format_edtf", "parse_edtf", "parse_set"]

ACCEPTED = "ISO 8601 and EDTF, such as 1998-03, -0043-03-15, 156X, 1984~/2004-06, ../2001, 2004-01-01T10:00Z"

_MARK = "[?~%]?"
_DATE = re.compile(
    rf"(?P<y1>{_MARK})(?P<year>Y-?\d{{1,99}}(?:E\d{{1,99}})?|[+-]\d{{5,99}}|-?[\dX]{{4}})"
    rf"(?:S(?P<digits>\d{{1,99}}))?(?P<y2>{_MARK})"
    rf"(?:-(?P<m1>{_MARK})(?P<month>[\dX]{{2}})(?P<m2>{_MARK})"
    rf"(?:-(?P<d1>{_MARK})(?P<day>[\dX]{{2}})(?P<d2>{_MARK}))?)?",
    re.ASCII,
)
_MASKED_GRAINS = {1: Grain.DECADE, 2: Grain.CENTURY, 3: Grain.MILLENNIUM, 4: Grain.ERA}


@dataclass(frozen=True, slots=True)
class EdtfSet:
    """An EDTF set: `one` of the intervals (`[...]`) or `all` of them (`{...}`); a plain date is a set of one.

    >>> parse_set("[1667,1760-12]").choice
    'one'
    """

    intervals: tuple[Interval, ...]
    choice: Literal["one", "all"] = "all"


def parse_edtf(text: str, *, tz: dt.tzinfo = dt.timezone.utc) -> Interval:
    """Read one EDTF date, interval or ISO 8601 form.

    >>> parse_edtf("-0043-03-15") == Interval.day(-43, 3, 15)
    True
    """
    stripped = text.strip()
    if stripped[:1] in ("[", "{"):
        raise TimeParseError(text, "one date or interval; `parse_set` and `SpanSet.parse` read sets", "is a set")
    try:
        if "/" in stripped:
            return _interval(stripped, tz)
        return _date(stripped, tz)
    except TimeRangeError as error:
        raise TimeParseError(text, ACCEPTED, f"cannot be placed on the axis ({error})") from error


def parse_set(text: str, *, tz: dt.tzinfo = dt.timezone.utc) -> EdtfSet:
    """Read an EDTF set, or a plain date or interval as a set of one.

    >>> [format_edtf(interval) for interval in parse_set("{1667, 1668, 1670..1672}").intervals]
    ['1667', '1668', '1670/1672']
    """
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


def _interval(text: str, tz: dt.tzinfo) -> Interval:
    sides = text.split("/")
    if len(sides) != 2:
        raise TimeParseError(text, "two dates with one '/' between them", "is not an interval")
    left, right = (side.strip() for side in sides)
    if not left and not right:
        raise TimeParseError(text, "a date on at least one side, or ../..", "is an interval of nothing")
    if right.startswith("P") and (span := add_duration(_date(left, tz), right, 1)):
        return span
    if left.startswith("P") and (span := add_duration(_date(right, tz), left, -1)):
        return span
    first = None if left in ("", "..") else _date(left, tz)
    last = None if right in ("", "..") else _date(right, tz)
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


def _date(text: str, tz: dt.tzinfo) -> Interval:
    match = _DATE.fullmatch(text)
    if match is None:
        bare, mark = (text[:-1], text[-1]) if text[-1:] in ("~", "?", "%") else (text, "")
        span = parse_iso(bare, tz)
        if span is None:
            raise TimeParseError(text, ACCEPTED)
        return span.with_certainty(Certainty.of_mark(mark))
    doubt = Certainty.CERTAIN
    for name in ("y1", "y2", "m1", "m2", "d1", "d2"):
        doubt |= Certainty.of_mark(match[name] or "")
    low, high, masked = _years(match["year"])
    if match["digits"]:
        if match["month"] or masked:
            raise TimeParseError(text, "significant digits of a plain year, as 1950S2", "has misplaced digits")
        return _significant(low, int(match["digits"]), doubt, text)
    if match["month"] is None:
        grain = _MASKED_GRAINS.get(masked, Grain.YEAR)
        return Interval(seconds_of(low), seconds_of(high, 13), grain, grain, doubt, doubt)
    if match["month"].isdigit() and int(match["month"]) > 12:
        return _subyear(match, low, high, doubt)
    return _month_or_day(match, low, high, masked, doubt)


def _years(text: str) -> tuple[int, int, int]:
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


def _significant(year: int, digits: int, doubt: Certainty, text: str) -> Interval:
    length = len(str(abs(year)))
    if not 1 <= digits <= length:
        raise TimeParseError(text, f"1 to {length} significant digits", f"has {digits} significant digits")
    size = 10 ** (length - digits)
    low = abs(year) // size * size
    first, last = (low, low + size - 1) if year >= 0 else (-(low + size - 1), -low)
    grain = _MASKED_GRAINS.get(length - digits, Grain.YEAR if size == 1 else Grain.ERA)
    doubt |= Certainty.APPROXIMATE
    return Interval(seconds_of(first), seconds_of(last, 13), grain, grain, doubt, doubt)


def _subyear(match: re.Match[str], low: int, high: int, doubt: Certainty) -> Interval:
    code = int(match["month"])
    if code not in SUBYEAR or match["day"]:
        raise TimeParseError(match.string, "months 01 to 12, seasons and groups 21 to 41", f"has no month {code}")
    grain, first, count = SUBYEAR[code]
    return Interval(seconds_of(low, first), seconds_of(high, first + count), grain, grain, doubt, doubt)


def _month_or_day(match: re.Match[str], low: int, high: int, masked: int, doubt: Certainty) -> Interval:
    months, days = _admitted(match["month"], 12), _admitted(match["day"] or "XX", 31)
    if not months or not days:
        raise TimeParseError(match.string, "months 01 to 12 and days 01 to 31", "has no such month or day")
    if len(days) == 31:
        start, end = seconds_of(low, months[0]), seconds_of(high, months[-1] + 1)
        grain = Grain.MONTH
        if len(months) == 12:
            grain = _MASKED_GRAINS.get(masked, Grain.YEAR)
        return Interval(start, end, grain, grain, doubt, doubt)
    first, last = (_edge_day(match, months, days, step) for step in (1, -1))
    start, end = seconds_of(*first), seconds_of(last[0], last[1], last[2] + 1)
    return Interval(start, end, Grain.DAY, Grain.DAY, doubt, doubt)


def _admitted(text: str, most: int) -> list[int]:
    """The numbers up to `most` that a two-digit component with unspecified digits admits."""
    mask = re.compile(text.replace("X", "[0-9]"))
    return [number for number in range(1, most + 1) if mask.fullmatch(f"{number:02d}")]


def _edge_day(match: re.Match[str], months: list[int], days: list[int], step: int) -> tuple[int, int, int]:
    """The first (step 1) or last (step -1) real day that the masks admit: 29 February may need another year."""
    if "X" in match["year"]:
        choices = ("0123456789" if digit == "X" else digit for digit in match["year"])
        years = sorted(int("".join(digits)) for digits in itertools.product(*choices))
    else:
        years = [_years(match["year"])[0]]
    for year in years[::step]:
        for month in months[::step]:
            length = days_in_month(year, month)
            for day in days[::step]:
                if day <= length:
                    return year, month, day
    raise TimeParseError(match.string, "days that their month has", "names a day that does not exist")
