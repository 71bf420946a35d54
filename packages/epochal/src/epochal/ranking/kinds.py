"""Words that say what kind of thing all documents are, which none of them says: forecasts never say "weather".

No text needs such a word to answer. It is known by meaning: it is much nearer to most passages than words about other
things are. A word that is near to a few passages only ("tsunami" among news of which some are on earthquakes) is about
something that they could have said, and have not.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from epochal.ranking.pool import Floats, Pool, multiply_in_parts
from epochal.ranking.words import FUNCTION_WORD, QueryWords
from epochal.storage.protocol import list_pending, subtract_rows

__all__ = ["measure_kinds"]

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
    alive, pending = pool.view.alive, list_pending(pool.view)
    if len(pending):
        alive = subtract_rows(alive, pending)
        if len(alive) < _LEAST:
            return [0.0] * len(words)
    rows = alive[np.linspace(0, len(alive) - 1, min(_SAMPLE, len(alive))).astype(np.int64)]
    vectors = pool.encoder.encode_queries([*words, *_OTHERS])
    near = np.quantile(multiply_in_parts(pool.view.get_vectors(rows), vectors.T), _ASTRAY, axis=0)
    lead = near[: len(words)] - near[len(words) :].mean()
    sure: list[float] = np.clip((lead - _ELSE) / (_SURE - _ELSE), 0.0, 1.0).tolist()
    return sure
