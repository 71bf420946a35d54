"""tnDCG: nDCG whose gains say how well a document's time fits the time asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from epochal.bench.metrics.base import DocumentTimes
from epochal.bench.metrics.measure import Choices, Measure, Scores
from epochal.bench.metrics.ndcg import NDCG
from epochal.bench.metrics.ranking import Ranking
from epochal.times import Span

__all__ = ["OVERLAP", "TemporalNDCG", "overlap"]

#: What an overlap is a share of.
OVERLAP: Final = ("shorter", "period", "document", "union")

_NONE: Final = DocumentTimes()


@dataclass(frozen=True, slots=True)
class TemporalNDCG(Measure):
    """Temporal nDCG: a relevant document gains by how much its times overlap the periods of the question.

    Its gain is that of nDCG times its overlap, which is the mean, over the periods, of the largest share that one of
    its times has in common with them. `share` says of what: of the shorter of the two (1 where either lies within the
    other), of the period, of the document's time, or of both together. Relevant documents without times are left out
    of the ranking and of the best order (`missing=skip`), or gain nothing (`missing=miss`).

    >>> from epochal.bench.metrics import Judgements, QueryTimes
    >>> times = {"d1": DocumentTimes((Span.parse("2003-07/2004-06"),)), "d2": DocumentTimes((Span.year(2004),))}
    >>> judged = Judgements({"q1": {"d1": 1, "d2": 1}}, documents=times, queries={"q1": QueryTimes((Span.year(2004),))})
    >>> round(TemporalNDCG(10).per_query({"q1": {"d1": 2, "d2": 1}}, judged)["q1"], 3)
    0.859
    >>> TemporalNDCG(10).per_query({"q1": {"d2": 2, "d1": 1}}, judged)
    {'q1': 1.0}
    """

    name: ClassVar[str] = "tnDCG"
    title: ClassVar[str] = "nDCG by overlap in time"
    needs = ("qrels", "periods", "content")
    choices: ClassVar[Choices] = {"share": OVERLAP, "gain": NDCG.choices["gain"], "missing": ("skip", "miss")}

    share: str = "shorter"
    gain: str = "linear"
    missing: str = "skip"

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where it has no period, or nothing relevant overlaps one.

        >>> from epochal.bench.metrics import Judgements
        >>> TemporalNDCG(5).score(Ranking({}, Judgements({"q1": {"d1": 1}}))).values
        array([nan])
        """
        brings = np.zeros(len(ranking.documents))
        undated = np.zeros(len(ranking.documents), dtype=bool)
        gained = [self._gained(ranking, query) for query in ranking.queries]
        best = np.asarray(
            [self._discounted([value for value in values.values() if value is not None]) for values in gained]
        )
        for place in np.flatnonzero(ranking.relevance > 0).tolist():
            value = gained[ranking.row[place]].get(ranking.documents[place], 0.0)
            undated[place] = value is None
            brings[place] = value or 0.0
        rank = ranking.rank - (ranking.running(undated) if self.missing == "skip" else 0)
        top = np.ones(len(rank), dtype=bool) if self.cutoff is None else rank <= self.cutoff
        got = ranking.sums(top & (brings > 0), brings / np.log2(np.maximum(rank, 1) + 1.0))
        values = np.divide(got, best, out=np.full(len(ranking), np.nan), where=best > 0)
        return Scores(values, ranking.sums(undated & ranking.top(self.cutoff)).astype(np.int64))

    def _gained(self, ranking: Ranking, query: str) -> dict[str, float | None]:
        """What each relevant document brings; None for those whose times are not known."""
        judged, asked = ranking.judgements.qrels.get(query, {}), ranking.judgements.queries.get(query)
        if asked is None or not asked.periods:
            return {}
        brought: dict[str, float | None] = {}
        for document, grade in judged.items():
            if grade > 0:
                times = ranking.judgements.documents.get(document, _NONE).content
                brought[document] = self._worth(grade) * overlap(asked.periods, times, self.share) if times else None
        return brought

    def _worth(self, grade: int) -> float:
        if self.gain == "linear":
            return float(grade)
        return 1.0 if self.gain == "binary" else 2.0**grade - 1.0

    def _discounted(self, brought: Sequence[float]) -> float:
        """What the best order of these would gain."""
        kept = sorted(brought, reverse=True)[: self.cutoff]
        return sum(value / math.log2(rank + 1) for rank, value in enumerate(kept, 1))


def overlap(periods: Sequence[Span], times: Iterable[Span], share: str = "shorter") -> float:
    """The mean, over the periods, of the largest share that one of the times has in common with it.

    >>> periods = [Span.year(2004)]
    >>> [overlap(periods, [Span.parse("2004-07/2006-06")], of) for of in ("shorter", "union")]
    [0.5027322404371585, 0.20175438596491227]
    >>> overlap([Span.year(2004), Span.year(2009)], [Span.parse("2004-05")])
    0.5
    """
    given = tuple(times)
    return sum(max((_share(period, time, share) for time in given), default=0.0) for period in periods) / len(periods)


def _share(period: Span, time: Span, share: str) -> float:
    common = min(period.end, time.end) - max(period.start, time.start)
    if common <= 0:
        return 0.0
    if share == "shorter":
        return common / min(period.seconds, time.seconds)
    if share == "union":
        return common / (period.seconds + time.seconds - common)
    return common / (period if share == "period" else time).seconds
