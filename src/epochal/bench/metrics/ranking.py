"""Ranking: a run in the order that is measured, made once and used by every measure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from epochal.bench.metrics.base import Judgements, Run
from epochal.errors import EpochalError

__all__ = ["Bools", "Floats", "Integers", "Ranking"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Ranking:
    """The documents of a run, best first, question after question, as one long table.

    Documents are ordered by score; those of equal score keep the order that they have in the run. Documents that a
    question excludes are left out, and those after them move up. Of every row of the table, `row` has the number of the
    question in `queries`, `rank` the rank from 1, and `documents` the document. Only questions of which something is
    known are in it; `unjudged` counts the others, and `unanswered` the known ones that the run has no document for.

    >>> ranking = Ranking({"q1": {"d1": 0.5, "d2": 0.9}, "q9": {"d1": 1.0}}, Judgements({"q1": {"d1": 1}, "q2": {}}))
    >>> ranking.queries, ranking.documents, ranking.rank
    (('q1', 'q2'), ['d2', 'd1'], array([1, 2]))
    >>> ranking.unjudged, ranking.unanswered
    (1, 1)
    """

    def __init__(self, run: Run, judgements: Judgements) -> None:
        self.judgements = judgements
        self.queries = judgements.query_ids
        self.documents: list[str] = []
        counts = np.zeros(len(self.queries), dtype=np.int64)
        for number, query in enumerate(self.queries):
            ordered = _ordered(query, run.get(query, {}))
            barred = judgements.excluded.get(query)
            if barred:
                ordered = [document for document in ordered if document not in barred]
            self.documents += ordered
            counts[number] = len(ordered)
        known = set(self.queries)
        self.unjudged = sum(query not in known for query in run)
        self.counts: Integers = counts
        self.starts: Integers = np.concatenate([[0], np.cumsum(counts)])
        self.row: Integers = np.repeat(np.arange(len(self.queries)), counts)
        self.rank: Integers = np.arange(len(self.documents)) - np.repeat(self.starts[:-1], counts) + 1

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def unanswered(self) -> int:
        """How many known questions the run has no document for.

        >>> Ranking({}, Judgements({"q1": {"d1": 1}})).unanswered
        1
        """
        return int((self.counts == 0).sum())

    def found(self, number: int, cutoff: int | None = None) -> list[str]:
        """The documents of a question, by its number; the first so many.

        >>> Ranking({"q1": {"d1": 0.5, "d2": 0.9}}, Judgements({"q1": {"d1": 1}})).found(0, 1)
        ['d2']
        """
        start, end = int(self.starts[number]), int(self.starts[number + 1])
        return self.documents[start : end if cutoff is None else min(end, start + cutoff)]

    def top(self, cutoff: int | None) -> Bools:
        """Which rows stand within the cut-off; all without one.

        >>> Ranking({"q1": {"d1": 0.5, "d2": 0.9}}, Judgements({"q1": {"d1": 1}})).top(1)
        array([ True, False])
        """
        return np.ones(len(self.rank), dtype=bool) if cutoff is None else self.rank <= cutoff

    def sums(self, chosen: Bools, weights: Floats | None = None) -> Floats:
        """For each question the sum of the weights of its chosen rows, or how many there are.

        >>> ranking = Ranking({"q1": {"d1": 0.5, "d2": 0.9}}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 1}}))
        >>> ranking.sums(ranking.relevance > 0)
        array([1., 0.])
        """
        given = None if weights is None else weights[chosen]
        return np.bincount(self.row[chosen], weights=given, minlength=len(self)).astype(np.float64)

    def running(self, chosen: Bools) -> Integers:
        """For each row how many rows of its question are chosen up to it, itself included.

        >>> ranking = Ranking({"q1": {"d1": 3, "d2": 2, "d3": 1}}, Judgements({"q1": {"d1": 1, "d3": 1}}))
        >>> ranking.running(ranking.relevance > 0)
        array([1, 1, 2])
        """
        total = np.concatenate([[0], np.cumsum(chosen)])
        return np.asarray(total[1:] - np.repeat(total[self.starts[:-1]], self.counts), dtype=np.int64)

    @cached_property
    def relevance(self) -> Integers:
        """How relevant each document is; 0 where nobody has said so.

        >>> Ranking({"q1": {"d1": 0.5, "d2": 0.9}}, Judgements({"q1": {"d1": 2}})).relevance
        array([0, 2])
        """
        grades: list[int] = []
        for number, query in enumerate(self.queries):
            judged = self.judgements.qrels.get(query, {})
            grades += [judged.get(document, 0) for document in self.found(number)]
        return np.asarray(grades, dtype=np.int64)

    @cached_property
    def ideal(self) -> tuple[Integers, Integers, Integers]:
        """The judged documents, the most relevant first: the number of the question, the rank and the relevance.

        >>> Ranking({}, Judgements({"q1": {"d1": 1, "d2": 2}})).ideal[2]
        array([2, 1])
        """
        grades = [sorted(self.judgements.qrels.get(query, {}).values(), reverse=True) for query in self.queries]
        counts = np.asarray([len(judged) for judged in grades], dtype=np.int64)
        row = np.repeat(np.arange(len(self)), counts)
        rank = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
        return row, rank, np.asarray([grade for judged in grades for grade in judged], dtype=np.int64)

    def relevant(self, level: int = 1) -> Floats:
        """How many documents are relevant to each question, at this level or above.

        >>> Ranking({}, Judgements({"q1": {"d1": 1, "d2": 2}})).relevant(2)
        array([1.])
        """
        row, _, grades = self.ideal
        return np.bincount(row[grades >= level], minlength=len(self)).astype(np.float64)


def _ordered(query: str, scores: Mapping[str, float]) -> list[str]:
    # The sum tells in one go whether all are numbers; only where it is none are they looked at one by one.
    if not math.isfinite(sum(scores.values())):
        for document, score in scores.items():
            if not math.isfinite(score):
                raise EpochalError(f"the score of {document!r} for {query!r} is {score}; accepted: a number")
    return sorted(scores, key=scores.__getitem__, reverse=True)  # sorting in reverse keeps the order of equals
