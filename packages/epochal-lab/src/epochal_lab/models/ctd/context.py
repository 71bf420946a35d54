"""Fixed codes of classes and of distances in time: sines and cosines at the published frequencies, or at full ones.

The published frequencies are at most one radian over the whole range, so that neighbouring classes have almost the same
row and a distance of a month cannot be told from none. Full ones go up to Nyquist's: half a turn from one class to the
next.

RelativeBias: what the distance in time of a record from a question adds to their score, learned, and as a table.

How the time that was read of a text goes into its vector: added, set beside, or as a likelihood.

Each gives a question and a record a vector such that their score is an inner product, whatever it is made of.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError
from epochal_lab.models.ctd.heads import PartTensors, TimeHeads

__all__ = [
    "AddContext",
    "ConcatContext",
    "LikelihoodContext",
    "RelativeBias",
    "TimeContext",
    "build_codebook",
    "build_frequencies",
    "build_full_codebook",
    "build_full_frequencies",
    "build_month_intervals",
    "build_year_intervals",
    "encode_distances",
    "match_intervals",
]


def build_frequencies(count: int) -> Tensor:
    """The published frequencies: 10000^(-k / (count - 1)), from 1 down to 1/10000."""
    _check_minimum("count", count, 2)
    # Raised in float64: the steps between float32 exponents would show in the fourth decimal.
    return (10000.0 ** -torch.linspace(0, 1, count, dtype=torch.float64)).float()


def build_codebook(classes: int, width: int = 64) -> Tensor:
    """A row for each class c at position c / (classes - 1): sines of all frequencies first, then cosines."""
    _check_minimum("classes", classes, 2)
    _check_width(width)
    places = torch.arange(classes, dtype=torch.float64) / (classes - 1)
    angles = places[:, None] * build_frequencies(width // 2).double()
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


def build_full_codebook(classes: int, width: int = 64, *, cyclic: bool = False) -> Tensor:
    """A row for each class whose sines and cosines turn up to half round from class to class, so that classes differ.

    As many frequencies as the width holds, spread evenly from the slowest up to Nyquist's; the rows have length 1. A
    cyclic codebook makes the last class a neighbour of the first, as December is of January.
    """
    _check_minimum("classes", classes, 2)
    _check_width(width)
    # A cycle closes after whole turns; on a line half turns are told apart too, and the slowest is half a turn.
    turn = 2 * math.pi / classes if cyclic else math.pi / classes
    highest = classes // 2 if cyclic else classes - 1
    kept = min(width // 2, highest)
    steps = torch.linspace(1, highest, kept, dtype=torch.float64).round()
    angles = torch.arange(classes, dtype=torch.float64)[:, None] * turn * steps
    rows = torch.cat([angles.sin(), angles.cos()], dim=1) / math.sqrt(kept)
    return torch.nn.functional.pad(rows, (0, width - 2 * kept)).float()


def build_full_frequencies(count: int, steps: int) -> Tensor:
    """Frequencies for distances on an axis of `steps` steps: from half a turn over it to half a turn a step.

    They grow by the same factor, so that near distances are told apart in steps and far ones in shares of the axis.
    """
    _check_minimum("count", count, 2)
    _check_minimum("steps", steps, 2)
    return (math.pi * float(steps) ** torch.linspace(0, 1, count, dtype=torch.float64)).float()


def encode_distances(distance: Tensor, waves: Tensor) -> Tensor:
    """Sines and cosines of distances at some frequencies, sines first."""
    angles = distance[..., None] * waves
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


def _check_minimum(name: str, value: int, least: int) -> None:
    if value < least:
        raise EpochalError(f"{name} is {value}; accepted: a whole number from {least}")


def _check_width(width: int) -> None:
    if width < 4 or width % 2:
        raise EpochalError(f"the width of a code is {width}; accepted: an even number from 4")


Floats = npt.NDArray[np.float32]


class RelativeBias(nn.Module):
    """eps * MLP(codes of u_record - u_question), where u is a place on the axis from 0 to 1; eps begins at 0.

    With `steps` the frequencies reach the single step of an axis of so many; without, they are the published ones,
    which cannot tell neighbouring months apart.
    """

    waves: Tensor

    def __init__(self, width: int = 32, steps: int | None = None) -> None:
        super().__init__()
        if width < 4 or width % 2:
            raise EpochalError(f"the width of the relative code is {width}; accepted: an even number from 4")
        waves = build_frequencies(width // 2) if steps is None else build_full_frequencies(width // 2, steps)
        self.register_buffer("waves", waves, persistent=False)
        self.inner = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
        self.eps = nn.Parameter(torch.zeros(()))

    def forward(self, questions: Tensor, records: Tensor) -> Tensor:
        """The bias of each pair: one row a question, one column a record."""
        return self.of_distance(records[None, :] - questions[:, None])

    def of_distance(self, distance: Tensor) -> Tensor:
        """The bias at distances u_record - u_question, cut to -1 and 1."""
        bias: Tensor = self.eps * self.inner(encode_distances(distance.clamp(-1, 1), self.waves)).squeeze(-1)
        return bias

    @torch.no_grad()
    def table(self, resolution: int) -> Floats:
        """The bias at 2 * resolution + 1 even distances from -1 to 1, for a lookup by rounded distance."""
        if resolution < 1:
            raise EpochalError(f"the resolution of the table is {resolution}; accepted: a whole number from 1")
        device = self.eps.device
        grid = torch.linspace(-1, 1, 2 * resolution + 1, dtype=torch.float64, device=device).float()
        values: Floats = self.of_distance(grid).float().cpu().numpy()
        return values


#: Least probability of years and of months that a likelihood is counted with: no text rules a time out.
_MIN_YEAR: Final = 1e-4
_MIN_MONTH: Final = 1e-3
#: What it costs an interval to leave out all that is believed, beside the logarithm of its length, and how much all
#: costs count: a month that is believed to nine tenths is one month, and a whole year is told from eleven months.
_OUTSIDE: Final = 5.0
_SHARPNESS: Final = 20.0


class TimeContext(nn.Module, ABC):
    """What the contexts have: `gamma`, a weight that is learned from 1 on, and a vector for each side."""

    def __init__(self) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(()))

    @abstractmethod
    def question(self, hidden: Tensor, logits: PartTensors, temperature: float) -> Tensor:
        """The vectors of questions."""

    @abstractmethod
    def record(self, hidden: Tensor, logits: PartTensors, worth: Tensor | None) -> Tensor:
        """The vectors of records."""


class _CodeContext(TimeContext):
    """Expected codes of the parts, mapped to the width of the hidden vector."""

    def __init__(self, heads: TimeHeads, width: int, code: int, full: bool) -> None:
        super().__init__()
        self._count = len(heads.parts)
        for number, (part, size) in enumerate(zip(heads.parts, heads.sizes(), strict=True)):
            rows = build_full_codebook(size, code, cyclic=part == "month") if full else build_codebook(size, code)
            self.register_buffer(f"codes_{number}", rows, persistent=False)
        self.project = nn.Linear(code * self._count, width)

    def context(self, logits: PartTensors) -> Tensor:
        """The map of the expected codes."""
        expected = [part @ self.get_buffer(f"codes_{number}") for number, part in enumerate(TimeHeads.belief(logits))]
        mapped: Tensor = self.project(torch.cat(expected, dim=-1))
        return mapped

    def question(self, hidden: Tensor, logits: PartTensors, temperature: float) -> Tensor:
        """The same as a record's."""
        return self.record(hidden, logits, None)


