"""Hyperparameters of training, and the learning rate schedule. Needs no torch, so that commands start fast."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from epochal.errors import EpochalError

#: The learning rate schedules after the warm-up.
SCHEDULES: Final = ("linear", "cosine", "constant")
#: The precisions of computation; parameters stay float32.
PRECISIONS: Final = ("fp32", "bf16", "fp16")


def check_booleans(settings: Any) -> None:
    """Raise an error if a boolean field of a dataclass holds anything else, such as a word."""
    for field in fields(settings):
        value = getattr(settings, field.name)
        if field.type in (bool, "bool") and not isinstance(value, bool):
            raise EpochalError(f"{field.name} is {value!r}; accepted: true or false")


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """How a model is trained.

    `batch_size` is the size of a task's batch, `accumulate` the number of batches per optimiser step. `rate` is the
    peak learning rate, reached after `warmup` (a share of all steps). `clip` bounds the gradient norm. `metric` decides
    which parameters are best, and `patience` is the number of evaluations without improvement that end the run.
    `evaluate_every`, `save_every` and `log_every` count optimiser steps; None evaluates once per epoch, and saves after
    each evaluation. `max_steps` shortens the run and its schedule; `max_seconds` interrupts it, to be resumed.

    >>> TrainSettings(rate=1e-3, epochs=2).to_dict()["rate"]
    0.001
    >>> TrainSettings(precision="int8")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: precision is 'int8'; accepted: fp32, bf16, fp16
    """

    epochs: int = 5
    batch_size: int = 64
    accumulate: int = 1
    rate: float = 2e-5
    decay: float = 0.01
    warmup: float = 0.1
    schedule: str = "linear"
    clip: float | None = None
    precision: str = "fp32"
    seed: int = 42
    device: str = "auto"
    metric: str = "loss"
    lower_is_better: bool = True
    patience: int | None = None
    evaluate_every: int | None = None
    max_steps: int | None = None
    max_seconds: float | None = None
    save_every: int | None = None
    log_every: int = 50

    def __post_init__(self) -> None:
        check_booleans(self)
        for name in ("epochs", "batch_size", "accumulate", "log_every"):
            check_whole(name, getattr(self, name), 1)
        for name in ("patience", "evaluate_every", "max_steps", "save_every"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), 1, "or None")
        check_whole("seed", self.seed, 0)
        check_number("rate", self.rate, self.rate > 0, "a number above 0")
        check_number("decay", self.decay, self.decay >= 0, "a number from 0")
        check_number("warmup", self.warmup, 0 <= self.warmup <= 1, "a share of all steps, from 0 to 1")
        if self.clip is not None:
            check_number("clip", self.clip, self.clip > 0, "a number above 0, or None")
        if self.max_seconds is not None:
            check_number("max_seconds", self.max_seconds, self.max_seconds > 0, "a number above 0, or None")
        check_choice("schedule", self.schedule, SCHEDULES)
        check_choice("precision", self.precision, PRECISIONS)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings in a form for JSON.

        >>> TrainSettings.from_dict(TrainSettings(epochs=3).to_dict()) == TrainSettings(epochs=3)
        True
        """
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> TrainSettings:
        """Build settings from what `to_dict` returned; missing ones have their defaults.

        >>> TrainSettings.from_dict({"epochs": 3, "speed": 9})
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: 'speed' is no setting of training; accepted: epochs, batch_size, accumulate, rate,
        decay, warmup, schedule, clip, precision, seed, device, metric, lower_is_better, patience, evaluate_every,
        max_steps, max_seconds, save_every, log_every
        """
        accepted = [field.name for field in fields(cls)]
        for name in record:
            if name not in accepted:
                raise EpochalError(f"{name!r} is no setting of training; accepted: {', '.join(accepted)}")
        return cls(**record)


def check_whole(name: str, value: Any, least: int, more: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise EpochalError(f"{name} is {value!r}; accepted: a whole number from {least}{more and f', {more}'}")


def check_number(name: str, value: float, holds: bool, accepted: str) -> None:
    if not (math.isfinite(value) and holds):
        raise EpochalError(f"{name} is {value!r}; accepted: {accepted}")


def check_choice(name: str, value: str, accepted: tuple[str, ...]) -> None:
    if value not in accepted:
        raise EpochalError(f"{name} is {value!r}; accepted: {', '.join(accepted)}")


def count_steps(settings: TrainSettings, batches_per_epoch: int) -> int:
    """Count the optimiser steps of a run. The last step of an epoch may have fewer batches than the others."""
    steps = settings.epochs * math.ceil(batches_per_epoch / settings.accumulate)
    return steps if settings.max_steps is None else min(steps, settings.max_steps)


def count_warmup_steps(total: int, share: float) -> int:
    """Count the steps of the warm-up: its share, rounded up."""
    return math.ceil(round(total * share, 9))  # 0.1 * 30 is slightly above 3 on some machines


def compute_rate_factor(step: int, total: int, settings: TrainSettings) -> float:
    """Return the factor of the peak learning rate for the step that follows `step` steps.

    It rises linearly from 0 in the warm-up, and then falls to 0 ("linear"; "cosine": along half a cosine) or stays
    ("constant").
    """
    warm = count_warmup_steps(total, settings.warmup)
    if step < warm:
        return step / warm
    if settings.schedule == "constant":
        return 1.0
    gone = min(1.0, (step - warm) / max(1, total - warm))
    return 1 - gone if settings.schedule == "linear" else (1 + math.cos(math.pi * gone)) / 2
