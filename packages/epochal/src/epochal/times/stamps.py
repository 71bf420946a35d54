"""Time stamps as programs write them: in mail, feeds, logs, exports of tables and databases, PDF files.

`read_stamp` reads a date, with or without a time of day and a zone, and nothing else. A day and a month in figures are
read where only one order is possible, or where `day_first` gives it: 05/04/2020 alone may be either day.
"""

from __future__ import annotations

import re
from typing import Final

from epochal.errors import EpochalError
from epochal.lazy import lazy_regex
from epochal.times.axis import DAY, Grain, day_number, days_in_month
from epochal.times.span import Span

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH: Final = (
    r"(?P<{}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR: Final = r"(?P<{}>\d{{4}}|\d{{2}})"
#: A date by itself; the group `order` holds a day and a month in figures whose order must be known.
_DATES: Final = (
    r"(?P<y1>\d{4})(?P<s1>[-/.])(?P<m1>\d{1,2})(?P=s1)(?P<d1>\d{1,2})",
    r"(?P<y2>\d{4})(?P<m2>\d{2})(?P<d2>\d{2})",
    rf"(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?[-/ .]{{0,2}}{_MONTH.format('n3')}[-/ ,]{{0,2}}{_YEAR.format('y3')}",
    rf"{_MONTH.format('n4')}[ -](?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?[ -]{_YEAR.format('y4')}",
    rf"(?P<order>(?P<a5>\d{{1,2}})(?P<s5>[-/.])(?P<b5>\d{{1,2}})(?P=s5)){_YEAR.format('y5')}",
    rf"(?P<y6>\d{{4}})[- ]{_MONTH.format('n6')}[- ](?P<d6>\d{{1,2}})",
)
_TIME: Final = (
    r"(?P<hour>\d{1,2})(?:(?P<point>[:.])(?P<minute>\d{2})(?:(?P=point)(?P<second>\d{2})(?:[.,]\d{1,9})?)?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?"
)
#: Hours east of Greenwich. Names that mean several zones, such as IST, are left out.
_ZONES: Final = {
    **dict.fromkeys(("z", "ut", "utc", "gmt", "wet"), 0.0),
    **{"est": -5.0, "edt": -4.0, "cst": -6.0, "cdt": -5.0, "mst": -7.0, "mdt": -6.0, "pst": -8.0, "pdt": -7.0},
    **{"bst": 1.0, "west": 1.0, "cet": 1.0, "cest": 2.0, "eet": 2.0, "eest": 3.0, "msk": 3.0, "jst": 9.0, "kst": 9.0},
    **{"aest": 10.0, "aedt": 11.0},
}
_ZONE: Final = (
    rf"(?:(?:utc|gmt)?(?P<sign>[-+])(?P<east>\d{{1,2}})[:']?(?P<past>\d{{2}})?'?|(?P<zone>{'|'.join(_ZONES)}))"
    r"(?: ?\([^()]*\)| [a-z]{2,5})?"
)
_WEEKDAY: Final = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? )?"
#: Between the date and the time: ISO's T, a space, the colon of web servers' logs.
_BETWEEN: Final = r"(?:t|:|,? (?:at |- )?)"
_STAMPS: Final = tuple(
    lazy_regex(rf"\[?{_WEEKDAY}(?P<date>{date})(?:{_BETWEEN}{_TIME}(?: ?{_ZONE})?)?\]?", re.IGNORECASE)
    for date in _DATES
)
#: Digits alone, as databases and PDF files ("D:20240514101500+02'00'") have them.
_DIGITS: Final = lazy_regex(
    rf"(?:d:)?(?P<y>\d{{4}})(?P<m>\d{{2}})(?P<d>\d{{2}})t?(?P<hour>\d{{2}})(?P<minute>\d{{2}})(?P<second>\d{{2}})"
    rf"(?:\.\d+)?(?P<half>)(?: ?{_ZONE})?",
    re.IGNORECASE,
)
#: The year behind the time of day, as C and Git write it: "Tue May 14 10:15:00 CEST 2024", "... 2024 +0200".
_YEAR_LAST: Final = lazy_regex(
    r"(?P<day>[a-z., ]{3,16} \d{1,2}) (?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?P<zone> [a-z]{1,5})? (?P<year>\d{4})"
    r"(?P<offset> [-+]\d{4})?",
    re.IGNORECASE,
)
#: A zone by its place: "2024-05-14T10:15:00[Europe/Berlin]".
_PLACE: Final = lazy_regex(r"(?P<stamp>[^\[]{1,60}?) ?\[?(?P<place>[A-Z][A-Za-z]{1,20}(?:/[A-Za-z_-]{1,30}){1,2})\]?")
_OFFSET: Final = lazy_regex(r"(?:[-+]\d\d:?(?:\d\d)?|z)\Z", re.IGNORECASE)
_PDF_DAY: Final = lazy_regex(r"d:(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})", re.IGNORECASE)
_MONTH_YEAR: Final = lazy_regex(r"(?P<m>\d{1,2})[/.](?P<y>\d{4})")
_QUARTER: Final = lazy_regex(r"(?:fy)?(?P<y>\d{4})[- ]?(?P<kind>[qh])(?P<n>[1-4])", re.IGNORECASE)
_NUMBER: Final = lazy_regex(r"@?(?P<whole>\d{9,19})(?:\.\d{0,9})?")
_LONGEST: Final = 80
#: Two figures are a year from 1969 to 2068, as POSIX has it.
_PIVOT: Final = 69


