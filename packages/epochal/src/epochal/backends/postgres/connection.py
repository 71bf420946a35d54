"""Connecting to PostgreSQL: addresses, connections and their pool, and psycopg's errors in one sentence.

Nothing but this file and `deadlines` calls psycopg directly.
"""

from __future__ import annotations

import os
import re
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar
from urllib.parse import unquote

import numpy as np

from epochal.errors import EpochalError, MissingExtraError, StorageError

if TYPE_CHECKING:
    from psycopg import Connection as Connection  # noqa: PLC0414
    from psycopg_pool import ConnectionPool

#: Where an index lies whose address names no namespace.
DEFAULT_NAMESPACE: Final = "main"

_OWN: Final = ("namespace", "statement_timeout", "pool", "search", "hnsw_from")
_LONGEST: Final = 200
_MAX_CONNECTIONS: Final = 100
#: Everything between the first colon behind the slashes and the last @ before the host is a password.
_PASSWORD: Final = re.compile(r"(?<=//)([^:/?@]*):[^/?]*@")
_SECRETS: Final = ("password", "sslpassword", "sslkey", "passfile")


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """An address, taken apart: `conninfo` is what libpq is given.

    `statement_timeout` is in seconds; 0 lets a statement take as long as it likes. `pool` is the most connections that
    readers have together. `search` may be "exact": then every vector that may be meant is compared. Otherwise an HNSW
    index is made, and used for broad searches, once there are `hnsw_from` passages.
    """

    conninfo: str
    shown: str
    namespace: str = DEFAULT_NAMESPACE
    statement_timeout: float = 30.0
    pool: int = 8
    search: Literal["auto", "exact"] = "auto"
    hnsw_from: int = 50_000

    @classmethod
    def parse(cls, text: str | os.PathLike[str]) -> PostgresAddress:
        """Take an address apart."""
        url = os.fspath(text)
        position, _, options = url.partition("?")
        own: dict[str, str] = {}
        rest: list[str] = []
        displayed: list[str] = []
        # libpq's options are left as they are written: it reads a plus sign as a plus sign.
        for option in filter(None, options.split("&")):
            name, _, value = option.partition("=")
            if name in _OWN:
                own[name] = unquote(value)
            else:
                rest.append(option)
            displayed.append(f"{name}=***" if name in _SECRETS else option)
        output = _PASSWORD.sub(r"\1:***@", position) + (f"?{'&'.join(displayed)}" if displayed else "")
        conninfo = position + (f"?{'&'.join(rest)}" if rest else "")
        search = own.get("search", "auto")
        if search not in ("auto", "exact"):
            raise EpochalError(f"search in {output} must be auto or exact, but is {search!r}")
        return cls(
            conninfo,
            output,
            _check_namespace(own.get("namespace", DEFAULT_NAMESPACE), output),
            _parse_number(own, "statement_timeout", output, 30.0, 86_400),
            int(_parse_number(own, "pool", output, 8, _MAX_CONNECTIONS, least=1)),
            "exact" if search == "exact" else "auto",
            int(_parse_number(own, "hnsw_from", output, 50_000, 10**12)),
        )

    def __str__(self) -> str:
        return self.shown


def _check_namespace(name: str, output: str) -> str:
    whole = not any("\ud800" <= char <= "\udfff" or char in "\0\ufffd" for char in name)
    if not name or len(name) > _LONGEST or not whole:
        raise EpochalError(
            f"the namespace in {output} is {name!r}; accepted: a text of 1 to {_LONGEST} characters without NUL"
        )
    return name


def _parse_number(own: dict[str, str], name: str, output: str, default: float, most: float, least: float = 0) -> float:
    if name not in own:
        return default
    try:
        number = float(own[name])
    except ValueError:
        number = -1.0
    if not least <= number <= most:
        raise EpochalError(f"{name} in {output} is {own[name]!r}; accepted: a number from {least:g} to {most:,g}")
    return number


def need_packages() -> None:
    """Complain where psycopg or its pool is not installed."""
    for package in ("psycopg", "psycopg_pool"):
        if find_spec(package) is None:
            raise MissingExtraError("an index in PostgreSQL", package, "postgres")


@contextmanager
def wrap_errors(shown: str, done: str) -> Iterator[None]:
    """Turns errors of PostgreSQL and of the connection into a `StorageError`."""
    import psycopg
    import psycopg_pool

    try:
        yield
    except psycopg_pool.PoolTimeout as error:
        why = "all of its connections are in use, or the server does not answer; raise pool in the address, or ask less"
        raise StorageError(f"the index {shown} cannot be {done}: {why}") from error
    except (psycopg.Error, psycopg_pool.PoolClosed) as error:
        raise StorageError(f"the index {shown} cannot be {done}: {_explain_error(error)}") from error


