"""Train a Re3 model from pools to a folder that any search can use.

The weight of the model in the combined scorer is chosen by complete searches for queries that were not trained on:
versions are promoted after scoring there, so part of what the model knows about versions may add nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.ranking.pool import Scorer, get_windows
from epochal.reading.questions.understand import understand
from epochal.storage.importers.beir import QueryRow
from epochal_lab.metrics.functions import measure_rankings
from epochal_lab.models.re3.model import Re3Model, write_model
from epochal_lab.models.re3.pools import Pools
from epochal_lab.models.re3.scorer import GateRe3, Re3
from epochal_lab.models.re3.settings import Re3Settings
from epochal_lab.models.re3.task import Re3Task, select_trainable
from epochal_lab.models.training.checkpoint import seed_all
from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.trainer import TrainProgress, TrainRun, train

#: The candidate weights; the default scorer gives 1 to words, and 4.5 to a matching time.
WEIGHTS: Final = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
KINDS: Final = ("plain", "timed")
_DEPTH: Final = 10
_MEASURES: Final = ("hit@1", "MRR@10")

#: By measure one value per query of a set.
Values = Mapping[str, npt.NDArray[np.float64]]

#: How often an epoch repeats a small set at most, so that a large one does not dominate.
_MAX_REPEATS: Final = 4


@dataclass(frozen=True, slots=True)
class HoldoutSet:
    """A set to choose weights by: its index, queries and answers."""

    index: Index
    queries: Sequence[QueryRow]
    answers: Mapping[str, Mapping[str, int]]


def split_by_kind(queries: Sequence[QueryRow]) -> dict[str, list[QueryRow]]:
    """Split queries into those without a time ("plain") and those with ("timed")."""
    by_kind: dict[str, list[QueryRow]] = {kind: [] for kind in KINDS}
    for query in queries:
        by_kind["timed" if get_windows(understand(query.text, query.now)) else "plain"].append(query)
    return by_kind


def select_weight(values: Callable[[float], Sequence[Values]], weights: Sequence[float] = WEIGHTS) -> float:
    """Return the weight with the highest hit@1, averaged over sets; `values` returns the measures of each set.

    Ties go to the higher MRR, then to the lowest weight: 0 if the model does not help. Higher weights are not tried
    once every query is right.
    """
    best, reached = 0.0, (-1.0, -1.0)
    for weight in weights:
        measured = [of_set for of_set in values(weight) if len(of_set["hit@1"])]
        if not measured:
            return 0.0
        first, mean = (round(float(np.mean([of_set[name].mean() for of_set in measured])), 6) for name in _MEASURES)
        if (first, mean) > reached:
            best, reached = weight, (first, mean)
        if first == 1.0:
            break
    return best


def fit_mixing_weights(
    model: Re3Model,
    sets: Sequence[HoldoutSet],
    *,
    most: int = 200,
    progress: Callable[[int], None] | None = None,
) -> dict[str, float]:
    """Choose the weights for queries without and with a time, from at most `most` queries of each set."""
    queries = [split_by_kind(holdout.queries[:most]) for holdout in sets]

    def values(kind: str, weight: float) -> list[Values]:
        scorer = GateRe3(Re3(replace(model, mixing_weights=dict.fromkeys(KINDS, weight))))
        return [
            _measure_set(holdout, questions[kind], scorer, progress)
            for holdout, questions in zip(sets, queries, strict=True)
        ]

    return {kind: select_weight(lambda weight, kind=kind: values(kind, weight)) for kind in KINDS}  # type: ignore[misc]


def _measure_set(
    holdout: HoldoutSet, queries: Sequence[QueryRow], scorer: GateRe3, progress: Callable[[int], None] | None
) -> Values:
    own = cast("Scorer", replace(scorer, re3=replace(scorer.re3, encoder=holdout.index.encoder)))
    ranked = []
    for query in queries:
        response = holdout.index.search(query.text, k=_DEPTH, now=query.now, collapse_versions=False, scorer=own)
        ranked.append([hit.id for hit in response])
        if progress is not None:
            progress(1)
    values = measure_rankings(ranked, [holdout.answers.get(query.id, {}) for query in queries], " ".join(_MEASURES))
    # A query without an answer counts as missed.
    return {name: np.nan_to_num(value) for name, value in values.items()}


@dataclass(frozen=True, slots=True, eq=False)
class TrainResult:
    """A trained model, and its run."""

    model: Re3Model
    run: TrainRun


def compute_repeats(sizes: Sequence[int]) -> list[int]:
    """Return how often an epoch uses each of several sets, by their sizes."""
    largest = max(sizes, default=0)
    return [max(1, min(_MAX_REPEATS, largest // size)) if size else 1 for size in sizes]


def train_re3(
    settings: Re3Settings,
    training: TrainSettings,
    sets: Sequence[Pools],
    dev: Sequence[Pools],
    folder: Path | None = None,
    *,
    dropout: float = 0.0,
    held: Sequence[HoldoutSet] = (),
    progress: TrainProgress | None = None,
    resume: bool = False,
) -> TrainResult:
    """Train on sets, choose the best parameters on `dev`, and write the model's folder.

    The folder gets model.safetensors, config.json, and the trainer's files in run/. `held` are the development queries
    with their indexes, by which the mixing weights are chosen; without them the weights are 0.
    """
    if not sets or not dev:
        raise EpochalError(
            f"Re3 needs questions to train on and others to choose by, but was given {len(sets)} and {len(dev)} sets"
        )
    names = sorted({pools.encoder for pools in (*sets, *dev)})
    if len(names) > 1:
        raise EpochalError(f"the sets were indexed with {', '.join(names)}; accepted: one encoder for all")
    seed_all(training.seed)
    task = Re3Task(
        settings, sets, dev, dropout=dropout, repeat=compute_repeats([len(select_trainable(pools)) for pools in sets])
    )
    run = train(task, training, None if folder is None else folder / "run", progress=progress, resume=resume)
    network = task.model.cpu().numpy()
    model = Re3Model(network, names[0])
    if held:
        model = replace(model, mixing_weights=fit_mixing_weights(model, held))
    if folder is not None:
        write_model(
            folder,
            model,
            questions=sum(len(pools) for pools in sets),
            best={name: round(value, 4) for name, value in run.best.items()},
            training=training.to_dict(),
            timestamp_dropout=dropout,
        )
    return TrainResult(model, run)
