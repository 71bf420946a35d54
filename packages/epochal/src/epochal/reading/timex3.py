"""TIMEX3 values and the spans they represent, in both directions."""

from __future__ import annotations

from functools import lru_cache

from epochal.times.axis import DAY, Grain, civil_date, day_number, days_in_month, to_seconds
from epochal.times.edtf import get_iso_week, get_week_start
from epochal.times.span import Span

__all__ = [
    "date_value",
    "day_span",
    "duration_value",
    "find_date",
    "first_day",
    "month_span",
    "part_of_day",
    "season_span",
    "timex3_value",
    "week_span",
    "write_part",
    "year_span",
    "year_value",
]


#: Texts name the same few years, months and days again and again: so many of each are kept.
_KEPT = 5_000
#: Year, month and day of a day number.
find_date = lru_cache(maxsize=_KEPT)(civil_date)
#: The hours of the parts of a day; DA is what comes before dawn, "la madrugada".
_PART_HOURS = {
    "MO": (6, 12),
    "AF": (12, 18),
    "EV": (18, 22),
    "NI": (20, 30),
    "MI": (11, 14),
    "DT": (6, 18),
    "DA": (0, 6),
}
#: Half of a unit, in the next smaller one.
_HALVES = {"Y": "6M", "TH": "30M", "TM": "30S", "D": "T12H"}
_SEASON_MONTHS = {"SP": 3, "SU": 6, "FA": 9, "WI": 12}


@lru_cache(maxsize=_KEPT)
def day_span(day: int) -> Span:
    """The span of a day number."""
    return Span(day * DAY, (day + 1) * DAY, Grain.DAY)


@lru_cache(maxsize=_KEPT)
def month_span(year: int, month: int) -> Span:
    """The span of a month."""
    return Span.month(year, month)


@lru_cache(maxsize=_KEPT)
def year_span(year: int) -> Span:
    """The span of a year."""
    return Span.year(year)


def week_span(year: int, week: int) -> Span | None:
    """An ISO week; None where the year has no such week, as most have no 53rd."""
    start = get_week_start(year, week)
    return Span.unit(start * DAY, Grain.WEEK) if get_iso_week(start) == (year, week) else None


def season_span(year: int, season: str) -> Span:
    """A season as TIMEX3 names it; winter starts in December of its year."""
    return Span.unit(to_seconds(year, _SEASON_MONTHS[season]), Grain.SEASON)


def part_of_day(day: int, part: str) -> Span:
    """A part of a day, or one of its hours."""
    if ":" in part:
        hour, minute = (int(text) for text in part.split(":"))
        start = day * DAY + hour * 3600 + minute * 60
        return Span(start, start + 60, Grain.MINUTE)
    first, last = _PART_HOURS[part]
    return Span(day * DAY + first * 3600, day * DAY + last * 3600, Grain.HOUR)


def write_part(part: str) -> str:
    """A part of the day as TIMEX3 has it, which has one morning: the hours before dawn are of it."""
    return "MO" if part == "DA" else part


def date_value(span: Span) -> str:
    """The TIMEX3 value of one Gregorian unit."""
    return _write_unit(span.start, span.end, span.grain)


@lru_cache(maxsize=_KEPT)
def _write_unit(start: int, end: int, grain: Grain) -> str:
    year, month, day = civil_date(start // DAY)
    prefix = year_value(year)
    if grain is Grain.DAY:
        return f"{prefix}-{month:02d}-{day:02d}"
    if grain is Grain.MONTH:
        return f"{prefix}-{month:02d}"
    if grain is Grain.WEEK:
        week_year, week = get_iso_week(start // DAY)
        return f"{year_value(week_year)}-W{week:02d}"
    if grain is Grain.QUARTER:
        return f"{prefix}-Q{(month + 2) // 3}"
    if grain is Grain.HALF:
        return f"{prefix}-H{1 if month < 7 else 2}"
    if grain is Grain.SEASON:
        return f"{prefix}-{ {3: 'SP', 6: 'SU', 9: 'FA', 12: 'WI'}[month] }"
    if grain is Grain.DECADE and year >= 0:
        return f"{year // 10:03d}"
    if grain is Grain.CENTURY and year >= 0:
        return f"{year // 100:02d}"
    if grain is Grain.MILLENNIUM and year >= 0:
        return f"{year // 1000}"
    if grain in (Grain.DECADE, Grain.CENTURY) and year < 0:
        last = 1 - civil_date((end - 1) // DAY)[0]
        return f"BC{last // 10:03d}" if grain is Grain.DECADE else f"BC{last // 100:02d}"
    return prefix


def duration_value(amount: float | None, letter: str) -> str:
    """The TIMEX3 value of a duration; an unknown amount is X."""
    if letter == "2W":
        letter, amount = "W", None if amount is None else amount * 2
    if amount is not None and amount % 1 == 0.5 and letter in _HALVES:
        whole = (
            "" if amount < 1 else duration_value(amount - 0.5, letter).removeprefix("PT" if letter[0] == "T" else "P")
        )
        return ("PT" if letter[0] == "T" else "P") + whole + _HALVES[letter]
    if letter == "WE":
        return f"P{'X' if amount is None else _plain(amount)}WE"
    text = "X" if amount is None else _plain(amount)
    return f"PT{text}{letter[1]}" if letter[0] == "T" else f"P{text}{letter}"


def _plain(amount: float) -> str:
    return str(int(amount)) if amount == int(amount) else f"{amount:g}"


def first_day(year: int, month: int, day: int) -> int | None:
    """The day number of a date; None when there is no such day."""
    is_date = 1 <= month <= 12 and 1 <= day <= days_in_month(year, month)
    return day_number(year, month, day) if is_date else None


_DOUBTS = "?~%"


def year_value(year: int) -> str:
    """An astronomical year as TIMEX3 writes it."""
    return f"{year:04d}" if year > 0 else f"BC{1 - year:04d}"


def timex3_value(span: Span) -> str:
    """The value of a span: of one Gregorian unit that unit, of anything else its two ends, as ISO 8601 has intervals.

    TIMEX3 itself has no value for what is more than one unit; an open end is two points, and doubts are left out.
    """
    grain = span.grain
    has_unit = Grain.DAY <= grain < Grain.ERA and not span.is_open
    if has_unit and grain is span.end_grain and grain.unit(span.start) == (span.start, span.end):
        return date_value(span)
    return "/".join(map(_end_value, span.edtf().split("/")))


def _end_value(edtf: str) -> str:
    if "T" in edtf:
        return edtf.removesuffix("Z")
    return date_value(Span.parse(edtf.translate(dict.fromkeys(map(ord, _DOUBTS))))) if edtf.strip(".") else edtf
