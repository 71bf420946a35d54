"""Ordinary words that no document has, and words of candidates that mean the same or nearly so: "bike", "bicycles".

Two words mean the same where the vectors of the `static` encoder are as near as `_SAME`. Of 45 pairs such as "garbage"
and "trash" 17 are, of 68 such as "wolf" and "bear" or "north" and "south" none; what is found is mostly a synonym or a
word of one family, as "dancers" and "dancing". Those that are as near as `_NEAR` (27 and 4 of the pairs) help to rank,
and stay unknown. Names are left alone: vectors hold Haiti and Chile for alike.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from epochal.ranking.pool import Floats, Pool
from epochal.ranking.words import FUNCTION_WORD, QueryWords, is_ordinary
from epochal.storage.text import analyse_word

__all__ = ["find_near_words", "match_near_words"]

#: The products of vectors from which on words are near, and from which on they mean the same.
_NEAR: Final = 0.62
_SAME: Final = 0.75
#: How surely a text that has one of two near words says the other.
_HALF: Final = 0.5
#: Near words that are looked for, the nearest first.
_MOST_NEAR: Final = 16


def match_near_words(pool: Pool, words: QueryWords, anywhere: Floats) -> None:
    """A candidate has an ordinary English word that no document has if it has one of the same meaning, or half if near.

    Words for which others stand are no longer unknown; `words.near` says which.
    """
    if pool.encoder is None or words.language != "en":
        return
    may_be = (words.unknown > 0) & (words.get("ordinary") > 0) & (words.get("capital") == 0)
    may_be &= (words.get("common") < FUNCTION_WORD) & (words.get("text_kind") == 0)
    if not may_be.any():
        return
    asked = {token for read in words.tokens for token in read}
    for column in np.flatnonzero(may_be).tolist():
        # Who uses both words does not mean the same by them.
        near = [item for item in find_near_words(words.words[column].lower()) if asked.isdisjoint(item.tokens)]
        known = pool.view.get_document_frequencies({token for item in near for token in item.tokens})
        for item in near:
            frequency = min(known.get(token, 0) for token in item.tokens)
            if frequency:
                _add_near(pool, words, anywhere, column, item, frequency)
    words.fill_in_rarity(pool.view.passage_count)


class NearWord(NamedTuple):
    """A word that is near another, its tokens, and how near it is."""

    word: str
    tokens: tuple[str, ...]
    cosine: float


@lru_cache(maxsize=1 << 12)
def find_near_words(word: str) -> tuple[NearWord, ...]:
    """The ordinary words whose vectors are near that of a word or of its singular, the nearest first.

    >>> [item.word for item in find_near_words("garbage")]
    ['trash', 'rubbish']
    """
    if not word.isalpha():
        return ()
    from epochal.encoders.bundled import load_words

    table = load_words()
    cosines = np.maximum(table.compare(word), table.compare(_make_singular(word)))
    own, found = set(analyse_word(word)), dict[tuple[str, ...], NearWord]()
    for at in np.argsort(-cosines, kind="stable").tolist():
        cosine = float(cosines[at])
        if cosine < _NEAR or len(found) == _MOST_NEAR:
            break
        tokens = analyse_word(table.words[at])
        if tokens and own.isdisjoint(tokens) and is_ordinary(tokens):
            found.setdefault(tokens, NearWord(table.words[at], tokens, cosine))  # of dog and dogs the nearer
    return tuple(found.values())


def _make_singular(word: str) -> str:
    """The singular of a word that may be a plural: dogs, boxes, parties."""
    for ending, singular in (("ies", "y"), ("es", ""), ("s", "")):
        stem = word.removesuffix(ending) + singular
        if word.endswith(ending) and not word.endswith("ss") and len(stem) > 2 and is_ordinary(analyse_word(stem)):
            return stem
    return word


def _add_near(pool: Pool, words: QueryWords, anywhere: Floats, column: int, near: NearWord, frequency: int) -> None:
    present = pool.view.match_contexts(pool.rows, np.full(len(pool), -1, dtype=np.int64), near.tokens).all(axis=1)
    is_same = near.cosine >= _SAME
    np.maximum(anywhere[:, column], present * (1.0 if is_same else _HALF), out=anywhere[:, column])
    if is_same and present.any():
        words.frequencies[column] += frequency
        words.near.setdefault(words.words[column], near.word)
