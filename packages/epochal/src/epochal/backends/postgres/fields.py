"""The table of metadata values: which documents have which value of which field, in the order of values.

It has what `epochal.storage.field_table` keeps in SQLite. Names and values are bytes, which the server compares one by
one: a byte for the kind, then a number whose bytes have its order, or a text in UTF-8. So one b-tree serves equality,
ranges and existence. An index from before there was this table gets it with its next write, and is filtered by reading
the metadata of all documents until then.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from epochal.backends.postgres.rows import copy_in, int8, load_meta, record
from epochal.storage.field_table import Value, encode_value, list_values

if TYPE_CHECKING:
    from epochal.backends.postgres.connection import Connection
    from epochal.backends.postgres.tables import Namespace, PostgresSnapshot

_COLUMNS: Final = ("space", "name", "value", "row")
_NUMBER: Final = b"\1"
_TEXT: Final = b"\2"
#: True and false, digests of long texts, and the mark of what no filter compares with, as SQLite has them.
_OTHER: Final = b"\3"
_DIGEST: Final = _OTHER + b"\2"
_MARK: Final = _OTHER + b"\3"
#: Names that are longer, in bytes, are stored by their digests: a row of a b-tree has little room.
_LONGEST_NAME: Final = 500
#: Whole numbers up to here are exact as floating-point numbers.
_EXACT: Final = 2**53
_OPERATORS: Final = ("<", "<=", ">", ">=")
_BATCH: Final = 1000


def pack_name(name: str) -> bytes:
    """The name of a field as it is stored."""
    data = name.encode("utf-8", "surrogatepass")
    return data if len(data) <= _LONGEST_NAME else b"\0" + hashlib.blake2b(data, digest_size=32).digest()


def pack_value(value: Value) -> bytes:
    """A value of `list_values` as it is stored: bytes in the order of values."""
    if isinstance(value, str):
        return _TEXT + value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return _OTHER + value
    if isinstance(value, int) and abs(value) > _EXACT:
        return _MARK
    (bits,) = struct.unpack(">Q", struct.pack(">d", value + 0.0))  # + 0.0: there is one zero
    return _NUMBER + struct.pack(">Q", bits ^ (2**64 - 1 if bits >> 63 else 1 << 63))


def write_fields(
    connection: Connection[Any], space: int, documents: Iterable[tuple[int, Mapping[str, Any], str | None]]
) -> None:
    """Store the values of documents, given as row, metadata and series."""
    copy_in(connection, "fields", _COLUMNS, _make_records(space, documents))


def _make_records(space: int, documents: Iterable[tuple[int, Mapping[str, Any], str | None]]) -> Iterator[bytes]:
    for row, meta, series in documents:
        for name, value in _list_packed(meta, series):
            yield record(int8(space), name, value, int8(row))


def _list_packed(meta: Mapping[str, Any], series: str | None) -> list[tuple[bytes, bytes]]:
    pairs = ((pack_name(name), pack_value(value)) for name, value in list_values(meta, series))
    return list(dict.fromkeys(pairs))


def fill_fields(connection: Connection[Any], state: Namespace) -> None:
    """Fill the table from the documents, within a transaction."""
    connection.execute("DELETE FROM epochal.fields WHERE space = %s", (state.space,))
    for first in range(0, state.documents, _BATCH):
        write_fields(connection, state.space, _read_documents(connection, state, first))
    connection.execute("UPDATE epochal.namespaces SET fields = true WHERE space = %s", (state.space,))


def _read_documents(
    connection: Connection[Any], state: Namespace, first: int
) -> list[tuple[int, dict[str, Any], str | None]]:
    rows = connection.execute(
        "SELECT row, meta::text, series FROM epochal.documents WHERE space = %s AND row >= %s AND row < %s "
        "ORDER BY row",
        (state.space, first, min(first + _BATCH, state.documents)),
    ).fetchall()
    return [(row, load_meta(meta), series) for row, meta, series in rows]


def are_fields_right(connection: Connection[Any], state: Namespace) -> bool:
    """Whether the table has the values of all documents, and no others."""
    for first in range(0, state.documents, _BATCH):
        expected = {
            (row, name, value)
            for row, meta, series in _read_documents(connection, state, first)
            for name, value in _list_packed(meta, series)
        }
        stored = connection.execute(
            "SELECT row, name, value FROM epochal.fields WHERE space = %s AND row >= %s AND row < %s",
            (state.space, first, min(first + _BATCH, state.documents)),
            binary=True,
        ).fetchall()
        if {(row, bytes(name), bytes(value)) for row, name, value in stored} != expected:
            return False
    return True


def make_lookup(space: int, name: str, operator: str, value: Any) -> tuple[str, dict[str, Any]] | None:
    """The statement that finds the documents with a value that meets a condition; None where the table cannot say.

    `operator` is "exists", "in" with a list, or an order; see `FieldColumn.find_rows`.
    """
    statement = "SELECT DISTINCT row FROM epochal.fields WHERE space = %(space)s AND name = %(name)s"
    values: dict[str, Any] = {"space": space, "name": pack_name(name)}
    if operator == "exists":
        return statement, values
    if operator == "in":
        packed = [pack_value(encode_value(item)) for item in value]
        return None if _MARK in packed else (f"{statement} AND value = ANY(%(values)s)", {**values, "values": packed})
    bound = pack_value(encode_value(value))
    if operator not in _OPERATORS or bound.startswith(_OTHER):
        return None
    # Only numbers compare with numbers, and texts with texts.
    kind = bound[:1]
    limits = {"bound": bound, "low": kind, "high": bytes([kind[0] + 1])}
    return (
        f"{statement} AND value >= %(low)s AND value < %(high)s AND value {operator} %(bound)s",
        {**values, **limits},
    )


def find_field_rows(snapshot: PostgresSnapshot, name: str, operator: str, value: Any) -> list[int] | None:
    """The documents, dead ones too, with a value that meets a condition; None where the table cannot say."""
    lookup = make_lookup(snapshot.state.space, name, operator, value) if snapshot.state.fields else None
    if lookup is None:
        return None
    if operator != "exists":
        # A digest has no order, and what a mark represents may be equal to anything.
        incomparable = snapshot.fetch(
            "SELECT 1 FROM epochal.fields WHERE space = %s AND name = %s AND value >= %s LIMIT 1",
            (snapshot.state.space, pack_name(name), _MARK if operator == "in" else _DIGEST),
        )
        if incomparable:
            return None
    return [row for (row,) in snapshot.fetch(*lookup)]
