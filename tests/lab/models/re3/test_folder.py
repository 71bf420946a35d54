"""A model in a folder, and folders that are none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from epochal.errors import EpochalError, InputError
from epochal_lab.models.re3.model import CONFIG, MODEL, NumpyNetwork, Re3Model, get_shapes, read_model, write_model
from epochal_lab.models.re3.settings import Re3Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    settings = Re3Settings.improved(hidden=3, width=4)
    random = np.random.default_rng(1)
    sample = {name: random.normal(size=shape).astype(np.float32) for name, shape in get_shapes(settings, 6).items()}
    write_model(tmp_path, Re3Model(NumpyNetwork(settings, 6, sample), "mine-1", {"plain": 2.0, "timed": 0.5}), seed=1)
    return tmp_path


def test_a_model_survives_its_folder(folder: Path) -> None:
    result = read_model(folder)
    assert (result.encoder, result.network.dim) == ("mine-1", 6)
    assert result.mixing_weights == {"plain": 2.0, "timed": 0.5}
    assert result.network.settings == Re3Settings.improved(hidden=3, width=4)
    again = folder / "again"
    write_model(again, result)
    assert (again / MODEL).read_bytes() == (folder / MODEL).read_bytes()
    assert json.loads((folder / CONFIG).read_text())["facts"] == {"seed": 1}


def changed(folder: Path, **changes: object) -> None:
    config = json.loads((folder / CONFIG).read_text())
    (folder / CONFIG).write_text(json.dumps({**config, **changes}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "gate"}, "is not the config of a Re3 model"),
        ({"dim": "6"}, "lacks dim or settings"),
        ({"dim": 7}, "have the shape"),
        ({"settings": {"encoding": "waves"}}, "setting encoding of Re3 is 'waves'"),
        ({"settings": {"speed": 9}}, "no setting 'speed'"),
        ({"beside_the_gate": {"plain": -1, "timed": 0}}, "for plain queries is -1"),
        ({"beside_the_gate": {"plain": 1}}, "for timed queries is None"),
    ],
)
def test_a_config_that_does_not_fit(folder: Path, changes: dict[str, object], message: str) -> None:
    changed(folder, **changes)
    with pytest.raises(InputError, match=message) as caught:
        read_model(folder)
    assert "accepted: a folder that `epochal train re3` wrote" in str(caught.value)


def test_files_that_are_missing_or_broken(folder: Path) -> None:
    (folder / MODEL).unlink()
    with pytest.raises(InputError, match=r"model\.safetensors: cannot be read"):
        read_model(folder)
    (folder / CONFIG).write_text("{")
    with pytest.raises(InputError, match=r"config\.json: is not JSON"):
        read_model(folder)
    with pytest.raises(InputError, match=r"config\.json: cannot be read"):
        read_model(folder / "nowhere")


def test_weights_beside_the_gate_are_checked(folder: Path) -> None:
    with pytest.raises(EpochalError, match="for plain queries is nan"):
        Re3Model(read_model(folder).network, "", {"plain": float("nan"), "timed": 0.0})
