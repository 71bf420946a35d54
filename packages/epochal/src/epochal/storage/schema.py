"""The SQLite file of an index: its tables, how it is created and opened, its errors, and the lock of the writer.

Every write is one transaction and one *generation*. A document is *born* in the generation that added it and *died*
in the one that deleted or replaced it; its row stays until the index is compacted, so that readers of an older
generation still see it. The operating system releases the lock when the writer dies.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from epochal.errors import EpochalError, IndexLockedError, StorageError
from epochal.files import measure_age
from epochal.storage.field_table import TABLE

#: The name of the SQLite file inside the folder of an index.
FILE: Final = "epochal.db"
#: The version of the tables; a file of another version is refused.
FORMAT: Final = 1
#: The same tables without vectors: these are made from the texts, see `epochal.storage.making`.
MADE_FORMAT: Final = 2
#: The value of `died` for documents that are not deleted.
NEVER: Final = 2**63 - 1
#: A passage's id is the `seq` of its document, shifted by this many bits, plus its ordinal in the document: so passages
#: are sorted by document without an index.
ORDINAL_BITS: Final = 20

#: How long a statement waits for a statement of another process.
BUSY_MS: Final = 30_000

_APPLICATION: Final = 0x45504F43  # EPOC
_PAGE: Final = 8192  # holds five vectors of 384 numbers with little waste

_TABLES: Final = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    born INTEGER NOT NULL,
    died INTEGER NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    published BLOB,
    valid BLOB,
    series TEXT,
    meta TEXT NOT NULL,
    hash BLOB NOT NULL
);
CREATE UNIQUE INDEX documents_id ON documents (id, died);
CREATE INDEX documents_died ON documents (died) WHERE died < {NEVER};
CREATE TABLE passages (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (seq),
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL,
    datings BLOB NOT NULL
);
CREATE TABLE vectors (id INTEGER PRIMARY KEY REFERENCES passages (id), key BLOB NOT NULL, vector BLOB NOT NULL);
CREATE INDEX vectors_key ON vectors (key);
"""


@dataclass(frozen=True, slots=True)
class State:
    """The metadata of the file: the last generation, that up to which deleted documents were purged, the encoder."""

    generation: int
    floor: int
    encoder_name: str
    dim: int
    #: The generation for which the table of metadata values is complete; -1 where there is none.
    fields: int = -1
    #: See `epochal.storage.identity`; empty until the first write by a version that has it.
    identity: str = ""
    #: Whether vectors are not stored with the documents, but made from their texts.
    is_made: bool = False


def create(folder: Path, encoder_name: str, dim: int, *, is_made: bool = False) -> None:
    """Create an empty index in a folder, which may be missing, atomically."""
    _check_path(folder)
    with wrap_errors(folder, "made"):
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / FILE).exists():
            raise StorageError(f"{str(folder)!r} holds an index already; open it, or choose another folder")
        temporary = temporary_file(folder)
        connection = sqlite3.connect(temporary, isolation_level=None)
        try:
            connection.execute(f"PRAGMA page_size = {_PAGE}")
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {MADE_FORMAT if is_made else FORMAT}")
            connection.execute("PRAGMA synchronous = FULL")
            connection.executescript(f"BEGIN; {_TABLES} {TABLE} COMMIT;")
            values = {
                "generation": 0,
                "floor": 0,
                "next": 1,
                "encoder": encoder_name,
                "dim": dim,
                "fields": 0,
                "identity": os.urandom(16).hex(),
                "made": int(is_made),
            }
            connection.executemany("INSERT INTO meta VALUES (?, ?)", values.items())
            connection.execute("PRAGMA journal_mode = WAL")  # is written into the file
        finally:
            connection.close()
        place_file(temporary, folder)


#: What an interrupted attempt left is removed after so many seconds; before that, another process may be at it.
_ABANDONED: Final = 3600
#: What the name of a new file has before a part of its own; earlier versions had one name for all.
_OWN: Final = ".new-by-"


def temporary_file(folder: Path) -> Path:
    """The path under which a new file is built before it is renamed; removes what interrupted attempts left there."""
    for rest in folder.glob(f"{FILE}.new*"):
        with suppress(OSError):
            if _OWN not in rest.name or measure_age(rest.stat().st_mtime) > _ABANDONED:
                rest.unlink()
    return folder / f"{FILE}{_OWN}{os.urandom(8).hex()}"


