"""Measures of ranked records by question, their means, and how sure those are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError

__all__ = ["MEASURES", "interval", "measured", "summary"]

Floats = npt.NDArray[np.float64]

#: Hits are what the paper calls recall; R is recall proper, the share of a question's answers that was found.
MEASURES: Final = ("hit@1", "hit@5", "hit@10", "MRR@10", "nDCG@10", "R@10", "R@100")

_SEED: Final = 7


def measured(ranked: Sequence[int], answers: Set[int]) -> dict[str, float]:
    """The measures of one question, from records ranked best first and those that are right.

    >>> found = measured([5, 3, 9], {3, 4})
    >>> [found[name] for name in ("hit@1", "hit@5", "MRR@10", "R@10")], round(found["nDCG@10"], 4)
    ([0.0, 1.0, 0.5, 0.5], 0.3869)
    """
    if not answers:
        raise EpochalError("a question without an answer cannot be measured")
    right = np.array([row in answers for row in ranked], dtype=np.float64)
    first = int(np.argmax(right)) + 1 if right.any() else 0
    gains = 1 / np.log2(np.arange(2, 12))
    ideal = gains[: min(len(answers), 10)].sum()
    return {
        "hit@1": float(right[:1].any()),
        "hit@5": float(right[:5].any()),
        "hit@10": float(right[:10].any()),
        "MRR@10": 1 / first if 0 < first <= 10 else 0.0,
        "nDCG@10": float((right[:10] * gains[: len(right[:10])]).sum() / ideal),
        "R@10": float(right[:10].sum() / len(answers)),
        "R@100": float(right[:100].sum() / len(answers)),
    }


def interval(values: Sequence[float], rounds: int = 2000, level: float = 0.95) -> tuple[float, float]:
    """Between which bounds the mean lies, by drawing the questions anew; the same values give the same bounds.

    >>> interval([0.0, 1.0] * 50)
    (0.4, 0.6)
    """
    every = np.asarray(values, dtype=np.float64)
    if not len(every):
        raise EpochalError("no values to take a mean of; accepted: one or more")
    draw = np.random.default_rng(_SEED)
    means = np.array([every[draw.integers(0, len(every), len(every))].mean() for _ in range(rounds)])
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return round(float(low), 4), round(float(high), 4)


def summary(rows: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Means of the measures of some questions with their bounds, and how many questions there were.

    >>> made = summary({"q1": measured([1], {1}), "q2": measured([2], {1})})
    >>> made["questions"], made["hit@1"]["mean"]
    (2, 0.5)
    """
    told: dict[str, Any] = {"questions": len(rows)}
    for name in MEASURES:
        values = [row[name] for row in rows.values()]
        if values:
            low, high = interval(values)
            told[name] = {"mean": round(float(np.mean(values)), 4), "low": low, "high": high}
    return told