def _explain_error(error: Exception) -> str:
    import psycopg

    message = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
    meanings = (
        (psycopg.errors.QueryCanceled, "a statement took longer than the address allows; raise statement_timeout in it"
                                       ", or ask for less"),
        (psycopg.errors.InsufficientPrivilege, f"{message}; the role needs rights listed in docs/how-to/postgres.md"),
        (psycopg.errors.InvalidPassword, "the server refuses the user or the password"),
        (psycopg.errors.DiskFull, "the server's disk is full"),
        (psycopg.errors.ReadOnlySqlTransaction, "the server may only be read from, as a replica is"),
        (psycopg.errors.UndefinedFile, f"{message}; install pgvector on the server"),
        (psycopg.errors.TooManyConnections, f"{message}; lower pool in the address, or raise max_connections"),
    )  # fmt: skip
    return next((meaning for kind, meaning in meanings if isinstance(error, kind)), message)


#: How long one waits for the server to answer a call for a connection, and for one of the pool's to be free; seconds.
PATIENCE: Final = 10
_INT8_ARRAY: Final = 1016
_INT8: Final = 20

Result = TypeVar("Result")


def connect(address: PostgresAddress, *, timeout: float | None = None) -> Connection[Any]:
    """A connection that commits each statement, unless configured otherwise; without a schema of its own set up yet."""
    need_packages()
    from epochal.backends.postgres.deadlines import DeadlineConnection

    with wrap_errors(address.shown, "reached"):
        connection = DeadlineConnection.connect(address.conninfo, autocommit=True, connect_timeout=PATIENCE)
        try:
            _set_up(connection, address, timeout)
        except BaseException:
            connection.close()
            raise
    return connection


def release(connection: Connection[Any]) -> None:
    """Let go of a connection and of its locks: of those before the call returns, and not when the server sees to it."""
    import psycopg

    with suppress(psycopg.OperationalError):  # of a connection that is lost the locks are gone already
        if not connection.closed:
            connection.execute("SELECT pg_advisory_unlock_all()")
    connection.close()


def _set_up(connection: Connection[Any], address: PostgresAddress, timeout: float | None = None) -> None:
    """The settings of every connection: whose rows it may see, where types are found, and how long it may take."""
    seconds = address.statement_timeout if timeout is None else timeout
    set_patience(connection, PATIENCE)
    (schema,) = connection.execute(
        "SELECT (SELECT quote_ident(nspname) FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n "
        "ON n.oid = e.extnamespace WHERE extname = 'vector')"
    ).fetchone()
    settings = {
        "epochal.namespace": address.namespace,
        "search_path": f"pg_catalog, epochal{'' if schema is None else f', {schema}'}",
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
    connection.adapters.register_dumper(np.ndarray, _make_rows_dumper())
    set_patience(connection, seconds + PATIENCE if seconds else None)


def set_patience(connection: Connection[Any], seconds: float | None) -> float | None:
    """Set how long the server may take for each reply; the seconds that it had before. None is without a limit."""
    from epochal.backends.postgres.deadlines import DeadlineConnection

    if not isinstance(connection, DeadlineConnection):
        return None
    before, connection.patience = connection.patience, seconds
    return before


def _make_rows_dumper() -> Any:
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
    """The connections by which an index is read, by any number of threads. They last as long as this object does."""

    def __init__(self, address: PostgresAddress) -> None:
        self.address = address
        self._guard = threading.Lock()
        self._pool: list[ConnectionPool[Any]] = []
        self._is_lost = False
        # Views that were taken can be read after their store is closed; the last of them lets go of the connections.
        self.close: Callable[[], Any] = weakref.finalize(self, _close_all, self._pool)

    @contextmanager
    def lent(self) -> Iterator[Connection[Any]]:
        """One of the connections, for a while; whoever lends it says with `wrap_errors` what is done with it."""
        with self._open_pool().connection() as connection:
            yield connection

    def run(self, done: str, ask: Callable[[Connection[Any]], Result]) -> Result:
        """Ask something that changes nothing. Where the connection was lost it is asked once more, by a new one."""
        import psycopg

        from epochal.backends.postgres.deadlines import SilentServerError

        with wrap_errors(self.address.shown, done):
            if self._is_lost:
                self._find_again()
            connection: Connection[Any] | None = None
            try:
                with self.lent() as connection:
                    return ask(connection)
            except psycopg.OperationalError as error:
                if isinstance(error, SilentServerError):
                    self._is_lost = True
                    raise
                if connection is None or not connection.closed:
                    raise
            self._is_lost = True
            self._find_again()
            with self.lent() as connection:
                return ask(connection)

    def _find_again(self) -> None:
        """A server that is away says so at once, and not when the pool's patience is at its end."""
        connect(self.address).close()
        self._open_pool().check()
        self._is_lost = False

    def fetch(self, done: str, statement: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of an answer, in the binary form of their types."""
        return self.run(done, lambda connection: connection.execute(statement, values, binary=True).fetchall())

    def _open_pool(self) -> ConnectionPool[Any]:
        from psycopg_pool import ConnectionPool

        from epochal.backends.postgres.deadlines import DeadlineConnection

        address = self.address  # a pool that knew of this object would keep it, and itself, alive
        with self._guard:
            if not self._pool:
                pool = ConnectionPool(
                    address.conninfo,
                    connection_class=DeadlineConnection,
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
