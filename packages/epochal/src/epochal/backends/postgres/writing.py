"""Writing: one transaction per write by COPY, compaction, and the index over vectors.

Compaction copies what is alive into a new space, renumbered without gaps, and removes the old one in one
transaction. So a reader sees the old rows or the new ones, or an error that the old ones are gone; never a mixture.
"""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from epochal.backends.postgres.connection import PostgresAddress, set_patience
from epochal.backends.postgres.fields import fill_fields, write_fields
from epochal.backends.postgres.rows import (
    compute_sums,
    copy_in,
    int4,
    int8,
    int8range,
    record,
    storable,
    vector,
    without_nuls,
)
from epochal.backends.postgres.tables import NEVER, TABLES, Namespace, hnsw_name, load_known, make_visible
from epochal.backends.postgres.vectors import may_index
from epochal.backends.postgres.words import (
    Block,
    collect_postings,
    join,
    length_code,
    merge,
    pages,
    unpack,
    write_segment,
)
from epochal.errors import EpochalError, StorageError
from epochal.storage.building import hash_series
from epochal.storage.documents import encode_document
from epochal.storage.passage_tokens import TokenReader
from epochal.storage.protocol import Rows
from epochal.storage.records import Document, Entry, pack_datings, pack_span
from epochal.storage.text import join_heading

if TYPE_CHECKING:
    from epochal.backends.postgres.connection import Connection

#: Each of these is copied by one statement: what is new of it, from the old rows and the two tables of numbers.
_COPIES: Final = (
    "INSERT INTO epochal.documents SELECT %(new)s, k.new, id, born, died, k.first, passages, series_code, hash, "
    "published, published_span, valid, valid_span, series, meta, nuls, title, text, sums "
    "FROM epochal.documents d JOIN kept_documents k ON k.old = d.row WHERE d.space = %(old)s",
    "INSERT INTO epochal.passages SELECT %(new)s, k.new, k.document, start_char, end_char, length, length_code, "
    "title_tokens, codes FROM epochal.passages p JOIN kept_passages k ON k.old = p.row WHERE p.space = %(old)s",
    "INSERT INTO epochal.times SELECT %(new)s, k.new, place, dating, token, tokens, span "
    "FROM epochal.times t JOIN kept_passages k ON k.old = t.row WHERE t.space = %(old)s",
    "INSERT INTO epochal.vectors SELECT %(new)s, k.new, key, embedding "
    "FROM epochal.vectors v JOIN kept_passages k ON k.old = v.row WHERE v.space = %(old)s",
    "INSERT INTO epochal.fields SELECT %(new)s, name, value, k.new "
    "FROM epochal.fields f JOIN kept_documents k ON k.old = f.row WHERE f.space = %(old)s",
)


@contextmanager
def retry(connection: Connection[Any]) -> Iterator[None]:
    """Lets statements take as long as they need."""
    names = ["statement_timeout", "lock_timeout"]
    before = [connection.execute("SELECT current_setting(%s)", (name,)).fetchone()[0] for name in names]
    for name in names:
        connection.execute("SELECT set_config(%s, '0', false)", (name,))
    patience = set_patience(connection, None)
    try:
        yield
    finally:
        set_patience(connection, patience)
        if not connection.closed:
            for name, value in zip(names, before, strict=True):
                connection.execute("SELECT set_config(%s, %s, false)", (name, value))


def compact(connection: Connection[Any], address: PostgresAddress) -> None:
    """Take out what is dead, and put postings together that were written bit by bit."""
    with retry(connection):
        with connection.transaction():
            connection.execute("SELECT 1 FROM epochal.namespaces WHERE name = %s FOR UPDATE", (address.namespace,))
            state = load_known(connection, address)
            if state is None:
                return
            if state.dead_documents:
                _renumber(connection, address, state)
            else:
                _join_all(connection, state)
        if state.dead_documents and state.hnsw:
            connection.execute(f"DROP INDEX IF EXISTS epochal.{hnsw_name(state.space)}")
        for table in TABLES:
            connection.execute(f"VACUUM (ANALYZE) epochal.{table}")


