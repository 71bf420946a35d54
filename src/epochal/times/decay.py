"""How fresh something is: a number from 1 (now) down to 0, by one of four curves.

The curves and their parameters are those of Elasticsearch's decay functions: at `scale` (beyond `offset`) the score is
`decay`. Unlike there, an age is measured to the near end of a span ("2026" is not 1 January), and what lies in the
future follows a policy that has a name:

    as_new    the future counts as now (the default)
    mirror    the future loses by its distance, as the past does (Elasticsearch)
    zero      the future scores nothing
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, UnknownNameError
from epochal.times.axis import OPEN_END
from epochal.times.span import Span
from epochal.times.spanset import SpanSet

__all__ = ["Curve", "Exponential", "FuturePolicy", "Gaussian", "Linear", "Steps", "ages", "freshness"]

Floats = npt.NDArray[np.float64]
FuturePolicy = Literal["as_new", "mirror", "zero"]


class Curve(Protocol):
    """A fall-off over ages in seconds, each 0 or more, into [0, 1].

    >>> isinstance(Exponential(scale=86400)(np.array([0.0])), np.ndarray)
    True
    """

    def __call__(self, age: Floats) -> Floats:
        """The score of each age."""
        ...


@dataclass(frozen=True, slots=True)
class _Decay:
    scale: float
    decay: float = 0.5
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not (self.scale > 0 and math.isfinite(self.scale)):
            raise EpochalError(f"scale must be a length of time above 0 (seconds), but is {self.scale}")
        if not 0 < self.decay < 1:
            raise EpochalError(f"decay must lie between 0 and 1, but is {self.decay}")
        if not self.offset >= 0:
            raise EpochalError(f"offset must be 0 or more (seconds), but is {self.offset}")

    def _late(self, age: Floats) -> Floats:
        return np.maximum(age - self.offset, 0.0)


@dataclass(frozen=True, slots=True)
class Exponential(_Decay):
    """Loses the same share in each `scale`: with the default decay, `scale` is the half-life.

    >>> Exponential(scale=30 * 86400)(np.array([0.0, 30 * 86400, 60 * 86400]))
    array([1.  , 0.5 , 0.25])
    """

    def __call__(self, age: Floats) -> Floats:
        """The score of each age in seconds."""
        return np.exp(math.log(self.decay) / self.scale * self._late(age))


@dataclass(frozen=True, slots=True)
class Gaussian(_Decay):
    """Slow at first, then fast: the bell curve.

    >>> Gaussian(scale=30 * 86400)(np.array([0.0, 30 * 86400, 60 * 86400]))
    array([1.    , 0.5   , 0.0625])
    """

    def __call__(self, age: Floats) -> Floats:
        """The score of each age in seconds."""
        late = self._late(age) / self.scale
        return np.exp(math.log(self.decay) * late * late)


@dataclass(frozen=True, slots=True)
class Linear(_Decay):
    """Falls by the same amount each second, down to 0.

    >>> Linear(scale=30 * 86400)(np.array([0.0, 30 * 86400, 60 * 86400, 90 * 86400]))
    array([1. , 0.5, 0. , 0. ])
    """

    def __call__(self, age: Floats) -> Floats:
        """The score of each age in seconds."""
        life = self.scale / (1.0 - self.decay)
        return np.maximum((life - self._late(age)) / life, 0.0)


@dataclass(frozen=True, slots=True)
class Steps:
    """Falls at set ages: each `(age, score)` holds from that age on; before the first the score is 1.

    >>> Steps(((7 * 86400, 0.5), (30 * 86400, 0.1)))(np.array([0.0, 7 * 86400, 40 * 86400]))
    array([1. , 0.5, 0.1])
    """

    steps: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        edges = [age for age, _ in self.steps]
        scores = [1.0, *(score for _, score in self.steps)]
        if not edges or edges[0] < 0 or any(a >= b for a, b in pairwise(edges)):
            raise EpochalError(f"steps need ages that rise from 0 or more, but have {edges}")
        if scores[-1] < 0 or any(a < b for a, b in pairwise(scores)):
            raise EpochalError(f"steps need scores that fall from 1 to 0, but have {scores[1:]}")

    def __call__(self, age: Floats) -> Floats:
        """The score of each age in seconds."""
        scores = np.array([1.0, *(score for _, score in self.steps)])
        edges = np.array([edge for edge, _ in self.steps])
        return scores[edges.searchsorted(age, side="right")]


def ages(docs: SpanSet, now: Span) -> npt.NDArray[np.int64]:
    """Seconds from the near end of each span to the present: 0 for what holds the present, negative for the future.

    >>> ages(SpanSet.of([Span.year(2026), Span.parse("2026-11-10")]), Span.day(2026, 11, 15)) // 86400
    array([0, 4])
    """
    # What lasts into the present has no age; a gap of 0 to a span that ended just now is age 0 as well.
    return -docs.gap(now)


def freshness(docs: SpanSet, now: Span, curve: Curve, *, future: FuturePolicy = "as_new") -> Floats:
    """The freshness of each span as of `now`, in [0, 1].

    >>> docs = SpanSet.of([Span.parse("2026-11-15"), Span.parse("2026-10-15"), Span.parse("2027")])
    >>> freshness(docs, Span.day(2026, 11, 15), Linear(scale=30 * 86400)).round(2)
    array([1. , 0.5, 1. ])
    >>> freshness(docs, Span.day(2026, 11, 15), Linear(scale=30 * 86400), future="zero").round(2)
    array([1. , 0.5, 0. ])
    """
    if future not in get_args(FuturePolicy):
        raise UnknownNameError("future policy", future, get_args(FuturePolicy))
    if now.end == OPEN_END:
        raise EpochalError("now must have an end, but is open")
    age = ages(docs, now)
    if future == "mirror":
        age = np.abs(age)
    scores = curve(np.maximum(age, 0).astype(np.float64))
    return np.where(age < 0, 0.0, scores) if future == "zero" else scores
