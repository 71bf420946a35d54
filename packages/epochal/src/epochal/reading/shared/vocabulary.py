"""What of a language's lexicon tells that a word is of that language, without loading its rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from epochal.reading.shared.registry import SHARED_LANGUAGES, load_language, load_tokeniser
from epochal.tables import derive, read_sources

__all__ = ["Vocabulary", "load_vocabulary"]

_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a language's lexicon.

    `pieces` are the words of its entries, `times` the entries that are a time by themselves, `entries` all that its
    tokeniser knows as they are. Number words and the words of other compounds are known by how they start and end.
    """

    code: str
    pieces: frozenset[str]
    times: frozenset[str]
    entries: frozenset[str]
    numbers: tuple[str, ...]
    heads: tuple[str, ...]
    tails: tuple[str, ...]

    def is_known(self, word: str) -> bool:
        """Whether the tokeniser of the language knows a word of letters, or the words that it is made of."""
        if word in self.entries:
            return True
        may_be_number = word.startswith(self.numbers) and word.endswith(self.numbers)
        may_be_split = word.startswith(self.heads) and word.endswith(self.tails)
        return (may_be_number or may_be_split) and load_tokeniser(self.code).is_known(word)


@cache
def load_vocabulary(code: str) -> Vocabulary:
    """The vocabulary of a code of `SHARED_LANGUAGES`."""
    folder = Path(__file__).parents[1]
    name = SHARED_LANGUAGES[code]
    # The rules have words of their own; those of the Romance languages are shared.
    programs = sorted(path for room in (name, "romance", "shared") for path in (folder / room).glob("*.py"))
    sources = read_sources([folder / name / "words.toml", *programs])
    pieces, times, entries, numbers, heads, tails = derive(f"vocabulary-{name}", sources, lambda: _collect(code))
    return Vocabulary(
        code, frozenset(pieces), frozenset(times), frozenset(entries), tuple(numbers), tuple(heads), tuple(tails)
    )


def _collect(code: str) -> list[Any]:
    language = load_language(code)
    settings = language.settings
    names = {"MONTH_NAME", "WEEKDAY", "TODAY", "DAYPART", "HOLIDAY", *settings.triggers}
    pieces = {piece for word in language.class_of for piece in _WORD.findall(word) if len(piece) > 1}
    times = {word for word, name in language.class_of.items() if name in names and len(word) > 3}
    numbers: set[str] = set()
    if settings.compound_numbers:
        numbers = {*language.words.get("NUMBER_WORD", ()), *language.words.get("A", ())}
        numbers |= set(settings.number_joiners.split())
    heads = {word for first, _ in settings.compounds for word in language.words.get(first, ())}
    tails = {word for _, second in settings.compounds for word in language.words.get(second, ())}
    prefixes = settings.prefixes.split()
    if prefixes:  # a word may be one behind another word's prefix
        heads, tails = heads | set(prefixes), {""}
    return [sorted(words) for words in (pieces, times, load_tokeniser(code).entries, numbers, heads, tails)]
