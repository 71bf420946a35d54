"""Dates that state what they mean, up to a season: days, weekdays, months."""

from __future__ import annotations

import re

from epochal.errors import TimeParseError
from epochal.reading.english.context import Context
from epochal.reading.english.dating import dated
from epochal.reading.english.found import Found, Meaning
from epochal.reading.english.lexicon import SEASONS, WEEKDAYS
from epochal.reading.english.rules import rule
from epochal.reading.english.values import date_value, day_span, first_day, season_span
from epochal.times import Grain, Span
from epochal.times.axis import DAY, civil_date

__all__: list[str] = []


@rule
def full_date(found: Found, context: Context) -> Meaning | None:
    year, month, day = found.year(), found.month(), found.day_of_month()
    if year is None or month is None or day is None:
        return None
    if found.is_bc:
        year = 1 - year
    number = first_day(year, month, day)
    return None if number is None else dated(day_span(number), found, 0.99)


@rule
def numeric_date(found: Found, context: Context) -> Meaning | None:
    text = (found.word("A") or "").upper()
    if text.startswith("FY"):
        return Meaning("DATE", text[2:], Span.year(int(text[2:])), "", 0.8)
    if "X" in text or "W" in text or "T" in text:
        return _standard(text)
    numbers = re.split(r"[-/.]", text)
    if len(numbers) == 2:
        year, month = int(numbers[0]), int(numbers[1])
        return Meaning("DATE", text, Span.month(year, month), "", 0.9)
    first, second, third = (int(number) for number in numbers)
    if len(numbers[0]) == 4:
        year, month, day = first, second, third
    else:
        month, day, year = (first, second, third) if first <= 12 and "." not in text else (second, first, third)
        if year < 100:
            year += 1900 if year > 30 else 2000
    after = found.tokens.text[found.tokens.end(found.last - 1) :][:2]
    if after[:1] == "." and after[1:].isalnum():
        return None  # the name of a file
    number = first_day(year, month, day) if 1 <= month <= 12 else None
    return None if number is None else Meaning("DATE", date_value(day_span(number)), day_span(number), "", 0.95)


def _standard(text: str) -> Meaning | None:
    """An EDTF or ISO 8601 form inside a text."""
    try:
        span = Span.parse(text)
    except TimeParseError:
        return None
    if "T" in text:
        return Meaning("TIME", text.removesuffix("Z"), span, "", 0.99)
    return Meaning("DATE", text if "W" in text else date_value(span), span, "", 0.95)


@rule
def bc_day(found: Found, context: Context) -> Meaning | None:
    """ "15 March 44 BC", "March 44 BC"."""
    month = found.month()
    number = int(found.all("nmOY")[-1].replace(",", "").partition(".")[0])
    day = found.day_of_month() if len(found.all("noY")) + len(found.all("O")) > 1 else None
    year = 1 - number if found.is_bc else number
    if month is None or number == 0:
        return None
    if day is None:
        return dated(Span.month(year, month), found)
    place = first_day(year, month, day)
    return None if place is None else dated(day_span(place), found)


@rule
def month_of_year(found: Found, context: Context) -> Meaning | None:
    year, month = found.year(), found.month()
    if year is None or month is None:
        return None
    return dated(Span.month(1 - year if found.is_bc else year, month), found, 0.97)


@rule
def month_shifted(found: Found, context: Context) -> Meaning | None:
    """ "June last year", "25 July of that year"."""
    month, grain = found.month(), found.unit()[0]
    shift = -1 if "l" in found.codes else 1 if "x" in found.codes else 0
    whole = context.unit(Grain.YEAR, shift, context.base if "that" in found.words or "s" in found.codes else None)
    if month is None or grain is not Grain.YEAR or whole is None or whole.first_year is None:
        return None
    if "n" not in found.codes and "o" not in found.codes:
        return dated(Span.month(whole.first_year, month), found)
    day = found.day_of_month()
    number = None if day is None else first_day(whole.first_year, month, day)
    return None if number is None else dated(day_span(number), found)


@rule
def month_day(found: Found, context: Context) -> Meaning | None:
    month, day = found.month(), found.day_of_month()
    if month is None or day is None:
        return None
    year = _year_ahead(found, month) or context.year_for_month(month)
    if year is None:
        return Meaning("DATE", f"XXXX-{month:02d}-{day:02d}", None, found.mod(), 0.8)
    number = first_day(year, month, day)
    return None if number is None else dated(day_span(number), found)


@rule
def days_before_month(found: Found, context: Context) -> Meaning | None:
    """The first number of "12 and 15 April 1951": the month and year stand further on."""
    day = found.day_of_month()
    rest = found.tokens.codes[found.last : found.last + 12]
    place = rest.find("M")
    if day is None or place < 0:
        return None
    whole = Found(found.tokens, found.last, found.last + place + 4)
    month, year = whole.month(), whole.year() if re.match(r"[^M]*M;?,?(?:Y|'n)", rest) else None
    if month is None:
        return None
    year = year if year is not None else context.year_for_month(month)
    number = None if year is None else first_day(year, month, day)
    return None if number is None else Meaning("DATE", date_value(day_span(number)), day_span(number), "", 0.9)


@rule
def days_after_month(found: Found, context: Context) -> Meaning | None:
    """The second number of "April 12-15": the month stands before."""
    day = found.day_of_month()
    before = Found(found.tokens, max(0, found.first - 4), found.first)
    month = before.month()
    last = context.last
    if day is None or month is None or last is None or last.first_year is None:
        return None
    number = first_day(last.first_year, month, day)
    return None if number is None else Meaning("DATE", date_value(day_span(number)), day_span(number), "", 0.85)


