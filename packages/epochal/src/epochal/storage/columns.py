"""Columns on disk, files of raw values that only grow, and the manifest that lists them.

The manifest holds the number of valid bytes of each file, their checksum, and their generation. Bytes beyond that were
left by a writer that died or are being written now; readers ignore them and the next writer truncates them. Nothing is
synced to disk: the loss of a power cut is noticed by its checksum, and the files are rebuilt.
"""

from __future__ import annotations

import mmap
import os
import shutil
import stat
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import StorageError
from epochal.files import pack_checked, unpack_checked

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

#: The columns and their types. `published`, `valid` and `content` are tables of spans with the `row` of their document
#: or passage. `tokens` are the words of passages and of the contexts of times, see `epochal.storage.contexts`, and
#: `documents.headed` says which documents have any heading. Vectors have 8 bits where they are not stored with the
#: documents, see `epochal.storage.coded`; `vectors.pending` are the passages that were stored before theirs was made.
COLUMNS: Final[Mapping[str, str]] = {
    "documents.seq": "<i8",
    "documents.first": "<i8",
    "documents.series": "<i8",
    "documents.headed": "u1",
    "passages.document": "<i4",
    "passages.token": "<i8",
    "passages.title_tokens": "<i4",
    "passages.length": "<i4",
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
    "tokens.count": "u1",
    "vectors": "<f4",
    "vectors.code": "i1",
    "vectors.scale": "<f4",
    "vectors.pending": "<i4",
    "cells": "<i4",
    "centroids": "<f4",
}
#: Columns whose rows are vectors.
_WIDE: Final = ("vectors", "vectors.code", "centroids")
#: Columns that some indexes have and others have not; those of all others may be empty.
OPTIONAL: Final = frozenset({"vectors", "vectors.code", "vectors.scale", "vectors.pending", "cells", "centroids"})


@dataclass(frozen=True, slots=True)
class Extent:
    """How many bytes of a file are valid, and their checksum."""

    bytes: int
    checksum: int


def column_path(folder: Path, name: str) -> Path:
    """The file of a column."""
    return folder / f"{name}.{np.dtype(COLUMNS[name]).str[1:]}"


def row_width(name: str, dim: int) -> int:
    """The bytes of a row."""
    return np.dtype(COLUMNS[name]).itemsize * (dim if name in _WIDE else 1)


def append_rows(folder: Path, name: str, extent: Extent, values: npt.NDArray[Any]) -> Extent:
    """Write rows behind the valid ones; returns the new extent."""
    packed = np.ascontiguousarray(values, dtype=COLUMNS[name]).tobytes()
    path = column_path(folder, name)
    with path.open("r+b" if path.exists() else "w+b", buffering=0) as file:
        if file.seek(0, os.SEEK_END) != extent.bytes:  # a file that is mapped cannot be cut on every system
            file.truncate(extent.bytes)
        file.seek(extent.bytes)
        remaining = memoryview(packed)
        while remaining:
            remaining = remaining[file.write(remaining) :]
    return Extent(extent.bytes + len(packed), zlib.crc32(packed, extent.checksum))


