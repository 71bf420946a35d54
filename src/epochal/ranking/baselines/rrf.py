"""Reciprocal rank fusion of words and vectors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from epochal.encoders.base import Encoder
from epochal.errors import EpochalError
from epochal.ranking.baselines.encoding import Memory, question_similarity
from epochal.ranking.pool import Floats, Pool, Scored

__all__ = ["ReciprocalRank", "reciprocal_ranks"]


def reciprocal_ranks(scores: Floats, k: float, listed: Floats | None = None) -> Floats:
    """1 / (k + rank) by falling score, the first rank being 1; of equals the earlier is first.

    Where `listed` is given, only candidates with a value above 0 there stand in the list; the others get nothing.

    >>> reciprocal_ranks(np.array([0.5, 0.9, 0.5]), 1)
    array([0.33333333, 0.5       , 0.25      ])
    """
    found = np.zeros(len(scores))
    order = np.argsort(-scores, kind="stable")
    if listed is not None:
        order = order[listed[order] > 0]
    found[order] = 1.0 / (k + 1.0 + np.arange(len(order)))
    return found


@dataclass(frozen=True, slots=True)
class ReciprocalRank:
    """Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and Individual Rank Learning
    Methods" (2009): RRFscore(d) = sum over the rankings r of 1 / (k + r(d)), with k = 60.

    The rankings are BM25 and the cosine, both of the whole question. Ranks are counted within the pool: they are those
    of the collection as far down as each source filled the pool. A passage without a word of the question has no rank
    by words. In the paper every ranking has every document.

    >>> from epochal.reading.questions import understand
    >>> rows, vector = np.arange(2), np.ones(1, dtype=np.float32)
    >>> words, meaning = np.array([2.0, 1.0]), np.array([0.1, 0.9])
    >>> pool = Pool("tariffs", understand("tariffs"), None, None, (), rows, rows, words, meaning, vector)
    >>> ReciprocalRank().score(pool).scores.round(4)
    array([0.0325, 0.0325])
    """

    k: float = 60.0
    encoder: Encoder | None = None
    name: str = "rrf"
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.k >= 0:
            raise EpochalError(f"k of scorer {self.name!r} must be a number from 0, but is {self.k}")

    def score(self, pool: Pool) -> Scored:
        """The sum of the reciprocal ranks by words and by meaning.

        >>> ReciprocalRank().name
        'rrf'
        """
        similarity = question_similarity(pool, self.encoder, self.memory, self.name)
        words = reciprocal_ranks(pool.lexical, self.k, pool.lexical)
        meaning = reciprocal_ranks(similarity, self.k)
        return Scored(words + meaning, {"lexical": words, "semantic": meaning})
