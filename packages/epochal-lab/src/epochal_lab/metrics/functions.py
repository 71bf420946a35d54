"""Measures of plain rankings: lists of ids, best first, against the ids that are relevant.

Each function calls the measure class of the same meaning, so there is one implementation. Ids are anything hashable;
what is relevant is a set of ids, or a mapping of ids to grades. A value is nan where nothing is relevant.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from epochal.errors import EpochalError
from epochal_lab.metrics.evaluation import parse_measures
from epochal_lab.metrics.measure import Measure
from epochal_lab.metrics.relevance import AP, MRR, NDCG, Hit, Precision, Recall
from epochal_lab.metrics.runs import Floats, Judgements, Ranking, Run

#: Document ids, best first: a list, a tuple or a numpy array.
Ranked: TypeAlias = Iterable[Hashable]
#: The relevant ids, or a grade by id.
Relevant: TypeAlias = Mapping[Any, int] | Collection[Hashable]


def ndcg(ranked: Ranked, relevant: Relevant, k: int | None = None, *, gain: str = "linear") -> float:
    """nDCG@k of one ranking; `gain` is linear, exp or binary."""
    return _measure(NDCG(k, gain), ranked, relevant)


def recall(ranked: Ranked, relevant: Relevant, k: int | None = None) -> float:
    """R@k: the share of the relevant documents that are among the first k."""
    return _measure(Recall(k), ranked, relevant)


def hit(ranked: Ranked, relevant: Relevant, k: int | None = None) -> float:
    """hit@k: 1 where any of the first k documents is relevant, else 0."""
    return _measure(Hit(k), ranked, relevant)


def reciprocal_rank(ranked: Ranked, relevant: Relevant, k: int | None = None) -> float:
    """1 / the rank of the first relevant document, 0 where none is among the first k; the mean of it is MRR@k."""
    return _measure(MRR(k), ranked, relevant)


def average_precision(ranked: Ranked, relevant: Relevant, k: int | None = None) -> float:
    """AP@k, whose mean over queries is MAP@k."""
    return _measure(AP(k), ranked, relevant)


def precision(ranked: Ranked, relevant: Relevant, k: int | None = None) -> float:
    """P@k: the relevant documents among the first k, divided by k."""
    return _measure(Precision(k), ranked, relevant)


def measure_ranking(ranked: Ranked, relevant: Relevant, measures: str | Iterable[Measure]) -> dict[str, float]:
    """Several measures of one ranking, by name.

    >>> measure_ranking([5, 3, 9], {3, 4}, "hit@1 MRR@10 R@10")
    {'hit@1': 0.0, 'MRR@10': 0.5, 'R@10': 0.5}
    """
    return {name: float(values[0]) for name, values in measure_rankings([ranked], [relevant], measures).items()}


def measure_rankings(
    ranked: Sequence[Ranked], relevant: Sequence[Relevant], measures: str | Iterable[Measure]
) -> dict[str, Floats]:
    """Several measures of many rankings at once: by name an array with a value for each query.

    >>> measure_rankings([[5, 3], [7]], [{3}, {7, 8}], "hit@1 R@10")
    {'hit@1': array([0., 1.]), 'R@10': array([1. , 0.5])}
    """
    if len(ranked) != len(relevant):
        counts = f"{len(ranked)} rankings and {len(relevant)} sets of relevant ids"
        raise EpochalError(f"{counts}; accepted: one set for each ranking")
    run: dict[str, dict[Any, float]] = {}
    for position, ids in enumerate(ranked):
        listed = _list_ids(ids)
        run[str(position)] = {name: -float(rank) for rank, name in enumerate(listed)}
        if len(run[str(position)]) < len(listed):
            twice = next(name for rank, name in enumerate(listed) if name in listed[:rank])
            raise EpochalError(f"ranking {position} has {twice!r} twice; accepted: each document once")
    grades = {
        str(position): known if isinstance(known, Mapping) else dict.fromkeys(known, 1)
        for position, known in enumerate(relevant)
    }
    # Ids of any type serve: measures compare them, and nothing more.
    ranking = Ranking(cast("Run", run), Judgements(cast("Mapping[str, Mapping[str, int]]", grades)))
    selected = parse_measures(measures) if isinstance(measures, str) else measures
    return {str(measure): measure.score(ranking).values for measure in selected}


def _measure(measure: Measure, ranked: Ranked, relevant: Relevant) -> float:
    listed = _list_ids(ranked)
    return float(measure_rankings([listed[: measure.cutoff]], [relevant], [measure])[str(measure)][0])


def _list_ids(ids: Ranked) -> list[Any]:
    # The numbers of a numpy array become Python's own, which are found faster.
    return cast("list[Any]", ids.tolist()) if hasattr(ids, "tolist") else list(ids)
