from __future__ import annotations

import math
import warnings

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from epochal_lab.models.training.settings import (
    SCHEDULES,
    TrainSettings,
    compute_rate_factor,
    count_steps,
    count_warmup_steps,
)


def shares(total: int, **settings: object) -> list[float]:
    return [compute_rate_factor(step, total, TrainSettings(**settings)) for step in range(total + 1)]


def test_linear_by_hand():
    assert shares(6, warmup=1 / 3) == pytest.approx([0, 0.5, 1, 0.75, 0.5, 0.25, 0])


def test_cosine_by_hand():
    half = math.sqrt(0.5) / 2
    assert shares(5, warmup=0.2, schedule="cosine") == pytest.approx([0, 1, 0.5 + half, 0.5, 0.5 - half, 0])


def test_constant_by_hand():
    assert shares(4, warmup=0.5, schedule="constant") == [0, 0.5, 1, 1, 1]


def test_without_warmup_the_first_step_has_the_whole_rate():
    assert shares(4, warmup=0)[0] == 1


def test_past_its_end_the_rate_stays_at_nothing():
    assert compute_rate_factor(12, 10, TrainSettings()) == 0
    assert compute_rate_factor(12, 10, TrainSettings(schedule="cosine")) == 0


@pytest.mark.parametrize(("kind", "total", "warmup"), [("linear", 40, 0.1), ("linear", 33, 0.0), ("cosine", 40, 0.25)])
def test_the_same_as_transformers(kind, total, warmup):
    from transformers import get_cosine_schedule_with_warmup, get_linear_schedule_with_warmup

    make = {"linear": get_linear_schedule_with_warmup, "cosine": get_cosine_schedule_with_warmup}[kind]
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    theirs = make(optimiser, count_warmup_steps(total, warmup), total)
    settings = TrainSettings(schedule=kind, warmup=warmup)
    for step in range(total):
        assert compute_rate_factor(step, total, settings) == pytest.approx(optimiser.param_groups[0]["lr"], abs=1e-12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the optimiser took no step
            optimiser.step()
            theirs.step()


@given(st.integers(1, 120), st.floats(0, 1), st.sampled_from(SCHEDULES))
def test_shares_lie_between_nothing_and_all_and_turn_once(total, warmup, kind):
    found = shares(total, warmup=warmup, schedule=kind)
    assert all(0 <= share <= 1 for share in found)
    warm = count_warmup_steps(total, warmup)
    assert found[: warm + 1] == sorted(found[: warm + 1])
    assert found[warm:] == sorted(found[warm:], reverse=True)


@pytest.mark.parametrize(
    ("settings", "batches", "steps"),
    [({"epochs": 2}, 5, 10), ({"epochs": 2, "accumulate": 2}, 5, 6), ({"epochs": 2, "max_steps": 7}, 5, 7)],
)
def test_total_steps(settings, batches, steps):
    assert count_steps(TrainSettings(**settings), batches) == steps
