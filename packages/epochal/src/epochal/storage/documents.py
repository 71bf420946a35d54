"""The document database: snapshots to read from, checks of what is added, and one transaction per write."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from epochal.errors import EpochalError, StorageError
from epochal.storage import field_table
from epochal.storage.checksums import forget_checksums, insert_checksums
from epochal.storage.columns import DerivedManifest
from epochal.storage.identity import find_mismatch, forget_marks, mark_generation
from epochal.storage.metadata import OWN_FIELDS
from epochal.storage.protocol import LINE_SAMPLE, Heading, find_first_line
from epochal.storage.records import (
    Document,
    Entry,
    Passage,
    has_position,
    pack_datings,
    pack_span,
    unpack_datings,
    unpack_span,
)
from epochal.storage.schema import NEVER, ORDINAL_BITS, State, connect, read_next, read_state, wrap_errors
from epochal.times.span import Span

#: So many headings are kept in memory.
_MAX_HEADINGS: Final = 20_000
_CHUNK: Final = 500  # below the smallest limit on parameters of any build of SQLite
_COLUMNS: Final = "id, text, title, published, valid, series, meta"
_OF_DOCUMENTS: Final = ", ".join(f"documents.{name}" for name in _COLUMNS.split(", "))


def split_chunks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Runs of a list that are short enough for one statement."""
    return (values[low : low + _CHUNK] for low in range(0, len(values), _CHUNK))


