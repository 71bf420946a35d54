"""A snapshot of an embedded index: memory-mapped derived files and the document database of one state."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.storage.building import series_code
from epochal.storage.columns import COLUMNS, FOLDER, Manifest, open_column
from epochal.storage.contexts import ContextSearcher
from epochal.storage.documents import Snapshot
from epochal.storage.protocol import PassageText, Ranked, Rows, SpanTable, StoredPassage, View, expand_runs
from epochal.storage.records import Document, Entry
from epochal.storage.schema import ORDINAL_BITS
from epochal.storage.text import analyse
from epochal.storage.vectors import Cells, FunnelSearcher, NestedView, PrefixSearcher, VectorSearcher, prefix_name
from epochal.storage.words import WordSearcher
from epochal.times.spanset import SpanSet

__all__ = ["EmbeddedView"]

Mask = npt.NDArray[np.bool_]

#: Prefixes of so many lengths are kept in memory, each with 4 bytes a number.
_LENGTHS: Final = 2


class EmbeddedView:
    """A `View` of the files of one manifest. Made by `Store.view`; what its methods answer is told there."""

    def __init__(self, index: Path, manifest: Manifest, snapshot: Snapshot) -> None:
        self._folder = index / FOLDER / manifest.folder
        self._manifest = manifest
        self._snapshot = snapshot
        self._words = WordSearcher(self._folder / manifest.words)
        # All at once: a newer set of files may take the place of this one, and what is mapped stays readable.
        self._columns = {
            name: open_column(self._folder, name, manifest.extent(name), manifest.dim)
            for name in COLUMNS
            if name in manifest.columns or name not in ("vectors", "cells", "centroids")
        }
        self._seqs = self._columns["documents.seq"]
        self._first = self._columns["documents.first"]
        self._documents = self._columns["passages.document"]
        self._series = self._columns["documents.series"]
        self._dead = np.unique(self._columns["dead"])
        stored = self._columns.get("vectors", np.empty((0, manifest.dim), np.float32))
        self._vectors = self._vector_searcher(stored) if manifest.dim else None
        self._whole = VectorSearcher(stored, manifest.longest)  # without cells, which might miss a row
        self._prefixes = lru_cache(_LENGTHS)(partial(PrefixSearcher, stored))
        # The moment of the truth is let go of with the view, so that the writer's log does not grow for ever.
        weakref.finalize(self, snapshot.close)

    def _vector_searcher(self, vectors: npt.NDArray[np.float32]) -> VectorSearcher:
        probes, cells = self._manifest.probes, None
        if probes > 0:
            cells = Cells(self._columns["centroids"], self._columns["cells"], probes)
        return VectorSearcher(vectors, self._manifest.longest, cells)

    @property
    def generation(self) -> int:
        """How many writes it has seen."""
        return self._manifest.generation

    @property
    def document_count(self) -> int:
        """How many documents there are."""
        return len(self._seqs) - len(self._dead)

    @property
    def passage_count(self) -> int:
        """How many passages there are."""
        return len(self.alive)

    @property
    def dim(self) -> int:
        """The length of a vector; 0 where there are none."""
        return self._manifest.dim

    @property
    def encoder_name(self) -> str:
        """The encoder of the vectors; empty where there are none."""
        return self._snapshot.state.encoder_name

    # ---------------------------------------------------------------- searching

    def words(self, query: str, k: int, rows: Rows | None = None) -> Ranked:
        """The k passages with the highest BM25 for the words of a text."""
        return self._words.words(query, k, self._living(rows))

    def word_scores(self, query: str, rows: Rows) -> npt.NDArray[np.float64]:
        """The BM25 of the given passages, in their order."""
        return self._words.word_scores(query, np.asarray(rows, dtype=np.int64))

    def analyse(self, text: str) -> list[str]:
        """The tokens of a text as the index counts them."""
        return analyse(text)

    def document_frequency(self, tokens: Iterable[str]) -> dict[str, int]:
        """In how many passages each token occurs; deleted ones count until the index is compacted."""
        return self._words.document_frequency(tokens)

    def vectors(self, query: npt.NDArray[np.float32], k: int, rows: Rows | None = None) -> Ranked:
        """The k passages with the greatest dot product with a vector."""
        return self._searchable_vectors().vectors(query, k, self._living(rows))

    def similarities(self, query: npt.NDArray[np.float32], rows: Rows) -> npt.NDArray[np.float64]:
        """The dot products of the given passages' vectors with a vector, in their order."""
        return self._searchable_vectors().similarities(query, np.asarray(rows, dtype=np.int64))

    def stored_vectors(self, rows: Rows) -> npt.NDArray[np.float32]:
        """The vectors of the given passages, as the derived files have them, in their order."""
        return self._searchable_vectors().stored(np.asarray(rows, dtype=np.int64))

    def nested(self, dims: int, shortlist: int | None = None) -> View:
        """The same state, whose vectors are compared by their first `dims` numbers, or first by those."""
        if self._vectors is None:
            raise EpochalError(f"dims is {dims}, but this index was made without an encoder; leave out dims")
        if not 1 <= dims <= self.dim:
            raise EpochalError(f"dims must be from 1 to {self.dim}, the length of the index's vectors, but is {dims}")
        if dims == self.dim:
            return self
        prefixes = self._prefixes(dims)
        if shortlist is None:
            name = prefix_name(self.encoder_name, dims)
            return cast("View", NestedView(self, prefixes, dims, name, self._living))
        funnel = FunnelSearcher(self._whole, prefixes, shortlist)
        return cast("View", NestedView(self, funnel, self.dim, self.encoder_name, self._living))

    def _searchable_vectors(self) -> VectorSearcher:
        if self._vectors is None:
            raise EpochalError("this index was made without an encoder, so it has no vectors to search")
        return self._vectors

    def _living(self, rows: Rows | None) -> Rows | None:
        """The rows to search: those given, without dead ones; None for all there are."""
        if rows is None:
            return self.alive if len(self._dead) else None
        rows = np.asarray(rows, dtype=np.int64)
        if len(rows) and not (rows[0] >= 0 and rows[-1] < len(self._documents) and (rows[1:] > rows[:-1]).all()):
            raise EpochalError(f"rows must ascend and lie within 0 and {len(self._documents)}")
        return rows[self._is_alive[rows]] if len(self._dead) else rows

    def contexts(self, rows: Rows, places: Rows, tokens: Sequence[str]) -> Mask:
        """Which tokens stand in which context: of the times at some places of `content`, or of whole passages."""
        rows, places = np.asarray(rows, dtype=np.int64), np.asarray(places, dtype=np.int64)
        return self._contexts.contexts(rows, places, tokens)

    @cached_property
    def _contexts(self) -> ContextSearcher:
        keep = self._is_alive[self._columns["content.row"]] if len(self._dead) else slice(None)
        token, tokens = (self._columns[name][keep] for name in ("content.token", "content.tokens"))
        return ContextSearcher(self._columns, token, tokens)

    # ---------------------------------------------------------------- times

    @cached_property
    def content(self) -> SpanTable:
        """The times that passages speak of."""
        return self._spans("content", self._is_alive)

    @cached_property
    def published(self) -> SpanTable:
        """When documents were published."""
        return self._spans("published", self._is_alive_document)

    @cached_property
    def valid(self) -> SpanTable:
        """The stretch for which documents hold."""
        return self._spans("valid", self._is_alive_document)

    def _spans(self, table: str, alive: Mask) -> SpanTable:
        columns = {name.partition(".")[2]: column for name, column in self._columns.items() if name.startswith(table)}
        keep = alive[columns["row"]] if len(self._dead) else slice(None)
        nowhere = np.broadcast_to(np.int32(-1), columns["row"].shape)
        return SpanTable(
            SpanSet(
                columns["start"][keep],
                columns["end"][keep],
                grains=columns["grain"][keep],
                end_grains=columns["end_grain"][keep],
                certainties=columns["certainty"][keep],
                end_certainties=columns["end_certainty"][keep],
                weights=columns["confidence"][keep] if "confidence" in columns else 1.0,
            ),
            columns["row"][keep].astype(np.int64),
            columns.get("start_char", nowhere)[keep],
            columns.get("end_char", nowhere)[keep],
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
        """The rows of all passages, ascending."""
        return np.flatnonzero(self._is_alive) if len(self._dead) else np.arange(len(self._documents))

    @cached_property
    def alive_documents(self) -> Rows:
        """The rows of all documents, ascending."""
        return np.flatnonzero(self._is_alive_document)

    def document_of(self, rows: Rows) -> Rows:
        """The document rows of passage rows, in their order."""
        return np.asarray(self._documents[np.asarray(rows, dtype=np.int64)], dtype=np.int64)

    def rows_of(self, document_rows: Rows) -> Rows:
        """The passage rows of documents, document by document."""
        document_rows = np.asarray(document_rows, dtype=np.int64)
        firsts = self._first[document_rows]
        return expand_runs(firsts, self._ends[document_rows] - firsts)

    @cached_property
    def _ends(self) -> Rows:
        return np.append(self._first[1:], len(self._documents))

    def series_code(self, name: str) -> int:
        """The code of a series."""
        return series_code(name)

    def series_of(self, document_rows: Rows) -> Rows:
        """The code of the series of each document; -1 for a document of none."""
        return np.asarray(self._series[np.asarray(document_rows, dtype=np.int64)])

    def series_members(self, code: int) -> Rows:
        """The rows of the documents of a series, ascending."""
        return np.flatnonzero((self._series == code) & self._is_alive_document) if code >= 0 else np.empty(0, np.int64)

    # ---------------------------------------------------------------- what is stored

    def passages(self, rows: Rows) -> list[StoredPassage]:
        """The passages of the given rows, in their order."""
        rows = np.asarray(rows, dtype=np.int64)
        documents = self.document_of(rows)
        ordinals = (rows - self._first[documents]).tolist()
        seqs = self._seqs[documents].tolist()
        stored = self._snapshot.passages([(seq << ORDINAL_BITS) + at for seq, at in zip(seqs, ordinals, strict=True)])
        texts = self._snapshot.texts(seqs)
        return [
            StoredPassage(
                row, document, ordinal, texts[seq][found.start_char : found.end_char], found.start_char, found.datings
            )
            for row, document, ordinal, seq, found in zip(
                rows.tolist(), documents.tolist(), ordinals, seqs, stored, strict=True
            )
        ]

    def texts(self, rows: Rows) -> list[PassageText]:
        """The texts of the given passages with their titles, in their order; cheaper than all that is stored."""
        rows = np.asarray(rows, dtype=np.int64)
        documents = self.document_of(rows)
        ids = (self._seqs[documents] << ORDINAL_BITS) + rows - self._first[documents]
        return [PassageText(*found) for found in self._snapshot.titled_texts(ids.tolist())]

    def documents(self, document_rows: Rows) -> list[Document]:
        """The documents of the given rows, in their order."""
        return self._snapshot.documents(self._seqs[np.asarray(document_rows, dtype=np.int64)].tolist())

    def entries(self, document_rows: Rows) -> list[Entry]:
        """Everything that was stored with the documents of the given rows, in their order."""
        return self._snapshot.entries(self._seqs[np.asarray(document_rows, dtype=np.int64)].tolist())

    def document(self, id: str) -> Document | None:
        """The document of an id, or None."""
        seq = self._snapshot.seq_of(id, self.generation)
        return None if seq is None else self._snapshot.documents([seq])[0]

    def document_rows(self, ids: Sequence[str]) -> Rows:
        """The document rows of ids, in their order; -1 for an id that is not there."""
        seqs = self._snapshot.seqs_of(ids, self.generation)
        found = np.array([seqs.get(id, -1) for id in ids], dtype=np.int64)
        return np.where(found >= 0, np.searchsorted(self._seqs, found), -1)

    def iterate(self, batch: int = 1000) -> Iterator[list[Document]]:
        """All documents in the order of their rows, in lists of at most `batch`."""
        if batch < 1:
            raise EpochalError(f"batch must be at least 1, but is {batch}")
        rows = self.alive_documents
        for low in range(0, len(rows), batch):
            yield self.documents(rows[low : low + batch])

    # ---------------------------------------------------------------- for checking

    def true_counts(self) -> tuple[int, int]:
        """How many documents and passages the truth has for this generation."""
        return self._snapshot.counts(self.generation)
