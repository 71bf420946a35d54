"""MFG: how much older than the freshest right document what was found is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from epochal.bench.metrics.base import DocumentTimes
from epochal.bench.metrics.distances import BETWEEN, UNITS, distance
from epochal.bench.metrics.measure import Choices, Measure, Scores
from epochal.bench.metrics.ranking import Ranking
from epochal.errors import EpochalError
from epochal.times import Span

__all__ = ["MFG"]

_NONE: Final = DocumentTimes()


@dataclass(frozen=True, slots=True)
class MFG(Measure):
    """Re3's MFG@K, the mean freshness gap: how long before the freshest relevant document the first K were published.

    A wrong document that is newer has a negative gap, unless `clip` makes it 0. `unit`, `between`, `missing` and
    `penalty` are as for TimeVar; `rel` is the least relevance that counts. Lower is better; it says nothing of topics.

    >>> from epochal.bench.metrics import Judgements
    >>> days = {"new": "2004-05-09", "old": "2004-05-01"}
    >>> published = {name: DocumentTimes((), Span.parse(day)) for name, day in days.items()}
    >>> judged = Judgements({"q1": {"new": 1}}, documents=published)
    >>> MFG(5).per_query({"q1": {"new": 3, "old": 2, "undated": 1}}, judged)
    {'q1': 4.0}
    """

    name: ClassVar[str] = "MFG"
    title: ClassVar[str] = "mean freshness gap"
    needs = ("qrels", "published")
    needs_cutoff = True
    higher_is_better = False
    choices: ClassVar[Choices] = {"unit": tuple(UNITS), "missing": ("skip", "penalise"), "between": BETWEEN}

    unit: str = "days"
    missing: str = "skip"
    clip: bool = False
    between: str = "spans"
    penalty: float = 10.0
    rel: int = 1

    def __post_init__(self) -> None:
        Measure.__post_init__(self)
        if not 0 <= self.penalty < float("inf"):
            raise EpochalError(f"the parameter penalty of {self.name} is {self.penalty}; accepted: a number from 0")

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where no relevant document, or nothing within K, has a date.

        >>> from epochal.bench.metrics import Judgements
        >>> MFG(5).score(Ranking({}, Judgements({"q1": {"d1": 1}}))).values
        array([nan])
        """
        depth = self.cutoff or 0
        values = np.full(len(ranking), np.nan)
        gaps = np.zeros(len(ranking), dtype=np.int64)
        published = ranking.judgements.documents
        for number, query in enumerate(ranking.queries):
            freshest = self._freshest(ranking.judgements.qrels.get(query, {}), published)
            if freshest is None:
                continue
            found = ranking.found(number, depth)
            dates = [published.get(document, _NONE).published for document in found]
            told = [distance(date, freshest, self.between) for date in dates if date is not None]
            lags = [seconds / UNITS[self.unit] for seconds in told if seconds is not None]
            gaps[number] = len(found) - len(lags)
            if self.clip:
                lags = [max(lag, 0.0) for lag in lags]
            if self.missing == "penalise":
                lags += [self.penalty] * (depth - len(lags))
            if lags:
                values[number] = sum(lags) / len(lags)
        return Scores(values, gaps)

    def _freshest(self, judged: Mapping[str, int], published: Mapping[str, DocumentTimes]) -> Span | None:
        dates = [published.get(document, _NONE).published for document, grade in judged.items() if grade >= self.rel]
        return max((date for date in dates if date is not None), key=lambda date: (date.start, date.end), default=None)
