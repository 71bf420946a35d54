"""Training Re3 from end to end on a little: it learns what time tells, and the folder can be searched with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from epochal.errors import EpochalError
from epochal_lab.models.re3.model import read_model
from epochal_lab.models.re3.settings import IMPROVED, PARITY, Re3Settings
from epochal_lab.models.re3.task import build_dev_inputs, measure_candidates
from epochal_lab.models.re3.training import compute_repeats, train_re3

QUICK = replace(IMPROVED, epochs=15, batch_size=16, rate=1e-2, device="cpu", patience=None)


def share_right(model, pools) -> float:
    items = build_dev_inputs(model.network.settings, pools)
    scores = [model.network.forward(given).scores for given, _ in items]
    return float(measure_candidates(scores, [right for _, right in items], "hit@1")["hit@1"].mean())


@pytest.mark.parametrize("newest", [False, True])
@pytest.mark.parametrize(
    "settings", [Re3Settings.parity(hidden=32, unit="months"), Re3Settings.improved(hidden=16, width=16, words=False)]
)
def test_it_learns_what_only_time_can_tell(made_pools, settings: Re3Settings, newest: bool) -> None:
    pools = made_pools(64, newest=newest)
    model = train_re3(settings, QUICK, [pools], [pools]).model
    assert share_right(model, pools) >= 0.9


def test_the_improved_one_knows_questions_that_it_has_not_seen(made_pools) -> None:
    sets = [made_pools(64), made_pools(64, newest=True, seed=1)]
    dev = [made_pools(30, seed=2), made_pools(30, newest=True, seed=3)]
    model = train_re3(Re3Settings.improved(hidden=16, width=16), QUICK, sets, dev, dropout=0.5).model
    assert min(share_right(model, pools) for pools in dev) >= 0.9
    assert model.mixing_weights == {"plain": 0.0, "timed": 0.0}


def test_the_folder_holds_the_trained_model(made_pools, tmp_path: Path) -> None:
    pools = made_pools(16)
    settings = Re3Settings.improved(hidden=8, width=8)
    quick = replace(QUICK, epochs=3)
    built = train_re3(settings, quick, [pools], [pools], tmp_path, dropout=0.5)
    result = read_model(tmp_path)
    assert result.encoder == "made-1"
    assert result.mixing_weights == built.model.mixing_weights
    for (inputs, _), _ in zip(build_dev_inputs(settings, pools), range(3), strict=False):
        assert result.network.forward(inputs).scores == pytest.approx(built.model.network.forward(inputs).scores)
    facts = json.loads((tmp_path / "config.json").read_text())["facts"]
    assert facts["questions"] == 16
    assert facts["timestamp_dropout"] == 0.5
    assert (tmp_path / "run" / "log.jsonl").exists()
    again = train_re3(settings, quick, [pools], [pools], dropout=0.5)
    assert {name: value.tolist() for name, value in again.model.network.tensors.items()} == {
        name: value.tolist() for name, value in built.model.network.tensors.items()
    }


def test_the_papers_settings_of_training() -> None:
    assert (PARITY.epochs, PARITY.batch_size, PARITY.rate, PARITY.decay, PARITY.metric) == (10, 64, 1e-3, 0.01, "hit@1")


def test_sets_of_several_encoders_do_not_go_together(made_pools) -> None:
    pools = made_pools(4)
    with pytest.raises(EpochalError, match="indexed with made-1, other-1; accepted: one encoder"):
        train_re3(Re3Settings.parity(), PARITY, [pools], [replace(pools, encoder="other-1")])
    with pytest.raises(EpochalError, match="given 1 and 0 sets"):
        train_re3(Re3Settings.parity(), PARITY, [pools], [])


def test_repeats() -> None:
    assert compute_repeats([10, 1000]) == [4, 1]
    assert compute_repeats([0, 5]) == [1, 1]
