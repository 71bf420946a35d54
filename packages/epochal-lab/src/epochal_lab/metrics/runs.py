"""Runs, judgements, and the ranking that every measure is computed on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times.span import Span

#: By question and document how relevant it is; 0 says that it was looked at and is not.
Qrels = Mapping[str, Mapping[str, int]]
#: By question, for each of its periods in their order, the documents that mention it.
PeriodQrels = Mapping[str, tuple[frozenset[str], ...]]
#: By question and document the score that a system gave; the higher, the better.
Run = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of one document for one question.

    `relevant` tells whether it helps with what the question asks of time, `covers` whether it mentions each of the
    question's periods, in their order; it is empty where the question has no periods. None is a gap: the judge failed,
    or was not asked. A gap is never a no.

    >>> Verdict(True, (True, None)).gaps
    1
    """

    relevant: bool | None = None
    covers: tuple[bool | None, ...] = ()

    @property
    def gaps(self) -> int:
        """How many of its answers are missing.

        >>> Verdict().gaps, Verdict(False).gaps
        (1, 0)
        """
        return (self.relevant, *self.covers).count(None)


#: By question and document what a judge said. A question without any temporal intent is not in it.
Verdicts = Mapping[str, Mapping[str, Verdict]]


@dataclass(frozen=True, slots=True)
class DocumentTimes:
    """The times of a document: those that it mentions, and when it was published.

    >>> DocumentTimes((Span.year(1998),)).published is None
    True
    """

    content: tuple[Span, ...] = ()
    published: Span | None = None


