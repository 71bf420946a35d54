"""Where a text stands in time: whether it tells a story, and which of its dates move the story on."""

from __future__ import annotations

import re

from epochal.reading.english.context import Context, Mode
from epochal.reading.english.lexicon import CLASSES
from epochal.reading.english.tense import is_aside
from epochal.reading.english.tokens import Tokens
from epochal.reading.expr import TimeExpr
from epochal.times import Grain, Span
from epochal.times.axis import DAY, civil_date

__all__ = ["mode_of", "opens_sentence", "remember"]

#: A bare year that far from where the story stands, in the middle of a sentence, is only mentioned.
_FAR = 5


def mode_of(tokens: Tokens, now: Span | None) -> Mode:
    """News, unless most of the years that the text states lie well before its own date.

    >>> from epochal.reading.english.tokens import tokenise
    >>> text = " ".join(f"In {year} there was a battle." for year in range(1936, 1945))
    >>> mode_of(tokenise(text), Span.parse("2009"))
    'narrative'
    """
    years = [int(tokens.words[match.start()]) for match in re.finditer(CLASSES["YEAR"], tokens.codes)]
    if tokens.codes.count(CLASSES["ERA"]) >= 3:
        return "narrative"
    if now is None or len(years) < (4 if len(tokens.words) > 1500 else 8):
        return "news"
    present = civil_date(now.start // DAY)[0]
    past = sum(year < present - 1 for year in years)
    # Weekdays, "today" and "yesterday" are the marks of news, whatever years it speaks of.
    daily = tokens.codes.count(CLASSES["WEEKDAY"]) + tokens.codes.count(CLASSES["TODAY"])
    return "narrative" if past > len(years) / 2 and 150 * daily < len(tokens.words) else "news"


def remember(expression: TimeExpr, context: Context, tokens: Tokens, place: int) -> None:
    """Let a date that starts at a token become what the next relative expression is counted from.

    >>> from epochal.reading.english.tokens import tokenise
    >>> context = Context()
    >>> remember(TimeExpr("1998", 3, 7, "DATE", "1998", Span.year(1998)), context, tokenise("In 1998"), 1)
    >>> context.last.edtf()
    '1998'
    """
    span = expression.span
    if span is None or span.is_open or span.coarsest_grain > Grain.YEAR or expression.kind not in ("DATE", "TIME"):
        return
    if not (expression.value[:1].isdigit() or expression.value.startswith("BC")):
        return
    if span.coarsest_grain >= Grain.YEAR and place and tokens.words[place - 1] in _BOUNDS:
        return  # a bare year that only says how long something lasted
    context.last = span
    if context.mode == "narrative" and _moves(expression, span, context.story, tokens, place):
        context.story = span


_BOUNDS = {"until", "till", "to", "through", "before", "since", "-", "–", "(", "for", "after"}
_LOOKING_BACK = {"ago", "before", "earlier", "preceding", "previous"}


def _moves(expression: TimeExpr, span: Span, story: Span | None, tokens: Tokens, place: int) -> bool:
    """Whether a date moves the story on, or is only mentioned in it."""
    if story is None or span.first_year is None or story.first_year is None:
        return True
    is_year, in_year = span.grain >= Grain.YEAR, story.grain < Grain.YEAR
    if not _LOOKING_BACK.isdisjoint(expression.text.lower().split()):
        return False
    if is_year and in_year and span.first_year == story.first_year:
        return False  # the story already stands in a part of that year
    if opens_sentence(tokens, place):
        return True
    if is_year and in_year and abs(span.first_year - story.first_year) >= _FAR:
        return False
    return not is_aside(tokens, place)


def opens_sentence(tokens: Tokens, place: int) -> bool:
    """Whether an expression, with the preposition before it, opens a sentence or a line.

    >>> from epochal.reading.english.tokens import tokenise
    >>> opens_sentence(tokenise("In May it rained."), 1), opens_sentence(tokenise("It rained in May."), 3)
    (True, False)
    """
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
