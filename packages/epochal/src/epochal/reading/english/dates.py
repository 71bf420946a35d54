"""Rules for days, weekdays, months and seasons."""

from __future__ import annotations

import re
from itertools import pairwise

from epochal.errors import TimeParseError
from epochal.lazy import lazy_regex
from epochal.reading.english.codes import expand_year, has_date_cue
from epochal.reading.english.context import EnglishContext
from epochal.reading.english.guards import (
    NAME_LEADS,
    is_named_after_day,
    is_numbered,
    is_one_of_many,
    is_part_of_name,
    is_person,
)
from epochal.reading.english.lexicon import CLASSES, MONTHS, SEASONS, WEEKDAYS
from epochal.reading.english.match import RuleMatch, apply_modifier, rule
from epochal.reading.english.patterns import GRAMMAR
from epochal.reading.expression import Meaning
from epochal.reading.timex3 import date_value, day_span, find_date, first_day, month_span, season_span
from epochal.times.axis import DAY, Grain
from epochal.times.calendars.registry import calendar
from epochal.times.span import Span


@rule
def full_date(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    year, month, day = context.complete_year(match.year(), match.has("'")), match.month(), match.day_of_month()
    if year is None or month is None or day is None:
        return None
    if match.is_bc:
        year = 1 - year
    number = first_day(year, month, day)
    if number is None:
        return None
    if _OLD_STYLE.match(match.tokens.text, match.tokens.end(match.last - 1)):
        julian = calendar("julian")
        dates = julian.parse(f"{day} {_MONTH_NAMES[month - 1]} {year} O.S.")
        number = next((julian.span(date).start // DAY for date in dates), number)
    return apply_modifier(day_span(number), match, 0.99)


@rule
def short_date(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "16-Nov-26", "3 Aug 96", "Aug 9, 96", "18 JUN 25": a date with a year of two digits."""
    month, day, digits = match.month(), match.day_of_month(), match.words[-1]
    if month is None or day is None or len(digits) != 2:
        return None
    if int(digits) <= 31 and not match.has("-") and not _is_signal_date(match):
        return None
    if match.has("-") and match.codes.count(CLASSES["-"]) != 2:
        return None
    year = context.complete_year(expand_year(digits), is_short=True)
    number = None if year is None else first_day(year, month, day)
    return None if number is None else apply_modifier(day_span(number), match, 0.85)


def _is_signal_date(match: RuleMatch) -> bool:
    """Whether a day is written as in signals and in logs of ships and flights: 18 JUN 25, all of it in capitals."""
    tokens = match.tokens
    written = tokens.text[tokens.start(match.first) : tokens.end(match.last - 1)]
    following = tokens.text[tokens.end(match.last - 1) :][:2]
    return _SIGNAL_DATE.fullmatch(written) is not None and not (following[:1] == " " and following[1:].islower())


_SIGNAL_DATE = lazy_regex(r"\d\d? [A-Z]{3} \d\d")
_MONTH_NAMES = [name for name in MONTHS if len(name) > 3 or name == "may"]
#: After a date: it is one of the Julian calendar.
_OLD_STYLE = lazy_regex(r",?\s*[(\[]?O\.?\s?S\.?(?!\w)|\s*[(\[]?Old Style")


@rule
def numeric_date(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    text = (match.word("NUMERIC_DATE") or "").upper()
    if (text.isdigit() or len(text) == 7) and is_numbered(match.tokens, match.first, match.last):
        return None  # commit 20190412, part no. 2011-04
    day = read_numeric_date(match)
    if day is not None:
        return Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.95)
    stamp = _STAMP.fullmatch(text)
    if stamp is not None:
        return _stamp(stamp)
    if "X" in text or "W" in text or "T" in text:
        return _standard(text)
    numbers = re.split(r"[-/.]", text)
    if len(numbers) != 2:
        return None
    year, month = sorted((int(number) for number in numbers), reverse=True)
    span = month_span(year, month)
    return Meaning("DATE", date_value(span), span, "", 0.9)


def read_numeric_date(match: RuleMatch) -> int | None:
    """The day number of 1998-03-05, 3/5/98, 5.3.1998 or 19980305; None for what is no day, or the name of a file."""
    text = match.word("NUMERIC_DATE") or ""
    numbers = re.split(r"[-/.]", text)
    if text.isdigit():
        numbers = [text[:4], text[4:6], text[6:]]
    if len(numbers) != 3 or not "".join(numbers).isdigit():
        return None
    first, second, third = (int(number) for number in numbers)
    if len(numbers[0]) == 4:
        year, month, day = first, second, third
    else:
        month, day, year = (first, second, third) if first <= 12 and "." not in text else (second, first, third)
        if "." in text and first <= 12 < second:
            month, day = first, second  # 10.31.1974
        if "." in text and len(numbers[2]) == 2 and not has_date_cue(match):
            return None  # a version: 10.12.24
        if "." in text and len(numbers[2]) > 2 and not 1000 <= year <= 2199:
            return None  # a version: 8.2.5043
        if year < 100:
            year += 1900 if year > 30 else 2000
    if "." in text and len(numbers[0]) == 4 and (len(numbers[1]) < 2 or len(numbers[2]) < 2):
        return None  # a version: 2021.10.8
    after = match.tokens.text[match.tokens.end(match.last - 1) :][:16]
    if (after[:1] == "." and after[1:2].isalnum()) or (after[:1] == "-" and after[1:2].isalpha()):
        return None  # the name of a file; part no. 12-07-1999-X
    if _VERSION_NEXT.match(after):
        return None  # the name of a file; "from 4.9.2022 to 5.0.2"
    return first_day(year, month, day) if 1 <= month <= 12 else None


_VERSION_NEXT = lazy_regex(r"\s*(?:to|->|→|=>)\s*v?\d{1,2}\.\d{1,2}\.\d{1,3}(?![\d])")
#: 02/Jun/2024:13:45:12 +0000, 20240602T134512Z, 2024-154T13:45Z
_STAMP = lazy_regex(
    r"(?:(?P<d>\d{1,2})/(?P<name>[A-Z]{3})/(?P<y>\d{4})|(?P<first>\d{4})/(?P<month>[A-Z]{3})/(?P<day>\d{1,2})"
    r"|(?P<ymd>\d{8})|(?P<year>\d{4})-(?P<nth>\d{3}))"
    r"(?:[:T](?P<H>\d\d):?(?P<M>\d\d):?(?P<S>\d\d)?(?:Z|\s?(?P<zone>[+-]\d{4}))?)?"
)


def _stamp(stamp: re.Match[str]) -> Meaning | None:
    """A day with a clock, as logs write it."""
    if stamp["name"] is not None:
        day = first_day(int(stamp["y"]), MONTHS.get(stamp["name"].lower(), 0), int(stamp["d"]))
    elif stamp["first"] is not None:
        day = first_day(int(stamp["first"]), MONTHS.get(stamp["month"].lower(), 0), int(stamp["day"]))
    elif stamp["ymd"] is not None:
        day = first_day(int(stamp["ymd"][:4]), int(stamp["ymd"][4:6]), int(stamp["ymd"][6:]))
    else:
        first, nth = first_day(int(stamp["year"]), 1, 1), int(stamp["nth"])
        day = None if first is None or not 0 < nth < 367 else first + nth - 1
    if day is None:
        return None
    if stamp["H"] is None:
        return Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.95)
    second = None if stamp["S"] is None else int(stamp["S"])
    return make_clock_time(day, int(stamp["H"]), int(stamp["M"]), second, stamp["zone"])


def make_clock_time(day: int, hour: int, minute: int, second: int | None, offset: str | None) -> Meaning | None:
    """A time of a day. The value keeps the hour as stated; the span lies on the axis, in UTC."""
    if hour > 24 or minute > 59 or (second or 0) > 60:
        return None
    value = f"{date_value(day_span(day))}T{hour:02d}:{minute:02d}" + ("" if second is None else f":{second:02d}")
    start = day * DAY + hour * 3600 + minute * 60 + (second or 0) - read_offset(offset)
    length, grain = (60, Grain.MINUTE) if second is None else (1, Grain.SECOND)
    return Meaning("TIME", value, Span(start, start + length, grain), "", 0.95)


def read_offset(offset: str | None) -> int:
    """The seconds by which +0530 is ahead of UTC."""
    if not offset:
        return 0
    digits = offset[1:].replace(":", "")
    return (int(digits[:2]) * 3600 + int(digits[2:]) * 60) * (-1 if offset[0] == "-" else 1)


def _standard(text: str) -> Meaning | None:
    """An EDTF or ISO 8601 form inside a text."""
    try:
        span = Span.parse(text) if "X" not in text or text[0] in "12" else None
    except TimeParseError:
        return None
    if span is None:
        return None
    if "T" in text:
        return Meaning("TIME", _FRACTION.sub("", text).removesuffix("Z"), span, "", 0.99)
    return Meaning("DATE", text if "W" in text else date_value(span), span, "", 0.95)


#: Parts of a second, which a span does not have.
_FRACTION = lazy_regex(r"[.,]\d+")


@rule
def bc_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "15 March 44 BC", "March 44 BC"."""
    month = match.month()
    year_word = match.all("SMALL_NUMBER", "LARGE_NUMBER", "THREE_DIGITS", "YEAR")[-1]
    number = int(year_word.replace(",", "").partition(".")[0])
    states_day = len(match.all("SMALL_NUMBER", "ORDINAL", "YEAR", "THREE_DIGITS")) > 1
    day = match.day_of_month() if states_day else None
    year = 1 - number if match.is_bc else number
    if month is None or number == 0:
        return None
    if day is None:
        return apply_modifier(month_span(year, month), match)
    place = first_day(year, month, day)
    return None if place is None else apply_modifier(day_span(place), match)


@rule
def month_of_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    year, month = context.complete_year(match.year(), match.has("'")), match.month()
    if year is None or month is None:
        return None
    return apply_modifier(month_span(1 - year if match.is_bc else year, month), match, 0.97)


@rule
def month_short_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "April of 87", "Aug 96": two digits that are no day of a month."""
    month, digits = match.month(), match.words[-1]
    if month is None or len(digits) != 2 or int(digits) <= 31:
        return None
    return apply_modifier(month_span(1900 + int(digits), month), match, 0.7)


@rule
def month_shifted(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "June last year", "25 July of that year"."""
    month, grain = match.month(), match.unit()[0]
    shift = -1 if match.has("LAST") else 1 if match.has("NEXT") else 0
    whole = context.unit(Grain.YEAR, shift, context.base if "that" in match.words or match.has("SAME") else None)
    if month is None or grain is not Grain.YEAR or whole is None or whole.first_year is None:
        return None
    if not match.has("SMALL_NUMBER", "ORDINAL"):
        return apply_modifier(month_span(whole.first_year, month), match)
    day = match.day_of_month()
    number = None if day is None else first_day(whole.first_year, month, day)
    return None if number is None else apply_modifier(day_span(number), match)


@rule
def month_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    month, day = match.month(), match.day_of_month()
    if month is None or day is None:
        return None
    year = _find_year_ahead(match, month) or context.year_for_month(month, day)
    if year is None:
        return Meaning("DATE", f"XXXX-{month:02d}-{day:02d}", None, match.mod(), 0.8)
    number = first_day(year, month, day)
    if number is None and (month, day) == (2, 29):  # the nearest leap year
        leap = next(
            one for one in (year + 1, year - 1, year + 2, year - 2, year - 3, year + 3) if first_day(one, 2, 29)
        )
        number = first_day(leap, 2, 29)
    return None if number is None else apply_modifier(day_span(number), match)


@rule
def days_before_month(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The first number of "12 and 15 April 1951": the month and year stand further on."""
    start = match.tokens.start(match.first)
    if start and match.tokens.text[start - 1] in "._/-":
        return None  # 2.0.0-rc.1 — 11 May
    day = match.day_of_month()
    rest = match.tokens.codes[match.last : match.last + 12]
    place = rest.find(CLASSES["MONTH_NAME"])
    if day is None or place < 0:
        return None
    whole = RuleMatch(match.tokens, match.last, match.last + place + 4)
    month, year = whole.month(), whole.year() if GRAMMAR.compile(_YEAR_NEXT).match(rest) else None
    if month is None:
        return None
    if year is None:
        context.direct(match.tokens, match.first, match.last + place + 1, leans=True)
        year = context.year_for_month(month, day)
    number = None if year is None else first_day(year, month, day)
    return None if number is None else Meaning("DATE", date_value(day_span(number)), day_span(number), "", 0.9)


@rule
def two_days(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "25/26 Dec", "5/6 June 1944": two days one after the other, or a few."""
    month = match.month()
    one, two = (int(number) for number in (match.word("SLASH_DATE") or "").split("/"))
    if month is None or not one < two:
        return None
    stated = match.year()
    year = context.year_for_month(month, one) if stated is None else stated
    first, last = (None if year is None else first_day(year, month, day) for day in (one, two))
    if first is None or last is None:
        return None
    span = Span.between(day_span(first), day_span(last))
    return Meaning("DATE", span.edtf(), span, "", 0.85)


@rule
def days_after_month(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The later numbers of "April 12-15", "July 1, 2 and 3, 1863": the month comes before."""
    day, listed, tokens = match.day_of_month(), context.day_list, match.tokens
    if day is None or listed is None:
        return None
    last, year, month = listed
    if not 0 < match.first - last <= 2 or tokens.is_class(
        match.last, "UNIT", "MONTH_NAME", "CLOCK", "AM_PM", "CURRENCY"
    ):
        return None
    is_end = match.last >= len(tokens.words) or not tokens.is_class(match.last, "OTHER")
    stated = match.year()
    if match.has("YEAR") is False and tokens.is_class(match.first - 1, ",") and is_end is False:
        return None
    number = first_day(stated if stated is not None else year, month, day)
    if number is None or number <= (first_day(year, month, 1) or number) - 1:
        return None
    return Meaning("DATE", date_value(day_span(number)), day_span(number), "", 0.85)


@rule
def month(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    number = match.month()
    tokens = match.tokens
    if number is None or not _is_month(match) or is_named_after_day(tokens, match.first, match.last):
        return None
    if is_person(tokens, match.first, match.last) or (
        match.words == ["march"] and _MARCH_OF.match(tokens.text, tokens.end(match.last - 1))
    ):
        return None
    year = _find_year_ahead(match, number) or context.year_for_month(number)
    if year is None:
        return Meaning("DATE", f"XXXX-{number:02d}", None, match.mod(), 0.7)
    return apply_modifier(month_span(year, number), match, 0.9)


#: "[12] and 15 April 1951"
_YEAR_NEXT = '~MONTH_NAME* MONTH ","? ANY_YEAR'
#: "[July 1]-3, 1863", "[July 1], 2 and 3, 1863"
_SHARED_YEAR = '((","? (AND | TO) | "-" | ",") "the"? DAY){1,6} ","? ANY_YEAR'
#: "[April] and June 1955", "[March 19] to April 30, 2003".
_DATED_NEXT = (
    '(AND | TO | "-" | "," AND) "the"? (EARLY "-"?)? (MONTH DAY ","? | DAY "of"? MONTH ","? | MONTH "of"?) YEAR'
)


def _find_year_ahead(match: RuleMatch, month: int) -> int | None:
    """The year of a month that is listed, or starts a range, before one whose year is stated."""
    tokens = match.tokens
    shared = GRAMMAR.compile(_SHARED_YEAR).match(tokens.codes, match.last)
    if shared is not None and match.has("SMALL_NUMBER", "ORDINAL"):
        return RuleMatch(tokens, match.last, shared.end()).year()
    dated = GRAMMAR.compile(_DATED_NEXT).match(tokens.codes, match.last)
    if dated is None:
        return None
    other = RuleMatch(tokens, match.last, dated.end())
    year, following = other.year(), other.month()
    if year is None or following is None:
        return None
    return year - (month > following)


def _is_month(match: RuleMatch) -> bool:
    """Whether the name of a month alone is one: "may" and "march" are verbs, "Jan" and "May" people."""
    word = match.word("MONTH_NAME") or ""
    if len(match.words) > 1 and match.starts_with("the", "EARLY", "BEGINNING"):
        return True
    tokens = match.tokens
    before = tokens.words[match.first - 1] if match.first else ""
    if GRAMMAR.compile(_DATED_NEXT).match(tokens.codes, match.last):
        return True
    end = tokens.end(match.last - 1)
    following = tokens.text[end : end + 2].lstrip()[:1]
    if match.has(".") and _SHORTENED_TITLE.match(tokens.text, end):
        return False
    if word in ("april", "june", "august") and following.isupper() and before not in _MONTH_CUES:
        return False  # June Carter, August Wilson
    if word not in ("may", "march") and (len(word) > 4 or word in ("june", "july", "sept") or match.has(".")):
        return True
    if before in {"and", "of", "to", "or", ","}:
        listed = tokens.is_class(match.first - 2, "MONTH_NAME", "SMALL_NUMBER", "ORDINAL", "BEGINNING", ".")
        return listed and not following.isupper()
    if before in ("the", "a", "its", "their") and following.islower():
        return (
            tokens.is_class(match.last, "OTHER") and tokens.words[match.last] not in _FAMILIES
        )  # the March accession; not the March on Washington
    return before in _MONTH_CUES


#: Who share the name of a month: the March sisters.
_FAMILIES = {"boys", "brothers", "couple", "estate", "family", "girls", "house", "household", "sisters", "twins"}
#: A movement, a charity or a film, and no month.
_MARCH_OF = lazy_regex(r" of (?:the )?[A-Z]")
#: What follows a short word in the shortened title of a journal or a document: "Mar. Biol.", "the Dec. of Rights".
_SHORTENED_TITLE = lazy_regex(
    r"\s+(?:of\s+(?:the\s+)?[A-Z]"
    r"|(?!(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun|Mr|Mrs|Ms|Dr|Gen|Sen|Rep"
    r"|Gov|Lt|Col|Capt|Sgt|Prof|St|No|Vol|Ca|Maj|Adm|Rev|Hon|Pres)\.)[A-Z][a-z]{1,7}\.(?=[\s,;]|$))"
)

_MONTH_CUES = {"-", "after", "before", "between", "by", "during", "each", "early", "ended", "ending", "every"}
_MONTH_CUES |= {"for", "from", "in", "last", "late", "mid", "next", "on", "since", "this", "through"}
_MONTH_CUES |= {"till", "until"}


#: What stands before a weekday that is somebody's name.
_BEFORE_NAMES = {"tgi", *NAME_LEADS}


@rule
def weekday(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    word = match.word("WEEKDAY", "SHORT_WEEKDAY")
    number = WEEKDAYS[word or ""]
    before = match.tokens.words[match.first - 1] if match.first else ""
    if before in _BEFORE_NAMES and (before == "tgi" or is_person(match.tokens, match.first, match.last)):
        return None  # TGI Fridays; "he named him Friday"
    if word == "sunday" and match.tokens.words[match.last : match.last + 1] == ["best"]:
        return None
    if (word or "").endswith("days"):
        if match.tokens.is_class(match.first - 1, "NUMBER_WORD", "SMALL_NUMBER", "FEW"):
            return None  # on three Sundays
        return Meaning("SET", f"XXXX-WXX-{number}", None, "", 0.8)
    if match.tokens.is_class(match.last, "DAYPART") and is_part_of_name(match.tokens, match.first, match.last + 1):
        return None
    if is_named_after_day(match.tokens, match.first, match.last):
        return None
    day = None if is_one_of_many(match.tokens, match.first, match.last) else context.weekday_day(number)
    if day is None:
        return Meaning("DATE", f"XXXX-WXX-{number}", None, match.mod(), 0.7)
    return Meaning("DATE", date_value(day_span(day)), day_span(day), match.mod(), 0.85)


#: Before and behind "Mon" and "Sun" where they are weekdays, since they are also words and names.
_BEFORE_SHORT_WEEKDAYS = frozenset("on by until till you u".split())
_BEHIND_SHORT_WEEKDAYS = frozenset(". , ; : ! ? ) ( - – / & and or at from until till to for please".split())
_BETWEEN_WEEKDAYS = frozenset("and or & / ,".split())
_BEFORE_HOURS = frozenset(": , ; open closed".split())


@rule
def short_weekday(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "On Mon.", "by Sun", "Sat and Sun", "Sun 10-4": by what is beside it, and before no name."""
    words = match.tokens.words
    before, behind = words[max(0, match.first - 2) : match.first], words[match.last : match.last + 3]
    near = (before[-1:], before[:1]), (behind[:1], behind[1:2])
    is_listed = any({*sign} & _BETWEEN_WEEKDAYS and {*word} & WEEKDAYS.keys() for sign, word in near)
    has_hours = [word.isdigit() for word in behind] == [True, False, True] and behind[1] == "-"
    is_cued = bool({*before[-1:]} & _BEFORE_SHORT_WEEKDAYS) and (not behind or behind[0] in _BEHIND_SHORT_WEEKDAYS)
    is_opening = has_hours and (not before or before[-1] in _BEFORE_HOURS)
    # A row of a table: "Mon 82/64, Tue 85/66".
    row = words[match.last : match.last + 6]
    if (
        not before
        and row
        and row[0][0].isdigit()
        and any(sign == "," and word in WEEKDAYS for sign, word in pairwise(row))
    ):
        is_opening = context.is_row = True
    in_row = row and row[0][0].isdigit() and before[-1:] == [","] and _is_in_row(words, match.first)
    return weekday(match, context) if is_listed or is_cued or is_opening or in_row else None


def _is_in_row(words: list[str], first: int) -> bool:
    """Whether a weekday before the comma has numbers behind it, as in a table: "Fri 38/22, Sat 41/25, Sun 44/30"."""
    place = next((at for at in range(first - 2, max(-1, first - 8), -1) if words[at] in WEEKDAYS), None)
    return place is not None and all(not word.isalpha() for word in words[place + 1 : first])


@rule
def month_and_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Jan/3", "October, 1st"."""
    return month_day(match, context) if match.words[-1][0].isdigit() else None


@rule
def day_and_weekday(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Jul 18, Fri": a day with its weekday behind it; in the nearest year where it is that weekday."""
    number, month, day = WEEKDAYS[match.word("WEEKDAY", "SHORT_WEEKDAY") or ""], match.month(), match.day_of_month()
    if month is None or day is None:
        return None
    stated, likely = match.year(), context.year_for_month(month, day)
    years = [stated] if stated is not None else [] if likely is None else [likely, likely + 1, likely - 1]
    for year in years:
        found = first_day(year, month, day)
        if found is not None and (found + 3) % 7 + 1 == number:
            return Meaning("DATE", date_value(day_span(found)), day_span(found), "", 0.95)
    return None


@rule
def weekday_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Friday the 13th": the nearest such day."""
    home, day = context.home, match.day_of_month()
    number = WEEKDAYS[match.word("WEEKDAY", "SHORT_WEEKDAY") or ""]
    if home is None or day is None or not match.words[-1][0].isdigit():
        return None
    if match.words[-1].isdigit() and (not context.brief or not _ends_here(match)):
        return None
    today = home.start // DAY
    near = sorted(range(today - 200, today + 200), key=lambda one: abs(one - today))
    for candidate in near:
        if find_date(candidate)[2] == day and (candidate + 3) % 7 + 1 == number:
            return Meaning("DATE", date_value(day_span(candidate)), day_span(candidate), "", 0.85)
    return None


def _ends_here(match: RuleMatch) -> bool:
    """Whether nothing follows, or an hour: "on Sunday 17", "Friday 23 at 4"."""
    tokens = match.tokens
    following = tokens.words[match.last] if match.last < len(tokens.words) else ""
    return following in ("", ".", ",", ")", "?", "!", "at", "@", "from", "by", ";") or tokens.is_class(match.last, "IN")


@rule
def season_of_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    name = SEASONS[match.word("SEASON", "fall") or ""]
    pair = match.word("YEAR_PAIR")
    year, numbers = (
        match.year() if pair is None else int(pair[:4]),
        match.all("SMALL_NUMBER", "LARGE_NUMBER", "THREE_DIGITS"),
    )
    if year is None and numbers and match.has("ERA"):  # "autumn of 481 BC"
        year = int(numbers[-1].replace(",", "").partition(".")[0])
        if not 0 < year < 100_000:
            return None
    if year is None and (match.unit()[0] is not Grain.YEAR or (match.has("fall") and not match.has("the"))):
        return None  # "will fall next month"
    if year is None:
        shift = -1 if match.has("LAST") else 1 if match.has("NEXT") else 0
        whole = context.unit(Grain.YEAR, shift)
        if whole is None:
            return None
        year = find_date(whole.start // DAY)[0]
    return apply_modifier(season_span(1 - year if match.is_bc else year, name), match)


_VERBAL = {"to", "may", "will", "can", "could", "would", "might", "should", "must", "not", "they", "that"}


@rule
def season(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    name = SEASONS[match.word("SEASON", "fall") or ""]
    if not _NO_SEASONS.isdisjoint(match.tokens.words[match.last : match.last + 1]):
        return None
    if is_part_of_name(match.tokens, match.first, match.last) or is_person(match.tokens, match.first, match.last):
        return None
    if match.words == ["summer"] and match.tokens.words[match.first - 1 : match.first] == ["indian"]:
        return None
    if match.words[-1] == "spring" and match.first and match.tokens.words[match.first - 1] in _SPRINGS:
        return None
    if match.words == ["spring"] and not _VERBAL.isdisjoint(match.tokens.words[max(0, match.first - 1) : match.first]):
        return None  # it may spring from that
    if match.tokens.words[match.last : match.last + 1] == ["storm"] and not _WARNINGS.isdisjoint(
        match.tokens.words[match.last + 1 : match.last + 2]
    ):
        return None
    next_one = GRAMMAR.compile(_SEASON_NEXT).match(match.tokens.codes, match.last)
    if next_one is not None:
        year = RuleMatch(match.tokens, match.last, next_one.end()).year()
        if year is not None:
            return apply_modifier(season_span(year, name), match, 0.85)
    whole, home = context.unit(Grain.YEAR), context.home
    if whole is None or home is None or is_one_of_many(match.tokens, match.first, match.last):
        return Meaning("DATE", f"XXXX-{name}", None, match.mod(), 0.7)
    year = find_date(whole.start // DAY)[0]
    is_since = match.tokens.words[match.first - 1 : match.first] == ["since"]
    if is_since and season_span(year, name).start > home.start:
        year -= 1
    return apply_modifier(season_span(year, name), match, 0.75)


#: Springs of metal and of water.
_SPRINGS = {
    "clock",
    "coil",
    "compression",
    "gas",
    "hot",
    "leaf",
    "main",
    "mineral",
    "steel",
    "thermal",
    "torsion",
    "watch",
}
_WARNINGS = {"advisory", "warning", "watch"}
#: What a season only names: spring water, a winter storm.
_NO_SEASONS = {
    "barley",
    "squash",
    "tires",
    "tyres",
    "wheat",
    "house",
    "water",
    "roll",
    "rolls",
    "onion",
    "onions",
    "olympics",
    "games",
    "palace",
}
#: "[the spring] and early summer of 1943"
_SEASON_NEXT = '(AND | TO | "-") "the"? (EARLY "-"?)? (SEASON | "fall") "of"? YEAR !ERA'
