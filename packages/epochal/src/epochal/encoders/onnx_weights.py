"""Weights of int8 ONNX models: quantise, dequantise, and replace them in the file without the package onnx.

Weights are unsigned around a zero point, with a scale per column. A model file is a tree of protocol buffers, of which
the model, its graph and the graph's constants are read; everything else is copied unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import EncoderError

#: The code of zero.
ZERO: Final = 128
_MAX_CODE: Final = 127
_MIN_SCALE: Final = 1e-9


def quantise(weight: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """A weight of (inputs, outputs) in eight bits, and the scale of each column."""
    scale = (np.maximum(np.abs(weight).max(axis=0), _MIN_SCALE) / np.float32(_MAX_CODE)).astype(np.float32)
    return (np.rint(weight / scale) + ZERO).astype(np.uint8), scale


def dequantise(weight: npt.NDArray[np.uint8], scale: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The weight that eight bits and their scales represent."""
    return (weight.astype(np.float32) - ZERO) * scale


def replace_weights(
    weight: npt.NDArray[np.uint8],
    scale: npt.NDArray[np.float32],
    inputs: npt.NDArray[np.float32],
    outputs: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """A weight in eight bits to which the product of two thin matrices, (inputs, rank) and (rank, outputs), is added.

    What is added may be far below half of a step everywhere, so that to round each number by itself would leave the
    weight as it was. So numbers are rounded one input after the other, up or down as keeps the sum of the errors small
    in the directions that the product reads, weighed against the error of the number itself. The scale of a column
    stays as it is unless its numbers grow beyond it.
    """
    base, delta = dequantise(weight, scale), inputs @ outputs
    new_scale = np.maximum(scale, np.abs(base + delta).max(axis=0) / np.float32(_MAX_CODE)).astype(np.float32)
    # Where the scale stays, what was in eight bits is whole numbers of steps, and must not become 2.9999.
    steps = np.where(new_scale == scale, weight.astype(np.float64) - ZERO, base / new_scale)
    target = steps + delta / new_scale
    basis = np.linalg.qr(inputs.astype(np.float64))[0]
    errors: npt.NDArray[np.float64] = np.zeros((basis.shape[1], weight.shape[1]))
    codes = np.empty(weight.shape, np.int16)
    for position, direction in enumerate(basis):
        # Of rounding down and up, the one with the lesser |errors + error * direction|^2 + error^2 * |direction|^2:
        # this is half of what the sum gains by a step, where `error` is that of rounding down.
        below = np.floor(target[position])
        error = below - target[position]
        up = direction @ errors + (1 + 2 * error) * (direction @ direction) < 0
        codes[position] = below + up
        errors += np.outer(direction, codes[position] - target[position])
    return (np.clip(codes, -_MAX_CODE, _MAX_CODE) + ZERO).astype(np.uint8), new_scale


#: The numbers of fields, and of types of numbers, in onnx.proto.
_GRAPH: Final = 7
_CONSTANT: Final = 5
_SHAPE, _TYPE, _NAME, _BYTES = 1, 2, 8, 9
_TYPES: Final = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8", 10: "<f2", 11: "<f8"}
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5


class Constant(NamedTuple):
    """A constant, and the place of its first byte in the file."""

    array: npt.NDArray[Any]
    start: int


def read_constants(model: bytes) -> dict[str, Constant]:
    """The constants of a model by name."""
    constants: dict[str, Constant] = {}
    try:
        for number, start, end in _iterate_fields(model, 0, len(model)):
            if number == _GRAPH:
                for inner, first, last in _iterate_fields(model, start, end):
                    if inner == _CONSTANT:
                        name, constant = _read_constant(model, first, last)
                        constants[name] = constant
    except (IndexError, KeyError, ValueError) as error:
        raise EncoderError("the file is no model in ONNX, or not a whole one") from error
    if not constants:
        raise EncoderError("the file is no model in ONNX, or not a whole one")
    return constants


def replace_constants(model: bytes, arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """The model with some of its constants replaced by others of their types and shapes."""
    constants = read_constants(model)
    result = bytearray(model)
    for name, array in arrays.items():
        if name not in constants:
            raise EncoderError(f"the model has no constant {name!r}; accepted: one that it has")
        old = constants[name].array
        if array.shape != old.shape or array.dtype != old.dtype:
            raise EncoderError(
                f"the constant {name!r} is to be {array.dtype} of shape {array.shape} where the model has "
                f"{old.dtype} of shape {old.shape}; accepted: the same"
            )
        data = np.ascontiguousarray(array).tobytes()
        result[constants[name].start : constants[name].start + len(data)] = data
    return bytes(result)


def _read_constant(model: bytes, start: int, end: int) -> tuple[str, Constant]:
    shape: list[int] = []
    name, kind, first, last = "", "", 0, 0
    for number, low, high in _iterate_fields(model, start, end):
        if number == _NAME:
            name = model[low:high].decode()
        elif number == _BYTES:
            first, last = low, high
        elif number == _TYPE:
            kind = _TYPES[_read_varint(model, low)[0]]
        elif number == _SHAPE:
            # One number a field, or many in one: a single number is a field of one as well.
            position = low
            while position < high:
                size, position = _read_varint(model, position)
                shape.append(size)
    array = np.frombuffer(model, dtype=kind, count=(last - first) // np.dtype(kind).itemsize, offset=first)
    return name, Constant(array.reshape(shape), first)


def _iterate_fields(model: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a message: the number of each, and where its contents begin and end."""
    position = start
    while position < end:
        key, position = _read_varint(model, position)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            _, after = _read_varint(model, position)
        elif kind == _LENGTH:
            size, position = _read_varint(model, position)
            after = position + size
        elif kind in (_FIXED64, _FIXED32):
            after = position + (8 if kind == _FIXED64 else 4)
        else:
            raise ValueError(kind)
        if after > end:
            raise ValueError(after)
        yield number, position, after
        position = after


def _read_varint(model: bytes, position: int) -> tuple[int, int]:
    """A whole number of seven bits a byte, and the place after it."""
    value = shift = 0
    while True:
        byte = model[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
