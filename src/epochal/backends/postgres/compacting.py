"""What is done now and then: taking out what is dead, and building the index over vectors.

Compacting copies what lives into a new space, numbered anew without gaps, and then removes the old one: all in one
transaction. So a reader has the old rows, or the new ones, or is told that the old ones are gone; never a mixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from epochal.backends.postgres.address import PostgresAddress
from epochal.backends.postgres.migrations import NEVER, TABLES
from epochal.backends.postgres.namespaces import Namespace, hnsw_name, load_known
from epochal.backends.postgres.planner import may_index
from epochal.backends.postgres.postings import Block, join, pages, unpacked, write_segment
from epochal.index.backend import Rows

if TYPE_CHECKING:
    from epochal.backends.postgres.driver import Connection

__all__ = ["analyse_tables", "build_hnsw", "compact", "patiently"]

#: Each of these is copied by one statement: what is new of it, from the old rows and the two tables of numbers.
_COPIES: Final = (
    "INSERT INTO epochal.documents SELECT %(new)s, k.new, id, born, died, k.first, passages, series_code, hash, "
    "published, published_span, valid, valid_span, series, meta, nuls, title, text "
    "FROM epochal.documents d JOIN kept_documents k ON k.old = d.row WHERE d.space = %(old)s",
    "INSERT INTO epochal.passages SELECT %(new)s, k.new, k.document, start_char, end_char, length, length_code, "
    "title_tokens, codes FROM epochal.passages p JOIN kept_passages k ON k.old = p.row WHERE p.space = %(old)s",
    "INSERT INTO epochal.times SELECT %(new)s, k.new, place, dating, token, tokens, span "
    "FROM epochal.times t JOIN kept_passages k ON k.old = t.row WHERE t.space = %(old)s",
    "INSERT INTO epochal.vectors SELECT %(new)s, k.new, key, embedding "
    "FROM epochal.vectors v JOIN kept_passages k ON k.old = v.row WHERE v.space = %(old)s",
)


@contextmanager
def patiently(connection: Connection[Any]) -> Iterator[None]:
    """Lets statements take as long as they need.

    >>> patiently.__name__
    'patiently'
    """
    names = ["statement_timeout", "lock_timeout"]
    before = [connection.execute("SELECT current_setting(%s)", (name,)).fetchone()[0] for name in names]
    for name in names:
        connection.execute("SELECT set_config(%s, '0', false)", (name,))
    try:
        yield
    finally:
        if not connection.closed:
            for name, value in zip(names, before, strict=True):
                connection.execute("SELECT set_config(%s, %s, false)", (name, value))


def compact(connection: Connection[Any], address: PostgresAddress) -> None:
    """Take out what is dead, and put postings together that were written bit by bit.

    >>> compact.__name__
    'compact'
    """
    with patiently(connection):
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
    kept = np.array(connection.execute("SELECT old FROM kept_passages ORDER BY old").fetchall(), dtype=np.int64)
    for first, past in pages(0, len(kept)):
        found = _moved(connection, state.space, kept.reshape(-1)[first:past], first)
        write_segment(connection, new, first, past, found)
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


def _moved(connection: Connection[Any], space: int, kept: Rows, first: int) -> dict[str, Block]:
    """The postings of some old rows, which ascend, as those of as many new rows from `first` on."""
    parts: dict[str, list[tuple[int, bytes, bytes]]] = {}
    low, high = int(kept[0]), int(kept[-1]) + 1
    answer = connection.execute(
        "SELECT p.token, p.first, p.rows, p.counts FROM epochal.segments s JOIN epochal.postings p "
        "ON p.space = s.space AND p.first = s.first WHERE s.space = %s AND s.first < %s AND s.past > %s "
        "ORDER BY p.first",
        (space, high, low),
        binary=True,
    )
    for token, begin, places, counts in answer:
        parts.setdefault(token, []).append((begin, places, counts))
    found: dict[str, Block] = {}
    for token, blocks in parts.items():
        rows, counts = unpacked(low, blocks, high)
        at = np.minimum(np.searchsorted(kept, rows), len(kept) - 1)
        lives = kept[at] == rows
        if lives.any():
            found[token] = at[lives] + first, counts[lives]
    return found


def analyse_tables(connection: Connection[Any]) -> None:
    """Let the server count what its tables hold, so that it plans well; it does so by itself too, but later.

    >>> analyse_tables.__name__
    'analyse_tables'
    """
    with patiently(connection):
        for table in TABLES:
            connection.execute(f"ANALYZE epochal.{table}")


def build_hnsw(connection: Connection[Any], address: PostgresAddress) -> bool:
    """Build the index over the vectors where it is wanted and missing; whether it was built. Only an owner can.

    >>> build_hnsw.__name__
    'build_hnsw'
    """
    state = load_known(connection, address)
    if state is None or state.hnsw or not may_index(state.passages, state.dim, address):
        return False
    (owns,) = connection.execute(
        "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'epochal.vectors'::regclass"
    ).fetchone()
    if not owns:
        return False
    name = hnsw_name(state.space)
    with patiently(connection):
        # One that was cut off while it was built is there, and of no use.
        connection.execute(f"DROP INDEX IF EXISTS epochal.{name}")
        connection.execute("SELECT set_config('maintenance_work_mem', '256MB', false)")
        connection.execute(
            f"CREATE INDEX CONCURRENTLY {name} ON epochal.vectors USING hnsw "
            f"((embedding::vector({int(state.dim)})) vector_ip_ops) WHERE space = {int(state.space)}"
        )
        connection.execute("UPDATE epochal.namespaces SET hnsw = true WHERE name = %s", (address.namespace,))
    return True
