"""The task of Re3: its batches, its candidates, and what it measures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from epochal.errors import EpochalError  # noqa: E402
from epochal_lab.models.re3.settings import Re3Settings  # noqa: E402
from epochal_lab.models.re3.task import (  # noqa: E402
    Re3Task,
    build_dev_inputs,
    measure_candidates,
    select_candidates,
    select_trainable,
)
from epochal_lab.models.training.settings import TrainSettings  # noqa: E402

SETTINGS = TrainSettings(batch_size=4, seed=3)
SMALL = Re3Settings.parity(hidden=4, depth=6)


def test_batches_are_the_same_for_the_same_seed_and_epoch(made_pools) -> None:
    pools = made_pools(10)
    task = Re3Task(Re3Settings.improved(hidden=4), [pools], [pools], candidates=5, dropout=1.0)
    first, again, other = (list(task.batches(epoch, SETTINGS)) for epoch in (0, 0, 1))
    assert len(first) == task.steps_per_epoch(SETTINGS) == 3
    for mine, theirs in zip(first, again, strict=True):
        assert all(torch.equal(getattr(mine, name), getattr(theirs, name)) for name in mine.__slots__)
    assert not torch.equal(first[0].rel, other[0].rel)


def test_answers_are_always_among_the_candidates(made_pools) -> None:
    pools = made_pools(10, 30)
    for settings in (SMALL, Re3Settings.improved(hidden=4)):
        task = Re3Task(settings, [pools], [], candidates=8)
        for batch in task.batches(0, SETTINGS):
            assert batch.target.sum(dim=1).tolist() == pytest.approx([1.0] * len(batch.target))
            assert int(batch.present.sum(dim=1).max()) <= 8


def test_dropout_takes_timestamps_away(made_pools) -> None:
    pools = made_pools(50)
    whole = Re3Task(SMALL, [pools], [])
    torn = Re3Task(SMALL, [pools], [], dropout=1.0)
    missing = [
        float(torch.cat([batch.unknown[..., 0].flatten() for batch in task.batches(0, SETTINGS)]).mean())
        for task in (whole, torn)
    ]
    assert missing[0] == 0.0
    assert 0.2 < missing[1] < 0.6


def test_a_small_set_is_repeated(made_pools) -> None:
    task = Re3Task(SMALL, [made_pools(2), made_pools(6)], [], repeat=[3, 1])
    assert task.steps_per_epoch(replace(SETTINGS, batch_size=1)) == 12


def test_the_best_by_meaning(made_pools) -> None:
    result = made_pools(1, 10)[0]
    best = set(np.argsort(-result.semantic)[:3].tolist())
    retained = select_candidates(result, 3, answers=False)
    assert set(retained.semantic.tolist()) == {result.semantic[position] for position in best}
    assert select_candidates(result, 3).answers.sum() == 1
    assert len(select_candidates(result, None)) == 10


def test_questions_without_an_answer_teach_nothing_and_are_missed(made_pools) -> None:
    pools = made_pools(4, 5)
    answers = pools.answers.copy()
    answers[:5] = False
    answers[5:10] = True
    silent = replace(pools, answers=answers)
    assert select_trainable(silent) == [2, 3]
    task = Re3Task(SMALL, [pools], [silent])
    result = task.evaluate()
    assert set(result) == {"hit@1", "MRR"}
    assert result["hit@1"] <= 0.75
    network = task.model.numpy()
    items = build_dev_inputs(SMALL, silent)
    scores, answers = [network.forward(inputs).scores for inputs, _ in items], [right for _, right in items]
    values = measure_candidates(scores, answers, "MRR")["MRR"]
    assert values[0] == 0.0
    assert result["MRR"] == pytest.approx(values.mean())


def test_forced_answers_are_no_find(made_pools) -> None:
    pools = made_pools(3, 5)
    forced = replace(pools, forced=pools.answers.copy())
    assert [len(inputs) for inputs, _ in build_dev_inputs(SMALL, forced)] == [4, 4, 4]
    assert Re3Task(SMALL, [pools], [forced]).evaluate() == {"hit@1": 0.0, "MRR": 0.0}


def test_sets_are_measured_apart_and_count_alike(made_pools) -> None:
    result = Re3Task(SMALL, [made_pools(3)], [made_pools(3), made_pools(9, seed=5)]).evaluate()
    assert result["hit@1"] == pytest.approx((result["hit@1 0"] + result["hit@1 1"]) / 2)


def test_the_gate_learns_faster(made_pools) -> None:
    task = Re3Task(Re3Settings.improved(hidden=4), [made_pools(3)], [])
    groups = task.groups(TrainSettings(rate=1e-3, decay=0.01))
    assert [(group["lr"], group["weight_decay"]) for group in groups] == [(1e-3, 0.01), (1e-3, 0.0), (1e-2, 0.0)]
    counted = sum(len(group["params"]) for group in groups)
    assert counted == len(list(task.model.parameters()))


def test_what_cannot_be_trained_on(made_pools) -> None:
    with pytest.raises(EpochalError, match=r"but was given \[8, 16\]"):
        Re3Task(SMALL, [made_pools(2)], [made_pools(2, dim=16)])
    with pytest.raises(EpochalError, match="1 candidates with dropout"):
        Re3Task(SMALL, [made_pools(2)], [], candidates=1)
    with pytest.raises(EpochalError, match="nothing to learn"):
        Re3Task(SMALL, [made_pools(2, 1)], [])
