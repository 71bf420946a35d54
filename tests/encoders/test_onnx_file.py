"""Constants of models in ONNX, read without the package onnx, against what that package reads."""

from __future__ import annotations

import numpy as np
import pytest

from epochal.encoders.base import EncoderError
from epochal.encoders.bundled import data_file
from epochal.encoders.onnx_weights import read_constants, replace_constants


@pytest.fixture(scope="module")
def model() -> bytes:
    return data_file("minilm", "model.int8.onnx").read_bytes()


def test_against_the_package(model):
    onnx = pytest.importorskip("onnx")
    want = {one.name: onnx.numpy_helper.to_array(one) for one in onnx.load_model_from_string(model).graph.initializer}
    result = read_constants(model)
    assert list(result) == list(want)
    for name, array in want.items():
        assert result[name].array.dtype == array.dtype
        assert np.array_equal(result[name].array, array)


@pytest.mark.parametrize("packed", [True, False])
def test_shapes_written_either_way(packed):
    """Newer writers put the numbers of a shape into one field, older ones into a field each."""

    def field(number: int, body: bytes) -> bytes:
        assert len(body) < 128
        return bytes([number << 3 | 2, len(body)]) + body

    shape = field(1, bytes([2, 3])) if packed else bytes([1 << 3, 2, 1 << 3, 3])
    tensor = shape + bytes([2 << 3, 2]) + field(8, b"a") + field(9, bytes(range(6)))
    result = read_constants(field(7, field(5, tensor)))
    assert result["a"].array.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_what_is_replaced_and_what_stays(model):
    scale = np.linspace(1, 2, 384, dtype=np.float32)
    weight = np.full((1536, 384), 7, np.uint8)
    result = replace_constants(model, {"3.outer.scale": scale, "3.outer.weight": weight})
    before, after = read_constants(model), read_constants(result)
    assert np.array_equal(after["3.outer.scale"].array, scale)
    assert np.array_equal(after["3.outer.weight"].array, weight)
    assert all(
        np.array_equal(before[name].array, after[name].array) for name in before if not name.startswith("3.outer.")
    )
    assert replace_constants(model, {}) == model


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("9.outer.scale", np.ones(384, np.float32), "has no constant '9.outer.scale'"),
        ("3.outer.scale", np.ones(383, np.float32), r"shape \(383,\) where the model has float32 of shape \(384,\)"),
        ("3.outer.scale", np.ones(384), "is to be float64"),
    ],
)
def test_what_cannot_be_replaced(model, name, array, message):
    with pytest.raises(EncoderError, match=message):
        replace_constants(model, {name: array})


@pytest.mark.parametrize("data", [b"", b"\x08\x07", b"no model at all", b"\xff" * 20])
def test_what_is_no_model(data):
    with pytest.raises(EncoderError, match="is no model in ONNX"):
        read_constants(data)


def test_half_a_model(model):
    with pytest.raises(EncoderError, match="is no model in ONNX"):
        read_constants(model[: len(model) // 2])
