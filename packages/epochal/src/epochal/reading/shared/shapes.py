"""What numbers and numeric dates look like, in any language; a language may add shapes of its own, tried first."""

from __future__ import annotations

import re
from dataclasses import dataclass

from epochal.lazy import lazy_regex

__all__ = ["SHAPES", "Shape"]


@dataclass(frozen=True, slots=True)
class Shape:
    """A class of tokens that are written with digits.

    The groups `y`, `m`, `d`, `H`, `M` and `S` of the pattern are the parts of a date or a clock time, `n` a number,
    `w` the number of a week, `end` the year after the first, `last` the last of some years.
    """

    name: str
    pattern: re.Pattern[str]


_DAY = r"(?P<d>0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?P<m>0?[1-9]|1[0-2])"
_CLOCK = r"(?P<H>[01]?\d|2[0-4])"
_MINUTE = r"(?P<M>[0-5]\d)"
_SECOND = r"(?P<S>[0-5]\d)"
_ZONE = r"(?:z|[+-]\d\d:?\d\d)?"

_ISO = (
    ("FRACTION", r"(?P<n>1/2|1/4|3/4)"),
    ("NUMERIC_DATE", rf"(?P<y>\d{{4}})-(?P<m>\d\d)-(?P<d>\d\d)t{_CLOCK}:?{_MINUTE}(?::?{_SECOND}(?:[.,]\d+)?)?{_ZONE}"),
    ("NUMERIC_DATE", rf"(?P<y>[12]\d{{3}})(?P<_>[-/.]){_MONTH}(?P=_){_DAY}"),
    ("NUMERIC_DATE", r"(?P<y>\d{4})-w(?P<w>\d\d)(?:-(?P<wd>[1-7]))?"),
    # 1914-18, 2007-08; what may be a month and is not the next year is one: 2006-11
    ("NUMERIC_DATE", r"(?P<y>1[5-9]\d\d|20\d\d)[-–](?P<last>1[3-9]|[2-9]\d)"),
    (
        "NUMERIC_DATE",
        r"(?=\d\d(?:00.01|01.02|02.03|03.04|04.05|05.06|06.07|07.08|08.09|09.10|10.11|11.12)$)"
        r"(?P<y>1[5-9]\d\d|20\d\d)[-–](?P<last>\d\d)",
    ),
    ("NUMERIC_DATE", r"(?P<y>[12]\d{3})-(?P<m>0[1-9]|1[0-2])"),
)
_BY_ORDER = {
    "dmy": (
        ("NUMERIC_DATE", rf"{_DAY}(?P<_>[-/.]){_MONTH}(?P=_)(?P<y>[12]\d{{3}}|\d\d)"),
        # A number above twelve can be no month, so that it is the day.
        ("NUMERIC_DATE", rf"{_MONTH}/(?P<d>1[3-9]|2\d|3[01])/(?P<y>[12]\d{{3}}|\d\d)"),
        ("NUMERIC_DATE", rf"{_MONTH}(?P<_>[-/.])(?P<y>[12]\d{{3}})"),
        ("DAY_MONTH", rf"{_DAY}[./]{_MONTH}"),
    ),
    "mdy": (
        ("NUMERIC_DATE", rf"{_MONTH}(?P<_>[-/]){_DAY}(?P=_)(?P<y>[12]\d{{3}}|\d\d)"),
        ("NUMERIC_DATE", rf"{_DAY}(?P<_>[-/.]){_MONTH}(?P=_)(?P<y>[12]\d{{3}}|\d\d)"),
        ("DAY_MONTH", rf"{_MONTH}/{_DAY}"),
    ),
    "ymd": (
        ("NUMERIC_DATE", rf"(?P<y>\d\d)(?P<_>[-/.]){_MONTH}(?P=_){_DAY}"),
        ("NUMERIC_DATE", rf"{_DAY}(?P<_>[-/.]){_MONTH}(?P=_)(?P<y>[12]\d{{3}})"),
        ("NUMERIC_DATE", rf"(?P<y>[12]\d{{3}})[/.]{_MONTH}"),
        ("DAY_MONTH", rf"{_MONTH}[./]{_DAY}"),
    ),
}
_NUMBERS = (
    # a season or a school year: 2015/16, 2019/2020
    ("NUMERIC_DATE", r"(?P<y>1[5-9]\d\d|20\d\d)/(?P<end>\d\d(?:\d\d)?)"),
    ("CLOCK", rf"{_CLOCK}:{_MINUTE}(?::{_SECOND})?"),
    ("CLOCK", rf"{_CLOCK}h{_MINUTE}?"),
    ("CLOCK", rf"{_CLOCK}:{_MINUTE}h"),
    ("CLOCK", rf"(?P<H>0?\d|1[0-2])(?::?{_MINUTE})?(?P<ap>[ap])m"),
    ("QUARTER", r"q(?P<n>[1-4])"),
    ("SMALL_NUMBER", r"(?P<n>\d{1,2})"),
    ("YEAR", r"(?P<n>1\d{3}|20\d{2}|21\d{2})"),
    ("THREE_DIGITS", r"(?P<n>[1-9]\d{2})"),
    ("DECIMAL", r"(?P<n>\d{1,6}[.,]\d{1,2})"),
    ("LARGE_NUMBER", r"(?P<n>\d{1,6}|\d{1,3}(?:[.,]\d{3}){1,3})"),
)

#: The shapes by the order of day, month and year in numeric dates.
SHAPES: dict[str, tuple[Shape, ...]] = {
    order: tuple(Shape(name, lazy_regex(pattern)) for name, pattern in (*_ISO, *own, *_NUMBERS))
    for order, own in _BY_ORDER.items()
}
