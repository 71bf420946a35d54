"""Rules for times in the short forms of offices, logs, clinics and laboratories: 11/23, FY24, 2H23, q6h, 5.2 Ma."""

from __future__ import annotations

import re
from dataclasses import replace

from epochal.errors import TimeRangeError
from epochal.lazy import lazy_regex
from epochal.reading.english.context import EnglishContext
from epochal.reading.english.guards import is_attached
from epochal.reading.english.lexicon import MONTHS, UNITS
from epochal.reading.english.match import RuleMatch, apply_modifier, rule
from epochal.reading.english.patterns import GRAMMAR
from epochal.reading.expression import Meaning
from epochal.reading.timex3 import date_value, day_span, duration_value, first_day, year_value
from epochal.times.axis import DAY, Certainty, Grain, to_seconds
from epochal.times.calendars.registry import calendar
from epochal.times.span import Span

__all__ = ["expand_year", "fiscal_year_number", "has_date_cue", "read_day_month"]

#: Two digits above this are a year of the last century.
_LAST_CENTURY = 30
#: Words before or after which two numbers are a date rather than a fraction.
_DATE_CUES = {"-", "after", "as", "before", "between", "by", "dated", "due", "for", "from", "in", "of", "on", "since"}
_DATE_CUES |= {
    "born",
    "date",
    "died",
    "expires",
    "starting",
    "valid",
    "the",
    "this",
    "through",
    "thru",
    "till",
    "to",
    "until",
    "–",
    "out",
    "ooo",
    "(",
}
#: What a fraction is a part of.
_FRACTIONS_OF = {"cup", "cups", "full", "hours", "inch", "inches", "lb", "majority", "mile", "miles", "of", "oz"}
_FRACTIONS_OF |= {"beat", "meter", "rhythm", "signature", "time"}
_FRACTIONS_OF |= {"page", "pound", "pounds", "scale", "second", "stars", "support", "teaspoon", "tsp", "vote", "%", "x"}


def expand_year(digits: str) -> int:
    """The year of two or four digits."""
    number = int(digits)
    return number if len(digits) > 2 else number + (1900 if number > _LAST_CENTURY else 2000)


def fiscal_year_number(word: str) -> int:
    """The year of "FY24", "FY'24" or "FY2024"."""
    return expand_year(re.sub(r"\D", "", word))


def has_date_cue(match: RuleMatch) -> bool:
    """Whether the word before two numbers leads one to expect a date."""
    before = match.tokens.words[match.first - 1] if match.first else ""
    return before in _DATE_CUES or match.tokens.is_class(match.first - 1, "WEEKDAY", "SHORT_WEEKDAY", "TODAY")


