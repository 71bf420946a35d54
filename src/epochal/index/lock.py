"""One writer an index: locks that the operating system lets go of when their holder dies."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from epochal.errors import IndexLockedError, StorageError
from epochal.index.schema import reporting

__all__ = ["WriterLock"]

_WRITER: Final = "writer.lock"
_MENDER: Final = "mender.lock"
#: How long one waits for another who mends the derived files, which for a large index may be built anew.
_PATIENCE: Final = 900.0


class WriterLock:
    """Held from `acquire` to `release`. The files are empty SQLite databases, which lock alike on every system.

    A second writer is refused at once. Who only mends derived files is a writer for a moment, and is waited for:
    it holds a second lock, by which it is known.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first, second = WriterLock(Path(folder)), WriterLock(Path(folder))
    ...     first.acquire()
    ...     try:
    ...         second.acquire()
    ...     except IndexLockedError:
    ...         print("refused")
    ...     first.release()
    refused
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: sqlite3.Connection | None = None
        self._mender: sqlite3.Connection | None = None

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock.

        >>> WriterLock(Path("news")).is_held
        False
        """
        return self._writer is not None

    def acquire(self, *, to_mend: bool = False) -> None:
        """Take the lock, or say at once that another has it; once others who mend are done.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     lock = WriterLock(Path(folder))
        ...     lock.acquire()
        ...     lock.is_held
        ...     lock.release()
        True
        """
        if self._writer is not None:
            return
        # What is taken is let go of again unless all of it was got, also where the disk is full half-way.
        with ExitStack() as taken:
            writer = None if to_mend else self._taken(taken, _WRITER, 0)
            if writer is None:  # another has it: a writer, or a mender, who will soon be done
                mender = self._taken(taken, _MENDER, _PATIENCE)
                writer = self._taken(taken, _WRITER, 0)
                if mender is not None and not to_mend:
                    mender.close()
                    mender = None
            else:
                mender = None
            if writer is None:
                raise IndexLockedError(
                    f"another writer has the index {str(self._folder)!r}; close it, or wait until it is done"
                )
            taken.pop_all()
        self._writer, self._mender = writer, mender

    def _taken(self, taken: ExitStack, name: str, patience: float) -> sqlite3.Connection | None:
        connection = self._locked(name, patience)
        if connection is not None:
            taken.callback(connection.close)
        return connection

    def release(self) -> None:
        """Let go of the lock; does nothing where it is not held.

        >>> WriterLock(Path("news")).release()
        """
        for connection in (self._writer, self._mender):
            if connection is not None:
                connection.close()
        self._writer = self._mender = None

    def _locked(self, name: str, patience: float) -> sqlite3.Connection | None:
        """A connection that holds the lock of a file; None when another has it."""
        file = self._folder / name
        # SQLite would content itself with reading, and would let us lock what nobody can write.
        if not os.access(file if file.exists() else self._folder, os.W_OK):
            raise StorageError(f"the index {str(self._folder)!r} cannot be written: it may only be read")
        with reporting(self._folder, "written"):
            connection = sqlite3.connect(file, isolation_level=None, timeout=patience, check_same_thread=False)
            try:
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.Error as error:
                connection.close()
                if "locked" not in str(error):
                    raise
                return None
        return connection
