"""TIMEX3 values of spans, for whatever finds a span first and its value by it: lunar dates, reigns, named events."""

from __future__ import annotations

from epochal.reading.english.values import date_value
from epochal.times import Grain, Span

__all__ = ["timex3_value", "year_value"]

_DOUBTS = "?~%"


def year_value(year: int) -> str:
    """An astronomical year as TIMEX3 writes it.

    >>> year_value(2023), year_value(-220), year_value(0)
    ('2023', 'BC0221', 'BC0001')
    """
    return f"{year:04d}" if year > 0 else f"BC{1 - year:04d}"


def timex3_value(span: Span) -> str:
    """The value of a span: of one Gregorian unit that unit, of anything else its two ends, as ISO 8601 has intervals.

    TIMEX3 itself has no value for what is more than one unit; an open end is two points, and doubts are left out.

    >>> [timex3_value(Span.parse(text)) for text in ("199X", "-0220", "1998-35~", "1998-03-05")]
    ['199', 'BC0221', '1998-Q3', '1998-03-05']
    >>> [timex3_value(Span.parse(text)) for text in ("-0220/-0205", "1939-09-01/1945", "1985/..")]
    ['BC0221/BC0206', '1939-09-01/1945', '1985/..']
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
