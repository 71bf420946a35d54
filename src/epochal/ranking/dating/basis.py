"""What is learned of a year holds for those beside it too: functions of the year that weights are learned for."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError

__all__ = ["year_functions"]


def year_functions(years: int, spread: float) -> npt.NDArray[np.float32]:
    """Functions of the year, one a column: each year's own, and bumps that reach over others.

    The bumps are `spread` years wide and as far apart; what is learned for one holds for years without any training
    text too. They are half as high, so that a year's own column comes first where there are texts to learn from. A
    spread of 0 leaves them out.

    >>> year_functions(3, 0).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> year_functions(41, 4.0).shape, float(year_functions(41, 4.0)[:, 41].max())
    ((41, 52), 0.5)
    """
    if not (math.isfinite(spread) and spread >= 0):
        raise EpochalError(f"the spread of years is {spread}; accepted: a number from 0")
    own = np.eye(years, dtype=np.float32)
    if spread == 0 or years == 1:
        return own
    middles = np.linspace(0, years - 1, math.ceil((years - 1) / spread) + 1)
    bumps = 0.5 * np.exp(-0.5 * ((np.arange(years)[:, None] - middles) / spread) ** 2)
    return np.concatenate([own, bumps.astype(np.float32)], axis=1)
