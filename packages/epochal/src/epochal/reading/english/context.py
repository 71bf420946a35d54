"""What the words around an English expression decide: its reference time, its direction, and the day of a clock time.

Direction: see `direction.py`.

Mode: in news, relative times count from the text's date; in narrative, from the last date that moved the narrative on.

Day: "today" and "tonight" refer to the date of the text. "At 9 a.m." and "the afternoon" state no day: after "On 12 May
1998" they are times of that day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from epochal.lazy import lazy_regex
from epochal.reading.english.direction import (
    AHEAD_WORDS,
    PLANNING_WORDS,
    Direction,
    detect_direction,
    detect_lean,
    ends_sentence,
)
from epochal.reading.english.lexicon import CLASSES, get_codes
from epochal.reading.english.tokens import EnglishTokens
from epochal.reading.expression import TimeExpr
from epochal.reading.grammar import Rule
from epochal.reading.timex3 import day_span, find_date, first_day
from epochal.times.axis import DAY, Grain, weekday
from epochal.times.span import Span

__all__ = [
    "EnglishContext",
    "ListedDay",
    "Mode",
    "NamedDay",
    "WaitingTime",
    "are_tied",
    "detect_mode",
    "is_aside",
    "opens_sentence",
    "record_named_day",
    "resolve_named_day",
    "resolve_pointed_day",
    "states_day",
    "update_context",
]


Mode = Literal["news", "narrative"]


@dataclass(frozen=True, slots=True)
class NamedDay:
    """A day that a text has named at the tokens `[first, last)`, by its number, and the token behind its words.

    Few days are asked for more than that.
    """

    day: int
    behind: int
    tokens: EnglishTokens
    first: int
    last: int
    expression: TimeExpr

    @property
    def spreads(self) -> bool:
        """Whether it holds beyond its sentence, as a calendar date or "Monday:" does."""
        return not _CALENDAR.isdisjoint(self.tokens.codes[self.first : self.last]) or self.is_heading

    @property
    def is_alone(self) -> bool:
        """Whether it is a line of its own, with "on" or "for", and so the heading of what follows."""
        text, start, end = self.tokens.text, self.expression.start_char, self.expression.end_char
        return (
            _LINE_END.match(text, end) is not None and _LINE_START.search(text, max(0, start - 12), start) is not None
        )

    @property
    def is_heading(self) -> bool:
        """Whether it is a line of its own or opens a sentence."""
        if self.is_alone:
            return True
        end = self.expression.end_char
        return opens_sentence(self.tokens, self.first) and _HEADED.match(self.tokens.text, end) is not None

    @property
    def is_night(self) -> bool:
        """Whether it is the night that begins on that day."""
        return self.expression.value.endswith("TNI")


@dataclass(frozen=True, slots=True)
class WaitingTime:
    """A time of day that stated no day: its rule, its tokens `[first, last)`, and whether its sentence had named
    none.
    """

    rule: str
    first: int
    last: int
    is_free: bool


@dataclass(frozen=True, slots=True)
class ListedDay:
    """A weekday that a text has named: its day, the token behind its words, and whether it is a heading."""

    day: int
    behind: int
    is_heading: bool


@dataclass(slots=True)
class EnglishContext:
    """The reference times while a text is read.

    In news, expressions are counted from the text's date (`now`); in narrative, from the last date in the text.
    """

    now: Span | None = None
    mode: Mode = "news"
    last: Span | None = None
    #: The current date of a narrative: the last one that moved it on, which asides such as "(as of 2006)" do not.
    narrative_date: Span | None = None
    #: The last decade or century that the text named.
    last_long: Span | None = None
    #: Whether the text is a short message, in which "day" and "night" alone are meant as times.
    brief: bool = False
    #: Which way days and months lie where a user says so: 1 ahead, -1 back, 0 where the words decide.
    prefer: int = 0
    #: Whether a user wants the nearest of several possible days and months.
    is_nearest: bool = False
    #: The tokens `[first, last)` of the last expression that may lie ahead or back, and the way that was found for it.
    directed: tuple[EnglishTokens, int, int] | None = None
    direction: Direction | None = None
    #: The tokens of the first day or month that leans on its whole text, and the way that the text looks.
    leaning: EnglishTokens | None = None
    text_lean: int = 0
    #: Whether the expression is a day of a table, which invites nobody.
    is_row: bool = False
    #: The day before which the weekday that is read cannot lie, since it goes on from one before it.
    floor: int | None = None
    #: The year in which what the text told of last ended: "from 1978 to 1986".
    range_end: Span | None = None
    #: The weekday read last: its day, the token behind it, and whether it is a heading.
    listed: ListedDay | None = None
    #: The day that the words named last, which times of day without one take.
    named: NamedDay | None = None
    #: The time of day that stated no day, if that is what was read last.
    waiting: WaitingTime | None = None
    #: The token behind the day of a month that was read last, with its year and month, for days listed after it.
    day_list: tuple[int, int, int] | None = None
    #: Whether the text has written a date as 11/23.
    has_slash_dates: bool = False
    #: The rules that matched, with what they matched; None unless traced.
    matched: list[tuple[Rule, str]] | None = None

    def direct(self, tokens: EnglishTokens, first: int, last: int, *, leans: bool) -> None:
        """Go on to the expression at the tokens `[first, last)`; which way it lies is found when a rule asks.

        With `leans` it lies where its whole text looks, if nothing near it says more.
        """
        self.directed, self.direction, self.is_row = (tokens, first, last), None, False
        if leans and self.leaning is None:
            self.leaning = tokens

    def _find_direction(self) -> Direction:
        if self.direction is None:
            self.direction = Direction(0, is_sure=False) if self.directed is None else detect_direction(*self.directed)
        return self.direction

    @property
    def lean(self) -> int:
        """Which way the whole text looks, for days about which the words near them say nothing: see `detect_lean`."""
        if not self.text_lean and self.leaning is not None:
            self.text_lean = detect_lean(self.leaning)
        return self.text_lean

    @property
    def ahead(self) -> bool:
        """Whether the words before the expression refer to the future, as "will" does."""
        direction = self._find_direction()
        # In a report, the present tense of other words in the sentence says nothing of a day in it.
        return direction.sign > 0 and (direction.is_sure or self.lean >= 0)

    @property
    def behind(self) -> bool:
        """Whether they refer to the past, as "said" does."""
        return self._find_direction().sign < 0

    @property
    def is_invitation(self) -> bool:
        """Whether the expression is in a text that looks ahead, and no heading or report."""
        if not self.brief or self.is_row or self.directed is None:
            return False
        return self.lean > 0 and not self._find_direction().is_heading

    @property
    def day(self) -> tuple[int, int, int] | None:
        """Year, month and day of the text's date; None when it has none."""
        return None if self.now is None else find_date(self.now.start // DAY)

    @property
    def base(self) -> Span | None:
        """What "the next day" and "two weeks later" are counted from."""
        return self.last if self.last is not None else self.now

    @property
    def home(self) -> Span | None:
        """What "last year" and a month without a year are counted from."""
        if self.mode == "news":
            return self.now
        return self.narrative_date if self.narrative_date is not None else self.base

    def year_for_month(self, month: int, day: int | None = None) -> int | None:
        """The year of a month that states none: the nearest one that fits the tense, or the narrative's year.

        A day of a notice, of which nothing else is said, lies ahead.
        """
        home = self.home
        if home is None:
            return None
        year, home_month, _ = find_date(home.start // DAY)
        if self.mode == "narrative" and self.last is not None:
            # A narrative that was in autumn and mentions winter has moved on to the next year.
            return year + (home.grain < Grain.YEAR and home_month - month >= 8)
        if self.is_nearest:
            return _take_nearest_year(home, month, day)
        if self.prefer or self.ahead or (self.lean > 0 and not self.behind and day is not None):
            return year + (month < home_month) if self.prefer >= 0 else year - (month > home_month)
        # A month just ahead is the coming one, unless the words refer to the past; any other is the last one.
        ahead = (month - home_month) % 12
        if 0 < ahead <= (2 if self.behind else 4):
            return year + (month < home_month)
        return year - (month > home_month)

    def complete_year(self, year: int | None, is_short: bool) -> int | None:
        """A year of two digits ("'65") in the century of the narrative, where that is an earlier one."""
        last = None if self.last is None else self.last.first_year
        if year is None or not is_short or self.mode != "narrative" or last is None or last >= _SHORT_YEARS:
            return year
        return year - 100 * round((year - last) / 100)

    def weekday_day(self, number: int) -> int | None:
        """The day number of a bare weekday: today, the last one, or the next one if the words look ahead."""
        home = self.home
        if home is None:
            return None
        today = home.start // DAY
        if self.floor is not None:
            return self.floor + (number - weekday(self.floor)) % 7
        back = (weekday(today) - number) % 7
        if self.is_nearest:
            return today - back + 7 * (back > 3)
        if self.prefer:
            return today - back + 7 * (self.prefer > 0)
        # The weekday of tomorrow is tomorrow, unless the words refer to the past.
        is_ahead = self.ahead or (not self.behind and (back == 6 or self.lean > 0))
        # Who writes "see you Monday" on a Monday means the next; a forecast or a report means today.
        if back == 0 and is_ahead and self.is_invitation:
            return today + 7
        return today - back + 7 * (is_ahead and back > 0)

    def unit(self, grain: Grain, shift: int = 0, base: Span | None = None) -> Span | None:
        """The unit of a grain that holds the reference time, or one some units off."""
        origin = base if base is not None else self.home
        if origin is None:
            return None
        if grain is Grain.DAY:
            return day_span(origin.start // DAY + shift)
        return Span.unit(origin.start, grain).shift(shift)


def _take_nearest_year(home: Span, month: int, day: int | None) -> int:
    """The year in which a month, or a day of it, is nearest to a time."""
    year = find_date(home.start // DAY)[0]

    def measure(one: int) -> int:
        number = None if day is None else first_day(one, month, day)
        span = Span.month(one, month) if number is None else Span(number * DAY, (number + 1) * DAY, Grain.DAY)
        return max(0, span.start - home.start, home.start - span.end + 1)

    return min((year - 1, year, year + 1), key=measure)


#: Before this year, "'65" is no year of the last century.
_SHORT_YEARS = 1900
_STOP_OR_COMMA = get_codes(".", ",")
#: How many tokens before an expression show that it is an aside.
_NEAR = 8


def is_aside(tokens: EnglishTokens, first: int) -> bool:
    """Whether the clause before an expression is a plan or a look back, so that a narrative does not move there."""
    words, codes = tokens.words, tokens.codes
    for place in range(first - 1, max(-1, first - _NEAR), -1):
        if codes[place] in _STOP_OR_COMMA:
            return False
        if words[place] in AHEAD_WORDS or words[place] in PLANNING_WORDS or words[place] in ("had", "would"):
            return True
    return False


#: A bare year so many years from the narrative's date, in the middle of a sentence, is only mentioned.
_FAR_SENTENCES = 5


#: Classes of words that news has and stories of the past do not.
_DAILY = ("WEEKDAY", "TODAY", "NOW", "THIS", "LAST", "NEXT", "CLOCK", "AM_PM")
#: So many years back, a day is of a life or of history.
_LIVING = 90
_OLD_DAY = re.compile(
    "[{0}]{1}?{2}?[{3}]|{1}{2}?[{0}]{4}?[{3}]".format(
        get_codes("SMALL_NUMBER", "ORDINAL"),
        *(re.escape(get_codes(name)) for name in ("MONTH_NAME", ".")),
        get_codes("YEAR"),
        re.escape(get_codes(",")),
    )
)
#: The most tokens of a story that only a year tells from news.
_SHORT_STORY = 150


def detect_mode(tokens: EnglishTokens, now: Span | None) -> Mode:
    """News, unless most of the years that the text states lie well before its own date."""
    codes = tokens.codes
    if codes.count(CLASSES["ERA"]) >= 3:
        return "narrative"
    if now is None or CLASSES["YEAR"] not in codes:
        return "news"
    years = [int(tokens.words[match.start()]) for match in re.finditer(CLASSES["YEAR"], codes)]
    present = find_date(now.start // DAY)[0]
    if len(codes) <= _SHORT_STORY and all(year < present - 1 for year in years):
        if max(years) < present - _LIVING and _OLD_DAY.search(codes) is not None:
            return "narrative"  # "b. 14 Feb 1811, bapt. 3 Mar"
        # A few sentences that state a year long past and no day of the week are a story of that time.
        is_daily = any(CLASSES[name] in tokens.codes for name in _DAILY)
        return "news" if is_daily or detect_lean(tokens) > 0 else "narrative"
    if len(years) < (4 if len(tokens.words) > 1500 else 8):
        return "news"
    past = sum(year < present - 1 for year in years)
    # Weekdays, "today" and "yesterday" are the marks of news, whatever years it mentions.
    daily = tokens.codes.count(CLASSES["WEEKDAY"]) + tokens.codes.count(CLASSES["TODAY"])
    return "narrative" if past > len(years) / 2 and 150 * daily < len(tokens.words) else "news"


def update_context(expression: TimeExpr, context: EnglishContext, tokens: EnglishTokens, place: int) -> None:
    """Make a date that starts at a token the reference time of the next relative expression."""
    span = expression.span
    if span is None or span.is_open or span.coarsest_grain > Grain.YEAR or expression.kind not in ("DATE", "TIME"):
        if span is not None and span.coarsest_grain in (Grain.DECADE, Grain.CENTURY):
            context.last_long = span
        return
    if not (expression.value[:1].isdigit() or expression.value.startswith("BC")):
        return
    if span.coarsest_grain >= Grain.YEAR and place and tokens.words[place - 1] in _BOUNDS:
        # a bare year that only says how long something lasted
        context.range_end = span if tokens.words[place - 1] in _ENDS else None
        return
    context.last, context.range_end = span, None
    if context.mode == "narrative" and _moves(expression, span, context.narrative_date, tokens, place):
        context.narrative_date = span


_ENDS = {"until", "till", "to", "through", "-", "–"}
_BOUNDS = {"until", "till", "to", "through", "before", "since", "-", "–", "(", "for", "after"}
_LOOKING_BACK = {"ago", "before", "earlier", "preceding", "previous"}


def _moves(expression: TimeExpr, span: Span, narrative_date: Span | None, tokens: EnglishTokens, place: int) -> bool:
    """Whether a date moves the narrative on, or is only mentioned in it."""
    if narrative_date is None or span.first_year is None or narrative_date.first_year is None:
        return True
    is_year, in_year = span.grain >= Grain.YEAR, narrative_date.grain < Grain.YEAR
    if not _LOOKING_BACK.isdisjoint(expression.text.lower().split()):
        return False
    if is_year and in_year and span.first_year == narrative_date.first_year:
        return False  # the narrative's date is already part of that year
    if opens_sentence(tokens, place):
        return True
    if is_year and in_year and abs(span.first_year - narrative_date.first_year) >= _FAR_SENTENCES:
        return False
    return not is_aside(tokens, place)


def opens_sentence(tokens: EnglishTokens, place: int) -> bool:
    """Whether an expression, with the preposition before it, opens a sentence or a line."""
    for here in range(place, max(-1, place - 3), -1):
        if (
            here == 0
            or tokens.is_class(here - 1, ".")
            or "\n" in tokens.text[tokens.end(here - 1) : tokens.start(here)]
        ):
            return True
        if tokens.words[here - 1] not in _OPENERS:
            return False
    return False


_OPENERS = {"about", "after", "around", "at", "before", "between", "by", "during", "early", "for", "from", "in", "late"}
_OPENERS |= {"on", "since", "the", "throughout", "towards", "until"}


#: The most characters between a named day and a time that belongs to it.
_MAX_DISTANCE = 600
_PARAGRAPH = lazy_regex(r"\n\s*\n")
#: What a time of day must hold to state its day by itself: a date, a weekday, "today", "that", "last", "next".
_STATES_DAY = frozenset(
    get_codes("WEEKDAY", "SHORT_WEEKDAY", "TODAY", "MONTH_NAME", "NUMERIC_DATE", "HOLIDAY", "THIS", "LAST", "NEXT")
)
_CALENDAR = frozenset(get_codes("MONTH_NAME", "NUMERIC_DATE", "HOLIDAY", "NAMED_DAY", "new"))
_TIME_ON_DAY = lazy_regex(r"(\d{4})-(\d\d)-(\d\d)T")
#: What follows a day that opens a sentence or a line, and that the times after it belong to.
_HEADED = lazy_regex(r"\s*[:,.]|\s+[-–—]\s")
_LINE_START = lazy_regex(r"(?:\A|\n)[^\S\n]*(?:(?:on|for)[^\S\n]+(?:the[^\S\n]+)?)?\Z", re.IGNORECASE)
_LINE_END = lazy_regex(r"[:.,]?[^\S\n]*(?:\n|\Z)")
_ATTACHING = {"about", "after", "around", "at", "before", "between", "by", "during", "from", "in", "since", "the"}
_ATTACHING |= {"through", "till", "to", "until"}
#: What ties a time to the day that follows it.
_TIE = lazy_regex(r"(?:\s*\([^()\n]{1,30}\))?(?:(?:\s+\w+){0,2}\s+(?:[Tt]ime|sharp))?,?\s+(?:on|of)\s+(?:the\s+)?")


def record_named_day(
    expression: TimeExpr, context: EnglishContext, tokens: EnglishTokens, first: int, last: int
) -> None:
    """Record the day of an expression at the tokens `[first, last)`, if it states one, for the times around it."""
    codes = tokens.codes[first:last]
    day = _get_day(expression, codes)
    if day is None:
        if expression.value.startswith("XXXX-") and states_day(codes):
            context.named = None  # "yesterday" in a text without a date: another day, though nobody knows which
        return
    context.named = NamedDay(day, last, tokens, first, last, expression)


def _get_day(expression: TimeExpr, codes: str) -> int | None:
    """The one day that an expression names; None where it names none, or took its day from elsewhere."""
    span = expression.span
    if span is None:
        return None
    if expression.kind == "DATE":
        is_day = span.grain is Grain.DAY and span.end - span.start == DAY and not expression.value.endswith("REF")
        return span.start // DAY if is_day else None
    if not states_day(codes):
        return None
    # The span of a clock with a zone may lie on another day of the axis, so that the value tells.
    match = _TIME_ON_DAY.match(expression.value)
    return None if match is None else first_day(int(match[1]), int(match[2]), int(match[3]))


def states_day(codes: str) -> bool:
    """Whether a time of day with these codes says by itself which day it is of: a date, a weekday, "that", "last"."""
    return not _STATES_DAY.isdisjoint(codes)


def resolve_named_day(context: EnglishContext, tokens: EnglishTokens, place: int, *, near: bool = False) -> int | None:
    """The day that a time of day at a token takes from the words before it; None where they give none.

    That is the nearest day named before it, in the same sentence, or, without `near`, in the same paragraph. A
    weekday or "yesterday" in the middle of a sentence counts only within it, and there only for a time with a
    preposition or an article.
    """
    named = context.named
    if named is None or not _reaches(named, tokens, place):
        return None
    if place - named.behind <= 1:
        return named.day  # "tomorrow at 12 p.m."
    if not named.spreads and _ATTACHING.isdisjoint(tokens.words[place - 1 : place + 1]):
        return None
    if _in_one_sentence(tokens, named.behind, place):
        return named.day
    return named.day if named.spreads and not near and not _went_on(context, named.day) else None


def resolve_pointed_day(context: EnglishContext, tokens: EnglishTokens, place: int) -> int | None:
    """The day that "that night" and "the next morning" at a token are counted from; None where none was just named."""
    named = context.named
    return named.day if named is not None and _reaches(named, tokens, place) else None


def _reaches(named: NamedDay, tokens: EnglishTokens, place: int) -> bool:
    start, end = tokens.end(named.behind - 1) if named.behind else 0, tokens.start(place)
    return end - start <= _MAX_DISTANCE and (named.is_alone or _PARAGRAPH.search(tokens.text, start, end) is None)


def _in_one_sentence(tokens: EnglishTokens, first: int, last: int) -> bool:
    return not any(ends_sentence(tokens, place) or tokens.words[place] in "!?" for place in range(first, last))


def _went_on(context: EnglishContext, day: int) -> bool:
    """Whether the text has named another time since, if only a month or a year."""
    last = context.last
    # A day of slack, since a clock with a zone may lie on the next day of the axis.
    return last is not None and (last.start >= (day + 2) * DAY or last.end <= (day - 1) * DAY)


def are_tied(text: str, time: TimeExpr, day: TimeExpr, *, loosely: bool = False) -> bool:
    """Whether a time of day belongs to the day that is named right after it, as in "at 9 a.m. local time on 12 May".

    With `loosely`, a comma or a space will do: "9 a.m., 12 May".
    """
    between = text[time.end_char : day.start_char]
    if loosely and between.strip(" \t") in ("", ","):
        return True
    return _TIE.fullmatch(between) is not None and _PARAGRAPH.search(between) is None