def _join_all(connection: Connection[Any], state: Namespace) -> None:
    for first, past in pages(0, state.passages):
        (count,) = connection.execute(
            "SELECT count(*) FROM epochal.segments WHERE space = %s AND first >= %s AND first < %s",
            (state.space, first, past),
        ).fetchone()
        if count > 1:
            join(connection, state.space, first, past)


def _renumber(connection: Connection[Any], address: PostgresAddress, state: Namespace) -> None:
    (new,) = connection.execute(
        "UPDATE epochal.namespaces SET building = nextval('epochal.spaces') WHERE name = %s RETURNING building",
        (address.namespace,),
    ).fetchone()
    connection.execute(
        "CREATE TEMP TABLE kept_documents ON COMMIT DROP AS SELECT row AS old, "
        "row_number() OVER (ORDER BY row) - 1 AS new, (sum(passages) OVER (ORDER BY row) - passages)::int8 AS first "
        f"FROM epochal.documents WHERE space = {int(state.space)} AND died = {NEVER}"
    )
    connection.execute(
        "CREATE TEMP TABLE kept_passages ON COMMIT DROP AS SELECT p.row AS old, "
        "row_number() OVER (ORDER BY p.row) - 1 AS new, k.new AS document FROM epochal.passages p "
        f"JOIN kept_documents k ON k.old = p.document WHERE p.space = {int(state.space)}"
    )
    for table in ("kept_documents", "kept_passages"):
        connection.execute(f"ANALYZE {table}")
    for statement in _COPIES:
        connection.execute(statement, {"old": state.space, "new": new})
    old_rows = np.array(connection.execute("SELECT old FROM kept_passages ORDER BY old").fetchall(), dtype=np.int64)
    for first, past in pages(0, len(old_rows)):
        postings = _move_postings(connection, state.space, old_rows.reshape(-1)[first:past], first)
        write_segment(connection, new, first, past, postings)
    for table in TABLES:
        connection.execute(f"DELETE FROM epochal.{table} WHERE space = %s", (state.space,))
    connection.execute(
        "UPDATE epochal.namespaces SET space = building, building = NULL, hnsw = false, generation = generation + 1, "
        "documents = (SELECT count(*) FROM kept_documents), passages = (SELECT count(*) FROM kept_passages), "
        "tokens = (SELECT coalesce(sum(length), 0) FROM epochal.passages WHERE space = %(new)s), "
        "dead = 0, dead_documents = 0, seen_generation = generation + 1, "
        "seen_documents = (SELECT count(*) FROM kept_documents), "
        "seen_passages = (SELECT count(*) FROM kept_passages), "
        "seen_tokens = (SELECT coalesce(sum(length), 0) FROM epochal.passages WHERE space = %(new)s), "
        "seen_dead = 0, seen_dead_documents = 0 WHERE name = %(name)s",
        {"new": new, "name": address.namespace},
    )


def _move_postings(connection: Connection[Any], space: int, old_rows: Rows, first: int) -> dict[str, Block]:
    """The postings of some old rows, which ascend, as those of as many new rows from `first` on."""
    parts: dict[str, list[tuple[int, bytes, bytes]]] = {}
    low, high = int(old_rows[0]), int(old_rows[-1]) + 1
    answer = connection.execute(
        "SELECT p.token, p.first, p.rows, p.counts FROM epochal.segments s JOIN epochal.postings p "
        "ON p.space = s.space AND p.first = s.first WHERE s.space = %s AND s.first < %s AND s.past > %s "
        "ORDER BY p.first",
        (space, high, low),
        binary=True,
    )
    for token, begin, positions, counts in answer:
        parts.setdefault(token, []).append((begin, positions, counts))
    postings: dict[str, Block] = {}
    for token, blocks in parts.items():
        rows, counts = unpack(low, blocks, high)
        at = np.minimum(np.searchsorted(old_rows, rows), len(old_rows) - 1)
        lives = old_rows[at] == rows
        if lives.any():
            postings[token] = at[lives] + first, counts[lives]
    return postings