def place_file(temporary: Path, folder: Path) -> None:
    """Give a new file its name, unless another process was first."""
    try:
        os.link(temporary, folder / FILE)
    except FileExistsError:
        raise StorageError(f"{str(folder)!r} holds an index already; open it, or choose another folder") from None
    except OSError:  # a file system without hard links
        os.replace(temporary, folder / FILE)
    finally:
        temporary.unlink(missing_ok=True)


def _check_path(folder: Path) -> None:
    if any("\ud800" <= sign <= "\udfff" for sign in str(folder)):
        raise StorageError(f"the path {str(folder)!r} is not UTF-8; rename the folder")
    if "\0" in str(folder):
        raise StorageError(f"the path {str(folder)!r} has the character NUL, which no path has")


def connect(folder: Path, *, write: bool = False) -> sqlite3.Connection:
    """Open the file, which must be an index of this format."""
    file = folder / FILE
    _check_path(folder)
    with wrap_errors(folder, "opened"):
        if not file.is_file():
            raise StorageError(f"{str(folder)!r} is not an index: it holds no file {FILE}")
        connection = _open_connection(file, "rw" if write or _is_writable(folder) else "ro", folder)
        try:
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if application != _APPLICATION:
                raise StorageError(f"{str(file)!r} is not an index of Epochal, but some other SQLite file")
            if version not in (FORMAT, MADE_FORMAT):
                raise StorageError(
                    f"{str(folder)!r} is an index of format {version}, but this version of Epochal reads formats "
                    f"{FORMAT} and {MADE_FORMAT}; export it with the version that made it"
                )
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA wal_autocheckpoint = 4096")
            connection.execute(f"PRAGMA journal_size_limit = {64 << 20}")
            connection.execute("PRAGMA cache_size = -65536")
        except (sqlite3.Error, StorageError):
            connection.close()
            raise
    return connection


def _open_connection(file: Path, mode: str, folder: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(file.resolve()))}?mode={mode}"
    # On a read-only disk SQLite cannot create its shared-memory file; then there is no writer either, unless one has
    # left a log.
    if mode == "ro" and not measure_log(folder):
        address += "&immutable=1"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_MS / 1000)


def measure_log(folder: Path) -> int:
    """The size of SQLite's log, in bytes."""
    log = folder / f"{FILE}-wal"
    return log.stat().st_size if log.exists() else 0


def merge_log(connection: sqlite3.Connection) -> None:
    """Merge SQLite's log into the file, so that damage to the log loses nothing.

    Readers of an older snapshot keep it from being emptied; the last to close the index does it then.
    """
    connection.execute("PRAGMA busy_timeout = 0")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")


def count_pages(connection: sqlite3.Connection) -> tuple[int, int]:
    """How many pages of the file are free, and how many it has."""
    (free,), (total,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("freelist_count", "page_count"))
    return int(free), int(total)


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and os.access(folder / FILE, os.W_OK)


