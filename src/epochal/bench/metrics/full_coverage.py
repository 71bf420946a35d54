"""nDCG|FC: nDCG of those questions alone whose periods are all covered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epochal.bench.metrics.base import Judgements, Run
from epochal.bench.metrics.measure import Choices, Measure, Scores
from epochal.bench.metrics.ndcg import NDCG
from epochal.bench.metrics.ranking import Ranking
from epochal.bench.metrics.temporal_coverage import TemporalCoverage

__all__ = ["FullCoverageNDCG", "full_coverage_intersection"]


@dataclass(frozen=True, slots=True)
class FullCoverageNDCG(Measure):
    """TEMPO's NDCG|FC@k: nDCG@k where TC@k is 1, and undefined elsewhere.

    Each system has its own such questions, so that two means cannot be compared; take `full_coverage_intersection` for
    that.

    >>> judged = Judgements({"q1": {"d1": 1}}, period_qrels={"q1": (frozenset({"d1"}), frozenset({"d2"}))})
    >>> FullCoverageNDCG(2).per_query({"q1": {"d1": 2, "d2": 1}}, judged)
    {'q1': 1.0}
    >>> FullCoverageNDCG(1).per_query({"q1": {"d1": 2, "d2": 1}}, judged)
    {'q1': nan}
    """

    name: ClassVar[str] = "nDCG|FC"
    title: ClassVar[str] = "nDCG given full coverage"
    needs = ("qrels", "coverage")
    needs_cutoff = True
    choices: ClassVar[Choices] = {
        "gain": NDCG.choices["gain"],
        "missing": TemporalCoverage.choices["missing"],
        "periods": TemporalCoverage.choices["periods"],
    }

    gain: str = "linear"
    missing: str = "skip"
    periods: str = "required"

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant, or not every period is covered.

        >>> FullCoverageNDCG(5).score(Ranking({}, Judgements({"q1": {"d1": 1}}))).values
        array([nan])
        """
        covered = TemporalCoverage(self.cutoff, self.missing, self.periods).score(ranking)
        whole = NDCG(self.cutoff, self.gain).score(ranking).values
        return Scores(np.where(covered.values == 1.0, whole, np.nan), covered.gaps)


def full_coverage_intersection(
    runs: Iterable[Run], judgements: Judgements, cutoff: int = 10, **settings: str
) -> frozenset[str]:
    """The questions whose periods every one of these runs covers within the cut-off; settings are those of TC.

    >>> judged = Judgements({"q1": {"d1": 1}}, period_qrels={"q1": (frozenset({"d1"}), frozenset({"d2"}))})
    >>> both, one = {"q1": {"d1": 2, "d2": 1}}, {"q1": {"d1": 1}}
    >>> full_coverage_intersection([both, both], judged), full_coverage_intersection([both, one], judged)
    (frozenset({'q1'}), frozenset())
    """
    covered = frozenset(judgements.query_ids)
    measure = TemporalCoverage(cutoff, **settings)
    for run in runs:
        covered &= {query for query, value in measure.per_query(run, judgements).items() if value == 1.0}
    return covered
