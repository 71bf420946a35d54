"""Ordinary words that no document has, and words of candidates that mean the same or nearly so: "bike", "bicycles".

Two words mean the same where the vectors of the `static` encoder are as near as `_SAME`. Of 45 pairs such as "garbage"
and "trash" 16 are, of 68 such as "wolf" and "bear" or "north" and "south" none; what is found is mostly a synonym or a
word of one family, as "dancers" and "dancing". Those that are as near as `_NEAR` (26 and 3 of the pairs) help to rank,
and stay unknown. Names are left alone: vectors hold Haiti and Chile for alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.lazy import lazy_regex
from epochal.ranking.pool import Floats, Pool
from epochal.ranking.words import FUNCTION_WORD, QueryWords, is_ordinary
from epochal.storage.text import analyse_word

__all__ = ["match_near_words"]

#: The products of vectors from which on words are near, and from which on they mean the same.
_NEAR: Final = 0.62
_SAME: Final = 0.75
#: How surely a text that has one of two near words says the other.
_HALF: Final = 0.5
#: Candidates whose words are compared, those with most of the question first, and near words of one word.
_MOST_READ: Final = 60
_MOST_NEAR: Final = 4
_WORD: Final = lazy_regex(r"(?<![\w'’-])[^\W\d_]{3,20}(?![\w-])")


def match_near_words(pool: Pool, words: QueryWords, anywhere: Floats, prior: Floats, heads: Sequence[str]) -> None:
    """A candidate has an ordinary English word that no document has if it has one of the same meaning, or half if near.

    Words for which others stand are no longer unknown; `words.near` says which.
    """
    if pool.encoder is None or words.language != "en":
        return
    may_be = (words.unknown > 0) & (words.get("ordinary") > 0) & (words.get("capital") == 0)
    may_be &= (words.get("common") < FUNCTION_WORD) & (words.get("text_kind") == 0)
    columns = [column for column in np.flatnonzero(may_be).tolist() if words.words[column].isalpha()]
    if not columns:
        return
    rows = np.sort(np.argsort(-prior, kind="stable")[:_MOST_READ])
    texts = [*heads, *(item.text for item in pool.view.get_texts(pool.rows[rows]))]
    asked = {token for read in words.tokens for token in read}
    others = sorted({match.lower() for text in texts for match in _WORD.findall(text)})
    # Who uses both words does not mean the same by them.
    others = [other for other in others if is_ordinary(read := analyse_word(other)) and asked.isdisjoint(read)]
    if not others:
        return
    from epochal.encoders.bundled import encode_words

    near = _compare([words.words[column].lower() for column in columns], others, encode_words)
    for column, products in zip(columns, near, strict=True):
        found = np.argsort(-products, kind="stable")[:_MOST_NEAR]
        _add_near(pool, words, anywhere, column, [(others[at], float(products[at])) for at in found])
    words.fill_in_rarity(pool.view.passage_count)


def _compare(
    words: Sequence[str], others: Sequence[str], encode: Callable[[Sequence[str]], npt.NDArray[np.float32]]
) -> Floats:
    """The products of the vectors of words, the best of each word's own and that of its singular."""
    vectors, singular = encode(words), encode([_make_singular(word) for word in words])
    other_vectors, other_singular = encode(others), encode([_make_singular(other) for other in others])
    products = [one @ other.T for one in (vectors, singular) for other in (other_vectors, other_singular)]
    return np.asarray(np.maximum.reduce(products), dtype=np.float64)


def _make_singular(word: str) -> str:
    """The singular of a word that may be a plural: dogs, boxes, parties."""
    for ending, singular in (("ies", "y"), ("es", ""), ("s", "")):
        stem = word.removesuffix(ending) + singular
        if word.endswith(ending) and not word.endswith("ss") and len(stem) > 2 and is_ordinary(analyse_word(stem)):
            return stem
    return word


def _add_near(pool: Pool, words: QueryWords, anywhere: Floats, column: int, found: Sequence[tuple[str, float]]) -> None:
    for other, product in found:
        if product < _NEAR:
            break
        tokens = analyse_word(other)
        present = pool.view.match_contexts(pool.rows, np.full(len(pool), -1, dtype=np.int64), tokens).all(axis=1)
        np.maximum(anywhere[:, column], present * (1.0 if product >= _SAME else _HALF), out=anywhere[:, column])
        if product >= _SAME and present.any():
            frequency = pool.view.get_document_frequencies(set(tokens))
            words.frequencies[column] += min(frequency.get(token, 0) for token in tokens)
            words.near.setdefault(words.words[column], other)
