"""Checking an index: the document database by itself, and the derived files against it."""

from __future__ import annotations

import dataclasses
import math
import os
import random
import sqlite3
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np

from epochal.errors import StorageError
from epochal.storage.acknowledged import RECORD, accept_losses, describe_loss, find_losses, is_record_damaged
from epochal.storage.checksums import find_damaged
from epochal.storage.columns import DerivedManifest, describe_damage, read_manifest
from epochal.storage.contexts import find_contexts
from epochal.storage.damaged_rows import describe_replaced, replace_damaged
from epochal.storage.field_table import is_table_right, rebuild_table
from epochal.storage.identity import FileKey, connect_known, find_mismatch
from epochal.storage.making import Encode, find_maker, join_title
from epochal.storage.protocol import Rows
from epochal.storage.records import (
    DATING,
    PENDING,
    Document,
    Entry,
    Passage,
    has_position,
    parse_meta,
    unpack_datings,
    unpack_span,
)
from epochal.storage.schema import NEVER, ORDINAL_BITS, State, WriterLock, read_next, read_state, wrap_errors
from epochal.storage.store import Derived, find_problems
from epochal.storage.text import join_heading
from epochal.storage.view import EmbeddedView

#: Problems of one kind that are listed; of the others only the number is given.
_MAX_LISTED: Final = 20
_SAMPLE: Final = 500
#: How far scores may differ that are sums of the same numbers in another order.
_CLOSE: Final = 1e-4
#: How far the numbers of vectors of length 1 may differ from those that are stored in 8 bits.
_CODED: Final = 0.01
#: Documents whose checksums are computed at a time.
_SUMMED: Final = 1000


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """A problem of the document database (`truth`), of the `derived` files, or missing `writes`; see `mended`.

    It is `mended` if it was repaired, or accepted in the case of missing writes.
    """

    where: Literal["truth", "derived", "writes"]
    what: str
    mended: bool = False


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of checking an index."""

    path: str
    documents: int
    passages: int
    findings: tuple[CheckFinding, ...]
    #: Passages whose vectors are not made yet, which is no problem.
    pending: int = 0

    @property
    def is_sound(self) -> bool:
        """Whether no problem is left."""
        return all(finding.mended for finding in self.findings)


def check(
    path: str | os.PathLike[str], *, repair: bool = True, backup: str | os.PathLike[str] | None = None
) -> CheckReport:
    """Check an index. With `repair`, what is derived from the documents is rebuilt.

    Acknowledged writes that are missing are accepted as lost then. The documents are changed only where a `backup` is
    given: damaged ones are replaced by those of the backup, where it holds what was stored.
    """
    folder = Path(path)
    replaced = [] if backup is None else _replace_damaged(folder, Path(backup))
    report = _check(folder, repair)
    return dataclasses.replace(report, findings=(*replaced, *report.findings))


def _replace_damaged(folder: Path, backup: Path) -> list[CheckFinding]:
    described = describe_replaced(replace_damaged(folder, backup), backup)
    return [CheckFinding("truth", sentence, mended=is_mended) for sentence, is_mended in described.items()]


def _check(folder: Path, repair: bool) -> CheckReport:
    connection, file = connect_known(folder)
    try:
        with wrap_errors(folder, "read"):
            state = read_state(connection)
            findings = [CheckFinding("truth", problem) for problem in _check_database(connection, state)]
            counts = connection.execute(
                "SELECT count(*), (SELECT count(*) FROM passages p JOIN documents d ON d.seq = p.document "
                "WHERE d.died = ?1), (SELECT count(*) FROM vectors v JOIN documents d ON d.seq = v.id >> ?2 "
                "WHERE v.key = ?3 AND d.died = ?1) FROM documents WHERE died = ?1",
                (NEVER, ORDINAL_BITS, PENDING),
            ).fetchone()
        # Nothing is derived from a damaged database: older derived files may be all that is left of its content.
        is_sound = not findings
        missing = _find_missing_writes(folder, connection)
        derived = _check_derived(folder, connection, file, repair, compare=is_sound)
        if missing and repair and is_sound:
            missing = _accept_losses(folder, connection, missing)
        findings += [*missing, *derived]
        if is_sound:
            findings += _check_fields(folder, connection, state, repair)
    finally:
        connection.close()
    documents, passages, pending = counts
    return CheckReport(str(folder), documents, passages, tuple(findings), pending)


# ---------------------------------------------------------------- the document database


def _check_database(connection: sqlite3.Connection, state: State) -> list[str]:
    errors = [str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
    if errors:
        return [f"the file epochal.db is damaged: {problem}" for problem in errors[:_MAX_LISTED]]
    kinds = (
        _find_orphans(connection),
        _check_documents(connection),
        _check_passages(connection),
        _check_vectors(connection, state),
        _check_sums(connection),
        _check_counters(connection, state),
    )
    listed = []
    for kind in kinds:
        problems = list(kind)
        listed += problems[:_MAX_LISTED]
        if len(problems) > _MAX_LISTED:
            listed.append(f"... and {len(problems) - _MAX_LISTED:,} more of that kind")
    return listed


def _find_orphans(connection: sqlite3.Connection) -> Iterator[str]:
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield f"row {row} of the table {table} has lost its row in {parent}"


def _check_documents(connection: sqlite3.Connection) -> Iterator[str]:
    rows = connection.execute(
        "SELECT id, text, title, published, valid, series, meta, hash, born, died FROM documents ORDER BY seq"
    )
    for id, text, title, published, valid, series, meta, digest, born, died in rows:
        try:
            spans = [None if packed is None else unpack_span(packed) for packed in (published, valid)]
            document = Document(id, text, title, spans[0], spans[1], series, parse_meta(meta))
            found = document.content_hash()
        except (ValueError, TypeError, AttributeError, struct.error) as error:
            yield f"document {id!r} cannot be read: {error}"
            continue
        if found != digest:
            yield f"document {id!r} is not what was stored"
        if born >= died:
            yield f"document {id!r} died before it was born"


def _check_passages(connection: sqlite3.Connection) -> Iterator[str]:
    rows = connection.execute(
        "SELECT p.id, d.seq, d.id, d.text, p.start_char, p.end_char, p.datings FROM documents d "
        "JOIN passages p ON p.document = d.seq AND p.id >= d.seq << ?1 AND p.id < (d.seq + 1) << ?1 ORDER BY p.id",
        (ORDINAL_BITS,),
    )
    count, expected = 0, -1
    for id, seq, name, text, start, end, packed in rows:
        count += 1
        if id != expected and id != seq << ORDINAL_BITS:
            yield f"document {name!r} lacks a passage before its passage {id - (seq << ORDINAL_BITS)}"
        expected = id + 1
        if not 0 <= start <= end <= len(text):
            yield f"document {name!r} has a passage from {start} to {end}, beyond its text of {len(text)} characters"
        if len(packed) % DATING.itemsize:
            yield f"document {name!r} has datings of {len(packed)} bytes, which are no whole number of them"
            continue
        try:
            datings = unpack_datings(packed)
        except ValueError as error:
            yield f"document {name!r} has a dating that cannot be read: {error}"
            continue
        if any(not has_position(dating, end - start) for dating in datings):
            yield f"document {name!r} has a dating beyond its passage"
    (stored,) = connection.execute("SELECT count(*) FROM passages").fetchone()
    if stored != count:
        yield f"{stored - count:,} passages belong to no document"


def _check_vectors(connection: sqlite3.Connection, state: State) -> Iterator[str]:
    missing = "SELECT p.id FROM passages p LEFT JOIN vectors v ON v.id = p.id WHERE v.id IS NULL"
    if state.dim and not state.is_made:
        for (id,) in connection.execute(missing):
            yield f"passage {id} has no vector"
    for id, packed in connection.execute("SELECT id, vector FROM vectors"):
        if len(packed) != 4 * state.dim:
            yield f"the vector of passage {id} has {len(packed)} bytes, but must have {4 * state.dim}"
        elif not np.isfinite(np.frombuffer(packed, dtype="<f4")).all():
            yield f"the vector of passage {id} holds a number that is not finite"


def _check_sums(connection: sqlite3.Connection) -> Iterator[str]:
    (last,) = connection.execute("SELECT max(seq) FROM documents").fetchone()
    for low in range(0, (last or 0) + 1, _SUMMED):
        yield from find_damaged(connection, low, low + _SUMMED - 1)


def _check_counters(connection: sqlite3.Connection, state: State) -> Iterator[str]:
    last, born, died = connection.execute(
        f"SELECT max(seq), max(born), (SELECT max(died) FROM documents WHERE died < {NEVER}) FROM documents"
    ).fetchone()
    next_seq = read_next(connection)
    if (last or 0) >= next_seq:
        yield f"the next document would get the number {next_seq}, but there is one of number {last}"
    if max(born or 0, died or 0, state.floor) > state.generation:
        yield f"documents have a generation after the last, {state.generation}"


def _find_missing_writes(folder: Path, connection: sqlite3.Connection) -> list[CheckFinding]:
    """Acknowledged writes that are missing from the document database, and damage to the record of them."""
    with wrap_errors(folder, "read"):
        findings = [CheckFinding("writes", describe_loss(loss)) for loss in find_losses(folder, connection)]
    return [*findings, CheckFinding("derived", f"{RECORD} is damaged")] if is_record_damaged(folder) else findings


def _accept_losses(folder: Path, connection: sqlite3.Connection, missing: list[CheckFinding]) -> list[CheckFinding]:
    lock = WriterLock(folder)
    try:
        lock.acquire()
        with wrap_errors(folder, "mended"):
            accept_losses(folder, connection)
    except StorageError as error:
        return [*missing, CheckFinding("derived", str(error))]
    finally:
        lock.release()
    return [dataclasses.replace(finding, mended=True) for finding in missing]


# ---------------------------------------------------------------- the derived files


def _check_derived(
    folder: Path, connection: sqlite3.Connection, file: FileKey, repair: bool, compare: bool
) -> list[CheckFinding]:
    derived, lock = Derived(folder, file, repairs_files=repair, trusts_records=False), WriterLock(folder)
    data = read_manifest(folder)
    manifest = DerivedManifest.from_bytes(data)
    damage = [describe_damage(data)] if manifest is None else find_problems(folder, manifest, {})
    if manifest is not None and not damage and (mismatch := find_mismatch(manifest, connection)):
        damage = [mismatch]
    if manifest is not None and not damage and manifest.generation < read_state(connection).generation:
        damage = ["the derived files are behind the document database"]
    if not compare or (damage and not repair):
        return [CheckFinding("derived", problem) for problem in damage]
    try:
        if repair:
            derived.repair(connection, lock)
        problems = list(_compare(derived.view(connection, lock)))
        if problems and repair:
            lock.acquire()
            with wrap_errors(folder, "mended"):
                derived.update_derived(connection, rebuild=True)
            remaining = list(_compare(derived.view(connection, lock)))
            return [
                CheckFinding("derived", problem, mended=problem not in remaining) for problem in [*damage, *problems]
            ]
    except StorageError as error:
        return [CheckFinding("derived", problem) for problem in [*damage, str(error)]]
    finally:
        derived.release_view()
        lock.release()
    repaired = [CheckFinding("derived", problem, mended=True) for problem in damage or derived.repairs]
    return repaired + [CheckFinding("derived", problem) for problem in problems]


def _check_fields(folder: Path, connection: sqlite3.Connection, state: State, repair: bool) -> list[CheckFinding]:
    """The table of metadata values, which lies in the document database and is derived from the documents."""
    with wrap_errors(folder, "read"):
        if is_table_right(connection, state.generation):
            return []
    problem = "the table of metadata values is not that of the documents"
    if not repair:
        return [CheckFinding("derived", problem)]
    lock = WriterLock(folder)
    try:
        lock.acquire()
        with wrap_errors(folder, "mended"):
            rebuild_table(connection, read_state(connection).generation)
    except StorageError as error:
        return [CheckFinding("derived", problem), CheckFinding("derived", str(error))]
    finally:
        lock.release()
    return [CheckFinding("derived", problem, mended=True)]


def _compare(view: EmbeddedView) -> Iterator[str]:
    """Differences between a view and the document database: in counts, and in a sample of documents."""
    documents, passages = view.count_stored()
    if (view.document_count, view.passage_count) != (documents, passages):
        yield (
            f"the derived files know {view.document_count:,} documents and {view.passage_count:,} passages, but there "
            f"are {documents:,} and {passages:,}"
        )
        return
    maker = find_maker(view.encoder_name) if view.makes_vectors else None
    rows = view.alive_documents
    if len(rows) > _SAMPLE:
        rows = np.array(sorted(random.Random(0).sample(rows.tolist(), _SAMPLE)), dtype=np.int64)
    for row, entry in zip(rows.tolist(), view.get_entries(rows), strict=True):
        name = entry.document.id
        passage_rows = view.get_passage_rows(np.array([row]))
        if len(passage_rows) != len(entry.passages):
            counts = f"{len(passage_rows)} passages, but it has {len(entry.passages)}"
            yield f"the derived files give document {name!r} {counts}"
            continue
        for table, span in ((view.published, entry.document.published), (view.valid, entry.document.valid)):
            low, high = np.searchsorted(table.rows, [row, row + 1])
            if list(table.spans[low:high]) != ([] if span is None else [span]):
                yield f"the derived files give document {name!r} other times than it has"
        low = high = 0
        if len(passage_rows):
            low, high = np.searchsorted(view.content.rows, [passage_rows[0], passage_rows[-1] + 1])
        if list(view.content.spans[low:high]) != [dating.span for p in entry.passages for dating in p.datings]:
            yield f"the derived files give the passages of document {name!r} other times than they have"
        if not _has_vectors(view, passage_rows, entry, maker):
            yield f"the derived files give the passages of document {name!r} other vectors than they have"
        keys = entry.keys
        if keys is not None and np.isin(passage_rows, view.pending).tolist() != [key == PENDING for key in keys]:
            yield f"the derived files do not know which vectors of document {name!r} are not made yet"
        heading = join_heading(entry.document.title, entry.document.meta, entry.document.series)
        for passage_row, passage in zip(passage_rows.tolist(), entry.passages, strict=True):
            text = entry.document.text[passage.start_char : passage.end_char]
            words = f"{heading}\n{text}"[:2000]
            score = view.look_up_words(words, passage_row)
            if view.analyse(words) and not score:
                yield f"the words of document {name!r} do not find it"
            elif not math.isclose(view.score_words(words, np.array([passage_row]))[0], score, rel_tol=_CLOSE):
                yield f"the derived files give document {name!r} its words in other numbers than it has them"
            if not _has_contexts(view, passage_row, int(low), heading, text, passage):
                yield f"the derived files give document {name!r} other words around its times than it has"
            low += len(passage.datings)


def _has_vectors(view: EmbeddedView, rows: Rows, entry: Entry, maker: Encode | None) -> bool:
    """Whether a view has the vectors of a document: those that are stored, or that are made of its passages."""
    if maker is None:
        return entry.vectors is None or np.array_equal(view.get_vectors(rows), entry.vectors)
    title, text = entry.document.title, entry.document.text
    made = maker([join_title(title, text[passage.start_char : passage.end_char]) for passage in entry.passages])
    return np.allclose(view.get_vectors(rows), made, rtol=0.0, atol=_CODED) if len(rows) else True


def _has_contexts(view: EmbeddedView, row: int, position: int, heading: str, text: str, passage: Passage) -> bool:
    """Whether a view has the words of a passage and of its times, which start at `position` in the view's content."""
    starts = [dating.start_char for dating in passage.datings]
    bounds = [(0, len(text)), *find_contexts(text, starts)]
    contexts = [set(view.analyse(f"{heading}\n{text[low:high]}")) for low, high in bounds]
    tokens = sorted(contexts[0])
    positions = np.array([-1, *range(position, position + len(starts))])
    matches = view.match_contexts(np.full(len(positions), row), positions, tokens)
    return bool(matches.tolist() == [[token in context for token in tokens] for context in contexts])
