"""Rules for years, their parts, and longer units; and for numbers that only look like a year."""

from __future__ import annotations

import re

from epochal.lazy import lazy_regex
from epochal.reading.english.clocks import read_scheduled_hour
from epochal.reading.english.codes import fiscal_year_number
from epochal.reading.english.context import EnglishContext, opens_sentence
from epochal.reading.english.direction import PAST_VERBS
from epochal.reading.english.guards import YEAR_CUES, is_attached, is_numbered, is_year_number
from epochal.reading.english.lexicon import CARDINALS, CLASSES, SEASONS, UNITS
from epochal.reading.english.match import RuleMatch, apply_modifier, rule
from epochal.reading.expression import Meaning
from epochal.reading.timex3 import date_value, find_date, month_span, season_span, year_span, year_value
from epochal.times.axis import DAY, Grain, to_seconds
from epochal.times.calendars.registry import calendar
from epochal.times.span import Span


@rule
def bc_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    word = match.word("SMALL_NUMBER", "LARGE_NUMBER", "YEAR", "THREE_DIGITS") or "0"
    number = _read_whole(word)
    # Of "264 to 241 BC" the first year is matched alone: its era comes later.
    words, first = match.tokens.words, match.first
    is_last = _is_last_of_era(match)
    era = words[first - 3] if is_last else match.word("ERA") or words[match.last + 2]
    if match.starts_with("ERA") and " " in era and match.tokens.text[match.tokens.start(first)] == "b":
        return Meaning("DATE", f"{number:04d}", year_span(number), "APPROX", 0.8)  # b. c. 1770: born about then
    if not 0 < number < 100_000 or (is_last and number <= _read_whole(words[first - 2])):
        return None
    return apply_modifier(year_span(1 - number if era.startswith("b") else number), match, 0.97)


def _is_last_of_era(match: RuleMatch) -> bool:
    """Whether the year is the last of two that an era stands before: "AD 117-138"."""
    tokens, first = match.tokens, match.first
    is_behind = tokens.is_class(first - 3, "ERA") and not match.has("ERA")
    return is_behind and tokens.words[first - 2][:1].isdecimal()


def _read_whole(word: str) -> int:
    return int(word.replace(",", "").partition(".")[0])


@rule
def year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    number = match.year()
    if number is None:
        return None
    if match.tokens.words[match.first - 1 : match.first] == ["at"] and match.words[0].isdigit():
        hour = read_scheduled_hour(match, context)
        if hour is not None:
            return hour
    if not _is_year(match) or _is_title(match, number, context):
        return None
    return apply_modifier(year_span(1 - number if match.is_bc else number), match, 0.9)


def _is_title(match: RuleMatch, number: int, context: EnglishContext) -> bool:
    """Whether a name ends with a number that is a year far in the future, as "Blade Runner 2049" does."""
    if context.day is None or number <= context.day[0] + _PLANNED or len(match.words) > 1:
        return False
    names = 0
    tokens = match.tokens
    while names < 2 and tokens.is_class(place := match.first - 1 - names, "OTHER"):
        word = tokens.text[tokens.start(place) : tokens.start(place + 1)]
        if not word[0].isupper() or not word.rstrip(" ").isalpha():
            break
        names += 1
    if names == 2 and tokens.words[match.first - 1] not in _PLANS:
        return True
    return names > 0 and number > context.day[0] + _FORESEEN


#: Years further ahead than this are seldom mentioned without a preposition, and those beyond the second limit never.
_PLANNED, _FORESEEN = 10, 25
#: What is named by the year that it aims at: Vision 2050.
_PLANS = {"agenda", "aims", "cup", "expo", "games", "goal", "goals", "horizon", "initiative", "olympics", "plan"}
_PLANS |= {"programme", "program", "project", "roadmap", "strategy", "target", "targets", "vision", "zero"}


def _is_year(match: RuleMatch) -> bool:
    """Whether a number of four digits alone is a year: not a price, a count, a room, a phone number, a novel."""
    if (
        match.starts_with("NEARLY")
        and match.words[0] not in ("circa", "ca")
        and (_counts(match) or is_numbered(match.tokens, match.last - 1, match.last))
    ):
        return False  # nearly 2000 soldiers
    if len(match.words) > 1 and match.starts_with("the", "EARLY", "BEGINNING", "NEARLY"):
        return not is_attached(match.tokens, match.first, match.last)
    number = int(match.words[-1]) if match.words[-1].isdigit() else match.year() or 0
    if match.has("ERA"):
        return True
    return is_year_number(match.tokens, match.first, match.last, number)


