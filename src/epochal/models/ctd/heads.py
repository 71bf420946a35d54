"""Heads that read the time of a text from its vector: over reign, year and month apart, or over all years jointly.

Both give logits, one tensor a part. `belief` makes distributions of them, `place` the expected place on the axis from 0
to 1, and `targets` what the distributions of a text of known months should be.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor, nn

from epochal.errors import EpochalError
from epochal.models.ctd.axis import MONTHS, MonthAxis
from epochal.models.ctd.smoothing import gaussian_rows, neighbour_targets, year_basis

__all__ = ["JointHeads", "LevelHeads", "TimeHeads"]

Parts = tuple[Tensor, ...]


class TimeHeads(nn.Module, ABC):
    """What both kinds of heads have.

    >>> [kind.parts for kind in (LevelHeads, JointHeads)]
    [('reign', 'year', 'month'), ('year', 'month')]
    """

    parts: ClassVar[tuple[str, ...]]

    @abstractmethod
    def forward(self, hidden: Tensor) -> Parts:
        """The logits of each part."""

    @abstractmethod
    def place(self, logits: Parts) -> Tensor:
        """Where on the axis each text is expected, from 0 to 1."""

    @abstractmethod
    def targets(self, first: Tensor, last: Tensor) -> Parts:
        """What the distributions should be for texts of the months from `first` to `last`, counted on the axis."""

    @abstractmethod
    def sizes(self) -> tuple[int, ...]:
        """How many classes each part has."""

    @staticmethod
    def belief(logits: Parts) -> Parts:
        """The distribution of each part.

        >>> [part.tolist() for part in TimeHeads.belief((torch.zeros(1, 2),))]
        [[[0.5, 0.5]]]
        """
        return tuple(part.softmax(dim=-1) for part in logits)


class LevelHeads(TimeHeads):
    """The published heads: reign, year of the reign and month apart, each a linear map.

    `years` is how many years the longest reign has among the records. The place is (g Y M + y M + m) / (G Y M - 1)
    with the expected class of each part for g, y and m: reigns are laid out as if all were equally long.

    >>> heads = LevelHeads(8, MonthAxis.lu(), years=32)
    >>> certain = tuple(torch.nn.functional.one_hot(torch.tensor([last]), last + 1) * 99.0 for last in (11, 31, 11))
    >>> round(heads.place(certain).item(), 6), heads.sizes()
    (1.0, (12, 32, 12))
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
        """Reigns, years of the longest reign, and months.

        >>> LevelHeads(8, MonthAxis.gregorian(1990, 2009)).sizes()
        (2, 10, 12)
        """
        return (self.reign.out_features, self.years, MONTHS)

    def forward(self, hidden: Tensor) -> Parts:
        """The logits of reign, year and month.

        >>> [part.shape[1] for part in LevelHeads(8, MonthAxis.lu())(torch.zeros(2, 8))]
        [12, 33, 12]
        """
        return self.reign(hidden), self.year(hidden), self.month(hidden)

    def place(self, logits: Parts) -> Tensor:
        """The expected place, by expected classes.

        >>> LevelHeads(8, MonthAxis.lu(), years=32).place((torch.zeros(1, 12), torch.zeros(1, 32), torch.zeros(1, 12)))
        tensor([0.5000])
        """
        reigns, years, months = self.sizes()
        reign, year, month = (_expected(part) for part in self.belief(logits))
        return (reign * years * months + year * months + month) / (reigns * years * months - 1)

    def targets(self, first: Tensor, last: Tensor) -> Parts:
        """One class each, that of the middle month, with a share of `smoothing` given to its neighbours.

        >>> heads = LevelHeads(8, MonthAxis.lu(), smoothing=0.2)
        >>> month = heads.targets(torch.tensor([0]), torch.tensor([0]))[2][0]
        >>> [round(value, 2) for value in month[:3].tolist()]
        [0.8, 0.2, 0.0]
        """
        middle = torch.div(first + last, 2, rounding_mode="floor")
        year, month = torch.div(middle, MONTHS, rounding_mode="floor"), middle % MONTHS
        classes = (self._reigns[year], self._years[year].clamp(max=self.years - 1), month)
        return tuple(
            neighbour_targets(part, size, self.smoothing) for part, size in zip(classes, self.sizes(), strict=True)
        )


