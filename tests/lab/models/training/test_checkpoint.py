from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from epochal.errors import EpochalError, InputError, StorageError
from epochal_lab.models.training import checkpoint
from epochal_lab.models.training.checkpoint import (
    fill_model,
    load_state,
    load_tensors,
    read_metadata,
    replace_whole_file,
    save_state,
    save_tensors,
)


def test_tensors_come_back_as_they_were(tmp_path):
    shared = torch.arange(6.0).reshape(2, 3)
    given = {
        "half": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
        "whole": torch.tensor([2**40]),
        "number": torch.tensor(3.0),
        "turned": shared.T,
        "tied": shared,
        "tied too": shared,
        "none": torch.zeros(0, 4),
    }
    save_tensors(tmp_path / "a.safetensors", given, {"step": "3"})
    result = load_tensors(tmp_path / "a.safetensors")
    assert result.keys() == given.keys()
    for name, tensor in given.items():
        assert result[name].dtype == tensor.dtype
        assert torch.equal(result[name], tensor), name
    assert read_metadata(tmp_path / "a.safetensors") == {"step": "3"}


def test_whoever_may_read_other_files_may_read_tensors(tmp_path):
    (tmp_path / "other").touch()
    save_tensors(tmp_path / "a.safetensors", {"a": torch.ones(1)})
    assert (tmp_path / "a.safetensors").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_model_comes_back_as_it_was(tmp_path):
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    model(torch.randn(8, 3))
    save_state(tmp_path / "new" / "folder", model, {"width": 3, "name": "隐公"})
    config, tensors = load_state(tmp_path / "new" / "folder")
    assert config == {"width": 3, "name": "隐公"}
    other = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    fill_model(other, tensors, tmp_path)
    assert all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), other.state_dict().values(), strict=True))


def test_nothing_is_pickled(tmp_path):
    save_state(tmp_path, nn.Linear(1, 1), {})
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}
    sources = [path.read_text() for path in Path(checkpoint.__file__).parents[1].rglob("*.py")]
    assert len(sources) > 10
    assert not any(re.search(r"import pickle|from pickle|torch\.(save|load)\(", source) for source in sources)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"weight": torch.ones(1, 2)}, "holds no 'bias', which the model has"),
        ({"weight": torch.ones(1, 2), "bias": torch.ones(1), "more": torch.ones(1)}, "holds 'more', which the model"),
        ({"weight": torch.ones(1, 3), "bias": torch.ones(1)}, "'weight' is of shape (1, 3) where the model has (1, 2)"),
    ],
)
def test_tensors_of_another_model_are_refused(tensors, message):
    model = nn.Linear(2, 1)
    before = model.weight.clone()
    with pytest.raises(InputError) as caught:
        fill_model(model, tensors, "mine")
    assert message in str(caught.value)
    assert torch.equal(model.weight, before)


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "a.safetensors"
    save_tensors(path, {"a": torch.ones(100)})
    path.write_bytes(path.read_bytes()[:-40])
    for read in (load_tensors, read_metadata):
        with pytest.raises(InputError, match=r"a\.safetensors: is no whole safetensors file"):
            read(path)


def test_a_foreign_file_is_refused(tmp_path):
    path = tmp_path / "a.safetensors"
    torch.save({"a": torch.ones(1)}, path)
    with pytest.raises(InputError, match="is no whole safetensors file"):
        load_tensors(path)


@pytest.mark.parametrize(("text", "message"), [("[1]", "holds a list"), ("{", "is no JSON"), (None, "cannot be read")])
def test_a_bad_config_is_refused(tmp_path, text, message):
    save_state(tmp_path, nn.Linear(1, 1), {})
    if text is None:
        (tmp_path / "config.json").unlink()
    else:
        (tmp_path / "config.json").write_text(text)
    with pytest.raises(EpochalError, match=message):
        load_state(tmp_path)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"cannot write .*file/a\.safetensors: File exists"):
        save_tensors(tmp_path / "file" / "a.safetensors", {"a": torch.ones(1)})


def test_an_error_while_writing_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write():
        with replace_whole_file(path) as part:
            part.write_text("ne")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_between_both_files_leaves_the_old_pair(tmp_path, monkeypatch):
    save_state(tmp_path, nn.Linear(1, 1), {"old": True})
    before = load_tensors(tmp_path / "model.safetensors")

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(StorageError, match=r"model\.safetensors: No space left on device"):
        save_state(tmp_path, nn.Linear(1, 1), {"old": False})
    config, tensors = load_state(tmp_path)
    assert config == {"old": True}
    assert all(torch.equal(before[name], tensors[name]) for name in before)


def test_a_killed_write_leaves_the_old_checkpoint(tmp_path):
    """Killed for good, in another process, when half of the new file is on the disk."""
    save_state(tmp_path, nn.Linear(2, 1), {"old": True})
    before = (tmp_path / "model.safetensors").read_bytes()
    code = f"""
import os, signal, pathlib
from torch import nn
from epochal_lab.models.training.checkpoint import save_state

write = pathlib.Path.write_bytes

def half(path, data):
    write(path, data[:60])
    os.kill(os.getpid(), signal.SIGKILL)

pathlib.Path.write_bytes = half
save_state(pathlib.Path({str(tmp_path)!r}), nn.Linear(2, 1), {{"old": False}})
"""
    ended = subprocess.run([sys.executable, "-c", code], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert (tmp_path / "model.safetensors").read_bytes() == before
    assert json.loads((tmp_path / "config.json").read_text()) == {"old": True}
