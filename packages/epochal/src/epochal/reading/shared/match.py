"""What a rule function sees: the tokens and times that its pattern matched, by their classes; and the registry.

A rule function returns what the words say (`parts.py`), None where the rule does not hold after all and the next may be
tried, or `NO_TIME` where the words are certainly no time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from epochal.reading.grammar import GrammarError
from epochal.reading.shared.parts import Amount, Parsed, Parts
from epochal.reading.shared.tokens import Tokeniser, Tokens

__all__ = ["NO_TIME", "Item", "Match", "NoTime", "Piece", "RuleFunction", "get_rule", "rule"]


class NoTime:
    """The words look like a time and are none."""


NO_TIME: Final = NoTime()


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that becomes an expression of its own: the date of a moment, its clock time, or a range."""

    kind: str
    start: int
    end: int


@dataclass(slots=True)
class Item:
    """A token, or a time that rules have read, with the tokens `[first, last)` that it is made of."""

    code: str
    word: str
    start: int
    end: int
    first: int
    last: int
    parsed: Parsed | None = None
    pieces: tuple[Piece, ...] = field(default=())
    #: The two ends of a range, if it has two.
    ends: tuple[Piece, ...] = field(default=())


class Match:
    """The items that a rule matched."""

    __slots__ = ("_classes", "items", "tokeniser", "tokens")

    def __init__(self, items: list[Item], tokens: Tokens, tokeniser: Tokeniser) -> None:
        self.items = items
        self.tokens = tokens
        self.tokeniser = tokeniser
        self._classes = tokeniser.language.classes

    def all(self, *names: str) -> list[Item]:
        """The items of some classes, in order."""
        codes = {self._classes[name] for name in names if name in self._classes}
        return [item for item in self.items if item.code in codes]

    def has(self, *names: str) -> bool:
        """Whether an item is of one of the classes."""
        return bool(self.all(*names))

    def value(self, *names: str) -> Any:
        """The value of the first item of the classes; None where there is none."""
        found = self.all(*names)
        return self.tokeniser.value(found[0].word) if found else None

    def values(self, *names: str) -> list[Any]:
        """The values of all items of the classes."""
        return [self.tokeniser.value(item.word) for item in self.all(*names)]

    def word(self, *names: str) -> str | None:
        """The first word of the classes."""
        found = self.all(*names)
        return found[0].word if found else None

    @property
    def times(self) -> list[Parts]:
        """The times among the items."""
        return [item.parsed for item in self.items if isinstance(item.parsed, Parts)]

    @property
    def amounts(self) -> list[Amount]:
        """The durations among the items."""
        return [item.parsed for item in self.items if isinstance(item.parsed, Amount)]

    @property
    def before(self) -> str:
        """The word before the match."""
        first = self.items[0].first
        return self.tokens.words[first - 1] if first else ""

    @property
    def before_that(self) -> str:
        """The word before the word before the match."""
        first = self.items[0].first
        return self.tokens.words[first - 2] if first > 1 else ""

    @property
    def after(self) -> str:
        """The word behind the match."""
        last = self.items[-1].last
        return self.tokens.words[last] if last < len(self.tokens.words) else ""

    @property
    def char_before(self) -> str:
        """The character right before the match."""
        start = self.items[0].start
        return self.tokens.text[start - 1 : start]

    @property
    def char_after(self) -> str:
        """The character right behind the match."""
        end = self.items[-1].end
        return self.tokens.text[end : end + 1]

    def number_at(self, item: Item) -> float | None:
        """The number that an item is: digits, a number word, an ordinal."""
        value = self.tokeniser.value(item.word)
        if isinstance(value, dict):
            # "3.5" has the shape of a day and a month, too.
            is_decimal = re.fullmatch(r"\d{1,2}[.,]\d{1,2}", item.word) is not None
            return _read_number(item.word if is_decimal else value.get("n"))
        return float(value) if isinstance(value, int | float) else None

    def number(self, *names: str) -> float | None:
        """The number that the words of some classes make together; those of all numbers unless they are given."""
        found = self.all(*(names or NUMBER_CLASSES))
        if not found:
            return None
        values: list[float] = []
        for item in found:
            value = self.number_at(item)
            if value is None:
                return None
            values.append(value)
        if len(values) == 1:
            return values[0]
        if any(item.word[0].isdigit() for item in found[1:]):
            return values[0]
        return self.tokeniser.language.add_numbers(values)


#: The classes of cardinal numbers.
NUMBER_CLASSES = (
    "SMALL_NUMBER",
    "THREE_DIGITS",
    "YEAR",
    "LARGE_NUMBER",
    "DECIMAL",
    "FRACTION",
    "NUMBER_WORD",
    "A",
    "DAY_MONTH",
)
_FRACTIONS = {"1/2": 0.5, "1/4": 0.25, "3/4": 0.75}


def _read_number(text: str | None) -> float | None:
    if text is None:
        return None
    if text in _FRACTIONS:
        return _FRACTIONS[text]
    head, mark, tail = text.replace(",", ".").rpartition(".")
    if not mark:
        return float(text)
    # Three digits behind the mark are thousands.
    return float(text.replace(",", "").replace(".", "")) if len(tail) == 3 else float(f"{head.replace('.', '')}.{tail}")


RuleFunction = Callable[[Match], "Parsed | NoTime | None"]

_RULES: dict[str, RuleFunction] = {}


def rule(function: RuleFunction) -> RuleFunction:
    """Register the function under its own name, which no other may have; a decorator."""
    name = function.__name__
    other = _RULES.get(name, function)
    if other.__module__ != function.__module__:
        raise GrammarError(f"two rule functions are called {name}: in {other.__module__} and {function.__module__}")
    _RULES[name] = function
    return function


def get_rule(name: str) -> RuleFunction:
    """The function of a rule of a grammar; importing `epochal.reading.shared.tagger` registers the shared ones."""
    return _RULES[name]