class JointHeads(TimeHeads):
    """All years of the axis at once, and the months: logit(t) = reign[t] + year in reign[t] + own[t].

    The first two let a text that states a reign and a year be read in years that no training text has, and give no mass
    to years that do not exist. `own` is free for each year and, with `spread`, has a smooth part as well, by which
    years without any training text take after those beside them. With `sigma` the target of a year is spread over its
    neighbours; that lets texts known by heart stand in the way of those of a year that was held out. Without `own`,
    only what is stated as reign and year can be read, but in every year equally well.

    >>> heads = JointHeads(8, MonthAxis.lu(), spread=4.0)
    >>> [part.shape[1] for part in heads(torch.zeros(2, 8))]
    [255, 12]
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
        basis = year_basis(axis.years, spread)
        self.own = nn.Linear(width, basis.shape[1]) if own else None
        self.month = nn.Linear(width, MONTHS)
        self.register_buffer("basis", basis, persistent=False)
        self.register_buffer("spread_rows", gaussian_rows(axis.years, sigma), persistent=False)
        self.register_buffer("_reigns", torch.as_tensor(axis.reign_of_year), persistent=False)
        self.register_buffer("_years", torch.as_tensor(axis.year_in_reign), persistent=False)

    def sizes(self) -> tuple[int, ...]:
        """All years of the axis, and months.

        >>> JointHeads(8, MonthAxis.gregorian(1990, 2009)).sizes()
        (20, 12)
        """
        return (self.axis_years, MONTHS)

    def maps(self) -> list[nn.Linear]:
        """The maps of reign, year of the reign, year itself where it has one, and month.

        >>> [one.out_features for one in JointHeads(8, MonthAxis.lu()).maps()]
        [12, 33, 255, 12]
        """
        return [one for one in (self.reign, self.year, self.own, self.month) if one is not None]

    def forward(self, hidden: Tensor, more: Tensor | None = None) -> Parts:
        """The logits of all years, and of the months; `more` is added to what the maps give, side by side.

        >>> JointHeads(8, MonthAxis.lu())(torch.zeros(2, 8))[0].shape
        torch.Size([2, 255])
        """
        flat = torch.cat([one(hidden) for one in self.maps()], dim=-1)
        return self.joined(flat if more is None else flat + more)

    def joined(self, flat: Tensor) -> Parts:
        """The logits, of what the maps give side by side.

        >>> heads = JointHeads(8, MonthAxis.gregorian(2000, 2001))
        >>> [part.shape[1] for part in heads.joined(torch.zeros(1, 1 + 2 + 2 + 12))]
        [2, 12]
        """
        maps = flat.split([one.out_features for one in self.maps()], dim=-1)
        years = maps[0][:, self._reigns] + maps[1][:, self._years]
        if self.own is not None:
            years = years + maps[2] @ self.basis.T
        return years, maps[-1]

    def place(self, logits: Parts) -> Tensor:
        """The expected month on the axis, as a share of it.

        >>> heads = JointHeads(8, MonthAxis.gregorian(2000, 2001))
        >>> heads.place((torch.tensor([[0.0, 99.0]]), torch.nn.functional.one_hot(torch.tensor([11]), 12) * 99.0))
        tensor([1.])
        """
        year, month = (_expected(part) for part in self.belief(logits))
        return (year * MONTHS + month) / (self.axis_years * MONTHS - 1)

    def targets(self, first: Tensor, last: Tensor) -> Parts:
        """Even over the months asked for: how many of them each year has, and each month of the year.

        >>> heads = JointHeads(8, MonthAxis.gregorian(2000, 2001))
        >>> years, months = heads.targets(torch.tensor([10]), torch.tensor([13]))
        >>> years.tolist(), months[0, [0, 1, 2, 10, 11]].tolist()
        ([[0.5, 0.5]], [0.25, 0.25, 0.0, 0.25, 0.25])
        """
        every = torch.arange(self.axis_years * MONTHS, device=first.device)
        within = ((every >= first[:, None]) & (every <= last[:, None])).float()
        grid = (within / within.sum(dim=1, keepdim=True)).unflatten(1, (self.axis_years, MONTHS))
        return grid.sum(dim=2) @ self.spread_rows, grid.sum(dim=1)


def _expected(distribution: Tensor) -> Tensor:
    classes = torch.arange(distribution.shape[-1], device=distribution.device, dtype=distribution.dtype)
    return distribution @ classes
