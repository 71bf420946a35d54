"""TP: whether what helps with the time of a question stands at the top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epochal.bench.metrics.measure import Choices, Measure, Scores
from epochal.bench.metrics.ranking import Ranking
from epochal.bench.metrics.verdict_rows import judged_queries, verdict_rows

__all__ = ["TemporalPrecision"]


@dataclass(frozen=True, slots=True)
class TemporalPrecision(Measure):
    """TEMPO's TP@k: the mean precision at the ranks within k where the judge found a document relevant.

    0 where none is. It divides by what was found, so that a single hit at the top is worth 1: read it beside TR.
    Documents without a verdict are taken out and the others move up (`missing=skip`), or count as not relevant
    (`missing=miss`, as in the paper's code).

    >>> from epochal.bench.metrics import Judgements, Verdict
    >>> run = {"q1": {"d1": 5, "d2": 4, "d3": 3}}
    >>> verdicts = {"q1": {"d1": Verdict(None), "d2": Verdict(True), "d3": Verdict(False)}}
    >>> TemporalPrecision(3).per_query(run, Judgements(verdicts=verdicts))
    {'q1': 1.0}
    >>> TemporalPrecision(3, missing="miss").per_query(run, Judgements(verdicts=verdicts))
    {'q1': 0.5}
    """

    name: ClassVar[str] = "TP"
    title: ClassVar[str] = "temporal precision"
    needs = ("verdicts",)
    needs_cutoff = True
    choices: ClassVar[Choices] = {"missing": ("skip", "miss")}

    missing: str = "skip"

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where no judge was asked, or nothing within k has a verdict.

        >>> from epochal.bench.metrics import Judgements
        >>> TemporalPrecision(5).score(Ranking({}, Judgements({"q1": {}}, verdicts={"q2": {}}))).values
        array([nan,  0.])
        """
        told = verdict_rows(ranking, self.cutoff)
        asked = judged_queries(ranking)
        top = ranking.top(self.cutoff) & asked[ranking.row]
        gap = top & np.isnan(told)
        kept = top & ~gap if self.missing == "skip" else top
        relevant = kept & (told == 1)
        precision = ranking.running(relevant) / np.maximum(ranking.running(kept), 1)
        count = ranking.sums(relevant)
        mean = np.divide(ranking.sums(relevant, precision), count, out=np.zeros(len(ranking)), where=count > 0)
        defined = asked & ((ranking.sums(kept) > 0) | (ranking.counts == 0))
        return Scores(np.where(defined, mean, np.nan), ranking.sums(gap).astype(np.int64))
