"""Words and names in documents: what occurs anywhere, what names something, and what marks one text."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*[^\W_]|\w+", re.UNICODE)
#: A name inside a sentence: words with capitals after a word or a comma, so that no sentence begins with it.
_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-zà-ÿ]{3,}(?: [A-Z][a-zà-ÿ]{2,}){0,3}(?=[ ,.;)])")
_LETTERS: Final = re.compile(r"[A-Za-z]{5,}")


def find_known_names(texts: Iterable[str]) -> set[str]:
    """Every word of the texts in lower case: a name that is not among them occurs nowhere."""
    known: set[str] = set()
    for text in texts:
        known.update(match.lower() for match in _WORD.findall(text))
        known.update(match.lower() for match in re.findall(r"[A-Za-z0-9]+", text))
    return known


def find_names(text: str) -> list[str]:
    """The names that a text has inside its sentences."""
    return _NAME.findall(text)


def has_name(text: str, name: str) -> bool:
    """Whether a text has the name as whole words, in whatever case."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def find_words(text: str, rng: random.Random, count: int, rarity: Mapping[str, int] | None = None) -> Sequence[str]:
    """So many words of five letters or more, in the order of the text; of the rarest, where counts are given."""
    matches = list(dict.fromkeys(_LETTERS.findall(text)))
    if len(matches) < count:
        return ()
    if rarity is not None:
        matches = sorted(matches, key=lambda word: rarity.get(word.lower(), 0))[: count * 2]
    selected = set(rng.sample(matches, count))
    return [word for word in dict.fromkeys(_LETTERS.findall(text)) if word in selected]
