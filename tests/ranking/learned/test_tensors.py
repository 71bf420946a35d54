"""Parameters in a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from epochal.errors import InputError
from epochal.ranking.learned.tensors import read_arrays, read_tensors, write_tensors


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
