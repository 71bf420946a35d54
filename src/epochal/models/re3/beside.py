"""How much a Re3 model counts beside the gate's own parts: chosen by searches for questions that it was not trained on.

The searches are whole ones, in which versions are settled after all scores are known: what the model says of versions
may be known already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

import numpy as np

from epochal.engine.index import Index
from epochal.index.inputs import QueryRow
from epochal.ranking.learned.folder import Re3Model
from epochal.ranking.learned.gated import GateRe3
from epochal.ranking.learned.scorer import Re3
from epochal.ranking.pool import Scorer
from epochal.ranking.windows import windows_of
from epochal.reading.questions import understand

__all__ = ["KINDS", "WEIGHTS", "Held", "best_weight", "fit_beside", "kinds_of"]

#: The weights that are tried; the gate gives 1 to words, and 4.5 to a time that answers.
WEIGHTS: Final = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
KINDS: Final = ("plain", "timed")
_DEPTH: Final = 10


@dataclass(frozen=True, slots=True)
class Held:
    """A set to choose by: its index, questions, and what answers them.

    >>> Held.__slots__
    ('index', 'queries', 'answers')
    """

    index: Index
    queries: Sequence[QueryRow]
    answers: Mapping[str, Mapping[str, int]]


def kinds_of(queries: Sequence[QueryRow]) -> dict[str, list[QueryRow]]:
    """The questions without a time, and those that ask for one.

    >>> found = kinds_of([QueryRow("q1", "tariffs in 2003"), QueryRow("q2", "tariffs")])
    >>> [query.id for query in found["timed"]], [query.id for query in found["plain"]]
    (['q1'], ['q2'])
    """
    found: dict[str, list[QueryRow]] = {kind: [] for kind in KINDS}
    for query in queries:
        found["timed" if windows_of(understand(query.text, query.now)) else "plain"].append(query)
    return found


def best_weight(ranks: Callable[[float], Sequence[Sequence[float]]], weights: Sequence[float] = WEIGHTS) -> float:
    """The weight under which the first document is most often right, on the mean over sets, by the ranks of answers.

    Of equals the one with the higher mean reciprocal rank is taken, and then the lowest: 0 where the model does not
    help. Where all is right with a weight, higher ones are not tried.

    >>> best_weight(lambda weight: [[1.0, 2.0 if weight < 1 else 1.0]])
    1.0
    >>> best_weight(lambda weight: [[1.0 + weight]])
    0.0
    """
    best, reached = 0.0, (-1.0, -1.0)
    for weight in weights:
        found = [np.asarray(of_set) for of_set in ranks(weight) if len(of_set)]
        if not found:
            return 0.0
        first = round(float(np.mean([(of_set == 1).mean() for of_set in found])), 6)
        mean = round(float(np.mean([(1 / of_set).mean() for of_set in found])), 6)
        if (first, mean) > reached:
            best, reached = weight, (first, mean)
        if first == 1.0:
            break
    return best


def fit_beside(
    model: Re3Model,
    sets: Sequence[Held],
    *,
    most: int = 200,
    progress: Callable[[int], None] | None = None,
) -> dict[str, float]:
    """The weights for questions without a time and with one, from at most so many questions of each set.

    >>> fit_beside.__name__
    'fit_beside'
    """
    asked = [kinds_of(held.queries[:most]) for held in sets]

    def ranks(kind: str, weight: float) -> list[list[float]]:
        made = GateRe3(Re3(replace(model, beside=dict.fromkeys(KINDS, weight))))
        return [
            [_rank(held, query, made, progress) for query in questions[kind]]
            for held, questions in zip(sets, asked, strict=True)
        ]

    return {kind: best_weight(lambda weight, kind=kind: ranks(kind, weight)) for kind in KINDS}  # type: ignore[misc]


def _rank(held: Held, query: QueryRow, made: GateRe3, progress: Callable[[int], None] | None) -> float:
    chosen = replace(made, re3=replace(made.re3, encoder=held.index.encoder))
    found = held.index.search(
        query.text, k=_DEPTH, now=query.now, collapse_versions=False, scorer=cast("Scorer", chosen)
    )
    if progress is not None:
        progress(1)
    right = held.answers.get(query.id, {})
    return next((float(rank) for rank, hit in enumerate(found, 1) if right.get(hit.id, 0) > 0), float("inf"))
