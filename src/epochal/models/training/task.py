"""What a model that can be trained has to say of itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from torch import Tensor, nn

from epochal.models.training.settings import TrainSettings

__all__ = ["GroupedTask", "Task", "tokens_of"]


class Task(Protocol):
    """What is trained, on what, and to which end. Four methods and a model; no base class is needed.

    >>> import torch
    >>> class Line:
    ...     '''Finds the slope of y = 2x.'''
    ...     def __init__(self):
    ...         self.model = nn.Linear(1, 1)
    ...     def steps_per_epoch(self, settings):
    ...         return 4
    ...     def batches(self, epoch, settings):
    ...         for step in range(4):
    ...             yield torch.full((settings.batch_size, 1), float(step))
    ...     def loss(self, batch):
    ...         return {"loss": (self.model(batch) - 2 * batch).square().mean()}
    ...     def evaluate(self):
    ...         return {}
    >>> task: Task = Line()
    """

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
    """A task that says for itself which parameters are trained, and how: its groups go to the optimiser as they are.

    >>> class Half:
    ...     def groups(self, settings):
    ...         return [{"params": [], "lr": settings.rate / 2, "weight_decay": 0.0}]
    >>> isinstance(Half(), GroupedTask), isinstance(object(), GroupedTask)
    (True, False)
    """

    def groups(self, settings: TrainSettings) -> list[dict[str, Any]]:
        """Groups of parameters as torch's optimisers take them; without "lr" and "weight_decay" they have the usual."""
        ...


def tokens_of(batch: Any) -> int | None:
    """How many tokens a batch holds, where it tells: by an attribute or a key `tokens`, a number or things to count.

    >>> tokens_of({"tokens": 12}), tokens_of({"tokens": [3, 4]}), tokens_of([1, 2])
    (12, 2, None)
    """
    told = batch.get("tokens") if isinstance(batch, Mapping) else getattr(batch, "tokens", None)
    if told is None or isinstance(told, int):
        return told
    return len(told)
