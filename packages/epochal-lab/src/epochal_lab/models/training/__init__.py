"""The training loop that all models share: a task defines what is trained, settings define how, `train` runs it.

settings    hyperparameters, and the learning rate schedule
task        the protocol of a task, and the optimiser
trainer     `train`, its result, and the model card
checkpoint  tensors and JSON on disk, random states, and what resuming needs
device      devices, precision, batches by length, running means of losses
journal     the log of a run, one JSON object per line, and learning curves
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal_lab.models.training.settings import TrainSettings as TrainSettings
    from epochal_lab.models.training.task import TrainTask as TrainTask
    from epochal_lab.models.training.trainer import TrainRun as TrainRun
    from epochal_lab.models.training.trainer import train as train

__all__ = ["TrainRun", "TrainSettings", "TrainTask", "train"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal_lab.models.training.settings": "TrainSettings",
        "epochal_lab.models.training.task": "TrainTask",
        "epochal_lab.models.training.trainer": "TrainRun train",
    },
)
