"""Stored rows: written by binary COPY, and read back equal to what was written.

PostgreSQL's texts cannot hold NUL. Where a title or a text has one, a space is stored in its place and its positions
beside it, so lengths and offsets do not change.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from epochal.backends.postgres.tables import PostgresSnapshot
from epochal.storage.checksums import sum_passages, sum_vectors
from epochal.storage.metadata import OWN_FIELDS, get_meta_field
from epochal.storage.protocol import PassageText, Rows, StoredPassage, expand_runs
from epochal.storage.records import Document, Entry, Passage, pack_datings, parse_meta, unpack_datings, unpack_span
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.span import Span

if TYPE_CHECKING:
    from epochal.backends.postgres.connection import Connection

_HEAD: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TAIL: Final = b"\xff\xff"
_NULL: Final = struct.pack(">i", -1)
_SIZE: Final = struct.Struct(">i")
_COPIED_FIELDS: Final = struct.Struct(">h")
#: The marks of a range: its lower bound is in it; it has no lower, or no upper bound.
_LOWER_IN, _NO_LOWER, _NO_UPPER = 0x02, 0x08, 0x10

int4: Final = struct.Struct(">i").pack
int8: Final = struct.Struct(">q").pack


def int8range(span: Span) -> bytes:
    """A span as a range of whole numbers; an end that is open has no bound."""
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
    """A vector as pgvector has it."""
    return struct.pack(">hh", len(numbers), 0) + numbers.astype(">f4").tobytes()


def record(*fields: bytes | None) -> bytes:
    """A record of fields in their binary form; None is null."""
    parts = [_COPIED_FIELDS.pack(len(fields))]
    for field in fields:
        parts.append(_NULL if field is None else _SIZE.pack(len(field)) + field)
    return b"".join(parts)


def copy_in(connection: Connection[Any], table: str, columns: Sequence[str], records: Iterable[bytes]) -> None:
    """Write records into a table of the schema. Names of tables and columns come from the code, never from outside."""
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


FIELDS: Final = "id, text, title, published, valid, series, meta::text, nuls"


def without_nuls(title: str, text: str) -> tuple[str, str, list[int] | None]:
    """A title and a text that PostgreSQL can hold, and the places in both together that were NUL."""
    if "\0" not in title and "\0" not in text:
        return title, text, None
    positions = [position for position, char in enumerate(title + text) if char == "\0"]
    return title.replace("\0", " "), text.replace("\0", " "), positions


def restore_nul(text: str, places: Sequence[int] | None, start: int) -> str:
    """A text that begins at `start` of what the places are counted in, with NUL where it was."""
    if not places:
        return text
    chars = list(text)
    for position in places:
        if start <= position < start + len(chars):
            chars[position - start] = "\0"
    return "".join(chars)


class StoredRows:
    """Reads what one state has stored."""

    def __init__(self, moment: PostgresSnapshot) -> None:
        self._moment = moment
        self._space = moment.state.space

    def get_documents(self, rows: Rows) -> list[Document]:
        """The documents of some rows, in their order."""
        by_row = {
            item[0]: make_document(item[1:])
            for item in self._moment.fetch(
                f"SELECT row, {FIELDS} FROM epochal.documents WHERE space = %s AND row = ANY(%s::int8[])",
                (self._space, np.unique(rows)),
            )
        }
        return self._order_by_rows(by_row, rows, "documents")

    def find_rows(self, ids: Sequence[str]) -> dict[str, int]:
        """The rows of the documents that have some ids; unknown ids are left out."""
        generation = self._moment.state.seen_generation
        rows_by_id = self._moment.fetch(
            "SELECT id, row FROM epochal.documents "
            "WHERE space = %s AND id = ANY(%s::text[]) AND born <= %s AND died > %s",
            (self._space, storable(ids), generation, generation),
        )
        return dict(rows_by_id)

    def get_field_values(self, name: str) -> list[tuple[int, Any]]:
        """The row and the value of a field of each document that has it."""
        generation = self._moment.state.seen_generation
        where = "space = %(space)s AND born <= %(now)s AND died > %(now)s"
        values = {"space": self._space, "now": generation}
        if name in OWN_FIELDS:
            statement = f"SELECT row, nullif({name}, '') FROM epochal.documents WHERE {where}"
            return list(self._moment.fetch(statement, values))
        # PostgreSQL cannot look into JSON with the character NUL: such metadata are read here.
        value = "coalesce(meta #> %(key)s::text[], meta #> %(path)s::text[])"
        matches = self._moment.fetch(
            f"SELECT row, is_whole, CASE WHEN is_whole THEN meta::text ELSE ({value})::text END FROM "
            r"(SELECT row, meta, strpos(meta::text, '\u0000') > 0 AS is_whole FROM epochal.documents "
            f"WHERE {where}) AS d WHERE CASE WHEN is_whole THEN true ELSE {value} IS NOT NULL END",
            {**values, "key": [name], "path": name.split(".")},
        )
        loaded = ((row, is_whole, json.loads(text)) for row, is_whole, text in matches)
        return [(row, get_meta_field(value, name) if is_whole else value) for row, is_whole, value in loaded]

    def get_texts(self, rows: Rows) -> list[PassageText]:
        """The texts of some passages with their titles, in their order."""
        by_row = {
            row: PassageText(restore_nul(title, nuls, 0), restore_nul(text, nuls, len(title) + start), start)
            for row, title, text, start, nuls in self._moment.fetch(
                "SELECT p.row, title, substr(text, start_char + 1, end_char - start_char), start_char, nuls "
                "FROM epochal.passages p JOIN epochal.documents d ON d.space = p.space AND d.row = p.document "
                "WHERE p.space = %s AND p.row = ANY(%s::int8[])",
                (self._space, np.unique(rows)),
            )
        }
        return self._order_by_rows(by_row, rows, "passages")

    def get_passages(self, rows: Rows, firsts: Rows) -> list[StoredPassage]:
        """Some passages, in their order; `firsts` are the first passages of their documents."""
        begins = dict(zip(rows.tolist(), firsts.tolist(), strict=True))
        datings = self._read_datings(np.unique(rows))
        by_row = {
            row: StoredPassage(
                row,
                document,
                row - begins[row],
                restore_nul(text, nuls, title_tokens + start),
                start,
                unpack_datings(datings.get(row, b"")),
            )
            for row, document, text, start, nuls, title_tokens in self._moment.fetch(
                "SELECT p.row, document, substr(text, start_char + 1, end_char - start_char), start_char, nuls, "
                "length(title) FROM epochal.passages p JOIN epochal.documents d ON d.space = p.space "
                "AND d.row = p.document WHERE p.space = %s AND p.row = ANY(%s::int8[])",
                (self._space, np.unique(rows)),
            )
        }
        return self._order_by_rows(by_row, rows, "passages")

    def codes(self, rows: Rows) -> list[tuple[int, bytes]]:
        """How many of its codes each passage has from its title, and all of them; for rows that ascend."""
        by_row = {
            row: (title_tokens, codes)
            for row, title_tokens, codes in self._moment.fetch(
                "SELECT row, title_tokens, codes FROM epochal.passages WHERE space = %s AND row = ANY(%s::int8[])",
                (self._space, rows),
            )
        }
        return self._order_by_rows(by_row, rows, "passages")

    def get_entries(self, rows: Rows) -> list[Entry]:
        """Everything that was stored with the documents of some rows, in their order."""
        distinct = np.unique(rows)
        documents = dict(zip(distinct.tolist(), self.get_documents(distinct), strict=True))
        split: dict[int, list[Passage]] = {row: [] for row in documents}
        stored: dict[int, list[tuple[bytes, bytes]]] = {row: [] for row in documents}
        bounds = self._moment.fetch(
            "SELECT first_passage, passages::int8 FROM epochal.documents WHERE space = %s AND row = ANY(%s::int8[])",
            (self._space, distinct),
        )
        own = np.sort(expand_runs(*np.array(bounds, dtype=np.int64).reshape(-1, 2).T))
        fetched = self._moment.fetch(
            "SELECT p.document, p.row, start_char, end_char, key, embedding FROM epochal.passages p "
            "LEFT JOIN epochal.vectors v ON v.space = p.space AND v.row = p.row "
            "WHERE p.space = %s AND p.row = ANY(%s::int8[]) ORDER BY p.row",
            (self._space, own),
        )
        datings = self._read_datings(own)
        for document, row, start, end, key, embedding in fetched:
            split[document].append(Passage(start, end, unpack_datings(datings.get(row, b""))))
            if embedding is not None:
                stored[document].append((key, embedding))
        return [self._make_entry(documents[row], split[row], stored[row]) for row in rows.tolist()]

    def _make_entry(self, document: Document, passages: list[Passage], stored: list[tuple[bytes, bytes]]) -> Entry:
        dim = self._moment.state.dim
        if not dim:
            return Entry(document, tuple(passages))
        numbers = b"".join(packed[4:] for _, packed in stored)
        vectors = np.frombuffer(numbers, dtype=">f4").astype(np.float32).reshape(-1, dim)
        return Entry(document, tuple(passages), vectors, tuple(key for key, _ in stored))

    def _read_datings(self, rows: Rows) -> dict[int, bytes]:
        datings: dict[int, bytes] = {}
        for row, dating in self._moment.fetch(
            "SELECT row, dating FROM epochal.times WHERE space = %s AND row = ANY(%s::int8[]) ORDER BY row, place",
            (self._space, rows),
        ):
            datings[row] = datings.get(row, b"") + dating
        return datings

    def _order_by_rows(self, by_row: dict[int, Any], rows: Rows, what: str) -> list[Any]:
        try:
            return [by_row[row] for row in rows.tolist()]
        except KeyError as error:
            raise self._moment.lost(f"{what}, row {error.args[0]} for one") from None


def storable(ids: Sequence[str]) -> list[str]:
    """Those of the ids that the server can hold; no document has another."""
    return [id for id in dict.fromkeys(ids) if not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in id)]


def load_meta(text: str) -> dict[str, Any]:
    """The metadata of a document; of a damaged one, which has no table of names there, none."""
    loaded = json.loads(text)
    return loaded if isinstance(loaded, dict) else {}


def make_document(item: Sequence[Any]) -> Document:
    """A document of the fields `FIELDS`."""
    id, text, title, published, valid, series, meta, nuls = item
    return Document(
        id,
        restore_nul(text, nuls, len(title)),
        restore_nul(title, nuls, 0),
        None if published is None else unpack_span(published),
        None if valid is None else unpack_span(valid),
        series,
        parse_meta(meta),
    )


def compute_sums(entry: Entry) -> list[int]:
    """The checksum of the passages of a document with their times, and that of its vectors."""
    passages = sum_passages(
        (0, passage.start_char, passage.end_char, pack_datings(passage.datings)) for passage in entry.passages
    )
    numbers = b"" if entry.vectors is None else np.ascontiguousarray(entry.vectors, dtype="<f4").tobytes()
    return [passages.get(0, 0), sum_vectors([(0, numbers)]).get(0, 0)]