def open_column(folder: Path, name: str, extent: Extent, dim: int = 1) -> npt.NDArray[Any]:
    """The valid rows, mapped into memory."""
    dtype = np.dtype(COLUMNS[name])
    rows = extent.bytes // dtype.itemsize
    shape = (rows // dim, dim) if name in _WIDE else (rows,)
    if not rows:
        return np.empty(shape, dtype)
    with column_path(folder, name).open("rb") as file:  # `np.memmap` also looks up where the path leads
        mapped = mmap.mmap(file.fileno(), rows * dtype.itemsize, access=mmap.ACCESS_READ)
    return np.asarray(np.ndarray(shape, dtype, mapped))


def get_map(column: npt.NDArray[Any]) -> mmap.mmap | None:
    """The map of a file that a column is read from; None for an empty column."""
    return column.base if isinstance(column.base, mmap.mmap) else None


def find_damage(path: Path, extent: Extent, verified: Extent | None = None, *, is_whole: bool = False) -> str | None:
    """Describe what is wrong with the valid part of a file; None if it is intact.

    A beginning that is `verified` already is not read again. With `is_whole`, nothing may come after the valid part.
    """
    start = verified if verified is not None and verified.bytes <= extent.bytes else Extent(0, 0)
    try:
        with path.open("rb", buffering=0) as file:
            if is_whole and file.seek(0, os.SEEK_END) > extent.bytes:
                return f"{path.name} is longer than what was written"
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


#: The folder of the derived files inside that of the index.
FOLDER: Final = "derived"
_FILE: Final = "current.json"
#: Incremented when the meaning of a derived file changes; files of another version are rebuilt.
_VERSION: Final = 5
#: The problem of intact files that another version of Epochal has written.
OUTDATED: Final = "current.json is of another version"


@dataclass(frozen=True, slots=True)
class DerivedManifest:
    """One state of the derived files.

    `generation` is that of the document database, `floor` that of the last purge when the set was begun. `folder` is
    that of the set, and `words` the folder of the word index inside it, whose files are `word_files`. `longest` is the
    greatest norm of a vector, and `probes` the number of cells that a search probes: 0 before there are any, -1 where
    they are of no use. `identity` and `mark` say which document database it was made from; see
    `epochal.storage.identity`.
    """

    generation: int
    floor: int
    folder: str
    words: str
    dim: int = 0
    longest: float = 0.0
    probes: int = 0
    columns: Mapping[str, Extent] = field(default_factory=dict)
    word_files: Mapping[str, Extent] = field(default_factory=dict)
    identity: str = ""
    mark: str = ""

    def extent(self, name: str) -> Extent:
        """How much of a column is valid."""
        return self.columns.get(name, Extent(0, 0))

    def rows(self, name: str) -> int:
        """How many rows of a column are valid."""
        row = row_width(name, self.dim)
        return self.extent(name).bytes // row if row else 0

    def to_bytes(self) -> bytes:
        """One line of JSON, and its checksum."""
        fields = {
            "version": _VERSION,
            "identity": self.identity,
            "mark": self.mark,
            "generation": self.generation,
            "floor": self.floor,
            "folder": self.folder,
            "words": self.words,
            "dim": self.dim,
            "longest": self.longest,
            "probes": self.probes,
            "columns": {name: [extent.bytes, extent.checksum] for name, extent in self.columns.items()},
            "word_files": {name: [extent.bytes, extent.checksum] for name, extent in self.word_files.items()},
        }
        return pack_checked(fields)

    @classmethod
    def from_bytes(cls, data: bytes) -> DerivedManifest | None:
        """Parse a manifest; None if it is damaged or of another version."""
        fields = unpack_checked(data)
        if fields is None or fields.pop("version") != _VERSION:
            return None
        for part in ("columns", "word_files"):
            fields[part] = {name: Extent(*pair) for name, pair in fields[part].items()}
        return cls(**fields) if set(fields["columns"]) <= set(COLUMNS) else None


def describe_damage(data: bytes) -> str:
    """Describe why a manifest cannot be parsed."""
    if not data:
        return "current.json is missing"
    return OUTDATED if unpack_checked(data) is not None else "current.json is damaged"


def read_manifest(index: Path) -> bytes:
    """The bytes of the current manifest; empty if there is none."""
    try:
        # Every search reads it, so no path is made of parts.
        path = f"{index}/{FOLDER}/{_FILE}"
        if stat.S_ISFIFO(os.stat(path).st_mode):
            return b"no file"  # a pipe would be waited for without end
        with open(path, "rb", buffering=0) as file:
            return file.readall()
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except IsADirectoryError:  # whatever it is, it is not a manifest
        return b"a folder"
    except OSError as error:
        raise StorageError(f"the index {str(index)!r} cannot be read: {FOLDER}/{_FILE}: {error.strerror}") from error


def write_manifest(index: Path, manifest: DerivedManifest) -> bytes:
    """Replace the current manifest atomically; returns its bytes."""
    data = manifest.to_bytes()
    temporary = index / FOLDER / f"{_FILE}.new"
    temporary.write_bytes(data)
    if (index / FOLDER / _FILE).is_dir():
        shutil.rmtree(index / FOLDER / _FILE)
    os.replace(temporary, index / FOLDER / _FILE)
    return data
