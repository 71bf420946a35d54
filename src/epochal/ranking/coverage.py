"""Coverage: for a question that needs several periods, the k documents that cover them.

Greedy choice under a submodular gain: relevance, plus the chance that a document answers for a period that nothing
chosen so far has answered for. The best document of a period, by how well it answers and by its relevance, is taken to
answer with a chance of a half at most, so that a second one for the period still adds something, a third less. The last
places are kept for periods that would have none.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.ranking.pool import Floats

__all__ = ["cover"]

#: What it is worth to answer for a period, beside relevance, which is at most 1.
_GAIN: Final = 0.5
#: The chance at which the document that answers best for a period does answer.
_SURE: Final = 0.5
#: A document stands for a period when it answers at least this well, beside the best one for it.
_STANDS: Final = 0.5


def cover(scores: Floats, periods: npt.NDArray[np.float64], k: int) -> tuple[list[int], list[int]]:
    """The places of k documents in the order of choice, and for each the period that it was chosen for, or -1.

    `periods` has a row a period and a column a document: how well the document answers for the period, in [0, 1].

    >>> answers = np.array([[0.9, 0.8, 0.0], [0.0, 0.0, 0.6]])
    >>> cover(np.array([1.0, 0.9, 0.2]), answers, 2)
    ([0, 2], [0, 1])
    """
    relevance = scores / top if (top := float(scores.max(initial=0.0))) > 0 else np.zeros(len(scores))
    worth = _worth(relevance, periods)
    stands = (worth > 0) & (worth >= _STANDS * worth.max(axis=1, initial=0.0, keepdims=True))
    unanswered = np.ones(len(periods))
    without = stands.any(axis=1)
    free = np.ones(len(scores), dtype=np.bool_)
    chosen: list[int] = []
    reasons: list[int] = []
    places = min(k, len(scores))
    while len(chosen) < places:
        gains = unanswered[:, None] * _SURE * worth
        value = np.where(free, relevance + _GAIN * gains.sum(axis=0), -np.inf)
        if without.any() and places - len(chosen) <= without.sum():
            value[~stands[without].any(axis=0)] = -np.inf
        best = int(value.argmax())
        reason = int(gains[:, best].argmax()) if len(periods) and gains[:, best].max() > 0 else -1
        chosen.append(best)
        reasons.append(reason)
        free[best] = False
        unanswered *= 1.0 - _SURE * worth[:, best]
        without &= ~stands[:, best]
    return chosen, reasons


def _worth(relevance: Floats, periods: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """How well each document answers, beside others for the period: relevance tells equals in time apart."""
    both = periods * np.maximum(relevance, 0.0)
    best = both.max(axis=1, initial=0.0, keepdims=True)
    strongest = periods.max(axis=1, initial=0.0, keepdims=True)
    # Where nothing that answers for a period is relevant, how well it answers is all there is.
    return np.where(best > 0, both / np.where(best > 0, best, 1.0) * strongest, periods)
