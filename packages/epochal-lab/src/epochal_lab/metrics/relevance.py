"""Measures of relevance: AP, hit, MRR, nDCG, P, R."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epochal_lab.metrics.measure import Choices, Measure, Scores
from epochal_lab.metrics.runs import Floats, Integers, Ranking


@dataclass(frozen=True, slots=True)
class AP(Measure):
    """The mean, over all relevant documents, of the precision at their ranks; 0 for those beyond the cut-off.

    `rel` is the least relevance that counts. The name `MAP` is read too.

    >>> from epochal_lab.metrics import Judgements
    >>> AP(10).per_query({"q1": {"d2": 0.9, "d1": 0.5}}, Judgements({"q1": {"d1": 1, "d3": 1}}))
    {'q1': 0.25}
    """

    name: ClassVar[str] = "AP"
    title: ClassVar[str] = "mean average precision"

    rel: int = 1

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant.

        >>> from epochal_lab.metrics import Judgements
        >>> AP().score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        relevant = ranking.relevance >= self.rel
        precision = ranking.count_running(relevant) / ranking.rank
        sums = ranking.sum_rows(ranking.top(self.cutoff) & relevant, precision)
        all_ = ranking.relevant(self.rel)
        return Scores(np.divide(sums, all_, out=np.full(len(ranking), np.nan), where=all_ > 0))


@dataclass(frozen=True, slots=True)
class Hit(Measure):
    """1 where a relevant document is within the cut-off, else 0; `rel` is the least relevance that counts.

    >>> from epochal_lab.metrics import Judgements
    >>> Hit(1).per_query({"q1": {"d2": 0.9, "d1": 0.5}}, Judgements({"q1": {"d1": 1, "d2": 1}}))
    {'q1': 1.0}
    """

    name: ClassVar[str] = "hit"
    title: ClassVar[str] = "share of questions with a hit"

    rel: int = 1

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant.

        >>> from epochal_lab.metrics import Judgements
        >>> Hit(10).score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        hits = ranking.sum_rows(ranking.top(self.cutoff) & (ranking.relevance >= self.rel))
        return Scores(np.where(ranking.relevant(self.rel) > 0, np.minimum(hits, 1.0), np.nan))


@dataclass(frozen=True, slots=True)
class MRR(Measure):
    """1 / rank of the first relevant document, 0 where none is within the cut-off.

    `rel` is the least relevance that counts.

    >>> from epochal_lab.metrics import Judgements
    >>> MRR(10).per_query({"q1": {"d2": 0.9, "d1": 0.5}}, Judgements({"q1": {"d1": 1}}))
    {'q1': 0.5}
    """

    name: ClassVar[str] = "MRR"
    title: ClassVar[str] = "mean reciprocal rank"

    rel: int = 1

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant.

        >>> from epochal_lab.metrics import Judgements
        >>> MRR().score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        relevant = ranking.relevance >= self.rel
        first = ranking.top(self.cutoff) & relevant & (ranking.count_running(relevant) == 1)
        sums = ranking.sum_rows(first, 1.0 / ranking.rank)
        return Scores(np.where(ranking.relevant(self.rel) > 0, sums, np.nan))


@dataclass(frozen=True, slots=True)
class NDCG(Measure):
    """Discounted cumulative gain, as a share of that of the best order: sum of gain / log2(rank + 1).

    `gain` is what a document of relevance r brings: r (`linear`), 2^r - 1 (`exp`), or 1 where r is 1 or more
    (`binary`).

    >>> from epochal_lab.metrics import Judgements
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

        >>> from epochal_lab.metrics import Judgements
        >>> NDCG(10).score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        relevant = ranking.top(self.cutoff) & (ranking.relevance > 0)
        discounted = compute_gains(ranking.relevance[relevant], self.gain) / np.log2(ranking.rank[relevant] + 1.0)
        got = np.bincount(ranking.row[relevant], weights=discounted, minlength=len(ranking))
        row, rank, grades = ranking.ideal
        within = (grades > 0) if self.cutoff is None else (grades > 0) & (rank <= self.cutoff)
        discounted = compute_gains(grades, self.gain)[within] / np.log2(rank[within] + 1.0)
        best = np.bincount(row[within], weights=discounted, minlength=len(ranking))
        return Scores(np.divide(got, best, out=np.full(len(ranking), np.nan), where=best > 0))


def compute_gains(grades: Integers, gain: str) -> Floats:
    """What documents of these relevances bring."""
    positive = np.maximum(grades, 0).astype(np.float64)
    if gain == "exp":
        return np.exp2(positive) - 1.0
    return np.minimum(positive, 1.0) if gain == "binary" else positive


@dataclass(frozen=True, slots=True)
class Precision(Measure):
    """The relevant documents within the cut-off, divided by the cut-off, also where fewer were found.

    Without a cut-off they are divided by the number of documents found. `rel` is the least relevance that counts.

    >>> from epochal_lab.metrics import Judgements
    >>> Precision(5).per_query({"q1": {"d2": 0.9, "d1": 0.5}}, Judgements({"q1": {"d1": 1}}))
    {'q1': 0.2}
    """

    name: ClassVar[str] = "P"
    title: ClassVar[str] = "precision"

    rel: int = 1

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant.

        >>> from epochal_lab.metrics import Judgements
        >>> Precision(1).score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        hits = ranking.sum_rows(ranking.top(self.cutoff) & (ranking.relevance >= self.rel))
        output = np.maximum(ranking.counts, 1) if self.cutoff is None else self.cutoff
        return Scores(np.where(ranking.relevant(self.rel) > 0, hits / output, np.nan))


@dataclass(frozen=True, slots=True)
class Recall(Measure):
    """The share of the relevant documents that are within the cut-off: recall proper, also for windows of time.

    `rel` is the least relevance that counts. What ChunQiuTR calls Recall@K is `hit@K`.

    >>> from epochal_lab.metrics import Judgements
    >>> Recall(1).per_query({"q1": {"d2": 0.9, "d1": 0.5}}, Judgements({"q1": {"d1": 1, "d2": 1}}))
    {'q1': 0.5}
    """

    name: ClassVar[str] = "R"
    title: ClassVar[str] = "recall"

    rel: int = 1

    def score(self, ranking: Ranking) -> Scores:
        """The value for each question; undefined where nothing is relevant.

        >>> from epochal_lab.metrics import Judgements
        >>> Recall(10).score(Ranking({}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 0}}))).values
        array([ 0., nan])
        """
        hits = ranking.sum_rows(ranking.top(self.cutoff) & (ranking.relevance >= self.rel))
        all_ = ranking.relevant(self.rel)
        return Scores(np.divide(hits, all_, out=np.full(len(ranking), np.nan), where=all_ > 0))