def read_stamp(text: str, *, day_first: bool | None = None) -> Span | None:
    """The span of a stamp; None where a text is none, or its order of day and month is not known.

    >>> read_stamp("Tue, 14 May 2024 10:15:00 +0200").edtf(), read_stamp("14.05.2024").edtf()
    ('2024-05-14T08:15:00Z', '2024-05-14')
    >>> read_stamp("05/04/2020") is None, read_stamp("05/04/2020", day_first=True).edtf()
    (True, '2020-04-05')
    """
    plain = " ".join(text.split())
    if not plain or len(plain) > _LONGEST or not any(letter.isdigit() for letter in plain):
        return None
    try:
        return _read_dated(plain, day_first) or _read_unit(plain) or _read_at_place(plain, day_first)
    except EpochalError:
        return None


def _read_at_place(text: str, day_first: bool | None) -> Span | None:
    """A stamp with the place of its zone, which counts where it states no offset; unknown places leave the day."""
    match = _PLACE.fullmatch(text)
    span = None if match is None else _read_dated(match["stamp"], day_first)
    if match is None or span is None or span.grain >= Grain.DAY:
        return span
    if _OFFSET.search(match["stamp"]):
        return span
    offset = _find_offset(match["place"], span.start)
    if offset is None:
        start = span.start // DAY * DAY
        return Span(start, start + DAY, Grain.DAY)
    return Span(span.start - offset, span.end - offset, span.grain)


def _find_offset(place: str, local: int) -> int | None:
    """Seconds that clocks of a place are ahead of UTC; None for places that this machine's table of zones lacks."""
    from datetime import datetime, timedelta
    from zoneinfo import ZoneInfo

    try:
        offset = (datetime(1970, 1, 1, tzinfo=ZoneInfo(place)) + timedelta(seconds=local)).utcoffset()
    except (KeyError, ValueError, OSError, OverflowError):
        return None
    return None if offset is None else int(offset.total_seconds())


