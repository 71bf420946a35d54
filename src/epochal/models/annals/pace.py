"""How many steps fit into a time, measured before a run, so that its rate of learning falls to zero at its end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from statistics import median
from typing import Any, Final

import torch

from epochal.errors import EpochalError
from epochal.models.training.device import autocast, chosen_device, gradient_scaler, moved
from epochal.models.training.settings import TrainSettings
from epochal.models.training.task import Task
from epochal.times.clock import stopwatch

__all__ = ["steps_that_fit"]

#: Batches that are not timed, because the first of each shape is compiled, and batches that are.
_WARM: Final = 24
_TIMED: Final = 24
#: What the optimiser, the log, evaluations and saving add to the time of losses and gradients.
_MORE: Final = 1.15


def steps_that_fit(
    task: Task, settings: TrainSettings, seconds: float, *, warm: int = _WARM, timed: int = _TIMED
) -> int:
    """How many steps of the optimiser take `seconds`, the time of measuring taken off; the model stays as it is.

    >>> import torch
    >>> class Line:
    ...     model = torch.nn.Linear(1, 1)
    ...     def steps_per_epoch(self, settings):
    ...         return 4
    ...     def batches(self, epoch, settings):
    ...         return iter([torch.ones(1, 1)] * 4)
    ...     def loss(self, batch):
    ...         return {"loss": self.model(batch).square().mean()}
    ...     def evaluate(self):
    ...         return {}
    >>> steps_that_fit(Line(), TrainSettings(device="cpu"), 5.0) > 1
    True
    """
    begun = stopwatch()
    device = chosen_device(settings.device)
    model = task.model.to(device).train()
    scaler = gradient_scaler(settings.precision, device)
    batches = _endless(task, settings)
    watches = []
    for number, batch in enumerate(islice(batches, warm + timed)):
        if number >= warm:
            watches.append(_now(device))
        with autocast(settings.precision, device):
            loss = task.loss(moved(batch, device))["loss"]
        scaler.scale(loss).backward()
        model.zero_grad(set_to_none=True)
    now = _now(device)
    # The middle one: a shape that comes late is compiled late, and takes a hundred times as long as it does ever after.
    each = median(later - one for one, later in pairwise([*watches, now])) * settings.accumulate * _MORE
    found = int((seconds - (now - begun)) / each)
    if found < 1:
        raise EpochalError(
            f"not one step fits into {seconds:g} s, of which measuring took {now - begun:.1f}; give more"
        )
    return found


def _endless(task: Task, settings: TrainSettings) -> Iterator[Any]:
    epoch = 0
    while True:
        yield from task.batches(epoch, settings)
        epoch += 1


def _now(device: torch.device) -> float:
    """The stopwatch once the device has done what it was told."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return stopwatch()