def read_next(connection: sqlite3.Connection) -> int:
    """The number that the next document gets."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'next'").fetchone()
    if found is None or not isinstance(found[0], int):
        raise StorageError("the file epochal.db is damaged: the number of the next document is missing")
    return int(found[0])


def read_state(connection: sqlite3.Connection) -> State:
    """The metadata of the file, as the connection sees it."""
    values = dict(connection.execute("SELECT key, value FROM meta"))
    generation = int(values["generation"])
    if not 0 <= generation < NEVER:
        raise StorageError(f"the file epochal.db is damaged: its last write has the number {generation}")
    return State(
        generation,
        int(values["floor"]),
        str(values["encoder"]),
        int(values["dim"]),
        int(values.get("fields", -1)),
        str(values.get("identity", "")),
        bool(values.get("made", 0)),
    )


_CAUSES: Final = (
    ("is full", "the disk is full"),
    ("readonly", "it cannot be written to"),
    ("read-only", "it cannot be written to"),
    ("unable to open", "the file cannot be opened"),
    ("not a database", "its file epochal.db is damaged"),
    ("malformed", "its file epochal.db is damaged; restore a backup"),
    ("locked", "another program holds it"),
    ("disk I/O", "the disk does not answer as it should"),
)


#: Actions with values of the caller, whose mistakes are not those of the file.
_GIVEN: Final = ("written", "made")


@contextmanager
def wrap_errors(folder: Path, action: str) -> Iterator[None]:
    """Turn errors of SQLite, the file system and unreadable rows into one sentence that names the index."""
    try:
        yield
    except EpochalError:
        raise
    except sqlite3.Error as error:
        reason = next((cause for marker, cause in _CAUSES if marker in str(error)), str(error))
        raise StorageError(f"the index {str(folder)!r} cannot be {action}: {reason}") from error
    except OSError as error:
        # Errors of tantivy carry the message of the system, but not its number.
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or "No space left" in str(error)
        reason = "the disk is full" if full else error.strerror or str(error)
        raise StorageError(f"the index {str(folder)!r} cannot be {action}: {reason}") from error
    except (ValueError, KeyError, TypeError, struct.error) as error:
        if action in _GIVEN:
            raise
        raise StorageError(
            f"the index {str(folder)!r} cannot be {action}: its file epochal.db holds what cannot be read ({error!r}); "
            f"run `epochal check`, or restore a backup"
        ) from error


_WRITER: Final = "writer.lock"
_REPAIR: Final = "mender.lock"
#: How long to wait for another process that repairs the derived files; a rebuild of a large index takes minutes.
_REPAIR_SECONDS: Final = 900.0


class WriterLock:
    """The lock of the one writer. Its files are empty SQLite databases, which lock alike on every system.

    A second writer is refused at once. Whoever repairs derived files, or has just become the writer and is about to,
    holds a second lock as well, so that others wait for it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: sqlite3.Connection | None = None
        self._repairer: sqlite3.Connection | None = None

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._writer is not None

    def acquire(self, *, to_repair: bool = False) -> None:
        """Take the lock, after any repairs of others; raises `IndexLockedError` if another writer holds it.

        With `to_repair`, others wait for `end_repair` before they look at the derived files.
        """
        if self._writer is not None:
            return
        # Locks are released again unless all were taken, also where the disk is full half-way.
        with ExitStack() as stack:
            repairer = self._try_lock(stack, _REPAIR, _REPAIR_SECONDS)
            writer = None if repairer is None else self._try_lock(stack, _WRITER, 0)
            if writer is None:
                raise IndexLockedError(
                    f"another writer has the index {str(self._folder)!r}; close it, or wait until it is done"
                )
            stack.pop_all()
        self._writer, self._repairer = writer, repairer
        if not to_repair:
            self.end_repair()

    def end_repair(self) -> None:
        """Let others repair, once the derived files are sound; the writer keeps its own lock."""
        if self._repairer is not None:
            self._repairer.close()
            self._repairer = None

    def _try_lock(self, stack: ExitStack, name: str, seconds: float) -> sqlite3.Connection | None:
        connection = lock_file(self._folder, name, seconds)
        if connection is not None:
            stack.callback(connection.close)
        return connection

    def release(self) -> None:
        """Release the lock, if it is held."""
        for connection in (self._writer, self._repairer):
            if connection is not None:
                connection.close()
        self._writer = self._repairer = None


def lock_file(folder: Path, name: str, seconds: float) -> sqlite3.Connection | None:
    """A connection that holds the lock of a file of an index; None if another process holds it for so long."""
    file = folder / name
    # SQLite would open the file for reading, and lock what nobody can write.
    if not os.access(file if file.exists() else folder, os.W_OK):
        raise StorageError(f"the index {str(folder)!r} cannot be written: it may only be read")
    if file.exists() and not file.is_file():
        raise StorageError(f"the index {str(folder)!r} cannot be written: {name} is no file; remove it")
    with wrap_errors(folder, "written"):
        try:
            return _connect_locked(file, seconds)
        except sqlite3.DatabaseError as error:
            if "not a database" not in str(error):
                raise
            # The file is empty by rights. Nobody holds it: a lock is refused before the file is read.
            os.truncate(file, 0)
            return _connect_locked(file, seconds)


def _connect_locked(file: Path, seconds: float) -> sqlite3.Connection | None:
    connection = sqlite3.connect(file, isolation_level=None, timeout=seconds, check_same_thread=False)
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        connection.close()
        if "locked" not in str(error):
            raise
        return None
    return connection
