"""Rules for times at a distance: two years ago, in three weeks, three Fridays from now, the past two months.

The value is that of TIMEX3, in which "two weeks ago" is a week and "the past two months" a duration. The span is what
the calendar has there: the day two weeks back, the two months before this one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from epochal.errors import TimeRangeError
from epochal.reading.english.context import EnglishContext, opens_sentence
from epochal.reading.english.lexicon import CLASSES, UNITS, WEEKDAYS
from epochal.reading.english.match import RuleMatch, rule
from epochal.reading.english.patterns import GRAMMAR
from epochal.reading.expression import Meaning
from epochal.reading.timex3 import date_value, day_span, duration_value, first_day
from epochal.times.axis import DAY, Grain
from epochal.times.axis import weekday as weekday_of
from epochal.times.span import Span


class _Step(NamedTuple):
    """A number of units."""

    number: float
    grain: Grain


def _read_steps(match: RuleMatch) -> list[_Step] | None:
    """The units of "two weeks" or "1 hour and 20 minutes" with their numbers; None where one has no number."""
    ends = [match.first + place + 1 for place, code in enumerate(match.codes) if code == CLASSES["UNIT"]]
    steps = []
    for first, last in zip((match.first, *ends), ends, strict=False):
        part = RuleMatch(match.tokens, first, last)
        grain, letter = UNITS[part.words[-1]]
        number = part.number()
        if number is None or grain is None:
            return None
        steps.append(_Step(number * (2 if letter == "2W" else 1), grain))
    return steps


def _move(origin: Span, steps: list[_Step], sign: int) -> Span:
    """The unit at a distance from another time: counted in the finest unit stated, weeks in days."""
    finest = min(step.grain for step in steps)
    if finest.months and any(step.number % 1 for step in steps):
        finest = Grain.MONTH  # two and a half years ago
    kept = Grain.DAY if finest is Grain.WEEK else finest
    # An hour from 4:30 is 5:30.
    span = Span.unit(origin.start, min(kept, origin.grain) if kept <= Grain.HOUR else kept)
    for number, grain in steps:
        whole, rest = int(number), number % 1
        span = span.shift(sign * whole, grain)
        if rest and grain.months:
            span = span.shift(sign * round(rest * grain.months), Grain.MONTH)
        elif rest:
            seconds = sign * round(rest * grain.seconds)
            span = Span(span.start + seconds, span.end + seconds, min(span.grain, Grain.MINUTE))
    return span


def _make_meaning(span: Span, steps: list[_Step], mod: str, confidence: float) -> Meaning:
    if span.grain <= Grain.HOUR:
        return Meaning("TIME", span.edtf().partition("/")[0].removesuffix("Z"), span, mod, confidence)
    is_week = min(step.grain for step in steps) is Grain.WEEK
    return Meaning("DATE", date_value(Span.unit(span.start, Grain.WEEK) if is_week else span), span, mod, confidence)


def move_from(origin: Span | None, parts: list[tuple[float, str]], sign: int) -> Meaning | None:
    """The time at a distance from another, in units that words name; None where there is nothing to count from."""
    steps = [_Step(number, grain) for number, word in parts if (grain := UNITS[word][0]) is not None]
    finest = min(step.grain for step in steps)
    if origin is not None and sign < 0 and finest < origin.coarsest_grain is Grain.DAY:
        return Meaning("DATE", date_value(origin), origin, "", 0.4)  # of hours ago no more is known than the day
    if origin is None or origin.coarsest_grain > finest:
        return None
    try:
        return _make_meaning(_move(origin, steps, sign), steps, "", 0.8)
    except (TimeRangeError, OverflowError):
        return None


@rule
def unit_ago(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    if match.has("BACK") and match.words[-1] == "back" and _goes_on(match):
        return None  # two years back home
    sign = 1 if match.words[-1] == "hence" else -1
    return _count(match, context.now, sign, context)


def _goes_on(match: RuleMatch) -> bool:
    """Whether a word follows, so that "back" belongs to it."""
    following = match.tokens.words[match.last : match.last + 1]
    return bool(following) and following[0].isalpha()


@rule
def unit_later(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    if match.word("LATER") in ("earlier", "previously"):
        return _count(match, context.base, -1, context)
    # From 1890 to 1893 she toured; two years later she retired.
    origin = context.range_end if context.range_end is not None else context.base
    long, grain = context.last_long, match.unit()[0]
    if context.last is None and long is not None and grain is long.grain:
        origin = long  # in the 1760s; a decade later
    return _count(match, origin, 1, context)


def _count(match: RuleMatch, origin: Span | None, sign: int, context: EnglishContext) -> Meaning | None:
    grain = match.unit()[0]
    steps = _read_steps(match)
    if grain is None:
        return None
    bare = match.has_form('NEARLY? UNIT ("ago" | LATER)') and match.all("UNIT")[0].endswith("s")
    if bare or origin is None or not steps:
        return Meaning("DATE", "PAST_REF" if sign < 0 else "FUTURE_REF", None, match.mod(), 0.6)
    finest = min(step.grain for step in steps)
    if origin.coarsest_grain > finest:
        # "Two weeks later" than a bare year is no finer than that year.
        return Meaning("DATE", date_value(origin), origin, match.mod(), 0.4)
    if finest is Grain.DECADE and origin is context.last and origin.coarsest_grain <= Grain.YEAR:
        # A decade after 2003 is 2013: what is counted from a year is a year.
        steps = [_Step(10 * step.number, Grain.YEAR) if step.grain is Grain.DECADE else step for step in steps]
        origin = Span.unit(origin.start, Grain.YEAR)
    if steps == [_Step(1, Grain.YEAR)] and context.mode == "news" and context.now is not None:
        last = context.last
        if last is not None and last.grain is Grain.QUARTER:
            span = last.shift(-4) if last.start > context.now.start - 300 * DAY else last
            return Meaning("DATE", date_value(span), span, "", 0.7)
        origin = context.now
    try:
        meaning = _make_meaning(_move(origin, steps, sign), steps, match.mod(), 0.8)
        if finest is Grain.CENTURY:  # a century ago is known to the decade
            years = [_Step(100 * step.number, Grain.YEAR) for step in steps if step.grain is Grain.CENTURY]
            near = _move(Span.unit(origin.start, Grain.YEAR), years, sign)
            meaning = (
                replace(meaning, span=Span.unit(near.start, Grain.DECADE)) if len(years) == len(steps) else meaning
            )
        return meaning
    except (TimeRangeError, OverflowError):
        return None


def is_ahead(match: RuleMatch, context: EnglishContext) -> bool:
    """Whether "in" and a length mean the time so far ahead, and not how long something took."""
    tokens = match.tokens
    if not match.first or tokens.words[match.first - 1] != "in" or context.now is None or context.behind:
        return False
    before = tokens.words[match.first - 2] if match.first > 1 else ""
    if before in _OFTEN or tokens.is_class(match.first - 2, "SMALL_NUMBER", "ORDINAL", "NUMBER_WORD", "BEGINNING"):
        return False  # once in a week, the first in ten years
    opens = context.brief and context.lean >= 0 and opens_sentence(tokens, match.first)
    return bool(context.ahead or context.prefer or context.is_nearest or opens)


@rule
def units_ahead(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "In three weeks", of what lies ahead; of what is done, it says how long that took."""
    now = context.now
    if now is None or not is_ahead(match, context) or match.words in (["a", "quarter"], ["a", "moment"]):
        return None
    units = [word for word in match.all("UNIT") if word not in ("weekend", "weekends")]
    steps = _read_steps(match) if len(units) == len(match.all("UNIT")) else None
    if not steps or now.coarsest_grain > min(step.grain for step in steps):
        return None
    try:
        return _make_meaning(_move(now, steps, 1), steps, match.mod(), 0.7)
    except (TimeRangeError, OverflowError):
        return None


