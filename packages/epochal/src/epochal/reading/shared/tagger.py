"""The tagger of a language: tokens, rules in layers, resolution.

The rules of the first layer read words; those of each further layer read what the layers before it made, so that "14
May" and "at three" become one time, and that and another a range. A time that a day and a clock time make leaves as two
expressions, the second with the day of the first, and so does a range of two whole dates; everything else as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from epochal.lazy import lazy_regex
from epochal.reading.expression import Meaning, TimeExpr
from epochal.reading.grammar import Grammar, Rule
from epochal.reading.long_texts import read_in_pieces
from epochal.reading.shared import amounts, atoms, clocks, composites, marked  # noqa: F401 - importing them registers the rules
from epochal.reading.shared.context import detect_direction, is_name
from epochal.reading.shared.language import OTHER, Language
from epochal.reading.shared.match import NO_TIME, Item, Match, NoTime, Piece, get_rule
from epochal.reading.shared.parts import Parsed, Parts, Range, inherit
from epochal.reading.shared.resolve import resolve
from epochal.reading.shared.tokens import Tokeniser, Tokens
from epochal.reading.shared.values import Context, Prefer
from epochal.times.axis import DAY, Grain
from epochal.times.span import Span

__all__ = ["LanguageTagger"]

_BREAK = lazy_regex(r"\n\s*\n")
_STOP = lazy_regex(r"[.!?]\s+[^\W\da-z]|\n")
#: The most characters of a short message or heading, and of a text that is hardly more than the words of a time.
_BRIEF, _PHRASE = 120, 24
#: The most items of a stretch that are read as one; longer ones are lists of numbers.
_MOST_ITEMS = 400


class LanguageTagger:
    """Finds the time expressions of a language.

    >>> from epochal.reading.german import GERMAN
    >>> found = LanguageTagger(GERMAN).tag("Sie kamen am letzten Freitag.", Span.parse("1998-03-05"))
    >>> found[0].text, found[0].value
    ('letzten Freitag', '1998-02-27')
    """

    def __init__(self, language: Language) -> None:
        self.language = language

    @cached_property
    def tokeniser(self) -> Tokeniser:
        """The tokeniser of the language."""
        return Tokeniser(self.language)

    def tag(self, text: str, now: Span | None = None, *, prefer: Prefer | None = None) -> list[TimeExpr]:
        """The expressions of a text, in order."""
        return self._tag(text, now, prefer, None)

    def trace(self, text: str, now: Span | None = None) -> list[tuple[Rule, str]]:
        """The rows of the grammar that matched, in order, each with what it matched."""
        matched: list[tuple[Rule, str]] = []
        self._tag(text, now, None, matched)
        return matched

    def _tag(
        self, text: str, now: Span | None, prefer: Prefer | None, matched: list[tuple[Rule, str]] | None
    ) -> list[TimeExpr]:
        context = Context(
            now,
            prefer,
            brief=len(text) <= _BRIEF,
            is_phrase=len(text) <= _PHRASE,
            skips_tomorrow=self.language.settings.skips_tomorrow,
            afternoon_ends=self.language.settings.afternoon_ends,
        )

        def read(piece: str) -> list[TimeExpr]:
            tokens = self.tokeniser.tokenise(piece)
            context.day = None
            return [
                expression
                for first, last in self._find_runs(tokens)
                for item in self._read_run(tokens, first, last, matched)
                for expression in self._evaluate(item, tokens, context)
            ]

        return read_in_pieces(text, read) if matched is None else read(text)

    def _read_run(
        self, tokens: Tokens, first: int, last: int, matched: list[tuple[Rule, str]] | None
    ) -> Iterator[Item]:
        """The items of a stretch that state something; a very long one is read in parts that cut no item in two."""
        while last - first > _MOST_ITEMS:
            items = [
                item for item in self._read(tokens, first, first + _MOST_ITEMS, matched) if item.parsed is not None
            ]
            # More words may belong to the last item than this part has.
            later = [item.first for item in items if item.first > first + _MOST_ITEMS // 2]
            cut = later[-1] if later else first + _MOST_ITEMS
            yield from (item for item in items if item.last <= cut)
            first = cut
        yield from (item for item in self._read(tokens, first, last, matched) if item.parsed is not None)

    def _find_runs(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        """The stretches of known words that contain one of time, with a word on either side for rules to look at."""
        search, codes = self.language.grammars[0].trigger.search, tokens.codes
        end = 0
        while (trigger := search(codes, end)) is not None:
            start = codes.rfind(OTHER, end, trigger.start()) + 1 or end
            end = codes.find(OTHER, trigger.start())
            end = len(codes) if end < 0 else end
            yield max(0, start - 1), min(len(codes), end + 1)

    def _read(self, tokens: Tokens, first: int, last: int, matched: list[tuple[Rule, str]] | None) -> list[Item]:
        # The unknown words beside the stretch are there for the rules that look at what follows and precedes.
        first -= first > 0 and tokens.codes[first - 1] == OTHER
        last += last < len(tokens.codes) and tokens.codes[last] == OTHER
        items = [
            Item(tokens.codes[at], tokens.words[at], tokens.starts[at], tokens.ends[at], at, at + 1)
            for at in range(first, last)
        ]
        codes = tokens.codes[first:last]
        for number, grammar in enumerate(self.language.grammars):
            codes = self._apply(grammar, items, codes, tokens, matched, repeats=number > 0)
        self._share_months(items)
        return items

    @cached_property
    def _list_signs(self) -> frozenset[str | None]:
        """The codes of what stands between the days of a list."""
        return frozenset(self.language.classes.get(name) for name in ("AND", "OR", ",", "ARTICLE", "am", "op"))

    def _share_months(self, items: list[Item]) -> None:
        """Give the days of a list the month that its last day states, or its first: "on 3, 4 and 5 May"."""
        if sum(item.parsed is not None for item in items) < 2:
            return
        for row in (reversed(items), items):
            self._share_month(row)

    def _share_month(self, items: Iterable[Item]) -> None:
        whole: Parts | None = None
        for item in items:
            parsed = item.parsed
            if isinstance(parsed, Parts):
                if (
                    whole is not None
                    and parsed.day is not None
                    and parsed == Parts(day=parsed.day, weekday=parsed.weekday)
                ):
                    item.parsed = parsed = replace(whole, day=parsed.day, weekday=parsed.weekday)
                whole = parsed if parsed.day is not None and parsed.month is not None and not parsed.has_clock else None
            elif parsed is not None or item.code not in self._list_signs:
                whole = None

    def _apply(
        self,
        grammar: Grammar,
        items: list[Item],
        codes: str,
        tokens: Tokens,
        matched: list[tuple[Rule, str]] | None,
        *,
        repeats: bool,
    ) -> str:
        """Make one item of those that a rule of a layer matches; returns the codes of the items."""
        starts = grammar.starts
        place = 0
        while place < len(codes):
            start = starts[codes[place]]
            match = None if start is None else start.pattern.match(codes, place)
            if start is None or match is None or match.lastindex is None:
                place += 1
                continue
            for rule, pattern in start.rules[match.lastindex - 1 :]:
                found = pattern.match(codes, place)
                if found is None or found.end() == place:
                    continue
                made = self._make(rule, items[place : found.end()], tokens)
                if made is None:
                    continue
                if matched is not None:
                    matched.append((rule, tokens.text[made.start : made.end]))
                items[place : found.end()] = [made]
                codes = codes[:place] + made.code + codes[found.end() :]
                if not repeats or found.end() - place < 2:
                    place += 1
                break
            else:
                place += 1
        return codes

    def _make(self, rule: Rule, items: list[Item], tokens: Tokens) -> Item | None:
        """The item that a rule makes of several; None where it does not hold."""
        start, end = items[0].start, items[-1].end
        if len(items) > 1 and items[-1].word == "." and items[-2].word.isalpha() and len(items[-2].word) > 3:
            end = items[-2].end  # the end of a sentence, not of an abbreviation
        if end - start > 25 and _BREAK.search(tokens.text, start, end):
            return None
        parsed = get_rule(rule.name)(Match(items, tokens, self.tokeniser))
        if parsed is None:
            return None
        first, last = items[0].first, items[-1].last
        if isinstance(parsed, Parts) and is_name(parsed, items, tokens, self.language):
            parsed = NO_TIME
        if isinstance(parsed, NoTime):
            return Item(OTHER, "", start, end, first, last)
        code = self.language.classes[parsed.node]
        pieces = _join_pieces(items, parsed, start, end)
        return Item(code, "", start, end, first, last, parsed, pieces, _find_ends(items, parsed))

    # ------------------------------------------------------------------------------------------------- expressions

    def _evaluate(self, item: Item, tokens: Tokens, context: Context) -> list[TimeExpr]:
        parsed = item.parsed
        if parsed is None:
            return []
        _forget_day(context, tokens, item)
        context.direction = detect_direction(self.language, tokens, item.first, item.last)
        expressions: list[TimeExpr] = []
        if item.ends and isinstance(parsed, Range) and _has_two(parsed, context) and not _is_all(item, tokens.text):
            ends = inherit(parsed.first or Parts(), parsed.last or Parts())
            stated = [piece for piece in item.pieces if piece.kind == "date"]
            for end, piece in [*((_without_clock(parsed), one) for one in stated), *zip(ends, item.ends, strict=True)]:
                if (meaning := resolve(end, context)) is not None:
                    expressions.append(self._make_expression(end, meaning, piece, tokens))
                    _update(context, meaning)
            return sorted(expressions, key=lambda one: one.start_char)
        before = context.last
        for piece in item.pieces or (Piece("whole", item.start, item.end),):
            one = _without_clock(parsed) if piece.kind == "date" else parsed
            if piece.kind == "date" and isinstance(one, Parts) and one.daypart and parsed is not one:
                one = one if self._names_part(item, piece, tokens) else replace(one, daypart=None)
            # "The Monday before, at three": both are counted from what the text said before.
            context.last = before
            meaning = resolve(one, context)
            if meaning is None:
                continue
            expressions.append(self._make_expression(one, meaning, piece, tokens))
            if piece.kind in ("date", "whole", "clock"):
                _update(context, meaning)
                context.end = piece.end
                context.is_dated = isinstance(one, Parts) and one.year is not None
        return expressions

    def _names_part(self, item: Item, piece: Piece, tokens: Tokens) -> bool:
        """Whether the words of a date name a part of the day, rather than those of its clock time."""
        classes = self.language.classes
        parts = {classes[name] for name in ("DAYPART", "MORNING", "MORROW")}
        return any(
            tokens.codes[at] in parts
            or (tokens.codes[at] == classes["TODAY"] and " " in str(self.tokeniser.value(tokens.words[at])))
            for at in range(item.first, item.last)
            if piece.start <= tokens.starts[at] < piece.end
        )

    def _make_expression(self, parsed: Parsed, meaning: Meaning, piece: Piece, tokens: Tokens) -> TimeExpr:
        stated = _stated(parsed)
        is_placed = meaning.span is not None and meaning.kind in ("DATE", "TIME")
        carried = ("year",) if is_placed and "year" not in stated else ()
        return TimeExpr(
            tokens.text[piece.start : piece.end],
            piece.start,
            piece.end,
            meaning.kind,
            meaning.value,
            meaning.span,
            meaning.mod,
            meaning.confidence,
            stated,
            carried,
        )


def _join_pieces(items: list[Item], parsed: Parsed, start: int, end: int) -> tuple[Piece, ...]:
    """The expressions that a time leaves as: a date and its clock time are two, everything else is one."""
    made = [piece for item in items if item.parsed is not None for piece in item.pieces]
    if (
        isinstance(parsed, Range)
        and sum(item.parsed is not None for item in items) == 2
        and {"range", "date"} <= {piece.kind for piece in made}
    ):
        return tuple(made)
    if isinstance(parsed, Range):
        return (Piece("range", start, end),)
    if not isinstance(parsed, Parts) or parsed.hour is None or not (parsed.states_day or parsed.states_period):
        return (Piece(_kind(parsed), start, end),)
    kinds = {piece.kind for piece in made}
    if parsed.offset is not None and parsed.origin is None and "clock" not in kinds:
        return (Piece("whole", start, end),)
    if "clock" not in kinds or not kinds & {"date", "part"}:
        return (Piece("clock", start, end),)
    pieces: list[Piece] = []
    for piece in made:
        kind = "date" if piece.kind == "part" else piece.kind
        if pieces and pieces[-1].kind == kind:
            pieces[-1] = Piece(kind, pieces[-1].start, piece.end)
        else:
            pieces.append(Piece(kind, piece.start, piece.end))
    return tuple(pieces)


def _find_ends(items: list[Item], parsed: Parsed) -> tuple[Piece, ...]:
    """The two ends of a range as expressions of their own."""
    if not isinstance(parsed, Range):
        return ()
    ends = tuple(Piece("date", item.start, item.end) for item in items if isinstance(item.parsed, Parts))
    numbers = [item for item in items if item.parsed is None and item.word[:1].isdigit()]
    if len(ends) == 1 and numbers and parsed.first is not None and parsed.last is not None:
        return Piece("date", numbers[0].start, numbers[0].end), ends[0]
    return ends if len(ends) == 2 else next((item.ends for item in items if item.ends), ())


def _has_two(parsed: Range, context: Context) -> bool:
    """Whether a range is two expressions of TIMEX3: two whole dates are, and in running text two clock times."""
    if parsed.first is None or parsed.last is None:
        return False
    if parsed.first.hour is not None and parsed.last.hour is not None:
        return not context.brief
    return all(
        (end.year is not None or end.span is not None) and end.hour is None for end in (parsed.first, parsed.last)
    )


def _is_all(item: Item, text: str) -> bool:
    """Whether an expression is all of a text but a word or two."""
    return len(text.strip()) <= 4 * (item.end - item.start) / 3


def _kind(parsed: Parsed) -> str:
    if not isinstance(parsed, Parts):
        return "whole"
    if parsed.hour is not None:
        return "clock"
    return "part" if parsed.daypart is not None and not parsed.states_day else "date"


def _without_clock(parsed: Parsed) -> Parsed:
    if isinstance(parsed, Range):
        end = parsed.first or parsed.last
        return parsed if end is None else _without_clock(end)
    if not isinstance(parsed, Parts) or parsed.hour is None:
        return parsed
    return replace(parsed, hour=None, minute=None, second=None, meridiem=None, zone=None)


def _forget_day(context: Context, tokens: Tokens, item: Item) -> None:
    """A day governs the clock times of its sentence, and a day with its year those of the paragraph."""
    if context.day is None:
        return
    between = tokens.text[context.end : item.start]
    if (_STOP if not context.is_dated else _BREAK).search(between):
        context.day = None


def _update(context: Context, meaning: Meaning) -> None:
    """Make a date the reference time of what follows."""
    span = meaning.span
    if span is None or span.is_open or meaning.kind not in ("DATE", "TIME") or meaning.value.endswith("_REF"):
        return
    if span.coarsest_grain > Grain.YEAR:
        return
    context.last = span
    if span.grain <= Grain.DAY and (meaning.kind == "DATE" or meaning.value[:1].isdigit()):
        context.day = span.start // DAY


def _stated(parsed: Parsed) -> tuple[str, ...]:
    if isinstance(parsed, Range):
        ends = [set(_stated(end)) for end in (parsed.first, parsed.last) if end is not None]
        return tuple(sorted(set().union(*ends)))
    if not isinstance(parsed, Parts):
        return ()
    named = {
        "year": parsed.year is not None or parsed.span is not None,
        "season": parsed.season is not None,
        "quarter": parsed.quarter is not None,
        "month": parsed.month is not None,
        "weekday": parsed.weekday is not None,
        "day": parsed.day is not None or parsed.holiday is not None,
        "clock": parsed.hour is not None,
        "part of day": parsed.daypart is not None,
    }
    return tuple(name for name, is_stated in named.items() if is_stated)
