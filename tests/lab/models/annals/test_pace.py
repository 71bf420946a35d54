"""How many steps fit into a time."""

from __future__ import annotations

import pytest
import torch

from epochal.errors import EpochalError
from epochal_lab.models.annals import tasks as pace
from epochal_lab.models.training.settings import TrainSettings


class Line:
    def __init__(self) -> None:
        self.model = torch.nn.Linear(1, 1)
        self.taken = 0

    def steps_per_epoch(self, settings):
        return 3

    def batches(self, epoch, settings):
        return iter([torch.ones(1, 1)] * 3)

    def loss(self, batch):
        self.taken += 1
        return {"loss": self.model(batch).square().mean()}

    def evaluate(self):
        return {}


def test_time_is_shared_out(monkeypatch):
    task = Line()
    # Two seconds a batch, as the number of losses tells.
    monkeypatch.setattr(pace, "stopwatch", lambda: 2.0 * task.taken)
    before = task.model.weight.clone()
    found = pace.count_fitting_steps(task, TrainSettings(device="cpu", accumulate=2), 100.0, warm=4, timed=6)
    assert found == int((100 - 20) / (2 * 2 * 1.15))
    assert torch.equal(before, task.model.weight)
    assert task.model.weight.grad is None
    task.taken = 0
    with pytest.raises(EpochalError, match="not one step fits into 20 s"):
        pace.count_fitting_steps(task, TrainSettings(device="cpu"), 20.0, warm=4, timed=6)


def test_a_batch_that_is_compiled_late_does_not_count(monkeypatch):
    task = Line()
    monkeypatch.setattr(pace, "stopwatch", lambda: 2.0 * task.taken + (60.0 if task.taken > 6 else 0.0))
    found = pace.count_fitting_steps(task, TrainSettings(device="cpu"), 200.0, warm=4, timed=6)
    assert found == int((200 - 80) / (2 * 1.15))
