"""MRR: how far up the first relevant document stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epochal.bench.metrics.measure import Measure, Scores
from epochal.bench.metrics.ranking import Ranking

__all__ = ["MRR"]


@dataclass(frozen=True, slots=True)
class MRR(Measure):
    """1 / rank of the first relevant document, 0 where none stands within the cut-off.

    `rel` is the least relevance that counts.

    >>> from epochal.bench.metrics import Judgements
    >>> MRR(10).per_query({"q1": {"d2": 0.9, "d1": 0.5}}, Judgements({"q1": {"d1": 1}}))
    {'q1': 0.5}
    """

    name: ClassVar[str] = "MRR"
    title: ClassVar[str] = "mean reciprocal rank"

    rel: int = 1

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant.

        >>> from epochal.bench.metrics import Judgements
        >>> MRR().score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        relevant = ranking.relevance >= self.rel
        first = ranking.top(self.cutoff) & relevant & (ranking.running(relevant) == 1)
        found = ranking.sums(first, 1.0 / ranking.rank)
        return Scores(np.where(ranking.relevant(self.rel) > 0, found, np.nan))
