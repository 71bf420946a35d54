"""What only a GPU can show: scaled gradients, losses that are read late, memory, and generators of its own."""

from __future__ import annotations

import pytest
import torch

from epochal.errors import EpochalError
from epochal_lab.models.training.trainer import train

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU that torch can use")


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_it_learns_in_every_precision(regression, settings, precision):
    task = regression(rows=64, dropout=0.0)
    task.evaluate = lambda: {"error": (task.model(task.x.cuda()) - task.y.cuda()).square().mean().item()}
    expected = settings(device="cuda", epochs=60, batch_size=16, rate=0.05, precision=precision, clip=5.0)
    run = train(task, expected, None)
    assert run.best["error"] < 0.1
    assert run.peak_memory_bytes > 0
    assert run.tokens_per_second > 0
    assert run.device == torch.cuda.get_device_name()


def test_a_loss_that_is_no_number_is_seen_with_the_next_line_of_the_log(regression, settings, tmp_path):
    task = regression(shuffled=False)
    task.y[5] = float("nan")
    with pytest.raises(EpochalError, match="the loss of step 2 is nan"):
        train(task, settings(device="cuda", save_every=4), tmp_path)
    assert not (tmp_path / "last").exists()


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_a_killed_run_goes_on(regression, settings, parameters, killed, tmp_path, precision):
    def made():
        task = regression()
        task.evaluate = lambda: {"error": (task.model(task.x.cuda()) - task.y.cuda()).square().mean().item()}
        return task

    def dies(done, total, note):
        if done == 13:
            raise killed

    expected = settings(device="cuda", save_every=5, precision=precision)
    whole = made()
    train(whole, expected, None)
    with pytest.raises(killed):
        train(made(), expected, tmp_path, progress=dies)
    again = made()
    train(again, expected, tmp_path, resume=True)
    assert parameters(again.model) == pytest.approx(parameters(whole.model), abs=1e-6)
