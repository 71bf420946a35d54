"""What the tests of the trainer share: a small task with chance in it, and a run that dies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from epochal_lab.models.training.checkpoint import make_generator, seed_all
from epochal_lab.models.training.settings import TrainSettings


@dataclass(frozen=True)
class Rows:
    x: Tensor
    y: Tensor
    tokens: int


class Regression:
    """y = 2a - b + 1 from rows in another order every epoch, by a network with dropout."""

    def __init__(self, rows: int = 32, dropout: float = 0.2, shuffled: bool = True) -> None:
        seed_all(0)
        self.x = torch.randn(rows, 2)
        self.y = self.x @ torch.tensor([[2.0], [-1.0]]) + 1
        self.model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Dropout(dropout), nn.Linear(16, 1))
        self.shuffled = shuffled
        self.evaluations = 0

    def steps_per_epoch(self, settings: TrainSettings) -> int:
        return -(-len(self.x) // settings.batch_size)

    def batches(self, epoch: int, settings: TrainSettings) -> Iterator[Rows]:
        order = torch.arange(len(self.x))
        if self.shuffled:
            order = torch.from_numpy(make_generator(settings.seed, epoch).permutation(len(self.x)))
        for part in order.split(settings.batch_size):
            yield Rows(self.x[part], self.y[part], len(part))

    def loss(self, batch: Rows) -> Mapping[str, Tensor]:
        off = self.model(batch.x) - batch.y
        return {"loss": off.square().mean(), "off": off.abs().mean()}

    @torch.no_grad()
    def evaluate(self) -> Mapping[str, float]:
        torch.rand(3)  # chance in an evaluation must not reach the training
        self.evaluations += 1
        return {"error": float((self.model(self.x) - self.y).square().mean())}


class Killed(BaseException):
    """Nobody catches this: the run dies where it is raised, as it would of SIGKILL."""


@pytest.fixture(autouse=True)
def _the_machine_does_not_crash(monkeypatch):
    """Waiting for the disk after every file makes up half of the time of these tests."""
    monkeypatch.setattr("os.fsync", lambda file: None)


@pytest.fixture
def regression() -> type[Regression]:
    return Regression


@pytest.fixture
def killed() -> type[Killed]:
    return Killed


@pytest.fixture
def settings() -> Callable[..., TrainSettings]:
    """Settings on the processor that suit the small task."""

    def made(**changes: Any) -> TrainSettings:
        usual = {"epochs": 3, "batch_size": 4, "rate": 0.02, "device": "cpu", "metric": "error", "log_every": 5}
        return TrainSettings(**{**usual, **changes})

    return made


@pytest.fixture
def parameters() -> Callable[[nn.Module], list[float]]:
    return lambda model: torch.cat([tensor.flatten() for tensor in model.state_dict().values()]).tolist()
