"""The embedded store: a folder with a SQLite document database and the files derived from it.

`Store` reads and writes; `Derived` checks, updates and rebuilds the derived files of one process.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, IndexLockedError, StorageError
from epochal.storage.building import update_derived
from epochal.storage.columns import (
    FOLDER,
    OUTDATED,
    Extent,
    Manifest,
    column_path,
    describe_damage,
    find_damage,
    read_manifest,
)
from epochal.storage.documents import Snapshot, check_entries, insert, mark_dead, purge, split_chunks
from epochal.storage.records import Entry
from epochal.storage.schema import (
    BUSY_MS,
    FILE,
    NEVER,
    State,
    WriterLock,
    connect,
    create,
    state,
    unfinished_file,
    wrap_errors,
)
from epochal.storage.view import EmbeddedView

__all__ = ["Derived", "Store", "find_problems", "list_files"]


_TRIES: Final = 100


def list_files(index: Path, manifest: Manifest) -> dict[Path, Extent]:
    """All files of a manifest."""
    folder = index / FOLDER / manifest.folder
    files = {column_path(folder, name): extent for name, extent in manifest.columns.items()}
    files.update({folder / manifest.words / name: extent for name, extent in manifest.word_files.items()})
    return files


def find_problems(index: Path, manifest: Manifest, known: dict[Path, Extent]) -> list[str]:
    """What is wrong with the derived files, in words. Files found sound are put into `known`."""
    unsure = {path: extent for path, extent in list_files(index, manifest).items() if known.get(path) != extent}
    with ThreadPoolExecutor(max_workers=4) as pool:  # checksums are computed without holding up other threads
        found = list(pool.map(lambda item: find_damage(item[0], item[1], known.get(item[0])), unsure.items()))
    known.update({path: extent for (path, extent), wrong in zip(unsure.items(), found, strict=True) if wrong is None})
    return [wrong for wrong in found if wrong is not None]


class Derived:
    """The derived files of an index."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, Extent] = {}
        self._listed = b""
        self._view: EmbeddedView | None = None
        #: What was found wrong or behind, and mended: a sentence each.
        self.repairs: list[str] = []

    def forget_view(self) -> None:
        """Let go of the present view, whose moment of the truth would make the writer's log grow."""
        self._view = None

    def update_derived(self, connection: sqlite3.Connection, *, anew: bool = False) -> Manifest:
        """Bring the files, which were found sound, up to the truth, or build them anew; only the writer may."""
        self._view = None
        present = None if anew else Manifest.from_bytes(read_manifest(self._folder))
        manifest, _ = update_derived(self._folder, connection, present)
        # What this process wrote itself need not be read again to be trusted.
        self._known = list_files(self._folder, manifest)
        return manifest

    def mend(self, connection: sqlite3.Connection, lock: WriterLock) -> None:
        """Check all files, and build or bring up what is damaged or behind, as the writer if there is no other."""
        manifest, wrong = self._examined()
        if manifest is not None and not wrong and not self._is_behind(manifest, connection):
            return
        was_held = lock.is_held
        try:
            lock.acquire(to_mend=True)
        except StorageError as error:
            if isinstance(error, IndexLockedError):
                manifest, wrong = self._examined()  # the other may just have mended it
            if manifest is not None and not wrong:
                return  # what was true before the last writes is still served
            raise type(error)(f"the derived files must be built anew ({wrong[0]}), but {error}") from error
        try:
            self._mend(connection)
        finally:
            if not was_held:
                lock.release()

    def _mend(self, connection: sqlite3.Connection) -> None:
        manifest, wrong = self._examined()
        fresh = manifest is None and not (self._folder / FOLDER).exists()
        behind = manifest is not None and self._is_behind(manifest, connection)
        if manifest is not None and not wrong and not behind:
            return  # another has mended it meanwhile
        try:
            with wrap_errors(self._folder, "brought up to date"):
                self.update_derived(connection, anew=bool(wrong))
        except StorageError as error:
            if manifest is None or wrong:
                raise
            self.repairs.append(f"the last writes are not found by searches yet: {error}")
            return
        if wrong == [OUTDATED]:
            self.repairs.append("the derived files were of another version and were built anew")
        elif wrong and not fresh:
            self.repairs.append(f"the derived files were damaged ({'; '.join(wrong)}) and were built anew")
        elif behind:
            self.repairs.append("the derived files were behind the truth and were brought up to it")

    def view(self, connection: sqlite3.Connection, lock: WriterLock) -> EmbeddedView:
        """The present state; the same view while nothing has changed."""
        for _ in range(_TRIES):
            listed = read_manifest(self._folder)
            if self._view is not None and listed == self._listed:
                return self._view
            manifest = Manifest.from_bytes(listed)
            if manifest is None or find_problems(self._folder, manifest, self._known):
                if read_manifest(self._folder) == listed:
                    self.mend(connection, lock)
                continue
            view = self._view_of(manifest)
            if view is not None:
                self._known = list_files(self._folder, manifest)
                self._view, self._listed = view, listed
                return view
        raise StorageError(f"the index {str(self._folder)!r} changes faster than it can be read; try again")

    def _view_of(self, manifest: Manifest) -> EmbeddedView | None:
        """A view of sound files; None when they were replaced meanwhile."""
        snapshot = Snapshot(self._folder)
        # Documents that the manifest calls alive may have been purged since, and those of a newer one are not there.
        if not snapshot.state.floor <= manifest.generation <= snapshot.state.generation:
            snapshot.close()
            return None
        try:
            return EmbeddedView(self._folder, manifest, snapshot)
        except OSError:
            snapshot.close()
            if Manifest.from_bytes(read_manifest(self._folder)) == manifest:
                raise
            return None

    def _examined(self) -> tuple[Manifest | None, list[str]]:
        """The present manifest, and what is wrong with it or with its files."""
        for _ in range(_TRIES):
            listed = read_manifest(self._folder)
            manifest = Manifest.from_bytes(listed)
            wrong = (
                [describe_damage(listed)] if manifest is None else find_problems(self._folder, manifest, self._known)
            )
            if not wrong or read_manifest(self._folder) == listed:
                break
        return manifest, wrong

    def _is_behind(self, manifest: Manifest, connection: sqlite3.Connection) -> bool:
        with wrap_errors(self._folder, "opened"):
            truth = state(connection)
        return manifest.generation < truth.generation or manifest.floor != truth.floor


