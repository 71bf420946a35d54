"""Writing the truth: what is refused, and the one transaction of each write."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from epochal.errors import EpochalError
from epochal.index.packing import pack_datings, pack_span
from epochal.index.records import Document, Entry, Passage, is_placed
from epochal.index.schema import NEVER, ORDINAL_BITS
from epochal.times import Span

__all__ = ["check_entries", "insert", "mark_dead", "purge"]

_MOST_PASSAGES = 1 << ORDINAL_BITS
_MOST_CHARS = 2**31 - 1
_MARK = "UPDATE documents SET died = ? WHERE id = ? AND died = ?"


def check_entries(entries: Sequence[Entry], dim: int) -> None:
    """Refuse what cannot be stored whole, naming the document.

    >>> check_entries([Entry(Document("p1", "Tariffs rise."), (Passage(0, 99),))], dim=0)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: passage 0 of document 'p1' runs from 0 to 99, but the text has 13 characters
    """
    seen: set[str] = set()
    for entry in entries:
        document = entry.document
        if document.id in seen:
            raise EpochalError(f"document {document.id!r} is given twice in one call; an id names one document")
        seen.add(document.id)
        _check_fields(document)
        _check_passages(document, entry.passages)
        _check_vectors(entry, dim)


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
    if len(passages) > _MOST_PASSAGES or length > _MOST_CHARS:
        raise EpochalError(
            f"document {document.id!r} has {len(passages):,} passages and {length:,} characters; accepted: up to "
            f"{_MOST_PASSAGES:,} passages and {_MOST_CHARS:,} characters"
        )
    for place, passage in enumerate(passages):
        if not 0 <= passage.start_char <= passage.end_char <= length:
            raise EpochalError(
                f"passage {place} of document {document.id!r} runs from {passage.start_char} to {passage.end_char}, "
                f"but the text has {length} characters"
            )
        size = passage.end_char - passage.start_char
        for dating in passage.datings:
            if not isinstance(dating.span, Span):
                raise EpochalError(
                    f"a dating of passage {place} of document {document.id!r} must have a Span, but has {dating.span!r}"
                )
            if not is_placed(dating, size):
                raise EpochalError(
                    f"a dating of passage {place} of document {document.id!r} runs from {dating.start_char} to "
                    f"{dating.end_char}, but the passage has {size} characters"
                )
            if not 0 <= dating.confidence < float("inf"):
                raise EpochalError(
                    f"a dating of passage {place} of document {document.id!r} has the confidence "
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
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(vectors.astype(np.float32)).all()
    if not finite:
        raise EpochalError(f"the vectors of document {name!r} hold a number that is not finite")


def insert(connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    """Store checked entries, in place of those with the same ids, as one generation.

    >>> from pathlib import Path
    >>> import tempfile
    >>> from epochal.index.schema import connect, create
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     create(Path(folder), "", 0)
    ...     connection = connect(Path(folder))
    ...     insert(connection, [Entry(Document("p1", "Tariffs rise."), (Passage(0, 13),))])
    ...     print(connection.execute("SELECT born, text FROM documents").fetchall())
    ...     connection.close()
    [(1, 'Tariffs rise.')]
    """
    with _generation(connection) as generation:
        (first,) = connection.execute("SELECT value FROM meta WHERE key = 'next'").fetchone()
        connection.execute("UPDATE meta SET value = ? WHERE key = 'next'", (first + len(entries),))
        connection.executemany(_MARK, ((generation, entry.document.id, NEVER) for entry in entries))
        connection.executemany(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (_document_row(entry.document, seq, generation) for seq, entry in enumerate(entries, first)),
        )
        connection.executemany(
            "INSERT INTO passages VALUES (?, ?, ?, ?, ?)",
            (
                (
                    (seq << ORDINAL_BITS) + place,
                    seq,
                    passage.start_char,
                    passage.end_char,
                    pack_datings(passage.datings),
                )
                for seq, entry in enumerate(entries, first)
                for place, passage in enumerate(entry.passages)
            ),
        )
        connection.executemany("INSERT INTO vectors VALUES (?, ?, ?)", _vector_rows(entries, first))


def _document_row(document: Document, seq: int, generation: int) -> tuple[object, ...]:
    try:
        meta = json.dumps(dict(document.meta), allow_nan=False, ensure_ascii=False)
        for text in (document.id, document.series or "", meta):
            text.encode()
        digest = document.content_hash()  # encodes the title and the text
    except UnicodeEncodeError as error:
        raise EpochalError(
            f"document {document.id!r} holds half a character ({error.object[error.start]!r}), which no text file can "
            f"hold; decode its source with errors='replace'"
        ) from error
    except (TypeError, ValueError) as error:
        raise EpochalError(f"the meta of document {document.id!r} is nothing that JSON can hold: {error}") from error
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
        meta,
        digest,
    )


def _vector_rows(entries: Sequence[Entry], first: int) -> Iterator[tuple[int, bytes, bytes]]:
    for seq, entry in enumerate(entries, first):
        if entry.vectors is None:
            continue
        vectors = np.ascontiguousarray(entry.vectors, dtype="<f4")
        for place, vector in enumerate(vectors):
            packed = vector.tobytes()
            key = entry.keys[place] if entry.keys else hashlib.blake2b(packed, digest_size=16).digest()
            yield (seq << ORDINAL_BITS) + place, key, packed


def mark_dead(connection: sqlite3.Connection, ids: Iterable[str]) -> int:
    """Delete the documents of the ids, as one generation; returns how many there were.

    >>> from pathlib import Path
    >>> import tempfile
    >>> from epochal.index.schema import connect, create
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     create(Path(folder), "", 0)
    ...     connection = connect(Path(folder))
    ...     print(mark_dead(connection, ["p1"]))
    ...     connection.close()
    0
    """
    known = []
    for id in dict.fromkeys(ids):
        if not isinstance(id, str):
            raise EpochalError(f"a document's id must be a text, but {id!r} was given to be deleted")
        # What cannot be written as UTF-8 was never stored.
        whole = not any("\ud800" <= char <= "\udfff" for char in id)
        if whole and connection.execute("SELECT 1 FROM documents WHERE id = ? AND died = ?", (id, NEVER)).fetchone():
            known.append(id)
    if known:
        with _generation(connection) as generation:
            connection.executemany(_MARK, ((generation, id, NEVER) for id in known))
    return len(known)


def purge(connection: sqlite3.Connection, floor: int) -> int:
    """Remove what died by the generation `floor`, as one generation; returns how many documents that were.

    >>> from pathlib import Path
    >>> import tempfile
    >>> from epochal.index.schema import connect, create
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     create(Path(folder), "", 0)
    ...     connection = connect(Path(folder))
    ...     print(purge(connection, 0))
    ...     connection.close()
    0
    """
    dead = connection.execute("SELECT seq FROM documents WHERE died <= ? AND died < ?", (floor, NEVER)).fetchall()
    ranges = [(seq << ORDINAL_BITS, (seq + 1) << ORDINAL_BITS) for (seq,) in dead]
    with _generation(connection):
        connection.executemany("DELETE FROM vectors WHERE id >= ? AND id < ?", ranges)
        connection.executemany("DELETE FROM passages WHERE id >= ? AND id < ?", ranges)
        connection.executemany("DELETE FROM documents WHERE seq = ?", dead)
        connection.execute("UPDATE meta SET value = ? WHERE key = 'floor'", (floor,))
    return len(dead)


@contextmanager
def _generation(connection: sqlite3.Connection) -> Iterator[int]:
    """A transaction that is whole or not at all, with the number of its generation."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (last,) = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
        yield last + 1
        connection.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (last + 1,))
        connection.execute("COMMIT")
    except BaseException:
        # SQLite may have rolled back already, on a full disk for one.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
