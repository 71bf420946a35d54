"""How much a Re3 model counts beside the gate's own parts: chosen by searches for questions that it was not trained on.

The searches are whole ones, in which versions are settled after all scores are known: what the model says of versions
may be known already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from epochal.bench.metrics import measure_rankings
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
_MEASURES: Final = ("hit@1", "MRR@10")

#: By measure a value for each question of a set.
Values = Mapping[str, npt.NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Held:
    """A set to choose by: its index, questions, and what answers them."""

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


def best_weight(values: Callable[[float], Sequence[Values]], weights: Sequence[float] = WEIGHTS) -> float:
    """The weight with the highest hit@1, on the mean over sets, where `values` gives the measures of each set.

    Of equals the one with the higher mean reciprocal rank is taken, and then the lowest: 0 where the model does not
    help. Higher weights are not tried where everything is right already.

    >>> best_weight(lambda weight: [{"hit@1": np.array([weight < 1]), "MRR@10": np.array([1 / (1 + weight)])}])
    0.0
    """
    best, reached = 0.0, (-1.0, -1.0)
    for weight in weights:
        found = [of_set for of_set in values(weight) if len(of_set["hit@1"])]
        if not found:
            return 0.0
        first, mean = (round(float(np.mean([of_set[name].mean() for of_set in found])), 6) for name in _MEASURES)
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
    """The weights for questions without a time and with one, from at most so many questions of each set."""
    asked = [kinds_of(held.queries[:most]) for held in sets]

    def values(kind: str, weight: float) -> list[Values]:
        scorer = GateRe3(Re3(replace(model, beside=dict.fromkeys(KINDS, weight))))
        return [
            _measure_set(held, questions[kind], scorer, progress) for held, questions in zip(sets, asked, strict=True)
        ]

    return {kind: best_weight(lambda weight, kind=kind: values(kind, weight)) for kind in KINDS}  # type: ignore[misc]


def _measure_set(
    held: Held, queries: Sequence[QueryRow], scorer: GateRe3, progress: Callable[[int], None] | None
) -> Values:
    own = cast("Scorer", replace(scorer, re3=replace(scorer.re3, encoder=held.index.encoder)))
    ranked = []
    for query in queries:
        response = held.index.search(query.text, k=_DEPTH, now=query.now, collapse_versions=False, scorer=own)
        ranked.append([hit.id for hit in response])
        if progress is not None:
            progress(1)
    values = measure_rankings(ranked, [held.answers.get(query.id, {}) for query in queries], " ".join(_MEASURES))
    # A question without an answer is never right.
    return {name: np.nan_to_num(value) for name, value in values.items()}
