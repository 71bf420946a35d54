"""How the time that was read of a text goes into its vector: added, set beside, or as a likelihood.

Each gives a question and a record a vector such that their score is an inner product, whatever it is made of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.models.ctd.codes import codebook, full_codebook
from epochal.models.ctd.heads import Parts, TimeHeads

__all__ = [
    "AddContext",
    "ConcatContext",
    "Context",
    "LikelihoodContext",
    "month_intervals",
    "nearest",
    "year_intervals",
]

#: Least probability of years and of months that a likelihood is counted with: no text rules a time out.
_LEAST_YEAR: Final = 1e-4
_LEAST_MONTH: Final = 1e-3
#: What it costs an interval to leave out all that is believed, beside the logarithm of its length, and how much all
#: costs count: a month that is believed to nine tenths is one month, and a whole year is told from eleven months.
_OUTSIDE: Final = 5.0
_SHARPNESS: Final = 20.0


class Context(nn.Module, ABC):
    """What the contexts have: `gamma`, a weight that is learned from 1 on, and a vector for each side.

    >>> issubclass(AddContext, Context)
    True
    """

    def __init__(self) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(()))

    @abstractmethod
    def question(self, hidden: Tensor, logits: Parts, temperature: float) -> Tensor:
        """The vectors of questions."""

    @abstractmethod
    def record(self, hidden: Tensor, logits: Parts, worth: Tensor | None) -> Tensor:
        """The vectors of records."""


class _Coded(Context):
    """Expected codes of the parts, mapped to the width of the hidden vector."""

    def __init__(self, heads: TimeHeads, width: int, code: int, full: bool) -> None:
        super().__init__()
        self._count = len(heads.parts)
        for number, (part, size) in enumerate(zip(heads.parts, heads.sizes(), strict=True)):
            rows = full_codebook(size, code, cyclic=part == "month") if full else codebook(size, code)
            self.register_buffer(f"codes_{number}", rows, persistent=False)
        self.project = nn.Linear(code * self._count, width)

    def context(self, logits: Parts) -> Tensor:
        """The map of the expected codes."""
        expected = [part @ self.get_buffer(f"codes_{number}") for number, part in enumerate(TimeHeads.belief(logits))]
        mapped: Tensor = self.project(torch.cat(expected, dim=-1))
        return mapped

    def question(self, hidden: Tensor, logits: Parts, temperature: float) -> Tensor:
        """The same as a record's."""
        return self.record(hidden, logits, None)


class AddContext(_Coded):
    """The published context: normalised h + gamma c.

    >>> from epochal.models.ctd.axis import MonthAxis
    >>> from epochal.models.ctd.heads import LevelHeads
    >>> heads = LevelHeads(8, MonthAxis.lu())
    >>> AddContext(heads, 8, 64, full=False).record(torch.ones(2, 8), heads(torch.ones(2, 8)), None).norm(dim=1).shape
    torch.Size([2])
    """

    def record(self, hidden: Tensor, logits: Parts, worth: Tensor | None) -> Tensor:
        """The hidden vector with the context added, of length 1."""
        return functional.normalize(hidden + self.gamma * self.context(logits), dim=-1)


class ConcatContext(_Coded):
    """Normalised h beside gamma times normalised c: the inner product is cos(h, h') + gamma^2 cos(c, c').

    >>> from epochal.models.ctd.axis import MonthAxis
    >>> from epochal.models.ctd.heads import JointHeads
    >>> heads = JointHeads(8, MonthAxis.lu())
    >>> ConcatContext(heads, 8, 64, full=True).record(torch.ones(2, 8), heads(torch.ones(2, 8)), None).shape
    torch.Size([2, 16])
    """

    def record(self, hidden: Tensor, logits: Parts, worth: Tensor | None) -> Tensor:
        """Both halves of length 1, the second times gamma."""
        here = functional.normalize(self.context(logits), dim=-1)
        return torch.cat([functional.normalize(hidden, dim=-1), self.gamma * here], dim=-1)


class LikelihoodContext(Context):
    """Beside the words, how likely a record is of the time asked for, with what it is worth as an answer.

    A record's numbers are the logarithms of how likely it is of each interval: of one year or two, and of months, which
    may go over the turn of the year. A question's say which interval of years and which of months it asks for, as far
    as it is known. Their inner product is then the log likelihood of the time asked for (of its years times that of
    its months), weighed by gamma and freed of the temperature; an expected log likelihood of single months would set
    records that know their month below those that do not, where a window is asked for.

    >>> context = LikelihoodContext(255)
    >>> context.question(torch.ones(1, 8), (torch.zeros(1, 255), torch.zeros(1, 12)), 0.05).shape
    torch.Size([1, 651])
    """

    years: Tensor
    months: Tensor

    def __init__(self, years: int, months: int = 12) -> None:
        super().__init__()
        self.register_buffer("years", year_intervals(years), persistent=False)
        self.register_buffer("months", month_intervals(months), persistent=False)

    def question(self, hidden: Tensor, logits: Parts, temperature: float) -> Tensor:
        """The words, the interval of years and of months that is asked for, and 1 for the worth."""
        years, months = TimeHeads.belief(logits)
        asked = [nearest(years, self.years), nearest(months, self.months), torch.ones_like(years[:, :1])]
        return torch.cat([functional.normalize(hidden, dim=-1), self.gamma * temperature * torch.cat(asked, -1)], -1)

    def record(self, hidden: Tensor, logits: Parts, worth: Tensor | None) -> Tensor:
        """The words, the log likelihoods of all intervals, and the logarithm of the worth.

        >>> told = LikelihoodContext(4).record(torch.ones(1, 8), (torch.zeros(1, 4), torch.zeros(1, 12)), None)
        >>> [round(value, 3) for value in told[0, [8, 12, 15, 27]].tolist()]  # of one year, two; of one month, two
        [-1.386, -0.693, -2.473, -1.786]
        """
        years, months = TimeHeads.belief(logits)
        likely = [(years @ self.years.T + _LEAST_YEAR).log(), (months @ self.months.T + _LEAST_MONTH).log()]
        value = torch.zeros_like(years[:, 0]) if worth is None else functional.logsigmoid(worth)
        return torch.cat([functional.normalize(hidden, dim=-1), *likely, value[:, None]], dim=-1)


def year_intervals(years: int) -> Tensor:
    """A row for each year and for each two years in a row, with 1 at what it holds.

    >>> year_intervals(3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]
    """
    single = torch.eye(years)
    return torch.cat([single, single[:-1] + single[1:]])


def month_intervals(months: int = 12) -> Tensor:
    """A row for each stretch of months, also over the turn of the year, and one for the whole year.

    >>> month_intervals(3).int().tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    """
    rows = []
    for length in range(1, months + 1):
        for start in range(months if length < months else 1):
            row = torch.zeros(months)
            row[torch.arange(start, start + length) % months] = 1
            rows.append(row)
    return torch.stack(rows)


def nearest(belief: Tensor, intervals: Tensor) -> Tensor:
    """Which interval a belief is even over: weights of sum 1, nearly all at the shortest that holds most of it.

    >>> nearest(torch.tensor([[0.5, 0.5, 0.0]]), month_intervals(3)).argmax().item()
    3
    """
    costs = intervals.sum(dim=1).log() + _OUTSIDE * (1 - belief @ intervals.T)
    return (-_SHARPNESS * costs).softmax(dim=-1)
