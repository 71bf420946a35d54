"""The trainer that every model here shares: a task says what is trained, settings say how, `train` does it.

settings    how a model is trained: rate, schedule, precision, when to stop
task        what is trained, on what, to which end: the protocol
trainer     `train`: the loop, and what came of it
checkpoint  tensors and JSON on disk, whole or not at all, and no pickle
batches     batches of texts of similar length
schedule    the rate of learning, step by step
optimiser   AdamW, and which parameters decay
meter       running means of losses, kept on the device
seeds       random numbers: seeded, saved and put back
device      where it runs, in which precision
journal     the log of a run, a JSON object a line
curves      learning curves, drawn from a log
card        a model card, from a run and what else is known
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
