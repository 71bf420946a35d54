"""The list of what is derived: which files, how much of each is valid, and of which generation of the truth."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from epochal.index.columns import COLUMNS, Extent, width

__all__ = ["FOLDER", "OUTDATED", "Manifest", "read_manifest", "what_is_wrong", "write_manifest"]

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

    >>> Manifest(generation=0, floor=0, folder="set-0", words="words-0").rows("dead")
    0
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
        """How much of a column is valid.

        >>> Manifest(0, 0, "set-0", "words-0").extent("dead").bytes
        0
        """
        return self.columns.get(name, Extent(0, 0))

    def rows(self, name: str) -> int:
        """How many rows of a column are valid.

        >>> Manifest(0, 0, "set-0", "words-0", columns={"dead": Extent(8, 0)}).rows("dead")
        2
        """
        row = width(name, self.dim)
        return self.extent(name).bytes // row if row else 0

    def to_bytes(self) -> bytes:
        """As it is written: one line of JSON, and its checksum.

        >>> Manifest.from_bytes(Manifest(7, 0, "set-0", "words-0").to_bytes()).generation
        7
        """
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
        """What was written; None when it is damaged or of another version.

        >>> Manifest.from_bytes(b"{}") is None
        True
        """
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


def what_is_wrong(written: bytes) -> str:
    """Why there is no manifest in what was written, in words.

    >>> what_is_wrong(b""), what_is_wrong(b"{}")
    ('current.json is missing', 'current.json is damaged')
    """
    if not written:
        return "current.json is missing"
    line, _, checksum = written.partition(b"\n")
    return OUTDATED if checksum == b"%08x\n" % zlib.crc32(line) else "current.json is damaged"


def read_manifest(index: Path) -> bytes:
    """The bytes of the present list of an index; empty when there is none.

    >>> read_manifest(Path("nowhere"))
    b''
    """
    try:
        return (index / FOLDER / _FILE).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def write_manifest(index: Path, manifest: Manifest) -> bytes:
    """Put a list in place of the present one, at once; returns its bytes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (Path(folder) / FOLDER).mkdir()
    ...     written = write_manifest(Path(folder), Manifest(7, 0, "set-0", "words-0"))
    ...     read_manifest(Path(folder)) == written
    True
    """
    written = manifest.to_bytes()
    unfinished = index / FOLDER / f"{_FILE}.new"
    unfinished.write_bytes(written)
    os.replace(unfinished, index / FOLDER / _FILE)
    return written
