from __future__ import annotations

import json

import numpy as np
import pytest

from epochal.encoders.tensors import tensors_of
from epochal.errors import InputError
from epochal.ranking.learned.tensors import write_tensors


def test_matrices_as_others_write_them(tmp_path):
    made = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.ones(2, np.float32)}
    write_tensors(tmp_path / "ours", made)
    found = tensors_of(tmp_path / "ours")
    assert sorted(found) == ["a", "b"]
    assert np.array_equal(found["a"], made["a"])
    library = pytest.importorskip("safetensors.numpy")
    library.save_file({"h": np.array([0.5, 2.0], np.float16)}, tmp_path / "theirs", metadata={"made by": "them"})
    assert tensors_of(tmp_path / "theirs")["h"].tolist() == [0.5, 2.0]
    assert tensors_of(tmp_path / "theirs")["h"].dtype == np.float32


def framed(header: object) -> bytes:
    told = json.dumps(header).encode()
    return len(told).to_bytes(8, "little") + told


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x04\x00\x00\x00\x00\x00\x00\x00nope",
        framed([1]),
        framed({"a": 1}),
        framed({"a": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}}) + bytes(8),
        framed({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}) + bytes(8),
    ],
)
def test_what_holds_no_matrices(tmp_path, data):
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(InputError, match="holds no matrices, or not all of them"):
        tensors_of(tmp_path / "file")
