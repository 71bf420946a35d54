from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass

import pytest
import torch

from epochal.errors import EpochalError
from epochal_lab.models.training.device import autocast, move_batch, select_device
from epochal_lab.models.training.settings import TrainSettings


@dataclass(frozen=True, slots=True)
class Pair:
    left: torch.Tensor
    name: str


Two = namedtuple("Two", "first second")
META = torch.device("meta")


def test_every_tensor_is_moved():
    one = torch.ones(1)
    result = move_batch({"a": [one, (one, "text")], "b": Pair(one, "x"), "c": Two(one, 3), "d": None}, META)
    assert result["a"][0].device == META
    assert result["a"][1][0].device == META
    assert result["a"][1][1] == "text"
    assert (result["b"].left.device, result["b"].name) == (META, "x")
    assert isinstance(result["c"], Two)
    assert (result["c"].first.device, result["c"].second, result["d"]) == (META, 3, None)


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


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epochs", 0, "epochs is 0; accepted: a whole number from 1"),
        ("epochs", 1.5, "epochs is 1.5; accepted: a whole number from 1"),
        ("batch_size", True, "batch_size is True; accepted: a whole number from 1"),
        ("accumulate", -1, "accumulate is -1; accepted: a whole number from 1"),
        ("rate", 0, "rate is 0; accepted: a number above 0"),
        ("rate", math.nan, "rate is nan; accepted: a number above 0"),
        ("decay", -0.1, "decay is -0.1; accepted: a number from 0"),
        ("warmup", 1.1, "warmup is 1.1; accepted: a share of all steps, from 0 to 1"),
        ("schedule", "steps", "schedule is 'steps'; accepted: linear, cosine, constant"),
        ("clip", 0.0, "clip is 0.0; accepted: a number above 0, or None"),
        ("precision", "fp8", "precision is 'fp8'; accepted: fp32, bf16, fp16"),
        ("seed", -1, "seed is -1; accepted: a whole number from 0"),
        ("patience", 0, "patience is 0; accepted: a whole number from 1, or None"),
        ("max_steps", "9", "max_steps is '9'; accepted: a whole number from 1, or None"),
        ("max_seconds", 0, "max_seconds is 0; accepted: a number above 0, or None"),
    ],
)
def test_a_bad_value_is_named(name, value, message):
    with pytest.raises(EpochalError) as caught:
        TrainSettings(**{name: value})
    assert str(caught.value) == message


def test_settings_survive_json():
    import json

    given = TrainSettings(rate=3e-4, clip=1.0, patience=3, max_seconds=60.5, schedule="cosine")
    assert TrainSettings.from_dict(json.loads(json.dumps(given.to_dict()))) == given


def test_what_is_left_out_is_usual():
    assert TrainSettings.from_dict({"epochs": 9}) == TrainSettings(epochs=9)


def test_settings_are_read_without_torch():
    import subprocess
    import sys

    code = "import sys, epochal_lab.cli.train; print('torch' in sys.modules, 'transformers' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.split() == ["False", "False"]
