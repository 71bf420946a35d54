"""Z-score fusion: scores in units of their own spread, added."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from epochal.encoders.base import Encoder
from epochal.ranking.baselines.encoding import Memory, question_similarity
from epochal.ranking.pool import Floats, Pool, Scored

__all__ = ["ZScore", "standardised"]


def standardised(scores: Floats) -> Floats:
    """Each score less the mean, in standard deviations of all of them; 0 where all are equal.

    >>> standardised(np.array([1.0, 3.0])), standardised(np.array([2.0, 2.0]))
    (array([-1.,  1.]), array([0., 0.]))
    """
    if not len(scores):
        return np.empty(0)
    spread = float(scores.std())
    # Equal scores have a spread of rounding errors, which must not be blown up.
    if spread <= 1e-12 * max(1.0, float(np.abs(scores).max())):
        return np.zeros(len(scores))
    return np.asarray((scores - scores.mean()) / spread, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class ZScore:
    """Renda and Straccia, "Web Metasearch: Rank vs. Score Based Rank Aggregation Methods" (2003): Z-score
    normalisation, and the sum of what it gives (CombSUM).

    The scores are BM25 and the cosine, both of the whole question, with mean and standard deviation (that of the
    population) over the pool. In the paper they are taken over the list of each source.

    >>> from epochal.reading.questions import understand
    >>> rows, vector = np.arange(2), np.ones(1, dtype=np.float32)
    >>> words, meaning = np.array([9.0, 1.0]), np.array([0.1, 0.9])
    >>> pool = Pool("tariffs", understand("tariffs"), None, None, (), rows, rows, words, meaning, vector)
    >>> ZScore(semantic=0.5).score(pool).scores
    array([ 0.5, -0.5])
    """

    lexical: float = 1.0
    semantic: float = 1.0
    encoder: Encoder | None = None
    name: str = "zscore"
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    def score(self, pool: Pool) -> Scored:
        """The sum of the standardised scores by words and by meaning.

        >>> ZScore().name
        'zscore'
        """
        similarity = question_similarity(pool, self.encoder, self.memory, self.name)
        words = self.lexical * standardised(pool.lexical)
        meaning = self.semantic * standardised(similarity)
        return Scored(words + meaning, {"lexical": words, "semantic": meaning})
