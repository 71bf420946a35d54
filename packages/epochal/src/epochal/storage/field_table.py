"""The table of metadata values in the SQLite file: which documents have which value of which field, in order of values.

Filters look a value up here instead of reading the metadata of all documents. The table is derived from the documents
and written with them; `meta.fields` is the generation for which it is complete. A file from before there was one, or
that an older version has written to since, gets it with its next write, and is searched without it until then.

Values keep their types, which SQLite compares as numbers, then texts, then bytes. The rest is bytes: true and false; a
digest for a long text, which can be looked up but has no order; and a mark for what no filter compares with, objects
and long lists. Where a field has a mark, its values are read from the documents.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from epochal.storage.metadata import OWN_FIELDS

TABLE: Final = """
CREATE TABLE fields (
    name TEXT NOT NULL, value NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (name, value, seq)
) WITHOUT ROWID;
"""

Value = int | float | str | bytes
Fetch = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]

_FALSE: Final = b"\0"
_TRUE: Final = b"\1"
_DIGEST: Final = b"\2"
_MARK: Final = b"\3"
#: The longest text that is stored as it is, in characters.
_LONGEST: Final = 200
#: The most values of a field and of a document; embeddings in the metadata are no values to filter by.
_MAX_LIST: Final = 50
_MAX_VALUES: Final = 200
_MAX_INTEGER: Final = 2**63
_BOUNDS: Final = {"<": "value < ?2", "<=": "value <= ?2", ">": "value > ?2", ">=": "value >= ?2"}


def list_values(meta: Mapping[str, Any], series: str | None) -> Iterator[tuple[str, Value]]:
    """The names and values of a document's fields, each pair once."""
    pairs: dict[tuple[str, bool, Value], None] = {}
    for name, value in _walk(meta, meta, "", series):
        items = value if isinstance(value, list | tuple) else [value]
        if len(items) > _MAX_LIST or len(pairs) > _MAX_VALUES:
            items = [dict[str, Any]()]
        for item in items:
            if item is not None:
                encoded = encode_value(item)
                pairs[name, isinstance(encoded, bytes), encoded] = None
    return ((name, value) for name, _, value in pairs)


def _walk(
    meta: Mapping[str, Any], level: Mapping[str, Any], prefix: str, series: str | None = None
) -> Iterator[tuple[str, Any]]:
    """The fields as `get_field` finds them: a key at the top, and keys within objects with dots between them."""
    if not prefix and series:
        yield "series", series
    for key, value in level.items():
        name = f"{prefix}{key}"
        if name in OWN_FIELDS or (prefix and ("." in key or name in meta)):
            continue
        yield name, value
        if isinstance(value, Mapping) and "." not in key:
            yield from _walk(meta, value, f"{name}.")


def encode_value(value: Any) -> Value:
    """A value as it is stored."""
    if isinstance(value, bool):
        return _TRUE if value else _FALSE
    if isinstance(value, str):
        if len(value) <= _LONGEST:
            return value
        return _DIGEST + hashlib.blake2b(value.encode(), digest_size=16).digest()
    if isinstance(value, float) or (isinstance(value, int) and -_MAX_INTEGER <= value < _MAX_INTEGER):
        return value
    return _MARK


def insert_values(connection: sqlite3.Connection, rows: Iterator[tuple[int, Mapping[str, Any], str | None]]) -> None:
    """Store the values of documents, given as `seq`, metadata and series."""
    connection.executemany(
        "INSERT OR IGNORE INTO fields VALUES (?, ?, ?)",
        ((name, value, seq) for seq, meta, series in rows for name, value in list_values(meta, series)),
    )


def forget_values(connection: sqlite3.Connection, seqs: Sequence[int]) -> None:
    """Remove the values of documents, which are looked up: the table is not in the order of documents."""
    for seq in seqs:
        for meta, series in connection.execute("SELECT meta, series FROM documents WHERE seq = ?", (seq,)):
            connection.executemany(
                "DELETE FROM fields WHERE name = ? AND value = ? AND seq = ?",
                [(name, value, seq) for name, value in list_values(json.loads(meta), series)],
            )


def ensure_table(connection: sqlite3.Connection, generation: int) -> None:
    """Fill the table from the documents, unless it is complete for this generation; within a transaction."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'fields'").fetchone()
    if row is not None and row[0] == generation:
        return
    connection.execute("DROP TABLE IF EXISTS fields")
    connection.execute(TABLE)
    documents = connection.execute("SELECT seq, meta, series FROM documents")
    insert_values(connection, ((seq, json.loads(meta), series) for seq, meta, series in documents))
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('fields', ?)", (generation,))


def is_table_right(connection: sqlite3.Connection, generation: int) -> bool:
    """Whether the table has the values of all documents and no others; also where it is not complete yet."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'fields'").fetchone()
    if row is None or row[0] != generation:
        return True
    documents = connection.execute("SELECT seq, meta, series FROM documents")
    expected = (
        (name, value, seq) for seq, meta, series in documents for name, value in list_values(json.loads(meta), series)
    )
    return _sum_rows(expected) == _sum_rows(connection.execute("SELECT name, value, seq FROM fields"))


def _sum_rows(rows: Iterable[tuple[Any, ...]]) -> tuple[int, int]:
    """The number of rows, and a sum of their digests that does not depend on their order."""
    count = total = 0
    for row in rows:
        count += 1
        total += int.from_bytes(hashlib.blake2b(repr(row).encode(), digest_size=8).digest(), "big")
    return count, total


def rebuild_table(connection: sqlite3.Connection, generation: int) -> None:
    """Fill the table anew, in a transaction of its own."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("DELETE FROM meta WHERE key = 'fields'")
        ensure_table(connection, generation)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def find_seqs(fetch: Fetch, name: str, operator: str, value: Any) -> list[int] | None:
    """The documents with a value that meets a condition, in no order; None where the table cannot say.

    `operator` is "exists", "in" with a list, or an order.
    """
    if operator == "exists":
        return [seq for (seq,) in fetch("SELECT DISTINCT seq FROM fields WHERE name = ?", (name,))]
    if operator == "in":
        if _has_bytes(fetch, name, _MARK):
            return None
        found: dict[int, None] = {}
        for item in value:
            rows = fetch("SELECT seq FROM fields WHERE name = ? AND value = ?", (name, encode_value(item)))
            found.update(dict.fromkeys(seq for (seq,) in rows))
        return list(found)
    if _has_bytes(fetch, name, _DIGEST):
        return None
    encoded = encode_value(value)
    if isinstance(encoded, bytes):
        return [] if encoded in (_TRUE, _FALSE) else None  # the values are compared with a long text one by one
    # Only numbers compare with numbers, and texts with texts: all numbers are below '', and all texts below bytes.
    within = "value < ''" if not isinstance(encoded, str) else "value >= '' AND value < x''"
    statement = f"SELECT DISTINCT seq FROM fields WHERE name = ?1 AND {_BOUNDS[operator]} AND {within}"
    return [seq for (seq,) in fetch(statement, (name, encoded))]


def read_values(fetch: Fetch, name: str) -> list[tuple[int, Any]] | None:
    """The documents with their values of a field; None where the table does not have them all."""
    if _has_bytes(fetch, name, _DIGEST):
        return None
    rows = fetch("SELECT seq, value FROM fields WHERE name = ?", (name,))
    return [(seq, value == _TRUE if isinstance(value, bytes) else value) for seq, value in rows]


def _has_bytes(fetch: Fetch, name: str, least: bytes) -> bool:
    return bool(fetch("SELECT 1 FROM fields WHERE name = ? AND value >= ? LIMIT 1", (name, least)))
