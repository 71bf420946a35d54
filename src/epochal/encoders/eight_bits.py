"""Weights in eight bits, as the bundled models hold them: unsigned around a zero point, a scale for each column."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["ZERO", "changed", "quantised", "restored"]

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


def changed(
    weight: npt.NDArray[np.uint8],
    scale: npt.NDArray[np.float32],
    inputs: npt.NDArray[np.float32],
    outputs: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """A weight in eight bits to which the product of two thin matrices, (inputs, rank) and (rank, outputs), is added.

    What is added may be far below half of a step everywhere, so that to round each number by itself would leave the
    weight as it was. So numbers are rounded one input after the other, up or down as keeps the sum of the errors small
    in the directions that the product reads, weighed against the error of the number itself. The scale of a column
    stays as it is unless its numbers grow beyond it.

    >>> weight, scale = np.full((100, 1), 130, np.uint8), np.array([1.0], np.float32)
    >>> more, _ = changed(weight, scale, np.ones((100, 1), np.float32), np.array([[0.04]], np.float32))
    >>> int((more.astype(int) - weight).sum())
    4
    """
    base, delta = restored(weight, scale), inputs @ outputs
    found = np.maximum(scale, np.abs(base + delta).max(axis=0) / np.float32(_MOST)).astype(np.float32)
    # Where the scale stays, what was in eight bits is whole numbers of steps, and must not become 2.9999.
    steps = np.where(found == scale, weight.astype(np.float64) - ZERO, base / found)
    wanted = steps + delta / found
    basis = np.linalg.qr(inputs.astype(np.float64))[0]
    errors: npt.NDArray[np.float64] = np.zeros((basis.shape[1], weight.shape[1]))
    made = np.empty(weight.shape, np.int16)
    for place, direction in enumerate(basis):
        # Of rounding down and up, the one with the lesser |errors + error * direction|^2 + error^2 * |direction|^2:
        # this is half of what the sum gains by a step, where `error` is that of rounding down.
        below = np.floor(wanted[place])
        error = below - wanted[place]
        up = direction @ errors + (1 + 2 * error) * (direction @ direction) < 0
        made[place] = below + up
        errors += np.outer(direction, made[place] - wanted[place])
    return (np.clip(made, -_MOST, _MOST) + ZERO).astype(np.uint8), found
