from __future__ import annotations

import json

import pytest
import torch

from epochal.errors import EpochalError
from epochal_lab.models.training.device import LossMeter


def test_a_name_that_comes_now_and_then_has_the_mean_of_its_own():
    meter = LossMeter()
    meter.add({"loss": torch.tensor(1.0), "rare": torch.tensor(4.0)}, 1)
    meter.add({"loss": torch.tensor(3.0)}, 2)
    assert meter.means() == {"loss": 2.0, "rare": 4.0}
    assert meter.latest == "2.0000"


def test_what_is_added_may_change_later():
    value = torch.tensor(1.0)
    meter = LossMeter()
    meter.add({"loss": value}, 1)
    value += 5
    assert meter.means() == {"loss": 1.0}


def test_no_gradients_are_kept():
    weight = torch.ones(1, requires_grad=True)
    meter = LossMeter()
    meter.add({"loss": (weight * 2).sum()}, 1)
    meter.add({"loss": (weight * 2).sum()}, 2)
    assert not meter._sums["loss"].requires_grad


def test_pouring_and_saving_keep_sums():
    first, second = LossMeter(), LossMeter()
    for number in range(3):
        first.add({"loss": torch.tensor(0.1 * number)}, number)
    first.drain_into(second)
    first.add({"loss": torch.tensor(0.7)}, 4)
    first.drain_into(second)
    other = LossMeter()
    other.load(json.loads(json.dumps(second.dump())))
    assert other.means() == second.means() == {"loss": pytest.approx(0.25)}


def test_only_the_loss_itself_must_be_a_number():
    meter = LossMeter()
    meter.add({"loss": torch.tensor(1.0), "other": torch.tensor(float("nan"))}, 1)
    with pytest.raises(EpochalError, match="the loss of step 2 is inf"):
        meter.add({"loss": torch.tensor(float("inf"))}, 2)
