"""The provider of `postgresql://` addresses: create, open, check and remove an index."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.backends.postgres import tables as namespaces
from epochal.backends.postgres.connection import PostgresAddress, connect, release, wrap_errors
from epochal.backends.postgres.damaged_rows import find_damaged, list_portion, replace_damaged
from epochal.backends.postgres.fields import are_fields_right, fill_fields
from epochal.backends.postgres.rows import load_meta
from epochal.backends.postgres.store import PostgresStore
from epochal.backends.postgres.tables import NEVER, TABLES, Namespace, hnsw_name, load, lock
from epochal.backends.postgres.vectors import may_index
from epochal.backends.postgres.words import collect_postings, length_code, pages, unpack, write_segment
from epochal.backends.postgres.writing import build_hnsw, retry
from epochal.errors import StorageError
from epochal.storage.check import CheckFinding, CheckReport
from epochal.storage.damaged_rows import describe_replaced
from epochal.storage.text import analyse, join_heading

if TYPE_CHECKING:
    from epochal.backends.postgres.connection import Connection

__all__ = ["check", "create", "exists", "list_portion", "open", "remove", "shown", "size"]

_REPORTED: Final = 20

#: Counts that must be 0, and what is wrong where they are not.
_COUNTS: Final = {
    "documents are missing": "SELECT %(documents)s - count(*) FROM epochal.documents WHERE space = %(space)s",
    "passages are missing": "SELECT %(passages)s - count(*) FROM epochal.passages WHERE space = %(space)s",
    "passages belong to no document": "SELECT count(*) FROM epochal.passages p LEFT JOIN epochal.documents d "
    "ON d.space = p.space AND d.row = p.document AND p.row >= d.first_passage AND p.row < d.first_passage + d.passages "
    "WHERE p.space = %(space)s AND d.row IS NULL",
    "passages lie beyond their text": "SELECT count(*) FROM epochal.passages p JOIN epochal.documents d "
    "ON d.space = p.space AND d.row = p.document WHERE p.space = %(space)s AND "
    "NOT (0 <= start_char AND start_char <= end_char AND end_char <= length(text))",
    "times belong to no passage": "SELECT count(*) FROM epochal.times t LEFT JOIN epochal.passages p "
    "ON p.space = t.space AND p.row = t.row WHERE t.space = %(space)s AND p.row IS NULL",
    "passages have no vector": "SELECT CASE WHEN %(dim)s = 0 THEN 0 ELSE count(*) END FROM epochal.passages p "
    "LEFT JOIN epochal.vectors v ON v.space = p.space AND v.row = p.row WHERE p.space = %(space)s AND v.row IS NULL",
    "vectors have another length": "SELECT count(*) FROM epochal.vectors WHERE space = %(space)s "
    "AND vector_dims(embedding) <> %(dim)s",
    "passages of dead documents are not known to be dead": "SELECT count(*) FROM epochal.documents d "
    "JOIN epochal.passages p ON p.space = d.space AND p.document = d.row LEFT JOIN epochal.dead x "
    "ON x.space = p.space AND x.row = p.row AND x.died = d.died "
    f"WHERE d.space = %(space)s AND d.died < {NEVER} AND x.row IS NULL",
}


def check(
    address: str | os.PathLike[str], *, repair: bool, backup: str | os.PathLike[str] | None = None
) -> CheckReport:
    """Look an index through. With `repair`, postings that are wrong, and the index of vectors, are built again.

    With a `backup` in a folder, damaged documents are replaced by those that it holds.
    """
    target = PostgresAddress.parse(address)
    connection = connect(target, timeout=0)
    try:
        with wrap_errors(target.shown, "read"):
            if load(connection, target) is None:
                raise StorageError(f"{target.shown} holds no index; make one with epochal.Index.create")
        replaced = [] if backup is None else _replace_damaged(connection, address, backup)
        with wrap_errors(target.shown, "read"):
            state = load(connection, target)
            if state is None:
                raise StorageError(f"{target.shown} holds no index any more; it was removed meanwhile")
            findings = [CheckFinding("truth", what) for what in _check_documents(connection, state)]
            findings += _check_sums(connection, target)
        with wrap_errors(target.shown, "mended" if repair else "read"):
            findings += _check_derived(connection, target, state, repair=repair and not findings)
    finally:
        release(connection)
    documents, passages = state.seen_documents - state.seen_dead_documents, state.seen_passages - state.seen_dead
    return CheckReport(target.shown, documents, passages, (*replaced, *findings))


def _replace_damaged(
    connection: Connection[Any], address: str | os.PathLike[str], backup: str | os.PathLike[str]
) -> list[CheckFinding]:
    described = describe_replaced(replace_damaged(connection, address, backup), Path(backup))
    return [CheckFinding("truth", sentence, mended=is_mended) for sentence, is_mended in described.items()]


def _check_documents(connection: Connection[Any], state: Namespace) -> Iterator[str]:
    values = {"space": state.space, "documents": state.documents, "passages": state.passages, "dim": state.dim}
    for what, statement in _COUNTS.items():
        (count,) = connection.execute(statement, values).fetchone()
        if count:
            yield f"{count:,} {what}"


def _check_sums(connection: Connection[Any], address: PostgresAddress) -> list[CheckFinding]:
    """Documents that are not what was stored, by their hashes and checksums."""
    wrong = [problem for problems in find_damaged(connection, address).values() for problem in problems]
    findings = [CheckFinding("truth", problem) for problem in wrong[:_REPORTED]]
    more = len(wrong) - len(findings)
    return [*findings, CheckFinding("truth", f"... and {more:,} more of that kind")] if more else findings


def _check_derived(
    connection: Connection[Any], address: PostgresAddress, state: Namespace, *, repair: bool
) -> list[CheckFinding]:
    findings = []
    if repair:
        lock(connection, address)
    wrong = [
        (first, past) for first, past in pages(0, state.passages) if not _is_page_right(connection, state, first, past)
    ]
    for first, past in wrong:
        if repair:
            _rebuild(connection, state, first, past)
        findings.append(
            CheckFinding("derived", f"the postings of the passages {first:,} to {past - 1:,} are wrong", repair)
        )
    if state.fields and not are_fields_right(connection, state):
        if repair:
            with retry(connection), connection.transaction():
                fill_fields(connection, state)
        findings.append(CheckFinding("derived", "the table of metadata values is wrong", repair))
    if may_index(state.passages, state.dim, address) or state.hnsw:
        validity = connection.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", (f"epochal.{hnsw_name(state.space)}",)
        ).fetchone()
        if validity is None or not validity[0] or not state.hnsw:
            built = False
            if repair:
                connection.execute("UPDATE epochal.namespaces SET hnsw = false WHERE name = %s", (address.namespace,))
                built = build_hnsw(connection, address)
            findings.append(CheckFinding("derived", "the index over the vectors is missing", built))
    return findings


def _count_tokens(
    connection: Connection[Any], state: Namespace, first: int, past: int
) -> list[tuple[int, int, Counter[str]]]:
    """What the texts of some passages say: the length and its code as stored, and how often each token occurs."""
    answer = connection.execute(
        "SELECT p.length, p.length_code, title, meta::text, series, "
        "substr(text, start_char + 1, end_char - start_char) "
        "FROM epochal.passages p JOIN epochal.documents d ON d.space = p.space AND d.row = p.document "
        "WHERE p.space = %s AND p.row >= %s AND p.row < %s ORDER BY p.row",
        (state.space, first, past),
    )
    counted = []
    for length, code, title, meta, series, text in answer:
        heading = join_heading(title, load_meta(meta), series)
        counted.append((length, code, Counter(analyse(f"{heading}\n{text}" if heading else text))))
    return counted


def _is_page_right(connection: Connection[Any], state: Namespace, first: int, past: int) -> bool:
    counted = _count_tokens(connection, state, first, past)
    if any(length != counts.total() or code != length_code(length) for length, code, counts in counted):
        return False
    parts: dict[str, list[tuple[int, bytes, bytes]]] = {}
    for token, begin, positions, counts in connection.execute(
        "SELECT p.token, p.first, p.rows, p.counts FROM epochal.segments s JOIN epochal.postings p "
        "ON p.space = s.space AND p.first = s.first WHERE s.space = %s AND s.first >= %s AND s.first < %s "
        "ORDER BY p.first",
        (state.space, first, past),
        binary=True,
    ):
        parts.setdefault(token, []).append((begin, positions, counts))
    expected = collect_postings(first, [counts for _, _, counts in counted])
    if parts.keys() != expected.keys():
        return False
    for token, (rows, counts) in expected.items():
        block = unpack(0, parts[token])
        if block[0].tolist() != rows.tolist() or block[1].tolist() != counts.tolist():
            return False
    return True


def _rebuild(connection: Connection[Any], state: Namespace, first: int, past: int) -> None:
    counted = _count_tokens(connection, state, first, past)
    with retry(connection), connection.transaction():
        for table in ("postings", "segments"):
            connection.execute(
                f"DELETE FROM epochal.{table} WHERE space = %s AND first >= %s AND first < %s",
                (state.space, first, past),
            )
        write_segment(
            connection, state.space, first, past, collect_postings(first, [counts for _, _, counts in counted])
        )
        for row, (length, code, counts) in enumerate(counted, first):
            if (length, code) != (counts.total(), length_code(counts.total())):
                connection.execute(
                    "UPDATE epochal.passages SET length = %s, length_code = %s WHERE space = %s AND row = %s",
                    (counts.total(), length_code(counts.total()), state.space, row),
                )


def create(address: str | os.PathLike[str], encoder_name: str, dim: int) -> PostgresStore:
    """Make a new index, and open it for writing."""
    return PostgresStore.create(address, encoder_name, dim)


def open(address: str | os.PathLike[str], *, write: bool = False) -> PostgresStore:
    """Open an index that is there."""
    return PostgresStore.open(address, write=write)


def exists(address: str | os.PathLike[str]) -> bool:
    """Whether there is an index. A server that cannot be reached is an error, not a no."""
    target = PostgresAddress.parse(address)
    connection = connect(target)
    try:
        with wrap_errors(target.shown, "opened"):
            return namespaces.load(connection, target) is not None
    finally:
        connection.close()


def remove(address: str | os.PathLike[str]) -> None:
    """Take an index away, with all that it holds."""
    target = PostgresAddress.parse(address)
    connection = connect(target)
    try:
        with wrap_errors(target.shown, "removed"):
            namespaces.lock(connection, target)
            namespaces.remove(connection, target)
    finally:
        release(connection)


def size(address: str | os.PathLike[str]) -> int:
    """How many bytes the rows of an index take, without the server's indexes."""
    target = PostgresAddress.parse(address)
    connection = connect(target, timeout=0)
    try:
        with wrap_errors(target.shown, "read"):
            total = 0
            for table in TABLES:
                (table_bytes,) = connection.execute(
                    f"SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM epochal.{table} t WHERE space = "
                    "(SELECT space FROM epochal.namespaces WHERE name = %s)",
                    (target.namespace,),
                ).fetchone()
                total += int(table_bytes)
            return total
    finally:
        connection.close()


def shown(address: str | os.PathLike[str]) -> str:
    """The address without a password."""
    return PostgresAddress.parse(address).shown
