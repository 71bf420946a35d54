"""Building the derived files from the document database, from scratch or by appending what is new."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import StorageError
from epochal.storage.checksums import compare_rows, select_passages, select_vectors
from epochal.storage.coded import CodedVectors, code_vectors
from epochal.storage.columns import FOLDER, DerivedManifest, Extent, append_rows, open_column, row_width, write_manifest
from epochal.storage.identity import find_mismatch, read_mark
from epochal.storage.making import Encode, find_maker, join_title
from epochal.storage.passage_tokens import TokenReader
from epochal.storage.protocol import find_first_line
from epochal.storage.records import DATING, PENDING, SPAN
from epochal.storage.schema import NEVER, ORDINAL_BITS, State, read_state
from epochal.storage.text import join_heading
from epochal.storage.vectors import LARGE, assign, can_train, measure_probes, train
from epochal.storage.words import WordBuilder, list_word_files

#: Documents that are held in memory at a time.
_BATCH: Final = 1000
#: Files in which no more than one document of so many is dead are not made anew.
_SHARE: Final = 16
#: Documents after which a manifest is written, so that a crash does not lose all of the work.
_STEP: Final = 200_000


def hash_series(name: str | None) -> int:
    """The code of a series in the columns; -1 for none."""
    if name is None:
        return -1
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big") >> 1


def update_derived(
    index: Path, connection: sqlite3.Connection, manifest: DerivedManifest | None
) -> tuple[DerivedManifest, bytes]:
    """Update intact derived files from the document database, or build them; for the writer only."""
    state = read_state(connection)
    if manifest is None or not _is_usable(manifest, state) or find_mismatch(manifest, connection, state):
        manifest = _create_set(index, state)
    manifest = replace(manifest, identity=state.identity, floor=state.floor)
    data = b""
    while not data or manifest.generation < state.generation:
        manifest = _extend(index, connection, manifest, _choose_target(index, connection, manifest, state))
        data = write_manifest(index, manifest)
    remove_old_files(index, manifest)
    return manifest, data


def _is_usable(manifest: DerivedManifest, state: State) -> bool:
    """Whether files can be updated: also after a purge, if the purged documents are dead in them, and few."""
    if manifest.dim != state.dim or manifest.generation < state.floor:
        return False
    return manifest.floor == state.floor or is_few(manifest.rows("dead"), manifest.rows("documents.seq"))


def is_few(dead: int, total: int) -> bool:
    """Whether what is dead can stay in files for now: making them anew takes as long as all of them."""
    return dead * _SHARE <= total


def remove_old_files(index: Path, manifest: DerivedManifest) -> None:
    """Remove derived files that no reader can use any more."""
    folder = index / FOLDER
    for old in folder.glob("set-*"):
        if old.name != manifest.folder:
            shutil.rmtree(old, ignore_errors=True)
    # Readers of the previous manifest may be about to open its words.
    states = sorted((folder / manifest.folder).glob("words-*"), key=_parse_number)
    for old in states[:-3]:
        if old.name != manifest.words:
            shutil.rmtree(old, ignore_errors=True)


def _parse_number(path: Path) -> int:
    return int(path.name.rpartition("-")[2])


def _create_set(index: Path, state: State) -> DerivedManifest:
    folder = index / FOLDER
    folder.mkdir(exist_ok=True)
    name = f"set-{max((_parse_number(old) for old in folder.glob('set-*')), default=0) + 1}"
    (folder / name).mkdir()
    return DerivedManifest(generation=-1, floor=state.floor, folder=name, words="", dim=state.dim)


def _choose_target(index: Path, connection: sqlite3.Connection, manifest: DerivedManifest, state: State) -> int:
    """The generation of the next manifest: the last one, or one before it if many documents are new."""
    last = _read_last_seq(index, manifest)
    distant = connection.execute(
        "SELECT born FROM documents WHERE seq > ? ORDER BY seq LIMIT 1 OFFSET ?", (last, _STEP)
    ).fetchone()
    return state.generation if distant is None else min(max(distant[0], manifest.generation + 1), state.generation)


def _read_last_seq(index: Path, manifest: DerivedManifest) -> int:
    seqs = open_column(index / FOLDER / manifest.folder, "documents.seq", manifest.extent("documents.seq"))
    return int(seqs[-1]) if len(seqs) else 0


def _extend(index: Path, connection: sqlite3.Connection, manifest: DerivedManifest, target: int) -> DerivedManifest:
    """Append what was added and deleted after the manifest's generation, up to the target."""
    folder = index / FOLDER / manifest.folder
    columns, longest = dict(manifest.columns), manifest.longest
    last_seq = _read_last_seq(index, manifest)
    document_count, passage_count = manifest.rows("documents.seq"), manifest.rows("passages.document")
    words_folder, files = manifest.words, manifest.word_files
    batches = _read_batches(connection, last_seq, target)
    first = next(batches, None)
    state = read_state(connection)
    maker = find_maker(state.encoder_name) if state.is_made and first is not None else None
    if first is not None or not words_folder:
        previous = folder / words_folder if words_folder else None
        words_folder = f"words-{target}"
        reader = TokenReader()
        with WordBuilder(folder / words_folder, previous) as builder:
            for batch in chain([] if first is None else [first], batches):
                ends = batch[0][0], batch[-1][0]
                passages, vectors = list(select_passages(connection, *ends)), list(select_vectors(connection, *ends))
                for _, _, problem in compare_rows(connection, *ends, passages, vectors):
                    raise StorageError(f"the file epochal.db is damaged: {problem}; restore a backup")
                texts = _join_texts(batch, passages)
                values = _build_columns(batch, passages, document_count, passage_count)
                tokens = columns.get("tokens", Extent(0, 0)).bytes // row_width("tokens", 0)
                bodies, contexts = _read_tokens(reader, texts, passages, tokens)
                values.update(contexts)
                if passage_count and "tokens.count" not in columns:
                    # Files of an earlier version have no counts, and get none of a part of their passages.
                    del values["tokens.count"], values["passages.length"]
                if document_count and "documents.headed" not in columns:
                    del values["documents.headed"]
                if manifest.dim:
                    if maker is None:
                        rows = values["vectors"] = _join_vectors(vectors, len(passages), manifest.dim)
                        values.update(_find_pending(connection, values["documents.seq"], values["documents.first"]))
                    else:
                        codes, scales = code_vectors(_make_vectors(maker, batch, passages, manifest.dim))
                        values["vectors.code"], values["vectors.scale"] = codes, scales
                        rows = CodedVectors(codes, scales)[:]
                    longest = max(longest, _find_longest(rows, manifest.dim))
                for name, column in values.items():
                    columns[name] = append_rows(folder, name, columns.get(name, Extent(0, 0)), column)
                builder.add(passage_count, bodies)
                document_count += len(batch)
                passage_count += len(passages)
            builder.finish()
        files = list_word_files(folder / words_folder, files)
    died = connection.execute(
        # Has the condition of the index of what is dead, which SQLite uses then.
        f"SELECT seq FROM documents WHERE died > ? AND died <= ? AND died < {NEVER} ORDER BY died, seq",
        (manifest.generation, target),
    )
    dead = np.fromiter((seq for (seq,) in died), np.int64)
    if len(dead):
        seqs = open_column(folder, "documents.seq", columns["documents.seq"])
        columns["dead"] = append_rows(folder, "dead", columns.get("dead", Extent(0, 0)), np.searchsorted(seqs, dead))
    probes = manifest.probes
    if manifest.dim and passage_count > LARGE and not state.is_made:
        # Vectors that are made fast are sums of those of words, which do not cluster.
        probes = _extend_cells(folder, columns, probes, manifest.dim)
    return replace(
        manifest,
        generation=target,
        mark=read_mark(connection, target),
        words=words_folder,
        longest=longest,
        probes=probes,
        columns=columns,
        word_files=files,
    )


