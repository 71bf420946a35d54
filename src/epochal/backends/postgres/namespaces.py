"""Namespaces: the row that says what an index is, how far it has been written, and how much of that is to be seen."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from epochal.backends.postgres.address import PostgresAddress
from epochal.backends.postgres.migrations import TABLES, check_version, migrate, version_of
from epochal.errors import IndexLockedError, StorageError

if TYPE_CHECKING:
    from epochal.backends.postgres.driver import Connection

__all__ = ["Namespace", "create", "hnsw_name", "load", "load_known", "lock", "make_visible", "remove", "try_lock"]

#: Half of the key of a writer's lock; the other half is drawn from the name.
_WRITER: Final = 0x45504F
_RAISE: Final = (
    "UPDATE epochal.namespaces SET seen_generation = generation, seen_documents = documents, "
    "seen_passages = passages, seen_tokens = tokens, seen_dead = dead, seen_dead_documents = dead_documents "
    "WHERE name = %s"
)


@dataclass(frozen=True, slots=True)
class Namespace:
    """An index as its row has it: first what is written, then what searches find of it.

    `dead` counts the passages of deleted and replaced documents. Rows are numbered from 0 without a gap, so that
    `passages` is both how many there are and what the next will be called.

    >>> Namespace(1, "", 0, 0.0, False, *[0] * 12).dim
    0
    """

    space: int
    encoder: str
    dim: int
    longest: float
    hnsw: bool
    generation: int
    documents: int
    passages: int
    tokens: int
    dead: int
    dead_documents: int
    seen_generation: int
    seen_documents: int
    seen_passages: int
    seen_tokens: int
    seen_dead: int
    seen_dead_documents: int


_COLUMNS: Final = ", ".join(field.name for field in fields(Namespace))


def load(connection: Connection[Any], address: PostgresAddress) -> Namespace | None:
    """The row of a namespace as it is now; None where there is none, or no table yet.

    >>> load.__name__
    'load'
    """
    version = version_of(connection)
    check_version(version, address.shown)
    return load_known(connection, address) if version else None


def load_known(connection: Connection[Any], address: PostgresAddress) -> Namespace | None:
    """The same where the tables are known to be there.

    >>> load_known.__name__
    'load_known'
    """
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM epochal.namespaces WHERE name = %s", (address.namespace,)
    ).fetchone()
    return None if found is None else Namespace(*found)


def create(connection: Connection[Any], address: PostgresAddress, encoder_name: str, dim: int) -> None:
    """Make a namespace, and the tables where there are none.

    >>> create.__name__
    'create'
    """
    migrate(connection, address.shown)
    made = connection.execute(
        "INSERT INTO epochal.namespaces (name, space, encoder, dim) "
        "VALUES (%s, nextval('epochal.spaces'), %s, %s) ON CONFLICT DO NOTHING RETURNING space",
        (address.namespace, encoder_name, dim),
    ).fetchone()
    if made is None:
        raise StorageError(f"{address.shown} holds an index already; open it, or choose another namespace")


def try_lock(connection: Connection[Any], address: PostgresAddress) -> bool:
    """Take the lock of the writer, which the connection holds until it ends; whether it was to be had.

    >>> try_lock.__name__
    'try_lock'
    """
    (got,) = connection.execute(
        "SELECT pg_try_advisory_lock(%s, hashtext(%s))", (_WRITER, address.namespace)
    ).fetchone()
    return bool(got)


def lock(connection: Connection[Any], address: PostgresAddress) -> None:
    """Take the lock of the writer, or say at once that another has it.

    >>> lock.__name__
    'lock'
    """
    if not try_lock(connection, address):
        raise IndexLockedError(f"another writer has the index {address.shown}; close it, or wait until it is done")


def make_visible(connection: Connection[Any], address: PostgresAddress) -> None:
    """Let searches find all that has been written.

    >>> make_visible.__name__
    'make_visible'
    """
    connection.execute(_RAISE, (address.namespace,))


def hnsw_name(space: int) -> str:
    """The name of the index over the vectors of a space.

    >>> hnsw_name(7)
    'vectors_hnsw_7'
    """
    return f"vectors_hnsw_{int(space)}"


def remove(connection: Connection[Any], address: PostgresAddress) -> None:
    """Take a namespace away, with all of its rows.

    >>> remove.__name__
    'remove'
    """
    with connection.transaction():
        found = load_known(connection, address)
        if found is None:
            return
        for table in TABLES:
            connection.execute(f"DELETE FROM epochal.{table} WHERE space = %s", (found.space,))
        connection.execute("DELETE FROM epochal.namespaces WHERE name = %s", (address.namespace,))
    if found.hnsw:
        connection.execute(f"DROP INDEX IF EXISTS epochal.{hnsw_name(found.space)}")
