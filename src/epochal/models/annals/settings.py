"""The shape of the model, and the choices of its two tasks. Needs no torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from epochal.errors import EpochalError

__all__ = ["Shape", "TaskSettings"]


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the model is: 14 million parameters with 9,000 characters unless told otherwise.

    >>> Shape().width, Shape(layers=2, width=32, heads=4, inner=64).layers
    (384, 2)
    >>> Shape(width=100)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: a width of 100 cannot be shared by 12 heads; give a multiple of 12
    """

    layers: int = 6
    width: int = 384
    heads: int = 12
    inner: int = 1536
    positions: int = 256
    dropout: float = 0.1

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads", "inner"):
            if getattr(self, name) < 1:
                raise EpochalError(f"{name} is {getattr(self, name)}; accepted: a whole number from 1")
        if self.positions < 16:
            raise EpochalError(f"positions is {self.positions}; accepted: a whole number from 16")
        if self.width % self.heads:
            raise EpochalError(
                f"a width of {self.width} cannot be shared by {self.heads} heads; give a multiple of {self.heads}"
            )
        if not 0 <= self.dropout < 1:
            raise EpochalError(f"dropout is {self.dropout}; accepted: a number from 0, below 1")

    def to_dict(self) -> dict[str, Any]:
        """The shape as JSON can hold it.

        >>> Shape(**Shape().to_dict()) == Shape()
        True
        """
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """What is covered up, and of what lengths the model reads.

    `rate` of all characters are covered, in spans of `span` on average (1: each by itself). A `short` share of the
    batches has its passages cut in pieces of 62 characters, so that the model reads short texts as well. `held_out` is
    the share of passages that it is measured on. In the second task, two spans of up to `longest_span` characters of
    one passage lie near each other at `temperature`, while `covered` of the first task's loss goes on.

    >>> TaskSettings(rate=0.2).span
    3.0
    >>> TaskSettings(rate=2)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: rate is 2; accepted: a number above 0, at most 0.5
    """

    rate: float = 0.15
    span: float = 3.0
    short: float = 0.25
    held_out: float = 0.01
    longest_span: int = 64
    temperature: float = 0.05
    covered: float = 0.3

    def __post_init__(self) -> None:
        _check("rate", self.rate, 0 < self.rate <= 0.5, "a number above 0, at most 0.5")
        _check("span", self.span, 1 <= self.span <= 8, "a number from 1 to 8")
        _check("short", self.short, 0 <= self.short <= 1, "a share from 0 to 1")
        _check("held_out", self.held_out, 0 < self.held_out <= 0.5, "a share above 0, at most 0.5")
        _check("longest_span", self.longest_span, self.longest_span >= 8, "a whole number from 8")
        _check("temperature", self.temperature, self.temperature > 0, "a number above 0")
        _check("covered", self.covered, self.covered >= 0, "a number from 0")

    def to_dict(self) -> dict[str, Any]:
        """The settings as JSON can hold them.

        >>> TaskSettings(**TaskSettings().to_dict()) == TaskSettings()
        True
        """
        return asdict(self)


def _check(name: str, value: float, holds: bool, accepted: str) -> None:
    if not holds:
        raise EpochalError(f"{name} is {value}; accepted: {accepted}")
