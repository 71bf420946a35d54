"""How far probabilities can be believed: reliability bins, expected calibration error, and risk by coverage."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError

#: How many bins of equal width the probabilities are put into.
BINS: Final = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Events with probabilities from `low` to `high`: how many, their mean probability, the share that came true."""

    low: float
    high: float
    count: int
    mean: float
    share: float


def make_bins(probabilities: Sequence[float], truths: Sequence[bool], bins: int = BINS) -> list[Bin]:
    """The bins that hold any event, lowest first.

    >>> make_bins([0.92, 0.98, 0.3], [True, False, False])
    [Bin(low=0.3, high=0.4, count=1, mean=0.3, share=0.0), Bin(low=0.9, high=1.0, count=2, mean=0.95, share=0.5)]
    """
    values, true = _check(probabilities, truths)
    positions = np.minimum((values * bins).astype(np.int64), bins - 1)
    filled = []
    for position in np.unique(positions).tolist():
        inside = positions == position
        mean, share = round(float(values[inside].mean()), 6), round(float(true[inside].mean()), 6)
        filled.append(Bin(position / bins, (position + 1) / bins, int(inside.sum()), mean, share))
    return filled


def compute_calibration_error(probabilities: Sequence[float], truths: Sequence[bool], bins: int = BINS) -> float:
    """The expected calibration error: how far mean probability and share lie apart, averaged over events by bins.

    >>> compute_calibration_error([0.95, 0.95], [True, False])
    0.45
    """
    filled = make_bins(probabilities, truths, bins)
    total = sum(one.count for one in filled)
    return round(math.fsum(one.count * abs(one.mean - one.share) for one in filled) / total, 6) if total else math.nan


def compute_risk_at_coverage(probabilities: Sequence[float], truths: Sequence[bool], coverage: float) -> float:
    """The share of wrong statements among the most certain ones, as many as `coverage` is of all.

    >>> compute_risk_at_coverage([0.9, 0.8, 0.7, 0.1], [True, True, False, False], 0.5)
    0.0
    """
    values, true = _check(probabilities, truths)
    if not 0 < coverage <= 1:
        raise EpochalError(f"coverage is {coverage!r}; accepted: more than 0, at most 1")
    if not values.size:
        return math.nan
    count = max(1, round(coverage * values.size))
    first = np.argsort(-values, kind="stable")[:count]
    return float(1 - true[first].mean())


def _check(
    probabilities: Sequence[float], truths: Sequence[bool]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    values, true = np.asarray(probabilities, dtype=np.float64), np.asarray(truths, dtype=np.bool_)
    if values.shape != true.shape:
        raise EpochalError(f"{values.size} probabilities with {true.size} truths; accepted: one truth for each")
    if values.size and not (values.min() >= 0 and values.max() <= 1):
        wrong = next(value for value in values.tolist() if not 0 <= value <= 1)
        raise EpochalError(f"a probability is {wrong!r}; accepted: from 0 to 1")
    return values, true
