"""A run and its judgements without some of the documents or questions, as if they had never been there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from epochal.bench.metrics.base import Judgements, Run

__all__ = ["restricted"]


def restricted(
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
    >>> run, judged = restricted(run, judged, documents=lambda document: document != "none-recorded")
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

    told = replace(
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
    kept = {
        query: {document: score for document, score in found.items() if stays(document)}
        for query, found in run.items()
        if query_stays(query)
    }
    return kept, told
