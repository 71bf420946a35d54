"""Fixed codes of classes and of distances in time: sines and cosines at the published frequencies, or at full ones.

The published frequencies are at most one radian over the whole range, so that neighbouring classes have almost the same
row and a distance of a month cannot be told from none. Full ones go up to Nyquist's: half a turn from one class to the
next.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from epochal.errors import EpochalError

__all__ = ["codebook", "distance_codes", "frequencies", "full_codebook", "full_frequencies"]


def frequencies(count: int) -> Tensor:
    """The published frequencies: 10000^(-k / (count - 1)), from 1 down to 1/10000.

    >>> [round(value, 4) for value in frequencies(3).tolist()]
    [1.0, 0.01, 0.0001]
    """
    _check("count", count, 2)
    # Raised in float64: the steps between float32 exponents would show in the fourth decimal.
    return (10000.0 ** -torch.linspace(0, 1, count, dtype=torch.float64)).float()


def codebook(classes: int, width: int = 64) -> Tensor:
    """A row for each class c at position c / (classes - 1): sines of all frequencies first, then cosines.

    >>> rows = codebook(12, 64)
    >>> rows.shape, round(rows[11, 0].item(), 4), rows[0, 32:].min().item()
    (torch.Size([12, 64]), 0.8415, 1.0)
    """
    _check("classes", classes, 2)
    _even(width)
    places = torch.arange(classes, dtype=torch.float64) / (classes - 1)
    angles = places[:, None] * frequencies(width // 2).double()
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


def full_codebook(classes: int, width: int = 64, *, cyclic: bool = False) -> Tensor:
    """A row for each class whose sines and cosines turn up to half round from class to class, so that classes differ.

    As many frequencies as the width holds, spread evenly from the slowest up to Nyquist's; the rows have length 1. A
    cyclic codebook makes the last class a neighbour of the first, as December is of January.

    >>> rows = full_codebook(12, 12, cyclic=True)
    >>> bool((rows @ rows.T - torch.eye(12)).abs().max() < 0.2), bool((rows[0] - rows[11]).norm() > 0.9)
    (True, True)
    """
    _check("classes", classes, 2)
    _even(width)
    # A cycle closes after whole turns; on a line half turns are told apart too, and the slowest is half a turn.
    turn = 2 * math.pi / classes if cyclic else math.pi / classes
    highest = classes // 2 if cyclic else classes - 1
    kept = min(width // 2, highest)
    steps = torch.linspace(1, highest, kept, dtype=torch.float64).round()
    angles = torch.arange(classes, dtype=torch.float64)[:, None] * turn * steps
    rows = torch.cat([angles.sin(), angles.cos()], dim=1) / math.sqrt(kept)
    return torch.nn.functional.pad(rows, (0, width - 2 * kept)).float()


def full_frequencies(count: int, steps: int) -> Tensor:
    """Frequencies for distances on an axis of `steps` steps: from half a turn over it to half a turn a step.

    They grow by the same factor, so that near distances are told apart in steps and far ones in shares of the axis.

    >>> [round(value / math.pi, 1) for value in full_frequencies(3, 100).tolist()]
    [1.0, 10.0, 100.0]
    """
    _check("count", count, 2)
    _check("steps", steps, 2)
    return (math.pi * float(steps) ** torch.linspace(0, 1, count, dtype=torch.float64)).float()


def distance_codes(distance: Tensor, waves: Tensor) -> Tensor:
    """Sines and cosines of distances at some frequencies, sines first.

    >>> distance_codes(torch.tensor([0.0]), frequencies(2)).tolist()
    [[0.0, 0.0, 1.0, 1.0]]
    """
    angles = distance[..., None] * waves
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


def _check(name: str, value: int, least: int) -> None:
    if value < least:
        raise EpochalError(f"{name} is {value}; accepted: a whole number from {least}")


def _even(width: int) -> None:
    if width < 4 or width % 2:
        raise EpochalError(f"the width of a code is {width}; accepted: an even number from 4")
