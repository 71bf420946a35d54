"""Checking an index: the document database by itself, and the derived files against it."""

from __future__ import annotations

import json
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
from epochal.storage.columns import Manifest, describe_damage, read_manifest
from epochal.storage.contexts import find_contexts
from epochal.storage.records import DATING, Document, Passage, has_position, unpack_datings, unpack_span
from epochal.storage.schema import NEVER, ORDINAL_BITS, State, WriterLock, connect, state, wrap_errors
from epochal.storage.store import Derived, find_problems
from epochal.storage.view import EmbeddedView

__all__ = ["Finding", "Report", "check"]

#: Of more faults of one kind only the first are told one by one.
_MOST_TOLD: Final = 20
_SAMPLE: Final = 500


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be, in the `truth` or in what is `derived`; `mended` when it was put right."""

    where: Literal["truth", "derived"]
    what: str
    mended: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in an index."""

    path: str
    documents: int
    passages: int
    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong now: all that was found was mended."""
        return all(finding.mended for finding in self.findings)


def check(path: str | os.PathLike[str], *, repair: bool = True) -> Report:
    """Look an index through. With `repair`, derived files that are wrong are built anew; the truth is never changed."""
    folder = Path(path)
    connection = connect(folder)
    try:
        with wrap_errors(folder, "read"):
            truth = state(connection)
            findings = [Finding("truth", what) for what in _truth_faults(connection, truth)]
            counts = connection.execute(
                "SELECT count(*), (SELECT count(*) FROM passages p JOIN documents d ON d.seq = p.document "
                "WHERE d.died = ?1) FROM documents WHERE died = ?1",
                (NEVER,),
            ).fetchone()
        # Of a truth that is wrong nothing should be derived: older files may be all that is left of what was right.
        findings += _derived_findings(folder, connection, repair, compare=not findings)
    finally:
        connection.close()
    documents, passages = counts
    return Report(str(folder), documents, passages, tuple(findings))


# ---------------------------------------------------------------- the truth


def _truth_faults(connection: sqlite3.Connection, truth: State) -> list[str]:
    broken = [str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
    if broken:  # what lies in a broken file need not be looked at
        return [f"the file epochal.db is damaged: {what}" for what in broken[:_MOST_TOLD]]
    kinds = (
        _orphans(connection),
        _wrong_documents(connection),
        _wrong_passages(connection),
        _wrong_vectors(connection, truth),
        _wrong_counters(connection, truth),
    )
    told = []
    for kind in kinds:
        faults = list(kind)
        told += faults[:_MOST_TOLD]
        if len(faults) > _MOST_TOLD:
            told.append(f"... and {len(faults) - _MOST_TOLD:,} more of that kind")
    return told


def _orphans(connection: sqlite3.Connection) -> Iterator[str]:
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield f"row {row} of the table {table} has lost its row in {parent}"


def _wrong_documents(connection: sqlite3.Connection) -> Iterator[str]:
    rows = connection.execute(
        "SELECT id, text, title, published, valid, series, meta, hash, born, died FROM documents ORDER BY seq"
    )
    for id, text, title, published, valid, series, meta, digest, born, died in rows:
        try:
            spans = [None if packed is None else unpack_span(packed) for packed in (published, valid)]
            document = Document(id, text, title, spans[0], spans[1], series, json.loads(meta))
        except (ValueError, TypeError, struct.error) as error:
            yield f"document {id!r} cannot be read: {error}"
            continue
        if document.content_hash() != digest:
            yield f"document {id!r} is not what was stored"
        if born >= died:
            yield f"document {id!r} died before it was born"


def _wrong_passages(connection: sqlite3.Connection) -> Iterator[str]:
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


def _wrong_vectors(connection: sqlite3.Connection, truth: State) -> Iterator[str]:
    missing = "SELECT p.id FROM passages p LEFT JOIN vectors v ON v.id = p.id WHERE v.id IS NULL"
    if truth.dim:
        for (id,) in connection.execute(missing):
            yield f"passage {id} has no vector"
    for id, packed in connection.execute("SELECT id, vector FROM vectors"):
        if len(packed) != 4 * truth.dim:
            yield f"the vector of passage {id} has {len(packed)} bytes, but must have {4 * truth.dim}"
        elif not np.isfinite(np.frombuffer(packed, dtype="<f4")).all():
            yield f"the vector of passage {id} holds a number that is not finite"


def _wrong_counters(connection: sqlite3.Connection, truth: State) -> Iterator[str]:
    last, born, died = connection.execute(
        f"SELECT max(seq), max(born), (SELECT max(died) FROM documents WHERE died < {NEVER}) FROM documents"
    ).fetchone()
    (following,) = connection.execute("SELECT value FROM meta WHERE key = 'next'").fetchone()
    if (last or 0) >= following:
        yield f"the next document would get the number {following}, but there is one of number {last}"
    if max(born or 0, died or 0, truth.floor) > truth.generation:
        yield f"documents speak of a generation after the last, {truth.generation}"


# ---------------------------------------------------------------- what is derived


def _derived_findings(folder: Path, connection: sqlite3.Connection, repair: bool, compare: bool) -> list[Finding]:
    derived, lock = Derived(folder), WriterLock(folder)
    listed = read_manifest(folder)
    manifest = Manifest.from_bytes(listed)
    wrong = [describe_damage(listed)] if manifest is None else find_problems(folder, manifest, {})
    if manifest is not None and not wrong and manifest.generation < state(connection).generation:
        wrong = ["the derived files are behind the truth"]
    if not compare or (wrong and not repair):
        return [Finding("derived", what) for what in wrong]
    try:
        if repair:
            derived.mend(connection, lock)
        faults = list(_differences(derived.view(connection, lock)))
        if faults and repair:
            lock.acquire()
            with wrap_errors(folder, "mended"):
                derived.update_derived(connection, anew=True)
            left = list(_differences(derived.view(connection, lock)))
            return [Finding("derived", what, mended=what not in left) for what in [*wrong, *faults]]
    except StorageError as error:
        return [Finding("derived", what) for what in [*wrong, str(error)]]
    finally:
        derived.forget_view()
        lock.release()
    return [*(Finding("derived", what, mended=True) for what in wrong), *(Finding("derived", what) for what in faults)]


def _differences(view: EmbeddedView) -> Iterator[str]:
    """Where a view differs from the truth: in counts, and in what it says of some documents."""
    documents, passages = view.true_counts()
    if (view.document_count, view.passage_count) != (documents, passages):
        yield (
            f"the derived files know {view.document_count:,} documents and {view.passage_count:,} passages, but there "
            f"are {documents:,} and {passages:,}"
        )
        return
    rows = view.alive_documents
    if len(rows) > _SAMPLE:
        rows = np.array(sorted(random.Random(0).sample(rows.tolist(), _SAMPLE)), dtype=np.int64)
    for row, entry in zip(rows.tolist(), view.entries(rows), strict=True):
        name = entry.document.id
        own = view.rows_of(np.array([row]))
        if len(own) != len(entry.passages):
            yield f"the derived files give document {name!r} {len(own)} passages, but it has {len(entry.passages)}"
            continue
        for table, span in ((view.published, entry.document.published), (view.valid, entry.document.valid)):
            low, high = np.searchsorted(table.rows, [row, row + 1])
            if list(table.spans[low:high]) != ([] if span is None else [span]):
                yield f"the derived files give document {name!r} other times than it has"
        low, high = np.searchsorted(view.content.rows, [own[0], own[-1] + 1]) if len(own) else (0, 0)
        if list(view.content.spans[low:high]) != [dating.span for p in entry.passages for dating in p.datings]:
            yield f"the derived files give the passages of document {name!r} other times than they have"
        if entry.vectors is not None and not np.array_equal(view.stored_vectors(own), entry.vectors):
            yield f"the derived files give the passages of document {name!r} other vectors than they have"
        for at, passage in zip(own.tolist(), entry.passages, strict=True):
            title, text = entry.document.title, entry.document.text[passage.start_char : passage.end_char]
            words = f"{title}\n{text}"[:2000]
            if view.analyse(words) and not view.word_scores(words, np.array([at]))[0]:
                yield f"the words of document {name!r} do not find it"
            if not _has_contexts(view, at, int(low), title, text, passage):
                yield f"the derived files give document {name!r} other words around its times than it has"
            low += len(passage.datings)


def _has_contexts(view: EmbeddedView, row: int, place: int, title: str, text: str, passage: Passage) -> bool:
    """Whether a view has the words of a passage and of its times, the first of which is at a place of its content."""
    starts = [dating.start_char for dating in passage.datings]
    around = [(0, len(text)), *find_contexts(text, starts)]
    contexts = [set(view.analyse(f"{title}\n{text[low:high]}")) for low, high in around]
    tokens = sorted(contexts[0])
    places = np.array([-1, *range(place, place + len(starts))])
    found = view.contexts(np.full(len(places), row), places, tokens)
    return bool(found.tolist() == [[token in context for token in tokens] for context in contexts])
