"""Weights in eight bits, as the bundled models hold them: unsigned around a zero point, a scale for each column."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["ZERO", "quantised", "restored"]

#: What stands for zero.
ZERO: Final = 128
_MOST: Final = 127
_LEAST: Final = 1e-9


def quantised(weight: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """A weight of (inputs, outputs) in eight bits, and the scale of each column.

    >>> small, scale = quantised(np.array([[1.0, -0.5], [-2.0, 0.25]]))
    >>> small.tolist(), (scale * 127).tolist()
    ([[192, 1], [1, 192]], [2.0, 0.5])
    """
    scale = (np.maximum(np.abs(weight).max(axis=0), _LEAST) / np.float32(_MOST)).astype(np.float32)
    return (np.rint(weight / scale) + ZERO).astype(np.uint8), scale


def restored(weight: npt.NDArray[np.uint8], scale: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The weight that eight bits and their scales stand for.

    >>> [round(float(value), 4) for value in restored(*quantised(np.array([[1.0], [-2.0]])))[:, 0]]
    [1.0079, -2.0]
    """
    return (weight.astype(np.float32) - ZERO) * scale
