from __future__ import annotations

import json

import pytest
import torch

from epochal.errors import EpochalError, StorageError
from epochal_lab.models.training.journal import read_journal
from epochal_lab.models.training.trainer import train


def test_it_learns(regression, settings):
    task = regression(rows=64, dropout=0.0)
    before = task.evaluate()["error"]
    run = train(task, settings(epochs=60, batch_size=16, rate=0.05), None)
    assert run.best["error"] < 0.01 < before
    assert (run.steps, run.epochs, run.stopped) == (240, 60, "epochs")
    assert task.evaluate()["error"] == run.best["error"]
    assert not task.model.training


def test_two_runs_are_the_same(regression, settings, parameters):
    first, second = regression(), regression()
    train(first, settings(), None)
    train(second, settings(), None)
    assert parameters(first.model) == parameters(second.model)
    third = regression()
    train(third, settings(seed=7), None)
    assert parameters(first.model) != parameters(third.model)


def test_two_batches_of_four_are_one_of_eight(regression, settings, parameters):
    once, twice = regression(dropout=0.0), regression(dropout=0.0)
    train(once, settings(batch_size=8), None)
    run = train(twice, settings(batch_size=4, accumulate=2), None)
    assert run.steps == 12
    assert parameters(twice.model) == pytest.approx(parameters(once.model), abs=1e-6)


def test_the_last_step_of_an_epoch_takes_the_mean_of_what_is_left(regression, settings):
    task = regression(rows=20, dropout=0.0, shuffled=False)
    run = train(task, settings(epochs=2, accumulate=3), None)
    assert run.steps == 4  # five batches an epoch: three and two
    assert [row["step"] for row in run.history] == [2, 4]


def test_patience_ends_the_run_and_the_best_parameters_stay(regression, settings, parameters):
    task = regression()
    seen = []

    def worse():
        seen.append(parameters(task.model))
        return {"error": [3.0, 1.0, 1.0, 2.0, 0.5][len(seen) - 1]}

    task.evaluate = worse
    run = train(task, settings(epochs=5, patience=2), None)
    assert (run.stopped, run.epochs, run.best_step, run.best) == ("patience", 4, 16, {"error": 1.0})
    assert parameters(task.model) == seen[1] != seen[3]


def test_higher_may_be_better(regression, settings):
    task = regression()
    values = iter([0.1, 0.3, 0.2])
    task.evaluate = lambda: {"hit": next(values)}
    assert train(task, settings(metric="hit", lower_is_better=False), None).best == {"hit": 0.3}


def test_a_loss_that_is_no_number_ends_the_run_with_its_step(regression, settings, parameters):
    task = regression()
    task.y[5] = float("nan")
    before = parameters(task.model)
    with pytest.raises(EpochalError, match=r"^the loss of step 1 is nan; lower the rate, clip the gradients, or look"):
        train(task, settings(batch_size=32), None)
    assert parameters(task.model) == before


def test_it_names_a_later_step_too(regression, settings):
    task = regression(shuffled=False)
    task.y[5] = float("inf")
    with pytest.raises(EpochalError, match="the loss of step 2 is inf"):
        train(task, settings(), None)


def test_without_a_measure_the_loss_of_training_decides(regression, settings):
    task = regression()
    task.evaluate = dict
    run = train(task, settings(metric="loss"), None)
    evaluated = [row for row in run.history if "metrics" in row]
    assert len(evaluated) == 3
    assert run.best == {"loss": min(row["losses"]["loss"] for row in evaluated)}


def test_the_losses_of_an_evaluation_are_those_since_the_last(regression, settings):
    task = regression(dropout=0.0)
    seen = []
    measured = task.loss

    def noted(batch):
        losses = measured(batch)
        seen.append(losses["off"].item())
        return losses

    task.loss = noted
    run = train(task, settings(epochs=2, log_every=3), None)
    epochs = [row for row in run.history if "metrics" in row]
    assert [row["losses"]["off"] for row in epochs] == pytest.approx([sum(seen[:8]) / 8, sum(seen[8:]) / 8])
    steps = {row["step"]: row["losses"]["off"] for row in run.history if "metrics" not in row}
    assert steps == pytest.approx(
        {3: sum(seen[:3]) / 3, 6: sum(seen[3:6]) / 3, 9: seen[8], 12: sum(seen[9:12]) / 3, 15: sum(seen[12:15]) / 3}
    )


def test_a_metric_that_is_not_measured_is_refused(regression, settings):
    with pytest.raises(EpochalError, match="measures no 'mrr', which is to decide; it measures: error"):
        train(regression(), settings(metric="mrr"), None)


def test_a_metric_that_is_no_number_cannot_decide(regression, settings):
    task = regression()
    task.evaluate = lambda: {"error": float("nan")}
    with pytest.raises(EpochalError, match="after step 8 'error' is nan"):
        train(task, settings(), None)


def test_other_metrics_may_be_no_numbers(regression, settings, tmp_path):
    task = regression()
    task.evaluate = lambda: {"error": 1.0, "rare": float("nan")}
    run = train(task, settings(), tmp_path)
    assert run.best == {"error": 1.0}
    assert read_journal(tmp_path / "log.jsonl")[-1]["metrics"] == {"error": 1.0, "rare": None}


