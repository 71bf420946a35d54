"""How the predicted time of a text enters its vector or the score: added codes, concatenated codes, a likelihood, a
bias.

Every context gives questions and records vectors whose inner product is the score. Codes are fixed sines and cosines of
classes and of distances. The published frequencies are at most one radian over the whole range, so that neighbouring
classes have almost the same code and a distance of a month cannot be distinguished from none; full frequencies go up to
Nyquist's, half a turn from one class to the next.
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

Floats = npt.NDArray[np.float32]
#: The minimum probabilities of years and months: no text rules a time out.
_MIN_YEAR: Final = 1e-4
_MIN_MONTH: Final = 1e-3
#: The cost of an interval is the log of its length plus this times the probability outside it. The sharpness is such
#: that a month with nine tenths of the probability is one month, and a whole year differs from eleven months.
_OUTSIDE: Final = 5.0
_SHARPNESS: Final = 20.0


def build_frequencies(count: int) -> Tensor:
    """Return the published frequencies: 10000^(-k / (count - 1)), from 1 down to 1/10000."""
    _check_minimum("count", count, 2)
    # In float64: float32 exponents would change the fourth decimal.
    return (10000.0 ** -torch.linspace(0, 1, count, dtype=torch.float64)).float()


def build_codebook(classes: int, width: int = 64) -> Tensor:
    """Return one row per class c at position c / (classes - 1): sines of all frequencies first, then cosines."""
    _check_minimum("classes", classes, 2)
    _check_width(width)
    positions = torch.arange(classes, dtype=torch.float64) / (classes - 1)
    angles = positions[:, None] * build_frequencies(width // 2).double()
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


def build_full_codebook(classes: int, width: int = 64, *, cyclic: bool = False) -> Tensor:
    """Return one row of length 1 per class, with evenly spaced frequencies up to Nyquist's.

    A cyclic codebook makes the last class a neighbour of the first, as December is of January.
    """
    _check_minimum("classes", classes, 2)
    _check_width(width)
    # A cycle closes after whole turns; on a line half turns differ too, and the slowest is half a turn.
    turn = 2 * math.pi / classes if cyclic else math.pi / classes
    highest = classes // 2 if cyclic else classes - 1
    count = min(width // 2, highest)
    steps = torch.linspace(1, highest, count, dtype=torch.float64).round()
    angles = torch.arange(classes, dtype=torch.float64)[:, None] * turn * steps
    rows = torch.cat([angles.sin(), angles.cos()], dim=1) / math.sqrt(count)
    return torch.nn.functional.pad(rows, (0, width - 2 * count)).float()


def build_full_frequencies(count: int, steps: int) -> Tensor:
    """Return frequencies for distances on an axis of `steps` steps: from half a turn over it to half a turn per step.

    They grow geometrically, so that near distances are resolved in steps and far ones in shares of the axis.
    """
    _check_minimum("count", count, 2)
    _check_minimum("steps", steps, 2)
    return (math.pi * float(steps) ** torch.linspace(0, 1, count, dtype=torch.float64)).float()


def encode_distances(distance: Tensor, waves: Tensor) -> Tensor:
    """Return sines and cosines of distances at some frequencies, sines first."""
    angles = distance[..., None] * waves
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


def _check_minimum(name: str, value: int, minimum: int) -> None:
    if value < minimum:
        raise EpochalError(f"{name} is {value}; accepted: a whole number from {minimum}")


def _check_width(width: int) -> None:
    if width < 4 or width % 2:
        raise EpochalError(f"the width of a code is {width}; accepted: an even number from 4")


class RelativeBias(nn.Module):
    """eps * MLP(codes of u_record - u_question), with positions u on the axis from 0 to 1; eps starts at 0.

    With `steps` the frequencies resolve single steps of an axis of that length; without, they are the published ones,
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
        """Return the bias of each pair: one row per question, one column per record."""
        return self.compute(records[None, :] - questions[:, None])

    def compute(self, distance: Tensor) -> Tensor:
        """Return the bias at distances u_record - u_question, clipped to [-1, 1]."""
        bias: Tensor = self.eps * self.inner(encode_distances(distance.clamp(-1, 1), self.waves)).squeeze(-1)
        return bias

    @torch.no_grad()
    def table(self, resolution: int) -> Floats:
        """Return the bias at 2 * resolution + 1 even distances from -1 to 1, for lookup by rounded distance."""
        if resolution < 1:
            raise EpochalError(f"the resolution of the table is {resolution}; accepted: a whole number from 1")
        device = self.eps.device
        grid = torch.linspace(-1, 1, 2 * resolution + 1, dtype=torch.float64, device=device).float()
        values: Floats = self.compute(grid).float().cpu().numpy()
        return values


