"""TimeVar: how far from the time asked for the times of what was found lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from epochal.bench.metrics.base import DocumentTimes
from epochal.bench.metrics.distances import BETWEEN, UNITS, nearest
from epochal.bench.metrics.measure import Choices, Measure, Scores
from epochal.bench.metrics.ranking import Ranking
from epochal.errors import EpochalError

__all__ = ["TimeVar"]

_NONE: Final = DocumentTimes()


@dataclass(frozen=True, slots=True)
class TimeVar(Measure):
    """Re3's TimeVar@K: the mean, over the first K documents, of the squared distance to the time asked for.

    A document is as far away as the nearest of its times is from the nearest period of the question. `unit` is that of
    the distance before it is squared; `between` is what is taken for it, see `distance`. Documents without times are
    left out (`missing=skip`), or count, like ranks that the run leaves empty, as `penalty` units away
    (`missing=penalise`). Lower is better; it says nothing of topics, so never optimise it alone.

    >>> from epochal.bench.metrics import Judgements, QueryTimes
    >>> from epochal.times import Span
    >>> times = {"d1": DocumentTimes((Span.year(2004),)), "d2": DocumentTimes((Span.year(2006), Span.year(1950)))}
    >>> judged = Judgements(documents=times, queries={"q1": QueryTimes((Span.year(2004),))})
    >>> round(TimeVar(5).per_query({"q1": {"d1": 3, "d2": 2, "d3": 1}}, judged)["q1"], 3)
    1.997
    """

    name: ClassVar[str] = "TimeVar"
    title: ClassVar[str] = "mean squared distance in time"
    needs = ("periods", "content")
    needs_cutoff = True
    higher_is_better = False
    choices: ClassVar[Choices] = {"unit": tuple(UNITS), "missing": ("skip", "penalise"), "between": BETWEEN}

    unit: str = "years"
    missing: str = "skip"
    between: str = "spans"
    penalty: float = 10.0

    def __post_init__(self) -> None:
        Measure.__post_init__(self)
        if not 0 <= self.penalty < float("inf"):
            raise EpochalError(f"the parameter penalty of {self.name} is {self.penalty}; accepted: a number from 0")

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where it has no period, or nothing within K has a time.

        >>> from epochal.bench.metrics import Judgements
        >>> TimeVar(5).score(Ranking({}, Judgements({"q1": {"d1": 1}}))).values
        array([nan])
        """
        depth = self.cutoff or 0
        values = np.full(len(ranking), np.nan)
        gaps = np.zeros(len(ranking), dtype=np.int64)
        for number, query in enumerate(ranking.queries):
            asked = ranking.judgements.queries.get(query)
            if asked is None or not asked.periods:
                continue
            found = ranking.found(number, depth)
            away = [
                nearest(asked.periods, ranking.judgements.documents.get(document, _NONE).content, self.between)
                for document in found
            ]
            squares = [(seconds / UNITS[self.unit]) ** 2 for seconds in away if seconds is not None]
            gaps[number] = len(found) - len(squares)
            if self.missing == "penalise":
                squares += [self.penalty**2] * (depth - len(squares))
            if squares:
                values[number] = sum(squares) / len(squares)
        return Scores(values, gaps)
