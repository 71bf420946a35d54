from __future__ import annotations

import json
import math
import random
import warnings
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from epochal.errors import EpochalError
from epochal_lab.models.training.checkpoint import RandomState, load_tensors, make_generator, save_tensors, seed_all
from epochal_lab.models.training.device import batches_by_length
from epochal_lab.models.training.settings import (
    SCHEDULES,
    TrainSettings,
    compute_rate_factor,
    count_steps,
    count_warmup_steps,
)
from epochal_lab.models.training.task import build_optimiser, build_parameter_groups

LENGTHS = st.lists(st.integers(1, 60), max_size=300)


@given(LENGTHS, st.integers(1, 20), st.integers(0, 5))
def test_every_row_comes_once_in_as_many_batches(lengths, size, epoch):
    batches = batches_by_length(lengths, size, seed=3, epoch=epoch)
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    assert len(batches) == -(-len(lengths) // size)
    assert all(len(batch) <= size for batch in batches)


@given(LENGTHS, st.integers(1, 200), st.none() | st.integers(1, 8))
def test_no_batch_has_more_tokens_than_it_may(lengths, most, size):
    batches = batches_by_length(lengths, size, most, seed=3)
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[row] for row in batch) <= most
        assert size is None or len(batch) <= size


def test_seed_and_epoch_decide():
    lengths = make_generator(1).integers(1, 60, 500).tolist()
    assert batches_by_length(lengths, 8, seed=1) == batches_by_length(lengths, 8, seed=1)
    assert batches_by_length(lengths, 8, seed=1) != batches_by_length(lengths, 8, seed=2)
    assert batches_by_length(lengths, 8, seed=1, epoch=0) != batches_by_length(lengths, 8, seed=1, epoch=1)


def padding_share(lengths, batches):
    """How much of all that is computed is padding, from 0 to 1."""
    computed = sum(len(batch) * max(lengths[row] for row in batch) for batch in batches)
    return 1 - sum(lengths) / computed


def test_little_is_padding():
    lengths = make_generator(1).integers(1, 60, 2000).tolist()
    plain = [list(range(start, start + 16)) for start in range(0, 2000, 16)]
    assert padding_share(lengths, plain) > 0.4
    assert padding_share(lengths, batches_by_length(lengths, 16, seed=1)) < 0.05


def test_short_and_long_batches_are_mixed():
    lengths = make_generator(1).integers(1, 60, 2000).tolist()
    longest = [max(lengths[row] for row in batch) for batch in batches_by_length(lengths, 16, seed=1)]
    rises = sum(after > before for before, after in pairwise(longest))
    assert 0.3 < rises / len(longest) < 0.7


@pytest.mark.parametrize(
    ("given", "message"), [({}, "neither batch_size nor max_tokens"), ({"max_tokens": 0}, "max_tokens is 0; accepted")]
)
def test_a_batch_without_a_size_is_refused(given, message):
    with pytest.raises(EpochalError, match=message):
        batches_by_length([1], **given, seed=1)


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
    result = shares(total, warmup=warmup, schedule=kind)
    assert all(0 <= share <= 1 for share in result)
    warm = count_warmup_steps(total, warmup)
    assert result[: warm + 1] == sorted(result[: warm + 1])
    assert result[warm:] == sorted(result[warm:], reverse=True)


@pytest.mark.parametrize(
    ("settings", "batches", "steps"),
    [({"epochs": 2}, 5, 10), ({"epochs": 2, "accumulate": 2}, 5, 6), ({"epochs": 2, "max_steps": 7}, 5, 7)],
)
def test_total_steps(settings, batches, steps):
    assert count_steps(TrainSettings(**settings), batches) == steps


def drawn():
    return (
        random.random(),
        random.gauss(0, 1),
        float(np.random.rand()),
        float(np.random.randn()),
        torch.rand(2).tolist(),
    )


def test_a_seed_is_for_all_generators():
    seed_all(5)
    first = drawn()
    seed_all(5)
    assert drawn() == first
    seed_all(6)
    assert all(a != b for a, b in zip(drawn(), first, strict=True))


def test_a_state_survives_the_disk(tmp_path):
    seed_all(5)
    drawn()  # leaves half a pair of normal numbers with Python and numpy
    state = RandomState.capture()
    expected = drawn()
    save_tensors(tmp_path / "r.safetensors", state.tensors)
    again = RandomState(json.loads(json.dumps(state.record)), load_tensors(tmp_path / "r.safetensors"))
    seed_all(9)
    again.restore()
    assert drawn() == expected


def test_a_generator_of_ones_own_disturbs_nobody():
    seed_all(5)
    first = drawn()
    seed_all(5)
    make_generator(5, 1).random(10)
    assert drawn() == first


def test_biases_norms_and_single_numbers_do_not_decay():
    model = nn.ModuleDict({"linear": nn.Linear(2, 2), "norm": nn.LayerNorm(2), "words": nn.Embedding(3, 2)})
    model.register_parameter("scale", nn.Parameter(torch.tensor(1.0)))
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    decaying, others = build_parameter_groups(model, 0.1)
    assert {names[id(parameter)] for parameter in decaying["params"]} == {"linear.weight", "words.weight"}
    assert {names[id(p)] for p in others["params"]} == {"linear.bias", "norm.weight", "norm.bias", "scale"}
    assert (decaying["weight_decay"], others["weight_decay"]) == (0.1, 0.0)


def test_what_is_frozen_is_left_out():
    model = nn.Sequential(nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 1, bias=False))
    (group,) = build_parameter_groups(model, 0.1)
    assert group["params"] == [model[1].weight]


def test_one_step_by_hand(regression):
    """AdamW's first step: the decay of the parameter, and then the rate against the sign of the gradient."""
    task = regression()
    task.model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(task.model.weight, 2.0)
    optimiser = build_optimiser(task, TrainSettings(rate=0.1, decay=0.5), torch.device("cpu"))
    task.model.weight.grad = torch.tensor([[3.0]])
    optimiser.step()
    torch.testing.assert_close(task.model.weight.detach(), torch.tensor([[2.0 * (1 - 0.1 * 0.5) - 0.1]]))


def test_a_model_without_anything_to_train_is_refused():
    class Frozen:
        model = nn.Linear(1, 1).requires_grad_(False)

    with pytest.raises(EpochalError, match="the model Linear has no parameter to train"):
        build_optimiser(Frozen(), TrainSettings(), torch.device("cpu"))