def read_day_month(text: str) -> tuple[int, int] | None:
    """Month and day of 11/23, 23/11 or 24.11.; None where they are none. With a slash the month comes first."""
    parts = re.split(r"[/.]", text.rstrip("."))
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        return None
    first, second = (int(part) for part in parts)
    month, day = (second, first) if "." in text or first > 12 else (first, second)
    return (month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _make_day(
    month: int, day: int, context: EnglishContext, confidence: float, year: int | None = None
) -> Meaning | None:
    year = year if year is not None else context.year_for_month(month, day)
    if year is None:
        return Meaning("DATE", f"XXXX-{month:02d}-{day:02d}", None, "", confidence - 0.1)
    number = first_day(year, month, day)
    return None if number is None else Meaning("DATE", date_value(day_span(number)), day_span(number), "", confidence)


@rule
def slash_date(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "11/23": a date where something says so, since 2/3 and 9/10 are fractions."""
    word = match.word("SLASH_DATE", "HALF") or ""
    found = read_day_month(word)
    tokens = match.tokens
    after = tokens.words[match.last] if match.last < len(tokens.words) else ""
    if found is None or after in _FRACTIONS_OF or tokens.is_class(match.last, "UNIT", "/"):
        return None
    start = tokens.start(match.last - 1)
    before = tokens.text[start - 1 : start] if start else "\n"
    if before in "/=_.$" or tokens.is_class(match.first - 1, "SMALL_NUMBER", "LARGE_NUMBER", "THREE_DIGITS"):
        return None  # 31 7/8
    has_cue = has_date_cue(match) or tokens.is_class(match.last, "CLOCK") or len(match.words) == len(tokens.words)
    has_cue = has_cue or (after == "at" and tokens.is_class(match.last + 1, "CLOCK", "WHOLE_DURATION"))
    has_cue = has_cue or (
        tokens.is_class(match.last, "TO", "-") and tokens.is_class(match.last + 1, "SLASH_DATE", "HALF")
    )
    has_cue = has_cue or (before == "\n" and after in (":", "-", "–"))  # the heading of an entry
    has_cue = has_cue or _is_dated(match)
    if not has_cue and not context.has_slash_dates and not (len(word) == 5 and word[0] in "0123"):
        return None
    if word == "24/7":
        return None
    context.has_slash_dates = True
    if context.mode == "narrative" and context.now is not None:
        # Notes write so of the days around them, whatever years they mention: "COPD since 2009, admitted 11/18".
        context = replace(context, mode="news")
    return _make_day(*found, context, 0.75, match.year() or _find_year_ahead(match, found))


def _is_dated(match: RuleMatch) -> bool:
    """Whether a verb before two numbers says what was done on a day: "admitted 10/9 with pain", not "cut 1/3 of"."""
    tokens, word = match.tokens, match.words[-1]
    before = tokens.words[match.first - 1] if match.first else ""
    if not (before in _DATED_WORDS or (before.endswith("ed") and len(before) > 4)) or is_attached(
        tokens, match.first, match.last
    ):
        return False
    following = tokens.words[match.last] if match.last < len(tokens.words) else "."
    first, second = word.split("/")
    is_fraction = int(first) < int(second) in _DENOMINATORS and first[0] != "0"
    return not is_fraction and (not following.isalpha() or following in _AFTER_DATES)


_DATED_WORDS = {
    "born",
    "ddx",
    "dob",
    "done",
    "drops",
    "drawn",
    "given",
    "held",
    "lmp",
    "seen",
    "sent",
    "taken",
    "written",
}
_AFTER_DATES = {
    "after",
    "and",
    "at",
    "by",
    "due",
    "for",
    "from",
    "per",
    "then",
    "through",
    "to",
    "via",
    "w",
    "when",
    "with",
}
_DENOMINATORS = {2, 3, 4, 5, 6, 8, 16}


def _find_year_ahead(match: RuleMatch, found: tuple[int, int]) -> int | None:
    """The year of the first end of a range, which the last states: "5/1-5/7, 2020", "10/1-11/2/2017"."""
    tokens = match.tokens
    ahead = GRAMMAR.compile(_DATED_NEXT).match(tokens.codes, match.last)
    if ahead is None:
        return None
    last = RuleMatch(tokens, match.last, ahead.end())
    short, numeric = last.word("SLASH_DATE"), last.word("NUMERIC_DATE")
    numbers = (numeric or f"{short}/{last.year()}").split("/")
    if len(numbers) != 3 or len(numbers[2]) != 4 or not "".join(numbers).isdigit():
        return None
    end = read_day_month("/".join(numbers[:2]))
    return None if end is None else int(numbers[2]) - (found > end)


_DATED_NEXT = '("-" | TO) (SLASH_DATE "," YEAR | NUMERIC_DATE)'


@rule
def dot_date(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "24.11.", as much of Europe writes it."""
    found = read_day_month(match.word("DOT_DATE") or "")
    if is_attached(match.tokens, match.last - 1, match.last):
        return None  # six-1.4.
    is_timed = match.tokens.is_class(match.last, "CLOCK", "DAYPART", "WEEKDAY") or (
        match.tokens.is_class(match.last, "IN") and match.tokens.is_class(match.last + 2, "DAYPART")
    )
    if found is None or not (is_timed or _has_day_cue(match) or match.has("WEEKDAY", "SHORT_WEEKDAY")):
        return None
    return _make_day(*found, context, 0.75)


def _has_day_cue(match: RuleMatch) -> bool:
    """Whether something says that "24.11." is a day; "1.7." at the end of a sentence is a version or a section, too."""
    tokens = match.tokens
    before = tokens.words[match.first - 1] if match.first else ""
    word = match.word("DOT_DATE") or ""
    if before not in _DAY_CUES:
        return False
    is_dated = word.startswith("0") or int(word.split(".")[0]) > 12  # more than any month
    after = tokens.text[tokens.end(match.last - 1) :].lstrip()[:1]
    return is_dated or (before == "on" and after.islower())


#: Words before a day; what stands behind "since", "before" and "in" may be a version as well.
_DAY_CUES = {"on", "by", "until", "till", "due", "dated"}


@rule
def year_pair(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "1998/99", "1914/18", "the 2003-04 season": from one year to another."""
    word = match.word("YEAR_PAIR")
    first, second = re.split(r"[/]", word) if word is not None else match.all("YEAR", "SMALL_NUMBER")[:2]
    start = int(first)
    end = int(first[: 4 - len(second)] + second)
    if end <= start and len(second) == 2 and first[2:] == "99":
        end += 100
    tokens = match.tokens
    place = tokens.start(match.first)
    behind = tokens.text[tokens.end(match.last - 1) :][:1]
    if word is not None and len(second) == 2 and end <= start and 1 <= int(second) <= 12 and behind != "/":
        # "EXP 2027/03": no pair of years, but a month
        return (
            None
            if is_attached(tokens, match.first, match.last)
            else apply_modifier(Span.month(start, int(second)), match, 0.7)
        )
    if not start < end <= start + 150 or behind == "/" or (place and tokens.text[place - 1] in "/=_.#"):
        return None  # Directive 2014/24/EU
    if word is None and (end != start + 1 or _SEASONS.isdisjoint(tokens.words[match.first : match.last + 2])):
        return None
    span = Span.between(Span.year(start), Span.year(end))
    return Meaning("DATE", f"{year_value(start)}/{year_value(end)}", span, "", 0.8)


#: What lasts from one year into the next, and is named by both.
_SEASONS = {
    "budget",
    "campaign",
    "academic",
    "cup",
    "financial",
    "fiscal",
    "league",
    "school",
    "season",
    "seasons",
    "session",
    "tax",
    "title",
    "term",
}


@rule
def period_code(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "1Q24", "2H23", "Q3'24", "2024E"."""
    word = match.word("PERIOD_CODE") or ""
    if word[-1] in "ef":
        return apply_modifier(Span.year(int(word[:4])), match, 0.8)
    kind = "q" if "q" in word else "h"
    number = int(word[1] if word[0] == kind else word[0])
    year = expand_year(re.sub(r"\D", "", word[2:]))
    return apply_modifier(make_year_part(year, kind, number), match, 0.9)


def make_year_part(year: int, kind: str, number: int) -> Span:
    """A quarter ("q") or half ("h") of a year."""
    if kind == "q":
        return Span.unit(to_seconds(year, 3 * number - 2), Grain.QUARTER)
    return Span.unit(to_seconds(year, 6 * number - 5), Grain.HALF)


@rule
def fiscal_code(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "FY24"."""
    return apply_modifier(Span.year(fiscal_year_number(match.word("FISCAL_YEAR") or "")), match, 0.8)


@rule
def half_code(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "H1 2023"."""
    fiscal, year = match.word("FISCAL_YEAR"), match.year()
    number = fiscal_year_number(fiscal) if fiscal is not None else year
    if number is None:
        return None
    return apply_modifier(make_year_part(number, "h", int((match.word("HALF_CODE") or "h1")[1])), match, 0.85)


@rule
def bare_half(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Guidance for H2": the half of the present year, or that of the last one which reports speak of."""
    tokens, home = match.tokens, context.home
    near = tokens.words[max(0, match.first - _HALF_CONTEXT) : match.last + _HALF_CONTEXT]
    if home is None or home.first_year is None or _BUSINESS.isdisjoint(near):
        return None
    number = int(match.words[0][1])
    span = make_year_part(home.first_year, "h", number)
    is_planned = context.ahead or not _PLANNED.isdisjoint(near)
    if not is_planned and span.start > home.end + 60 * DAY:
        span = make_year_part(home.first_year - 1, "h", number)
    return apply_modifier(span, match, 0.7)


#: How many tokens around "H2" tell of business, and not of hydrogen; and the words that do.
_HALF_CONTEXT = 8
_PLANNED = {"budget", "forecast", "guidance", "outlook", "plan", "roadmap", "targets"}
_BUSINESS = frozenset(
    "budget capex costs demand earnings ebitda eps forecast growth guidance hiring income margin margins okrs orders "
    "outlook plan profit profits results revenue revenues roadmap sales shipments targets volumes".split()
)


@rule
def month_code(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Dec-24", as tables and markets write December 2024."""
    tokens = match.tokens
    digits = match.words[-1]
    written = tokens.text[tokens.start(match.first) : tokens.end(match.last - 1)]
    if len(match.words[0]) > 4 or len(digits) != 2 or " " in written:
        return None
    return apply_modifier(Span.month(expand_year(digits), MONTHS[match.words[0]]), match, 0.7)


#: The present, as ages before the present count it.
_PRESENT = 1950
_AGES = {"k": 1e3, "m": 1e6, "g": 1e9, "b": 1e9}


@rule
def age_before_present(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "5.2 Ma", "12 kyr BP", "4000 BP": so many years before 1950."""
    tokens, unit = match.tokens, match.word("AGE_UNIT") or ""
    if match.has("UNIT") and (match.unit()[1] != "Y" or unit != "bp"):
        return None
    written = tokens.text[tokens.start(match.first + match.words.index(unit)) :][: len(unit)]
    if (unit in ("ma", "ga") and written != unit.title()) or (unit == "bp" and written != "BP"):
        return None  # MA and GA are states, "ma" is a mother
    number = float(match.words[0].replace(",", ""))
    years = round(number * (1 if unit == "bp" else _AGES[unit[0]]))
    if not years:
        return None
    if unit in ("kyr", "myr", "gyr") and not match.has("ago") and "bp" not in match.words:
        return Meaning("DURATION", f"P{years}Y", None, "", 0.8)
    # So many digits as are written are known: "66 Ma" is given to the million.
    digits = len(match.words[0].partition(".")[2])
    step = max(1, round((1 if unit == "bp" else _AGES[unit[0]]) / 10**digits))
    return make_age(years, step)


def make_age(years: int, step: int) -> Meaning | None:
    """The time so many years before the present, known to a step of some years."""
    try:
        middle = _PRESENT - years
        low, high = Span.year(middle - step // 2), Span.year(middle + step // 2)
        span = Span(low.start, high.end, Grain.YEAR, Grain.YEAR, Certainty.APPROXIMATE, Certainty.APPROXIMATE)
    except TimeRangeError:
        return None
    return Meaning("DATE", year_value(middle), span, "APPROX", 0.85)


@rule
def julian_day(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "JD 2451545.0", "MJD 60000": the days of astronomers, which begin at noon in the older count."""
    offset = _MODIFIED_DAY if match.words[0] == "mjd" else _JULIAN_DAY
    number = float(match.words[1].replace(",", ""))
    if (match.words[0] == "mjd") != (number < 1e6) or number < 30_000:
        return None
    day = int((number - offset) // 1)
    return Meaning("DATE", date_value(day_span(day)), day_span(day), "", 0.85)


#: The counts of 1970-01-01.
_JULIAN_DAY, _MODIFIED_DAY = 2_440_587.5, 40_587
_DOSES = {"bid": "PT12H", "tid": "PT8H", "qid": "PT6H", "qod": "P2D"}
_DOSES |= dict.fromkeys(("qd", "qhs", "qam", "qpm"), "P1D")


@rule
def dosing(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "q6h", "BID": how often a dose is given."""
    word = match.words[0].replace(".", "")
    if word in _DOSES and "." in match.words[0]:
        return Meaning("SET", _DOSES[word], None, "", 0.85)
    if word in _DOSES:
        near = match.tokens.words[max(0, match.first - 5) : match.first]
        if _DOSE_WORDS.isdisjoint(near):
            return None
        return Meaning("SET", _DOSES[word], None, "", 0.8)
    parts = re.fullmatch(r"q(\d+)([a-z]+)", word)
    if parts is None:
        return None
    unit = {"h": "hours", "d": "days", "wk": "weeks"}.get(parts[2], parts[2])
    return Meaning("SET", duration_value(int(parts[1]), UNITS[unit][1]), None, "", 0.85)


_DOSE_WORDS = {"cap", "caps", "drops", "g", "gtt", "im", "iu", "iv", "mcg", "meq", "mg", "ml", "oral", "po", "pr"}
_DOSE_WORDS |= {"puffs", "sc", "sl", "sq", "tab", "tablet", "tablets", "tabs", "units"}

#: Words before the seconds since 1970; else they must open a line.
_EPOCH_CUES = {"at", "created", "date", "epoch", "exp", "expires", "iat", "mtime", "nbf", "start", "time", "timestamp"}
_EPOCH_CUES |= {"ts", "unix", "updated"}


@rule
def epoch(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "1731742800": the seconds since 1970, or milliseconds, at the start of a line or after a word for it."""
    tokens, word = match.tokens, match.words[0]
    start = tokens.start(match.first)
    opens = _OPENS.search(tokens.text, max(0, start - 20), start) is not None
    near = {other for other in tokens.words[max(0, match.first - 4) : match.first] if other.isalpha()}
    if not opens and _EPOCH_CUES.isdisjoint(near):
        return None
    seconds = int(word[:10])
    day = date_value(day_span(seconds // DAY))
    clock = seconds % DAY
    value = f"{day}T{clock // 3600:02d}:{clock // 60 % 60:02d}:{clock % 60:02d}"
    return Meaning("TIME", value, Span(seconds, seconds + 1, Grain.SECOND), "", 0.8)


_OPENS = lazy_regex(r"(?:^|\n)[\s\[\"'(]*\Z|(?:^|[\s\[(\"'])@\Z")


@rule
def long_count(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "13.0.0.0.0", a date of the Maya, where the text speaks of them."""
    if _MAYA.isdisjoint(match.tokens.words[max(0, match.first - 15) : match.last + 15]):
        return None
    maya = calendar("mayan")
    for date in maya.parse(match.words[0]):
        span = maya.span(date)
        return Meaning("DATE", date_value(span), span, "", 0.85)
    return None


_MAYA = {"baktun", "calendar", "classic", "count", "katun", "maya", "mayan", "mesoamerican", "monument", "stela"}