def analyse_tables(connection: Connection[Any]) -> None:
    """Let the server count what its tables hold, so that it plans well; it does so by itself too, but later."""
    with retry(connection):
        for table in TABLES:
            connection.execute(f"ANALYZE epochal.{table}")


def build_hnsw(connection: Connection[Any], address: PostgresAddress) -> bool:
    """Build the index over the vectors where it is wanted and missing; whether it was built. Only an owner can."""
    state = load_known(connection, address)
    if state is None or state.hnsw or not may_index(state.passages, state.dim, address):
        return False
    (owns,) = connection.execute(
        "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'epochal.vectors'::regclass"
    ).fetchone()
    if not owns:
        return False
    name = hnsw_name(state.space)
    with retry(connection):
        # One that was cut off while it was built is there, and of no use.
        connection.execute(f"DROP INDEX IF EXISTS epochal.{name}")
        connection.execute("SELECT set_config('maintenance_work_mem', '256MB', false)")
        connection.execute(
            f"CREATE INDEX CONCURRENTLY {name} ON epochal.vectors USING hnsw "
            f"((embedding::vector({int(state.dim)})) vector_ip_ops) WHERE space = {int(state.space)}"
        )
        connection.execute("UPDATE epochal.namespaces SET hnsw = true WHERE name = %s", (address.namespace,))
    return True


#: What one row of a b-tree of PostgreSQL can hold of an id, with room for the other columns.
_LONGEST_ID: Final = 2000

_DOCUMENTS: Final = (
    "space row id born first_passage passages series_code hash published published_span valid valid_span series meta "
    "nuls title text sums"
).split()
_PASSAGES: Final = "space row document start_char end_char length length_code title_tokens codes".split()
_TIMES: Final = "space row place dating token tokens span".split()
_VECTORS: Final = "space row key embedding".split()


@dataclass(frozen=True, slots=True, eq=False)
class PreparedEntries:
    """Checked entries with everything that can be computed before a transaction begins: tokens, contexts, bytes."""

    entries: tuple[Entry, ...]
    heads: tuple[tuple[bytes | None, ...], ...]
    counted: tuple[Counter[str], ...]
    columns: dict[str, npt.NDArray[Any]]
    longest: float

    @property
    def tokens(self) -> int:
        """How many tokens the passages have."""
        return sum(counts.total() for counts in self.counted)


def prepare(entries: Sequence[Entry]) -> PreparedEntries:
    """Make checked entries ready; complains of what PostgreSQL cannot hold."""
    heads = tuple((*_pack_document_head(entry.document), _pack_sums(entry)) for entry in entries)
    documents = [entry.document for entry in entries]
    headings = [join_heading(document.title, document.meta, document.series) for document in documents]
    texts = [
        (heading, entry.document.text[passage.start_char : passage.end_char])
        for entry, heading in zip(entries, headings, strict=True)
        for passage in entry.passages
    ]
    passages = [passage for entry in entries for passage in entry.passages]
    starts = [dating.start_char for passage in passages for dating in passage.datings]
    bodies, columns = TokenReader().read(texts, [len(passage.datings) for passage in passages], starts, 0)
    counted = tuple(Counter(body.split()) for body in bodies)
    longest = 0.0
    for entry in entries:
        if entry.vectors is not None and len(entry.vectors):
            numbers = np.asarray(entry.vectors, dtype=np.float32).astype(np.float64)
            longest = max(longest, float(np.sqrt((numbers * numbers).sum(axis=1)).max()))
    return PreparedEntries(tuple(entries), heads, counted, columns, longest)


