"""What psycopg raises, in one sentence that names the index, what was asked of it and what can be done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from epochal.errors import MissingExtraError, StorageError

__all__ = ["need_packages", "reporting"]


def need_packages() -> None:
    """Complain where psycopg or its pool is not installed.

    >>> need_packages()
    """
    for package in ("psycopg", "psycopg_pool"):
        if find_spec(package) is None:
            raise MissingExtraError("an index in PostgreSQL", package, "postgres")


@contextmanager
def reporting(shown: str, done: str) -> Iterator[None]:
    """Turns errors of PostgreSQL and of the connection into a `StorageError`.

    >>> import psycopg
    >>> with reporting("postgresql://db/news", "read"):
    ...     raise psycopg.errors.QueryCanceled("canceling statement due to statement timeout")
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: the index postgresql://db/news cannot be read: a statement took longer than the address
    allows; raise statement_timeout in it, or ask for less
    """
    import psycopg
    import psycopg_pool

    try:
        yield
    except psycopg_pool.PoolTimeout as error:
        why = "all of its connections are in use, or the server does not answer; raise pool in the address, or ask less"
        raise StorageError(f"the index {shown} cannot be {done}: {why}") from error
    except (psycopg.Error, psycopg_pool.PoolClosed) as error:
        raise StorageError(f"the index {shown} cannot be {done}: {_why(error)}") from error


def _why(error: Exception) -> str:
    import psycopg

    said = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
    meanings = (
        (psycopg.errors.QueryCanceled, "a statement took longer than the address allows; raise statement_timeout in it"
                                       ", or ask for less"),
        (psycopg.errors.InsufficientPrivilege, f"{said}; the role needs the rights that docs/how-to/postgres.md lists"),
        (psycopg.errors.InvalidPassword, "the server refuses the user or the password"),
        (psycopg.errors.DiskFull, "the server's disk is full"),
        (psycopg.errors.ReadOnlySqlTransaction, "the server may only be read from, as a replica is"),
        (psycopg.errors.UndefinedFile, f"{said}; install pgvector on the server"),
        (psycopg.errors.TooManyConnections, f"{said}; lower pool in the address, or raise max_connections"),
    )  # fmt: skip
    return next((meaning for kind, meaning in meanings if isinstance(error, kind)), said)