@rule
def second_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """The "45" of "1939-45"."""
    first = int(match.tokens.words[match.first - 2])
    number = first // 100 * 100 + int(match.words[0])
    if len(match.words[0]) != 2 or number <= first or not _is_year(match):
        return None
    return Meaning("DATE", str(number), year_span(number), "", 0.85)


@rule
def near_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "C. 950": a year of three digits that is not sure."""
    if match.words[0] not in ("c", "ca", "circa") or (match.words[0] == "c" and match.words[1] != "."):
        return None
    tokens, end = match.tokens, match.tokens.end(match.last - 1)
    if _counts(match) or tokens.words[match.last : match.last + 1] == ["people"] or _GOES_ON.match(tokens.text, end):
        return None
    return Meaning("DATE", f"{int(match.words[-1]):04d}", year_span(int(match.words[-1])), "APPROX", 0.7)


#: What makes a number a part of another, or a share.
_GOES_ON = lazy_regex(r"[.,]\d|\s?%")


@rule
def era_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """A number of three digits in a story of antiquity: a year of the same era as the last one."""
    last = context.last
    before = match.tokens.words[match.first - 1] if match.first else ""
    if last is None and match.words[0].isdigit() and before == "in" and (_closes_clause(match) or _opens_story(match)):
        return Meaning("DATE", f"{int(match.words[0]):04d}", year_span(int(match.words[0])), "", 0.6)
    if context.mode != "narrative" and not context.brief:
        return None
    if last is None or last.first_year is None or abs(last.first_year) > 999:
        return None
    if (len(match.words) == 1 and before not in YEAR_CUES) or not _is_year(match) or _counts(match):
        return None
    number = int(match.words[-1])
    return apply_modifier(year_span(1 - number if last.first_year <= 0 else number), match, 0.7)


def _closes_clause(match: RuleMatch) -> bool:
    """Whether a number ends its clause and the verb of it is past: "Rome fell in 410."."""
    tokens = match.tokens
    following = tokens.words[match.last] if match.last < len(tokens.words) else "."
    if following not in (".", ",", ";", "and", "by", "but") or tokens.text[tokens.end(match.last - 1) :][1:2].isdigit():
        return False
    return any(
        word in PAST_VERBS or word.endswith("ed") for word in tokens.words[max(0, match.first - 10) : match.first]
    )


def _opens_story(match: RuleMatch) -> bool:
    """Whether "In 378" opens a sentence of the past: a name or a comma follows, and then a past verb."""
    tokens = match.tokens
    if match.last >= len(tokens.words) or not opens_sentence(tokens, match.first - 1):
        return False
    following = tokens.text[tokens.start(match.last)]
    if not following.isupper() and tokens.words[match.last] not in (",", "the", "he", "she", "they"):
        return False
    return any(word in PAST_VERBS for word in tokens.words[match.last : match.last + 10])


def _counts(match: RuleMatch) -> bool:
    """Whether a plural follows, as in "around 600 warships"."""
    tokens = match.tokens
    if not tokens.is_class(match.last, "OTHER"):
        return False
    word = tokens.words[match.last]
    return len(word) > 4 and word.endswith("s") and tokens.text[tokens.start(match.last)].islower()


@rule
def spelled_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Nineteen ninety-eight", as radio says it."""
    number = _read_spelled_year(match)
    return None if number is None else Meaning("DATE", str(number), year_span(number), "", 0.85)


