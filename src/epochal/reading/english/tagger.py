"""The English tagger: tokens, then rules at the places that speak of time, then what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from epochal.reading.english.context import Context, Mode
from epochal.reading.english.found import Found, Meaning
from epochal.reading.english.grammar import RULES, RUNS, STARTS, TRIGGER
from epochal.reading.english.rules import rule_named
from epochal.reading.english.tokens import Tokens, tokenise
from epochal.reading.expr import TimeExpr
from epochal.times import Certainty, Grain, Span
from epochal.times.axis import DAY, civil_date

__all__ = ["EnglishTagger"]

_BREAK = re.compile(r"\n\s*\n")
_FUTURE = {"begin", "coming", "deadline", "due", "expected", "expects", "going", "intends", "ll", "next"}
_FUTURE |= {"planned", "plans", "scheduled", "shall", "slated", "tomorrow", "until", "upcoming", "will"}
_PAST = {"after", "agreed", "announced", "been", "began", "bought", "called", "came", "closed", "did", "died", "ended"}
_PAST |= {"fell", "had", "has", "killed", "made", "posted", "reported", "rose", "said", "since", "sold", "told"}
_PAST |= {"took", "was", "were", "won"}


_BRIEF = 400
#: Long texts are read in pieces of about this many characters, so that memory stays small and time linear.
_PIECE = 30_000


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text in pieces that end with a paragraph, a line, a sentence or at least a word, each with its place."""
    start = 0
    while len(text) - start > _PIECE:
        low, high = start + _PIECE // 2, start + _PIECE
        for mark in ("\n\n", "\n", ". ", " "):
            cut = text.rfind(mark, low, high)
            if cut >= 0:
                high = cut + len(mark)
                break
        yield start, text[start:high]
        start = high
    yield start, text[start:]


class EnglishTagger:
    """Finds English time expressions. `mode` is worked out from the text unless it is given.

    >>> found = EnglishTagger().tag("Sales rose last month.", Span.parse("1998-03-05"))
    >>> found[0].text, found[0].value, found[0].span.edtf()
    ('last month', '1998-02', '1998-02')
    """

    def __init__(self, mode: Mode | None = None) -> None:
        self.mode = mode

    def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        """The expressions of a text, in order.

        >>> [item.value for item in EnglishTagger().tag("From 490 BC to the 1990s")]
        ['BC0490', '199']
        """
        found: list[TimeExpr] = []
        context: Context | None = None
        for offset, piece in _pieces(text):
            tokens = tokenise(piece)
            if context is None:
                context = Context(now, self.mode or _mode(tokens, now), brief=len(text) <= _BRIEF)
            here: list[TimeExpr] = []
            for run in RUNS.finditer(tokens.codes):
                if TRIGGER.search(tokens.codes, run.start(), run.end()):
                    self._run(tokens, run.start(), run.end(), context, here)
            found += (item.shifted(offset) for item in here) if offset else here
        return found

    def _run(self, tokens: Tokens, place: int, end: int, context: Context, found: list[TimeExpr]) -> None:
        codes = tokens.codes
        while place < end:
            rules = STARTS.get(codes[place])
            match = None if rules is None else rules.match(codes, place, end)
            if match is None or match.lastgroup is None:
                place += 1
            else:
                rules_left = RULES[int(match.lastgroup[1:]) :]
                place = _at(tokens, place, end, rules_left, context, found)


Rules = tuple[tuple[str, re.Pattern[str]], ...]


def _at(tokens: Tokens, place: int, end: int, rules: Rules, context: Context, found: list[TimeExpr]) -> int:
    """Work out the first rule that makes sense at a place; the place to go on from."""
    for name, pattern in rules:
        match = pattern.match(tokens.codes, place, end)
        if match is None or match.end() == place:
            continue
        if name == "age":
            return match.end()
        expression = _work_out(name, tokens, place, match.end(), context)
        if expression is not None:
            found.append(expression)
            if not _is_aside(expression, tokens, place):
                _remember(expression, context)
            return match.end()
    return place + 1


def _work_out(name: str, tokens: Tokens, first: int, last: int, context: Context) -> TimeExpr | None:
    first, last = _trimmed(name, tokens, first, last)
    start, end = tokens.start(first), tokens.end(last - 1)
    if end - start > 25 and _BREAK.search(tokens.text, start, end):
        return None
    _look_around(tokens, first, last, context)
    meaning = rule_named(name)(Found(tokens, first, last), context)
    if meaning is None:
        return None
    if first and tokens.words[first - 1] in ("about", "around") and not meaning.mod:
        meaning = replace(meaning, mod="APPROX", span=_approximate(meaning.span))
    return _expression(tokens, first, last, meaning)


