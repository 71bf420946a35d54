"""hit: whether anything relevant was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epochal.bench.metrics.measure import Measure, Scores
from epochal.bench.metrics.ranking import Ranking

__all__ = ["Hit"]


@dataclass(frozen=True, slots=True)
class Hit(Measure):
    """1 where a relevant document stands within the cut-off, else 0; `rel` is the least relevance that counts.

    >>> from epochal.bench.metrics import Judgements
    >>> Hit(1).per_query({"q1": {"d2": 0.9, "d1": 0.5}}, Judgements({"q1": {"d1": 1, "d2": 1}}))
    {'q1': 1.0}
    """

    name: ClassVar[str] = "hit"
    title: ClassVar[str] = "share of questions with a hit"

    rel: int = 1

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant.

        >>> from epochal.bench.metrics import Judgements
        >>> Hit(10).score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        hits = ranking.sums(ranking.top(self.cutoff) & (ranking.relevance >= self.rel))
        return Scores(np.where(ranking.relevant(self.rel) > 0, np.minimum(hits, 1.0), np.nan))
