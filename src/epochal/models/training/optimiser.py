"""AdamW over a task's parameters: which of them are trained, and which of them decay."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from epochal.errors import EpochalError
from epochal.models.training.settings import TrainSettings
from epochal.models.training.task import GroupedTask, Task

__all__ = ["made_optimiser", "usual_groups"]


def usual_groups(model: nn.Module, decay: float) -> list[dict[str, Any]]:
    """Two groups of trained parameters: matrices decay; biases, scales of norms and single numbers do not."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    matrices = [parameter for parameter in trained if parameter.ndim > 1]
    others = [parameter for parameter in trained if parameter.ndim <= 1]
    groups: list[dict[str, Any]] = [
        {"params": matrices, "weight_decay": decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return [group for group in groups if group["params"]]


def made_optimiser(task: Task, settings: TrainSettings, device: torch.device) -> torch.optim.AdamW:
    """AdamW over the groups that a task names, or else the usual ones."""
    groups = task.groups(settings) if isinstance(task, GroupedTask) else usual_groups(task.model, decay=settings.decay)
    if not groups:
        name = type(task.model).__name__
        raise EpochalError(f"the model {name} has no parameter to train; one at least must require its gradient")
    # One kernel for all parameters: on a GPU small models spend most of a step on launching them one by one.
    fused = True if device.type == "cuda" else None
    return torch.optim.AdamW(groups, lr=settings.rate, weight_decay=settings.decay, fused=fused)
