"""Connections: how one is made, and the pool that readers share. The only file that knows how psycopg is called."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from epochal.backends.postgres.address import PostgresAddress
from epochal.backends.postgres.reporting import need_packages, reporting

if TYPE_CHECKING:
    from psycopg import Connection as Connection  # noqa: PLC0414  # others take it from here
    from psycopg_pool import ConnectionPool

__all__ = ["Connections", "connect", "release"]

#: How long one waits for the server to answer a call for a connection, and for one of the pool's to be free; seconds.
PATIENCE: Final = 10
_INT8_ARRAY: Final = 1016
_INT8: Final = 20

Result = TypeVar("Result")


def connect(address: PostgresAddress, *, timeout: float | None = None) -> Connection[Any]:
    """A connection that commits each statement, unless told otherwise; without a schema of its own set up yet.

    >>> connect(PostgresAddress.parse("postgresql:///news?host=/no/such/folder"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: the index postgresql:///news?host=/no/such/folder cannot be reached: ...
    """
    need_packages()
    import psycopg

    with reporting(address.shown, "reached"):
        connection = psycopg.connect(address.conninfo, autocommit=True, connect_timeout=PATIENCE)
        try:
            _set_up(connection, address, timeout)
        except BaseException:
            connection.close()
            raise
    return connection


def release(connection: Connection[Any]) -> None:
    """Let go of a connection and of its locks: of those before the call returns, and not when the server sees to it.

    >>> release.__name__
    'release'
    """
    import psycopg

    with suppress(psycopg.OperationalError):  # of a connection that is lost the locks are gone already
        if not connection.closed:
            connection.execute("SELECT pg_advisory_unlock_all()")
    connection.close()


def _set_up(connection: Connection[Any], address: PostgresAddress, timeout: float | None = None) -> None:
    """What every connection is told: whose rows it may see, where types are found, and how long it may take."""
    seconds = address.statement_timeout if timeout is None else timeout
    (found,) = connection.execute(
        "SELECT (SELECT quote_ident(nspname) FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n "
        "ON n.oid = e.extnamespace WHERE extname = 'vector')"
    ).fetchone()
    settings = {
        "epochal.namespace": address.namespace,
        "search_path": f"pg_catalog, epochal{'' if found is None else f', {found}'}",
        "statement_timeout": str(int(1000 * seconds)),
        # A plan for any space would not see that an index is of the one that is asked for.
        "plan_cache_mode": "force_custom_plan",
        "jit": "off",
        "client_encoding": "UTF8",
        "lock_timeout": str(int(1000 * seconds)),
        "client_min_messages": "warning",
    }
    names, values = list(settings), list(settings.values())
    connection.execute(
        "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS s(name, value)", (names, values)
    )
    connection.adapters.register_dumper(np.ndarray, _rows_dumper())


def _rows_dumper() -> Any:
    """Numbers of rows go to the server as they lie in memory, turned around: thousands of them in no time."""
    from psycopg.adapt import Dumper
    from psycopg.pq import Format

    class RowsDumper(Dumper):
        format = Format.BINARY
        oid = _INT8_ARRAY

        def dump(self, obj: Any) -> bytes:
            values = np.empty(len(obj), dtype=[("size", ">i4"), ("value", ">i8")])
            values["size"], values["value"] = 8, obj
            head = np.array([1 if len(obj) else 0, 0, _INT8], dtype=">i4").tobytes()
            return head + (np.array([len(obj), 1], dtype=">i4").tobytes() if len(obj) else b"") + values.tobytes()

    return RowsDumper


class Connections:
    """The connections by which an index is read, by any number of threads. They last as long as this object does.

    >>> Connections(PostgresAddress.parse("postgresql:///news")).close()
    """

    def __init__(self, address: PostgresAddress) -> None:
        self.address = address
        self._guard = threading.Lock()
        self._pool: list[ConnectionPool[Any]] = []
        self._is_lost = False
        # Views that were taken can be read after their store is closed; the last of them lets go of the connections.
        self.close: Callable[[], Any] = weakref.finalize(self, _close_all, self._pool)

    @contextmanager
    def lent(self) -> Iterator[Connection[Any]]:
        """One of the connections, for a while; whoever lends it says with `reporting` what is done with it.

        >>> Connections.lent.__name__
        'lent'
        """
        with self._opened().connection() as connection:
            yield connection

    def run(self, done: str, ask: Callable[[Connection[Any]], Result]) -> Result:
        """Ask something that changes nothing. Where the connection was lost it is asked once more, by a new one.

        >>> Connections.run.__name__
        'run'
        """
        import psycopg

        with reporting(self.address.shown, done):
            if self._is_lost:
                self._find_again()
            connection: Connection[Any] | None = None
            try:
                with self.lent() as connection:
                    return ask(connection)
            except psycopg.OperationalError:
                if connection is None or not connection.closed:
                    raise
            self._is_lost = True
            self._find_again()
            with self.lent() as connection:
                return ask(connection)

    def _find_again(self) -> None:
        """A server that is away says so at once, and not when the pool's patience is at its end."""
        connect(self.address).close()
        self._opened().check()
        self._is_lost = False

    def fetch(self, done: str, statement: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of an answer, in the binary form of their types.

        >>> Connections.fetch.__name__
        'fetch'
        """
        return self.run(done, lambda connection: connection.execute(statement, values, binary=True).fetchall())

    def _opened(self) -> ConnectionPool[Any]:
        from psycopg_pool import ConnectionPool

        address = self.address  # a pool that knew of this object would keep it, and itself, alive
        with self._guard:
            if not self._pool:
                pool = ConnectionPool(
                    address.conninfo,
                    kwargs={"autocommit": True, "connect_timeout": PATIENCE},
                    configure=lambda connection: _set_up(connection, address),
                    min_size=1,
                    max_size=address.pool,
                    timeout=PATIENCE,
                    max_idle=60,
                    num_workers=1,
                    open=True,
                )
                try:
                    # Whoever asks before the first connection is there would have a second one made.
                    pool.wait(timeout=PATIENCE)
                except BaseException:
                    pool.close()
                    raise
                self._pool.append(pool)
            return self._pool[0]


def _close_all(pools: list[ConnectionPool[Any]]) -> None:
    for pool in pools:
        pool.close()
