"""AP: average precision, whose mean over questions is MAP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epochal.bench.metrics.measure import Measure, Scores
from epochal.bench.metrics.ranking import Ranking

__all__ = ["AP"]


@dataclass(frozen=True, slots=True)
class AP(Measure):
    """The mean, over all relevant documents, of the precision at their ranks; 0 for those beyond the cut-off.

    `rel` is the least relevance that counts. The name `MAP` is read too.

    >>> from epochal.bench.metrics import Judgements
    >>> AP(10).per_query({"q1": {"d2": 0.9, "d1": 0.5}}, Judgements({"q1": {"d1": 1, "d3": 1}}))
    {'q1': 0.25}
    """

    name: ClassVar[str] = "AP"
    title: ClassVar[str] = "mean average precision"

    rel: int = 1

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant.

        >>> from epochal.bench.metrics import Judgements
        >>> AP().score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        relevant = ranking.relevance >= self.rel
        precision = ranking.running(relevant) / ranking.rank
        found = ranking.sums(ranking.top(self.cutoff) & relevant, precision)
        all_ = ranking.relevant(self.rel)
        return Scores(np.divide(found, all_, out=np.full(len(ranking), np.nan), where=all_ > 0))