class AddContext(_CodeContext):
    """The published context: normalised h + gamma c."""

    def record(self, hidden: Tensor, logits: PartTensors, worth: Tensor | None) -> Tensor:
        """The hidden vector with the context added, of length 1."""
        return functional.normalize(hidden + self.gamma * self.context(logits), dim=-1)


class ConcatContext(_CodeContext):
    """Normalised h beside gamma times normalised c: the inner product is cos(h, h') + gamma^2 cos(c, c')."""

    def record(self, hidden: Tensor, logits: PartTensors, worth: Tensor | None) -> Tensor:
        """Both halves of length 1, the second times gamma."""
        here = functional.normalize(self.context(logits), dim=-1)
        return torch.cat([functional.normalize(hidden, dim=-1), self.gamma * here], dim=-1)


class LikelihoodContext(TimeContext):
    """Beside the words, how likely a record is of the time asked for, with what it is worth as an answer.

    A record's numbers are the logarithms of how likely it is of each interval: of one year or two, and of months, which
    may go over the turn of the year. A question's say which interval of years and which of months it asks for, as far
    as it is known. Their inner product is then the log likelihood of the time asked for (of its years times that of
    its months), weighed by gamma and freed of the temperature; an expected log likelihood of single months would set
    records that know their month below those that do not, where a window is asked for.
    """

    years: Tensor
    months: Tensor

    def __init__(self, years: int, months: int = 12) -> None:
        super().__init__()
        self.register_buffer("years", build_year_intervals(years), persistent=False)
        self.register_buffer("months", build_month_intervals(months), persistent=False)

    def question(self, hidden: Tensor, logits: PartTensors, temperature: float) -> Tensor:
        """The words, the interval of years and of months that is asked for, and 1 for the worth."""
        years, months = TimeHeads.belief(logits)
        asked = [
            match_intervals(years, self.years),
            match_intervals(months, self.months),
            torch.ones_like(years[:, :1]),
        ]
        return torch.cat([functional.normalize(hidden, dim=-1), self.gamma * temperature * torch.cat(asked, -1)], -1)

    def record(self, hidden: Tensor, logits: PartTensors, worth: Tensor | None) -> Tensor:
        """The words, the log likelihoods of all intervals, and the logarithm of the worth."""
        years, months = TimeHeads.belief(logits)
        likely = [(years @ self.years.T + _MIN_YEAR).log(), (months @ self.months.T + _MIN_MONTH).log()]
        value = torch.zeros_like(years[:, 0]) if worth is None else functional.logsigmoid(worth)
        return torch.cat([functional.normalize(hidden, dim=-1), *likely, value[:, None]], dim=-1)


def build_year_intervals(years: int) -> Tensor:
    """A row for each year and for each two years in a row, with 1 at what it holds."""
    single = torch.eye(years)
    return torch.cat([single, single[:-1] + single[1:]])


def build_month_intervals(months: int = 12) -> Tensor:
    """A row for each stretch of months, also over the turn of the year, and one for the whole year."""
    rows = []
    for length in range(1, months + 1):
        for start in range(months if length < months else 1):
            row = torch.zeros(months)
            row[torch.arange(start, start + length) % months] = 1
            rows.append(row)
    return torch.stack(rows)


def match_intervals(belief: Tensor, intervals: Tensor) -> Tensor:
    """Which interval a belief is even over: weights of sum 1, nearly all at the shortest that holds most of it."""
    costs = intervals.sum(dim=1).log() + _OUTSIDE * (1 - belief @ intervals.T)
    return (-_SHARPNESS * costs).softmax(dim=-1)
