"""The notation in which the time expressions of a language are written, and its compiler.

A text becomes a row of tokens, and every token belongs to one class: a month, a number, the word "of". A rule of a
language is a pattern over classes, such as

    MONTH DAY ","? YEAR
    IN "the" ORDINAL HALF "of" DECADE

    NAME         one token of the class NAME; or the macro NAME, which means its own pattern, in parentheses
    "of"         one token of the class "of": a class that is named by its word, and so written in quotes
    ANY          any one token
    X Y          X and then Y
    X | Y        X, or else Y; the first that leads to a match is taken
    ( X )        X as one item
    X? X* X+     X or nothing; X any number of times; X at least once
    X{2} X{0,6}  X twice; X at most six times
    ~X           one token that is not X, where X is a class or a choice of classes
    &X  !X       here follows X; here does not follow X. Neither takes a token
    <X  <!X      X precedes this position; X does not precede it. All that X can be has the same number of tokens

Repetition takes as much as it can. `?`, `*`, `+` and `{}` bind to the item before them, `~`, `&`, `!`, `<` and `<!` to
the item behind them, and `|` binds least.

What runs is fast: every class has a code of one character, a text is the string of its codes, and a pattern becomes a
regular expression over codes. All rules that can start with a code are one regular expression, made when a text first
has that code at a place where an expression may start. Nothing is parsed before the first text is read.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from epochal.errors import EpochalError
from epochal.lazy import lazy_regex
from epochal.regex import compile_regex
from epochal.tables import derive, read_sources

__all__ = ["Grammar", "GrammarError", "Rule", "RuleRow", "Start", "code_words", "join_classes", "row"]


class GrammarError(EpochalError):
    """A rule, a macro or a lexicon is not written as it must be. Names the rule, the character and what is accepted."""


class Rule(NamedTuple):
    """A row of a language's table: the function that computes the value, the pattern, and an example that is tested.

    `example` is a text in which brackets mark what the rule matches, and `value` the TIMEX3 value that is read there,
    or None if the rule says that the words are no time. One function may have several rows.
    """

    name: str
    pattern: str
    example: str
    value: str | None


class Start(NamedTuple):
    """The rules that can start with a code, in order, and one pattern of them all: its group 1 is the first rule's."""

    pattern: re.Pattern[str]
    rules: tuple[tuple[Rule, re.Pattern[str]], ...]