def _approximate(span: Span | None) -> Span | None:
    return span and span.with_certainty(span.certainty | Certainty.APPROXIMATE)


def _trimmed(name: str, tokens: Tokens, first: int, last: int) -> tuple[int, int]:
    """The tokens of an expression without what a pattern only allowed for on the way."""
    codes, words = tokens.codes, tokens.words
    while last > first + 1 and codes[last - 1] in ",-&fiz":
        last -= 1
    if codes[last - 1] == ";" and (words[last - 2] not in _ABBREVIATED or codes[last : last + 1] == ";"):
        last -= 1  # the end of a sentence, not of an abbreviation
    if name == "unit_alone" and codes[first:last] == "tU" and words[first + 1].endswith("s"):
        first += 1  # "in the weeks before": the article belongs to what follows
    if codes[first : first + 2] in ("hl", "hx", "xl") and words[first] in ("that", "following"):
        first += 1  # "he said that last week", "the days following last month's"
    return first, last


def _expression(tokens: Tokens, first: int, last: int, meaning: Meaning) -> TimeExpr:
    start, end = tokens.start(first), tokens.end(last - 1)
    codes = tokens.codes[first:last]
    stated = tuple(part for part, letters in _PARTS if not letters.isdisjoint(codes))
    if "day" not in stated and "M" in codes and not {"n", "o"}.isdisjoint(codes):
        stated += ("day",)
    # What a date needs and the words do not give was taken from the reference time.
    is_placed = meaning.span is not None and meaning.kind in ("DATE", "TIME")
    carried = ("year",) if is_placed and "year" not in stated else ()
    text = tokens.text[start:end]
    return TimeExpr(
        text, start, end, meaning.kind, meaning.value, meaning.span, meaning.mod, meaning.confidence, stated, carried
    )


_PARTS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (part, frozenset(letters))
    for part, letters in (
        ("year", "YADEIL"),
        ("season", "SF"),
        ("quarter", "Q"),
        ("month", "MA"),
        ("weekday", "WX"),
        ("day", "AH2"),
        ("clock", "CZ"),
        ("part of day", "P"),
    )
)


_ABBREVIATED = {"apr", "aug", "dec", "feb", "fri", "jan", "jul", "jun", "mar", "mon", "nov", "oct", "sat"}
_ABBREVIATED |= {"sep", "sept", "sun", "thu", "thur", "thurs", "tue", "tues", "wed"}


def _look_around(tokens: Tokens, first: int, last: int, context: Context) -> None:
    """Which way the words of the sentence look, as far back as eight tokens, and a few on."""
    context.ahead = context.behind = False
    for place in range(first - 1, max(-1, first - 9), -1):
        word = tokens.words[place]
        if tokens.codes[place] == ";":
            break
        if word in _FUTURE:
            context.ahead = True
            return
        if word in _PAST:
            context.behind = True
            return
    for place in range(last, min(len(tokens.words), last + 5)):
        word = tokens.words[place]
        if tokens.codes[place] == ";":
            return
        if word in ("will", "ll", "shall"):
            context.ahead = True
            return


def _is_aside(expression: TimeExpr, tokens: Tokens, place: int) -> bool:
    """Whether a bare year only says how long something lasted, so that the story does not move there."""
    if place == 0 or expression.span is None or expression.span.coarsest_grain < Grain.YEAR:
        return False
    return tokens.words[place - 1] in _ASIDES


_ASIDES = {"until", "till", "to", "through", "before", "since", "-", "–", "(", "for", "after"}


def _remember(expression: TimeExpr, context: Context) -> None:
    """A date that places the story becomes what the next relative expression is counted from."""
    span = expression.span
    if span is None or span.is_open or span.coarsest_grain > Grain.YEAR or expression.kind not in ("DATE", "TIME"):
        return
    if expression.value[:1].isdigit() or expression.value.startswith("BC"):
        context.last = span


def _mode(tokens: Tokens, now: Span | None) -> Mode:
    """News, unless most of the years that the text states lie well apart from its own date."""
    years = [int(tokens.words[match.start()]) for match in re.finditer("Y", tokens.codes)]
    if "E" in tokens.codes and tokens.codes.count("E") >= 3:
        return "narrative"
    if now is None or len(years) < (4 if len(tokens.words) > 1500 else 8):
        return "news"
    present = civil_date(now.start // DAY)[0]
    near = sum(abs(year - present) <= 1 for year in years)
    # Weekdays, "today" and "yesterday" are the marks of news, whatever years it speaks of.
    daily = tokens.codes.count("W") + tokens.codes.count("K")
    return "narrative" if near < len(years) / 2 and 150 * daily < len(tokens.words) else "news"