def _extend_cells(folder: Path, columns: dict[str, Extent], probes: int, dim: int) -> int:
    """Train the cells of the vectors, or assign new vectors to them; returns how many cells to probe."""
    vectors = open_column(folder, "vectors", columns["vectors"], dim)
    if probes < 0:
        return probes
    if probes:
        centroids = open_column(folder, "centroids", columns["centroids"], dim)
        count = columns["cells"].bytes // row_width("cells", dim)
        columns["cells"] = append_rows(folder, "cells", columns["cells"], assign(centroids, vectors[count:]))
        return probes
    pending = columns.get("vectors.pending", Extent(0, 0)).bytes // row_width("vectors.pending", dim)
    if not can_train() or not is_few(pending, len(vectors)):
        return 0  # all vectors are compared; a later write trains the cells if faiss or the vectors are there by then
    centroids = train(vectors)
    cells = assign(centroids, vectors)
    probes = measure_probes(centroids, cells, vectors)
    if probes > 0:
        columns["centroids"] = append_rows(folder, "centroids", Extent(0, 0), centroids)
        columns["cells"] = append_rows(folder, "cells", Extent(0, 0), cells)
    return probes


def _read_batches(connection: sqlite3.Connection, last_seq: int, target: int) -> Iterator[list[tuple[Any, ...]]]:
    cursor = connection.execute(
        "SELECT seq, title, text, published, valid, series, meta FROM documents "
        "WHERE seq > ? AND born <= ? ORDER BY seq",
        (last_seq, target),
    )
    while batch := cursor.fetchmany(_BATCH):
        yield batch


