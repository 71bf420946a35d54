"""PostgreSQL behind an address: what `epochal.index.addresses` asks for."""

from __future__ import annotations

import os

from epochal.backends.postgres import namespaces
from epochal.backends.postgres.address import PostgresAddress
from epochal.backends.postgres.checking import check
from epochal.backends.postgres.driver import connect, release
from epochal.backends.postgres.migrations import TABLES
from epochal.backends.postgres.reporting import reporting
from epochal.backends.postgres.store import PostgresStore

__all__ = ["check", "create", "exists", "open", "remove", "shown", "size"]


def create(address: str | os.PathLike[str], encoder_name: str, dim: int) -> PostgresStore:
    """Make a new index, and open it for writing.

    >>> create("postgresql:///news?pool=0", "", 0)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: pool in postgresql:///news?pool=0 is '0'; accepted: a number from 1 to 100
    """
    return PostgresStore.create(address, encoder_name, dim)


def open(address: str | os.PathLike[str], *, write: bool = False) -> PostgresStore:
    """Open an index that is there.

    >>> open("postgresql:///news?pool=0")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: pool in postgresql:///news?pool=0 is '0'; accepted: a number from 1 to 100
    """
    return PostgresStore.open(address, write=write)


def exists(address: str | os.PathLike[str]) -> bool:
    """Whether there is an index. A server that cannot be reached is an error, not a no.

    >>> exists("postgresql:///news?host=/no/such/folder")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: the index postgresql:///news?host=/no/such/folder cannot be reached: ...
    """
    place = PostgresAddress.parse(address)
    connection = connect(place)
    try:
        with reporting(place.shown, "opened"):
            return namespaces.load(connection, place) is not None
    finally:
        connection.close()


def remove(address: str | os.PathLike[str]) -> None:
    """Take an index away, with all that it holds.

    >>> remove.__name__
    'remove'
    """
    place = PostgresAddress.parse(address)
    connection = connect(place)
    try:
        with reporting(place.shown, "removed"):
            namespaces.lock(connection, place)
            namespaces.remove(connection, place)
    finally:
        release(connection)


def size(address: str | os.PathLike[str]) -> int:
    """How many bytes the rows of an index take, without the server's indexes.

    >>> size.__name__
    'size'
    """
    place = PostgresAddress.parse(address)
    connection = connect(place, timeout=0)
    try:
        with reporting(place.shown, "read"):
            total = 0
            for table in TABLES:
                (found,) = connection.execute(
                    f"SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM epochal.{table} t WHERE space = "
                    "(SELECT space FROM epochal.namespaces WHERE name = %s)",
                    (place.namespace,),
                ).fetchone()
                total += int(found)
            return total
    finally:
        connection.close()


def shown(address: str | os.PathLike[str]) -> str:
    """The address without a password.

    >>> shown("postgresql://ann:secret@db/news")
    'postgresql://ann:***@db/news'
    """
    return PostgresAddress.parse(address).shown
