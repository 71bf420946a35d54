"""The masked language model learns, resumes and measures."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.models.annals import tasks as pace
from epochal_lab.models.annals.tasks import IGNORED, MaskedTask, mask_ids, sample_positions
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


SIZE = 400


def drawn(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(st.integers(0, 2**40), st.floats(0.05, 0.4), st.floats(1, 6))
@settings(max_examples=30)
def test_the_rate_is_kept_at_every_place(seed, rate, span):
    result = sample_positions(torch.Size([3000, 24]), drawn(seed), rate, span).float()
    assert result.mean().item() == pytest.approx(rate, abs=0.012)
    # Also at both ends of a row, where spans could be cut off. 3,000 rows: five standard deviations are 0.045.
    assert result[:, 0].mean().item() == pytest.approx(rate, abs=0.045)
    assert result[:, -1].mean().item() == pytest.approx(rate, abs=0.045)


def test_spans_have_the_length_asked_for():
    result = sample_positions(torch.Size([2000, 200]), drawn(1), 0.05, 3.0)
    begins = (result[:, 1:] & ~result[:, :-1]).sum().item() + result[:, 0].sum().item()
    # Spans that meet run together, so that they come out a little longer than drawn.
    assert 2.7 < result.sum().item() / begins < 3.4


@given(st.integers(0, 2**40), st.sampled_from([1.0, 3.0]))
@settings(max_examples=20)
def test_what_covers_what(seed, span):
    ids = torch.randint(0, SIZE, (400, 128), generator=drawn(seed + 1))
    inputs, labels = mask_ids(ids, SIZE, drawn(seed), 0.15, span)
    guessed = labels != IGNORED
    assert not guessed[ids < 5].any()
    assert torch.equal(labels[guessed], ids[guessed])
    assert torch.equal(inputs[~guessed], ids[~guessed])
    count = guessed.sum().item()
    covered = (inputs[guessed] == 4).sum().item() / count
    same = (inputs[guessed] == ids[guessed]).sum().item() / count
    assert covered == pytest.approx(0.8, abs=0.03)
    assert same == pytest.approx(0.1, abs=0.03)
    assert (inputs[guessed] >= 4).all()
    assert (inputs < SIZE).all()


def test_a_seed_decides_everything():
    ids = torch.arange(5, 205).repeat(4, 1)
    first, second, third = (mask_ids(ids, SIZE, drawn(seed), 0.15, 3.0) for seed in (3, 3, 4))
    assert torch.equal(first.inputs, second.inputs)
    assert torch.equal(first.labels, second.labels)
    assert not torch.equal(first.labels, third.labels)


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
    result = pace.count_fitting_steps(task, TrainSettings(device="cpu", accumulate=2), 100.0, warm=4, timed=6)
    assert result == int((100 - 20) / (2 * 2 * 1.15))
    assert torch.equal(before, task.model.weight)
    assert task.model.weight.grad is None
    task.taken = 0
    with pytest.raises(EpochalError, match="not one step fits into 20 s"):
        pace.count_fitting_steps(task, TrainSettings(device="cpu"), 20.0, warm=4, timed=6)


def test_a_batch_that_is_compiled_late_does_not_count(monkeypatch):
    task = Line()
    monkeypatch.setattr(pace, "stopwatch", lambda: 2.0 * task.taken + (60.0 if task.taken > 6 else 0.0))
    result = pace.count_fitting_steps(task, TrainSettings(device="cpu"), 200.0, warm=4, timed=6)
    assert result == int((200 - 80) / (2 * 1.15))
