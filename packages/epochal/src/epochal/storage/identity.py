"""Which index a folder holds: a random identity, the marks of its writes, and the file that a process has open.

An index gets its identity when it is created, and so does a backup. A copy of the files has the identity of its
original, so each write leaves a random mark, too: two copies that were written to have different marks for the same
generation. Derived files carry the identity and the mark of the generation that they were made from. Files of versions
without identities are accepted until the next write.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

from epochal.errors import StorageError
from epochal.storage.columns import DerivedManifest
from epochal.storage.schema import FILE, State, connect, read_state

TABLE: Final = "CREATE TABLE IF NOT EXISTS history (generation INTEGER PRIMARY KEY, mark TEXT NOT NULL)"

#: A device and a file on it: what is opened stays the same file when its folder is moved.
FileKey = tuple[int, int]

_TRIES: Final = 10


def read_file_key(folder: Path) -> FileKey | None:
    """The file that a folder holds now; None if there is none."""
    try:
        found = os.stat(f"{folder}/{FILE}")
    except (OSError, ValueError):  # no path has NUL in it
        return None
    return found.st_dev, found.st_ino


def connect_known(folder: Path) -> tuple[sqlite3.Connection, FileKey]:
    """Open the document database, and know which file it is."""
    for _ in range(_TRIES):
        before = read_file_key(folder)
        connection = connect(folder)
        if before is not None and before == read_file_key(folder):
            return connection, before
        connection.close()
    raise StorageError(f"the index {str(folder)!r} is replaced again and again; try again")


def mark_generation(connection: sqlite3.Connection, generation: int) -> None:
    """Leave the mark of a write, and give an index that has none its identity; inside the write's transaction."""
    connection.execute(TABLE)
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('identity', ?)", (os.urandom(16).hex(),))
    connection.execute("INSERT OR REPLACE INTO history VALUES (?, ?)", (generation, os.urandom(8).hex()))


def forget_marks(connection: sqlite3.Connection, floor: int) -> None:
    """Remove the marks of generations that no derived files are made from any more."""
    connection.execute("DELETE FROM history WHERE generation < ?", (floor,))


def renew_identity(connection: sqlite3.Connection) -> None:
    """Make a copy an index of its own."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('identity', ?)", (os.urandom(16).hex(),))


def read_mark(connection: sqlite3.Connection, generation: int) -> str:
    """The mark of a generation; empty if it was written without one."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'history'").fetchone():
        return ""
    found = connection.execute("SELECT mark FROM history WHERE generation = ?", (generation,)).fetchone()
    return str(found[0]) if found else ""


def find_mismatch(manifest: DerivedManifest, connection: sqlite3.Connection, state: State | None = None) -> str | None:
    """Describe why derived files cannot be of a document database; None if they are of this or an earlier state."""
    state = state or read_state(connection)
    if manifest.identity and manifest.identity != state.identity:
        return "the derived files are of another index"
    if manifest.generation > state.generation:
        count = manifest.generation - state.generation
        return (
            f"the derived files are newer than the document database, whose last {count:,} writes are missing: an "
            f"older one was restored, or its log was damaged"
        )
    if manifest.mark and manifest.mark != read_mark(connection, manifest.generation):
        return "the derived files are of another copy of the index"
    return None
