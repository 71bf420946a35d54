"""The protocol of a trainable task, and the AdamW optimiser over its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from epochal.errors import EpochalError
from epochal_lab.models.training.settings import TrainSettings


class TrainTask(Protocol):
    """What is trained, on which data, and how it is evaluated: four methods and a model; no base class is needed."""

    @property
    def model(self) -> nn.Module:
        """The model to train. The trainer moves it to the device and leaves the best parameters in it."""
        ...

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[Any]:
        """Yield the batches of an epoch, counted from 0: the same for the same seed, epoch and settings.

        A resumed run skips the batches that it had, so random numbers must come from `make_generator(seed, epoch)`, not
        from the shared generators. A batch is a tensor, or lists, tuples, mappings and frozen dataclasses of tensors,
        or anything with `to(device)`. If it has `tokens`, throughput is reported.
        """
        ...

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        """Return the number of batches per epoch (batches, whatever `accumulate` is), exactly or within a tenth."""
        ...

    def loss(self, batch: Any) -> Mapping[str, Tensor]:
        """Return the losses of a batch on the device: "loss" is minimised, others are logged.

        Runs under autocast unless the precision is fp32: matrix products are computed in that precision, also those of
        a loss, except within `with torch.autocast(device.type, enabled=False)`.
        """
        ...

    def evaluate(self) -> Mapping[str, float]:
        """Return metrics by name; {} if there is nothing to measure.

        The model is in evaluation mode, without gradients and autocast. Random numbers drawn here do not affect
        training.
        """
        ...


@runtime_checkable
class GroupedTask(Protocol):
    """A task that defines its own parameter groups for the optimiser."""

    def groups(self, settings: TrainSettings) -> list[dict[str, Any]]:
        """Return parameter groups for a torch optimiser; "lr" and "weight_decay" default to the settings."""
        ...


def count_tokens(batch: Any) -> int | None:
    """Return the number of tokens of a batch if it has an attribute or key `tokens`: a number or a sized object."""
    tokens = batch.get("tokens") if isinstance(batch, Mapping) else getattr(batch, "tokens", None)
    if tokens is None or isinstance(tokens, int):
        return tokens
    return len(tokens)


def build_parameter_groups(model: nn.Module, decay: float) -> list[dict[str, Any]]:
    """Build two groups of trainable parameters: matrices with weight decay; biases, norms and scalars without."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    matrices = [parameter for parameter in trained if parameter.ndim > 1]
    others = [parameter for parameter in trained if parameter.ndim <= 1]
    groups: list[dict[str, Any]] = [
        {"params": matrices, "weight_decay": decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return [group for group in groups if group["params"]]


def build_optimiser(task: TrainTask, settings: TrainSettings, device: torch.device) -> torch.optim.AdamW:
    """Build AdamW over the task's own parameter groups, or over the default ones."""
    groups = (
        task.groups(settings)
        if isinstance(task, GroupedTask)
        else build_parameter_groups(task.model, decay=settings.decay)
    )
    if not groups:
        name = type(task.model).__name__
        raise EpochalError(f"the model {name} has no parameter to train; one at least must require its gradient")
    # One kernel for all parameters: small models on a GPU would spend most of a step launching one for each.
    fused = True if device.type == "cuda" else None
    return torch.optim.AdamW(groups, lr=settings.rate, weight_decay=settings.decay, fused=fused)
