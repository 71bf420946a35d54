"""Damaged rows of a document database that are replaced by the same rows of a backup.

A row is taken only where the backup proves that it is the one that was stored: it is intact there, and its hash and
checksums are those of the damaged row, or the write that stored it left the same mark in both. Then nothing derived
from it changes.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epochal.errors import StorageError
from epochal.storage.checksums import list_damaged
from epochal.storage.identity import connect_known, read_mark
from epochal.storage.records import Document, parse_meta, unpack_span
from epochal.storage.schema import FILE, ORDINAL_BITS, WriterLock, connect, read_state, wrap_errors

_COLUMNS: Final = "id, text, title, published, valid, series, meta, hash"
#: Documents whose checksums are computed at a time.
_BATCH: Final = 1000


@dataclass(frozen=True, slots=True)
class Portion:
    """Some documents that were looked through: the identity of their index, and the ids of damaged ones by their rows.

    `last` is the row of the last of them; None if no others follow.
    """

    identity: str
    damaged: dict[int, str]
    last: int | None


def list_portion(folder: Path, first: int, count: int) -> Portion:
    """Look through `count` documents of an index, from the number `first` on; by a connection of its own."""
    connection, _ = connect_known(folder)
    try:
        with wrap_errors(folder, "read"):
            identity = read_state(connection).identity
            rows = connection.execute(
                "SELECT seq FROM documents WHERE seq >= ? ORDER BY seq LIMIT ?", (first, count)
            ).fetchall()
            last = rows[-1][0] if len(rows) == count else None
            return Portion(identity, dict(list_damaged_documents(connection, first, last)), last)
    finally:
        connection.close()


def replace_damaged(folder: Path, backup: Path) -> dict[str, bool]:
    """Replace the damaged rows of an index from a backup; for each id whether that was possible."""
    if backup.resolve() == folder.resolve():
        raise StorageError(f"{str(backup)!r} is the index itself, not a backup of it")
    source = connect(backup)
    connection, _ = connect_known(folder)
    lock = WriterLock(folder)
    try:
        lock.acquire()
        with wrap_errors(folder, "mended"):
            damaged = dict(list_damaged_documents(connection))
            replaced = {}
            for seq, id in damaged.items():
                replaced[id] = _replace(connection, source, seq)
        return replaced
    finally:
        lock.release()
        connection.close()
        source.close()


def list_damaged_documents(
    connection: sqlite3.Connection, first: int = 0, last: int | None = None
) -> Iterator[tuple[int, str]]:
    """The numbers and ids of documents that are not what was stored, or whose passages or vectors are not.

    Only documents with numbers from `first` to `last` are looked at; without `last`, all from `first` on.
    """
    if last is None:
        last = connection.execute("SELECT max(seq) FROM documents").fetchone()[0] or 0
    statement = f"SELECT seq, {_COLUMNS} FROM documents WHERE seq BETWEEN ? AND ? ORDER BY seq"
    rows = connection.execute(statement, (first, last))
    yield from ((seq, str(row[0])) for seq, *row in rows if not _is_intact(row))
    for low in range(first, last + 1, _BATCH):
        high = min(low + _BATCH - 1, last)
        yield from ((seq, id) for seq, id, _ in list_damaged(connection, low, high))


def _is_intact(row: list[Any]) -> bool:
    """Whether a document has the hash that was stored with it."""
    id, text, title, published, valid, series, meta, digest = row
    try:
        spans = [None if packed is None else unpack_span(packed) for packed in (published, valid)]
        document = Document(id, text, title, spans[0], spans[1], series, parse_meta(meta))
        return bool(document.content_hash() == digest)
    except (ValueError, TypeError, AttributeError, struct.error):
        return False


def _replace(connection: sqlite3.Connection, source: sqlite3.Connection, seq: int) -> bool:
    """Replace a document with its passages and vectors, if the backup has the same one."""
    statement = f"SELECT {_COLUMNS}, born FROM documents WHERE seq = ?"
    kept, found = source.execute(statement, (seq,)).fetchone(), connection.execute(statement, (seq,)).fetchone()
    if kept is None or not _is_intact(kept[:-1]) or any(list_damaged(source, seq, seq)):
        return False
    mark = read_mark(source, kept[-1])
    is_same_write = kept[-1] == found[-1] and mark != "" and mark == read_mark(connection, found[-1])
    sums = _read_sums(source, seq)
    has_same_sums = sums is not None and sums == _read_sums(connection, seq) and kept[-2] == found[-2]
    if not (is_same_write or has_same_sums):
        return False
    bounds = seq << ORDINAL_BITS, (seq + 1) << ORDINAL_BITS
    connection.execute("BEGIN IMMEDIATE")
    try:
        assignments = ", ".join(f"{name.strip()} = ?" for name in _COLUMNS.split(","))
        connection.execute(f"UPDATE documents SET {assignments} WHERE seq = ?", (*kept[:-1], seq))
        for table in ("vectors", "passages"):
            connection.execute(f"DELETE FROM {table} WHERE id >= ? AND id < ?", bounds)
        for table in ("passages", "vectors"):
            rows = source.execute(f"SELECT * FROM {table} WHERE id >= ? AND id < ?", bounds).fetchall()
            if rows:
                connection.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(rows[0]))})", rows)
        if sums is not None:
            connection.execute("INSERT OR REPLACE INTO checksums VALUES (?, ?, ?)", (seq, *sums))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return True


def _read_sums(connection: sqlite3.Connection, seq: int) -> tuple[int, int] | None:
    table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'checksums'"
    if not connection.execute(table).fetchone():
        return None
    found = connection.execute("SELECT passages, vectors FROM checksums WHERE seq = ?", (seq,)).fetchone()
    return None if found is None else (int(found[0]), int(found[1]))


def describe_replaced(replaced: dict[str, bool], backup: Path) -> dict[str, bool]:
    """A sentence for each document, and whether it was mended."""
    return {
        f"document {id!r} was damaged and was replaced from {str(backup)!r}"
        if is_mended
        else f"document {id!r} is damaged, and {str(backup / FILE)!r} does not hold what was stored": is_mended
        for id, is_mended in replaced.items()
    }
