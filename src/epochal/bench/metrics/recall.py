"""R: how much of what is relevant was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epochal.bench.metrics.measure import Measure, Scores
from epochal.bench.metrics.ranking import Ranking

__all__ = ["Recall"]


@dataclass(frozen=True, slots=True)
class Recall(Measure):
    """The share of the relevant documents that stand within the cut-off: recall proper, also for windows of time.

    `rel` is the least relevance that counts. What ChunQiuTR calls Recall@K is `hit@K`.

    >>> from epochal.bench.metrics import Judgements
    >>> Recall(1).per_query({"q1": {"d2": 0.9, "d1": 0.5}}, Judgements({"q1": {"d1": 1, "d2": 1}}))
    {'q1': 0.5}
    """

    name: ClassVar[str] = "R"
    title: ClassVar[str] = "recall"

    rel: int = 1

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant.

        >>> from epochal.bench.metrics import Judgements
        >>> Recall(10).score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        hits = ranking.sums(ranking.top(self.cutoff) & (ranking.relevance >= self.rel))
        all_ = ranking.relevant(self.rel)
        return Scores(np.divide(hits, all_, out=np.full(len(ranking), np.nan), where=all_ > 0))
