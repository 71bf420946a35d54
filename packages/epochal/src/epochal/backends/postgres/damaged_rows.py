"""Documents that are not what was stored, or whose passages, times or vectors are not, and their replacement.

Each document has a hash of its own, and checksums of its passages with their times and of its vectors: the same numbers
as in an embedded store. Documents of earlier versions have no checksums until they are stored again.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from epochal.backends.postgres.connection import PostgresAddress, connect, wrap_errors
from epochal.backends.postgres.rows import FIELDS, compute_sums, make_document
from epochal.backends.postgres.store import PostgresStore
from epochal.backends.postgres.tables import NEVER, Namespace, load, load_known
from epochal.errors import StorageError
from epochal.storage.checksums import compare_sums, sum_passages, sum_vectors
from epochal.storage.damaged_rows import Portion
from epochal.storage.store import Store

if TYPE_CHECKING:
    from epochal.backends.postgres.connection import Connection

#: Documents whose checksums are computed at a time.
_BATCH: Final = 500


def list_portion(address: str | os.PathLike[str], first: int, count: int) -> Portion:
    """Look through `count` living documents, from the row `first` on."""
    target = PostgresAddress.parse(address)
    connection = connect(target)
    try:
        identity, last, problems = _look_through(connection, target, first, count)
    finally:
        connection.close()
    return Portion(identity, {row: id for row, id, _ in problems}, last)


def find_damaged(connection: Connection[Any], address: PostgresAddress) -> dict[str, list[str]]:
    """What is wrong with each damaged document, by its id."""
    damaged: dict[str, list[str]] = {}
    first, before = 0, ""
    while True:
        identity, last, problems = _look_through(connection, address, first, _BATCH)
        if before not in ("", identity):
            raise StorageError(f"the index {address.shown} has been compacted or restored meanwhile; check it again")
        for _, id, problem in problems:
            damaged.setdefault(id, []).append(problem)
        if last is None:
            return damaged
        first, before = last + 1, identity


def _look_through(
    connection: Connection[Any], address: PostgresAddress, first: int, count: int
) -> tuple[str, int | None, list[tuple[int, str, str]]]:
    """Look through a portion, all in one state, whatever is written or compacted meanwhile.

    Which index it is, the last row of the portion (None at the end), and row, id and problem of what is damaged.
    """
    with wrap_errors(address.shown, "read"):
        load(connection, address)  # brings the tables up to the present version
        with connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            state = load_known(connection, address)
            if state is None:
                raise StorageError(f"{address.shown} holds no index; make one with epochal.Index.create")
            rows = connection.execute(
                f"SELECT row, first_passage, passages, hash, sums, {FIELDS} FROM epochal.documents "
                "WHERE space = %s AND row >= %s AND died = %s ORDER BY row LIMIT %s",
                (state.space, first, NEVER, count),
                binary=True,
            ).fetchall()
            problems = list(_find_problems(connection, state, rows))
    return f"{state.space} {state.origin}", rows[-1][0] if len(rows) == count else None, problems


def _find_problems(
    connection: Connection[Any], state: Namespace, rows: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[int, str, str]]:
    for row, _, _, digest, _, *item in rows:
        if not _is_intact(item, digest):
            yield row, item[0], f"document {item[0]!r} is not what was stored"
    runs = {row: range(first, first + size) for row, first, size, _, sums, *_ in rows if sums is not None}
    passages, vectors = _sum_rows(connection, state, runs)
    for row, _, _, _, sums, id, *_ in rows:
        if row in runs:
            for problem in compare_sums(id, (sums[0], sums[1]), (passages.get(row, 0), vectors.get(row, 0))):
                yield row, id, problem


def _is_intact(item: Sequence[Any], digest: bytes) -> bool:
    try:
        return bool(make_document(item).content_hash() == digest)
    except (ValueError, TypeError, struct.error):
        return False


def _sum_rows(
    connection: Connection[Any], state: Namespace, runs: dict[int, range]
) -> tuple[dict[int, int], dict[int, int]]:
    """The checksums of the passages and of the vectors of documents, each of which has a run of passages."""
    where = "space = %s AND row = ANY(%s::int8[])"
    values = state.space, np.unique(np.array([row for run in runs.values() for row in run], dtype=np.int64))
    times: dict[int, bytes] = {}
    for row, dating in connection.execute(
        f"SELECT row, dating FROM epochal.times WHERE {where} ORDER BY row, place", values, binary=True
    ):
        times[row] = times.get(row, b"") + dating
    passages = connection.execute(
        f"SELECT row, document, start_char, end_char FROM epochal.passages WHERE {where} ORDER BY row",
        values,
        binary=True,
    ).fetchall()
    owners = {row: document for row, document, _, _ in passages if row in runs.get(document, ())}
    vectors = connection.execute(
        f"SELECT row, embedding FROM epochal.vectors WHERE {where} ORDER BY row", values, binary=True
    )
    return (
        sum_passages(
            (owners[row], start, end, times.get(row, b"")) for row, _, start, end in passages if row in owners
        ),
        sum_vectors((owners[row], _turn_around(packed)) for row, packed in vectors if row in owners),
    )


def _turn_around(packed: bytes) -> bytes:
    """The numbers of a vector of the server, as the embedded store has them."""
    return np.frombuffer(packed, dtype=">f4", offset=4).astype("<f4").tobytes()


def replace_damaged(
    connection: Connection[Any], address: str | os.PathLike[str], backup: str | os.PathLike[str]
) -> dict[str, bool]:
    """Store damaged documents again from a backup in a folder; for each id whether that was possible.

    A document is taken where its hash and checksums are those that were stored with the damaged one.
    """
    target = PostgresAddress.parse(address)
    damaged = find_damaged(connection, target)
    if not damaged:
        return {}
    with Store.open(backup) as source, PostgresStore.open(address, write=True) as store:
        if (source.encoder_name, source.dim) != (store.encoder_name, store.dim):
            raise StorageError(f"{os.fspath(backup)!r} is of another encoder than the index {target.shown}")
        view = source.view()
        return {id: _replace(connection, target, store, view, id) for id in damaged}


def _replace(connection: Connection[Any], address: PostgresAddress, store: PostgresStore, view: Any, id: str) -> bool:
    rows = view.find_document_rows([id])
    if rows[0] < 0:
        return False
    (entry,) = view.get_entries(rows)
    stored = connection.execute(
        "SELECT hash, sums FROM epochal.documents WHERE space = "
        "(SELECT space FROM epochal.namespaces WHERE name = %s) AND id = %s AND died = %s",
        (address.namespace, id, NEVER),
    ).fetchone()
    if stored is None or (bytes(stored[0]), stored[1]) != (entry.document.content_hash(), compute_sums(entry)):
        return False
    store.add([entry])
    return True
