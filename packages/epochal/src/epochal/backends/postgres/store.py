"""The index in PostgreSQL: a `Backend` over one namespace of a server."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from epochal.backends.postgres import tables as namespaces
from epochal.backends.postgres.connection import Connections, PostgresAddress, connect, release, wrap_errors
from epochal.backends.postgres.rows import storable
from epochal.backends.postgres.tables import NEVER, Namespace, PostgresSnapshot
from epochal.backends.postgres.view import PostgresView
from epochal.backends.postgres.writing import analyse_tables, build_hnsw, compact, insert, mark_dead, prepare
from epochal.errors import StorageError
from epochal.storage.documents import check_entries
from epochal.storage.protocol import ClosingStore, check_encoder, check_ids
from epochal.storage.records import Entry
from epochal.storage.store import Store

if TYPE_CHECKING:
    from epochal.backends.postgres.connection import Connection

_BATCH: Final = 500
#: After so many documents at once the server analyses its tables again, before it plans searches in them.
_MANY: Final = 5_000
_BEHIND: Final = "writes that were cut off before they were to be found are found now"
_RESTORED: Final = "the index was restored to another state while it was open; that one is read now"


class PostgresStore(ClosingStore):
    """An index in a namespace of a PostgreSQL server. Any number of processes may read it, and one may write.

    The first write takes the lock of the writer, on a connection of its own, and keeps it until the store is closed
    or the connection is lost.
    """

    def __init__(self, address: PostgresAddress, state: Namespace) -> None:
        self.address = address
        self._state = state
        self._guard = threading.RLock()
        self._view_guard = threading.Lock()  # who reads need not wait for who writes
        self._connections: Connections | None = Connections(address)
        self._writer: Connection[Any] | None = None
        self._view: PostgresView | None = None
        self._seen: Namespace | None = None
        self._bulk = self._added = 0
        #: What was found behind when the index was opened, and mended: a sentence each.
        self.repairs: list[str] = []

    # ---------------------------------------------------------------- opening and closing

    @classmethod
    def create(cls, address: str | os.PathLike[str], encoder_name: str = "", dim: int = 0) -> PostgresStore:
        """Make a new index, and the tables where there are none, and open it for writing."""
        check_encoder(encoder_name, dim)
        target = PostgresAddress.parse(address)
        connection = connect(target)
        try:
            with wrap_errors(target.shown, "made"):
                namespaces.create(connection, target, encoder_name, dim)
        finally:
            connection.close()
        return cls.open(address, write=True)

    @classmethod
    def open(cls, address: str | os.PathLike[str], *, write: bool = False) -> PostgresStore:
        """Open an index. Tables of an older version are brought up to the present one."""
        target = PostgresAddress.parse(address)
        connection = connect(target)
        try:
            with wrap_errors(target.shown, "opened"):
                state = namespaces.load(connection, target)
                if state is None:
                    raise StorageError(f"{target.shown} holds no index; make one with epochal.Index.create")
                store = cls(target, state)
                store._finish_dead_writer(connection, state)
        finally:
            release(connection)
        if write:
            store._open_writer()
        return store

    def _finish_dead_writer(self, connection: Connection[Any], state: Namespace) -> None:
        """Let what a writer that died had stored be found, if there is no writer now."""
        if state.seen_generation < state.generation and namespaces.try_lock(connection, self.address):
            namespaces.make_visible(connection, self.address)
            self.repairs.append(_BEHIND)

    def close(self) -> None:
        with self._view_guard:
            self._view = self._seen = self._connections = None
        with self._guard:
            if self._writer is not None:
                release(self._writer)
                self._writer = None

    def __repr__(self) -> str:
        return f"<PostgresStore {self.address.shown!r}>"

    @property
    def encoder_name(self) -> str:
        return self._state.encoder

    @property
    def dim(self) -> int:
        return self._state.dim

    # ---------------------------------------------------------------- writing

    def add(self, entries: Sequence[Entry]) -> int:
        entries = list(entries)
        check_entries(entries, self.dim)
        if entries:
            ready = prepare(entries)
            with self._lock_writer() as connection:
                insert(connection, self.address, ready, is_seen=not self._bulk)
            self._added += len(entries)
            self._build_index_if_large()
        return len(entries)

    def delete(self, ids: Iterable[str]) -> int:
        with self._lock_writer() as connection:
            return mark_dead(connection, self.address, check_ids(ids), is_seen=not self._bulk)

    @contextmanager
    def bulk(self) -> Iterator[None]:
        self._bulk += 1
        before = self._added
        try:
            yield
        finally:
            self._bulk -= 1
            if not self._bulk and self._writer is not None and not self._writer.closed:
                with self._lock_writer() as connection:
                    namespaces.make_visible(connection, self.address)
                    if self._added - before >= _MANY:
                        analyse_tables(connection)
                self._build_index_if_large()

    def compact(self, *, erase: bool = False) -> None:
        with self._lock_writer() as connection:
            compact(connection, self.address)
        self._build_index_if_large()

    def backup(self, path: str | os.PathLike[str]) -> None:
        view = self.view()
        with Store.create(path, self.encoder_name, self.dim) as copy, copy.bulk():
            rows = view.alive_documents
            for low in range(0, len(rows), _BATCH):
                copy.add(view.get_entries(rows[low : low + _BATCH]))

    # ---------------------------------------------------------------- reading

    def view(self) -> PostgresView:
        connections = self._open_connections()
        state = connections.run("read", lambda connection: namespaces.load_known(connection, self.address))
        if state is None:
            raise StorageError(f"{self.address.shown} holds no index any more; it was removed meanwhile")
        with self._view_guard:
            seen, view = self._seen, self._view
            if view is not None and seen is not None and _get_state_key(seen) == _get_state_key(state):
                return view
            before = view if seen is not None and seen.space == state.space else None
            if seen is not None and _is_restored(seen, state):
                self.repairs.append(_RESTORED)
                before = None
            self._seen, self._view = state, PostgresView(PostgresSnapshot(connections, state), before)
            return self._view

    def get_stored_vectors(self, keys: Sequence[bytes]) -> dict[bytes, npt.NDArray[np.float32]]:
        fetched = self._fetch(
            "SELECT key, embedding FROM epochal.vectors WHERE space = "
            "(SELECT space FROM epochal.namespaces WHERE name = %s) AND key = ANY(%s::bytea[])",
            (self.address.namespace, list(dict.fromkeys(keys))),
        )
        return {key: np.frombuffer(packed, dtype=">f4", offset=4).astype(np.float32) for key, packed in fetched}

    def get_content_hashes(self, ids: Sequence[str]) -> dict[str, bytes]:
        content_hashes = self._fetch(
            "SELECT id, hash FROM epochal.documents WHERE space = "
            "(SELECT space FROM epochal.namespaces WHERE name = %s) AND id = ANY(%s::text[]) AND died = %s",
            (self.address.namespace, storable(ids), NEVER),
        )
        return dict(content_hashes)

    # ---------------------------------------------------------------- inside

    def _open_connections(self) -> Connections:
        connections = self._connections
        if connections is None:
            raise StorageError(f"the index {self.address.shown} is closed; open it again")
        return connections

    def _fetch(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self._open_connections().fetch("read", statement, values)

    def _open_writer(self) -> Connection[Any]:
        self._open_connections()
        if self._writer is not None and self._writer.closed:
            self._writer = None  # with it went the lock; another may have written since
        if self._writer is None:
            connection = connect(self.address)
            try:
                with wrap_errors(self.address.shown, "written"):
                    namespaces.lock(connection, self.address)
                    state = namespaces.load_known(connection, self.address)
                    if state is not None and state.seen_generation < state.generation and not self._bulk:
                        namespaces.make_visible(connection, self.address)
                        self.repairs.append(_BEHIND)
            except BaseException:
                connection.close()
                raise
            self._writer = connection
        return self._writer

    @contextmanager
    def _lock_writer(self) -> Iterator[Connection[Any]]:
        with self._guard:
            connection = self._open_writer()
            with wrap_errors(self.address.shown, "written"):
                yield connection

    def _build_index_if_large(self) -> None:
        """Make an index over the vectors once there are so many that it is worth it."""
        if not self._bulk:
            with self._lock_writer() as connection:
                build_hnsw(connection, self.address)


def _get_state_key(state: Namespace) -> tuple[object, ...]:
    return state.space, state.seen_generation, state.hnsw, state.origin


def _is_restored(seen: Namespace, state: Namespace) -> bool:
    """Whether a state is not one that came after another: what was read of that one says nothing about it."""
    return state.origin != seen.origin or (state.space == seen.space and state.seen_generation < seen.seen_generation)
