"""Values of TIMEX3 and of other sources of phrases as units and lengths, which can be compared."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from epochal.errors import EpochalError
from epochal.reading.timex3 import part_of_day, season_span
from epochal.times.axis import DAY, add_months, civil_date, to_seconds
from epochal.times.span import Span


class Unit(NamedTuple):
    """What one value without ends means: seconds from `start` to `end`; `clock` is a time of day without a day."""

    start: int
    end: int
    form: str = "date"


_MOMENT = re.compile(r"(.*)T(\d\d)(?:[:-]?(\d\d|XX))?(?:[:-]?(\d\d|XX))?(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?")
PART = re.compile(r"(.*)T(MO|MI|AF|EV|NI|DT)")
_DATE = re.compile(
    r"(BC|-)?(\d{1,4})(?:-(\d\d)(?:-(\d\d))?|-W(\d\d)(?:-([1-7]|WE))?|-Q([1-4])|-H([12])|-(SP|SU|FA|WI))?"
)
_LENGTH = re.compile(
    r"P(?:([\d.]+)ML)?(?:([\d.]+)CE)?(?:([\d.]+)DE)?(?:([\d.]+)Y)?(?:([\d.]+)Q)?(?:([\d.]+)M)?(?:([\d.]+)W)?"
    r"(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?"
)
_LENGTH_MONTHS: Final = (12000, 1200, 120, 12, 3, 1)
_LENGTH_SECONDS: Final = (7 * DAY, DAY, 3600, 60, 1)


def same_length(gold: tuple[float, float], given: tuple[float, float] | None) -> bool:
    """Whether two lengths are the same, a year taken as 365 days and a month as 30 where only one has them."""
    return given is not None and (gold == given or _count_seconds(*gold) == _count_seconds(*given))


def _count_seconds(months: float, seconds: float) -> float:
    return round((months // 12 * 365 + months % 12 * 30) * DAY + seconds, 3)


def read_length(value: str) -> tuple[float, float] | None:
    """Months and seconds of a length, or None.

    >>> read_length("P1Y6M"), read_length("PT1.5M")
    ((18.0, 0.0), (0.0, 90.0))
    """
    match = _LENGTH.fullmatch(value)
    if match is None or not any(match.groups()):
        return None
    amounts = [float(text or 0) for text in match.groups()]
    months = sum(amount * size for amount, size in zip(amounts[:6], _LENGTH_MONTHS, strict=True))
    seconds = sum(amount * size for amount, size in zip(amounts[6:], _LENGTH_SECONDS, strict=True))
    return months, seconds


def read_unit(value: str) -> Unit | None:
    """The unit, moment or clock time that a value without ends is; None for anything else.

    >>> read_unit("1970-W01-WE"), read_unit("T01:00")
    (Unit(start=172800, end=345600, form='named'), Unit(start=3600, end=3660, form='clock'))
    """
    value = re.sub(r"(?i)[~?%]+$|(?<=\d)(?:-XX)+$", "", value.strip().replace(" ", "T"))
    part = PART.fullmatch(value)
    if part is not None:
        day = Unit(0, DAY) if not part[1] else read_unit(part[1])
        if day is None:
            return None
        hours = part_of_day(day.start // DAY, part[2])
        start = hours.start - 2 * 3600 * (part[2] == "NI")  # for some the night begins with the evening
        return Unit(start, hours.end, "named" if part[1] else "clock part")
    moment = _MOMENT.fullmatch(value)
    if moment is not None:
        day = Unit(0, DAY) if not moment[1] else read_unit(moment[1])
        if day is None:
            return None
        parts = [int(text) for text in moment.groups()[1:] if text and text != "XX"]
        start = day.start + sum(count * size for count, size in zip(parts, (3600, 60, 1), strict=False))
        return Unit(start, start + (3600, 60, 1)[len(parts) - 1], "moment" if moment[1] else "clock")
    return _read_date(value)


def _read_date(value: str) -> Unit | None:
    value = re.sub(r"^((?:BC)?\d\d)XX$|^(\d\d\d)X$", r"\1\2", value)
    match = _DATE.fullmatch(value)
    if match is None:
        return None
    era, digits, month, day, week, weekday, quarter, half, season = match.groups()
    year = 1 - int(digits) if era == "BC" else -int(digits) if era else int(digits)
    if season:
        span = season_span(year, season)
    elif quarter or half:
        size = 3 if quarter else 6
        first = to_seconds(year, (int(quarter or half) - 1) * size + 1)
        return Unit(first, add_months(first, size))
    elif week:
        span = Span.parse(f"{digits}-W{week}")
        if weekday == "WE":
            return Unit(span.start + 5 * DAY, span.end, "named")
        if weekday:
            return Unit(span.start + (int(weekday) - 1) * DAY, span.start + int(weekday) * DAY)
    elif len(digits) < 4:
        size = 10 ** (4 - len(digits))
        return Unit(to_seconds(year * size), to_seconds((year + 1) * size))
    else:
        try:
            span = Span.parse("-".join(filter(None, (f"{year:05d}" if year < 0 else f"{year:04d}", month, day))))
        except EpochalError:
            return None
    return Unit(span.start, span.end, "named" if season else "date")


def split_ends(value: str) -> tuple[str, str] | None:
    """The two ends of a range, in any of the forms of the sources."""
    match = re.fullmatch(r"\((.+?),(.+?),.*\)", value) or re.fullmatch(r"([^/]+)/([^/]+)", value)
    return None if match is None else (match[1], match[2])


def write_plain(value: str) -> str:
    value = re.sub(r"[~?%]|Z$", "", value.strip().replace(" ", "T").upper())
    # What is not known is left out: XXXX-12-XX is XXXX-12, and a clock time of any day is T23:59 or T23-59-XX.
    value = re.sub(r"^XXXX-XX-XX(?=T)|(?<=\d)(?:-XX)+$", "", value)
    value = re.sub(r"^T(\d\d)-(\d\d)(?:-(\d\d))?$", lambda match: "T" + ":".join(filter(None, match.groups())), value)
    return re.sub(r"(T\d\d:\d\d):00$|(T\d\d):00(?::00)?$", r"\1\2", value)


def agree_where_known(gold: str, value: str) -> bool:
    """Whether two values are the same but for a year that one of them leaves open; a season may have none at all.

    >>> agree_where_known("XXXX-05-01", "2002-05-01"), agree_where_known("SU", "2020-SU")
    (True, True)
    """
    texts = [_NO_YEAR.sub("", write_plain(text)) for text in (gold, value)]
    known = [_YEAR.sub("", text) for text in texts]
    is_open = texts != [write_plain(gold), write_plain(value)] or gold in _SEASONS
    return is_open and bool(known[0]) and known[0] == known[1]


_NO_YEAR = re.compile(r"^XXXX-?(?!WXX)")
_YEAR = re.compile(r"^\d{4}-(?!W)")
_SEASONS: Final = ("SP", "SU", "FA", "WI")


def is_counted(gold: Unit, given: Unit, reference: int) -> bool:
    """Whether gold is a moment that is so many of the given unit from the reference, and given the unit that it is in.

    "Three months ago" is a month in TIMEX3, and a day where a source counts from the day it is.

    >>> april = Unit(to_seconds(2013, 4), to_seconds(2013, 5))
    >>> is_counted(Unit(to_seconds(2013, 4, 12), to_seconds(2013, 4, 13)), april, to_seconds(2013, 2, 12))
    True
    """
    if "named" in (gold.form, given.form):
        return False
    if not (given.start <= gold.start and gold.end <= given.end and gold.end - gold.start < given.end - given.start):
        return False
    days = round((given.end - given.start) / DAY)
    months = {28: 1, 29: 1, 30: 1, 31: 1, 365: 12, 366: 12}.get(days)
    if months is not None:
        there, here = civil_date(given.start // DAY), civil_date(reference // DAY)
        count = (there[0] - here[0]) * 12 + there[1] - here[1] if months == 1 else (there[0] - here[0]) * 12
        moment = add_months(reference, count)
    elif days in (1, 7) and (given.end - given.start) == days * DAY:
        moment = reference + (given.start - reference + days * DAY - 1) // (days * DAY) * days * DAY
    else:
        return False
    return moment != reference and gold.start <= moment < gold.end and given.start <= moment < given.end
