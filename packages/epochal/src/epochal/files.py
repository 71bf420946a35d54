"""Files: written whole or not at all, lines with checksums, and parameters as safetensors, read with numpy alone."""

from __future__ import annotations

import json
import os
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, InputError

# ---------------------------------------------------------------- whole or not at all


def measure_age(changed: float) -> float:
    """The seconds since a file was changed, by the time of change that the file system gives."""
    return time.time() - changed


def pack_checked(value: object) -> bytes:
    """A value as a line of JSON, and its checksum in the next line.

    >>> unpack_checked(pack_checked({"generation": 7})), unpack_checked(b"{}"), unpack_checked(b"")
    ({'generation': 7}, None, None)
    """
    line = json.dumps(value, separators=(",", ":")).encode()
    return b"%s\n%08x\n" % (line, zlib.crc32(line))


def unpack_checked(data: bytes) -> Any:
    """The value of a line with a checksum; None if it is damaged."""
    line, _, checksum = data.partition(b"\n")
    return json.loads(line) if checksum == b"%08x\n" % zlib.crc32(line) else None


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """The path of a new file, which replaces `path` if the context is left without an error, and is removed if not.

    The new file lies in the same folder and is synced to disk before it is renamed.
    """
    import secrets  # which takes longer to import than most commands run

    target = path.resolve()  # what a link points to is replaced, not the link
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())  # or a crash of the machine may leave the name without the contents
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(target.parent)


@contextmanager
def write_atomically(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write to; it appears under `path` when the context is left without an error, `-` is stdout."""
    if fspath(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    try:
        if target.is_dir():
            raise EpochalError(f"cannot write {target}: it is a folder")
        if _is_device(target):
            with target.open("wb") as file:
                yield file
            return
        with replace_file(target) as part, part.open("xb") as file:
            yield file
    except OSError as error:
        raise EpochalError(f"cannot write {target}: {error.strerror or error}") from error


class StagedFiles:
    """Several files, all of which are moved into place when the context is left; after an error none is."""

    def __init__(self) -> None:
        self._parts = ExitStack()

    def __enter__(self) -> StagedFiles:
        return self

    def open(self, path: Path) -> BinaryIO:
        """Open one of the files for writing; close it before the context is left."""
        try:
            if _is_device(path):
                return path.open("wb")
            return self._parts.enter_context(replace_file(path)).open("xb")
        except OSError as error:
            raise EpochalError(f"cannot write {path}: {error.strerror}") from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._parts.__exit__(kind, error, trace)


def _is_device(path: Path) -> bool:
    """Whether a path is a device or a pipe, which no file can replace."""
    return path.exists() and not path.is_file()


def _sync_folder(folder: Path) -> None:
    """Make the new name last, where the system lets folders be opened."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ---------------------------------------------------------------- parameters as safetensors

Array = npt.NDArray[np.float32]

_FLOATS: Final = {"F32": "<f4", "F16": "<f2"}
_WITH_INTEGERS: Final = {**_FLOATS, "I64": "<i8"}
_LENGTH_BYTES: Final = 8
#: A header longer than this is no header of a few dozen parameters.
_MAX_HEADER: Final = 1 << 24
_ACCEPTED: Final = "a safetensors file with numbers of 32 or 16 bits"
_ACCEPTED_INTEGERS: Final = f"{_ACCEPTED}, or whole ones of 64"


def write_tensors(path: str | PathLike[str], tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write parameters as numbers of 32 bits, by name; an equal mapping gives equal bytes."""
    header: dict[str, Any] = {}
    parts, offset = [], 0
    for name in sorted(tensors):
        values = np.asarray(tensors[name], dtype="<f4")
        parts.append(values.tobytes())
        header[name] = {
            "dtype": "F32",
            "shape": list(values.shape),
            "data_offsets": [offset, offset + values.nbytes],
        }
        offset += values.nbytes
    encoded = json.dumps(header, separators=(",", ":"), sort_keys=True).encode()
    encoded += b" " * (-len(encoded) % _LENGTH_BYTES)
    Path(path).write_bytes(b"".join([len(encoded).to_bytes(_LENGTH_BYTES, "little"), encoded, *parts]))


def read_tensors(path: str | PathLike[str]) -> dict[str, Array]:
    """The parameters of a file by name, as numbers of 32 bits; a damaged file is an `InputError`."""
    return {key: values.astype(np.float32) for key, values in _read(path, _FLOATS, _ACCEPTED).items()}


def read_arrays(path: str | PathLike[str]) -> dict[str, npt.NDArray[Any]]:
    """The parameters of a file as they are stored; integers of 64 bits, which float32 cannot hold, stay integers."""
    return _read(path, _WITH_INTEGERS, _ACCEPTED_INTEGERS)


def _read(path: str | PathLike[str], types: Mapping[str, str], accepted: str) -> dict[str, npt.NDArray[Any]]:
    name = fspath(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(name, 0, f"cannot be read: {error.strerror}") from error
    size = int.from_bytes(data[:_LENGTH_BYTES], "little")
    if len(data) < _LENGTH_BYTES or not 2 <= size <= min(len(data) - _LENGTH_BYTES, _MAX_HEADER):
        raise InputError(name, 0, f"holds no parameters, or not all of them; accepted: {accepted}")
    try:
        header = json.loads(data[_LENGTH_BYTES : _LENGTH_BYTES + size])
    except ValueError as error:
        raise InputError(name, 0, f"has a header that is not JSON ({error}); accepted: {accepted}") from error
    if not isinstance(header, dict):
        raise InputError(name, 0, f"has a header that names no parameters; accepted: {accepted}")
    body = memoryview(data)[_LENGTH_BYTES + size :]
    try:
        return {key: _get_tensor(key, entry, body, types) for key, entry in header.items() if key != "__metadata__"}
    except ValueError as error:
        raise InputError(name, 0, f"the parameters {error} cannot be read; accepted: {accepted}") from error


def _get_tensor(key: str, entry: object, body: memoryview, types: Mapping[str, str]) -> npt.NDArray[Any]:
    try:
        if not isinstance(entry, dict):
            raise TypeError
        kind, shape, (low, high) = types[entry["dtype"]], tuple(entry["shape"]), entry["data_offsets"]
        if not all(isinstance(item, int) and item >= 0 for item in (*shape, low, high)) or high > len(body):
            raise ValueError
        return np.frombuffer(body[low:high], dtype=kind).reshape(shape)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(repr(key)) from error
