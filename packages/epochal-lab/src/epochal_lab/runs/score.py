"""Scoring any retriever on a set: a function, an object of another library, a TREC run, or an index.

A question whose right answer is "none" is scored by whether the system says so: with an empty list, or with an outcome.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.storage.importers.beir import read_run
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.metrics.evaluation import Average, average, evaluate, parse_measures
from epochal_lab.metrics.runs import Run

MEASURES: Final = "nDCG@10 hit@1 hit@10 R@10"
#: What an answer may be said to be, besides a list of documents.
_SILENT: Final = ("none_recorded", "not_covered")

#: What a function may give for a question: ids, best first, with scores or without.
Found: TypeAlias = Iterable[str | tuple[str, float]]


@runtime_checkable
class Retriever(Protocol):
    """A retriever as LangChain has them: `invoke` gives documents, with their id under `id` or in `metadata`."""

    def invoke(self, query: str) -> Iterable[Any]:
        """The documents for a question, best first."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class SetScores:
    """What a system reached: by measure over all questions that have an answer, the same by kind, and its silences.

    `silent` is how often it rightly said that nothing is recorded, `wrongly_silent` how often it said so of a question
    that has an answer; both are None where there is no such question. `per_query` has the value of each measure for
    each question, for tests of significance and to look at what went wrong.
    """

    measures: Mapping[str, Average]
    kinds: Mapping[str, Mapping[str, Average]]
    silent: Average | None
    wrongly_silent: Average | None
    per_query: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __getitem__(self, measure: str) -> float:
        if measure not in self.measures:
            raise EpochalError(f"{measure} was not measured; accepted: {', '.join(self.measures)}")
        return self.measures[measure].mean


System: TypeAlias = Callable[..., Any] | Retriever | Index | Mapping[str, Mapping[str, float]] | str | os.PathLike[str]


def score(system: System, bench_set: BenchSet, measures: str = MEASURES, *, k: int = 100) -> SetScores:
    """Score a system on a set.

    A system is a function `(question, k, now)` that gives ids, or pairs of id and score, best first; an object with
    `invoke`; an `Index`; a run as a mapping, or the path of a TREC run. An empty answer says that nothing is recorded.
    """
    answers, is_abstention = _collect_answers(system, bench_set, k)
    recorded = [query for query in bench_set.queries if bench_set.qrels.get(query.id)]
    silent = [query for query in bench_set.queries if query.annotations.get("outcome") in _SILENT]
    judged = bench_set.with_queries(recorded)
    evaluation = evaluate(
        {query.id: answers.get(query.id, {}) for query in recorded},
        judged.judgements(times=lambda document: ()),
        parse_measures(measures),
    )
    by_kind: dict[str, list[str]] = {}
    for query in recorded:
        by_kind.setdefault(query.kind, []).append(query.id)
    return SetScores(
        {str(outcome.measure): outcome.average for outcome in evaluation.outcomes},
        {
            kind: {str(item.measure): average([item.values[id] for id in ids]) for item in evaluation.outcomes}
            for kind, ids in by_kind.items()
        },
        _measure_share(silent, is_abstention),
        _measure_share(recorded, is_abstention),
        {str(outcome.measure): dict(outcome.values) for outcome in evaluation.outcomes},
    )


def collect_run(system: System, bench_set: BenchSet, k: int = 100) -> Run:
    """The run of a system on a set: at most k documents per question, without what a question excludes."""
    return _collect_answers(system, bench_set, k)[0]


def _measure_share(queries: list[BenchQuery], flags: Mapping[str, bool]) -> Average | None:
    return average([float(flags[query.id]) for query in queries]) if queries else None


def _collect_answers(system: System, bench_set: BenchSet, k: int) -> tuple[Run, dict[str, bool]]:
    """The run of a system, without what a question excludes, and whether it said that nothing is recorded."""
    run_query = _adapt_system(system)
    run: dict[str, dict[str, float]] = {}
    abstained: dict[str, bool] = {}
    for query in bench_set.queries:
        documents, silent = run_query(query, k + len(query.excluded))
        run[query.id] = {id: value for id, value in documents.items() if id not in query.excluded}
        abstained[query.id] = silent
    return run, abstained


_Retrieve = Callable[[BenchQuery, int], tuple[dict[str, float], bool]]


def _adapt_system(system: System) -> _Retrieve:
    if isinstance(system, Index):
        return lambda query, k: _search_index(system, query, k)
    if isinstance(system, (str, os.PathLike)):
        rows = {query: {row.document: row.score for row in scores} for query, scores in read_run(system).items()}
        return lambda query, k: _add_outcome(rows.get(query.id, {}))
    if isinstance(system, Mapping):
        system_function = system
        return lambda query, k: _add_outcome(dict(system_function.get(query.id, {})))
    if isinstance(system, Retriever):
        retriever = system
        return lambda query, k: _add_outcome(_rank_documents(_get_ids(retriever.invoke(query.text)), query))
    if callable(system):
        function = system
        return lambda query, k: _read_answer(function(query.text, k, query.now), query)
    raise EpochalError(
        f"{type(system).__name__} cannot be scored; accepted: a function (question, k, now), an object with invoke, an "
        f"Index, a run as a mapping, or the path of a TREC run"
    )


def _add_outcome(scores: dict[str, float]) -> tuple[dict[str, float], bool]:
    return scores, not scores


def _search_index(index: Index, query: BenchQuery, k: int) -> tuple[dict[str, float], bool]:
    response = index.search(query.text, k=k, now=query.now, collapse_versions=False)
    return {hit.id: hit.score for hit in response}, response.outcome in _SILENT


def _read_answer(answer: Any, query: BenchQuery) -> tuple[dict[str, float], bool]:
    documents = _rank_documents(answer, query)
    outcome = getattr(answer, "outcome", None)
    return documents, not documents if outcome is None else outcome in _SILENT


def _rank_documents(answer: Any, query: BenchQuery) -> dict[str, float]:
    """Ids with scores; without scores, the order represents them."""
    documents: dict[str, float] = {}
    for position, item in enumerate(answer):
        if isinstance(item, str):
            documents.setdefault(item, -float(position))
        elif isinstance(item, tuple) and len(item) == 2:
            documents.setdefault(str(item[0]), float(item[1]))
        elif isinstance(getattr(item, "id", None), str):
            value = getattr(item, "score", None)
            documents.setdefault(item.id, -float(position) if value is None else float(value))
        else:
            raise EpochalError(
                f"the answer to {query.id!r} has {item!r} in it; accepted: ids, or pairs of an id and a score"
            )
    return documents


def _get_ids(documents: Iterable[Any]) -> list[str]:
    """The ids of another library's documents."""
    ids = []
    for document in documents:
        metadata = getattr(document, "metadata", None) or {}
        id = next(
            (metadata[name] for name in ("id", "_id", "doc_id") if name in metadata), getattr(document, "id", None)
        )
        if id is None:
            raise EpochalError(
                f"a document that was retrieved has no id: {document!r}; accepted: an id under 'id' of its metadata"
            )
        ids.append(str(id))
    return ids
