"""The rate of learning, step by step: up in the warm-up, and then down or level."""

from __future__ import annotations

import math

from epochal.models.training.settings import TrainSettings

__all__ = ["rate_share", "total_steps", "warmup_steps"]


def total_steps(settings: TrainSettings, batches_per_epoch: int) -> int:
    """How many steps of the optimiser a run has. The last step of an epoch may have fewer batches than the others."""
    steps = settings.epochs * math.ceil(batches_per_epoch / settings.accumulate)
    return steps if settings.max_steps is None else min(steps, settings.max_steps)


def warmup_steps(total: int, share: float) -> int:
    """How many of all steps the warm-up takes: its share, rounded up."""
    return math.ceil(round(total * share, 9))  # 0.1 * 30 is a hair above 3 on some machines


def rate_share(step: int, total: int, settings: TrainSettings) -> float:
    """What share of the highest rate the step after `step` steps is taken with.

    It rises in a line from 0 through the warm-up, and then falls to 0 at the end in a line ("linear"), as half a wave
    ("cosine"), or stays ("constant").
    """
    warm = warmup_steps(total, settings.warmup)
    if step < warm:
        return step / warm
    if settings.schedule == "constant":
        return 1.0
    gone = min(1.0, (step - warm) / max(1, total - warm))
    return 1 - gone if settings.schedule == "linear" else (1 + math.cos(math.pi * gone)) / 2
