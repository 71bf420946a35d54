"""The embedded index: a folder with the truth in SQLite, and beside it what is derived from it."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, StorageError
from epochal.index.derived import Derived
from epochal.index.lock import WriterLock
from epochal.index.records import Entry
from epochal.index.schema import BUSY_MS, FILE, NEVER, State, connect, create, reporting, state, unfinished_file
from epochal.index.snapshot import chunks
from epochal.index.view import EmbeddedView
from epochal.index.writer import check_entries, insert, mark_dead, purge

__all__ = ["Store"]

#: Once this many documents are dead, and more than half of all, a write ends with their removal.
_MANY_DEAD = 10_000


class Store:
    """An index in a folder. Any number of processes may read it, and one at a time may write.

    The first write takes the lock of the writer and keeps it until the store is closed; `write=True` takes it at once.

    >>> import tempfile
    >>> from epochal.index.records import Document, Passage
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Store.create(folder) as store:
    ...         store.add([Entry(Document("p1", "Tariffs rise."), (Passage(0, 13),))])
    ...     with Store.open(folder) as store:
    ...         store.view().document("p1").text
    1
    'Tariffs rise.'
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self._folder = folder
        self._connection: sqlite3.Connection | None = connection
        self._state: State = state(connection)
        self._lock = WriterLock(folder)
        self._guard = threading.RLock()
        self._derived = Derived(folder)
        self._bulk = 0

    # ---------------------------------------------------------------- opening and closing

    @classmethod
    def create(cls, path: str | os.PathLike[str], encoder_name: str = "", dim: int = 0) -> Store:
        """Make a new index, and open it for writing. Vectors will have `dim` numbers; 0 is for an index without.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder, "static", 256) as store:
        ...     store.encoder_name, store.dim
        ('static', 256)
        """
        if dim < 0 or bool(dim) != bool(encoder_name):
            raise EpochalError(
                f"an encoder goes with the length of its vectors, and none with 0, but {encoder_name!r} with {dim} "
                f"was given"
            )
        create(Path(path), encoder_name, dim)
        return cls.open(path, write=True)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, write: bool = False) -> Store:
        """Open an index. Derived files that are damaged, missing or behind the truth are mended; see `repairs`.

        >>> Store.open("nowhere")
        Traceback (most recent call last):
        ...
        epochal.errors.StorageError: 'nowhere' is not an index: it holds no file epochal.db
        """
        connection = connect(Path(path))
        folder = Path(path).absolute()  # is looked into later, from wherever that may be
        store = None
        try:
            with reporting(folder, "opened"):
                store = cls(folder, connection)
            if write:
                store._lock.acquire()
            store._derived.mend(connection, store._lock)
        except BaseException:
            connection.close()
            if store is not None:
                store._lock.release()
            raise
        return store

    def close(self) -> None:
        """Let go of the files and of the writer's lock. Views that were taken can still be read.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store.create(folder)
        ...     store.close()
        ...     store.close()
        """
        with self._guard:
            self._derived.forget_view()
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {str(self._folder)!r}>"

    @property
    def path(self) -> Path:
        """The folder.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
        ...     store.path == Path(folder).absolute()
        True
        """
        return self._folder

    @property
    def repairs(self) -> list[str]:
        """What was found wrong with the derived files, or behind the truth, and mended: a sentence each.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
        ...     store.repairs
        []
        """
        return list(self._derived.repairs)

    @property
    def encoder_name(self) -> str:
        """The encoder of the vectors; empty where there are none.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
        ...     store.encoder_name
        ''
        """
        return self._state.encoder_name

    @property
    def dim(self) -> int:
        """The length of a vector; 0 where there are none.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
        ...     store.dim
        0
        """
        return self._state.dim

    # ---------------------------------------------------------------- writing

    def add(self, entries: Sequence[Entry]) -> int:
        """Store documents, in place of those with the same ids; returns how many. One wrong entry stores nothing.

        >>> import tempfile
        >>> from epochal.index.records import Document, Passage
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
        ...     store.add([Entry(Document(name, "Tariffs rise."), (Passage(0, 13),)) for name in ("p1", "p2")])
        2
        """
        entries = list(entries)
        check_entries(entries, self.dim)
        if entries:
            with self._writing() as connection:
                insert(connection, entries)
            self._follow(f"{len(entries):,} documents are stored")
        return len(entries)

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents; returns how many there were. Unknown ids are passed over.

        >>> import tempfile
        >>> from epochal.index.records import Document
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
        ...     store.add([Entry(Document("p1", "Tariffs rise."), ())])
        ...     store.delete(["p1", "p2"])
        1
        1
        """
        if isinstance(ids, str):
            raise EpochalError(f"delete takes a list of ids, but {ids!r} is a single text; write [{ids!r}]")
        with self._writing() as connection:
            count = mark_dead(connection, ids)
        if count:
            self._follow(f"{count:,} documents are deleted")
        return count

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Many writes whose documents are found by searches only once the context ends; each is safe at once.

        >>> import tempfile
        >>> from epochal.index.records import Document
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
        ...     with store.bulk():
        ...         for number in range(3):
        ...             _ = store.add([Entry(Document(f"p{number}", "Tariffs rise."), ())])
        ...     store.view().document_count
        3
        """
        self._bulk += 1
        try:
            yield
        finally:
            self._bulk -= 1
            if self._connection is not None and self._lock.is_held:
                self._follow("all documents are stored")

    def compact(self) -> None:
        """Remove what deleted and replaced documents have left behind, in the truth and in what is derived.

        >>> import tempfile
        >>> from epochal.index.records import Document
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
        ...     store.add([Entry(Document("p1", "Tariffs rise."), ())])
        ...     store.delete(["p1"])
        ...     store.compact()
        1
        1
        """
        self._purge()
        with self._writing() as connection:
            connection.execute("VACUUM")
            # Readers of an older moment keep the log from being cut; whoever closes the index last does it then.
            connection.execute("PRAGMA busy_timeout = 0")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the truth as it is now into a new folder; the rest is derived when the copy is opened.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "news") as store:
        ...     store.backup(Path(folder) / "copy")
        ...     Store.open(Path(folder) / "copy").close()
        """
        target = Path(path)
        with reporting(target, "made"):
            target.mkdir(parents=True, exist_ok=True)
            if (target / FILE).exists():
                raise StorageError(f"{str(target)!r} holds an index already; choose another folder for the backup")
            unfinished = unfinished_file(target)
            copy = sqlite3.connect(unfinished, isolation_level=None)
            try:
                with self._guard:
                    self._open_connection().backup(copy)
                copy.execute("PRAGMA journal_mode = WAL")
            finally:
                copy.close()
            os.replace(unfinished, target / FILE)

    # ---------------------------------------------------------------- reading

    def view(self) -> EmbeddedView:
        """The present state; the same view while nothing has changed.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
        ...     store.view() is store.view()
        True
        """
        with self._guard:
            return self._derived.view(self._open_connection(), self._lock)

    def known_vectors(self, keys: Sequence[bytes]) -> dict[bytes, npt.NDArray[np.float32]]:
        """The stored vectors of those keys (see `Entry.keys`) that are known.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
        ...     store.known_vectors([b"key"])
        {}
        """
        found: dict[bytes, npt.NDArray[np.float32]] = {}
        with self._guard, reporting(self._folder, "read"):
            for run in chunks(list(dict.fromkeys(keys))):
                marks = ",".join("?" * len(run))
                statement = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"
                for key, vector in self._open_connection().execute(statement, run):
                    found.setdefault(key, np.frombuffer(vector, dtype="<f4"))
        return found

    def content_hashes(self, ids: Sequence[str]) -> dict[str, bytes]:
        """`Document.content_hash()` of those ids that are stored: what an interrupted import need not add again.

        >>> import tempfile
        >>> from epochal.index.records import Document
        >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
        ...     store.add([Entry(Document("p1", "Tariffs rise."), ())])
        ...     store.content_hashes(["p1", "p2"]) == {"p1": Document("p1", "Tariffs rise.").content_hash()}
        1
        True
        """
        found: dict[str, bytes] = {}
        with self._guard, reporting(self._folder, "read"):
            for run in chunks(list(dict.fromkeys(ids))):
                marks = ",".join("?" * len(run))
                statement = f"SELECT id, hash FROM documents WHERE died = {NEVER} AND id IN ({marks})"
                found.update(self._open_connection().execute(statement, run).fetchall())
        return found

    # ---------------------------------------------------------------- inside

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StorageError(f"the index {str(self._folder)!r} is closed; open it again")
        return self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._guard:
            connection = self._open_connection()
            if not self._lock.is_held:
                self._lock.acquire()
                self._derived.mend(connection, self._lock)
            self._derived.forget_view()
            with reporting(self._folder, "written"):
                yield connection

    def _follow(self, done: str) -> None:
        """Bring the derived files up to what was just written, unless that is put off."""
        if self._bulk:
            return
        with self._guard:
            try:
                with reporting(self._folder, "searched for them yet"):
                    manifest = self._derived.catch_up(self._open_connection())
            except StorageError as error:
                raise StorageError(f"{done}, but {error}; the next write makes up for it") from error
            if manifest.rows("dead") > max(_MANY_DEAD, manifest.rows("documents.seq") // 2):
                self._purge()

    def _purge(self) -> None:
        with self._writing() as connection:
            # Readers that have the present list must find all that it calls alive, so the list is brought up first.
            manifest = self._derived.catch_up(connection)
            if manifest.rows("dead"):
                purge(connection, manifest.generation)
                self._derived.catch_up(connection)
