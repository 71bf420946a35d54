"""Coverage: for a question that needs several periods, the k documents that cover them.

Greedy choice under a submodular gain: relevance, plus what a document adds to periods that nothing chosen so far
answers for. The first document for a period adds most, a second adds what it answers better.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.ranking.pool import Floats

__all__ = ["cover"]

#: What it is worth to cover a period in full, beside relevance, which is at most 1.
_GAIN: Final = 2.0


def cover(scores: Floats, periods: npt.NDArray[np.float64], k: int) -> tuple[list[int], list[int]]:
    """The places of k documents in the order of choice, and for each the period that it was chosen for, or -1.

    `periods` has a row a period and a column a document: how well the document answers for the period, in [0, 1].

    >>> answers = np.array([[0.9, 0.8, 0.0], [0.0, 0.0, 0.6]])
    >>> cover(np.array([1.0, 0.9, 0.2]), answers, 3)
    ([0, 2, 1], [0, 1, -1])
    """
    relevance = scores / top if (top := float(scores.max(initial=0.0))) > 0 else np.zeros(len(scores))
    covered = np.zeros(len(periods))
    free = np.ones(len(scores), dtype=np.bool_)
    chosen: list[int] = []
    reasons: list[int] = []
    while len(chosen) < min(k, len(scores)):
        gains = np.maximum(periods - covered[:, None], 0.0)
        value = np.where(free, relevance + _GAIN * gains.sum(axis=0), -np.inf)
        best = int(value.argmax())
        reason = int(gains[:, best].argmax()) if len(periods) and gains[:, best].max() > 0 else -1
        chosen.append(best)
        reasons.append(reason)
        free[best] = False
        covered = np.maximum(covered, periods[:, best])
    return chosen, reasons
