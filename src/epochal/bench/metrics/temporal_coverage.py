"""TC: how many of the periods that a question must cover are covered by what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epochal.bench.metrics.base import Verdict
from epochal.bench.metrics.measure import Choices, Measure, Scores
from epochal.bench.metrics.ranking import Ranking

__all__ = ["TemporalCoverage"]


@dataclass(frozen=True, slots=True)
class TemporalCoverage(Measure):
    """TEMPO's TC@k, for any number of periods: the share of them that some document within k covers.

    Verdicts of a judge go before period labels (`period_qrels`). Where verdicts are missing and could still make a
    period covered, the value is undefined (`missing=skip`); `missing=miss` and `missing=hit` give the least and the
    most that it can be. With `periods=coverable`, periods that no document of the labels covers are not counted, as
    subtopic recall does it; with verdicts there is no telling, and all count.

    >>> from epochal.bench.metrics import Judgements
    >>> judged = Judgements(period_qrels={"q1": (frozenset({"d1"}), frozenset({"d2", "d3"}))})
    >>> TemporalCoverage(2).per_query({"q1": {"d3": 3, "d2": 2, "d1": 1}}, judged)
    {'q1': 0.5}
    """

    name: ClassVar[str] = "TC"
    title: ClassVar[str] = "temporal coverage"
    needs = ("coverage",)
    needs_cutoff = True
    choices: ClassVar[Choices] = {"missing": ("skip", "miss", "hit"), "periods": ("required", "coverable")}

    missing: str = "skip"
    periods: str = "required"

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where it has no periods to cover.

        >>> from epochal.bench.metrics import Judgements
        >>> judged = Judgements({"q1": {}}, period_qrels={"q2": (frozenset({"d1"}),)})
        >>> TemporalCoverage(5).score(Ranking({}, judged)).values
        array([nan,  0.])
        """
        values = np.full(len(ranking), np.nan)
        gaps = np.zeros(len(ranking), dtype=np.int64)
        for number, query in enumerate(ranking.queries):
            found = ranking.found(number, self.cutoff)
            verdicts = ranking.judgements.verdicts.get(query, {})
            count = max((len(verdict.covers) for verdict in verdicts.values()), default=0)
            if count:
                values[number], gaps[number] = self._judged(found, verdicts, count)
            elif query in ranking.judgements.period_qrels:
                sets = ranking.judgements.period_qrels[query]
                if self.periods == "coverable":
                    sets = tuple(covering for covering in sets if covering)
                if sets:
                    values[number] = sum(not covering.isdisjoint(found) for covering in sets) / len(sets)
        return Scores(values, gaps)

    def _judged(self, found: list[str], verdicts: Mapping[str, Verdict], count: int) -> tuple[float, int]:
        unknown: tuple[bool | None, ...] = (None,) * count
        told = [((verdicts.get(document) or Verdict()).covers + unknown)[:count] for document in found]
        states = [[covers[period] for covers in told] for period in range(count)]
        gaps = sum(None in covers for covers in told)
        if self.missing == "skip" and any(None in state and True not in state for state in states):
            return float("nan"), gaps
        counted = (True, None) if self.missing == "hit" else (True,)
        return sum(any(covers in counted for covers in state) for state in states) / count, gaps
