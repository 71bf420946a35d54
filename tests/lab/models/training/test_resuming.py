from __future__ import annotations

import json
import os

import pytest

from epochal.errors import EpochalError, InputError
from epochal_lab.models.training import checkpoint
from epochal_lab.models.training.trainer import train


def comparable(run):
    """A run without what the clock says."""
    rows = [{name: value for name, value in row.items() if name != "seconds"} for row in run.history]
    return run.steps, run.epochs, run.best_step, run.best, run.stopped, rows


def dying(killed, step):
    def progress(done, total, note):
        if done == step:
            raise killed

    return progress


@pytest.mark.parametrize("step", [1, 4, 8, 11, 23])
@pytest.mark.parametrize("changes", [{"save_every": 2}, {"evaluate_every": 3}, {"save_every": 1, "accumulate": 2}])
def test_a_killed_run_goes_on_as_if_it_had_not_been(regression, settings, parameters, killed, tmp_path, step, changes):
    whole = regression()
    expected = comparable(train(whole, settings(**changes), None))
    step = min(step, expected[0] - 1)
    with pytest.raises(killed):
        train(regression(), settings(**changes), tmp_path, progress=dying(killed, step))
    again = regression()
    assert comparable(train(again, settings(**changes), tmp_path, resume=True)) == expected
    assert parameters(again.model) == parameters(whole.model)


def test_the_last_parameters_are_the_same_bit_for_bit(regression, settings, killed, tmp_path):
    """Not only the best ones: model, moments of the optimiser and generators."""
    train(regression(), settings(), tmp_path / "whole")
    with pytest.raises(killed):
        train(regression(), settings(save_every=3), tmp_path / "broken", progress=dying(killed, 14))
    train(regression(), settings(), tmp_path / "broken", resume=True)
    for name in ("model-24.safetensors", "optimiser-24.safetensors"):
        files = [checkpoint.load_tensors(tmp_path / run / "last" / name) for run in ("whole", "broken")]
        assert files[0].keys() == files[1].keys()
        assert all(files[0][key].tolist() == files[1][key].tolist() for key in files[0])


def test_a_run_killed_at_any_write_goes_on(regression, settings, parameters, killed, tmp_path, monkeypatch):
    """Every file that is moved into place is a moment to die at; none may leave what cannot be resumed."""
    usual = settings(epochs=1, batch_size=8, evaluate_every=3, save_every=2)
    whole = regression()
    expected = comparable(train(whole, usual, None))
    moves = 0
    replace = os.replace

    def counted(source, target):
        nonlocal moves
        moves += 1
        if moves == last:
            raise killed
        replace(source, target)

    monkeypatch.setattr(os, "replace", counted)
    last = 0
    train(regression(), usual, tmp_path / "counted")
    for last in range(1, moves + 1):
        moves = 0
        folder = tmp_path / str(last)
        with pytest.raises(killed):
            train(regression(), usual, folder)
        again = regression()
        assert comparable(train(again, usual, folder, resume=True)) == expected
        assert parameters(again.model) == parameters(whole.model)


def test_killed_twice(regression, settings, parameters, killed, tmp_path):
    whole = regression()
    train(whole, settings(), None)
    for step in (10, 19):
        with pytest.raises(killed):
            train(regression(), settings(save_every=2), tmp_path, progress=dying(killed, step), resume=True)
    again = regression()
    train(again, settings(), tmp_path, resume=True)
    assert parameters(again.model) == parameters(whole.model)


def test_a_run_stopped_by_time_goes_on(regression, settings, parameters, tmp_path):
    whole = regression()
    expected = train(whole, settings(), None)
    stops = 0
    while (run := train(task := regression(), settings(max_seconds=1e-9), tmp_path, resume=True)).stopped == "time":
        stops += 1
    assert stops == 24  # a step at a time
    assert (run.steps, run.epochs, run.stopped) == (24, 3, "epochs")
    assert run.best["error"] <= expected.best["error"]
    assert run.best_step in {row["step"] for row in run.history if row.get("best")}
    assert task.evaluate()["error"] == run.best["error"]


def test_a_finished_run_is_not_run_again(regression, settings, parameters, tmp_path):
    first = regression()
    run = train(first, settings(patience=1), tmp_path)
    again = regression()
    assert comparable(train(again, settings(patience=1), tmp_path, resume=True)) == comparable(run)
    assert again.evaluations == 0
    assert parameters(again.model) == parameters(first.model)


def test_resuming_nothing_begins(regression, settings, tmp_path):
    assert train(regression(), settings(), tmp_path, resume=True).steps == 24


def test_resuming_needs_a_folder(regression, settings):
    with pytest.raises(EpochalError, match="a run without a folder cannot be resumed"):
        train(regression(), settings(), None, resume=True)


def test_other_settings_are_refused(regression, settings, tmp_path):
    train(regression(), settings(), tmp_path)
    with pytest.raises(EpochalError, match=r"was saved with rate 0\.02, not 0\.5; resume it with the same settings"):
        train(regression(), settings(rate=0.5), tmp_path, resume=True)
    train(regression(), settings(log_every=7, max_seconds=60, save_every=2), tmp_path, resume=True)


def test_another_model_is_refused(regression, settings, tmp_path):
    from torch import nn

    train(regression(), settings(), tmp_path)
    task = regression()
    task.model = nn.Linear(2, 1)
    with pytest.raises(InputError, match=r"last: holds '0\.bias', which the model has not"):
        train(task, settings(), tmp_path, resume=True)


def test_other_data_are_noticed_where_batches_are_fewer(regression, settings, killed, tmp_path):
    with pytest.raises(killed):
        train(regression(), settings(save_every=1), tmp_path, progress=dying(killed, 7))
    with pytest.raises(EpochalError, match="epoch 0 gave 2 batches where steps_per_epoch gave 2"):
        train(regression(rows=8), settings(save_every=1), tmp_path, resume=True)


def test_a_foreign_state_is_refused(regression, settings, tmp_path):
    train(regression(), settings(), tmp_path)
    (tmp_path / "last" / "state.json").write_text(json.dumps({"settings": settings().to_dict(), "position": {"x": 1}}))
    with pytest.raises(InputError, match=r"state\.json: is not what a run saves"):
        train(regression(), settings(), tmp_path, resume=True)
