from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import pytest
import torch

from epochal.errors import EpochalError
from epochal_lab.models.training.device import autocast, move_batch, select_device


@dataclass(frozen=True, slots=True)
class Pair:
    left: torch.Tensor
    name: str


Two = namedtuple("Two", "first second")
META = torch.device("meta")


def test_every_tensor_is_moved():
    one = torch.ones(1)
    found = move_batch({"a": [one, (one, "text")], "b": Pair(one, "x"), "c": Two(one, 3), "d": None}, META)
    assert found["a"][0].device == META
    assert found["a"][1][0].device == META
    assert found["a"][1][1] == "text"
    assert (found["b"].left.device, found["b"].name) == (META, "x")
    assert isinstance(found["c"], Two)
    assert (found["c"].first.device, found["c"].second, found["d"]) == (META, 3, None)


def test_what_can_move_itself_does():
    class Own:
        def to(self, device):
            return f"moved to {device}"

    assert move_batch(Own(), META) == "moved to meta"


def test_auto_is_a_device_that_is_there():
    assert select_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")


def test_a_gpu_that_is_not_there_is_refused():
    with pytest.raises(EpochalError, match=r"device is 'cuda:99', but torch sees \d+ GPUs; accepted: auto, cpu"):
        select_device("cuda:99")


def test_fp32_changes_nothing():
    with autocast("fp32", torch.device("cpu")):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
