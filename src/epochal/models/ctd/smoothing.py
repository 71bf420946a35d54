"""What spreads over neighbours: labels over classes, and what is said or learned of a year over those beside it."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from epochal.errors import EpochalError
from epochal.ranking.dating.basis import year_functions

__all__ = ["gaussian_rows", "neighbour_targets", "year_basis"]


def neighbour_targets(classes: Tensor, size: int, share: float) -> Tensor:
    """A distribution a label: 1 - share at the class itself, the rest evenly at those neighbours that exist.

    >>> neighbour_targets(torch.tensor([0, 2]), 4, 0.5).tolist()
    [[0.5, 0.5, 0.0, 0.0], [0.0, 0.25, 0.5, 0.25]]
    """
    if not 0 <= share < 1:
        raise EpochalError(f"the share of the neighbours is {share}; accepted: a number from 0 up to 1, not 1")
    every = torch.arange(size, device=classes.device)
    beside = ((every - classes[:, None]).abs() == 1).float()
    target = torch.nn.functional.one_hot(classes, size).float()
    if size == 1 or share == 0:
        return target
    return (1 - share) * target + share * beside / beside.sum(dim=1, keepdim=True)


def gaussian_rows(size: int, sigma: float) -> Tensor:
    """A row for each class: a Gaussian of `sigma` classes around it, cut at the ends, of sum 1; sigma 0 is no spread.

    >>> [round(value, 3) for value in gaussian_rows(5, 1.0)[2].tolist()]
    [0.054, 0.244, 0.403, 0.244, 0.054]
    """
    if not (math.isfinite(sigma) and sigma >= 0):
        raise EpochalError(f"sigma is {sigma}; accepted: a number from 0")
    if sigma == 0:
        return torch.eye(size)
    every = torch.arange(size, dtype=torch.float64)
    rows = torch.exp(-0.5 * ((every[:, None] - every) / sigma) ** 2)
    return (rows / rows.sum(dim=1, keepdim=True)).float()


def year_basis(years: int, spread: float) -> Tensor:
    """Functions of the year to learn weights for, one a column: each year's own, and bumps that reach over others.

    >>> year_basis(3, 0).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> year_basis(41, 4.0).shape, year_basis(41, 4.0)[:, 41].max().item()
    (torch.Size([41, 52]), 0.5)
    """
    return torch.from_numpy(year_functions(years, spread))
