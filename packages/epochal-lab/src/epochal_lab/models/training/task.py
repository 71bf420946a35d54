"""What a model that can be trained has to say of itself.

AdamW over a task's parameters: which of them are trained, and which of them decay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from epochal.errors import EpochalError
from epochal_lab.models.training.settings import TrainSettings

__all__ = ["GroupedTask", "TrainTask", "build_optimiser", "build_parameter_groups", "count_tokens"]


class TrainTask(Protocol):
    """What is trained, on what, and to which end. Four methods and a model; no base class is needed."""

    @property
    def model(self) -> nn.Module:
        """What is trained. The trainer moves it to the device, and leaves the best parameters in it."""
        ...

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[Any]:
        """The batches of an epoch, counted from 0: the same for the same seed, epoch and settings.

        A run that is resumed goes over the batches that it had, so draw random numbers from `seeds.generator(seed,
        epoch)` and not from the generators that all share. A batch is a tensor, or lists, tuples, mappings and frozen
        dataclasses of them, or anything with `to(device)`. Where it has `tokens`, throughput is told.
        """
        ...

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """How many batches an epoch has (batches, whatever `accumulate` says), exactly or within a tenth."""
        ...

    def loss(self, batch: Any) -> Mapping[str, Tensor]:
        """The losses of a batch that lies on the device: "loss" is what is minimised, others are logged beside it.

        It runs under autocast where the precision is not fp32: matrix products are then computed in that precision,
        those of a loss too, unless they stand in `with torch.autocast(device.type, enabled=False)`.
        """
        ...

    def evaluate(self) -> Mapping[str, float]:
        """How good the model is, by name; {} where there is nothing to measure.

        The model is in evaluation mode, no gradients are kept and there is no autocast. Random numbers that are drawn
        here do not change how the training goes on.
        """
        ...


@runtime_checkable
class GroupedTask(Protocol):
    """A task that says for itself which parameters are trained, and how: its groups go to the optimiser as they are."""

    def groups(self, settings: TrainSettings) -> list[dict[str, Any]]:
        """Groups of parameters as torch's optimisers take them; without "lr" and "weight_decay" they have the usual."""
        ...


def count_tokens(batch: Any) -> int | None:
    """How many tokens a batch holds, where it tells: by an attribute or a key `tokens`, a number or things to count."""
    told = batch.get("tokens") if isinstance(batch, Mapping) else getattr(batch, "tokens", None)
    if told is None or isinstance(told, int):
        return told
    return len(told)


def build_parameter_groups(model: nn.Module, decay: float) -> list[dict[str, Any]]:
    """Two groups of trained parameters: matrices decay; biases, scales of norms and single numbers do not."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    matrices = [parameter for parameter in trained if parameter.ndim > 1]
    others = [parameter for parameter in trained if parameter.ndim <= 1]
    groups: list[dict[str, Any]] = [
        {"params": matrices, "weight_decay": decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return [group for group in groups if group["params"]]


def build_optimiser(task: TrainTask, settings: TrainSettings, device: torch.device) -> torch.optim.AdamW:
    """AdamW over the groups that a task names, or else the usual ones."""
    groups = (
        task.groups(settings)
        if isinstance(task, GroupedTask)
        else build_parameter_groups(task.model, decay=settings.decay)
    )
    if not groups:
        name = type(task.model).__name__
        raise EpochalError(f"the model {name} has no parameter to train; one at least must require its gradient")
    # One kernel for all parameters: on a GPU small models spend most of a step on launching them one by one.
    fused = True if device.type == "cuda" else None
    return torch.optim.AdamW(groups, lr=settings.rate, weight_decay=settings.decay, fused=fused)
