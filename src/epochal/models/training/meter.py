"""Running means of losses that stay on the device until they are asked for: reading one would make a GPU wait."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from epochal.errors import EpochalError

__all__ = ["Meter"]


class Meter:
    """Means of losses by name, over as many batches as were added since it was cleared.

    A loss that is no number is an error that names the step: at once on a processor, on a GPU when means are read.
    """

    def __init__(self) -> None:
        self._sums: dict[str, Tensor] = {}
        self._counts: dict[str, int] = {}
        self._bad: Tensor | None = None  # the first step whose loss was no number, or -1
        self._shown = "-"

    @property
    def latest(self) -> str:
        """The loss as it was when means were last read, to show beside a bar."""
        return self._shown

    def add(self, losses: Mapping[str, Tensor], step: int) -> None:
        """Add the losses of one batch."""
        for name, value in losses.items():
            number = value.detach().float()
            self._sums[name] = self._sums[name] + number if name in self._sums else number.clone()
            self._counts[name] = self._counts.get(name, 0) + 1
        loss = losses["loss"].detach()
        if loss.device.type == "cpu":
            _check(step, float(loss))
            return
        if self._bad is None:
            self._bad = torch.full((), -1, device=loss.device)
        self._bad = torch.where((self._bad < 0) & ~torch.isfinite(loss), step, self._bad)

    def means(self) -> dict[str, float]:
        """The means by name; {} where nothing was added."""
        found = {name: float(total) / self._counts[name] for name, total in self._sums.items()}
        if self._bad is not None and (step := int(self._bad)) >= 0:
            _check(step, math.nan)
        if "loss" in found:
            self._shown = f"{found['loss']:.4f}"
        return found

    def clear(self) -> None:
        """Forget what was added."""
        self._sums, self._counts, self._bad = {}, {}, None

    def pour(self, other: Meter) -> None:
        """Add what was added here to another meter, and forget it."""
        self.means()  # a loss that is no number must not go unseen
        for name, total in self._sums.items():
            other._sums[name] = other._sums[name] + total if name in other._sums else total
            other._counts[name] = other._counts.get(name, 0) + self._counts[name]
        self.clear()

    def dump(self) -> dict[str, Any]:
        """What was added, as JSON can hold it."""
        self.means()  # a loss that is no number must not get into a saved state
        return {name: [float(total), self._counts[name]] for name, total in self._sums.items()}

    def load(self, record: Mapping[str, Any]) -> None:
        """Go on from what `dump` gave."""
        self.clear()
        for name, (total, count) in record.items():
            self._sums[name], self._counts[name] = torch.tensor(total), count


def _check(step: int, loss: float) -> None:
    if not math.isfinite(loss):
        raise EpochalError(
            f"the loss of step {step} is {loss}; lower the rate, clip the gradients, or look at the data"
        )