def _join_vectors(vectors: list[tuple[int, bytes]], count: int, dim: int) -> npt.NDArray[np.float32]:
    packed = b"".join(vector for _, vector in vectors)
    if len(packed) != 4 * count * dim:
        raise StorageError(
            f"the file epochal.db holds {len(packed) // 4:,} numbers of vectors for {count:,} passages of {dim} "
            f"numbers each; run `epochal check`, or restore a backup"
        )
    return np.frombuffer(packed, dtype="<f4")


def _find_pending(
    connection: sqlite3.Connection, seqs: npt.NDArray[Any], firsts: npt.NDArray[Any]
) -> dict[str, npt.NDArray[Any]]:
    """A column of the passages whose vectors are not made yet, if there are any, by the first rows of documents."""
    found = connection.execute(
        "SELECT id FROM vectors WHERE key = ? AND id >= ? AND id < ? ORDER BY id",
        (PENDING, int(seqs[0]) << ORDINAL_BITS, (int(seqs[-1]) + 1) << ORDINAL_BITS),
    )
    ids = np.fromiter((id for (id,) in found), np.int64)
    if not len(ids):
        return {}
    return {"vectors.pending": firsts[np.searchsorted(seqs, ids >> ORDINAL_BITS)] + ids % (1 << ORDINAL_BITS)}


def _make_vectors(
    encode: Encode, batch: list[tuple[Any, ...]], passages: list[tuple[Any, ...]], dim: int
) -> npt.NDArray[np.float32]:
    texts = {seq: (title, text) for seq, title, text, *_ in batch}
    parts = ((*texts[seq], start, end) for seq, start, end, _ in passages)
    vectors = encode([join_title(title, text[start:end]) for title, text, start, end in parts])
    return vectors if len(vectors) else np.empty((0, dim), np.float32)


def _find_longest(vectors: npt.NDArray[np.float32], dim: int) -> float:
    return float(np.linalg.norm(vectors.reshape(-1, dim).astype(np.float64), axis=1).max(initial=0.0))


def _build_columns(
    batch: list[tuple[Any, ...]], passages: list[tuple[Any, ...]], document_count: int, passage_count: int
) -> dict[str, npt.NDArray[Any]]:
    seqs = np.array([row[0] for row in batch], dtype=np.int64)
    owners = np.array([row[0] for row in passages], dtype=np.int64)
    positions = np.searchsorted(seqs, owners)
    datings = np.frombuffer(b"".join(row[3] for row in passages), dtype=DATING)
    sizes = np.array([len(row[3]) // DATING.itemsize for row in passages], dtype=np.int64)
    values: dict[str, npt.NDArray[Any]] = {
        "documents.seq": seqs,
        "documents.first": passage_count + np.searchsorted(owners, seqs),
        "documents.series": np.array([hash_series(row[5]) for row in batch], dtype=np.int64),
        "documents.headed": np.array([_is_headed(*row) for row in batch], dtype=np.uint8),
        "passages.document": document_count + positions,
        "content.row": passage_count + np.repeat(np.arange(len(passages)), sizes),
        **{f"content.{name}": datings[name] for name in DATING.names or ()},
    }
    for table, column in (("published", 3), ("valid", 4)):
        dated = [number for number, row in enumerate(batch) if row[column] is not None]
        spans = np.frombuffer(b"".join(batch[number][column] for number in dated), dtype=SPAN)
        values[f"{table}.row"] = document_count + np.array(dated, dtype=np.int64)
        values.update({f"{table}.{name}": spans[name] for name in SPAN.names or ()})
    return values


def _is_headed(_seq: int, title: str, text: str, _published: Any, _valid: Any, series: str | None, meta: str) -> bool:
    """Whether a document has a title, a first line in its place, a series or metadata."""
    return bool(title or series or meta != "{}" or find_first_line(text))


def _join_texts(batch: list[tuple[Any, ...]], passages: list[tuple[Any, ...]]) -> list[tuple[str, str]]:
    """The headings and texts of passages."""
    texts = {
        seq: (title if meta == "{}" and series is None else join_heading(title, json.loads(meta), series), text)
        for seq, title, text, *_, series, meta in batch
    }
    return [(texts[seq][0], texts[seq][1][start:end]) for seq, start, end, _ in passages]


def _read_tokens(
    reader: TokenReader, texts: list[tuple[str, str]], passages: list[tuple[Any, ...]], first: int
) -> tuple[list[str], dict[str, npt.NDArray[Any]]]:
    datings = np.frombuffer(b"".join(row[3] for row in passages), dtype=DATING)
    sizes = [len(row[3]) // DATING.itemsize for row in passages]
    return reader.read(texts, sizes, datings["start_char"].tolist(), first)