@rule
def month(found: Found, context: Context) -> Meaning | None:
    number = found.month()
    if number is None or not _is_month(found):
        return None
    year = _year_ahead(found, number) or context.year_for_month(number)
    if year is None:
        return Meaning("DATE", f"XXXX-{number:02d}", None, found.mod(), 0.7)
    return dated(Span.month(year, number), found, 0.9)


#: "[April] and June 1955", "[March 19] to April 30, 2003".
_DATED_NEXT = re.compile(r"(?:[&z-]|,&)(?:t?(?:e-?)?(?:M;?[no],?|[no]f?M;?,?|M;?f?))Y")


def _year_ahead(found: Found, month: int) -> int | None:
    """The year of a month that is listed, or starts a stretch, before one whose year is stated."""
    tokens = found.tokens
    match = _DATED_NEXT.match(tokens.codes, found.last)
    if match is None:
        return None
    other = Found(tokens, found.last, match.end())
    year, following = other.year(), other.month()
    if year is None or following is None:
        return None
    return year - (month > following)


def _is_month(found: Found) -> bool:
    """Whether the name of a month alone is one: "may" and "march" are verbs, "Jan" and "May" people."""
    word = found.word("M") or ""
    if len(found.words) > 1 and found.codes[0] in "teb":
        return True
    tokens = found.tokens
    before = tokens.words[found.first - 1] if found.first else ""
    if _DATED_NEXT.match(tokens.codes, found.last):
        return True
    end = tokens.end(found.last - 1)
    following = tokens.text[end : end + 2].lstrip()[:1]
    if word in ("april", "june", "august") and following.isupper() and before not in _MONTH_CUES:
        return False  # June Carter, August Wilson
    if word not in ("may", "march") and (len(word) > 4 or word in ("june", "july", "sept") or ";" in found.codes):
        return True
    if before in {"and", "of", "to", "or", ","}:
        return not following.isupper() and tokens.codes[found.first - 2 : found.first - 1] in ("M", "n", "o", "b", ";")
    if before in ("the", "a", "its", "their") and following.islower():
        return tokens.codes[found.last : found.last + 1] == "."  # the March accession; not the March on Washington
    return before in _MONTH_CUES


_MONTH_CUES = {"-", "after", "before", "between", "by", "during", "each", "early", "ended", "ending", "every"}
_MONTH_CUES |= {"for", "from", "in", "last", "late", "mid", "next", "on", "since", "this", "through"}
_MONTH_CUES |= {"till", "until"}


@rule
def weekday(found: Found, context: Context) -> Meaning | None:
    word = found.word("WX")
    number = WEEKDAYS[word or ""]
    if (word or "").endswith("days"):
        return Meaning("SET", f"XXXX-WXX-{number}", None, "", 0.8)
    day = context.weekday_day(number)
    if day is None:
        return Meaning("DATE", f"XXXX-WXX-{number}", None, found.mod(), 0.7)
    return Meaning("DATE", date_value(day_span(day)), day_span(day), found.mod(), 0.85)


@rule
def weekday_day(found: Found, context: Context) -> Meaning | None:
    """ "Friday the 13th": the nearest such day."""
    home, day = context.home, found.day_of_month()
    number = WEEKDAYS[found.word("W") or ""]
    if home is None or day is None:
        return None
    today = home.start // DAY
    near = sorted(range(today - 200, today + 200), key=lambda one: abs(one - today))
    for candidate in near:
        if civil_date(candidate)[2] == day and (candidate + 3) % 7 + 1 == number:
            return Meaning("DATE", date_value(day_span(candidate)), day_span(candidate), "", 0.85)
    return None


@rule
def season_of_year(found: Found, context: Context) -> Meaning | None:
    name = SEASONS[found.word("SF") or ""]
    year, numbers = found.year(), found.all("nmO")
    if year is None and numbers and "E" in found.codes:  # "autumn of 481 BC"
        year = int(numbers[-1].replace(",", "").partition(".")[0])
        if not 0 < year < 100_000:
            return None
    if year is None and (found.unit()[0] is not Grain.YEAR or ("F" in found.codes and "t" not in found.codes)):
        return None  # "will fall next month"
    if year is None:
        shift = -1 if "l" in found.codes else 1 if "x" in found.codes else 0
        whole = context.unit(Grain.YEAR, shift)
        if whole is None:
            return None
        year = civil_date(whole.start // DAY)[0]
    return dated(season_span(1 - year if found.is_bc else year, name), found)


@rule
def season(found: Found, context: Context) -> Meaning | None:
    name = SEASONS[found.word("SF") or ""]
    if found.tokens.words[found.last : found.last + 1] in (["water"], ["roll"], ["rolls"], ["onion"], ["onions"]):
        return None
    next_one = _SEASON_NEXT.match(found.tokens.codes, found.last)
    if next_one is not None:
        year = Found(found.tokens, found.last, next_one.end()).year()
        if year is not None:
            return dated(season_span(year, name), found, 0.85)
    whole = context.unit(Grain.YEAR)
    if whole is None:
        return Meaning("DATE", f"XXXX-{name}", None, found.mod(), 0.7)
    return dated(season_span(civil_date(whole.start // DAY)[0], name), found, 0.75)


#: "[the spring] and early summer of 1943"
_SEASON_NEXT = re.compile(r"[&z-]t?(?:e-?)?[SF]f?Y(?!E)")
