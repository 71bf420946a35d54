"""Which day a time of day belongs to that states none: the day that the words around it have named.

"Today" and "tonight" point at the date of the text wherever they stand. "At 9 a.m." and "the afternoon" point nowhere:
after "On 12 May 1998" they are times of that day.
"""

from __future__ import annotations

import re

from epochal.reading.english.context import Context, NamedDay
from epochal.reading.english.lexicon import codes_of
from epochal.reading.english.story import opens_sentence
from epochal.reading.english.tense import ends_sentence
from epochal.reading.english.tokens import Tokens
from epochal.reading.english.values import first_day
from epochal.reading.expr import TimeExpr
from epochal.times import Grain
from epochal.times.axis import DAY

__all__ = ["are_tied", "day_named", "day_pointed_at", "name_day", "states_day"]

#: How many characters a day that was named reaches at most.
_REACH = 600
_PARAGRAPH = re.compile(r"\n\s*\n")
#: What a time of day must hold to state its day by itself: a date, a weekday, "today", "that", "last", "next".
_STATES_DAY = frozenset(
    codes_of("WEEKDAY", "SHORT_WEEKDAY", "TODAY", "MONTH_NAME", "NUMERIC_DATE", "HOLIDAY", "THIS", "LAST", "NEXT")
)
_CALENDAR = frozenset(codes_of("MONTH_NAME", "NUMERIC_DATE", "HOLIDAY", "NAMED_DAY", "new"))
_TIME_ON_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)T")
#: What stands behind a day that opens a sentence or a line and is spoken of from there on.
_HEADED = re.compile(r"\s*[:,.]|\s+[-–—]\s")
_LINE_START = re.compile(r"(?:\A|\n)[^\S\n]*(?:(?:on|for)[^\S\n]+(?:the[^\S\n]+)?)?\Z", re.IGNORECASE)
_LINE_END = re.compile(r"[:.,]?[^\S\n]*(?:\n|\Z)")
_ATTACHING = {"about", "after", "around", "at", "before", "between", "by", "during", "from", "in", "since", "the"}
_ATTACHING |= {"through", "till", "to", "until"}
#: What ties a time to the day that follows it.
_TIE = re.compile(r"(?:(?:\s+\w+){0,2}\s+(?:time|sharp))?,?\s+(?:on|of)\s+(?:the\s+)?")


def name_day(expression: TimeExpr, context: Context, tokens: Tokens, first: int, last: int) -> None:
    """Keep the day of an expression at the tokens `[first, last)`, if it states one, for the times around it.

    >>> from epochal.reading.english.tokens import tokenise
    >>> from epochal.times import Span
    >>> context, tokens = Context(), tokenise("On 12 May 1998 it rained at 9.")
    >>> day = TimeExpr("12 May 1998", 3, 14, "DATE", "1998-05-12", Span.parse("1998-05-12"))
    >>> name_day(day, context, tokens, 1, 4)
    >>> context.named.day, context.named.behind, context.named.spreads
    (10358, 4, True)
    """
    codes = tokens.codes[first:last]
    day = _day_of(expression, codes)
    if day is None:
        if expression.value.startswith("XXXX-") and states_day(codes):
            context.named = None  # "yesterday" in a text without a date: another day, though nobody knows which
        return
    is_alone = _is_alone(tokens.text, expression.start_char, expression.end_char)
    heads = is_alone or (opens_sentence(tokens, first) and _HEADED.match(tokens.text, expression.end_char) is not None)
    context.named = NamedDay(day, last, heads or not _CALENDAR.isdisjoint(codes), is_alone)


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether the characters `[start, end)`, with "on" or "for", are a line of their own."""
    return _LINE_END.match(text, end) is not None and _LINE_START.search(text, max(0, start - 12), start) is not None


def _day_of(expression: TimeExpr, codes: str) -> int | None:
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
    """Whether a time of day with these codes says by itself which day it is of: a date, a weekday, "that", "last".

    >>> states_day("nZiW"), states_day("nZ")
    (True, False)
    """
    return not _STATES_DAY.isdisjoint(codes)


def day_named(context: Context, tokens: Tokens, place: int, *, near: bool = False) -> int | None:
    """The day that a time of day at a token takes from the words before it; None where they give none.

    That is the nearest day named before it, in the same sentence, or, without `near`, in the same paragraph. The reach
    of a weekday or "yesterday" in the middle of a sentence ends with it, and there only a time with a preposition or
    an article takes it.

    >>> from epochal.reading.english.tokens import tokenise
    >>> from epochal.times import Span
    >>> tokens = tokenise("On 12 May 1998 it rained. The sun came out at noon.")
    >>> context = Context(last=Span.parse("1998-05-12"), named=NamedDay(10358, 4, spreads=True))
    >>> day_named(context, tokens, 11), day_named(context, tokens, 11, near=True)
    (10358, None)
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


def day_pointed_at(context: Context, tokens: Tokens, place: int) -> int | None:
    """The day that "that night" and "the next morning" at a token are counted from; None where none was just named.

    >>> from epochal.reading.english.tokens import tokenise
    >>> tokens = tokenise("She came on Friday. That night it rained.")
    >>> day_pointed_at(Context(named=NamedDay(10358, 4)), tokens, 5)
    10358
    """
    named = context.named
    return named.day if named is not None and _reaches(named, tokens, place) else None


def _reaches(named: NamedDay, tokens: Tokens, place: int) -> bool:
    start, end = tokens.end(named.behind - 1) if named.behind else 0, tokens.start(place)
    return end - start <= _REACH and (named.is_alone or _PARAGRAPH.search(tokens.text, start, end) is None)


def _in_one_sentence(tokens: Tokens, first: int, last: int) -> bool:
    return not any(ends_sentence(tokens, place) or tokens.words[place] in "!?" for place in range(first, last))


def _went_on(context: Context, day: int) -> bool:
    """Whether the text has named another time since, if only a month or a year."""
    last = context.last
    # A day of slack, since a clock with a zone may lie on the next day of the axis.
    return last is not None and (last.start >= (day + 2) * DAY or last.end <= (day - 1) * DAY)


def are_tied(text: str, time: TimeExpr, day: TimeExpr, *, loosely: bool = False) -> bool:
    """Whether a time of day belongs to the day that is named right after it, as in "at 9 a.m. local time on 12 May".

    With `loosely`, a comma or a space will do: "9 a.m., 12 May".

    >>> text = "at 9 a.m. local time on 12 May"
    >>> are_tied(text, TimeExpr("9 a.m.", 3, 9, "TIME", "T09:00"), TimeExpr("12 May", 24, 30, "DATE", "XXXX-05-12"))
    True
    """
    between = text[time.end_char : day.start_char]
    if loosely and between.strip(" \t") in ("", ","):
        return True
    return _TIE.fullmatch(between) is not None and _PARAGRAPH.search(between) is None
