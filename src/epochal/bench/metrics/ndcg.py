"""nDCG: how close the order of a run comes to the best order, the first ranks counting most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epochal.bench.metrics.measure import Choices, Measure, Scores
from epochal.bench.metrics.ranking import Floats, Integers, Ranking

__all__ = ["NDCG", "gains"]


@dataclass(frozen=True, slots=True)
class NDCG(Measure):
    """Discounted cumulative gain, as a share of that of the best order: sum of gain / log2(rank + 1).

    `gain` is what a document of relevance r brings: r (`linear`), 2^r - 1 (`exp`), or 1 where r is 1 or more
    (`binary`).

    >>> from epochal.bench.metrics import Judgements
    >>> judged = Judgements({"q1": {"d1": 2, "d2": 1}})
    >>> round(NDCG(10).per_query({"q1": {"d2": 0.9, "d1": 0.5}}, judged)["q1"], 4)
    0.8597
    """

    name: ClassVar[str] = "nDCG"
    title: ClassVar[str] = "normalised discounted cumulative gain"
    choices: ClassVar[Choices] = {"gain": ("linear", "exp", "binary")}

    gain: str = "linear"

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant.

        >>> from epochal.bench.metrics import Judgements
        >>> NDCG(10).score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        chosen = ranking.top(self.cutoff) & (ranking.relevance > 0)
        discounted = gains(ranking.relevance[chosen], self.gain) / np.log2(ranking.rank[chosen] + 1.0)
        got = np.bincount(ranking.row[chosen], weights=discounted, minlength=len(ranking))
        row, rank, grades = ranking.ideal
        within = (grades > 0) if self.cutoff is None else (grades > 0) & (rank <= self.cutoff)
        discounted = gains(grades, self.gain)[within] / np.log2(rank[within] + 1.0)
        best = np.bincount(row[within], weights=discounted, minlength=len(ranking))
        return Scores(np.divide(got, best, out=np.full(len(ranking), np.nan), where=best > 0))


def gains(grades: Integers, gain: str) -> Floats:
    """What documents of these relevances bring.

    >>> gains(np.array([-1, 0, 1, 3]), "exp")
    array([0., 0., 1., 7.])
    """
    positive = np.maximum(grades, 0).astype(np.float64)
    if gain == "exp":
        return np.exp2(positive) - 1.0
    return np.minimum(positive, 1.0) if gain == "binary" else positive
