"""Columns on disk, files of raw values that only grow, and the manifest that lists them.

The manifest says how many bytes of each file are valid, their checksum, and the generation that they show. Bytes beyond
that were left by a writer that died or are being written now; readers ignore them and the next writer truncates them.
Nothing is synced to disk: what a power cut loses is noticed by its checksum and rebuilt.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = [
    "COLUMNS",
    "FOLDER",
    "OUTDATED",
    "Extent",
    "Manifest",
    "append_rows",
    "column_path",
    "describe_damage",
    "find_damage",
    "open_column",
    "read_manifest",
    "row_width",
    "write_manifest",
]


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
#: `tokens` are the words of passages and of the contexts of times, see `epochal.storage.contexts`.
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
    """Write rows behind the valid ones; what is valid then."""
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
    """The valid rows, mapped into memory."""
    dtype = np.dtype(COLUMNS[name])
    rows = extent.bytes // dtype.itemsize
    shape = (rows // dim, dim) if name in _WIDE else (rows,)
    if not rows:
        return np.empty(shape, dtype)
    return np.asarray(np.memmap(column_path(folder, name), dtype, "r", shape=shape))


def find_damage(path: Path, extent: Extent, known: Extent | None = None) -> str | None:
    """What is wrong with the valid part of a file, in words; None when it is sound.

    A beginning that is `known` to be sound is not read again.
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


#: The folder of everything derived, inside that of the index.
FOLDER: Final = "derived"
_FILE: Final = "current.json"
#: Raised when the meaning of a derived file changes; files of another version are made again.
_VERSION: Final = 2
#: What is wrong with files that are sound, but that another version of Epochal has written.
OUTDATED: Final = "current.json is of another version"


@dataclass(frozen=True, slots=True)
class Manifest:
    """One state of the derived files.

    `generation` is that of the truth which they show, `floor` that of the last purge when their set was begun.
    `folder` is the set's, and `words` the folder of the word index inside it, whose files are `word_files`.
    `longest` is the greatest length of any vector, and `probes` how many cells of them a search looks into: 0 before
    there are any, -1 where they are of no use.
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

    def extent(self, name: str) -> Extent:
        """How much of a column is valid."""
        return self.columns.get(name, Extent(0, 0))

    def rows(self, name: str) -> int:
        """How many rows of a column are valid."""
        row = row_width(name, self.dim)
        return self.extent(name).bytes // row if row else 0

    def to_bytes(self) -> bytes:
        """As it is written: one line of JSON, and its checksum."""
        told = {
            "version": _VERSION,
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
        line = json.dumps(told, separators=(",", ":")).encode()
        return b"%s\n%08x\n" % (line, zlib.crc32(line))

    @classmethod
    def from_bytes(cls, written: bytes) -> Manifest | None:
        """What was written; None when it is damaged or of another version."""
        line, _, checksum = written.partition(b"\n")
        if checksum != b"%08x\n" % zlib.crc32(line):
            return None
        told = json.loads(line)
        if told["version"] != _VERSION:
            return None
        del told["version"]
        for part in ("columns", "word_files"):
            told[part] = {name: Extent(*pair) for name, pair in told[part].items()}
        return cls(**told) if set(told["columns"]) <= set(COLUMNS) else None


def describe_damage(written: bytes) -> str:
    """Why there is no manifest in what was written, in words."""
    if not written:
        return "current.json is missing"
    line, _, checksum = written.partition(b"\n")
    return OUTDATED if checksum == b"%08x\n" % zlib.crc32(line) else "current.json is damaged"


def read_manifest(index: Path) -> bytes:
    """The bytes of the present list of an index; empty when there is none."""
    try:
        return (index / FOLDER / _FILE).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def write_manifest(index: Path, manifest: Manifest) -> bytes:
    """Put a list in place of the present one, at once; returns its bytes."""
    written = manifest.to_bytes()
    unfinished = index / FOLDER / f"{_FILE}.new"
    unfinished.write_bytes(written)
    os.replace(unfinished, index / FOLDER / _FILE)
    return written
