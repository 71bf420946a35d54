"""Files that appear whole or not at all, and parameters as safetensors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from epochal.errors import EpochalError, InputError
from epochal.files import StagedFiles, read_arrays, read_tensors, write_atomically, write_tensors


def fail_after_writing(path: Path) -> None:
    with write_atomically(path) as file:
        file.write(b"ne")
        raise RuntimeError


def test_an_error_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError):
        fail_after_writing(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_link_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "a.txt")
    with write_atomically(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a.txt").read_text() == "new"


@pytest.mark.parametrize(("name", "problem"), [("", "it is a folder"), ("none/a.txt", "No such file or directory")])
def test_a_path_that_cannot_be_written_is_named(tmp_path: Path, name: str, problem: str) -> None:
    with pytest.raises(EpochalError, match=f"cannot write .*: {problem}"), write_atomically(tmp_path / name):
        pass


def test_a_device_is_written_to() -> None:
    with write_atomically("/dev/null") as file:
        file.write(b"nothing")
    with StagedFiles() as staged, staged.open(Path("/dev/null")) as file:
        file.write(b"nothing")
    assert Path("/dev/null").is_char_device()


def stage(*paths: Path) -> None:
    with StagedFiles() as staged:
        for path in paths:
            with staged.open(path) as file:
                file.write(b"new")


def test_of_several_files_all_appear_or_none(tmp_path: Path) -> None:
    with pytest.raises(EpochalError, match=r"cannot write .*none/b: No such file or directory"):
        stage(tmp_path / "a", tmp_path / "none" / "b")
    assert list(tmp_path.iterdir()) == []
    stage(tmp_path / "a", tmp_path / "b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    given = {"b": np.arange(6, dtype=np.float64).reshape(2, 3), "a": np.zeros(0), "scale": np.array(2.5)}
    write_tensors(tmp_path / "m", given)
    found = read_tensors(tmp_path / "m")
    assert {name: value.shape for name, value in found.items()} == {"b": (2, 3), "a": (0,), "scale": ()}
    assert found["b"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["b"].dtype == np.float32
    write_tensors(tmp_path / "n", dict(reversed(given.items())))
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()


def test_the_safetensors_package_reads_and_writes_the_same(tmp_path: Path) -> None:
    package = pytest.importorskip("safetensors.numpy")
    given = {"w": np.arange(4, dtype=np.float32).reshape(2, 2), "h": np.ones(3, dtype=np.float16)}
    write_tensors(tmp_path / "ours", given)
    assert package.load_file(tmp_path / "ours")["w"].tolist() == given["w"].tolist()
    package.save_file(given, tmp_path / "theirs", metadata={"made": "by hand"})
    found = read_tensors(tmp_path / "theirs")
    assert sorted(found) == ["h", "w"]
    assert found["h"].tolist() == [1, 1, 1]


def test_whole_numbers_stay_whole_where_they_are_asked_for(tmp_path: Path) -> None:
    package = pytest.importorskip("safetensors.numpy")
    great = np.array([2**62 + 1, -7], dtype=np.int64)
    package.save_file({"keys": great, "w": np.ones(2, dtype=np.float16)}, tmp_path / "m")
    found = read_arrays(tmp_path / "m")
    assert found["keys"].tolist() == great.tolist()
    assert found["w"].dtype == np.float16
    with pytest.raises(InputError, match="the parameters 'keys' cannot be read; accepted: a safetensors file"):
        read_tensors(tmp_path / "m")


def whole(header: object, body: bytes = b"") -> bytes:
    told = json.dumps(header).encode()
    return len(told).to_bytes(8, "little") + told + body


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"short",
        (1 << 40).to_bytes(8, "little") + b"{}",
        b"\x04\0\0\0\0\0\0\0nope",
        whole([1]),
        whole({"w": 3}),
        whole({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"\0" * 4),
        whole({"w": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}}, b"\0" * 8),
        whole({"w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}, b"\0" * 8),
        whole({"w": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}}, b"\0" * 8),
        whole({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0]}}, b"\0" * 8),
    ],
)
def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "m").write_bytes(data)
    with pytest.raises(InputError, match="accepted: a safetensors file") as caught:
        read_tensors(tmp_path / "m")
    assert caught.value.file == str(tmp_path / "m")
