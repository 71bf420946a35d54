"""Training the gate: weights under which the documents that are known to answer come first.

A listwise fit. For each question the scores of its candidates make a softmax, and the weights move until it puts its
mass on the answers: the cross-entropy of ListNet with one weight a part, kept at 0 or above so that every part stays
something that speaks for a document. The weight of the words is the unit in which all others are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.ranking.pool import Floats

__all__ = ["Example", "fit"]

_STEPS: Final = 400
_RATE: Final = 0.05
#: Keeps weights of parts that say little from growing without bound.
_DECAY: Final = 1e-3
#: Candidates a question that are learned from: its answers, and the strongest of the others.
_MOST: Final = 100


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """The candidates of one question: a row a candidate, a column a part, and which of them answer.

    >>> Example(np.zeros((3, 2)), np.array([True, False, False])).answers.sum()
    np.int64(1)
    """

    parts: Floats
    answers: npt.NDArray[np.bool_]


def fit(examples: Sequence[Example], start: Sequence[float]) -> Floats:
    """The weights of the parts, the first of them 1, from examples and the weights to start from.

    >>> wrong, right = [0.8, 0.0], [0.9, 1.0]
    >>> examples = [Example(np.array([wrong, right]), np.array([False, True]))] * 5
    >>> weights = fit(examples, [1.0, 0.1])
    >>> bool(weights[1] > 0.5)
    True
    """
    useful = [item for item in examples if item.answers.any() and not item.answers.all()]
    if not useful:
        raise EpochalError(
            f"none of {len(examples)} questions has both an answer and a wrong document among its candidates; "
            f"there is nothing to learn from"
        )
    first = np.asarray(start, dtype=np.float64)
    lists = [_trimmed(item, first) for item in useful]
    weights, mean, square = first.copy(), np.zeros_like(first), np.zeros_like(first)
    for step in range(1, _STEPS + 1):
        slope = sum(_slope(parts, answers, weights) for parts, answers in lists) / len(lists) + _DECAY * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        weights -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        np.maximum(weights, 0.0, out=weights)
    if not weights[0] > 0:
        raise EpochalError(
            "the words of these questions say nothing about their answers; no gate can be fitted to them"
        )
    fitted: Floats = weights / weights[0]
    return fitted


def _trimmed(item: Example, start: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(-(item.parts @ start), kind="stable")[:_MOST]
    kept = np.union1d(order, np.flatnonzero(item.answers))
    answers = item.answers[kept].astype(np.float64)
    return item.parts[kept], answers / answers.sum()


def _slope(parts: Floats, answers: Floats, weights: Floats) -> Floats:
    """The gradient of the cross-entropy."""
    scores = parts @ weights
    share = np.exp(scores - scores.max())
    share /= share.sum()
    slope: Floats = (share - answers) @ parts
    return slope
