"""Words that say what kind of thing all documents are, which none of them says: forecasts never say "weather".

No text needs such a word to answer. It is known by meaning: it is much nearer to most passages than words about other
things are. A word that is near to a few passages only ("tsunami" among news of which some are on earthquakes) is about
something that they could have said, and have not.
"""

from __future__ import annotations

import math
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import Encoder
from epochal.ranking.pool import Floats, Pool, multiply_in_parts
from epochal.ranking.words import FUNCTION_WORD, QueryWords
from epochal.storage.protocol import View, list_pending, subtract_rows

__all__ = ["measure_kinds", "measure_nearness"]

#: So many passages, evenly spread, stand for all; of fewer than the second number nobody knows what they share.
_SAMPLE: Final = 200
_LEAST: Final = 4
#: The share of the passages that may be about something else.
_ASTRAY: Final = 0.25
#: Words about unlike things: with them a passage has as much in common as any text has with any word.
_OTHERS: Final = tuple(
    "button uncle carrot harbour trumpet pillow marble sermon lizard auction sandal orbit kettle velvet tunnel "
    "verdict".split()
)
#: How much nearer than those a word is, at the most, that is about something else, and one that is the kind for sure.
_ELSE: Final = 0.14
_SURE: Final = 0.24
#: The key, which is no word, of how far products of a question with passages usually are apart.
_SPREAD: Final = ""
#: The vectors of the words about unlike things, by encoder.
_OTHER_VECTORS: Final[WeakKeyDictionary[Encoder, npt.NDArray[np.float32]]] = WeakKeyDictionary()


def measure_kinds(pool: Pool, words: QueryWords) -> Floats:
    """How surely each English word that no passage has is the kind of thing that they are all about.

    Names are no kinds. Without vectors nothing is known, and vectors of words that an encoder does not know are near to
    whatever else it does not know: words of other languages are left alone.
    """
    may_be = (
        (words.unknown > 0)
        & (words.get("ordinary") > 0)
        & (words.get("common") < FUNCTION_WORD)
        & (words.get("text_kind") == 0)
    )
    kinds = np.zeros(len(words.words))
    if pool.encoder is None or words.language != "en" or len(pool.view.alive) < _LEAST:
        return kinds
    asked = [words.words[column].lower() for column in np.flatnonzero(may_be)]
    if new := [word for word in asked if word not in pool.kinds]:
        pool.kinds.update(zip(new, _compare_to_all(pool, new), strict=True))
    kinds[may_be] = [pool.kinds[word] for word in asked]
    return kinds


def _compare_to_all(pool: Pool, words: list[str]) -> list[float]:
    assert pool.encoder is not None
    sample = _read_sample(pool.view)
    if sample is None:
        return [0.0] * len(words)
    vectors = np.concatenate([pool.encoder.encode_queries(words), _encode_others(pool.encoder)])
    near = np.quantile(multiply_in_parts(sample, vectors.T), _ASTRAY, axis=0)
    lead = near[: len(words)] - near[len(words) :].mean()
    sure: list[float] = np.clip((lead - _ELSE) / (_SURE - _ELSE), 0.0, 1.0).tolist()
    return sure


def measure_nearness(pool: Pool, words: QueryWords) -> float | None:
    """How much nearer the nearest candidate is to an English question than chance would have it; None without vectors.

    By chance the nearest of n passages is about `sqrt(2 ln n)` standard deviations nearer than passages are on average.
    Encoders differ in what any two texts have in common, and collections in how many passages could be near.
    """
    if pool.vector is None or pool.encoder is None or words.language != "en" or not len(pool):
        return None
    sample = _read_sample(pool.view)
    if sample is None:
        return None
    if _SPREAD not in pool.kinds:  # of any question, by words that are about something else
        others = multiply_in_parts(sample, _encode_others(pool.encoder).T)
        pool.kinds[_SPREAD] = float(others.std(axis=0).mean())
    usual = float((sample @ pool.vector).mean())
    by_chance = usual + pool.kinds[_SPREAD] * math.sqrt(2 * math.log(len(pool.view.alive)))
    return (float(pool.semantic.max()) - by_chance) / max(1.0 - usual, 1e-6)


def _encode_others(encoder: Encoder) -> npt.NDArray[np.float32]:
    if encoder not in _OTHER_VECTORS:
        _OTHER_VECTORS[encoder] = encoder.encode_queries(list(_OTHERS))
    return _OTHER_VECTORS[encoder]


def _read_sample(view: View) -> npt.NDArray[np.float32] | None:
    """The vectors of passages that stand for all; None of too few."""
    alive, pending = view.alive, list_pending(view)
    if len(pending):
        alive = subtract_rows(alive, pending)
    if len(alive) < _LEAST:
        return None
    return view.get_vectors(alive[np.linspace(0, len(alive) - 1, min(_SAMPLE, len(alive))).astype(np.int64)])
