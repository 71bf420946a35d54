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

__all__ = ["read_tensors", "write_tensors"]

Array = npt.NDArray[np.float32]

_TYPES: Final = {"F32": "<f4", "F16": "<f2"}
_HEAD: Final = 8
#: A header longer than this is no header of a few dozen parameters.
_MOST: Final = 1 << 24
_ACCEPTED: Final = "a safetensors file with numbers of 32 or 16 bits"


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
    name = fspath(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(name, 0, f"cannot be read: {error.strerror}") from error
    size = int.from_bytes(data[:_HEAD], "little")
    if len(data) < _HEAD or not 2 <= size <= min(len(data) - _HEAD, _MOST):
        raise InputError(name, 0, f"holds no parameters, or not all of them; accepted: {_ACCEPTED}")
    try:
        header = json.loads(data[_HEAD : _HEAD + size])
    except ValueError as error:
        raise InputError(name, 0, f"has a header that is not JSON ({error}); accepted: {_ACCEPTED}") from error
    if not isinstance(header, dict):
        raise InputError(name, 0, f"has a header that names no parameters; accepted: {_ACCEPTED}")
    body = data[_HEAD + size :]
    return {key: _tensor(name, key, told, body) for key, told in header.items() if key != "__metadata__"}


def _tensor(name: str, key: str, told: object, body: bytes) -> Array:
    try:
        if not isinstance(told, dict):
            raise TypeError
        kind, shape, (low, high) = _TYPES[told["dtype"]], tuple(told["shape"]), told["data_offsets"]
        if not all(isinstance(item, int) and item >= 0 for item in (*shape, low, high)) or high > len(body):
            raise ValueError
        return np.frombuffer(body[low:high], dtype=kind).reshape(shape).astype(np.float32)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(name, 0, f"the parameters {key!r} cannot be read; accepted: {_ACCEPTED}") from error
