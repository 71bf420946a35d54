"""TR: how much of what was found helps with the time of a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epochal.bench.metrics.measure import Choices, Measure, Scores
from epochal.bench.metrics.ranking import Ranking
from epochal.bench.metrics.verdict_rows import judged_queries, verdict_rows

__all__ = ["TemporalRelevance"]


@dataclass(frozen=True, slots=True)
class TemporalRelevance(Measure):
    """TEMPO's TR@k: the share of the first k documents that the judge found relevant.

    It divides by k (`depth=k`, as the paper says), or by the number of documents there are (`depth=judged`, as its code
    does). A document without a verdict lowers neither: it is taken out of both counts (`missing=skip`); `missing=miss`
    and `missing=hit` count it as not relevant and as relevant, and the value lies between the two.

    >>> from epochal.bench.metrics import Judgements, Verdict
    >>> judged = Judgements(verdicts={"q1": {"d1": Verdict(True), "d2": Verdict(None), "d3": Verdict(False)}})
    >>> run = {"q1": {"d1": 5, "d2": 4, "d3": 3}}
    >>> [TemporalRelevance(4, missing=way).per_query(run, judged)["q1"] for way in ("miss", "skip", "hit")]
    [0.25, 0.3333333333333333, 0.5]
    """

    name: ClassVar[str] = "TR"
    title: ClassVar[str] = "temporal relevance"
    needs = ("verdicts",)
    needs_cutoff = True
    choices: ClassVar[Choices] = {"depth": ("k", "judged"), "missing": ("skip", "miss", "hit")}

    depth: str = "k"
    missing: str = "skip"

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where no judge was asked, or nothing within k has a verdict.

        >>> from epochal.bench.metrics import Judgements
        >>> TemporalRelevance(5).score(Ranking({}, Judgements({"q1": {}}, verdicts={"q2": {}}))).values
        array([nan,  0.])
        """
        told = verdict_rows(ranking, self.cutoff)
        asked = judged_queries(ranking)
        top = ranking.top(self.cutoff) & asked[ranking.row]
        gaps = ranking.sums(top & np.isnan(told))
        relevant = ranking.sums(top & (told == 1)) + (gaps if self.missing == "hit" else 0.0)
        full = np.full(len(ranking), float(self.cutoff or 0)) if self.depth == "k" else ranking.sums(top)
        size = full - gaps if self.missing == "skip" else full
        share = np.divide(relevant, size, out=np.zeros(len(ranking)), where=size > 0)
        only_gaps = (gaps > 0) & (ranking.sums(top) == gaps) & (self.missing == "skip")
        return Scores(np.where(asked & ~only_gaps, share, np.nan), gaps.astype(np.int64))