def _pack_document_head(document: Document) -> tuple[bytes | None, ...]:
    """The columns of a document that say nothing of rows, from its series' code on."""
    for name, text in (("id", document.id), ("series", document.series or "")):
        if "\0" in text:
            raise EpochalError(
                f"the {name} of document {document.id!r} has the character NUL, which PostgreSQL cannot hold"
            )
    meta, digest = encode_document(document)
    encoded = [text.encode() for text in (document.id, document.series or "", meta)]
    if len(encoded[0]) > _LONGEST_ID:
        raise EpochalError(
            f"the id of document {document.id[:40]!r}… has {len(encoded[0]):,} bytes; accepted in PostgreSQL: up to "
            f"{_LONGEST_ID:,}"
        )
    title, text, nuls = without_nuls(document.title, document.text)
    return (
        int8(hash_series(document.series)),
        digest,
        None if document.published is None else pack_span(document.published),
        None if document.published is None else int8range(document.published),
        None if document.valid is None else pack_span(document.valid),
        None if document.valid is None else int8range(document.valid),
        None if document.series is None else encoded[1],
        encoded[2],
        None if nuls is None else _pack_int4_array(nuls),
        title.encode(),
        text.encode(),
    )


def _pack_sums(entry: Entry) -> bytes:
    sums = compute_sums(entry)
    return struct.pack(">5i", 1, 0, 20, len(sums), 1) + b"".join(int4(8) + int8(number) for number in sums)


def _pack_int4_array(numbers: Sequence[int]) -> bytes:
    values = np.empty(len(numbers), dtype=[("size", ">i4"), ("value", ">i4")])
    values["size"], values["value"] = 4, numbers
    return np.array([1, 0, 23, len(numbers), 1], dtype=">i4").tobytes() + values.tobytes()


def insert(connection: Connection[Any], address: PostgresAddress, ready: PreparedEntries, *, is_seen: bool) -> None:
    """Store entries, in place of those with the same ids, as one generation; whole or not at all."""
    with connection.transaction():
        state = _lock_namespace(connection, address)
        if not state.fields:
            fill_fields(connection, state)
        generation = state.generation + 1
        dead, dead_documents = _mark_dead(connection, state, generation, [entry.document.id for entry in ready.entries])
        space = int8(state.space)
        copy_in(connection, "documents", _DOCUMENTS, _make_document_records(space, state, generation, ready))
        copy_in(connection, "passages", _PASSAGES, _make_passage_records(space, state, ready))
        copy_in(connection, "times", _TIMES, _make_time_records(space, state, ready))
        if state.dim:
            copy_in(connection, "vectors", _VECTORS, _make_vector_records(space, state, ready))
        rows = enumerate((entry.document for entry in ready.entries), state.documents)
        write_fields(connection, state.space, ((row, document.meta, document.series) for row, document in rows))
        count = len(ready.counted)
        for first, past in pages(state.passages, state.passages + count):
            part = ready.counted[first - state.passages : past - state.passages]
            write_segment(connection, state.space, first, past, collect_postings(first, part))
            merge(connection, state.space)
        connection.execute(
            "UPDATE epochal.namespaces SET generation = %s, documents = documents + %s, passages = passages + %s, "
            "tokens = tokens + %s, dead = dead + %s, dead_documents = dead_documents + %s, "
            "longest = greatest(longest, %s) WHERE name = %s",
            (
                generation,
                len(ready.entries),
                count,
                ready.tokens,
                dead,
                dead_documents,
                ready.longest,
                address.namespace,
            ),
        )
        if is_seen:
            make_visible(connection, address)


def mark_dead(connection: Connection[Any], address: PostgresAddress, ids: Iterable[str], *, is_seen: bool) -> int:
    """Delete the documents of the ids, as one generation; returns how many there were."""
    unique_ids = list(dict.fromkeys(ids))
    for id in unique_ids:
        if not isinstance(id, str):
            raise EpochalError(f"a document's id must be a text, but {id!r} was given to be deleted")
    with connection.transaction():
        state = _lock_namespace(connection, address)
        dead, documents = _mark_dead(connection, state, state.generation + 1, unique_ids)
        if documents:
            connection.execute(
                "UPDATE epochal.namespaces SET generation = generation + 1, dead = dead + %s, "
                "dead_documents = dead_documents + %s WHERE name = %s",
                (dead, documents, address.namespace),
            )
            if is_seen:
                make_visible(connection, address)
    return documents


