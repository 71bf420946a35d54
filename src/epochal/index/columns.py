"""Columns on disk: files of raw numbers that only grow.

A list of the columns, kept elsewhere, says how many rows of each are valid and their checksum. Bytes beyond are what a
writer left that died, or what one is writing just now; readers do not look at them, and the next writer cuts them off.
Nothing is flushed to the disk by force: what a power cut loses is noticed by its checksum and made again.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["COLUMNS", "Extent", "append", "column_path", "damage", "open_column", "width"]

_CHUNK: Final = 1 << 22

_SPANS: Final = {
    "row": "<i4",
    "start": "<i8",
    "end": "<i8",
    "grain": "i1",
    "end_grain": "i1",
    "certainty": "i1",
    "end_certainty": "i1",
}

#: The columns and their types. `published`, `valid` and `content` are tables of spans, whose `row` says whose they are.
#: `tokens` are the words of passages and of the contexts of times, see `epochal.index.contexts`.
COLUMNS: Final[Mapping[str, str]] = {
    "documents.seq": "<i8",
    "documents.first": "<i8",
    "documents.series": "<i8",
    "passages.document": "<i4",
    "passages.token": "<i8",
    "passages.title_tokens": "<i4",
    "dead": "<i4",
    **{f"published.{name}": kind for name, kind in _SPANS.items()},
    **{f"valid.{name}": kind for name, kind in _SPANS.items()},
    **{f"content.{name}": kind for name, kind in _SPANS.items()},
    "content.confidence": "<f8",
    "content.start_char": "<i4",
    "content.end_char": "<i4",
    "content.token": "<i4",
    "content.tokens": "<i4",
    "tokens": "<u4",
    "vectors": "<f4",
    "cells": "<i4",
    "centroids": "<f4",
}
#: Columns whose rows are vectors.
_WIDE: Final = ("vectors", "centroids")


@dataclass(frozen=True, slots=True)
class Extent:
    """How many bytes of a file are valid, and their checksum.

    >>> Extent(0, 0).bytes
    0
    """

    bytes: int
    checksum: int


def column_path(folder: Path, name: str) -> Path:
    """The file of a column.

    >>> column_path(Path("set"), "dead").name
    'dead.i4'
    """
    return folder / f"{name}.{np.dtype(COLUMNS[name]).str[1:]}"


def width(name: str, dim: int) -> int:
    """The bytes of a row.

    >>> width("vectors", 256), width("dead", 256)
    (1024, 4)
    """
    return np.dtype(COLUMNS[name]).itemsize * (dim if name in _WIDE else 1)


def append(folder: Path, name: str, extent: Extent, values: npt.NDArray[Any]) -> Extent:
    """Write rows behind the valid ones; what is valid then.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     append(Path(folder), "dead", Extent(0, 0), np.array([3])).bytes
    4
    """
    packed = np.ascontiguousarray(values, dtype=COLUMNS[name]).tobytes()
    path = column_path(folder, name)
    with path.open("r+b" if path.exists() else "w+b", buffering=0) as file:
        if file.seek(0, os.SEEK_END) != extent.bytes:  # a file that is mapped cannot be cut on every system
            file.truncate(extent.bytes)
        file.seek(extent.bytes)
        rest = memoryview(packed)
        while rest:
            rest = rest[file.write(rest) :]
    return Extent(extent.bytes + len(packed), zlib.crc32(packed, extent.checksum))


def open_column(folder: Path, name: str, extent: Extent, dim: int = 1) -> npt.NDArray[Any]:
    """The valid rows, mapped into memory.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     extent = append(Path(folder), "dead", Extent(0, 0), np.array([3]))
    ...     open_column(Path(folder), "dead", extent).tolist()
    [3]
    """
    dtype = np.dtype(COLUMNS[name])
    rows = extent.bytes // dtype.itemsize
    shape = (rows // dim, dim) if name in _WIDE else (rows,)
    if not rows:
        return np.empty(shape, dtype)
    return np.asarray(np.memmap(column_path(folder, name), dtype, "r", shape=shape))


def damage(path: Path, extent: Extent, known: Extent | None = None) -> str | None:
    """What is wrong with the valid part of a file, in words; None when it is sound.

    A beginning that is `known` to be sound is not read again.

    >>> damage(Path("gone.i4"), Extent(4, 0))
    'gone.i4 is missing'
    """
    start = known if known is not None and known.bytes <= extent.bytes else Extent(0, 0)
    try:
        with path.open("rb", buffering=0) as file:
            left, checksum = extent.bytes - start.bytes, start.checksum
            file.seek(start.bytes)
            chunk = memoryview(bytearray(min(left, _CHUNK)))
            while left:
                size = file.readinto(chunk[:left])
                if not size:
                    return f"{path.name} is cut short"
                checksum = zlib.crc32(chunk[:size], checksum)
                left -= size
    except FileNotFoundError:
        return f"{path.name} is missing"
    except OSError as error:
        return f"{path.name} cannot be read ({error.strerror})"
    return None if checksum == extent.checksum else f"{path.name} is not what was written"
