"""Matrices from a safetensors file, read with numpy alone; nothing in such a file can be run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import InputError

__all__ = ["tensors_of"]

_TYPES: Final = {"F32": "<f4", "F16": "<f2"}
_HEAD: Final = 8


def tensors_of(path: Path) -> dict[str, npt.NDArray[np.float32]]:
    """The matrices of a file by name, as numbers of 32 bits.

    >>> tensors_of(Path("no/such.safetensors"))
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such.safetensors: cannot be read: No such file or directory
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(str(path), 0, f"cannot be read: {error.strerror}") from error
    size = int.from_bytes(data[:_HEAD], "little")
    body = memoryview(data)[_HEAD + size :]
    found: dict[str, npt.NDArray[np.float32]] = {}
    try:
        for name, told in json.loads(data[_HEAD : _HEAD + size]).items():
            if name != "__metadata__":
                low, high = told["data_offsets"]
                found[name] = (
                    np.frombuffer(body[low:high], dtype=_TYPES[told["dtype"]]).reshape(told["shape"]).astype(np.float32)
                )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        accepted = "a safetensors file with numbers of 32 or 16 bits"
        raise InputError(str(path), 0, f"holds no matrices, or not all of them; accepted: {accepted}") from error
    return found
