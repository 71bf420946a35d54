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
    passages, vectors = select_passages(connection, first, last), select_vectors(connection, first, last)
    return compare_rows(connection, first, last, passages, vectors)


def select_passages(connection: sqlite3.Connection, first: int, last: int) -> Iterable[tuple[int, int, int, bytes]]:
    """The passages of documents, in order: the numbers of their documents, their bounds, and their times."""
    return _select(connection, "start_char, end_char, datings", "passages", first, last)


def select_vectors(connection: sqlite3.Connection, first: int, last: int) -> Iterable[tuple[int, bytes]]:
    """The vectors of documents, in order, with the numbers of their documents."""
    return _select(connection, "vector", "vectors", first, last)


def _select(connection: sqlite3.Connection, columns: str, table: str, first: int, last: int) -> Iterable[Any]:
    return connection.execute(
        f"SELECT id >> {ORDINAL_BITS}, {columns} FROM {table} WHERE id >= ? AND id < ? ORDER BY id",
        (first << ORDINAL_BITS, (last + 1) << ORDINAL_BITS),
    )


def compare_rows(
    connection: sqlite3.Connection,
    first: int,
    last: int,
    passages: Iterable[tuple[int, Any, Any, Any]],
    vectors: Iterable[tuple[int, bytes]],
) -> Iterator[tuple[int, str, str]]:
    """`list_damaged` of the passages and vectors of the documents, which were read already."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'checksums'").fetchone():
        return
    stored = connection.execute(
        "SELECT seq, passages, vectors FROM checksums WHERE seq BETWEEN ? AND ? ORDER BY seq", (first, last)
    ).fetchall()
    of_passages, of_vectors = sum_passages(passages), sum_vectors(vectors)
    for seq, *sums in stored:
        found = of_passages.get(seq, 0), of_vectors.get(seq, 0)
        if found == tuple(sums):
            continue
        for (id,) in connection.execute("SELECT id FROM documents WHERE seq = ?", (seq,)):
            for problem in compare_sums(id, tuple(sums), found):
                yield seq, id, problem


def compare_sums(id: str, stored: tuple[int, int], found: tuple[int, int]) -> Iterator[str]:
    """Describe which checksums of a document, of its passages and of its vectors, are not those that were stored."""
    if found[0] != stored[0]:
        yield f"the passages and times of document {id!r} are not what was stored"
    if found[1] != stored[1]:
        yield f"the vectors of document {id!r} are not what was stored"


def sum_passages(rows: Iterable[tuple[int, Any, Any, Any]]) -> dict[int, int]:
    """The checksum of the passages of each document: of their bounds and their packed times, in their order."""
    sums: dict[int, int] = {}
    for seq, start, end, datings in rows:
        packed = datings if isinstance(datings, bytes) else str(datings).encode()  # what is damaged may be anything
        sums[seq] = zlib.crc32(f"{start} {end} ".encode() + packed, sums.get(seq, 0))
    return sums


def sum_vectors(rows: Iterable[tuple[int, bytes]]) -> dict[int, int]:
    """The checksum of the vectors of each document, as little-endian numbers, in their order."""
    sums: dict[int, int] = {}
    for seq, packed in rows:
        sums[seq] = zlib.crc32(packed, sums.get(seq, 0))
    return sums