@rule
def spelled_month(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "June nineteen forty"."""
    number, month = _read_spelled_year(match), match.month()
    return None if number is None or month is None else apply_modifier(month_span(number, month), match, 0.85)


def _read_spelled_year(match: RuleMatch) -> int | None:
    words = match.all("NINETEEN", "NUMBER_WORD")
    numbers = [CARDINALS[word] for word in words]
    if match.has("oh"):
        is_year = 15 <= numbers[0] <= 20 and 0 < numbers[1] < 10
        return numbers[0] * 100 + numbers[1] if is_year else None
    if len(numbers) < 2 or not 10 <= numbers[0] <= 20 or not 10 <= numbers[1] <= 90 or sum(numbers[1:]) > 99:
        return None
    if len(numbers) > 2 and not (numbers[1] >= 20 and 0 < numbers[2] < 10):
        return None
    tokens = match.tokens
    last = match.last - 1
    if tokens.text[tokens.start(last)].isupper() and not tokens.text[tokens.start(last) : tokens.end(last)].isupper():
        return None  # the novel Nineteen Eighty-Four
    following = tokens.words[match.last] if match.last < len(tokens.words) else ""
    if not match.has("NINETEEN", "MONTH_NAME") and following.isalpha() and following not in _AFTER_YEAR:
        return None  # in twenty ten-minute slots
    return numbers[0] * 100 + sum(numbers[1:])


#: What goes on after a year in words.
_AFTER_YEAR = {"and", "but", "he", "i", "in", "is", "it", "my", "or", "our", "she", "so", "that", "the", "then", "they"}
_AFTER_YEAR |= {"to", "was", "we", "when", "which", "with", "you"}


@rule
def short_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Class of '05", "in sixty-eight"."""
    tokens = match.tokens
    if match.has("'"):
        number, start = context.complete_year(match.year(), True), tokens.start(match.first)
        is_apart = start == 0 or not (tokens.text[start - 1].isalnum() or tokens.text[start - 1] in "'’")
        if number is None or len(match.words[-1]) != 2 or not is_apart or tokens.text[start + 1] == " ":
            return None
        if tokens.text[tokens.end(match.last - 1) :][:1].strip(" \n\t,.;:)!?-"):
            return None  # '10/s'
        return apply_modifier(year_span(number), match, 0.8)
    numbers = [CARDINALS[word] for word in match.all("NUMBER_WORD")]
    if match.has("oh"):
        before = tokens.words[max(0, match.first - 2) : match.first]
        if before[-1:] == ["like"]:
            before.pop()
        following = tokens.words[match.last] if match.last < len(tokens.words) else ""
        if (
            not 1 <= numbers[0] <= 9
            or before[-1:] not in _BEFORE_OH
            or (following.isalpha() and following not in _AFTER_YEAR)
        ):
            return None
        return Meaning("DATE", str(2000 + numbers[0]), year_span(2000 + numbers[0]), "", 0.7)
    if len(numbers) != 2 or numbers[0] < 20 or numbers[0] > 90 or not 0 < numbers[1] < 10:
        return None
    if tokens.is_class(match.last, "OTHER", "UNIT", "-", "NUMBER_WORD", "CURRENCY") and not match.has(
        "SEASON", "MONTH_NAME"
    ):
        following = tokens.words[match.last]
        if following.isalpha() and following not in ("we", "i", "he", "she", "they", "when", "it", "you", "the"):
            return None
    year_number = 1900 + sum(numbers)
    season = match.word("SEASON")
    if season is not None:
        return apply_modifier(season_span(year_number, SEASONS[season]), match, 0.8)
    month = match.month()
    if month is not None:
        return apply_modifier(month_span(year_number, month), match, 0.8)
    return Meaning("DATE", str(year_number), year_span(year_number), "", 0.7)


_BEFORE_OH = [[word] for word in ("in", "since", "until", "till", "of", "from", "by", "to")]


#: What speakers put before a year, and how many tokens of it.
_FILLERS = {",", "about", "er", "like", "maybe", "oh", "say", "uh", "um", "well", "what"}
_FILLED = 5


@rule
def year_in_words(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The year two thousand"."""
    number = match.number()
    if number is None or not 1000 <= number < 3000 or (match.has("UNIT") and match.unit()[0] is not Grain.YEAR):
        return None
    if match.starts_with("NUMBER_WORD"):
        following = match.tokens.words[match.last] if match.last < len(match.tokens.words) else ""
        before = match.tokens.words[match.first - 1] if match.first else ""
        place = match.first - 1
        while place > max(0, match.first - _FILLED) and match.tokens.words[place] in _FILLERS:
            place -= 1  # in like two thousand and four; in, what, two thousand and three
            before = match.tokens.words[place]
        if match.words[1] != "thousand" or match.tokens.is_class(match.last, "UNIT"):
            return None
        if following.isalpha() and following not in _AFTER_YEAR:
            return None
        if before not in YEAR_CUES and not (opens_sentence(match.tokens, match.first) and following in ("was", "is")):
            return None
    return Meaning("DATE", str(int(number)), year_span(int(number)), "", 0.85)


_SPELLED_DECADES = {"twenties": 2, "thirties": 3, "forties": 4, "fifties": 5, "sixties": 6, "seventies": 7}
_SPELLED_DECADES |= {"eighties": 8, "nineties": 9, "noughties": 10}
_POSSESSIVES = {"his", "her", "their", "my", "your", "our", "its", "s", "'", "’"}


@rule
def decade(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    word = match.word("DECADE") or ""
    if word in _SPELLED_DECADES:
        first = 1900 + 10 * _SPELLED_DECADES[word]
        if len(match.words) == 1 and match.tokens.words[match.first - 1 : match.first] != ["the"]:
            return None  # "in his sixties" is an age
        if match.first and match.tokens.words[match.first - 1] in _POSSESSIVES:
            return None  # in his early thirties
    else:
        first = int(word[:-1])
        if 100 <= first < 1000 and not match.has("ERA") and not _is_early_decade(match):
            return None
        if first < 100:
            tokens, first_token = match.tokens, match.first
            listed = tokens.is_class(first_token - 2, "DECADE") and tokens.is_class(first_token - 1, "AND", "-", "TO")
            if not match.has("'", "the", "EARLY") and not listed:
                return None
            before = tokens.words[first_token - 2] if listed else ""
            # "the 1850s and '60s"
            first += 100 * (int(before[:-1]) // 100) if re.fullmatch(r"1[0-9]\d0s", before) else 1900
    if not first % 100 and (first < 1900 or (first == 1900 and match.has("EARLY", "BEGINNING"))) and first >= 1000:
        century = Span(to_seconds(first), to_seconds(first + 100), Grain.CENTURY)  # "the 1800s", "the late 1900s"
        return None if match.is_bc else apply_modifier(century, match)
    span = Span(to_seconds(first), to_seconds(first + 10), Grain.DECADE)
    if match.is_bc:
        span = Span(to_seconds(-8 - first), to_seconds(2 - first), Grain.DECADE)
    return apply_modifier(span, match)


def _is_early_decade(match: RuleMatch) -> bool:
    """Whether "the 620s" are years: something was done in them, and they are no round hundred."""
    words = match.tokens.words
    before = words[match.first - 1] if match.first else ""
    is_told = any(word in PAST_VERBS or word.endswith("ed") for word in words[max(0, match.first - 8) : match.first])
    return (
        match.has("the")
        and before in ("in", "during", "by", "since", "until")
        and is_told
        and not (match.word("DECADE") or "").endswith("00s")
    )


@rule
def century(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    grain = Grain.CENTURY if match.has("c") else match.unit()[0]
    number = match.ordinal()
    if number is None:
        return None
    if grain in (Grain.CENTURY, Grain.MILLENNIUM):
        size = grain.months // 12
        low = (number - 1) * size
        if match.is_bc:
            return apply_modifier(Span(to_seconds(-(low + size - 1)), to_seconds(-low + 1), grain), match)
        return apply_modifier(Span(to_seconds(low), to_seconds(low + size), grain), match)
    return unit_ordinal(match, context)


@rule
def unit_ordinal(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The third quarter", "the second half", "the first day"."""
    grain, letter = match.unit()
    number = match.ordinal() or 1
    if grain is Grain.MINUTE or grain is Grain.SECOND:
        return None  # a goal in the 89th minute
    if grain is Grain.QUARTER and number <= 4:
        return quarter_of_year(match, context)
    if grain is Grain.DAY and context.base is not None and match.year() is None and number > 3:
        span = context.unit(Grain.DAY, 0)
        return Meaning("DATE", date_value(span) if span else "XXXX-XX-XX", span, "", 0.5)
    return Meaning("DATE", f"P1{letter}-#{number}", None, "", 0.5)


@rule
def quarter_of_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    token = match.word("QUARTER")
    digits = re.sub(r"\D", "", token or "")[:1]
    number = int(digits) if digits else match.ordinal()
    if number is None or number > 4:
        return None
    if token is None and match.unit()[0] is not Grain.QUARTER and _first_grain(match) is not Grain.QUARTER:
        return None
    fiscal = match.word("FISCAL_YEAR")
    year_number = match.year() if fiscal is None else fiscal_year_number(fiscal)
    if year_number is None:
        shift = -1 if match.has("LAST") else 1 if match.has("NEXT") else 0
        whole = context.unit(Grain.YEAR, shift)
        if whole is None:
            return Meaning("DATE", f"XXXX-Q{number}", None, match.mod(), 0.7)
        year_number = find_date(whole.start // DAY)[0]
        start = to_seconds(year_number, 3 * number - 2)
        is_bare = token is not None and not shift and not match.has("THIS")
        if is_bare and context.mode == "news" and context.now is not None and not context.ahead:
            # In February a bare "Q4" is the one that was just reported.
            year_number -= start - context.now.end > 150 * DAY
    return apply_modifier(Span.unit(to_seconds(year_number, 3 * number - 2), Grain.QUARTER), match)


@rule
def month_quarter(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The March quarter": the three months that end with that one."""
    month, year_number = match.month(), match.year()
    if month is None or match.word("UNIT") not in ("quarter", "qtr"):
        return None
    if year_number is None:
        year_number = context.year_for_month(month)
    if year_number is None:
        return Meaning("DATE", f"XXXX-Q{(month + 2) // 3}", None, "", 0.6)
    last = month_span(year_number, month)
    span = Span(last.shift(-2).start, last.end, Grain.MONTH)
    if month % 3:
        return Meaning("DATE", span.edtf(), span, "", 0.8)
    whole = Span.unit(last.start, Grain.QUARTER)
    return Meaning("DATE", date_value(whole), whole, "", 0.85)


def _first_grain(match: RuleMatch) -> Grain | None:
    words = match.all("UNIT")
    return UNITS[words[0]][0] if words else None


@rule
def regnal_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Meiji 10", "the 5th year of Showa"."""
    nengo = calendar("nengo")
    number = match.ordinal() if match.has("ORDINAL") else match.word("SMALL_NUMBER")
    if match.has("UNIT") and match.unit()[0] is not Grain.YEAR:
        return None
    spans = [nengo.span(date) for date in nengo.parse(f"{match.word('REIGN')} {number}")]
    if not spans:
        return None
    span = max(spans, key=lambda one: one.start)  # an older Showa was from 1312 to 1317
    middle = find_date((span.start + span.end) // 2 // DAY)[0]  # years of the moon begin in spring
    return Meaning("DATE", span.edtf() if span.grain is Grain.DAY else year_value(middle), span, "", 0.9)


@rule
def half_of_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The second half of 2004", "the last half of this year"."""
    half = match.first + match.codes.index(CLASSES["HALF"])
    which = RuleMatch(match.tokens, match.first, half).word("LAST", "EARLY")
    number = match.ordinal() if which is None else 1 if which == "early" else 2
    year_number = match.year()
    if year_number is None:
        rest = RuleMatch(match.tokens, half, match.last)
        whole = context.unit(Grain.YEAR, -1 if rest.has("LAST") else 1 if rest.has("NEXT") else 0)
        year_number = None if whole is None or match.unit()[0] is not Grain.YEAR else whole.first_year
    if year_number is None or number not in (1, 2):
        return None
    span = Span.unit(to_seconds(year_number, 6 * number - 5), Grain.HALF)
    return Meaning("DATE", date_value(span), span, "", 0.9)


@rule
def fiscal_year(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    number = match.year()
    if number is None or (match.words[0] == "financial" and not match.has("UNIT")):
        return None  # a financial 2020
    return apply_modifier(year_span(number), match, 0.9)


@rule
def year_period(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    number = match.year()
    if number is None:
        return None
    home = context.home
    if match.has("UNIT") and match.unit()[0] is Grain.QUARTER and home is not None:
        month = find_date(home.start // DAY)[1]
        span = Span.unit(to_seconds(number, month), Grain.QUARTER).shift(-1)
        return Meaning("DATE", date_value(span), span, "", 0.6)
    last = context.last
    if match.has("PERIOD") and last is not None and last.grain is Grain.QUARTER:
        month = find_date(last.start // DAY)[1]  # "the 1989 period": the quarter last mentioned, in that year
        span = Span.unit(to_seconds(number, month), Grain.QUARTER)
        return Meaning("DATE", date_value(span), span, "", 0.6)
    return Meaning("DATE", str(number), year_span(number), "", 0.7)