def test_how_often_one_measures_does_not_change_what_is_learnt(regression, settings, tmp_path):
    for name, every in (("often", 1), ("seldom", 24)):
        train(regression(), settings(evaluate_every=every), tmp_path / name)
    states = [json.loads((tmp_path / name / "last" / "state.json").read_text()) for name in ("often", "seldom")]
    assert states[0]["random"] == states[1]["random"]
    files = [(tmp_path / name / "last" / "model-24.safetensors").read_bytes() for name in ("often", "seldom")]
    assert files[0] == files[1]


def test_max_steps_ends_the_run_and_its_schedule(regression, settings):
    run = train(regression(), settings(max_steps=10, warmup=0.0), None)
    assert (run.steps, run.stopped, run.epochs) == (10, "steps", 1)
    assert run.history[-1]["step"] == 10
    assert run.history[-1]["rate"] == pytest.approx(0.02 / 10)
    assert "metrics" in run.history[-1]


def test_max_steps_at_the_end_of_all_epochs(regression, settings):
    run = train(regression(), settings(max_steps=24), None)
    assert (run.steps, run.epochs, run.stopped) == (24, 3, "steps")
    assert [row["step"] for row in run.history if "metrics" in row] == [8, 16, 24]


def test_max_seconds_ends_the_run(regression, settings):
    run = train(regression(), settings(max_seconds=1e-9), None)
    assert (run.steps, run.stopped, run.best_step) == (1, "time", 1)


def test_clipping_bounds_the_step(regression, settings):
    norms = {}
    for clip in (None, 1e-3):
        task = regression(dropout=0.0)
        seen = []
        step = torch.optim.AdamW.step

        def noting(optimiser, *args, seen=seen, step=step, **more):
            gradients = [p.grad.norm() for group in optimiser.param_groups for p in group["params"]]
            seen.append(float(torch.stack(gradients).norm()))
            return step(optimiser, *args, **more)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.optim.AdamW, "step", noting)
            train(task, settings(clip=clip, epochs=1), None)
        norms[clip] = max(seen)
    assert norms[1e-3] <= 1.01e-3 < norms[None]


def test_bf16_learns_on_a_processor_too(regression, settings):
    task = regression(rows=64, dropout=0.0)
    seen = set()
    forward = task.model.forward

    def noted(rows):
        out = forward(rows)
        seen.add((task.model.training, out.dtype))
        return out

    task.model.forward = noted
    run = train(task, settings(epochs=30, batch_size=16, precision="bf16"), None)
    assert seen == {(True, torch.bfloat16), (False, torch.float32)}
    assert run.best["error"] < 0.1
    assert {tensor.dtype for tensor in task.model.state_dict().values()} == {torch.float32}


def test_a_task_may_name_its_groups(regression, settings, parameters):
    task = regression()
    frozen = task.model[0].weight.clone()
    task.groups = lambda settings: [{"params": list(task.model[3].parameters()), "lr": settings.rate / 2}]
    run = train(task, settings(warmup=0.0, max_steps=1), None)
    assert torch.equal(task.model[0].weight, frozen)
    assert run.history[-1]["rate"] == 0.01


def test_progress_is_reported_every_step(regression, settings):
    messages = []
    train(regression(), settings(epochs=1), None, progress=lambda *news: messages.append(news))
    assert [(done, total) for done, total, _ in messages] == [(step, 8) for step in range(1, 9)]
    assert messages[0][2] == "epoch 1, loss -"
    assert messages[-1][2].startswith("epoch 1, loss ")
    assert float(messages[-1][2].split()[-1]) > 0


def test_the_folder_holds_log_best_last_and_run(regression, settings, tmp_path):
    run = train(regression(), settings(log_every=3), tmp_path / "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["best", "last", "log.jsonl", "run.json"]
    rows = read_journal(tmp_path / "run" / "log.jsonl")
    assert tuple(rows) == run.history
    assert [row["step"] for row in rows] == [3, 6, 8, 9, 12, 15, 16, 18, 21, 24, 24]
    assert rows[2].keys() == {"step", "epoch", "rate", "losses", "seconds", "tokens", "metrics", "best"}
    assert rows[2]["epoch"] == 1.0
    assert rows[2]["tokens"] == 32
    assert run.tokens_per_second > 0
    assert run.peak_memory_bytes is None
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["best"] == run.best
    assert record["settings"] == run.settings.to_dict()


def test_a_folder_with_a_run_in_it_is_refused(regression, settings, tmp_path):
    train(regression(), settings(epochs=1), tmp_path)
    with pytest.raises(StorageError, match="holds a run already; resume it, or name another folder"):
        train(regression(), settings(epochs=1), tmp_path)


@pytest.mark.parametrize(("message", "found"), [(3, 5), (20, 8)])
def test_a_wrong_count_of_batches_is_reported(regression, settings, message, found):
    task = regression()
    task.steps_per_epoch = lambda settings: message
    with pytest.raises(EpochalError, match=f"epoch 0 gave {found} batches where steps_per_epoch gave {message}"):
        train(task, settings(), None)


def test_a_count_may_be_wrong_by_a_tenth(regression, settings):
    task = regression()
    task.steps_per_epoch = lambda settings: 9
    assert train(task, settings(), None).steps == 24


def test_nothing_to_train_on(regression, settings):
    task = regression()
    task.steps_per_epoch = lambda settings: 0
    with pytest.raises(EpochalError, match="0 batches an epoch; there is nothing to train on"):
        train(task, settings(), None)


def test_a_task_without_a_loss(regression, settings):
    task = regression()
    task.loss = lambda batch: {"los": torch.zeros(())}
    with pytest.raises(EpochalError, match="gave the losses los; one must be called loss"):
        train(task, settings(), None)
