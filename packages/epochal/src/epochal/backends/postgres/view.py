"""One state of an index in PostgreSQL: its columns in memory, and everything else on the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt

from epochal.backends.postgres.columns import Columns
from epochal.backends.postgres.rows import StoredRows
from epochal.backends.postgres.tables import PostgresSnapshot
from epochal.backends.postgres.vectors import ServerVectors
from epochal.backends.postgres.words import ServerWords
from epochal.errors import EpochalError
from epochal.storage.building import series_code
from epochal.storage.contexts import ContextSearcher
from epochal.storage.protocol import PassageText, Ranked, Rows, SpanTable, Statistics, StoredPassage, View, expand_runs
from epochal.storage.records import Document, Entry
from epochal.storage.text import analyse
from epochal.storage.vectors import FunnelSearcher, NestedView, PrefixSearcher, VectorSearcher, prefix_name

__all__ = ["PostgresView"]


class PostgresView:
    """A `View` that also offers `SupportsStatistics`. Made by `PostgresStore.view`; its methods are told of there."""

    def __init__(self, moment: PostgresSnapshot, before: PostgresView | None = None) -> None:
        self._moment = moment
        self._state = moment.state
        self._columns: Columns = Columns(moment, None if before is None else before._columns)
        self._words = ServerWords(moment, self._columns)
        self._vectors = ServerVectors(moment)
        self._rows = StoredRows(moment)

    @property
    def space(self) -> int:
        """Which rows of the tables are this index's, until it is compacted."""
        return self._state.space

    @property
    def generation(self) -> int:
        """How many writes it has seen."""
        return self._state.seen_generation

    @property
    def document_count(self) -> int:
        """How many documents there are."""
        return self._state.seen_documents - self._state.seen_dead_documents

    @property
    def passage_count(self) -> int:
        """How many passages there are."""
        return self._state.seen_passages - self._state.seen_dead

    @property
    def dim(self) -> int:
        """The length of a vector; 0 where there are none."""
        return self._state.dim

    @property
    def encoder_name(self) -> str:
        """The encoder of the vectors; empty where there are none."""
        return self._state.encoder

    # ---------------------------------------------------------------- searching

    def words(self, query: str, k: int, rows: Rows | None = None) -> Ranked:
        """The k passages with the highest BM25 for the words of a text."""
        return self._words.words(query, k, None, self._given(rows))

    def word_scores(self, query: str, rows: Rows) -> npt.NDArray[np.float64]:
        """The BM25 of the given passages, in their order."""
        return self._words.word_scores(query, np.asarray(rows, dtype=np.int64), None)

    def statistics(self, tokens: Iterable[str]) -> Statistics:
        """What BM25 must know of this state, with the frequencies of some tokens."""
        return self._words.statistics(tokens)

    def words_with(self, query: str, k: int, statistics: Statistics, rows: Rows | None = None) -> Ranked:
        """The k passages with the highest BM25 by the given statistics."""
        return self._words.words(query, k, statistics, self._given(rows))

    def word_scores_with(self, query: str, rows: Rows, statistics: Statistics) -> npt.NDArray[np.float64]:
        """The BM25 of the given passages, in their order, by the given statistics."""
        return self._words.word_scores(query, np.asarray(rows, dtype=np.int64), statistics)

    def analyse(self, text: str) -> list[str]:
        """The tokens of a text as the index counts them."""
        return analyse(text)

    def document_frequency(self, tokens: Iterable[str]) -> dict[str, int]:
        """In how many passages each token occurs; deleted ones count until the index is compacted."""
        return dict(self._words.statistics(tokens).frequencies)

    def vectors(self, query: npt.NDArray[np.float32], k: int, rows: Rows | None = None) -> Ranked:
        """The k passages with the greatest dot product with a vector."""
        return self._searchable_vectors().vectors(query, k, self._given(rows))

    def similarities(self, query: npt.NDArray[np.float32], rows: Rows) -> npt.NDArray[np.float64]:
        """The dot products of the given passages' vectors with a vector, in their order."""
        return self._searchable_vectors().similarities(query, np.asarray(rows, dtype=np.int64))

    def stored_vectors(self, rows: Rows) -> npt.NDArray[np.float32]:
        """The vectors of the given passages, in their order."""
        return self._searchable_vectors().stored(np.asarray(rows, dtype=np.int64))

    def nested(self, dims: int, shortlist: int | None = None) -> View:
        """The same state, whose vectors are compared by their first `dims` numbers, or first by those."""
        if not self.dim:
            raise EpochalError(f"dims is {dims}, but this index was made without an encoder; leave out dims")
        if not 1 <= dims <= self.dim:
            raise EpochalError(f"dims must be from 1 to {self.dim}, the length of the index's vectors, but is {dims}")
        if dims == self.dim:
            return self
        prefixes = ServerVectors(self._moment, dims)
        if shortlist is None:
            name = prefix_name(self.encoder_name, dims)
            return cast("View", NestedView(self, prefixes, dims, name, self._living))
        funnel = FunnelSearcher(cast("VectorSearcher", self._vectors), cast("PrefixSearcher", prefixes), shortlist)
        return cast("View", NestedView(self, funnel, self.dim, self.encoder_name, self._living))

    def _searchable_vectors(self) -> ServerVectors:
        if not self.dim:
            raise EpochalError("this index was made without an encoder, so it has no vectors to search")
        return self._vectors

    def _given(self, rows: Rows | None) -> Rows | None:
        """The rows to search: those given, without dead ones. None stays None: the server leaves out the dead."""
        if rows is None:
            return None
        rows = np.asarray(rows, dtype=np.int64)
        count = self._state.seen_passages
        if len(rows) and not (rows[0] >= 0 and rows[-1] < count and (rows[1:] > rows[:-1]).all()):
            raise EpochalError(f"rows must ascend and lie within 0 and {count}")
        return rows[self._columns.is_alive[rows]] if self._state.seen_dead else rows

    def _living(self, rows: Rows | None) -> Rows | None:
        """The same, with the rows of all that live where some are dead."""
        return self.alive if rows is None and self._state.seen_dead else self._given(rows)

    def contexts(self, rows: Rows, places: Rows, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which tokens stand in which context: of the times at some places of `content`, or of whole passages."""
        rows, places = np.asarray(rows, dtype=np.int64), np.asarray(places, dtype=np.int64)
        present = np.zeros((len(rows), len(tokens)), dtype=np.bool_)
        is_read = places >= 0
        if len(tokens) and not is_read.all():
            present[~is_read] = self._words.present(rows[~is_read], tokens)
        if len(tokens) and is_read.any():
            present[is_read] = self._read_contexts(rows[is_read], places[is_read], tokens)
        return present

    def _read_contexts(self, rows: Rows, places: Rows, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
        distinct, at = np.unique(rows, return_inverse=True)
        stored = self._rows.codes(distinct)
        sizes = np.array([len(codes) // 4 for _, codes in stored], dtype=np.int64)
        columns = {
            "tokens": np.frombuffer(b"".join(codes for _, codes in stored), dtype="<u4"),
            "passages.token": np.cumsum(sizes) - sizes,
            "passages.title_tokens": np.array([titled for titled, _ in stored], dtype=np.int32),
        }
        return ContextSearcher(columns, *self._columns.contexts).contexts(at.reshape(-1), places, tokens)

    # ---------------------------------------------------------------- times

    @property
    def content(self) -> SpanTable:
        """The times that passages speak of."""
        return self._columns.content

    @property
    def published(self) -> SpanTable:
        """When documents were published."""
        return self._columns.published

    @property
    def valid(self) -> SpanTable:
        """The stretch for which documents hold."""
        return self._columns.valid

    # ---------------------------------------------------------------- rows

    @cached_property
    def alive(self) -> Rows:
        """The rows of all passages, ascending."""
        count = self._state.seen_passages
        return np.flatnonzero(self._columns.is_alive) if self._state.seen_dead else np.arange(count)

    @cached_property
    def alive_documents(self) -> Rows:
        """The rows of all documents, ascending."""
        return np.flatnonzero(self._columns.is_alive_document)

    def document_of(self, rows: Rows) -> Rows:
        """The document rows of passage rows, in their order."""
        return np.asarray(self._columns.owners[np.asarray(rows, dtype=np.int64)])

    def rows_of(self, document_rows: Rows) -> Rows:
        """The passage rows of documents, document by document."""
        document_rows = np.asarray(document_rows, dtype=np.int64)
        return expand_runs(self._columns.firsts[document_rows], self._columns.sizes[document_rows])

    def series_code(self, name: str) -> int:
        """The code of a series."""
        return series_code(name)

    def series_of(self, document_rows: Rows) -> Rows:
        """The code of the series of each document; -1 for a document of none."""
        return np.asarray(self._columns.series[np.asarray(document_rows, dtype=np.int64)])

    def series_members(self, code: int) -> Rows:
        """The rows of the documents of a series, ascending."""
        if code < 0:
            return np.empty(0, np.int64)
        return np.flatnonzero((self._columns.series == code) & self._columns.is_alive_document)

    # ---------------------------------------------------------------- what is stored

    def passages(self, rows: Rows) -> list[StoredPassage]:
        """The passages of the given rows, in their order."""
        rows = np.asarray(rows, dtype=np.int64)
        return self._rows.passages(rows, self._columns.firsts[self.document_of(rows)])

    def texts(self, rows: Rows) -> list[PassageText]:
        """The texts of the given passages with their titles, in their order; cheaper than all that is stored."""
        return self._rows.texts(np.asarray(rows, dtype=np.int64))

    def documents(self, document_rows: Rows) -> list[Document]:
        """The documents of the given rows, in their order."""
        return self._rows.documents(np.asarray(document_rows, dtype=np.int64))

    def entries(self, document_rows: Rows) -> list[Entry]:
        """Everything that was stored with the documents of the given rows, in their order."""
        return self._rows.entries(np.asarray(document_rows, dtype=np.int64))

    def document(self, id: str) -> Document | None:
        """The document of an id, or None."""
        row = self._rows.rows_of([id]).get(id)
        return None if row is None else self._rows.documents(np.array([row]))[0]

    def document_rows(self, ids: Sequence[str]) -> Rows:
        """The document rows of ids, in their order; -1 for an id that is not there."""
        known = self._rows.rows_of(ids)
        return np.array([known.get(id, -1) for id in ids], dtype=np.int64)

    def iterate(self, batch: int = 1000) -> Iterator[list[Document]]:
        """All documents in the order of their rows, in lists of at most `batch`."""
        if batch < 1:
            raise EpochalError(f"batch must be at least 1, but is {batch}")
        rows = self.alive_documents
        for low in range(0, len(rows), batch):
            yield self.documents(rows[low : low + batch])