@dataclass(frozen=True, slots=True)
class QueryTimes:
    """The times of a question: the periods that it is about, and when it is asked.

    >>> QueryTimes((Span.year(1998), Span.year(2003))).now is None
    True
    """

    periods: tuple[Span, ...] = ()
    now: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """All that runs are measured against; each measure takes what it needs, and leaves out questions that lack it.

    `excluded` names documents that are taken out of a question's ranking before anything is counted.

    >>> judged = Judgements({"q1": {"d1": 1}}, queries={"q1": QueryTimes((Span.year(1998),))})
    >>> judged.query_ids
    ('q1',)
    """

    qrels: Qrels = field(default_factory=dict)
    period_qrels: PeriodQrels = field(default_factory=dict)
    verdicts: Verdicts = field(default_factory=dict)
    documents: Mapping[str, DocumentTimes] = field(default_factory=dict)
    queries: Mapping[str, QueryTimes] = field(default_factory=dict)
    excluded: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Every question of which anything is known, in the order of the judgements.

        >>> Judgements({"q2": {"d": 1}}, verdicts={"q1": {}, "q2": {}}).query_ids
        ('q2', 'q1')
        """
        return tuple(dict.fromkeys((*self.qrels, *self.period_qrels, *self.verdicts, *self.queries)))


def stated_times(document: Document) -> tuple[Span, ...]:
    """The times that a document is known to mention: the EDTF texts under `times` of its `meta`."""
    texts = document.meta.get("times", ())
    if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
        raise EpochalError(f"the times of document {document.id!r} are {texts!r}; accepted: a list of EDTF texts")
    try:
        return tuple(Span.parse(text) for text in texts)
    except EpochalError as error:
        raise EpochalError(f"the times of document {document.id!r} cannot be read: {error}") from None


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
            ordered = _order_documents(query, run.get(query, {}))
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

    def get_documents(self, number: int, cutoff: int | None = None) -> list[str]:
        """The documents of a question, by its number; the first so many.

        >>> Ranking({"q1": {"d1": 0.5, "d2": 0.9}}, Judgements({"q1": {"d1": 1}})).get_documents(0, 1)
        ['d2']
        """
        start, end = int(self.starts[number]), int(self.starts[number + 1])
        return self.documents[start : end if cutoff is None else min(end, start + cutoff)]

    def top(self, cutoff: int | None) -> Bools:
        """Which rows are within the cut-off; all without one.

        >>> Ranking({"q1": {"d1": 0.5, "d2": 0.9}}, Judgements({"q1": {"d1": 1}})).top(1)
        array([ True, False])
        """
        return np.ones(len(self.rank), dtype=bool) if cutoff is None else self.rank <= cutoff

    def sum_rows(self, selected: Bools, weights: Floats | None = None) -> Floats:
        """For each question the sum of the weights of its selected rows, or how many there are.

        >>> ranking = Ranking({"q1": {"d1": 0.5, "d2": 0.9}}, Judgements({"q1": {"d1": 1}, "q2": {"d1": 1}}))
        >>> ranking.sum_rows(ranking.relevance > 0)
        array([1., 0.])
        """
        row_weights = None if weights is None else weights[selected]
        return np.bincount(self.row[selected], weights=row_weights, minlength=len(self)).astype(np.float64)

    def count_running(self, selected: Bools) -> Integers:
        """For each row how many rows of its question are selected up to it, itself included.

        >>> ranking = Ranking({"q1": {"d1": 3, "d2": 2, "d3": 1}}, Judgements({"q1": {"d1": 1, "d3": 1}}))
        >>> ranking.count_running(ranking.relevance > 0)
        array([1, 1, 2])
        """
        total = np.concatenate([[0], np.cumsum(selected)])
        return np.asarray(total[1:] - np.repeat(total[self.starts[:-1]], self.counts), dtype=np.int64)

    @cached_property
    def relevance(self) -> Integers:
        """How relevant each document is; 0 where it is not judged.

        >>> Ranking({"q1": {"d1": 0.5, "d2": 0.9}}, Judgements({"q1": {"d1": 2}})).relevance
        array([0, 2])
        """
        grades: list[int] = []
        for number, query in enumerate(self.queries):
            judged = self.judgements.qrels.get(query, {})
            grades += [judged.get(document, 0) for document in self.get_documents(number)]
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


def _order_documents(query: str, scores: Mapping[str, float]) -> list[str]:
    # The sum tells in one go whether all are numbers; only where it is none are they looked at one by one.
    if not math.isfinite(sum(scores.values())):
        for document, score in scores.items():
            if not math.isfinite(score):
                raise EpochalError(f"the score of {document!r} for {query!r} is {score}; accepted: a number")
    return sorted(scores, key=scores.__getitem__, reverse=True)  # sorting in reverse keeps the order of equals


def restrict(
    run: Run,
    judgements: Judgements,
    *,
    documents: Callable[[str], bool] | None = None,
    queries: Callable[[str], bool] | None = None,
) -> tuple[Run, Judgements]:
    """The run and the judgements with only the documents and questions that are kept.

    Documents that are not kept leave the ranking, and those below move up. Questions that had something relevant and
    now have nothing leave too. So ChunQiuTR's modes are had from one run over all records: without placeholders
    (`ne0`), without commentary (`neg0`), without questions that only placeholders answer (`dq1`). The run must be deep
    enough that enough documents are left.

    >>> run = {"q1": {"none-recorded": 0.9, "d1": 0.5}, "q2": {"none-recorded": 0.9}}
    >>> judged = Judgements({"q1": {"d1": 1}, "q2": {"none-recorded": 1}})
    >>> run, judged = restrict(run, judged, documents=lambda document: document != "none-recorded")
    >>> run, dict(judged.qrels)
    ({'q1': {'d1': 0.5}}, {'q1': {'d1': 1}})
    """
    barred_queries = set()
    if documents is not None:
        for query, judged in judgements.qrels.items():
            relevant = [document for document, grade in judged.items() if grade > 0]
            if relevant and not any(documents(document) for document in relevant):
                barred_queries.add(query)

    def query_stays(query: str) -> bool:
        return query not in barred_queries and (queries is None or queries(query))

    def stays(document: str) -> bool:
        return documents is None or documents(document)

    restricted = replace(
        judgements,
        qrels={
            query: {document: grade for document, grade in judged.items() if stays(document)}
            for query, judged in judgements.qrels.items()
            if query_stays(query)
        },
        period_qrels={
            query: tuple(frozenset(filter(stays, covering)) for covering in sets)
            for query, sets in judgements.period_qrels.items()
            if query_stays(query)
        },
        verdicts={query: verdicts for query, verdicts in judgements.verdicts.items() if query_stays(query)},
        queries={query: times for query, times in judgements.queries.items() if query_stays(query)},
    )
    selected = {
        query: {document: score for document, score in scores.items() if stays(document)}
        for query, scores in run.items()
        if query_stays(query)
    }
    return selected, restricted
