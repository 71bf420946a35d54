"""The embedded store: a folder with a SQLite document database and the files derived from it.

`Store` reads and writes; `Derived` checks, updates and rebuilds the derived files of one process.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import IndexLockedError, IndexReplacedError, StorageError
from epochal.storage.acknowledged import Loss, describe_loss, find_losses, record_writes
from epochal.storage.building import is_few, update_derived
from epochal.storage.columns import (
    FOLDER,
    OUTDATED,
    DerivedManifest,
    Extent,
    column_path,
    describe_damage,
    find_damage,
    read_manifest,
)
from epochal.storage.documents import Snapshot, check_entries, delete_documents, insert, purge, split_chunks
from epochal.storage.identity import FileKey, connect_known, find_mismatch, read_file_key, renew_identity
from epochal.storage.making import is_made
from epochal.storage.pending import select_unchanged
from epochal.storage.protocol import ClosingStore, check_encoder, check_ids
from epochal.storage.records import Entry
from epochal.storage.schema import (
    FILE,
    NEVER,
    State,
    WriterLock,
    count_pages,
    create,
    measure_log,
    merge_log,
    place_file,
    read_state,
    temporary_file,
    wrap_errors,
)
from epochal.storage.vectors import Quantised
from epochal.storage.verified import recall_verified, record_verified
from epochal.storage.view import EmbeddedView

_TRIES: Final = 100
#: So often an index is opened anew while it is read, each time because another took its place.
_SWAPS: Final = 10


def list_files(index: Path, manifest: DerivedManifest) -> dict[Path, Extent]:
    """All files of a manifest."""
    folder = index / FOLDER / manifest.folder
    files = {column_path(folder, name): extent for name, extent in manifest.columns.items()}
    files.update({folder / manifest.words / name: extent for name, extent in manifest.word_files.items()})
    return files


def find_problems(index: Path, manifest: DerivedManifest, verified: dict[Path, Extent]) -> list[str]:
    """Describe what is wrong with the derived files. Intact files are added to `verified`."""
    unverified = {path: extent for path, extent in list_files(index, manifest).items() if verified.get(path) != extent}
    if not unverified:
        return []
    from concurrent.futures import ThreadPoolExecutor  # takes a while to import, and most openings need it not

    with ThreadPoolExecutor(max_workers=4) as pool:  # checksums are computed without holding up other threads
        damage = list(
            pool.map(
                # Columns may have rows of a write that is under way; files of words never change.
                lambda item: find_damage(
                    item[0], item[1], verified.get(item[0]), is_whole=item[0].parent.name == manifest.words
                ),
                unverified.items(),
            )
        )
    verified.update(item for item, problem in zip(unverified.items(), damage, strict=True) if problem is None)
    return [problem for problem in damage if problem is not None]


class Derived:
    """The derived files of an index, made from the document database in `file`.

    Without `repairs_files` nothing is written: damaged files are an error. With `trusts_records`, files that were
    verified before and have not changed are not read again.
    """

    def __init__(self, folder: Path, file: FileKey, *, repairs_files: bool = True, trusts_records: bool = True) -> None:
        self._folder = folder
        self._trusts_records = trusts_records
        self._file = file
        self._repairs_files = repairs_files
        self._verified: dict[Path, Extent] = {}
        self._data = b""
        self._view: EmbeddedView | None = None
        #: What the last view had quantised: after a write, few vectors are new.
        self._quantised: tuple[str, Quantised] | None = None
        #: A manifest whose files are what was written, but cannot be opened; and why.
        self._refused: tuple[bytes, str] = (b"", "")
        #: What was repaired, a sentence each.
        self.repairs: list[str] = []

    def release_view(self) -> None:
        """Release the current view, whose snapshot would make the write-ahead log grow."""
        if self._view is not None:
            self._quantised = self._view.quantised or self._quantised
        self._view = None

    @property
    def is_replaced(self) -> bool:
        """Whether the folder holds another document database now."""
        return read_file_key(self._folder) not in (self._file, None)

    def check_file(self) -> None:
        """Raise an error unless the folder still holds the document database: nothing is derived from another one."""
        file = read_file_key(self._folder)
        if file is None:
            raise StorageError(f"{str(self._folder)!r} is not an index any more: it holds no file {FILE}")
        if file != self._file:
            raise IndexReplacedError(
                f"the index {str(self._folder)!r} was replaced by another while it was open; open it again"
            )

    def update_derived(self, connection: sqlite3.Connection, *, rebuild: bool = False) -> DerivedManifest:
        """Update intact files from the document database, or rebuild them; for the writer only."""
        self.release_view()
        self.check_file()
        current = None if rebuild else DerivedManifest.from_bytes(read_manifest(self._folder))
        manifest, _ = update_derived(self._folder, connection, current)
        # Files that this process wrote need not be verified.
        self._verified = list_files(self._folder, manifest)
        return manifest

    def repair(self, connection: sqlite3.Connection, lock: WriterLock) -> None:
        """Check all files, and rebuild or update them where needed and no other writer holds the lock."""
        self.check_file()
        manifest, damage = self._inspect(connection)
        if manifest is not None and not damage and not self._is_behind(manifest, connection):
            return
        if not self._repairs_files:
            raise StorageError(f"the derived files must be rebuilt: {'; '.join(damage)}")
        was_held = lock.is_held
        try:
            lock.acquire(to_repair=True)
        except StorageError as error:
            if isinstance(error, IndexLockedError):
                manifest, damage = self._inspect(connection)  # the other may just have repaired it
            if manifest is not None and not damage:
                return  # the state before the last writes is served
            raise type(error)(f"the derived files must be rebuilt ({damage[0]}), but {error}") from error
        try:
            self._repair(connection)
        finally:
            if not was_held:
                lock.release()

    def _repair(self, connection: sqlite3.Connection) -> None:
        with wrap_errors(self._folder, "read"):
            record_writes(self._folder, connection)  # the derived files may be all that knows of a loss
        manifest, damage = self._inspect(connection)
        is_new = manifest is None and not (self._folder / FOLDER).exists()
        is_behind = manifest is not None and self._is_behind(manifest, connection)
        if manifest is not None and not damage and not is_behind:
            return  # another has repaired it meanwhile
        try:
            with wrap_errors(self._folder, "brought up to date"):
                self.update_derived(connection, rebuild=bool(damage))
        except StorageError as error:
            if manifest is None or damage:
                raise
            self.repairs.append(f"the last writes are not found by searches yet: {error}")
            return
        if damage == [OUTDATED]:
            self.repairs.append("the derived files were of another version and were rebuilt")
        elif damage and not is_new:
            self.repairs.append(f"the derived files were damaged ({'; '.join(damage)}) and were rebuilt")
        elif is_behind:
            self.repairs.append("the derived files were behind the document database and were updated")

    def view(self, connection: sqlite3.Connection, lock: WriterLock) -> EmbeddedView:
        """A snapshot of the current state; the same object while nothing has changed."""
        if self._view is not None and read_file_key(self._folder) is None:
            return self._view  # the folder is being swapped
        for _ in range(_TRIES):
            data = read_manifest(self._folder)
            if self._view is not None and self._view.is_cut:
                self._view, self._verified = None, {}
            if self._view is not None and data == self._data:
                return self._view
            manifest = DerivedManifest.from_bytes(data)
            if manifest is None or self._find_problems(manifest):
                if read_manifest(self._folder) == data:
                    self.repair(connection, lock)
                continue
            view = self._open_view(manifest, data)
            if view is not None:
                self._verified = list_files(self._folder, manifest)
                self.release_view()
                view.take_over(self._quantised)
                self._view, self._data = view, data
                return view
            if read_manifest(self._folder) == data:
                self.repair(connection, lock)
        raise StorageError(f"the index {str(self._folder)!r} changes faster than it can be read; try again")

    def _find_problems(self, manifest: DerivedManifest) -> list[str]:
        """`find_problems`, with a record of what is intact."""
        files = list_files(self._folder, manifest)
        if all(self._verified.get(path) == extent for path, extent in files.items()):
            return []
        if self._trusts_records and not self._verified:
            self._verified.update(recall_verified(self._folder, files))
        problems = find_problems(self._folder, manifest, self._verified)
        if not problems and self._trusts_records:
            record_verified(self._folder, files)
        return problems

    def _open_view(self, manifest: DerivedManifest, data: bytes) -> EmbeddedView | None:
        """A view of intact files; None if they were replaced meanwhile, or must be repaired."""
        snapshot = Snapshot(self._folder)
        try:
            self.check_file()  # the snapshot is of the file that is there now
            # Documents of the manifest may have been purged since.
            if snapshot.state.floor <= manifest.generation and not snapshot.find_mismatch(manifest):
                return EmbeddedView(self._folder, manifest, snapshot)
        except OSError as error:
            if read_manifest(self._folder) == data:
                self._refuse(data, str(error))
        except BaseException:
            snapshot.close()
            raise
        snapshot.close()
        return None

    def _refuse(self, data: bytes, reason: str) -> None:
        if self._refused[1] == reason:  # it was rebuilt for that already
            raise StorageError(f"the derived files of {str(self._folder)!r} cannot be opened: {reason}")
        self._refused = data, reason

    def _inspect(self, connection: sqlite3.Connection) -> tuple[DerivedManifest | None, list[str]]:
        """The current manifest, and what is wrong with it or with its files."""
        for _ in range(_TRIES):
            data = read_manifest(self._folder)
            manifest = DerivedManifest.from_bytes(data)
            damage = [describe_damage(data)] if manifest is None else self._find_damage(manifest, data, connection)
            if not damage or read_manifest(self._folder) == data:
                break
        return manifest, damage

    def _find_damage(self, manifest: DerivedManifest, data: bytes, connection: sqlite3.Connection) -> list[str]:
        with wrap_errors(self._folder, "read"):
            mismatch = find_mismatch(manifest, connection)  # read after the manifest, which is never newer then
        if mismatch:
            return [mismatch]
        if self._refused[0] == data:
            return [self._refused[1]]
        return self._find_problems(manifest)

    def _is_behind(self, manifest: DerivedManifest, connection: sqlite3.Connection) -> bool:
        with wrap_errors(self._folder, "opened"):
            state = read_state(connection)
        return manifest.generation < state.generation or manifest.floor != state.floor


#: What an index takes at least on disk: for each byte of text, for each passage, and for each dimension of its vector.
_PER_TEXT: Final = 1.0
_PER_PASSAGE: Final = 100
_PER_DIMENSION: Final = 8
_PER_MADE: Final = 1
#: Bytes of text in a passage, at most, as a rule.
_LONGEST_PASSAGE: Final = 900
#: Deleted documents are purged after a write once they are more than this, and more than half of all.
_MANY_DEAD = 10_000
#: Bytes of SQLite's log after which it is merged into the file at the end of a batch.
_LARGE_LOG: Final = 1 << 20


class Store(ClosingStore):
    """An index in a folder. Any number of processes may read it, and one at a time may write.

    The first write takes the writer's lock and holds it until the store is closed; `write=True` takes it at once.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection, file: FileKey) -> None:
        self._folder = folder
        self._connection: sqlite3.Connection | None = connection
        self._state: State = read_state(connection)
        self._lock = WriterLock(folder)
        self._guard = threading.RLock()
        self._derived = Derived(folder, file)
        self._losses: tuple[Loss, ...] = find_losses(folder, connection)
        self._bulk = 0

    # ---------------------------------------------------------------- opening and closing

    @classmethod
    def create(cls, path: str | os.PathLike[str], encoder_name: str = "", dim: int = 0) -> Store:
        """Create an index and open it for writing. `dim` is the length of its vectors; 0 for an index without any."""
        check_encoder(encoder_name, dim)
        create(Path(path), encoder_name, dim, is_made=is_made(encoder_name))
        return cls.open(path, write=True)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, write: bool = False) -> Store:
        """Open an index. Derived files that are damaged, missing or out of date are repaired; see `repairs`."""
        connection, file = connect_known(Path(path))
        folder = Path(path).absolute()  # the working directory may change
        store = None
        try:
            with wrap_errors(folder, "opened"):
                store = cls(folder, connection, file)
            if write:
                store._become_writer(connection)
            store._derived.repair(connection, store._lock)
            store._lock.end_repair()
        except BaseException:
            connection.close()
            if store is not None:
                store._lock.release()
            raise
        return store

    def close(self) -> None:
        """Close the files and release the writer's lock. Views taken before can still be read."""
        with self._guard:
            self._derived.release_view()
            if self._connection is not None:
                if self._lock.is_held:
                    with suppress(sqlite3.Error):  # every write is durable; the log is only merged into the file
                        merge_log(self._connection)
                self._connection.close()
                self._connection = None
            self._lock.release()

    def __repr__(self) -> str:
        return f"<Store {str(self._folder)!r}>"

    @property
    def path(self) -> Path:
        """The folder."""
        return self._folder

    @property
    def repairs(self) -> list[str]:
        """Acknowledged writes that are missing, and what was repaired in the derived files, a sentence each."""
        return [*map(describe_loss, self._losses), *self._derived.repairs]

    @property
    def encoder_name(self) -> str:
        """The encoder of the vectors; empty where there are none."""
        return self._state.encoder_name

    @property
    def dim(self) -> int:
        """The length of a vector; 0 where there are none."""
        return self._state.dim

    @property
    def makes_vectors(self) -> bool:
        """Whether vectors are made from the texts of documents, and need not be given with them."""
        return self._state.is_made

    # ---------------------------------------------------------------- writing

    def check_space(self, text_bytes: int) -> None:
        """Raise an error where the disk surely has no room for the index of so much text.

        What the index has already is counted as part of it: the same documents may be given again.
        """
        per_vector = self.dim * (_PER_MADE if self.makes_vectors else _PER_DIMENSION)
        needed = text_bytes * _PER_TEXT + text_bytes / _LONGEST_PASSAGE * (_PER_PASSAGE + per_vector)
        for file in self._folder.rglob("*"):
            with suppress(OSError):  # another process may just have removed it
                needed -= file.stat().st_size
        free = shutil.disk_usage(self._folder).free
        if needed > free:
            raise StorageError(
                f"the index {str(self._folder)!r} needs at least {needed / 1e6:,.0f} MB more for these documents, but "
                f"the disk has {free / 1e6:,.0f} MB left; free some, or name a folder on another disk"
            )

    def add(self, entries: Sequence[Entry]) -> int:
        """Store documents, replacing those with the same ids; returns how many. One invalid entry stores nothing."""
        entries = list(entries)
        check_entries(entries, self.dim, is_made=self.makes_vectors)
        if entries:
            with self._write() as connection:
                insert(connection, entries, is_made=self.makes_vectors)
            self._update(f"{len(entries):,} documents are stored")
        return len(entries)

    def add_vectors(self, entries: Sequence[Entry]) -> int:
        """Store the vectors of documents for which some are pending; see `epochal.storage.protocol.AddsVectors`.

        With the last of them, the space of the documents that they replaced is freed, unless these are few.
        """
        entries = list(entries)
        check_entries(entries, self.dim)
        with self._guard, self._borrow_lock():
            current = select_unchanged(self._folder, entries)
            if not current:
                return 0
            with self._write() as connection:
                insert(connection, current)
            manifest = self._update_derived(f"the vectors of {len(current):,} documents are stored")
            if not len(self.view().pending) and not is_few(manifest.rows("dead"), manifest.rows("documents.seq")):
                self._lock.end_repair()  # readers need not wait for this
                self.compact()
        return len(current)

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents; returns how many there were. Unknown ids are ignored."""
        with self._write() as connection:
            count = delete_documents(connection, check_ids(ids))
        if count:
            self._update(f"{count:,} documents are deleted")
        return count

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Delay the update of the derived files until the context ends; each write is still durable at once."""
        self._bulk += 1
        try:
            yield
        finally:
            self._bulk -= 1
            if self._connection is not None and self._lock.is_held:
                self._update("all documents are stored")
                with self._guard, suppress(sqlite3.Error):
                    if measure_log(self._folder) > _LARGE_LOG:
                        merge_log(self._connection)

    def compact(self, *, erase: bool = False) -> None:
        """Free the space of deleted and replaced documents; with `erase`, no file has their words afterwards."""
        self._purge(erase=erase)
        with self._write() as connection:
            if erase or not is_few(*count_pages(connection)):
                connection.execute("VACUUM")
            merge_log(connection)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the document database to a new folder; the rest is derived when the copy is opened."""
        target = Path(path)
        with wrap_errors(target, "made"):
            target.mkdir(parents=True, exist_ok=True)
            if (target / FILE).exists():
                raise StorageError(f"{str(target)!r} holds an index already; choose another folder for the backup")
            temporary = temporary_file(target)
            copy = sqlite3.connect(temporary, isolation_level=None)
            try:
                with self._guard:
                    self._open_connection().backup(copy)
                renew_identity(copy)
                copy.execute("PRAGMA journal_mode = WAL")
            finally:
                copy.close()
            place_file(temporary, target)

    # ---------------------------------------------------------------- reading

    def view(self) -> EmbeddedView:
        """A snapshot of the current state; the same object while nothing has changed."""
        with self._guard:
            for _ in range(_SWAPS):
                connection = self._open_connection()
                if self._derived.is_replaced:
                    connection = self._reopen()
                with suppress(IndexReplacedError):  # between two looks
                    return self._derived.view(connection, self._lock)
            return self._derived.view(self._reopen(), self._lock)

    def get_stored_vectors(self, keys: Sequence[bytes]) -> dict[bytes, npt.NDArray[np.float32]]:
        """The vectors that are stored under some of the keys (see `Entry.keys`)."""
        rows: dict[bytes, npt.NDArray[np.float32]] = {}
        with self._guard, wrap_errors(self._folder, "read"):
            for chunk in split_chunks(list(dict.fromkeys(keys))):
                marks = ",".join("?" * len(chunk))
                statement = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"
                for key, vector in self._open_connection().execute(statement, chunk):
                    rows.setdefault(key, np.frombuffer(vector, dtype="<f4"))
        return rows

    def get_content_hashes(self, ids: Sequence[str]) -> dict[str, bytes]:
        """`Document.content_hash()` of those ids that are stored; an interrupted import skips these documents."""
        rows: dict[str, bytes] = {}
        with self._guard, wrap_errors(self._folder, "read"):
            for chunk in split_chunks(list(dict.fromkeys(ids))):
                marks = ",".join("?" * len(chunk))
                statement = f"SELECT id, hash FROM documents WHERE died = {NEVER} AND id IN ({marks})"
                rows.update(self._open_connection().execute(statement, chunk).fetchall())
        return rows

    # ---------------------------------------------------------------- inside

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StorageError(f"the index {str(self._folder)!r} is closed; open it again")
        return self._connection

    def _reopen(self) -> sqlite3.Connection:
        """Open the index that took the place of this one, which must have vectors of the same encoder."""
        if self._lock.is_held:
            self._derived.check_file()
        connection, file = connect_known(self._folder)
        try:
            with wrap_errors(self._folder, "opened"):
                state = read_state(connection)
            if (state.encoder_name, state.dim) != (self.encoder_name, self.dim):
                raise IndexReplacedError(
                    f"the index {str(self._folder)!r} was replaced by one with other vectors; open it again"
                )
        except BaseException:
            connection.close()
            raise
        repairs = [*self._derived.repairs, "the index was replaced by another while it was open; that one is read now"]
        self._derived.release_view()
        self._open_connection().close()
        self._connection, self._state, self._derived = connection, state, Derived(self._folder, file)
        self._derived.repairs = repairs
        with wrap_errors(self._folder, "read"):
            self._losses = find_losses(self._folder, connection)
        self._derived.repair(connection, self._lock)
        return connection

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._guard:
            connection = self._open_connection()
            if self._derived.is_replaced:
                connection = self._reopen()
            self._derived.check_file()
            if not self._lock.is_held:
                self._become_writer(connection)
                self._derived.repair(connection, self._lock)
                self._lock.end_repair()
            self._derived.release_view()
            with wrap_errors(self._folder, "written"):
                yield connection
            with wrap_errors(self._folder, "read"):
                record_writes(self._folder, connection)

    @contextmanager
    def _borrow_lock(self) -> Iterator[None]:
        """Hold the writer's lock, and release it unless it was held before.

        Meanwhile the lock for repairs is held as well, so that other writers wait for the end and are not refused.
        """
        was_held = self._lock.is_held
        try:
            if not was_held:
                connection = self._reopen() if self._derived.is_replaced else self._open_connection()
                self._become_writer(connection)
                self._derived.repair(connection, self._lock)
            yield
        finally:
            if not was_held:
                self._lock.release()

    def _become_writer(self, connection: sqlite3.Connection) -> None:
        self._lock.acquire(to_repair=True)
        self._derived.check_file()
        with wrap_errors(self._folder, "read"):
            record_writes(self._folder, connection)  # before a new write takes the number of a lost one

    def _update(self, result: str) -> None:
        """Update the derived files after a write, unless a `bulk` context is open."""
        if self._bulk:
            return
        with self._guard:
            manifest = self._update_derived(result)
            if manifest.rows("dead") > max(_MANY_DEAD, manifest.rows("documents.seq") // 2):
                self._purge()

    def _update_derived(self, result: str) -> DerivedManifest:
        try:
            with wrap_errors(self._folder, "searched for them yet"):
                return self._derived.update_derived(self._open_connection())
        except StorageError as error:
            if isinstance(error, IndexReplacedError):
                raise
            raise StorageError(f"{result}, but {error}; the next write makes up for it") from error

    def _purge(self, *, erase: bool = False) -> None:
        with self._write() as connection:
            # Readers of the current manifest must find all of its documents, so the manifest is updated first.
            manifest = self._derived.update_derived(connection)
            if manifest.rows("dead"):
                purge(connection, manifest.generation)
                self._derived.update_derived(connection, rebuild=erase)
