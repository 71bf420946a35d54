"""BM25 alone: how well the words of a passage fit those of the question, time words among them."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.ranking.pool import Pool, Scored

__all__ = ["Bm25"]


@dataclass(frozen=True, slots=True)
class Bm25:
    """Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.5.

    The score is that of the index: k1 = 1.2, b = 0.75, and the inverse document frequency of Lucene, which is never
    negative. Time words are words like any other. Those constants belong to the index, so there is nothing to set.

    >>> import numpy as np
    >>> from epochal.reading.questions import understand
    >>> rows = np.arange(2)
    >>> pool = Pool("tariffs", understand("tariffs"), None, None, (), rows, rows, np.array([1.5, 0.5]), np.zeros(2))
    >>> Bm25().score(pool).scores
    array([1.5, 0.5])
    """

    name: str = "bm25"

    def score(self, pool: Pool) -> Scored:
        """BM25 of each candidate.

        >>> Bm25().name
        'bm25'
        """
        return Scored(pool.lexical, {"lexical": pool.lexical})
