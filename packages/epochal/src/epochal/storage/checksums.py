"""Checksums of what each document has beside its text: its passages with their times, and its vectors.

The text has a hash of its own. Documents of earlier versions have no checksums until they are stored again.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from epochal.storage.schema import ORDINAL_BITS

_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS checksums "
    "(seq INTEGER PRIMARY KEY, passages INTEGER NOT NULL, vectors INTEGER NOT NULL)"
)


def insert_checksums(
    connection: sqlite3.Connection,
    seqs: Iterable[int],
    passages: Sequence[tuple[int, int, int, int, bytes]],
    vectors: Sequence[tuple[int, bytes, bytes]],
) -> None:
    """Store the checksums of documents, from the rows that are stored of their passages and vectors."""
    connection.execute(_TABLE)
    of_passages = sum_passages((seq, start, end, datings) for _, seq, start, end, datings in passages)
    of_vectors = sum_vectors((id >> ORDINAL_BITS, vector) for id, _, vector in vectors)
    connection.executemany(
        "INSERT INTO checksums VALUES (?, ?, ?)",
        ((seq, of_passages.get(seq, 0), of_vectors.get(seq, 0)) for seq in seqs),
    )


def forget_checksums(connection: sqlite3.Connection, seqs: Iterable[tuple[int]]) -> None:
    """Remove the checksums of documents."""
    connection.execute(_TABLE)
    connection.executemany("DELETE FROM checksums WHERE seq = ?", seqs)


def find_damaged(connection: sqlite3.Connection, first: int, last: int) -> Iterator[str]:
    """Describe what of the documents with the numbers from `first` to `last` is not what was stored."""
    return (problem for _, _, problem in list_damaged(connection, first, last))


def list_damaged(connection: sqlite3.Connection, first: int, last: int) -> Iterator[tuple[int, str, str]]:
    """The number and id of each such document, and what is wrong with it."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'checksums'").fetchone():
        return
    stored = connection.execute(
        "SELECT c.seq, d.id, c.passages, c.vectors FROM checksums c JOIN documents d ON d.seq = c.seq "
        "WHERE c.seq BETWEEN ? AND ? ORDER BY c.seq",
        (first, last),
    ).fetchall()
    bounds = first << ORDINAL_BITS, (last + 1) << ORDINAL_BITS
    passages = sum_passages(
        (id >> ORDINAL_BITS, start, end, datings)
        for id, start, end, datings in _select(connection, "id, start_char, end_char, datings", "passages", bounds)
    )
    vectors = sum_vectors(
        (id >> ORDINAL_BITS, vector) for id, vector in _select(connection, "id, vector", "vectors", bounds)
    )
    for seq, id, of_passages, of_vectors in stored:
        for problem in compare_sums(id, (of_passages, of_vectors), (passages.get(seq, 0), vectors.get(seq, 0))):
            yield seq, id, problem


def compare_sums(id: str, stored: tuple[int, int], found: tuple[int, int]) -> Iterator[str]:
    """Describe which checksums of a document, of its passages and of its vectors, are not those that were stored."""
    if found[0] != stored[0]:
        yield f"the passages and times of document {id!r} are not what was stored"
    if found[1] != stored[1]:
        yield f"the vectors of document {id!r} are not what was stored"


def sum_passages(rows: Iterable[tuple[int, Any, Any, Any]]) -> dict[int, int]:
    """The checksum of the passages of each document: of their bounds and their packed times, in their order."""
    return _add_up((seq, *_pack_passage(start, end, datings)) for seq, start, end, datings in rows)


def sum_vectors(rows: Iterable[tuple[int, bytes]]) -> dict[int, int]:
    """The checksum of the vectors of each document, as little-endian numbers, in their order."""
    return _add_up(rows)


def _select(connection: sqlite3.Connection, columns: str, table: str, bounds: tuple[int, int]) -> Iterable[Any]:
    return connection.execute(f"SELECT {columns} FROM {table} WHERE id >= ? AND id < ? ORDER BY id", bounds)


def _pack_passage(start: Any, end: Any, datings: Any) -> tuple[bytes, bytes]:
    return f"{start} {end} ".encode(), datings if isinstance(datings, bytes) else str(datings).encode()


def _add_up(rows: Iterable[tuple[Any, ...]]) -> dict[int, int]:
    """The checksum of the bytes in all rows of each document, in their order."""
    sums: dict[int, int] = {}
    for seq, *parts in rows:
        for part in parts:
            sums[seq] = zlib.crc32(part, sums.get(seq, 0))
    return sums
