"""What spreads over neighbours: labels over classes, and what is said or learned of a year over those beside it.

Heads that read the time of a text from its vector: over reign, year and month apart, or over all years jointly.

Both give logits, one tensor a part. `belief` makes distributions of them, `place` the expected place on the axis from 0
to 1, and `targets` what the distributions of a text of known months should be.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor, nn

from epochal.errors import EpochalError
from epochal.ranking.dating.months import MONTHS, MonthAxis, year_functions

__all__ = ["JointHeads", "LevelHeads", "TimeHeads", "build_gaussian_rows", "build_year_basis", "smooth_labels"]


def smooth_labels(classes: Tensor, size: int, share: float) -> Tensor:
    """A distribution a label: 1 - share at the class itself, the rest evenly at those neighbours that exist."""
    if not 0 <= share < 1:
        raise EpochalError(f"the share of the neighbours is {share}; accepted: a number from 0 up to 1, not 1")
    every = torch.arange(size, device=classes.device)
    beside = ((every - classes[:, None]).abs() == 1).float()
    target = torch.nn.functional.one_hot(classes, size).float()
    if size == 1 or share == 0:
        return target
    return (1 - share) * target + share * beside / beside.sum(dim=1, keepdim=True)


def build_gaussian_rows(size: int, sigma: float) -> Tensor:
    """Row for each class: a Gaussian of `sigma` classes around it, cut at the ends, of sum 1; sigma 0 is no spread."""
    if not (math.isfinite(sigma) and sigma >= 0):
        raise EpochalError(f"sigma is {sigma}; accepted: a number from 0")
    if sigma == 0:
        return torch.eye(size)
    every = torch.arange(size, dtype=torch.float64)
    rows = torch.exp(-0.5 * ((every[:, None] - every) / sigma) ** 2)
    return (rows / rows.sum(dim=1, keepdim=True)).float()


def build_year_basis(years: int, spread: float) -> Tensor:
    """Functions of the year to learn weights for, one a column: each year's own, and bumps that reach over others."""
    return torch.from_numpy(year_functions(years, spread))


PartTensors = tuple[Tensor, ...]


class TimeHeads(nn.Module, ABC):
    """What both kinds of heads have."""

    parts: ClassVar[tuple[str, ...]]

    @abstractmethod
    def forward(self, hidden: Tensor) -> PartTensors:
        """The logits of each part."""

    @abstractmethod
    def place(self, logits: PartTensors) -> Tensor:
        """Where on the axis each text is expected, from 0 to 1."""

    @abstractmethod
    def targets(self, first: Tensor, last: Tensor) -> PartTensors:
        """What the distributions should be for texts of the months from `first` to `last`, counted on the axis."""

    @abstractmethod
    def sizes(self) -> tuple[int, ...]:
        """How many classes each part has."""

    @staticmethod
    def belief(logits: PartTensors) -> PartTensors:
        """The distribution of each part."""
        return tuple(part.softmax(dim=-1) for part in logits)


class LevelHeads(TimeHeads):
    """The published heads: reign, year of the reign and month apart, each a linear map.

    `years` is how many years the longest reign has among the records. The place is (g Y M + y M + m) / (G Y M - 1)
    with the expected class of each part for g, y and m: reigns are laid out as if all were equally long.
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

    def sizes(self) -> tuple[int, ...]:
        """Reigns, years of the longest reign, and months."""
        return (self.reign.out_features, self.years, MONTHS)

    def forward(self, hidden: Tensor) -> PartTensors:
        """The logits of reign, year and month."""
        return self.reign(hidden), self.year(hidden), self.month(hidden)

    def place(self, logits: PartTensors) -> Tensor:
        """The expected place, by expected classes."""
        reigns, years, months = self.sizes()
        reign, year, month = (_compute_expected_class(part) for part in self.belief(logits))
        return (reign * years * months + year * months + month) / (reigns * years * months - 1)

    def targets(self, first: Tensor, last: Tensor) -> PartTensors:
        """One class each, that of the middle month, with a share of `smoothing` given to its neighbours."""
        middle = torch.div(first + last, 2, rounding_mode="floor")
        year, month = torch.div(middle, MONTHS, rounding_mode="floor"), middle % MONTHS
        classes = (self._reigns[year], self._years[year].clamp(max=self.years - 1), month)
        return tuple(
            smooth_labels(part, size, self.smoothing) for part, size in zip(classes, self.sizes(), strict=True)
        )


class JointHeads(TimeHeads):
    """All years of the axis at once, and the months: logit(t) = reign[t] + year in reign[t] + own[t].

    The first two let a text that states a reign and a year be read in years that no training text has, and give no mass
    to years that do not exist. `own` is free for each year and, with `spread`, has a smooth part as well, by which
    years without any training text take after those beside them. With `sigma` the target of a year is spread over its
    neighbours; that lets texts known by heart stand in the way of those of a year that was held out. Without `own`,
    only what is stated as reign and year can be read, but in every year equally well.
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

    def sizes(self) -> tuple[int, ...]:
        """All years of the axis, and months."""
        return (self.axis_years, MONTHS)

    def maps(self) -> list[nn.Linear]:
        """The maps of reign, year of the reign, year itself where it has one, and month."""
        return [one for one in (self.reign, self.year, self.own, self.month) if one is not None]

    def forward(self, hidden: Tensor, more: Tensor | None = None) -> PartTensors:
        """The logits of all years, and of the months; `more` is added to what the maps give, side by side."""
        flat = torch.cat([one(hidden) for one in self.maps()], dim=-1)
        return self.joined(flat if more is None else flat + more)

    def joined(self, flat: Tensor) -> PartTensors:
        """The logits, of what the maps give side by side."""
        maps = flat.split([one.out_features for one in self.maps()], dim=-1)
        years = maps[0][:, self._reigns] + maps[1][:, self._years]
        if self.own is not None:
            years = years + maps[2] @ self.basis.T
        return years, maps[-1]

    def place(self, logits: PartTensors) -> Tensor:
        """The expected month on the axis, as a share of it."""
        year, month = (_compute_expected_class(part) for part in self.belief(logits))
        return (year * MONTHS + month) / (self.axis_years * MONTHS - 1)

    def targets(self, first: Tensor, last: Tensor) -> PartTensors:
        """Even over the months asked for: how many of them each year has, and each month of the year."""
        every = torch.arange(self.axis_years * MONTHS, device=first.device)
        within = ((every >= first[:, None]) & (every <= last[:, None])).float()
        grid = (within / within.sum(dim=1, keepdim=True)).unflatten(1, (self.axis_years, MONTHS))
        return grid.sum(dim=2) @ self.spread_rows, grid.sum(dim=1)


def _compute_expected_class(distribution: Tensor) -> Tensor:
    classes = torch.arange(distribution.shape[-1], device=distribution.device, dtype=distribution.dtype)
    return distribution @ classes
