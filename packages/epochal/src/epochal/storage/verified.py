"""Derived files that were verified before: a process that opens an index need not compute their checksums again.

A file is known again by its size, its inode and the time of its last change; a change to it, or another file in its
place, is noticed. What alters the disk behind the file system's back is found by `epochal check`, which trusts nothing.
The time of a change may be as coarse as a few milliseconds, so a file that has just been written is not recorded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from epochal.files import measure_age
from epochal.storage.columns import FOLDER, Extent

__all__ = ["recall_verified", "record_verified"]

_FILE: Final = "verified.json"
#: A file that has changed less than so many seconds ago may change again without another time.
_SETTLED: Final = 3.0

#: Bytes and checksum of what was verified, then size, inode and time of change of the file.
_Mark = list[int]


def recall_verified(index: Path, files: Mapping[Path, Extent]) -> dict[Path, Extent]:
    """Those of some files that were verified before and are the same still."""
    known = _read(index)
    return {
        path: extent
        for path, extent in files.items()
        if (mark := known.get(_name(index, path))) is not None and mark == _mark(path, extent)
    }


def record_verified(index: Path, files: Mapping[Path, Extent]) -> None:
    """Record files that are verified; a folder that cannot be written is left alone."""
    marks = {
        _name(index, path): mark
        for path, extent in files.items()
        if (mark := _mark(path, extent)) is not None and measure_age(mark[-1] / 1e9) > _SETTLED
    }
    if not marks or marks == _read(index):
        return
    part = index / FOLDER / f"{_FILE}.{os.getpid()}.part"
    with suppress(OSError):
        try:
            part.write_text(json.dumps(marks), encoding="utf-8")
            part.replace(index / FOLDER / _FILE)
        finally:
            part.unlink(missing_ok=True)


def _name(index: Path, path: Path) -> str:
    return path.relative_to(index / FOLDER).as_posix()


def _mark(path: Path, extent: Extent) -> _Mark | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return [extent.bytes, extent.checksum, found.st_size, found.st_ino, found.st_mtime_ns]


def _read(index: Path) -> dict[str, _Mark]:
    """What is recorded; nothing where the record is missing or damaged."""
    try:
        known = json.loads((index / FOLDER / _FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}
