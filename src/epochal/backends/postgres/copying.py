"""COPY in its binary form: rows to the server without a word of text in between.

A file of it is a head, records and a tail. A record is a count of fields, and for each a length and so many bytes, all
numbers the big end first.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from epochal.times import OPEN_END, OPEN_START, Span

if TYPE_CHECKING:
    from epochal.backends.postgres.driver import Connection

__all__ = ["copy_in", "int4", "int8", "int8range", "record", "vector"]

_HEAD: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TAIL: Final = b"\xff\xff"
_NULL: Final = struct.pack(">i", -1)
_SIZE: Final = struct.Struct(">i")
_FIELDS: Final = struct.Struct(">h")
#: The marks of a range: its lower bound is in it; it has no lower, or no upper bound.
_LOWER_IN, _NO_LOWER, _NO_UPPER = 0x02, 0x08, 0x10

int4: Final = struct.Struct(">i").pack
int8: Final = struct.Struct(">q").pack


def int8range(span: Span) -> bytes:
    """A span as a range of whole numbers; an end that is open has no bound.

    >>> int8range(Span.parse("1998")).hex(" ", 4)
    '02 00000008 00000000 34aadc80 00000008 00000000 368c1000'
    >>> int8range(Span.parse("../..")).hex()
    '18'
    """
    marks, ends = 0, b""
    if span.start == OPEN_START:
        marks |= _NO_LOWER
    else:
        marks |= _LOWER_IN
        ends += _SIZE.pack(8) + int8(span.start)
    if span.end == OPEN_END:
        marks |= _NO_UPPER
    else:
        ends += _SIZE.pack(8) + int8(span.end)
    return bytes([marks]) + ends


def vector(numbers: npt.NDArray[np.float32]) -> bytes:
    """A vector as pgvector has it.

    >>> vector(np.array([1, 2], dtype=np.float32)).hex()
    '000200003f80000040000000'
    """
    return struct.pack(">hh", len(numbers), 0) + numbers.astype(">f4").tobytes()


def record(*fields: bytes | None) -> bytes:
    """A record of fields in their binary form; None is null.

    >>> record(b"ab", None).hex(" ")
    '00 02 00 00 00 02 61 62 ff ff ff ff'
    """
    parts = [_FIELDS.pack(len(fields))]
    for field in fields:
        parts.append(_NULL if field is None else _SIZE.pack(len(field)) + field)
    return b"".join(parts)


def copy_in(connection: Connection[Any], table: str, columns: Sequence[str], records: Iterable[bytes]) -> None:
    """Write records into a table of the schema. Names of tables and columns come from the code, never from outside.

    >>> copy_in.__name__
    'copy_in'
    """
    names = ", ".join(columns)
    target = f"epochal.{table}"
    # PostgreSQL does not copy into a table whose rows are guarded from the one who copies; it inserts.
    (guarded,) = connection.execute("SELECT row_security_active(%s::text)", (target,)).fetchone()
    if guarded:
        target = f"incoming_{table}"
        connection.execute(
            f"CREATE TEMP TABLE IF NOT EXISTS {target} ON COMMIT DELETE ROWS AS SELECT {names} FROM epochal.{table} "
            "WITH NO DATA"
        )
    _copy(connection, f"COPY {target} ({names}) FROM STDIN (FORMAT BINARY)", records)
    if guarded:
        connection.execute(f"INSERT INTO epochal.{table} ({names}) SELECT {names} FROM {target}")
        connection.execute(f"TRUNCATE {target}")


def _copy(connection: Connection[Any], statement: str, records: Iterable[bytes]) -> None:
    with connection.cursor().copy(statement) as copy:
        copy.write(_HEAD)
        waiting: list[bytes] = []
        size = 0
        for item in records:
            waiting.append(item)
            size += len(item)
            if size > 1 << 18:
                copy.write(b"".join(waiting))
                waiting, size = [], 0
        copy.write(b"".join(waiting) + _TAIL)
