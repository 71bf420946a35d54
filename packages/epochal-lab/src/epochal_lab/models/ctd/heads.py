"""Heads that predict the time of a text from its vector: reign, year and month separately, or all years jointly.

Both return logits, one tensor per part. `to_distributions` applies the softmax, `locate` gives the expected position on
the axis from 0 to 1, and `targets` the target distributions of texts with known months.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor, nn

from epochal.errors import EpochalError
from epochal.ranking.dating.months import MONTHS, MonthAxis, make_year_functions

PartTensors = tuple[Tensor, ...]


def smooth_labels(classes: Tensor, size: int, share: float) -> Tensor:
    """Return one distribution per label: 1 - share at its class, the rest evenly on the existing neighbours."""
    if not 0 <= share < 1:
        raise EpochalError(f"the share of the neighbours is {share}; accepted: a number from 0 up to 1, not 1")
    every = torch.arange(size, device=classes.device)
    beside = ((every - classes[:, None]).abs() == 1).float()
    target = torch.nn.functional.one_hot(classes, size).float()
    if size == 1 or share == 0:
        return target
    return (1 - share) * target + share * beside / beside.sum(dim=1, keepdim=True)


def build_gaussian_rows(size: int, sigma: float) -> Tensor:
    """Return one row per class: a Gaussian of `sigma` classes around it, cut at the ends, of sum 1; sigma 0 does not
    spread.
    """
    if not (math.isfinite(sigma) and sigma >= 0):
        raise EpochalError(f"sigma is {sigma}; accepted: a number from 0")
    if sigma == 0:
        return torch.eye(size)
    every = torch.arange(size, dtype=torch.float64)
    rows = torch.exp(-0.5 * ((every[:, None] - every) / sigma) ** 2)
    return (rows / rows.sum(dim=1, keepdim=True)).float()


def build_year_basis(years: int, spread: float) -> Tensor:
    """Return basis functions of the year, one per column: one for each year, and bumps that cover several."""
    return torch.from_numpy(make_year_functions(years, spread))


class TimeHeads(nn.Module, ABC):
    """The interface of both kinds of heads."""

    parts: ClassVar[tuple[str, ...]]

    @abstractmethod
    def forward(self, hidden: Tensor) -> PartTensors:
        """Return the logits of each part."""

    @abstractmethod
    def locate(self, logits: PartTensors) -> Tensor:
        """Return the expected position of each text on the axis, from 0 to 1."""

    @abstractmethod
    def targets(self, first: Tensor, last: Tensor) -> PartTensors:
        """Return the target distributions of texts of the months from `first` to `last`, counted on the axis."""

    @abstractmethod
    def class_counts(self) -> tuple[int, ...]:
        """Return the number of classes of each part."""

    @staticmethod
    def to_distributions(logits: PartTensors) -> PartTensors:
        """Return the distribution of each part."""
        return tuple(part.softmax(dim=-1) for part in logits)


class LevelHeads(TimeHeads):
    """The published heads: reign, year of the reign and month, each a linear layer.

    `years` is the length of the longest reign among the records. The position is (g Y M + y M + m) / (G Y M - 1) with
    the expected class of each part for g, y and m: as if all reigns were equally long.
    """

    parts = ("reign", "year", "month")
    _reigns: Tensor
    _years: Tensor

    def __init__(self, width: int, axis: MonthAxis, years: int | None = None, smoothing: float = 0.0) -> None:
        super().__init__()
        self.years = max(axis.lengths) if years is None else years
        if self.years < 1:
            raise EpochalError(f"a reign of {self.years} years; accepted: a whole number from 1")
        if not 0 <= smoothing < 1:
            raise EpochalError(f"the smoothing of labels is {smoothing}; accepted: a number from 0 up to 1, not 1")
        self.smoothing = smoothing
        self.reign = nn.Linear(width, len(axis.lengths))
        self.year = nn.Linear(width, self.years)
        self.month = nn.Linear(width, MONTHS)
        self.register_buffer("_reigns", torch.as_tensor(axis.reign_of_year), persistent=False)
        self.register_buffer("_years", torch.as_tensor(axis.year_in_reign), persistent=False)

    def class_counts(self) -> tuple[int, ...]:
        return (self.reign.out_features, self.years, MONTHS)

    def forward(self, hidden: Tensor) -> PartTensors:
        return self.reign(hidden), self.year(hidden), self.month(hidden)

    def locate(self, logits: PartTensors) -> Tensor:
        reigns, years, months = self.class_counts()
        reign, year, month = (_compute_expected_class(part) for part in self.to_distributions(logits))
        return (reign * years * months + year * months + month) / (reigns * years * months - 1)

    def targets(self, first: Tensor, last: Tensor) -> PartTensors:
        """One class each, that of the middle month, with the share `smoothing` on its neighbours."""
        middle = torch.div(first + last, 2, rounding_mode="floor")
        year, month = torch.div(middle, MONTHS, rounding_mode="floor"), middle % MONTHS
        classes = (self._reigns[year], self._years[year].clamp(max=self.years - 1), month)
        return tuple(
            smooth_labels(part, size, self.smoothing) for part, size in zip(classes, self.class_counts(), strict=True)
        )


class JointHeads(TimeHeads):
    """All years of the axis at once, and the months: logit(t) = reign[t] + year in reign[t] + own[t].

    The first two let a text that states a reign and a year be dated to years without training texts, and give no mass
    to years that do not exist. `own` is free for each year and, with `spread`, has a smooth part, by which years
    without training texts take after their neighbours. `sigma` spreads the target of a year over its neighbours, at the
    price that memorised texts get in the way of held-out years. Without `own`, only stated reigns and years count, in
    every year equally well.
    """

    parts = ("year", "month")
    basis: Tensor
    spread_rows: Tensor
    _reigns: Tensor
    _years: Tensor

    def __init__(
        self, width: int, axis: MonthAxis, spread: float = 0.0, sigma: float = 0.0, *, own: bool = True
    ) -> None:
        super().__init__()
        self.axis_years = axis.years
        self.reign = nn.Linear(width, len(axis.lengths))
        self.year = nn.Linear(width, max(axis.lengths))
        basis = build_year_basis(axis.years, spread)
        self.own = nn.Linear(width, basis.shape[1]) if own else None
        self.month = nn.Linear(width, MONTHS)
        self.register_buffer("basis", basis, persistent=False)
        self.register_buffer("spread_rows", build_gaussian_rows(axis.years, sigma), persistent=False)
        self.register_buffer("_reigns", torch.as_tensor(axis.reign_of_year), persistent=False)
        self.register_buffer("_years", torch.as_tensor(axis.year_in_reign), persistent=False)

    def class_counts(self) -> tuple[int, ...]:
        return (self.axis_years, MONTHS)

    def linear_layers(self) -> list[nn.Linear]:
        """Return the layers of reign, year of the reign, the year itself where it has one, and month."""
        return [one for one in (self.reign, self.year, self.own, self.month) if one is not None]

    def forward(self, hidden: Tensor, more: Tensor | None = None) -> PartTensors:
        """Return the logits of all years and of the months; `more` is added to the outputs of the layers."""
        flat = torch.cat([one(hidden) for one in self.linear_layers()], dim=-1)
        return self.combine(flat if more is None else flat + more)

    def combine(self, flat: Tensor) -> PartTensors:
        """Combine the concatenated outputs of the layers to logits."""
        maps = flat.split([one.out_features for one in self.linear_layers()], dim=-1)
        years = maps[0][:, self._reigns] + maps[1][:, self._years]
        if self.own is not None:
            years = years + maps[2] @ self.basis.T
        return years, maps[-1]

    def locate(self, logits: PartTensors) -> Tensor:
        year, month = (_compute_expected_class(part) for part in self.to_distributions(logits))
        return (year * MONTHS + month) / (self.axis_years * MONTHS - 1)

    def targets(self, first: Tensor, last: Tensor) -> PartTensors:
        """Even over the target months: how many of them each year has, and each month of the year."""
        every = torch.arange(self.axis_years * MONTHS, device=first.device)
        within = ((every >= first[:, None]) & (every <= last[:, None])).float()
        grid = (within / within.sum(dim=1, keepdim=True)).unflatten(1, (self.axis_years, MONTHS))
        return grid.sum(dim=2) @ self.spread_rows, grid.sum(dim=1)


def _compute_expected_class(distribution: Tensor) -> Tensor:
    classes = torch.arange(distribution.shape[-1], device=distribution.device, dtype=distribution.dtype)
    return distribution @ classes
