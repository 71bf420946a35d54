"""Files that appear whole or not at all: written beside their place, made lasting, and moved there."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from epochal.errors import EpochalError

__all__ = ["written"]


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, which takes its place when all went well, and leaves no trace when not; `-` is the output.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with written(path) as file:
    ...     _ = file.write(b"whole")
    ...     before = path.exists()
    >>> before, path.read_bytes()
    (False, b'whole')
    """
    if os.fspath(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    place = Path(path)
    try:
        if place.is_dir():
            raise EpochalError(f"cannot write {place}: it is a folder")
        if place.exists() and not place.is_file():  # a device or a pipe has no place to move a file to
            with place.open("wb") as file:
                yield file
            return
        with _beside(place) as file:
            yield file
    except OSError as error:
        raise EpochalError(f"cannot write {place}: {error.strerror or error}") from error


@contextmanager
def _beside(place: Path) -> Iterator[BinaryIO]:
    target = place.resolve()  # what a link points to is replaced, not the link
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last, where the system lets folders be opened."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
