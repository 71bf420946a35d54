"""The English tagger: tokenises a text, matches the grammar where time words occur, and evaluates the matches."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from epochal.lazy import lazy_regex
from epochal.reading.compose import Joints, compose
from epochal.reading.english.context import (
    EnglishContext,
    ListedDay,
    Mode,
    WaitingTime,
    are_tied,
    detect_mode,
    record_named_day,
    resolve_named_day,
    states_day,
    update_context,
)
from epochal.reading.english.direction import is_heading
from epochal.reading.english.lexicon import CLASSES, get_codes
from epochal.reading.english.marks import ALL_MARKS
from epochal.reading.english.match import RuleMatch, get_rule
from epochal.reading.english.patterns import GRAMMAR
from epochal.reading.english.tokens import EnglishTokens, tokenise
from epochal.reading.expression import Meaning, TimeExpr
from epochal.reading.grammar import Rule
from epochal.reading.long_texts import PIECE_CHARS, read_in_pieces
from epochal.reading.timex3 import first_day
from epochal.times.axis import DAY, Certainty
from epochal.times.span import Span

__all__ = ["EnglishTagger"]

_Rules = tuple[tuple[Rule, re.Pattern[str]], ...]
#: What separates runs of tokens that may contain an expression: a word of no class.
_GAP = CLASSES["OTHER"]
_BREAK = lazy_regex(r"\n\s*\n")
#: What needs a direction: weekdays, months, holidays, weekends.
_DIRECTED = frozenset(
    get_codes(
        "WEEKDAY", "SHORT_WEEKDAY", "MONTH_NAME", "HOLIDAY", "UNIT", "SLASH_DATE", "DOT_DATE", "ORDINAL", "QUARTER"
    )
)
_BRIEF = 400
_PREFERENCES = {"past": -1, "future": 1}


class EnglishTagger:
    """Finds English time expressions. `mode` is worked out from the text unless it is given.

    >>> found = EnglishTagger().tag("Sales rose last month.", Span.parse("1998-03-05"))
    >>> found[0].text, found[0].value, found[0].span.edtf()
    ('last month', '1998-02', '1998-02')
    """

    def __init__(self, mode: Mode | None = None) -> None:
        self.mode = mode

    def tag(self, text: str, now: Span | None = None, *, prefer: str | None = None) -> list[TimeExpr]:
        """The expressions of a text, in order; `prefer` (past, future or nearest) says where days without a year lie.

        >>> [item.value for item in EnglishTagger().tag("From 490 BC to the 1990s")]
        ['BC0490', '199']
        """
        return self.tag_marked(text, now, prefer=prefer)[0]

    def tag_marked(
        self, text: str, now: Span | None = None, *, prefer: str | None = None
    ) -> tuple[list[TimeExpr], str]:
        """The expressions of a text, and the marks of those that other readers may find (`marks`)."""
        return self._tag(text, now, None, prefer)

    def trace(self, text: str, now: Span | None = None) -> list[tuple[Rule, str]]:
        """The rows of the grammar that matched, in order, each with what it matched. Rules of no time are among them.

        >>> [(rule.name, words) for rule, words in EnglishTagger().trace("In early May 1998, a 5-year-old boy")]
        [('month_of_year', 'early May 1998'), ('age', 'a 5-year-old')]
        """
        matched: list[tuple[Rule, str]] = []
        self._tag(text, now, matched)
        return matched

    def _tag(
        self, text: str, now: Span | None, matched: list[tuple[Rule, str]] | None, prefer: str | None = None
    ) -> tuple[list[TimeExpr], str]:
        if len(text) <= PIECE_CHARS:
            tokens = tokenise(text)
            marks = tokens.marks
            if GRAMMAR.trigger.search(tokens.codes) is None:
                return [], marks  # as in most texts
            context = self._make_context(tokens, now, matched, prefer, brief=len(text) <= _BRIEF)
            expressions = self._read_piece(tokens, context)
        else:
            marks = ALL_MARKS
            expressions = self._read_long(text, now, matched, prefer)
        return (compose(text, expressions, _JOINTS) if len(expressions) > 1 else expressions), marks

    def _read_long(
        self, text: str, now: Span | None, matched: list[tuple[Rule, str]] | None, prefer: str | None
    ) -> list[TimeExpr]:
        context: EnglishContext | None = None

        def read(piece: str) -> list[TimeExpr]:
            nonlocal context
            tokens = tokenise(piece)
            if context is None:
                context = self._make_context(tokens, now, matched, prefer, brief=False)
            # Their tokens were those of the piece before.
            context.listed = context.named = context.waiting = context.day_list = None
            return self._read_piece(tokens, context)

        return read_in_pieces(text, read) if matched is None else read(text)

    def _make_context(
        self,
        tokens: EnglishTokens,
        now: Span | None,
        matched: list[tuple[Rule, str]] | None,
        prefer: str | None,
        *,
        brief: bool,
    ) -> EnglishContext:
        context = EnglishContext(now, self.mode or detect_mode(tokens, now), brief=brief, matched=matched)
        context.prefer = _PREFERENCES.get(prefer or "", 0)
        context.is_nearest = prefer == "nearest"
        return context

    def _read_piece(self, tokens: EnglishTokens, context: EnglishContext) -> list[TimeExpr]:
        search = GRAMMAR.trigger.search
        has_colon = ":" in tokens.text
        expressions: list[TimeExpr] = []
        end = 0
        while (trigger := search(tokens.codes, end)) is not None:
            start = tokens.codes.rfind(_GAP, end, trigger.start()) + 1 or end
            end = tokens.codes.find(_GAP, trigger.start())
            end = len(tokens.codes) if end < 0 else end
            split = _heading(tokens, start, end) if has_colon else None
            if split is None:
                _read_run(tokens, start, start, end, context, expressions)
            else:
                _read_run(tokens, start, start, split, context, expressions)
                _read_run(tokens, start, split, end, context, expressions)
        return expressions


def _read_run(
    tokens: EnglishTokens, start: int, place: int, end: int, context: EnglishContext, expressions: list[TimeExpr]
) -> None:
    """Read the tokens `[place, end)` of a run that begins at `start`, behind a word of no class."""
    codes = tokens.codes
    if codes[max(0, start - 2) : start] == _ASIDE:
        start -= 2
    while place < end:
        # The same few words come again and again: what matches there depends on their codes alone.
        low = max(start, place - _LOOK_BEHIND)
        key = (place - low, codes[low:end])
        found = _FIRST_MATCHES.get(key)
        if found is None:
            found = _find_first_match(*key)
            if end - low <= _SHORT_RUN:  # longer ones hardly come again
                if len(_FIRST_MATCHES) >= _MOST_MATCHES:
                    _FIRST_MATCHES.clear()
                _FIRST_MATCHES[key] = found
        first, last, rules = found
        if not rules:
            return
        place = _match_rules(tokens, low + first, low + last, end, rules, context, expressions)


#: No pattern looks further back than so many tokens.
_LOOK_BEHIND = 6
#: What is before a run is nothing to any pattern but this, as in "(r. 1558–1603".
_ASIDE = CLASSES["("] + _GAP
_MOST_MATCHES, _SHORT_RUN = 30_000, 100
_FIRST_MATCHES: dict[tuple[int, str], tuple[int, int, _Rules]] = {}


def _find_first_match(place: int, codes: str) -> tuple[int, int, _Rules]:
    """Where a rule first matches at or after a place: its first token, the one behind it, and the rules to try."""
    starts = GRAMMAR.starts
    while place < len(codes):
        start = starts[codes[place]]
        match = None if start is None else start.pattern.match(codes, place)
        if start is not None and match is not None and match.lastindex is not None:
            return place, match.end(), start.rules[match.lastindex - 1 :]
        place += 1
    return place, place, ()


#: What joins two expressions of an English text into one time, or into a range.
_JOINTS = Joints(
    before=lazy_regex(r"\s+(?:before|prior\s+to|preceding)\s+(?:the\s+(?:date\s+(?:of\s+)?)?)?", re.IGNORECASE),
    after=lazy_regex(r"\s+(?:after|following)\s+(?:the\s+(?:date\s+(?:of\s+)?)?)?", re.IGNORECASE),
    onward=lazy_regex(r"\s+from\s+", re.IGNORECASE),
    reaching=lazy_regex(r"\s*(?:[-–—]|,?\s(?:to|until|till|through|thru|and)\s)\s*(?:the\s+)?", re.IGNORECASE),
    at=lazy_regex(r",?\s+(?:(?:at|@|from|around|by|until)\s+(?:about\s+)?)?", re.IGNORECASE),
    within=frozenset("within in inside during over for the first next last than to".split()),
)


def _heading(tokens: EnglishTokens, start: int, end: int) -> int | None:
    """Where a day starts that heads what follows: "rain after 3 p.m. Tuesday: sunny" has two sentences."""
    if end == len(tokens.codes) or tokens.words[end] != ":":
        return None
    match = GRAMMAR.compile(_HEADING).search(tokens.codes, start, end)
    if match is None or not tokens.words[match.start() - 1].endswith("."):
        return None
    return match.start()


#: After "a.m." or "p.m.": a weekday, a date, "tonight", and no more.
_HEADING = '<AM_PM ((WEEKDAY ","?)? MONTH DAY (","? YEAR)? | (WEEKDAY | SHORT_WEEKDAY | TODAY) ","? DAYPART?) !ANY'


def _match_rules(
    tokens: EnglishTokens,
    place: int,
    behind: int,
    end: int,
    rules: _Rules,
    context: EnglishContext,
    expressions: list[TimeExpr],
) -> int:
    """Evaluate the first rule that gives a time where the first of them matched; the token to continue from."""
    for rule, pattern in rules:
        last = behind
        if rule is not rules[0][0]:
            match = pattern.match(tokens.codes, place, end)
            if match is None:
                continue
            last = match.end()
        name = rule.name
        if name == "clock":
            last = _stop_before_weekdays(tokens, place, last)
        expression = None if name == "age" else _evaluate(name, tokens, place, last, context)
        if expression is None and name != "age":
            continue
        if context.matched is not None:
            context.matched.append((rule, tokens.text[tokens.start(place) : tokens.end(last - 1)]))
        if expression is not None:
            _record(name, expression, tokens, place, last, context, expressions)
            expressions.append(expression)
        return last
    return place + 1


def _stop_before_weekdays(tokens: EnglishTokens, first: int, last: int) -> int:
    """The end of a clock time without "on Fridays", which is a time of its own and no one day."""
    day = last - 1
    while day > first and tokens.is_class(day, ".", ","):
        day -= 1
    if day == first or not tokens.is_class(day, "WEEKDAY") or not tokens.words[day].endswith("days"):
        return last
    return day - tokens.is_class(day - 1, "IN", ",")


def _record(
    name: str,
    expression: TimeExpr,
    tokens: EnglishTokens,
    first: int,
    last: int,
    context: EnglishContext,
    expressions: list[TimeExpr],
) -> None:
    """Let the context, and a time of day before it, know of an expression."""
    codes = tokens.codes[first:last]
    waiting = None
    if expression.kind == "TIME" and name != "weekday_hours" and not states_day(codes):
        waiting = WaitingTime(name, first, last, resolve_named_day(context, tokens, first, near=True) is None)
    update_context(expression, context, tokens, first)
    if not _WEEKDAYS.isdisjoint(codes):
        match = _DAY_VALUE.match(expression.value)
        day = None if match is None else first_day(int(match[1]), int(match[2]), int(match[3]))
        context.listed = None if day is None else ListedDay(day, last, is_heading(tokens, first, last))
    if name in ("month_day", "full_date", "days_after_month"):
        match = _DAY_VALUE.match(expression.value)
        context.day_list = match and (last, int(match[1]), int(match[2]))
    record_named_day(expression, context, tokens, first, last)
    if context.waiting is not None and expression.kind == "DATE":
        _resolve_waiting_time(tokens, expression, context, expressions)
    context.waiting = waiting


_DAY_VALUE = lazy_regex(r"(\d{4})-(\d\d)-(\d\d)")


def _resolve_waiting_time(
    tokens: EnglishTokens, day: TimeExpr, context: EnglishContext, expressions: list[TimeExpr]
) -> None:
    """Evaluate the time of day before a day again, if it belongs to that day: "at 9 a.m. on 12 May 1998"."""
    waiting, named = context.waiting, context.named
    if waiting is None or named is None or named.behind <= waiting.last:
        return
    if are_tied(tokens.text, expressions[-1], day, loosely=waiting.is_free):
        context.named = replace(named, behind=waiting.first)  # as if the day stood before the time
        expressions[-1] = _evaluate(waiting.rule, tokens, waiting.first, waiting.last, context) or expressions[-1]
        context.named = named


def _evaluate(name: str, tokens: EnglishTokens, first: int, last: int, context: EnglishContext) -> TimeExpr | None:
    first, last = _trim(name, tokens, first, last)
    start, end = tokens.start(first), tokens.end(last - 1)
    if end - start > 25 and _BREAK.search(tokens.text, start, end):
        return None
    stop = tokens.codes.find(_STOP, first, last - 1)
    if stop > first and tokens.words[stop - 1] not in _ABBREVIATED:
        return None  # a sentence ends there
    if not _DIRECTED.isdisjoint(tokens.codes[first:last]):
        _direct(tokens, first, last, context)
    meaning = get_rule(name)(RuleMatch(tokens, first, last), context)
    if meaning is None:
        return None
    if first and tokens.words[first - 1] in ("about", "around") and not meaning.mod:
        meaning = replace(meaning, mod="APPROX", span=_make_approximate(meaning.span))
    return _make_expression(tokens, first, last, meaning)


def _direct(tokens: EnglishTokens, first: int, last: int, context: EnglishContext) -> None:
    """Let the context know which way the expression at the tokens `[first, last)` lies."""
    codes = tokens.codes[first:last]
    context.direct(tokens, first, last, leans=not _LEANING.isdisjoint(codes))
    context.floor = None
    listed, home = context.listed, context.home
    if listed is None or home is None or _WEEKDAYS.isdisjoint(codes):
        return
    if listed.is_heading and is_heading(tokens, first, last):
        context.floor = listed.day
    elif GRAMMAR.compile(_REACHING).fullmatch(tokens.codes, listed.behind, first) or (
        listed.day * DAY >= home.start and GRAMMAR.compile(_LISTING).fullmatch(tokens.codes, listed.behind, first)
    ):
        # "Thursday afternoon into Thursday evening" are parts of one day.
        context.floor = listed.day + (_DAYPART not in codes)


#: What joins two days so that the last is the first one after the other, and what does if they lie ahead.
_REACHING = '(TO | "-") (EARLY "-"?)?'
_LISTING = '","? (AND | ",") IN? "the"? (EARLY "-"?)?'
#: What lies where the whole text looks, if nothing near it says more.
_LEANING = frozenset(
    get_codes("WEEKDAY", "SHORT_WEEKDAY", "MONTH_NAME", "HOLIDAY", "SLASH_DATE", "DOT_DATE", "ORDINAL")
)
_WEEKDAYS = frozenset(get_codes("WEEKDAY", "SHORT_WEEKDAY"))


def _make_approximate(span: Span | None) -> Span | None:
    return span and span.with_certainty(span.certainty | Certainty.APPROXIMATE)


def _trim(name: str, tokens: EnglishTokens, first: int, last: int) -> tuple[int, int]:
    """The tokens of an expression without those that its pattern only tolerates."""
    codes, words = tokens.codes, tokens.words
    while last > first + 1 and codes[last - 1] in _JOINING:
        last -= 1
    if codes[last - 1] == _STOP and (words[last - 2] not in _ABBREVIATED or codes[last : last + 1] == _STOP):
        last -= 1  # the end of a sentence, not of an abbreviation
    if codes[first] not in _LEADING:
        return first, last
    if name == "unit_alone" and codes[first:last] == get_codes("the", "UNIT") and words[first + 1].endswith("s"):
        first += 1  # "in the weeks before": the article belongs to what follows
    if name == "duration" and codes[first] == _THE and codes[first + 1] in _COUNTING and words[last - 1][-1] != "s":
        first += 1  # the two day rally
    if name in ("duration", "unit_ago", "unit_later") and codes[first : first + 2] == get_codes("A", "NUMBER_WORD"):
        first += words[first + 1] not in _SCALES  # a hundred years, but a two year term
    if codes[first : first + 3] == _A_FEW or (codes[first:last] == _A_DAYPART and tokens.is_class(last, "-")):
        first += 1  # a several-year tenure, a night-time raid
    if name == "reference" and codes[first] == _THE and words[last - 1] != "future":
        first += 1  # the now isolated garrison
    if name in ("season", "shifted_unit") and codes[first:last] in _ARTICLED and _is_noun(tokens, last):
        first += 1  # the spring offensive
    if name == "past_units" and words[first] == "that":
        first += 1
    if name in ("century", "unit_ordinal") and codes[first] == _THE and _HYPHEN in codes[first:last]:
        first += 1  # the third-quarter loss
    if codes[first : first + 2] in _TWO_SHIFTS and words[first] in ("that", "following"):
        first += 1  # "he said that last week", "the days following last month's"
    return first, last


#: What may belong to something else than the expression that it leads.
_LEADING = frozenset(get_codes("the", "A", "THIS", "NEXT"))
_SCALES = {"hundred", "thousand", "million", "dozen"}
_THE = CLASSES["the"]
_STOP = CLASSES["."]
_HYPHEN = CLASSES["-"]
_JOINING = get_codes(",", "-", "AND", "of", "IN", "TO")
_COUNTING = get_codes("SMALL_NUMBER", "NUMBER_WORD", "NINETEEN")
_A_FEW = get_codes("A", "FEW", "-")
_A_DAYPART = get_codes("A", "DAYPART")
_ARTICLED = {get_codes("the", "SEASON"), get_codes("A", "SEASON"), get_codes("the", "fall")}
_TWO_SHIFTS = {get_codes("THIS", "LAST"), get_codes("THIS", "NEXT"), get_codes("NEXT", "LAST")}
#: Short words that go on with the sentence; a longer one after "the spring" is taken for the noun that it describes.
_NO_NOUNS = {"alone", "also", "been", "came", "from", "have", "here", "into", "itself", "looks", "saw", "that", "their"}
_NO_NOUNS |= {"then", "there", "they", "were", "when", "where", "which", "while", "will", "with", "would"}


def _is_noun(tokens: EnglishTokens, place: int) -> bool:
    """Whether the next word may be a noun that the expression describes."""
    if not tokens.is_class(place, "OTHER") or tokens.text[tokens.end(place - 1) : tokens.start(place)] != " ":
        return False
    word = tokens.words[place]
    return len(word) > 3 and word.isalpha() and word not in _NO_NOUNS and not word.endswith("ed")


def _make_expression(tokens: EnglishTokens, first: int, last: int, meaning: Meaning) -> TimeExpr:
    start, end = tokens.start(first), tokens.end(last - 1)
    codes = tokens.codes[first:last]
    stated = _find_stated(codes, meaning.kind == "TIME")
    # What a date needs and the words do not give was taken from the reference time.
    is_placed = meaning.span is not None and meaning.kind in ("DATE", "TIME")
    carried = ("year",) if is_placed and "year" not in stated else ()
    text = tokens.text[start:end]
    return TimeExpr(
        text, start, end, meaning.kind, meaning.value, meaning.span, meaning.mod, meaning.confidence, stated, carried
    )


@lru_cache(maxsize=10_000)
def _find_stated(codes: str, is_time: bool) -> tuple[str, ...]:
    """The parts of a time that words of these classes state."""
    stated = tuple(part for part, stating in _PARTS if not stating.isdisjoint(codes))
    if "day" not in stated and _MONTH in codes and not _DAY.isdisjoint(codes):
        stated += ("day",)
    if is_time and "day" not in stated and _is_of_near_day(codes):
        stated += ("day",)
    return stated


def _is_of_near_day(codes: str) -> bool:
    """Whether a time is of a day counted from today: "4 p.m. tomorrow", "9:30 last night"."""
    return _TODAY in codes or (_DAYPART in codes and not _NEAR.isdisjoint(codes))


_TODAY = CLASSES["TODAY"]
_DAYPART = CLASSES["DAYPART"]
_NEAR = frozenset(get_codes("THIS", "LAST"))
_PARTS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (part, frozenset(get_codes(*names)))
    for part, names in (
        ("year", ("YEAR", "NUMERIC_DATE", "DECADE", "ERA", "NINETEEN", "REIGN")),
        ("season", ("SEASON", "fall")),
        ("quarter", ("QUARTER",)),
        ("month", ("MONTH_NAME", "NUMERIC_DATE")),
        ("weekday", ("WEEKDAY", "SHORT_WEEKDAY")),
        ("day", ("NUMERIC_DATE", "HOLIDAY", "NAMED_DAY")),
        ("clock", ("CLOCK", "AM_PM")),
        ("part of day", ("DAYPART",)),
    )
)
_MONTH = CLASSES["MONTH_NAME"]
_DAY = frozenset(get_codes("SMALL_NUMBER", "ORDINAL"))


_ABBREVIATED = {"apr", "aug", "dec", "feb", "fri", "jan", "jul", "jun", "mar", "mon", "nov", "oct", "sat"}
_ABBREVIATED |= {"c", "ca", "sep", "sept", "sun", "thu", "thur", "thurs", "tue", "tues", "wed"}
