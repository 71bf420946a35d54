"""Rules for days, weekdays, months and seasons, and for times of day."""

from __future__ import annotations

import re

from epochal.errors import TimeParseError
from epochal.reading.english.context import EnglishContext, resolve_named_day, resolve_pointed_day, states_day
from epochal.reading.english.lexicon import CARDINALS, CLASSES, DAYPARTS, SEASONS, WEEKDAYS, ZONES
from epochal.reading.english.match import Meaning, RuleMatch, apply_modifier, rule
from epochal.reading.english.patterns import GRAMMAR
from epochal.reading.timex3 import date_value, day_span, first_day, part_of_day, season_span
from epochal.times.axis import DAY, Grain, civil_date
from epochal.times.axis import weekday as weekday_of
from epochal.times.span import Span


@rule
def full_date(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    year, month, day = match.year(), match.month(), match.day_of_month()
    if year is None or month is None or day is None:
        return None
    if match.is_bc:
        year = 1 - year
    number = first_day(year, month, day)
    return None if number is None else apply_modifier(day_span(number), match, 0.99)


@rule
def numeric_date(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    text = (match.word("NUMERIC_DATE") or "").upper()
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
    after = match.tokens.text[match.tokens.end(match.last - 1) :][:2]
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
        return apply_modifier(Span.month(year, month), match)
    place = first_day(year, month, day)
    return None if place is None else apply_modifier(day_span(place), match)


@rule
def month_of_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    year, month = match.year(), match.month()
    if year is None or month is None:
        return None
    return apply_modifier(Span.month(1 - year if match.is_bc else year, month), match, 0.97)


@rule
def month_shifted(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "June last year", "25 July of that year"."""
    month, grain = match.month(), match.unit()[0]
    shift = -1 if match.has("LAST") else 1 if match.has("NEXT") else 0
    whole = context.unit(Grain.YEAR, shift, context.base if "that" in match.words or match.has("SAME") else None)
    if month is None or grain is not Grain.YEAR or whole is None or whole.first_year is None:
        return None
    if not match.has("SMALL_NUMBER", "ORDINAL"):
        return apply_modifier(Span.month(whole.first_year, month), match)
    day = match.day_of_month()
    number = None if day is None else first_day(whole.first_year, month, day)
    return None if number is None else apply_modifier(day_span(number), match)


@rule
def month_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    month, day = match.month(), match.day_of_month()
    if month is None or day is None:
        return None
    year = _find_year_ahead(match, month) or context.year_for_month(month)
    if year is None:
        return Meaning("DATE", f"XXXX-{month:02d}-{day:02d}", None, match.mod(), 0.8)
    number = first_day(year, month, day)
    return None if number is None else apply_modifier(day_span(number), match)


@rule
def days_before_month(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The first number of "12 and 15 April 1951": the month and year stand further on."""
    day = match.day_of_month()
    rest = match.tokens.codes[match.last : match.last + 12]
    place = rest.find(CLASSES["MONTH_NAME"])
    if day is None or place < 0:
        return None
    whole = RuleMatch(match.tokens, match.last, match.last + place + 4)
    month, year = whole.month(), whole.year() if GRAMMAR.compile(_YEAR_NEXT).match(rest) else None
    if month is None:
        return None
    year = year if year is not None else context.year_for_month(month)
    number = None if year is None else first_day(year, month, day)
    return None if number is None else Meaning("DATE", date_value(day_span(number)), day_span(number), "", 0.9)


@rule
def days_after_month(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The second number of "April 12-15": the month comes before."""
    day = match.day_of_month()
    before = RuleMatch(match.tokens, max(0, match.first - 4), match.first)
    month = before.month()
    last = context.last
    if day is None or month is None or last is None or last.first_year is None:
        return None
    number = first_day(last.first_year, month, day)
    return None if number is None else Meaning("DATE", date_value(day_span(number)), day_span(number), "", 0.85)


@rule
def month(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    number = match.month()
    if number is None or not _is_month(match):
        return None
    year = _find_year_ahead(match, number) or context.year_for_month(number)
    if year is None:
        return Meaning("DATE", f"XXXX-{number:02d}", None, match.mod(), 0.7)
    return apply_modifier(Span.month(year, number), match, 0.9)


#: "[12] and 15 April 1951"
_YEAR_NEXT = '~MONTH_NAME* MONTH ","? ANY_YEAR'
#: "[April] and June 1955", "[March 19] to April 30, 2003".
_DATED_NEXT = (
    '(AND | TO | "-" | "," AND) "the"? (EARLY "-"?)? (MONTH DAY ","? | DAY "of"? MONTH ","? | MONTH "of"?) YEAR'
)


def _find_year_ahead(match: RuleMatch, month: int) -> int | None:
    """The year of a month that is listed, or starts a range, before one whose year is stated."""
    tokens = match.tokens
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
    if word in ("april", "june", "august") and following.isupper() and before not in _MONTH_CUES:
        return False  # June Carter, August Wilson
    if word not in ("may", "march") and (len(word) > 4 or word in ("june", "july", "sept") or match.has(".")):
        return True
    if before in {"and", "of", "to", "or", ","}:
        listed = tokens.is_class(match.first - 2, "MONTH_NAME", "SMALL_NUMBER", "ORDINAL", "BEGINNING", ".")
        return listed and not following.isupper()
    if before in ("the", "a", "its", "their") and following.islower():
        return tokens.is_class(match.last, "OTHER")  # the March accession; not the March on Washington
    return before in _MONTH_CUES


_MONTH_CUES = {"-", "after", "before", "between", "by", "during", "each", "early", "ended", "ending", "every"}
_MONTH_CUES |= {"for", "from", "in", "last", "late", "mid", "next", "on", "since", "this", "through"}
_MONTH_CUES |= {"till", "until"}


@rule
def weekday(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    word = match.word("WEEKDAY", "SHORT_WEEKDAY")
    number = WEEKDAYS[word or ""]
    if (word or "").endswith("days"):
        return Meaning("SET", f"XXXX-WXX-{number}", None, "", 0.8)
    day = context.weekday_day(number)
    if day is None:
        return Meaning("DATE", f"XXXX-WXX-{number}", None, match.mod(), 0.7)
    return Meaning("DATE", date_value(day_span(day)), day_span(day), match.mod(), 0.85)


@rule
def weekday_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Friday the 13th": the nearest such day."""
    home, day = context.home, match.day_of_month()
    number = WEEKDAYS[match.word("WEEKDAY") or ""]
    if home is None or day is None:
        return None
    today = home.start // DAY
    near = sorted(range(today - 200, today + 200), key=lambda one: abs(one - today))
    for candidate in near:
        if civil_date(candidate)[2] == day and (candidate + 3) % 7 + 1 == number:
            return Meaning("DATE", date_value(day_span(candidate)), day_span(candidate), "", 0.85)
    return None


@rule
def season_of_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    name = SEASONS[match.word("SEASON", "fall") or ""]
    year, numbers = match.year(), match.all("SMALL_NUMBER", "LARGE_NUMBER", "THREE_DIGITS")
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
        year = civil_date(whole.start // DAY)[0]
    return apply_modifier(season_span(1 - year if match.is_bc else year, name), match)


@rule
def season(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    name = SEASONS[match.word("SEASON", "fall") or ""]
    if match.tokens.words[match.last : match.last + 1] in (["water"], ["roll"], ["rolls"], ["onion"], ["onions"]):
        return None
    next_one = GRAMMAR.compile(_SEASON_NEXT).match(match.tokens.codes, match.last)
    if next_one is not None:
        year = RuleMatch(match.tokens, match.last, next_one.end()).year()
        if year is not None:
            return apply_modifier(season_span(year, name), match, 0.85)
    whole = context.unit(Grain.YEAR)
    if whole is None:
        return Meaning("DATE", f"XXXX-{name}", None, match.mod(), 0.7)
    return apply_modifier(season_span(civil_date(whole.start // DAY)[0], name), match, 0.75)


#: "[the spring] and early summer of 1943"
_SEASON_NEXT = '(AND | TO | "-") "the"? (EARLY "-"?)? (SEASON | "fall") "of"? YEAR !ERA'


def _day(match: RuleMatch, context: EnglishContext) -> int | None:
    """The day that an expression with a time names: stated, or that of the text."""
    month = match.month()
    day = match.day_of_month() if month is not None else None
    if month is not None and day is not None:
        year = match.year() or context.year_for_month(month)
        return None if year is None else first_day(year, month, day)
    home = context.home
    if not states_day(match.codes):
        # "Overnight" is mostly the night before the text, as "tonight" is the one after it.
        named = resolve_named_day(context, match.tokens, match.first, near="overnight" in match.words)
        return named if named is not None or home is None else home.start // DAY
    if match.has("WEEKDAY", "SHORT_WEEKDAY", "TODAY") or match.word("THIS", "LAST") in ("this", "these", "last"):
        return None if home is None else _from_today(match, context, home.start // DAY)
    # "That night", "the next morning", "the previous evening"
    base = context.base
    pointed = resolve_pointed_day(context, match.tokens, match.first)
    if pointed is None and base is not None:
        pointed = base.start // DAY
    return None if pointed is None else pointed + match.has("NEXT") - match.has("LAST")


def _from_today(match: RuleMatch, context: EnglishContext, today: int) -> int | None:
    """The day of a weekday, of "yesterday" or "tomorrow", of "this morning" or "last night"."""
    word = match.word("WEEKDAY", "SHORT_WEEKDAY")
    if word is not None:
        number = WEEKDAYS[word]
        back = (weekday_of(today) - number) % 7
        if match.has("LAST"):
            return today - (back or 7)
        if match.has("NEXT"):
            return today - back + 7
        return today - weekday_of(today) + number if match.has("THIS") else context.weekday_day(number)
    word = match.word("TODAY")
    if word is not None:
        return today + (1 if word in ("tomorrow", "tmr", "tmrw", "tomo") else -1 if word[0] == "y" else 0)
    return today - (match.word("LAST") == "last")


@rule
def clock(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    parsed = _clock_time(match)
    if parsed is None or _is_verse(match):
        return None
    hour, minute = parsed
    day = _day(match, context)
    value = f"T{hour:02d}:{minute:02d}"
    if day is None:
        return Meaning("TIME", f"XXXX-XX-XX{value}", None, "", 0.8)
    # The value keeps the hour as stated; the span lies on the axis, in UTC.
    start = day * DAY + hour * 3600 + minute * 60 - int(3600 * ZONES.get(match.word("ZONE") or "utc", 0))
    return Meaning("TIME", date_value(day_span(day)) + value, Span(start, start + 60, Grain.MINUTE), "", 0.9)


@rule
def clock_of(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    return clock(match, context)


def _is_verse(match: RuleMatch) -> bool:
    """Whether a bare 3:16 follows a name, as in "John 3:16"."""
    if not match.has_form("CLOCK") or not match.first or match.words[0][-1] == "m":
        return False
    tokens = match.tokens
    before = tokens.text[tokens.start(match.first - 1)]
    return before.isupper() and tokens.is_class(match.first - 1, "OTHER")


def _clock_time(match: RuleMatch) -> tuple[int, int] | None:
    word = match.word("CLOCK") or match.word("SMALL_NUMBER", "NUMBER_WORD")
    if word is None and match.has("ZONE"):  # "1800 GMT"
        word = match.word("YEAR", "LARGE_NUMBER")
        word = word if word is not None and len(word) == 4 and word.isdigit() else None
    if word is None:
        return None
    half = (match.word("AM_PM") or "")[:1]
    if word in CARDINALS:
        hour, minute = CARDINALS[word], 0
    else:
        digits = re.match(r"(\d{1,2}?)[:.]?(\d\d)?(?!\d)", word)
        if digits is None:
            return None
        hour, minute = int(digits[1]), int(digits[2] or 0)
        half = half or (re.sub(r"[\d:.]", "", word)[:1] if re.search("[ap]m", word) else "")
    if "evening" in match.words or "night" in match.words or "afternoon" in match.words:
        half = half or "p"
    if half == "p" and hour < 12:
        hour += 12
    elif half == "a" and hour == 12:
        hour = 0
    return (hour, minute) if hour < 24 and minute < 60 else None


#: In prose these alone are scenery, or a greeting.
_SCENERY = {"dawn", "morning", "evening", "noon", "sunset", "dusk"}
_AT = {"after", "around", "at", "before", "by", "until"}


def _is_of_named_day(match: RuleMatch, context: EnglishContext) -> bool:
    """Whether a word such as "noon" is a time after all: "by noon", of a day that the text has just named."""
    before = match.tokens.words[match.first - 1] if match.first else ""
    return before in _AT and _has_named_day(match, context)


def _has_named_day(match: RuleMatch, context: EnglishContext) -> bool:
    """Whether the words before a part of a day name its day; in a story, where "night" may be any, nearby ones."""
    return resolve_named_day(context, match.tokens, match.first, near=context.mode == "narrative") is not None


@rule
def day_part(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    word = match.word("DAYPART") or ""
    part = DAYPARTS[word]
    if word.endswith("s") and word[:-1] in DAYPARTS and len(match.words) == 1:
        return Meaning("SET" if match.has("EVERY") else "TIME", f"T{part}", None, "", 0.5)
    bare = len(match.words) == 1 or (len(match.words) == 2 and match.starts_with("the", "A"))
    if match.has_form("DAYPART") and not context.brief and word in _SCENERY and not _is_of_named_day(match, context):
        return None
    if bare and context.mode == "narrative" and not _has_named_day(match, context):
        return Meaning("TIME", f"XXXX-XX-XXT{part}", None, "", 0.5)
    day = _day(match, context)
    if day is None:
        return Meaning("TIME", f"XXXX-XX-XXT{part}", None, "", 0.7)
    value = f"{date_value(day_span(day))}T{part}"
    return Meaning("TIME", value, part_of_day(day, part), match.mod(), 0.6 if bare else 0.85)


@rule
def day_part_of(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    return day_part(match, context)