class Snapshot:
    """A snapshot of the document database. Any thread may read it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._connection = connect(folder)
        with wrap_errors(folder, "read"):
            self._connection.execute("BEGIN")
            self.state: State = read_state(self._connection)  # the first read pins the snapshot
        self._headings: dict[int, Heading] = {}

    def close(self) -> None:
        """Release the snapshot, so that the log can be merged into the file."""
        self._connection.close()

    def _fetch(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._lock, wrap_errors(self._folder, "read"):
            return self._connection.execute(statement, values).fetchall()

    def _fetch_chunks(self, statement: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        for chunk in split_chunks(values):
            yield from self._fetch(statement.format(",".join("?" * len(chunk))), chunk)

    def find_mismatch(self, manifest: DerivedManifest) -> str | None:
        """Describe why derived files cannot be of this document database."""
        with self._lock, wrap_errors(self._folder, "read"):
            return find_mismatch(manifest, self._connection, self.state)

    def get_documents(self, seqs: Sequence[int]) -> list[Document]:
        """The documents with some `seq` numbers."""
        rows = self._fetch_chunks(f"SELECT seq, {_COLUMNS} FROM documents WHERE seq IN ({{}})", _drop_repeated(seqs))
        with wrap_errors(self._folder, "read"):
            by_row = {row[0]: _make_document(row[1:]) for row in rows}
        return [self._require(by_row, seq) for seq in seqs]

    def get_passage_documents(self, ids: Sequence[int]) -> list[tuple[Document, int, int]]:
        """The documents of the passages with some ids, and from where to where each passage is."""
        statement = (
            f"SELECT passages.id, start_char, end_char, {_OF_DOCUMENTS} FROM passages "
            f"JOIN documents ON documents.seq = passages.id >> {ORDINAL_BITS} WHERE passages.id IN ({{}})"
        )
        rows = self._fetch_chunks(statement, _drop_repeated(ids))
        with wrap_errors(self._folder, "read"):
            by_row = {row[0]: (_make_document(row[3:]), row[1], row[2]) for row in rows}
        return [self._require(by_row, id) for id in ids]

    def get_headings(self, seqs: Sequence[int]) -> list[Heading]:
        """The titles, series and metadata of documents; those that were read last are kept."""
        if len(self._headings) > _MAX_HEADINGS:
            self._headings = {}  # another thread may still read the old ones
        known = self._headings
        sample = f"CASE WHEN title = '' THEN substr(text, 1, {LINE_SAMPLE}) ELSE '' END"
        statement = f"SELECT seq, title, {sample}, series, meta FROM documents WHERE seq IN ({{}})"
        missing = [seq for seq in _drop_repeated(seqs) if seq not in known]
        for seq, title, beginning, series, meta in self._fetch_chunks(statement, missing):
            known[seq] = Heading(title or find_first_line(beginning), series, _parse_meta(meta))
        return [self._require(known, seq) for seq in seqs]

    def get_texts(self, seqs: Sequence[int]) -> dict[int, str]:
        """The texts of documents, by their `seq`."""
        return dict(self._fetch_chunks("SELECT seq, text FROM documents WHERE seq IN ({})", _drop_repeated(seqs)))

    def get_passages(self, ids: Sequence[int]) -> list[Passage]:
        """The passages with some ids."""
        statement = "SELECT id, start_char, end_char, datings FROM passages WHERE id IN ({})"
        rows = self._fetch_chunks(statement, _drop_repeated(ids))
        with wrap_errors(self._folder, "read"):
            by_id = {id: Passage(start, end, unpack_datings(datings)) for id, start, end, datings in rows}
        return [self._require(by_id, id) for id in ids]

    def get_titled_texts(self, ids: Sequence[int]) -> list[tuple[str, str, int]]:
        """The titles, texts and offsets of the passages with some ids."""
        statement = (
            "SELECT passages.id, title, substr(text, start_char + 1, end_char - start_char), start_char, end_char FROM "
            f"passages JOIN documents ON documents.seq = passages.id >> {ORDINAL_BITS} WHERE passages.id IN ({{}})"
        )
        by_row = {}
        for id, title, part, start, end in self._fetch_chunks(statement, _drop_repeated(ids)):
            # SQLite's substr ends at a NUL.
            text = (
                part
                if len(part) == end - start
                else self.get_texts([id >> ORDINAL_BITS])[id >> ORDINAL_BITS][start:end]
            )
            by_row[id] = title, text, start
        return [self._require(by_row, id) for id in ids]

    def get_entries(self, seqs: Sequence[int]) -> list[Entry]:
        """The entries of the documents with some `seq` numbers."""
        entries = []
        with wrap_errors(self._folder, "read"):
            for seq, document in zip(seqs, self.get_documents(seqs), strict=True):
                bounds = (seq << ORDINAL_BITS, (seq + 1) << ORDINAL_BITS)
                passages = self._fetch(
                    "SELECT start_char, end_char, datings FROM passages WHERE id >= ? AND id < ? ORDER BY id", bounds
                )
                stored = self._fetch("SELECT key, vector FROM vectors WHERE id >= ? AND id < ? ORDER BY id", bounds)
                vectors = keys = None
                if self.state.dim and not self.state.is_made:
                    packed = b"".join(vector for _, vector in stored)
                    vectors = np.frombuffer(packed, dtype="<f4").reshape(-1, self.state.dim)
                    keys = tuple(key for key, _ in stored)
                split = tuple(Passage(start, end, unpack_datings(datings)) for start, end, datings in passages)
                entries.append(Entry(document, split, vectors, keys))
        return entries

    def find_seqs(self, ids: Sequence[str], generation: int) -> dict[str, int]:
        """The `seq` numbers of the documents that had the ids in a generation, without unknown ids."""
        storable = [id for id in dict.fromkeys(ids) if not any("\ud800" <= char <= "\udfff" for char in id)]
        statement = "SELECT id, seq, born, died FROM documents WHERE id IN ({})"
        return {id: seq for id, seq, born, died in self._fetch_chunks(statement, storable) if born <= generation < died}

    def find_field_seqs(self, name: str, operator: str, value: Any) -> list[int] | None:
        """The `seq` numbers of documents of any generation that meet a condition; None where no table says."""
        if name == "id" and operator == "in":
            ids = [item for item in value if isinstance(item, str)]
            return [seq for (seq,) in self._fetch_chunks("SELECT seq FROM documents WHERE id IN ({})", ids)]
        if self.state.fields != self.state.generation or name in ("id", "title"):
            return None
        return field_table.find_seqs(self._fetch, name, operator, value)

    def get_field_values(self, name: str) -> Iterable[tuple[int, Any]]:
        """The `seq` and the value of a field of each document of any generation that has it."""
        stored = None
        if self.state.fields == self.state.generation and name not in ("id", "title"):
            stored = field_table.read_values(self._fetch, name)
        return self._extract_field_values(name) if stored is None else stored

    def _extract_field_values(self, name: str) -> Iterator[tuple[int, Any]]:
        if name in OWN_FIELDS:
            yield from self._fetch(f"SELECT seq, nullif({name}, '') FROM documents", ())
            return
        if '"' in name:
            return  # SQLite has no way to write it in a path
        path = "".join(f'."{part}"' for part in name.split("."))
        # A key at the top counts before one within an object, also where it is null.
        statement = (
            "SELECT seq, json_type(meta, at), json_extract(meta, at) FROM "
            "(SELECT seq, meta, CASE WHEN json_type(meta, ?1) IS NULL THEN ?2 ELSE ?1 END AS at FROM documents) "
            "WHERE json_type(meta, at) IS NOT NULL"
        )
        for seq, kind, value in self._fetch(statement, (f'$."{name}"', f"${path}")):
            yield seq, _read_json(kind, value)

    def count(self, generation: int) -> tuple[int, int]:
        """The numbers of documents and passages in a generation."""
        (documents,) = self._fetch("SELECT count(*) FROM documents WHERE born <= ?1 AND died > ?1", (generation,))
        (passages,) = self._fetch(
            "SELECT count(*) FROM documents d JOIN passages p ON p.id >= d.seq << ?2 AND p.id < (d.seq + 1) << ?2 "
            "WHERE d.born <= ?1 AND d.died > ?1",
            (generation, ORDINAL_BITS),
        )
        return documents[0], passages[0]

    def _require(self, by_row: dict[int, Any], number: int) -> Any:
        if number not in by_row:
            raise StorageError(
                f"the index {str(self._folder)!r} has lost a row ({number}) that its derived files refer to; run "
                f"`epochal check`"
            )
        return by_row[number]


def _drop_repeated(values: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(values))


def _make_document(row: Sequence[Any]) -> Document:
    id, text, title, published, valid, series, meta = row
    return Document(
        id,
        text,
        title,
        None if published is None else unpack_span(published),
        None if valid is None else unpack_span(valid),
        series,
        {} if meta == "{}" else json.loads(meta),
    )


def _parse_meta(meta: str) -> Mapping[str, Any]:
    """Metadata that are only read: many documents have the same few."""
    parsed: Mapping[str, Any] = _recall_meta(meta) if len(meta) <= _SHORT_META else json.loads(meta)
    return parsed


_SHORT_META: Final = 1_000


@lru_cache(maxsize=1 << 12)
def _recall_meta(meta: str) -> Any:
    return json.loads(meta)


def _read_json(kind: str, value: Any) -> Any:
    """A value of JSON from its type and what SQLite extracts: 1 for true, and the text of a list."""
    if kind in ("true", "false"):
        return kind == "true"
    return json.loads(value) if kind in ("array", "object") else value


_MAX_PASSAGES = 1 << ORDINAL_BITS
_MAX_CHARS = 2**31 - 1
_MARK = "UPDATE documents SET died = ? WHERE id = ? AND died = ?"


def check_entries(entries: Sequence[Entry], dim: int, *, is_made: bool = False) -> None:
    """Raise an error for the first entry that cannot be stored; vectors that are made from texts need not be given."""
    seen: set[str] = set()
    for entry in entries:
        document = entry.document
        if document.id in seen:
            raise EpochalError(f"document {document.id!r} is given twice in one call; an id names one document")
        seen.add(document.id)
        _check_fields(document)
        _check_passages(document, entry.passages)
        if entry.vectors is not None or (not is_made and (dim or entry.keys is not None)):
            _check_vectors(entry, dim)
    if dim:
        _check_numbers(entries)


def _check_fields(document: Document) -> None:
    for name, value in (("published", document.published), ("valid", document.valid)):
        if value is not None and not isinstance(value, Span):
            raise EpochalError(f"{name} of document {document.id!r} must be a Span or None, but is {value!r}")
    if document.series is not None and not isinstance(document.series, str):
        raise EpochalError(f"the series of document {document.id!r} must be a text or None, but is {document.series!r}")
    if not isinstance(document.meta, Mapping):
        raise EpochalError(f"the meta of document {document.id!r} must be a mapping, but is {document.meta!r}")


def _check_passages(document: Document, passages: tuple[Passage, ...]) -> None:
    length = len(document.text)
    if len(passages) > _MAX_PASSAGES or length > _MAX_CHARS:
        raise EpochalError(
            f"document {document.id!r} has {len(passages):,} passages and {length:,} characters; accepted: up to "
            f"{_MAX_PASSAGES:,} passages and {_MAX_CHARS:,} characters"
        )
    for ordinal, passage in enumerate(passages):
        if not 0 <= passage.start_char <= passage.end_char <= length:
            raise EpochalError(
                f"passage {ordinal} of document {document.id!r} runs from {passage.start_char} to {passage.end_char}, "
                f"but the text has {length} characters"
            )
        size = passage.end_char - passage.start_char
        for dating in passage.datings:
            if not isinstance(dating.span, Span):
                raise EpochalError(
                    f"a dating of passage {ordinal} of document {document.id!r} must have a Span, but has "
                    f"{dating.span!r}"
                )
            if not has_position(dating, size):
                raise EpochalError(
                    f"a dating of passage {ordinal} of document {document.id!r} runs from {dating.start_char} to "
                    f"{dating.end_char}, but the passage has {size} characters"
                )
            if not 0 <= dating.confidence < float("inf"):
                raise EpochalError(
                    f"a dating of passage {ordinal} of document {document.id!r} has the confidence "
                    f"{dating.confidence}; accepted: a number from 0 up"
                )


def _check_vectors(entry: Entry, dim: int) -> None:
    name, count = entry.document.id, len(entry.passages)
    if entry.keys is not None and not all(isinstance(key, bytes) for key in entry.keys):
        raise EpochalError(f"the keys of document {name!r} must be bytes, but are {entry.keys!r}")
    if entry.keys is not None and len(entry.keys) != count:
        raise EpochalError(f"document {name!r} has {count} passages, but {len(entry.keys)} keys for their vectors")
    if not dim:
        if entry.vectors is not None and np.size(entry.vectors):
            raise EpochalError(f"document {name!r} comes with vectors, but the index was made without an encoder")
        return
    if entry.vectors is None:
        if count:
            raise EpochalError(f"document {name!r} comes without vectors, but the index needs {dim} numbers a passage")
        return
    vectors = np.asarray(entry.vectors)
    if vectors.shape != (count, dim):
        raise EpochalError(
            f"the vectors of document {name!r} have the shape {vectors.shape}, but must have {(count, dim)}: one a "
            f"passage, {dim} numbers each"
        )


def _check_numbers(entries: Sequence[Entry]) -> None:
    """Raise an error for the first vectors that hold, as they are stored, a number that is not finite."""
    given = [(entry, np.asarray(entry.vectors)) for entry in entries if entry.vectors is not None]
    with np.errstate(over="ignore", invalid="ignore"):
        stored = [vectors.astype(np.float32, copy=False) for _, vectors in given]
    if stored and not np.isfinite(np.concatenate(stored)).all():
        names = (
            entry.document.id for (entry, _), rows in zip(given, stored, strict=True) if not np.isfinite(rows).all()
        )
        raise EpochalError(f"the vectors of document {next(names)!r} hold a number that is not finite")


def insert(connection: sqlite3.Connection, entries: Sequence[Entry], *, is_made: bool = False) -> None:
    """Store checked entries, replacing those with the same ids, as one generation; without vectors if they are made."""
    with _begin_generation(connection) as generation:
        first = read_next(connection)
        connection.execute("UPDATE meta SET value = ? WHERE key = 'next'", (first + len(entries),))
        replaced = list(_find_alive(connection, [entry.document.id for entry in entries]))
        connection.executemany(_MARK, ((generation, id, NEVER) for id in replaced))
        connection.executemany(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (_make_document_row(entry.document, seq, generation) for seq, entry in enumerate(entries, first)),
        )
        passages = [
            ((seq << ORDINAL_BITS) + ordinal, seq, passage.start_char, passage.end_char, pack_datings(passage.datings))
            for seq, entry in enumerate(entries, first)
            for ordinal, passage in enumerate(entry.passages)
        ]
        connection.executemany("INSERT INTO passages VALUES (?, ?, ?, ?, ?)", passages)
        vectors = [] if is_made else list(_make_vector_rows(entries, first))
        connection.executemany("INSERT INTO vectors VALUES (?, ?, ?)", vectors)
        insert_checksums(connection, range(first, first + len(entries)), passages, vectors)
        documents = ((seq, entry.document) for seq, entry in enumerate(entries, first))
        described = ((seq, item.meta, item.series) for seq, item in documents if item.meta or item.series)
        field_table.insert_values(connection, described)


#: Made once: `json.dumps` makes an encoder for each text.
_write_meta: Final = json.JSONEncoder(allow_nan=False, ensure_ascii=False).encode


def encode_document(document: Document) -> tuple[str, bytes]:
    """Return the meta of a document as JSON, and its content hash; what no text file can hold is an error."""
    try:
        meta = _write_meta(dict(document.meta)) if document.meta else "{}"
        for text in (document.id, document.series or "", meta):
            if not text.isascii():
                text.encode()
        digest = document.content_hash()  # encodes the title and the text
    except UnicodeEncodeError as error:
        raise EpochalError(
            f"document {document.id!r} holds half a character ({error.object[error.start]!r}), which no text file can "
            f"hold; decode its source with errors='replace'"
        ) from error
    except (TypeError, ValueError) as error:
        raise EpochalError(f"the meta of document {document.id!r} is nothing that JSON can hold: {error}") from error
    return meta, digest


def _find_alive(connection: sqlite3.Connection, ids: Sequence[str]) -> Iterator[str]:
    """Those of the ids that documents have now."""
    for chunk in split_chunks(ids):
        marks = ",".join("?" * len(chunk))
        yield from (
            id
            for (id,) in connection.execute(f"SELECT id FROM documents WHERE died = {NEVER} AND id IN ({marks})", chunk)
        )


def _make_document_row(document: Document, seq: int, generation: int) -> tuple[object, ...]:
    return (
        seq,
        document.id,
        generation,
        NEVER,
        document.title,
        document.text,
        None if document.published is None else pack_span(document.published),
        None if document.valid is None else pack_span(document.valid),
        document.series,
        *encode_document(document),
    )


def _make_vector_rows(entries: Sequence[Entry], first: int) -> Iterator[tuple[int, bytes, bytes]]:
    for seq, entry in enumerate(entries, first):
        if entry.vectors is None or not np.size(entry.vectors):
            continue
        packed = np.ascontiguousarray(entry.vectors, dtype="<f4").tobytes()
        size = len(packed) // len(entry.passages)
        for ordinal in range(len(entry.passages)):
            vector = packed[ordinal * size : (ordinal + 1) * size]
            key = entry.keys[ordinal] if entry.keys else hashlib.blake2b(vector, digest_size=16).digest()
            yield (seq << ORDINAL_BITS) + ordinal, key, vector


def delete_documents(connection: sqlite3.Connection, ids: Iterable[str]) -> int:
    """Delete the documents of the ids, as one generation; returns how many there were."""
    existing = []
    for id in dict.fromkeys(ids):
        if not isinstance(id, str):
            raise EpochalError(f"a document's id must be a text, but {id!r} was given to be deleted")
        # Ids that cannot be encoded as UTF-8 were never stored.
        is_text = not any("\ud800" <= char <= "\udfff" for char in id)
        if is_text and connection.execute("SELECT 1 FROM documents WHERE id = ? AND died = ?", (id, NEVER)).fetchone():
            existing.append(id)
    if existing:
        with _begin_generation(connection) as generation:
            connection.executemany(_MARK, ((generation, id, NEVER) for id in existing))
    return len(existing)


#: Has the condition of the index of what is dead, which SQLite uses then.
_DEAD: Final = f"SELECT seq FROM documents WHERE died <= ? AND died < {NEVER}"


def purge(connection: sqlite3.Connection, floor: int) -> int:
    """Remove the documents that were deleted by the generation `floor`, as one generation; returns how many."""
    dead = connection.execute(_DEAD, (floor,)).fetchall()
    if not dead:
        return 0
    ranges = [(seq << ORDINAL_BITS, (seq + 1) << ORDINAL_BITS) for (seq,) in dead]
    with _begin_generation(connection):
        connection.executemany("DELETE FROM vectors WHERE id >= ? AND id < ?", ranges)
        connection.executemany("DELETE FROM passages WHERE id >= ? AND id < ?", ranges)
        field_table.forget_values(connection, [seq for (seq,) in dead])
        forget_checksums(connection, dead)
        connection.executemany("DELETE FROM documents WHERE seq = ?", dead)
        connection.execute("UPDATE meta SET value = ? WHERE key = 'floor'", (floor,))
        forget_marks(connection, floor)
    return len(dead)


@contextmanager
def _begin_generation(connection: sqlite3.Connection) -> Iterator[int]:
    """A transaction, with the number of its generation."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (last,) = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
        field_table.ensure_table(connection, last)
        mark_generation(connection, last + 1)
        yield last + 1
        connection.execute("UPDATE meta SET value = ? WHERE key IN ('generation', 'fields')", (last + 1,))
        connection.execute("COMMIT")
    except BaseException:
        # SQLite may have rolled back already, for example on a full disk.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