class Grammar:
    """The rules of a language, compiled when they are first needed.

    `classes` gives each class its code; `macros` are patterns with a name, each of which may use those before it;
    `rules` are tried in order; `trigger` matches what makes a run of tokens worth looking at. `words`, the lexicon,
    is only looked into for the message where a rule names a word that has no class of its own. With `keep_as`, what the
    rules are as regular expressions is kept as a derived table of that name.
    """

    def __init__(
        self,
        classes: Mapping[str, str],
        macros: Mapping[str, str],
        rules: Sequence[Rule],
        trigger: str = "ANY",
        words: Mapping[str, Iterable[str]] | None = None,
        keep_as: str = "",
    ) -> None:
        self.table = tuple(rules)
        self._keep_as = keep_as
        self._sources = (classes, macros, trigger, words or {})
        self._compiled: dict[str, re.Pattern[str]] = {}

    @cached_property
    def _symbols(self) -> _Symbols:
        classes, macros, _, words = self._sources
        symbols = _Symbols(classes, words)
        for name, pattern in macros.items():
            symbols.add_macro(name, pattern)
        return symbols

    @cached_property
    def _written(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """The regular expression of each rule over codes, and the codes that it can start with."""
        if not self._keep_as:
            return tuple((regex, frozenset(first)) for regex, first in self._write())
        classes, macros, trigger, _ = self._sources
        patterns = [[rule.name, rule.pattern] for rule in self.table]
        inputs = json.dumps([dict(classes), dict(macros), trigger, patterns]).encode()
        rows = derive(self._keep_as, [inputs, *read_sources([Path(__file__)])], self._write)
        return tuple((regex, frozenset(first)) for regex, first in rows)

    def _write(self) -> list[list[str]]:
        """A row for each rule, and one for the trigger."""
        rows = []
        for rule in self.table:
            tree = _parse(rule.pattern, f"rule {rule.name!r}", self._symbols)
            first, may_be_empty = tree.first()
            if may_be_empty:
                raise GrammarError(f"rule {rule.name!r} can match no token at all; at least one item must be there")
            rows.append([tree.regex(), "".join(sorted(first))])
        trigger = _parse(self._sources[2], "the trigger", self._symbols)
        first, may_be_empty = trigger.first()
        if may_be_empty:
            raise GrammarError("the trigger can match no token at all; at least one item must be there")
        # One set of first codes is searched for much faster than many ways to begin; the look back tries them there.
        codes = _Codes("".join(sorted(first)), first).regex()
        rows.append([f"{codes}(?<=(?={trigger.regex()}){codes})", ""])
        return rows

    @cached_property
    def rules(self) -> tuple[tuple[Rule, re.Pattern[str]], ...]:
        """All rules in order, each with its regular expression over codes."""
        return tuple((rule, lazy_regex(regex)) for rule, (regex, _) in zip(self.table, self._written, strict=False))

    @cached_property
    def trigger(self) -> re.Pattern[str]:
        """Where a run of tokens is worth looking at: it takes the first code of what makes it so."""
        return compile_regex(self._written[-1][0])

    @cached_property
    def starts(self) -> Mapping[str, Start | None]:
        """For each code, the rules that can start with it; None where there is none. Filled as codes are looked up."""
        return _Starts(self)

    def compile(self, pattern: str, where: str = "the pattern") -> re.Pattern[str]:
        """A pattern in the notation as a regular expression over codes; `where` names it in messages."""
        compiled = self._compiled.get(pattern)
        if compiled is None:
            compiled = self._compiled[pattern] = compile_regex(_parse(pattern, where, self._symbols).regex())
        return compiled

    def first_codes(self, number: int) -> frozenset[str]:
        """The codes with which a match of the rule in that row of the table can start."""
        return self._written[number][1]

    def start(self, code: str) -> Start | None:
        """The rules that can start with a code."""
        rows = [number for number, (_, first) in enumerate(self._written) if code in first]
        if not rows:
            return None
        together = "|".join(f"({self._written[number][0]})" for number in rows)
        return Start(compile_regex(together), tuple(self.rules[number] for number in rows))


class _Starts(dict[str, "Start | None"]):
    def __init__(self, grammar: Grammar) -> None:
        super().__init__()
        self._grammar = grammar

    def __missing__(self, code: str) -> Start | None:
        start = self[code] = self._grammar.start(code)
        return start


def code_words(classes: Mapping[str, str], words: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Code of each word of a lexicon, which lists the words of each class: as one text, or as any table of words."""
    classes_of: dict[str, str] = {}
    for name, listed in words.items():
        if name not in classes:
            raise GrammarError(f"the lexicon lists words of {name}, which is no class; {_nearest(name, classes)}")
        for word in listed.split() if isinstance(listed, str) else listed:
            if word in classes_of:
                raise GrammarError(
                    f"the word {word!r} is in two classes, {classes_of[word]} and {name}; it can be in one"
                )
            classes_of[word] = name
    return {word: classes[name] for word, name in classes_of.items()}


def join_classes(names: Iterable[str]) -> str:
    """The pattern of one token of any of the classes."""
    return " | ".join(name if _NAME.fullmatch(name) else f'"{name}"' for name in names)


# ------------------------------------------------------------------------------------------------- the syntax tree


class _Node(ABC):
    """A part of a pattern."""

    #: Whether the regular expression is one item, to which `?` can be added as it is.
    is_item = False

    @abstractmethod
    def regex(self) -> str:
        """The regular expression over codes."""

    @abstractmethod
    def first(self) -> tuple[frozenset[str], bool]:
        """The codes with which a match can start, and whether it can be empty."""

    @abstractmethod
    def widths(self) -> tuple[int, int | None]:
        """How many tokens a match takes, at least and at most; None for no limit."""

    def item(self) -> str:
        return self.regex() if self.is_item else f"(?:{self.regex()})"


@dataclass(frozen=True, slots=True)
class _Codes(_Node):
    """One token: of one of the codes or, if negated, of any other."""

    codes: str
    alphabet: frozenset[str]
    is_negated: bool = False
    is_item = True

    def regex(self) -> str:
        inside = "".join(map(re.escape, self.codes))
        if self.is_negated:
            return f"[^{inside}]" if inside else "."
        return inside if len(self.codes) == 1 else f"[{inside}]"

    def first(self) -> tuple[frozenset[str], bool]:
        return (self.alphabet - set(self.codes) if self.is_negated else frozenset(self.codes)), False

    def widths(self) -> tuple[int, int | None]:
        return 1, 1


@dataclass(frozen=True, slots=True)
class _Sequence(_Node):
    parts: tuple[_Node, ...]

    def regex(self) -> str:
        return "".join(f"(?:{part.regex()})" if isinstance(part, _Choice) else part.regex() for part in self.parts)

    def first(self) -> tuple[frozenset[str], bool]:
        codes: frozenset[str] = frozenset()
        for part in self.parts:
            more, may_be_empty = part.first()
            codes |= more
            if not may_be_empty:
                return codes, False
        return codes, True

    def widths(self) -> tuple[int, int | None]:
        lows, highs = zip(*(part.widths() for part in self.parts), strict=True)
        return sum(lows), None if None in highs else sum(highs)


@dataclass(frozen=True, slots=True)
class _Choice(_Node):
    options: tuple[_Node, ...]

    def regex(self) -> str:
        return "|".join(option.regex() for option in self.options)

    def first(self) -> tuple[frozenset[str], bool]:
        firsts = [option.first() for option in self.options]
        return frozenset().union(*(codes for codes, _ in firsts)), any(may_be_empty for _, may_be_empty in firsts)

    def widths(self) -> tuple[int, int | None]:
        widths = [option.widths() for option in self.options]
        highs = [high for _, high in widths]
        return min(low for low, _ in widths), None if None in highs else max(high for high in highs if high is not None)


@dataclass(frozen=True, slots=True)
class _Repeat(_Node):
    part: _Node
    low: int
    high: int | None

    def regex(self) -> str:
        written = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((self.low, self.high))
        if written is None:
            written = f"{{{self.low}}}" if self.low == self.high else f"{{{self.low},{self.high}}}"
        return self.part.item() + written

    def first(self) -> tuple[frozenset[str], bool]:
        codes, may_be_empty = self.part.first()
        return codes, may_be_empty or not self.low

    def widths(self) -> tuple[int, int | None]:
        low, high = self.part.widths()
        return low * self.low, None if high is None or self.high is None else high * self.high


@dataclass(frozen=True, slots=True)
class _Look(_Node):
    """What precedes or follows a position, or does not: `opening` is that of the regular expression."""

    part: _Node
    opening: str
    is_item = True

    def regex(self) -> str:
        return f"(?{self.opening}{self.part.regex()})"

    def first(self) -> tuple[frozenset[str], bool]:
        return frozenset(), True

    def widths(self) -> tuple[int, int | None]:
        return 0, 0


# ------------------------------------------------------------------------------------------------------ the parser

_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_LEXEME = re.compile(r'(?P<name>[A-Z][A-Z0-9_]*)|"(?P<word>[^"\s]+)"|(?P<mark><!|\{\d+(?:,\d+)?\}|[<&!~()|?*+])')
_LOOKS = {"&": "=", "!": "!", "<": "<=", "<!": "<!"}
_REPEATS: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}


def _nearest(name: str, known: Iterable[str]) -> str:
    import difflib

    listed = sorted(known)
    return f"nearest: {', '.join(difflib.get_close_matches(name, listed, 3, 0.4) or listed[:3])}"


class _Symbols:
    """What the names and quoted words of patterns mean."""

    def __init__(self, classes: Mapping[str, str], words: Mapping[str, Iterable[str]]) -> None:
        self.alphabet = frozenset(classes.values())
        self._words = words
        self._nodes: dict[str, _Node] = {"ANY": _Codes("", self.alphabet, is_negated=True)}
        names: dict[str, str] = {}
        for name, code in classes.items():
            if len(code) != 1 or code == "\n" or code in names or name in self._nodes:
                wrong = f"has the code {code!r}" + (f" of {names[code]}" if code in names else "")
                raise GrammarError(f"the class {name} {wrong}; a class has a name and a character of its own")
            names[code] = name
            self._nodes[name] = _Codes(code, self.alphabet)

    def add_macro(self, name: str, pattern: str) -> None:
        if name in self._nodes or not _NAME.fullmatch(name):
            raise GrammarError(
                f"the macro {name!r} needs another name: capitals, digits and _, of no class or macro yet"
            )
        self._nodes[name] = _parse(pattern, f"macro {name}", self)

    def named(self, name: str, *, is_word: bool) -> _Node:
        """The class or macro of a name; raises a message without its place if there is none."""
        node = self._nodes.get(name)
        if node is not None and is_word == (_NAME.fullmatch(name) is None):
            return node
        if not is_word:
            names = [known for known in self._nodes if _NAME.fullmatch(known)]
            raise GrammarError(f"no class or macro is called {name}; {_nearest(name, names)}")
        for holder, listed in self._words.items():
            words = listed.split() if isinstance(listed, str) else list(listed)
            if name in words:
                others = f"{', '.join(words[:4])}{', ...' if len(words) > 4 else ''}"
                raise GrammarError(
                    f'"{name}" has no class of its own but is one of {holder} ({others}); write {holder}'
                )
        raise GrammarError(f'"{name}" is no class; give the word a class of its own in the lexicon')


class _Parser:
    def __init__(self, pattern: str, where: str, symbols: _Symbols) -> None:
        self._pattern = pattern
        self._where = where
        self._symbols = symbols
        self._place = 0
        self._next()

    def _next(self) -> None:
        """Go on to the next lexeme: a name, a word, a mark, or the end, where `_mark` is empty."""
        while self._pattern[self._place : self._place + 1].isspace():
            self._place += 1
        self._start = self._place
        self._name, self._word, self._mark = None, None, ""
        if self._place < len(self._pattern):
            match = _LEXEME.match(self._pattern, self._place)
            if match is None:
                raise self._error(f"{self._pattern[self._place]!r} is not part of the notation; accepted: {_ACCEPTED}")
            self._place = match.end()
            self._name, self._word, self._mark = match["name"], match["word"], match["mark"] or ""

    def _error(self, problem: str) -> GrammarError:
        return GrammarError(f"{self._where}, character {self._start + 1}: {problem}")

    def _expected_item(self) -> GrammarError:
        return self._error(
            f"expected a class, a quoted word or '(', found {repr(self._mark) if self._mark else 'the end'}"
        )

    def parse(self) -> _Node:
        node = self._choice()
        if self._mark:
            raise self._error(f"{self._mark!r} closes no parenthesis; expected the end or another item")
        return node

    def _choice(self) -> _Node:
        options = [self._sequence()]
        while self._mark == "|":
            self._next()
            node, before = self._sequence(), options[-1]
            # Classes side by side become one set of codes.
            if all(isinstance(one, _Codes) and not one.is_negated for one in (before, node)):
                codes = dict.fromkeys(before.codes + node.codes)  # type: ignore[attr-defined]
                options[-1] = _Codes("".join(codes), self._symbols.alphabet)
            else:
                options.append(node)
        return options[0] if len(options) == 1 else _Choice(tuple(options))

    def _sequence(self) -> _Node:
        parts: list[_Node] = []
        while self._name or self._word or self._mark not in ("", "|", ")"):
            parts.append(self._repeated())
        if not parts:
            raise self._expected_item()
        return parts[0] if len(parts) == 1 else _Sequence(tuple(parts))

    def _repeated(self) -> _Node:
        node = self._item()
        if not self._is_repeat():
            return node
        if isinstance(node, _Look):
            raise self._error(f"{self._mark!r} cannot repeat what takes no token")
        low, high = self._counts()
        if high is None and node.first()[1]:
            raise self._error(f"{self._mark!r} repeats without end what may be empty; at least one item must be there")
        self._next()
        if self._is_repeat():
            raise self._error(f"{self._mark!r} repeats what is repeated already; put that in parentheses")
        return _Repeat(node, low, high)

    def _is_repeat(self) -> bool:
        return self._mark in _REPEATS or self._mark.startswith("{")

    def _counts(self) -> tuple[int, int | None]:
        if self._mark in _REPEATS:
            return _REPEATS[self._mark]
        low, _, high = self._mark[1:-1].partition(",")
        if int(high or low) < max(1, int(low)):
            raise self._error(f"{self._mark} repeats nothing; accepted: {{2}} or {{0,6}}, the smaller number first")
        return int(low), int(high or low)

    def _item(self) -> _Node:
        mark, start = self._mark, self._start
        if self._name or self._word:
            try:
                node = self._symbols.named(self._name or self._word or "", is_word=self._name is None)
            except GrammarError as error:
                raise self._error(str(error)) from None
            self._next()
            return node
        if mark == "(":
            self._next()
            node = self._choice()
            if self._mark != ")":
                raise GrammarError(f"{self._where}, character {start + 1}: '(' is not closed; expected ')' further on")
            self._next()
            return node
        if mark == "~" or mark in _LOOKS:
            self._next()
            node = self._item()
            try:
                return self._other_than(node) if mark == "~" else self._look(node, mark)
            except GrammarError as error:
                raise GrammarError(f"{self._where}, character {start + 1}: {error}") from None
        raise self._expected_item()

    def _other_than(self, node: _Node) -> _Node:
        if not isinstance(node, _Codes) or node.is_negated:
            raise GrammarError("'~' must stand before a class or a choice of classes, such as ~(MONTH | YEAR)")
        return _Codes(node.codes, node.alphabet, is_negated=True)

    def _look(self, node: _Node, mark: str) -> _Node:
        low, high = node.widths()
        if mark in ("<", "<!") and low != high:
            raise GrammarError(
                f"{mark!r} must stand before items of one length, not of {low} to {high or 'any number'}"
            )
        return _Look(node, _LOOKS[mark])


_ACCEPTED = 'NAMES, "words", ( ) | ? * + {0,6} ~ & ! < <!'


def _parse(pattern: str, where: str, symbols: _Symbols) -> _Node:
    return _Parser(pattern, where, symbols).parse()


class RuleRow(NamedTuple):
    """A rule function, its pattern, the value of the examples, and an example by the code of each language."""

    function: str
    pattern: str
    value: str | None
    examples: Mapping[str, str]


def row(function: str, pattern: str, value: str | None, **examples: str) -> RuleRow:
    """A row; `examples` has the codes of languages as names."""
    return RuleRow(function, pattern, value, examples)
