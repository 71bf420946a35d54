"""Fit the weights of the default scorer to queries with known answers, through the engine that will use them.

The fit is listwise (ListNet): the scores of a query's candidates form a softmax, and the weights minimise its
cross-entropy with the answers. There is one weight per score component, not below 0, so that no component counts
against a document. The weight of the lexical score is 1; the others are relative to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.ranking.pool import Floats, get_windows
from epochal.ranking.scorer import ScorerWeights, WeightedScorer
from epochal.reading.questions.understand import understand
from epochal.search.candidates import collect_candidates
from epochal.storage.importers.beir import QueryRow

_STEPS: Final = 400
_RATE: Final = 0.05
#: Keeps the weights of uninformative components bounded.
_DECAY: Final = 1e-3
#: Candidates per query: its answers, and the best of the others.
_MAX_CANDIDATES: Final = 100

_DEPTH = 100
_PLAIN = ("lexical", "semantic")
_TIMED = ("lexical", "semantic", "alignment")


@dataclass(frozen=True, slots=True, eq=False)
class GateExample:
    """The candidates of one query: one row per candidate, one column per score component, and which of them are
    answers.
    """

    parts: Floats
    answers: npt.NDArray[np.bool_]


def fit_weights(examples: Sequence[GateExample], start: Sequence[float]) -> Floats:
    """Fit the weights of the score components, the first of them scaled to 1, beginning with `start`."""
    useful = [item for item in examples if item.answers.any() and not item.answers.all()]
    if not useful:
        raise EpochalError(
            f"none of {len(examples)} questions has both an answer and a wrong document among its candidates; "
            f"there is nothing to learn from"
        )
    first = np.asarray(start, dtype=np.float64)
    lists = [_trim(item, first) for item in useful]
    weights, mean, square = first.copy(), np.zeros_like(first), np.zeros_like(first)
    for step in range(1, _STEPS + 1):
        slope = (
            sum(_compute_gradient(parts, answers, weights) for parts, answers in lists) / len(lists) + _DECAY * weights
        )
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        weights -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        np.maximum(weights, 0.0, out=weights)
    if not weights[0] > 0:
        raise EpochalError(
            "the words of these questions say nothing about their answers; no gate can be fitted to them"
        )
    scaled: Floats = weights / weights[0]
    return scaled


def _trim(item: GateExample, start: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(-(item.parts @ start), kind="stable")[:_MAX_CANDIDATES]
    rows = np.union1d(order, np.flatnonzero(item.answers))
    answers = item.answers[rows].astype(np.float64)
    return item.parts[rows], answers / answers.sum()


def _compute_gradient(parts: Floats, answers: Floats, weights: Floats) -> Floats:
    """Return the gradient of the cross-entropy."""
    scores = parts @ weights
    share = np.exp(scores - scores.max())
    share /= share.sum()
    slope: Floats = (share - answers) @ parts
    return slope


def collect_examples(
    index: Index,
    queries: Iterable[QueryRow],
    answers: Mapping[str, Mapping[str, int]],
    *,
    progress: Callable[[int], None] | None = None,
) -> dict[str, list[GateExample]]:
    """Collect examples for the queries of a collection, separately for queries with and without a time."""
    examples: dict[str, list[GateExample]] = {"plain": [], "timed": []}
    gate, view = WeightedScorer(), index.view()
    for query in queries:
        right = view.find_document_rows([id for id, grade in answers.get(query.id, {}).items() if grade > 0])
        understood = understand(query.text, query.now)
        windows = get_windows(understood)
        pool = collect_candidates(view, index.encoder, query.text, understood, query.now, windows, None, _DEPTH)
        parts, _ = gate.measure_components(pool)
        names = _TIMED if windows else _PLAIN
        columns = np.stack([parts[name] for name in names], axis=1)
        examples["timed" if windows else "plain"].append(GateExample(columns, np.isin(pool.document_rows, right)))
        if progress is not None:
            progress(1)
    return examples


def train_gate(examples: Mapping[str, list[GateExample]], start: ScorerWeights) -> ScorerWeights:
    """Fit weights to examples; a kind of query without examples keeps its weights from `start`."""
    groups = {"plain": dict(start.plain), "timed": dict(start.timed)}
    for name, parts in (("plain", _PLAIN), ("timed", _TIMED)):
        if examples.get(name):
            weights = fit_weights(examples[name], [groups[name].get(part, 0.0) for part in parts])
            groups[name].update(zip(parts, (round(float(value), 3) for value in weights), strict=True))
    return ScorerWeights(groups["plain"], groups["timed"], dict(start.fresh))
