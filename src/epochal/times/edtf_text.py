"""Intervals to EDTF and ISO 8601 text."""

from __future__ import annotations

from epochal.times.axis import DAY, OPEN_END, OPEN_START, civil_date, day_number, weekday
from epochal.times.certainty import Certainty
from epochal.times.grain import Grain
from epochal.times.interval import Interval

__all__ = ["SUBYEAR", "format_edtf", "year_text"]

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


def format_edtf(span: Interval) -> str:
    """EDTF text of an interval; see `Span.edtf`.

    >>> format_edtf(Interval.between(Interval.month(2004, 6), Interval.month(2006, 8)))
    '2004-06/2006-08'
    """
    if span.start == OPEN_START:
        left = _open(span.certainty)
    else:
        left = _edge(span.start, span.grain, True) + span.certainty.mark
    if span.end == OPEN_END:
        right = _open(span.end_certainty)
    else:
        right = _edge(span.end, span.end_grain, False) + span.end_certainty.mark
    return left if left == right and not span.is_open else f"{left}/{right}"


def year_text(year: int) -> str:
    """A year as EDTF writes it.

    >>> year_text(79), year_text(-721), year_text(-44000)
    ('0079', '-0721', 'Y-44000')
    """
    if abs(year) > 9999:
        return f"Y{year}"
    return f"-{-year:04d}" if year < 0 else f"{year:04d}"


def _open(certainty: Certainty) -> str:
    return "" if certainty.is_uncertain else ".."


def _edge(point: int, grain: Grain, is_start: bool) -> str:
    """The text of the unit that starts (or ends) at a point, in a finer grain where the point lies inside a unit."""
    finer = [other for other in _FALLBACK if other < grain]
    for candidate in (grain, *finer):
        text = _unit(point, candidate, is_start)
        if text is not None:
            return text
    raise AssertionError("every point is the edge of a second")


def _unit(point: int, grain: Grain, is_start: bool) -> str | None:
    inside = point if is_start else point - 1
    if grain is Grain.ERA:
        return None
    year, month, day = civil_date(inside // DAY)
    if grain > Grain.YEAR:
        return _masked(point, year, grain, is_start)
    if grain.unit(inside)[0 if is_start else 1] != point:
        return None
    if grain is Grain.YEAR:
        return year_text(year)
    if grain is Grain.WEEK:
        return _week(inside // DAY)
    prefix = year_text(year) if abs(year) <= 9999 else f"{year:+d}"
    if grain is Grain.MONTH:
        return f"{prefix}-{month:02d}"
    if grain > Grain.MONTH:
        return _subyear(inside, grain)
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


def _masked(point: int, year: int, grain: Grain, is_start: bool) -> str | None:
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


def _subyear(inside: int, grain: Grain) -> str:
    year, month, _ = civil_date(grain.unit(inside)[0] // DAY)
    prefix = year_text(year) if abs(year) <= 9999 else f"{year:+d}"
    return f"{prefix}-{_CODE_OF[grain, month]}"


def _week(day: int) -> str:
    thursday = day - weekday(day) + 4
    year = civil_date(thursday)[0]
    prefix = year_text(year) if abs(year) <= 9999 else f"{year:+d}"
    return f"{prefix}-W{(thursday - day_number(year)) // 7 + 1:02d}"