def read_number(value: int | float) -> Span | None:
    """A moment counted since 1970, in seconds or thousandths, millionths or billionths of one; a year; or 20240514.

    >>> read_number(1715681700000).edtf(), read_number(1998).edtf(), read_number(3)
    ('2024-05-14T10:15:00Z', '1998', None)
    """
    number = int(value // 1)
    if value == number and 1000 <= number <= 9999:
        return Span.year(number)
    if value == number and 10**7 <= number < 10**8:
        return read_stamp(str(number))
    for ticks in (1, 10**3, 10**6, 10**9):
        if 10**8 * ticks <= number < 10**11 * ticks and (ticks == 1 or number >= 10**11):
            return Span.at(number // ticks)
    return None


def is_ambiguous_day(text: str) -> bool:
    """Whether a text is a stamp that two orders of day and month make two different days.

    >>> is_ambiguous_day("05/04/2020"), is_ambiguous_day("25/04/2020"), is_ambiguous_day("05.04.2020")
    (True, False, False)
    """
    return read_stamp(text) is None and read_stamp(text, day_first=True) is not None


def find_day_order(text: str) -> bool | None:
    """Whether a stamp in figures has the day before the month; None where it does not show it."""
    match = _STAMPS[4].fullmatch(" ".join(text.split()))
    if match is None or match["s5"] == "." or match["a5"] == match["b5"]:
        return None
    first, second = int(match["a5"]), int(match["b5"])
    if first > 12 >= second:
        return True
    return False if second > 12 >= first else None


def _read_dated(text: str, day_first: bool | None) -> Span | None:
    if match := _DIGITS.fullmatch(text):
        return _make_span(match, int(match["y"]), int(match["m"]), int(match["d"]))
    if match := _PDF_DAY.fullmatch(text):
        return Span.day(int(match["y"]), int(match["m"]), int(match["d"]))
    if match := _YEAR_LAST.fullmatch(text):
        text = f"{match['day']} {match['year']} {match['time']}{match['offset'] or match['zone'] or ''}"
    for number, form in enumerate(_STAMPS, 1):
        match = form.fullmatch(text)
        if match is None:
            continue
        if number == 5:
            order = _order_day(match, day_first)
            if order is None:
                return None
            day, month = order
        else:
            day = int(match[f"d{number}"])
            names = match.groupdict()
            month = (
                _MONTHS.index(match[f"n{number}"][:3].lower()) + 1
                if f"n{number}" in names
                else int(match[f"m{number}"])
            )
        return _make_span(match, _widen_year(match[f"y{number}"]), month, day)
    return None


def _order_day(match: re.Match[str], day_first: bool | None) -> tuple[int, int] | None:
    """The day and the month of two figures; None where they may be either."""
    first, second = int(match["a5"]), int(match["b5"])
    # Nobody writes a month first with points.
    if match["s5"] == "." or first > 12 or first == second:
        return first, second
    if second > 12:
        return second, first
    return None if day_first is None else (first, second) if day_first else (second, first)


def _widen_year(text: str) -> int:
    year = int(text)
    if len(text) == 4:
        return year
    return year + (1900 if year >= _PIVOT else 2000)


def _make_span(match: re.Match[str], year: int, month: int, day: int) -> Span | None:
    if not 1 <= month <= 12 or not 1 <= day <= days_in_month(year, month):
        return None
    if match["hour"] is None:
        return Span.day(year, month, day)
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    elif match["minute"] is None:
        return None  # "14 May 2024 10" is no stamp
    if hour > 24 or minute > 59 or second > 60:
        return None
    start = day_number(year, month, day) * DAY + 3600 * hour + 60 * minute + min(second, 59) - _get_offset(match)
    grain = Grain.SECOND if match["second"] is not None else Grain.MINUTE if match["minute"] is not None else Grain.HOUR
    return Span(start, start + grain.seconds, grain)


def _get_offset(match: re.Match[str]) -> int:
    """Seconds that local time is ahead of UTC; times that state no zone are in UTC."""
    if match["sign"]:
        ahead = 3600 * int(match["east"]) + 60 * int(match["past"] or 0)
        return -ahead if match["sign"] == "-" else ahead
    return int(3600 * _ZONES[match["zone"].lower()]) if match["zone"] else 0


def _read_unit(text: str) -> Span | None:
    """A month in figures, a quarter or half of a year, or a count since 1970."""
    if match := _MONTH_YEAR.fullmatch(text):
        return Span.month(int(match["y"]), int(match["m"]))
    if match := _QUARTER.fullmatch(text):
        months = 3 if match["kind"].lower() == "q" else 6
        first = (int(match["n"]) - 1) * months + 1
        if first > 12:
            return None
        year, grain = int(match["y"]), Grain.QUARTER if months == 3 else Grain.HALF
        return Span(Span.month(year, first).start, Span.month(year, first + months - 1).end, grain)
    if match := _NUMBER.fullmatch(text):
        return read_number(int(match["whole"]))
    return None
