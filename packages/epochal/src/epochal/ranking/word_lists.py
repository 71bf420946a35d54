"""Lists of words that come with the package: the frequent ones of languages, and English ones that are no names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from epochal.reading.scripts import list_variants

__all__ = [
    "LISTS",
    "MIN_STEM",
    "load_more",
    "load_ordinary",
    "load_place_forms",
    "load_ranks",
    "load_stems",
    "load_verb_forms",
    "rank_listed",
]

#: The least letters that inflected forms share.
MIN_STEM: Final = 5
#: So many words of a list count as frequent; those of Chinese, Japanese and Korean have others, too.
_FREQUENT: Final = 6_000
#: A Chinese word of at most so many characters is no two words.
_LEAST_PARTS: Final = 3
#: The languages whose frequent words are known.
LISTS: Final = ("ar", "de", "en", "es", "fr", "it", "nl", "pt", "ru")


def _read_list(name: str) -> list[str]:
    folder = Path(__file__).parent / "weights" / "words"
    return folder.joinpath(f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[1].split()


@cache
def load_ranks(language: str) -> Mapping[str, float]:
    """For each frequent word of a language how frequent it is: 1 for the first, 0.3 for the last; others have 0."""
    tokens = _read_list(language)[:_FREQUENT]
    top = math.log(len(tokens) + 1)
    return {token: 1.0 - 0.7 * math.log(rank) / top for rank, token in enumerate(tokens, 1)}


@cache
def load_stems(language: str) -> frozenset[str]:
    """All beginnings of the frequent words of a language."""
    return frozenset(word[:size] for word in _read_list(language) for size in range(MIN_STEM, len(word) + 1))


@cache
def load_place_forms() -> Mapping[str, tuple[str, ...]]:
    return _pair_forms("nationalities-en")


@cache
def load_verb_forms() -> Mapping[str, tuple[str, ...]]:
    return _pair_forms("verbs-en")


def _pair_forms(name: str) -> Mapping[str, tuple[str, ...]]:
    pairs = _read_list(name)
    forms: dict[str, tuple[str, ...]] = {}
    for one, other in zip(pairs[::2], pairs[1::2], strict=True):
        forms[one] = (*forms.get(one, ()), other)
        forms[other.lower()] = (*forms.get(other.lower(), ()), one)
    return forms


@cache
def load_more() -> frozenset[str]:
    return frozenset(_read_list("more-en"))


@cache
def load_ordinary() -> frozenset[str]:
    return frozenset(_read_list("ordinary-en"))


def rank_listed(word: str, code: str) -> tuple[float, bool]:
    """How frequent a Chinese, Japanese or Korean word is, as `load_ranks` has it, and whether it is ordinary.

    Chinese is read in either script. A word made of several is as frequent as the rarest of them.

    >>> rank_listed("結果", "zh") == rank_listed("结果", "zh") > rank_listed("手风琴", "zh") == (0.0, False)
    True
    """
    plain = "".join(map(_find_listed, word)) if code == "zh" else word
    return _rank_parts(plain, load_ranks(code)), _rank_parts(plain, _load_listed(code)) > 0


def _rank_parts(word: str, ranks: Mapping[str, float]) -> float:
    if word in ranks or len(word) <= _LEAST_PARTS:
        return ranks.get(word, 0.0)
    return max(min(ranks.get(word[:at], 0.0), _rank_parts(word[at:], ranks)) for at in range(2, len(word) - 1))


def _find_listed(character: str) -> str:
    """The form of a character that the list writes, which is the simplified one."""
    listed = _load_characters()
    return character if character in listed else next(filter(listed.__contains__, list_variants(character)), character)


@cache
def _load_characters() -> frozenset[str]:
    return frozenset("".join(_read_list("zh")))


@cache
def _load_listed(code: str) -> Mapping[str, float]:
    return dict.fromkeys(_read_list(code), 1.0)