def _lock_namespace(connection: Connection[Any], address: PostgresAddress) -> Namespace:
    connection.execute("SELECT 1 FROM epochal.namespaces WHERE name = %s FOR UPDATE", (address.namespace,))
    state = load_known(connection, address)
    if state is None:
        raise StorageError(f"{address.shown} holds no index any more; it was removed meanwhile")
    return state


def _mark_dead(connection: Connection[Any], state: Namespace, generation: int, ids: Sequence[str]) -> tuple[int, int]:
    """Let documents die in a generation; how many passages and documents that were."""
    gone = connection.execute(
        "UPDATE epochal.documents SET died = %s WHERE space = %s AND id = ANY(%s::text[]) AND died = %s "
        "RETURNING first_passage, passages",
        (generation, state.space, storable(ids), NEVER),
    ).fetchall()
    if gone:
        connection.execute(
            "INSERT INTO epochal.dead SELECT %s, row, %s FROM unnest(%s::int8[], %s::int8[]) AS g(first, size), "
            "generate_series(g.first, g.first + g.size - 1) AS row",
            (state.space, generation, [first for first, _ in gone], [size for _, size in gone]),
        )
    return sum(size for _, size in gone), len(gone)


def _make_document_records(space: bytes, state: Namespace, generation: int, ready: PreparedEntries) -> Iterator[bytes]:
    first = state.passages
    for row, (entry, head) in enumerate(zip(ready.entries, ready.heads, strict=True), state.documents):
        count = len(entry.passages)
        yield record(space, int8(row), entry.document.id.encode(), int8(generation), int8(first), int4(count), *head)
        first += count


def _make_passage_records(space: bytes, state: Namespace, ready: PreparedEntries) -> Iterator[bytes]:
    columns = ready.columns
    codes = columns["tokens"].astype("<u4")
    bounds = np.append(columns["passages.token"], len(codes)).tolist()
    title_tokens = columns["passages.title_tokens"].tolist()
    position = 0
    for document, entry in enumerate(ready.entries, state.documents):
        owner = int8(document)
        for passage in entry.passages:
            length = ready.counted[position].total()
            yield record(
                space,
                int8(state.passages + position),
                owner,
                int4(passage.start_char),
                int4(passage.end_char),
                int4(length),
                length_code(length).to_bytes(2, "big"),
                int4(title_tokens[position]),
                codes[bounds[position] : bounds[position + 1]].tobytes(),
            )
            position += 1


def _make_time_records(space: bytes, state: Namespace, ready: PreparedEntries) -> Iterator[bytes]:
    tokens, sizes = ready.columns["content.token"].tolist(), ready.columns["content.tokens"].tolist()
    row, at = state.passages, 0
    for entry in ready.entries:
        for passage in entry.passages:
            for position, dating in enumerate(passage.datings):
                packed, span = pack_datings([dating]), int8range(dating.span)
                yield record(space, int8(row), int4(position), packed, int4(tokens[at]), int4(sizes[at]), span)
                at += 1
            row += 1


def _make_vector_records(space: bytes, state: Namespace, ready: PreparedEntries) -> Iterator[bytes]:
    row = state.passages
    for entry in ready.entries:
        if entry.vectors is not None:
            for position, numbers in enumerate(np.ascontiguousarray(entry.vectors, dtype="<f4")):
                key = (
                    entry.keys[position] if entry.keys else hashlib.blake2b(numbers.tobytes(), digest_size=16).digest()
                )
                yield record(space, int8(row + position), key, vector(numbers))
        row += len(entry.passages)
