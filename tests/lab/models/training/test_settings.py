from __future__ import annotations

import math

import pytest

from epochal.errors import EpochalError
from epochal_lab.models.training.settings import TrainSettings


@pytest.mark.parametrize(
    ("name", "value", "said"),
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
def test_a_bad_value_is_named(name, value, said):
    with pytest.raises(EpochalError) as caught:
        TrainSettings(**{name: value})
    assert str(caught.value) == said


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
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["False", "False"]