#: Once this many documents are dead, and more than half of all, a write ends with their removal.
_MANY_DEAD = 10_000


class Store:
    """An index in a folder. Any number of processes may read it, and one at a time may write.

    The first write takes the lock of the writer and keeps it until the store is closed; `write=True` takes it at once.
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
        """Make a new index, and open it for writing. Vectors will have `dim` numbers; 0 is for an index without."""
        if dim < 0 or bool(dim) != bool(encoder_name):
            raise EpochalError(
                f"an encoder goes with the length of its vectors, and none with 0, but {encoder_name!r} with {dim} "
                f"was given"
            )
        create(Path(path), encoder_name, dim)
        return cls.open(path, write=True)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, write: bool = False) -> Store:
        """Open an index. Derived files that are damaged, missing or behind the truth are mended; see `repairs`."""
        connection = connect(Path(path))
        folder = Path(path).absolute()  # is looked into later, from wherever that may be
        store = None
        try:
            with wrap_errors(folder, "opened"):
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
        """Let go of the files and of the writer's lock. Views that were taken can still be read."""
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
        """The folder."""
        return self._folder

    @property
    def repairs(self) -> list[str]:
        """What was found wrong with the derived files, or behind the truth, and mended: a sentence each."""
        return list(self._derived.repairs)

    @property
    def encoder_name(self) -> str:
        """The encoder of the vectors; empty where there are none."""
        return self._state.encoder_name

    @property
    def dim(self) -> int:
        """The length of a vector; 0 where there are none."""
        return self._state.dim

    # ---------------------------------------------------------------- writing

    def add(self, entries: Sequence[Entry]) -> int:
        """Store documents, in place of those with the same ids; returns how many. One wrong entry stores nothing."""
        entries = list(entries)
        check_entries(entries, self.dim)
        if entries:
            with self._writing() as connection:
                insert(connection, entries)
            self._follow(f"{len(entries):,} documents are stored")
        return len(entries)

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents; returns how many there were. Unknown ids are passed over."""
        if isinstance(ids, str):
            raise EpochalError(f"delete takes a list of ids, but {ids!r} is a single text; write [{ids!r}]")
        with self._writing() as connection:
            count = mark_dead(connection, ids)
        if count:
            self._follow(f"{count:,} documents are deleted")
        return count

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Many writes whose documents are found by searches only once the context ends; each is safe at once."""
        self._bulk += 1
        try:
            yield
        finally:
            self._bulk -= 1
            if self._connection is not None and self._lock.is_held:
                self._follow("all documents are stored")

    def compact(self) -> None:
        """Remove what deleted and replaced documents have left behind, in the truth and in what is derived."""
        self._purge()
        with self._writing() as connection:
            connection.execute("VACUUM")
            # Readers of an older moment keep the log from being cut; whoever closes the index last does it then.
            connection.execute("PRAGMA busy_timeout = 0")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the truth as it is now into a new folder; the rest is derived when the copy is opened."""
        target = Path(path)
        with wrap_errors(target, "made"):
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
        """The present state; the same view while nothing has changed."""
        with self._guard:
            return self._derived.view(self._open_connection(), self._lock)

    def known_vectors(self, keys: Sequence[bytes]) -> dict[bytes, npt.NDArray[np.float32]]:
        """The stored vectors of those keys (see `Entry.keys`) that are known."""
        found: dict[bytes, npt.NDArray[np.float32]] = {}
        with self._guard, wrap_errors(self._folder, "read"):
            for run in split_chunks(list(dict.fromkeys(keys))):
                marks = ",".join("?" * len(run))
                statement = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"
                for key, vector in self._open_connection().execute(statement, run):
                    found.setdefault(key, np.frombuffer(vector, dtype="<f4"))
        return found

    def content_hashes(self, ids: Sequence[str]) -> dict[str, bytes]:
        """`Document.content_hash()` of those ids that are stored: what an interrupted import need not add again."""
        found: dict[str, bytes] = {}
        with self._guard, wrap_errors(self._folder, "read"):
            for run in split_chunks(list(dict.fromkeys(ids))):
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
            with wrap_errors(self._folder, "written"):
                yield connection

    def _follow(self, done: str) -> None:
        """Bring the derived files up to what was just written, unless that is put off."""
        if self._bulk:
            return
        with self._guard:
            try:
                with wrap_errors(self._folder, "searched for them yet"):
                    manifest = self._derived.update_derived(self._open_connection())
            except StorageError as error:
                raise StorageError(f"{done}, but {error}; the next write makes up for it") from error
            if manifest.rows("dead") > max(_MANY_DEAD, manifest.rows("documents.seq") // 2):
                self._purge()

    def _purge(self) -> None:
        with self._writing() as connection:
            # Readers that have the present list must find all that it calls alive, so the list is brought up first.
            manifest = self._derived.update_derived(connection)
            if manifest.rows("dead"):
                purge(connection, manifest.generation)
                self._derived.update_derived(connection)