class TimeContext(nn.Module, ABC):
    """The base of all contexts: a learned weight `gamma` that starts at 1, and an encoder for each side."""

    def __init__(self) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(()))

    @abstractmethod
    def encode_question(self, hidden: Tensor, logits: PartTensors, temperature: float) -> Tensor:
        """Return the vectors of questions."""

    @abstractmethod
    def encode_record(self, hidden: Tensor, logits: PartTensors, worth: Tensor | None) -> Tensor:
        """Return the vectors of records."""


class _CodeContext(TimeContext):
    """Expected codes of the parts of a time, projected to the width of the hidden vector."""

    def __init__(self, heads: TimeHeads, width: int, code: int, full: bool) -> None:
        super().__init__()
        self._count = len(heads.parts)
        for index, (part, size) in enumerate(zip(heads.parts, heads.class_counts(), strict=True)):
            rows = build_full_codebook(size, code, cyclic=part == "month") if full else build_codebook(size, code)
            self.register_buffer(f"codes_{index}", rows, persistent=False)
        self.project = nn.Linear(code * self._count, width)

    def context(self, logits: PartTensors) -> Tensor:
        """Return the projected expected codes."""
        expected = [
            part @ self.get_buffer(f"codes_{index}") for index, part in enumerate(TimeHeads.to_distributions(logits))
        ]
        mapped: Tensor = self.project(torch.cat(expected, dim=-1))
        return mapped

    def encode_question(self, hidden: Tensor, logits: PartTensors, temperature: float) -> Tensor:
        """Return the same as for a record."""
        return self.encode_record(hidden, logits, None)


class AddContext(_CodeContext):
    """The published context: normalised h + gamma c."""

    def encode_record(self, hidden: Tensor, logits: PartTensors, worth: Tensor | None) -> Tensor:
        return functional.normalize(hidden + self.gamma * self.context(logits), dim=-1)


class ConcatContext(_CodeContext):
    """Normalised h and gamma times normalised c, concatenated: the inner product is cos(h, h') + gamma^2 cos(c, c')."""

    def encode_record(self, hidden: Tensor, logits: PartTensors, worth: Tensor | None) -> Tensor:
        here = functional.normalize(self.context(logits), dim=-1)
        return torch.cat([functional.normalize(hidden, dim=-1), self.gamma * here], dim=-1)


class LikelihoodContext(TimeContext):
    """Next to the text vector, the likelihood that a record is of the query's time, and its value as an answer.

    A record's dimensions are the log likelihoods of all intervals: of one or two years, and of runs of months, which
    may cross the turn of the year. A question's dimensions weight the interval of years and that of months that it asks
    for. Their inner product is the log likelihood of the query's time (years times months), weighted by gamma and
    independent of the temperature. An expected log likelihood of single months would rank records that state their
    month below those that do not, where a window is asked for.
    """

    years: Tensor
    months: Tensor

    def __init__(self, years: int, months: int = 12) -> None:
        super().__init__()
        self.register_buffer("years", build_year_intervals(years), persistent=False)
        self.register_buffer("months", build_month_intervals(months), persistent=False)

    def encode_question(self, hidden: Tensor, logits: PartTensors, temperature: float) -> Tensor:
        """Concatenate the text vector, the intervals of years and of months, and 1 for the answer value."""
        years, months = TimeHeads.to_distributions(logits)
        intervals = [
            match_intervals(years, self.years),
            match_intervals(months, self.months),
            torch.ones_like(years[:, :1]),
        ]
        return torch.cat(
            [functional.normalize(hidden, dim=-1), self.gamma * temperature * torch.cat(intervals, -1)], -1
        )

    def encode_record(self, hidden: Tensor, logits: PartTensors, worth: Tensor | None) -> Tensor:
        """Concatenate the text vector, the log likelihoods of all intervals, and the log answer value."""
        years, months = TimeHeads.to_distributions(logits)
        likely = [(years @ self.years.T + _MIN_YEAR).log(), (months @ self.months.T + _MIN_MONTH).log()]
        value = torch.zeros_like(years[:, 0]) if worth is None else functional.logsigmoid(worth)
        return torch.cat([functional.normalize(hidden, dim=-1), *likely, value[:, None]], dim=-1)


def build_year_intervals(years: int) -> Tensor:
    """Return one indicator row per year and per pair of consecutive years."""
    single = torch.eye(years)
    return torch.cat([single, single[:-1] + single[1:]])


def build_month_intervals(months: int = 12) -> Tensor:
    """Return one indicator row per run of months, also across the turn of the year, and one for the whole year."""
    rows = []
    for length in range(1, months + 1):
        for start in range(months if length < months else 1):
            row = torch.zeros(months)
            row[torch.arange(start, start + length) % months] = 1
            rows.append(row)
    return torch.stack(rows)


def match_intervals(belief: Tensor, intervals: Tensor) -> Tensor:
    """Return weights of intervals (sum 1), nearly all on the shortest interval that holds most of a distribution."""
    costs = intervals.sum(dim=1).log() + _OUTSIDE * (1 - belief @ intervals.T)
    return (-_SHARPNESS * costs).softmax(dim=-1)