@rule
def units_within(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Within two weeks": a duration, and the stretch from now on where what is meant lies ahead."""
    now, steps = context.now, _read_steps(match)
    if match.tokens.words[match.first - 1] != "within" or now is None or not steps or context.mode != "news":
        return None
    is_ahead = context.ahead or context.prefer > 0 or context.is_nearest or (context.brief and not context.behind)
    (number, grain), letter = steps[0], match.unit()[1]
    if not is_ahead or len(steps) > 1 or number != int(number) or now.coarsest_grain > grain or match.has("A", "the"):
        return None
    try:
        last = now.shift(int(number), grain)
    except (TimeRangeError, OverflowError):
        return None
    value = duration_value(match.number(), letter)
    return Meaning("DURATION", value, Span(now.start, last.start, now.grain), match.mod(), 0.85)


#: Words before "in a day" that count how often something happens, or compare.
_OFTEN = {"best", "biggest", "ever", "high", "highest", "level", "low", "lowest", "most", "once", "record", "time"}
_OFTEN |= {"times", "twice", "win", "worst", "first", "drop", "rise"}


@rule
def weekdays_away(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "Three Fridays from now", "two Sundays ago"."""
    now, number = context.now, match.number()
    word = match.word("WEEKDAY") or ""
    if now is None or number is None or number != int(number) or not 1 <= number <= 60:
        return None
    if (number == 1) == word.endswith("days"):
        return None
    sign = -1 if match.words[-1] in ("ago", "back", "earlier") else 1
    today = now.start // DAY
    away = (sign * (WEEKDAYS[word] - weekday_of(today))) % 7 or 7
    span = day_span(today + sign * (away + 7 * (int(number) - 1)))
    return Meaning("DATE", date_value(span), span, "", 0.85)


@rule
def past_units(match: RuleMatch, context: EnglishContext) -> Meaning | None:
    """ "The past two months", "the next five years": a span counted from the present, in whole units."""
    grain, letter = match.unit()
    amount = match.number()
    if match.has("A") and match.number() == 1:
        amount = 1
    value = duration_value(amount, letter)
    if match.words[0] == "last" and match.tokens.words[match.first - 1 : match.first][0:1] in _BEFORE_VERBS:
        return Meaning("DURATION", value, None, match.mod(), 0.8)  # they now last two years
    span = take_part(match, context, grain, amount) or _take_window(match, context, grain, letter, amount)
    return Meaning("DURATION", value, span, match.mod(), 0.85)


#: What stands before a verb: "can last 90 days".
_BEFORE_VERBS = [
    [word] for word in "can could may might must now often only should to typically usually will would".split()
]


def take_part(match: RuleMatch, context: EnglishContext, grain: Grain | None, amount: float | None) -> Span | None:
    """The first or last units of the year or month that follows: "the last four months of 2021"."""
    tokens = match.tokens
    ahead = GRAMMAR.compile(_OF_WHOLE).match(tokens.codes, match.last)
    if ahead is None or grain is None or amount is None or amount != int(amount) or not 1 <= amount <= 366:
        return None
    rest = RuleMatch(tokens, match.last, ahead.end())
    month, year = rest.month(), rest.year()
    year = year if year is not None or month is None else context.year_for_month(month)
    if year is None or not match.has("LAST", "ORDINAL", "BEGINNING") or match.word("LAST") not in (None, "last"):
        return None
    whole = Span.year(year) if month is None else Span.month(year, month)
    if grain >= whole.grain or (match.has("ORDINAL") and match.ordinal() != 1):
        return None
    count = int(amount) * (7 if grain is Grain.WEEK else 1)
    grain = Grain.DAY if grain is Grain.WEEK else grain
    if match.has("LAST"):
        first = Span.unit(whole.end - 1, grain).shift(1 - count)
        return Span(max(first.start, whole.start), whole.end, grain)
    last = Span.unit(whole.start, grain).shift(count - 1)
    return Span(whole.start, min(last.end, whole.end), grain)


#: A day, or a month of a year, that closes what is before it.
_CLOSING_DATE = 'ANY "the"? (CALENDAR_DAY | MONTH (","? YEAR)? !UNIT)'
_CLOSING = ("ended", "ending", "to")


def take_until(match: RuleMatch, context: EnglishContext, grain: Grain | None, amount: float | None) -> Span | None:
    """The units up to the date that follows: "the nine months ended 30 June 2023", "the year to March 2020"."""
    tokens = match.tokens
    if match.last == len(tokens.words) or tokens.words[match.last] not in _CLOSING:
        return None
    ahead = GRAMMAR.compile(_CLOSING_DATE).match(tokens.codes, match.last)
    if ahead is None or grain is None or grain < Grain.WEEK or amount is None or amount % 1 or not 1 <= amount <= 120:
        return None
    rest = RuleMatch(tokens, match.last + 1, ahead.end())
    month, day, stated = rest.month(), rest.day_of_month(), rest.year()
    year = context.year_for_month(month, day) if stated is None and month is not None else stated
    if year is None or month is None:
        return None
    number = None if day is None else first_day(year, month, day)
    if day is not None and number is None:
        return None
    end = Span.month(year, month).end if number is None else (number + 1) * DAY
    start = day_span(end // DAY).shift(-int(amount), grain).start
    return Span(start, end, Grain.DAY if number is not None else Grain.MONTH)


_OF_WHOLE = '"of" (YEAR !("-" | "/") | MONTH (","? YEAR)? !UNIT)'


def _take_window(
    match: RuleMatch, context: EnglishContext, grain: Grain | None, letter: str, amount: float | None
) -> Span | None:
    """The units before the present one, or those after it; None where the words say neither, or not how many."""
    now = context.now
    sign = -1 if match.has("LAST") else 1 if match.has("NEXT") else 0
    if not sign or now is None or grain is None or amount is None or amount != int(amount) or match.has("ORDINAL"):
        return None
    if context.mode != "news" or now.coarsest_grain > grain or not 1 <= amount <= 5000:
        return None
    count = int(amount) * (2 if letter == "2W" else 1)
    here = Span.unit(now.start, grain)
    try:
        first, last = (here.shift(-count), here.shift(-1)) if sign < 0 else (here.shift(1), here.shift(count))
    except (TimeRangeError, OverflowError):
        return None
    return Span(first.start, last.end, grain)
