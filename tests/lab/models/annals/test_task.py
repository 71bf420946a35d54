"""The masked language model learns, resumes and measures."""

from __future__ import annotations

import pytest
import torch

from epochal.errors import EpochalError
from epochal_lab.models.annals.tasks import MaskedTask
from epochal_lab.models.annals.vocabulary import ModelShape, TaskSettings, Vocabulary
from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.trainer import train

TINY = ModelShape(layers=1, width=32, heads=2, inner=64, dropout=0.0)


def made(passages, **chosen) -> MaskedTask:
    torch.manual_seed(0)
    return MaskedTask(passages, Vocabulary.from_texts(passages, 1), TINY, TaskSettings(held_out=0.1, **chosen))


def test_a_tiny_model_learns_the_passages(passages):
    task = made([passage[:54] for passage in passages], span=1.0, short=0.0)
    before = task.evaluate()
    settings = TrainSettings(epochs=60, batch_size=29, rate=1e-2, clip=1.0, device="cpu", evaluate_every=1000)
    run = train(task, settings, None)
    assert before["accuracy"] < 0.1
    assert run.best["accuracy"] > 0.6
    assert run.best["loss"] < before["loss"] / 3
    assert run.tokens_per_second is not None


def test_the_same_seed_gives_the_same_batches_and_losses(passages):
    task = made(passages, short=0.5)
    settings = TrainSettings(batch_size=8, seed=5)
    first, second = (list(task.batches(2, settings)) for _ in range(2))
    assert [batch.numbers.tolist() for batch in first] == [batch.numbers.tolist() for batch in second]
    assert [batch.seed for batch in first] == [batch.seed for batch in second]
    assert len(first) == task.steps_per_epoch(settings)
    assert [batch.seed for batch in task.batches(3, settings)] != [batch.seed for batch in first]
    task.model.eval()
    assert torch.equal(task.loss(first[0])["loss"], task.loss(second[0])["loss"])


def test_short_batches_are_cut(passages):
    long = ["".join(passages[first : first + 3])[:254] for first in range(0, 60, 3)]
    task = made(long, short=1.0)
    (batch,) = task.batches(0, TrainSettings(batch_size=64))
    assert batch.offset >= 0
    assert task.loss(batch)["loss"].isfinite()


def test_evaluation_draws_the_same_every_time(passages):
    task = made(passages)
    task.model.eval()
    assert task.evaluate() == task.evaluate()


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: ModelShape(layers=0), "layers is 0"),
        (lambda: ModelShape(positions=4), "positions is 4"),
        (lambda: ModelShape(dropout=1.0), "dropout is 1.0"),
        (lambda: TaskSettings(span=0.5), "span is 0.5"),
        (lambda: TaskSettings(temperature=0), "temperature is 0"),
    ],
)
def test_settings_out_of_range(make, problem):
    with pytest.raises(EpochalError, match=problem):
        make()
