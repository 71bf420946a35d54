"""A snapshot of an embedded index: memory-mapped derived files and the document database of one state."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.storage.building import hash_series
from epochal.storage.coded import CodedVectors
from epochal.storage.columns import COLUMNS, FOLDER, OPTIONAL, DerivedManifest, get_map, open_column
from epochal.storage.contexts import Bm25Scorer, ContextSearcher, PassageReader
from epochal.storage.documents import Snapshot
from epochal.storage.metadata import FieldColumn, build_field_column
from epochal.storage.protocol import (
    NO_HEADING,
    Heading,
    PassageText,
    Ranked,
    RenamedMethods,
    Rows,
    SpanTable,
    StoredPassage,
    TokenCodes,
    View,
    check_ascending,
    check_dims,
    drop_repeated,
    expand_runs,
    intersect_rows,
    iterate_documents,
    locate_rows,
    subtract_rows,
)
from epochal.storage.quantised import Matrix
from epochal.storage.records import Document, Entry
from epochal.storage.schema import ORDINAL_BITS
from epochal.storage.text import analyse
from epochal.storage.vectors import Cells, FunnelSearcher, PrefixSearcher, Quantised, VectorSearcher, nest_view
from epochal.storage.words import WordSearcher
from epochal.times.spanset import SpanSet

Mask = npt.NDArray[np.bool_]

#: Truncated vectors of so many lengths are cached in memory.
_CACHED_PREFIXES: Final = 2
#: Documents that meet so many conditions on metadata are cached.
_CACHED_CONDITIONS: Final = 32


class EmbeddedView(RenamedMethods):
    """The `View` of a `Store`, over the files of one manifest."""

    def __init__(self, index: Path, manifest: DerivedManifest, snapshot: Snapshot) -> None:
        self._folder = index / FOLDER / manifest.folder
        self._manifest = manifest
        self._snapshot = snapshot
        self._words_folder = self._folder / manifest.words
        # All at once: the files may be replaced, and only those that are mapped stay readable.
        self._columns = {
            name: open_column(self._folder, name, manifest.extent(name), manifest.dim)
            for name in COLUMNS
            if name in manifest.columns or name not in OPTIONAL
        }
        self._codes = PassageReader(self._columns)
        # Files of an earlier version have no counts.
        has_counts = len(self._columns["tokens.count"]) == len(self._columns["tokens"]) > 0
        scorer = Bm25Scorer(self._codes, self._columns) if has_counts else None
        self._words = WordSearcher(self._words_folder, scorer)
        self._seqs = self._columns["documents.seq"]
        self._first = self._columns["documents.first"]
        self._documents = self._columns["passages.document"]
        self._series = self._columns["documents.series"]
        self._headed = self._columns["documents.headed"]
        self._dead = drop_repeated(self._columns["dead"])
        vectors = self._read_vectors()
        self._vectors = self._make_vector_searcher(vectors) if manifest.dim else None
        self._exact = VectorSearcher(vectors, manifest.longest)  # without cells, which might miss a row
        self._field_columns: dict[str, FieldColumn] = {}
        self._field_rows: dict[tuple[str, str, str], Rows] = {}
        self._prefixes = lru_cache(_CACHED_PREFIXES)(partial(PrefixSearcher, vectors))
        self._maps = [
            (mapped, manifest.extent(name).bytes)
            for name, column in self._columns.items()
            if (mapped := get_map(column)) is not None
        ]
        # An open snapshot would make the write-ahead log grow.
        weakref.finalize(self, snapshot.close)

    @property
    def is_cut(self) -> bool:
        """Whether a file was made shorter since it was mapped: reading beyond its end would end the process."""
        return any(mapped.size() < size for mapped, size in self._maps) or any(
            self._is_shorter(name, extent.bytes) for name, extent in self._manifest.word_files.items()
        )

    def _is_shorter(self, name: str, size: int) -> bool:
        try:
            return os.stat(f"{self._words_folder}/{name}").st_size < size
        except OSError:
            return False  # a file that was removed stays readable

    def _read_vectors(self) -> Matrix:
        codes = self._columns.get("vectors.code")
        if codes is not None:
            return CodedVectors(codes, self._columns["vectors.scale"])
        return self._columns.get("vectors", np.empty((0, self._manifest.dim), np.float32))

    def _make_vector_searcher(self, vectors: Matrix) -> VectorSearcher:
        probes, cells = self._manifest.probes, None
        if probes > 0:
            cells = Cells(self._columns["centroids"], self._columns["cells"], probes)
        return VectorSearcher(vectors, self._manifest.longest, cells)

    @property
    def quantised(self) -> tuple[str, Quantised] | None:
        """The vectors in 8 bits, if this view has them, and the name of the set of files that they belong to."""
        found = None if self._vectors is None else self._vectors.quantised
        return None if found is None else (self._set_name, found)

    def take_over(self, quantised: tuple[str, Quantised] | None) -> None:
        """Use the vectors in 8 bits of an earlier view of the same set of files, to which rows were added."""
        if quantised is not None and quantised[0] == self._set_name and self._vectors is not None:
            self._vectors.take_over(quantised[1])

    @property
    def _set_name(self) -> str:
        return f"{self._manifest.identity}/{self._manifest.folder}"

    @property
    def generation(self) -> int:
        return self._manifest.generation

    @property
    def identity(self) -> str:
        return f"{self._manifest.identity}:{self._manifest.mark}"

    @property
    def document_count(self) -> int:
        return len(self._seqs) - len(self._dead)

    @property
    def passage_count(self) -> int:
        return len(self.alive)

    @property
    def dim(self) -> int:
        return self._manifest.dim

    @property
    def encoder_name(self) -> str:
        return self._snapshot.state.encoder_name

    @property
    def makes_vectors(self) -> bool:
        """Whether vectors are made from the texts of documents; see `epochal.storage.making`."""
        return self._snapshot.state.is_made

    # ---------------------------------------------------------------- searching

    def search_words(self, query: str, k: int, rows: Rows | None = None) -> Ranked:
        return self._words.search_words(query, k, self._select_alive(rows))

    def score_words(self, query: str, rows: Rows) -> npt.NDArray[np.float64]:
        return self._words.score_words(query, np.asarray(rows, dtype=np.int64))

    def look_up_words(self, query: str, row: int) -> float:
        """The BM25 score of a row by the word index alone, without the columns of its tokens."""
        return self._words.look_up_words(query, row)

    def analyse(self, text: str) -> list[str]:
        return analyse(text)

    def get_document_frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        return self._words.get_document_frequencies(tokens)

    def search_vectors(self, query: npt.NDArray[np.float32], k: int, rows: Rows | None = None) -> Ranked:
        return self._require_vectors().search_vectors(query, k, self._select_encoded(rows))

    def score_vectors(self, query: npt.NDArray[np.float32], rows: Rows) -> npt.NDArray[np.float64]:
        return self._require_vectors().score_vectors(query, np.asarray(rows, dtype=np.int64))

    def get_vectors(self, rows: Rows) -> npt.NDArray[np.float32]:
        return self._require_vectors().get_vectors(np.asarray(rows, dtype=np.int64))

    def with_dims(self, dims: int, shortlist: int | None = None) -> View:
        check_dims(dims, self.dim)
        if dims == self.dim:
            return self
        prefixes = self._prefixes(dims)
        funnel = None if shortlist is None else FunnelSearcher(self._exact, prefixes, shortlist)
        return nest_view(self, dims, prefixes, funnel, self._select_encoded)

    def _require_vectors(self) -> VectorSearcher:
        if self._vectors is None:
            raise EpochalError("this index was made without an encoder, so it has no vectors to search")
        return self._vectors

    def _select_alive(self, rows: Rows | None) -> Rows | None:
        """The rows to search, without deleted ones; None for all rows."""
        if rows is None:
            return self.alive if len(self._dead) else None
        rows = check_ascending(rows, len(self._documents))
        return rows[self._is_alive[rows]] if len(self._dead) else rows

    @cached_property
    def pending(self) -> Rows:
        """The passages whose vectors are not made yet, ascending."""
        rows = self._columns.get("vectors.pending", np.empty(0, np.int32)).astype(np.int64)
        return rows[self._is_alive[rows]] if len(rows) and len(self._dead) else rows

    @cached_property
    def _encoded(self) -> Rows:
        return subtract_rows(self.alive, self.pending)

    def _select_encoded(self, rows: Rows | None) -> Rows | None:
        """The rows whose vectors are searched: those of `_select_alive` that have one already."""
        selected = self._select_alive(rows)
        if not len(self.pending):
            return selected
        return self._encoded if rows is None or selected is None else intersect_rows(selected, self._encoded)

    def match_contexts(self, rows: Rows, positions: Rows, tokens: Sequence[str]) -> Mask:
        rows, positions = np.asarray(rows, dtype=np.int64), np.asarray(positions, dtype=np.int64)
        return self._contexts.match_contexts(rows, positions, tokens)

    def get_token_codes(self, rows: Rows) -> TokenCodes:
        return self._contexts.get_token_codes(np.asarray(rows, dtype=np.int64))

    @cached_property
    def _contexts(self) -> ContextSearcher:
        alive = self._is_alive[self._columns["content.row"]] if len(self._dead) else slice(None)
        token, tokens = (self._columns[name][alive] for name in ("content.token", "content.tokens"))
        return ContextSearcher(self._columns, token, tokens, self._codes)

    # ---------------------------------------------------------------- times

    @cached_property
    def content(self) -> SpanTable:
        return self._make_span_table("content", self._is_alive)

    @cached_property
    def published(self) -> SpanTable:
        return self._make_span_table("published", self._is_alive_document)

    @cached_property
    def valid(self) -> SpanTable:
        return self._make_span_table("valid", self._is_alive_document)

    def _make_span_table(self, table: str, alive: Mask) -> SpanTable:
        columns = {name.partition(".")[2]: column for name, column in self._columns.items() if name.startswith(table)}
        selected = alive[columns["row"]] if len(self._dead) else slice(None)
        no_position = np.broadcast_to(np.int32(-1), columns["row"].shape)
        return SpanTable(
            SpanSet(
                columns["start"][selected],
                columns["end"][selected],
                grains=columns["grain"][selected],
                end_grains=columns["end_grain"][selected],
                certainties=columns["certainty"][selected],
                end_certainties=columns["end_certainty"][selected],
                weights=columns["confidence"][selected] if "confidence" in columns else 1.0,
            ),
            columns["row"][selected].astype(np.int64),
            columns.get("start_char", no_position)[selected],
            columns.get("end_char", no_position)[selected],
        )

    # ---------------------------------------------------------------- rows

    @cached_property
    def _is_alive_document(self) -> Mask:
        alive = np.ones(len(self._seqs), dtype=np.bool_)
        alive[self._dead] = False
        return alive

    @cached_property
    def _is_alive(self) -> Mask:
        return np.asarray(self._is_alive_document[self._documents])

    @cached_property
    def alive(self) -> Rows:
        return np.flatnonzero(self._is_alive) if len(self._dead) else np.arange(len(self._documents))

    @cached_property
    def alive_documents(self) -> Rows:
        return np.flatnonzero(self._is_alive_document)

    def get_document_rows(self, rows: Rows) -> Rows:
        return np.asarray(self._documents[np.asarray(rows, dtype=np.int64)], dtype=np.int64)

    def get_passage_rows(self, document_rows: Rows) -> Rows:
        document_rows = np.asarray(document_rows, dtype=np.int64)
        firsts = self._first[document_rows]
        sizes = self._end_rows[document_rows] - firsts
        # Most documents of many collections are one passage.
        return firsts if (sizes == 1).all() else expand_runs(firsts, sizes)

    @cached_property
    def _end_rows(self) -> Rows:
        return np.append(self._first[1:], len(self._documents))

    def get_series_code(self, name: str) -> int:
        return hash_series(name)

    def get_series_codes(self, document_rows: Rows) -> Rows:
        return np.asarray(self._series[np.asarray(document_rows, dtype=np.int64)])

    def get_series_rows(self, code: int) -> Rows:
        return np.flatnonzero((self._series == code) & self._is_alive_document) if code >= 0 else np.empty(0, np.int64)

    # ---------------------------------------------------------------- content

    def get_passages(self, rows: Rows) -> list[StoredPassage]:
        rows = np.asarray(rows, dtype=np.int64)
        documents = self.get_document_rows(rows)
        ordinals = (rows - self._first[documents]).tolist()
        seqs = self._seqs[documents].tolist()
        passages = self._snapshot.get_passages(
            [(seq << ORDINAL_BITS) + at for seq, at in zip(seqs, ordinals, strict=True)]
        )
        texts = self._snapshot.get_texts(seqs)
        return [
            StoredPassage(
                row,
                document,
                ordinal,
                texts[seq][passage.start_char : passage.end_char],
                passage.start_char,
                passage.datings,
            )
            for row, document, ordinal, seq, passage in zip(
                rows.tolist(), documents.tolist(), ordinals, seqs, passages, strict=True
            )
        ]

    def get_texts(self, rows: Rows) -> list[PassageText]:
        return [PassageText(*passage) for passage in self._snapshot.get_titled_texts(self._get_passage_ids(rows))]

    def _get_passage_ids(self, rows: Rows) -> list[int]:
        """The numbers of passages in the document database."""
        rows = np.asarray(rows, dtype=np.int64)
        documents = self.get_document_rows(rows)
        ids: list[int] = ((self._seqs[documents] << ORDINAL_BITS) + rows - self._first[documents]).tolist()
        return ids

    def get_documents(self, document_rows: Rows) -> list[Document]:
        return self._snapshot.get_documents(self._seqs[np.asarray(document_rows, dtype=np.int64)].tolist())

    def get_passage_documents(self, rows: Rows) -> list[tuple[Document, PassageText]]:
        found = self._snapshot.get_passage_documents(self._get_passage_ids(rows))
        return [
            (document, PassageText(document.title, document.text[start:end], start)) for document, start, end in found
        ]

    def get_headings(self, document_rows: Rows) -> list[Heading]:
        rows = np.asarray(document_rows, dtype=np.int64)
        if len(self._headed) != len(self._seqs):  # files of an earlier version do not say which have any
            return self._snapshot.get_headings(self._seqs[rows].tolist())
        headings = [NO_HEADING] * len(rows)
        (headed,) = np.nonzero(self._headed[rows])
        read = self._snapshot.get_headings(self._seqs[rows[headed]].tolist())
        for at, heading in zip(headed.tolist(), read, strict=True):
            headings[at] = heading
        return headings

    def get_entries(self, document_rows: Rows) -> list[Entry]:
        rows = np.asarray(document_rows, dtype=np.int64)
        entries = self._snapshot.get_entries(self._seqs[rows].tolist())
        if not self.makes_vectors:
            return entries
        return [
            replace(entry, vectors=self.get_vectors(self.get_passage_rows(rows[at : at + 1])))
            for at, entry in enumerate(entries)
        ]

    def get_document(self, id: str) -> Document | None:
        seq = self._snapshot.find_seqs([id], self.generation).get(id)
        return None if seq is None else self._snapshot.get_documents([seq])[0]

    def find_document_rows(self, ids: Sequence[str]) -> Rows:
        seqs = self._snapshot.find_seqs(ids, self.generation)
        passage = np.array([seqs.get(id, -1) for id in ids], dtype=np.int64)
        return np.where(passage >= 0, np.searchsorted(self._seqs, passage), -1)

    def iterate(self, batch: int = 1000) -> Iterator[list[Document]]:
        return iterate_documents(self, batch)

    def get_field_column(self, name: str) -> FieldColumn:
        if name not in self._field_columns:
            self._field_columns[name] = self._read_field_column(name)
        return self._field_columns[name]

    def _read_field_column(self, name: str) -> FieldColumn:
        values = list(self._snapshot.get_field_values(name))
        is_alive, rows = self._locate_alive(np.array([seq for seq, _ in values], dtype=np.int64))
        return build_field_column(
            (row, value) for row, (_, value), alive in zip(rows.tolist(), values, is_alive, strict=True) if alive
        )

    def find_field_rows(self, name: str, operator: str, value: Any) -> Rows | None:
        if name in self._field_columns:
            return None  # it is in memory
        key = name, operator, repr(value)
        if key not in self._field_rows:
            seqs = self._snapshot.find_field_seqs(name, operator, value)
            if seqs is None:
                return None
            is_alive, rows = self._locate_alive(np.array(seqs, dtype=np.int64))
            if len(self._field_rows) >= _CACHED_CONDITIONS:
                self._field_rows.clear()
            self._field_rows[key] = rows[is_alive]
        return self._field_rows[key]

    def _locate_alive(self, seqs: Rows) -> tuple[Mask, Rows]:
        """Which of the documents are alive in this state, and their rows; others have any row."""
        is_known, rows = locate_rows(self._seqs, seqs)
        return is_known & self._is_alive_document[rows] if len(self._seqs) else is_known, rows

    # ---------------------------------------------------------------- for checking

    def count_stored(self) -> tuple[int, int]:
        """The numbers of documents and passages of this generation in the document database."""
        return self._snapshot.count(self.generation)
