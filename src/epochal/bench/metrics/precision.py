"""P: how much of what was found is relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epochal.bench.metrics.measure import Measure, Scores
from epochal.bench.metrics.ranking import Ranking

__all__ = ["Precision"]


@dataclass(frozen=True, slots=True)
class Precision(Measure):
    """The relevant documents within the cut-off, divided by the cut-off, also where fewer were found.

    Without a cut-off they are divided by the number of documents found. `rel` is the least relevance that counts.

    >>> from epochal.bench.metrics import Judgements
    >>> Precision(5).per_query({"q1": {"d2": 0.9, "d1": 0.5}}, Judgements({"q1": {"d1": 1}}))
    {'q1': 0.2}
    """

    name: ClassVar[str] = "P"
    title: ClassVar[str] = "precision"

    rel: int = 1

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant.

        >>> from epochal.bench.metrics import Judgements
        >>> Precision(1).score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        hits = ranking.sums(ranking.top(self.cutoff) & (ranking.relevance >= self.rel))
        shown = np.maximum(ranking.counts, 1) if self.cutoff is None else self.cutoff
        return Scores(np.where(ranking.relevant(self.rel) > 0, hits / shown, np.nan))
