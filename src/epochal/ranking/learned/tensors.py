"""Parameters in a file: the safetensors form, read and written with numpy alone, and nothing in it can be run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import InputError

__all__ = ["read_arrays", "read_tensors", "write_tensors"]

Array = npt.NDArray[np.float32]

_TYPES: Final = {"F32": "<f4", "F16": "<f2"}
_WHOLE: Final = {**_TYPES, "I64": "<i8"}
_HEAD: Final = 8
#: A header longer than this is no header of a few dozen parameters.
_MOST: Final = 1 << 24
_ACCEPTED: Final = "a safetensors file with numbers of 32 or 16 bits"
_ACCEPTED_WHOLE: Final = f"{_ACCEPTED}, or whole ones of 64"


def write_tensors(path: str | PathLike[str], tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write parameters as numbers of 32 bits, by name; an equal mapping gives equal bytes.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> write_tensors(path, {"bias": np.ones(2)})
    >>> read_tensors(path)["bias"]
    array([1., 1.], dtype=float32)
    """
    header: dict[str, Any] = {}
    parts, place = [], 0
    for name in sorted(tensors):
        values = np.asarray(tensors[name], dtype="<f4")
        parts.append(values.tobytes())
        header[name] = {
            "dtype": "F32",
            "shape": list(values.shape),
            "data_offsets": [place, place + values.nbytes],
        }
        place += values.nbytes
    told = json.dumps(header, separators=(",", ":"), sort_keys=True).encode()
    told += b" " * (-len(told) % _HEAD)
    Path(path).write_bytes(b"".join([len(told).to_bytes(_HEAD, "little"), told, *parts]))


def read_tensors(path: str | PathLike[str]) -> dict[str, Array]:
    """The parameters of a file, by name; anything but a whole file of that form is an error.

    >>> read_tensors("no/such.safetensors")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such.safetensors: cannot be read: No such file or directory
    """
    return {key: values.astype(np.float32) for key, values in _read(path, _TYPES, _ACCEPTED).items()}


def read_arrays(path: str | PathLike[str]) -> dict[str, npt.NDArray[Any]]:
    """The parameters of a file as they are, by name; whole numbers of 64 bits, which float32 cannot hold, stay whole.

    >>> read_arrays("no/such.safetensors")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such.safetensors: cannot be read: No such file or directory
    """
    return _read(path, _WHOLE, _ACCEPTED_WHOLE)


def _read(path: str | PathLike[str], types: Mapping[str, str], accepted: str) -> dict[str, npt.NDArray[Any]]:
    name = fspath(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(name, 0, f"cannot be read: {error.strerror}") from error
    size = int.from_bytes(data[:_HEAD], "little")
    if len(data) < _HEAD or not 2 <= size <= min(len(data) - _HEAD, _MOST):
        raise InputError(name, 0, f"holds no parameters, or not all of them; accepted: {accepted}")
    try:
        header = json.loads(data[_HEAD : _HEAD + size])
    except ValueError as error:
        raise InputError(name, 0, f"has a header that is not JSON ({error}); accepted: {accepted}") from error
    if not isinstance(header, dict):
        raise InputError(name, 0, f"has a header that names no parameters; accepted: {accepted}")
    body = memoryview(data)[_HEAD + size :]
    try:
        return {key: _tensor(key, told, body, types) for key, told in header.items() if key != "__metadata__"}
    except ValueError as error:
        raise InputError(name, 0, f"the parameters {error} cannot be read; accepted: {accepted}") from error


def _tensor(key: str, told: object, body: memoryview, types: Mapping[str, str]) -> npt.NDArray[Any]:
    try:
        if not isinstance(told, dict):
            raise TypeError
        kind, shape, (low, high) = types[told["dtype"]], tuple(told["shape"]), told["data_offsets"]
        if not all(isinstance(item, int) and item >= 0 for item in (*shape, low, high)) or high > len(body):
            raise ValueError
        return np.frombuffer(body[low:high], dtype=kind).reshape(shape)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(repr(key)) from error
