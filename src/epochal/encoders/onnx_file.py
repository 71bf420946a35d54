"""The constants of a model in ONNX: read, and replaced by others of the same shape, without the package onnx.

A model file is a tree of protocol buffers, of which three kinds are looked into: the model, its graph, and the graph's
constants. Everything else is passed over, and stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import EncoderError

__all__ = ["Constant", "constants", "replaced"]

#: The numbers of fields, and of types of numbers, in onnx.proto.
_GRAPH: Final = 7
_CONSTANT: Final = 5
_SHAPE, _TYPE, _NAME, _BYTES = 1, 2, 8, 9
_TYPES: Final = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8", 10: "<f2", 11: "<f8"}
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5


class Constant(NamedTuple):
    """A constant, and the place of its first byte in the file.

    >>> Constant(np.zeros(3, np.uint8), 120).array.shape
    (3,)
    """

    array: npt.NDArray[Any]
    start: int


def constants(model: bytes) -> dict[str, Constant]:
    """The constants of a model by name.

    >>> from epochal.encoders.packaged import data_file
    >>> found = constants(data_file("minilm", "model.int8.onnx").read_bytes())
    >>> found["0.inner.weight"].array.shape, found["0.inner.weight"].array.dtype.name
    ((384, 1536), 'uint8')
    >>> constants(b"no model")
    Traceback (most recent call last):
    ...
    epochal.encoders.base.EncoderError: the file is no model in ONNX, or not a whole one
    """
    found: dict[str, Constant] = {}
    try:
        for number, start, end in _fields(model, 0, len(model)):
            if number == _GRAPH:
                for inner, first, last in _fields(model, start, end):
                    if inner == _CONSTANT:
                        name, constant = _constant(model, first, last)
                        found[name] = constant
    except (IndexError, KeyError, ValueError) as error:
        raise EncoderError("the file is no model in ONNX, or not a whole one") from error
    if not found:
        raise EncoderError("the file is no model in ONNX, or not a whole one")
    return found


def replaced(model: bytes, arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """The model with some of its constants replaced by others of their types and shapes.

    >>> from epochal.encoders.packaged import data_file
    >>> model = data_file("minilm", "model.int8.onnx").read_bytes()
    >>> other = replaced(model, {"0.inner.scale": np.ones(1536, np.float32)})
    >>> float(constants(other)["0.inner.scale"].array[0]), len(other) == len(model)
    (1.0, True)
    """
    known = constants(model)
    made = bytearray(model)
    for name, array in arrays.items():
        if name not in known:
            raise EncoderError(f"the model has no constant {name!r}; accepted: one that it has")
        old = known[name].array
        if array.shape != old.shape or array.dtype != old.dtype:
            raise EncoderError(
                f"the constant {name!r} is to be {array.dtype} of shape {array.shape} where the model has "
                f"{old.dtype} of shape {old.shape}; accepted: the same"
            )
        data = np.ascontiguousarray(array).tobytes()
        made[known[name].start : known[name].start + len(data)] = data
    return bytes(made)


def _constant(model: bytes, start: int, end: int) -> tuple[str, Constant]:
    shape: list[int] = []
    name, kind, first, last = "", "", 0, 0
    for number, low, high in _fields(model, start, end):
        if number == _NAME:
            name = model[low:high].decode()
        elif number == _BYTES:
            first, last = low, high
        elif number == _TYPE:
            kind = _TYPES[_number(model, low)[0]]
        elif number == _SHAPE:
            # One number a field, or many in one: a single number is a field of one as well.
            place = low
            while place < high:
                size, place = _number(model, place)
                shape.append(size)
    array = np.frombuffer(model, dtype=kind, count=(last - first) // np.dtype(kind).itemsize, offset=first)
    return name, Constant(array.reshape(shape), first)


def _fields(model: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a message: the number of each, and where its contents begin and end."""
    place = start
    while place < end:
        key, place = _number(model, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            _, after = _number(model, place)
        elif kind == _LENGTH:
            size, place = _number(model, place)
            after = place + size
        elif kind in (_FIXED64, _FIXED32):
            after = place + (8 if kind == _FIXED64 else 4)
        else:
            raise ValueError(kind)
        if after > end:
            raise ValueError(after)
        yield number, place, after
        place = after


def _number(model: bytes, place: int) -> tuple[int, int]:
    """A whole number of seven bits a byte, and the place after it."""
    value = shift = 0
    while True:
        byte = model[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
