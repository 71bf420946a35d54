"""One state of an index in PostgreSQL: its columns in memory, and everything else on the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from epochal.backends.postgres.columns import Columns
from epochal.backends.postgres.fields import find_field_rows
from epochal.backends.postgres.rows import StoredRows
from epochal.backends.postgres.tables import PostgresSnapshot
from epochal.backends.postgres.vectors import ServerVectors
from epochal.backends.postgres.words import ServerWords
from epochal.errors import EpochalError
from epochal.storage.building import hash_series
from epochal.storage.contexts import ContextSearcher
from epochal.storage.metadata import OWN_FIELDS, FieldColumn, build_field_column
from epochal.storage.protocol import (
    PassageText,
    Ranked,
    RenamedMethods,
    Rows,
    SpanTable,
    Statistics,
    StoredPassage,
    View,
    check_ascending,
    check_dims,
    expand_runs,
    intersect_rows,
    iterate_documents,
    union_rows,
)
from epochal.storage.records import Document, Entry
from epochal.storage.text import analyse
from epochal.storage.vectors import FunnelSearcher, PrefixSearcher, VectorSearcher, nest_view


class PostgresView(RenamedMethods):
    """The `View` of a `PostgresStore`; it supports statistics."""

    def __init__(self, moment: PostgresSnapshot, before: PostgresView | None = None) -> None:
        self._moment = moment
        self._state = moment.state
        self._columns: Columns = Columns(moment, None if before is None else before._columns)
        self._words = ServerWords(moment, self._columns)
        self._vectors = ServerVectors(moment)
        self._rows = StoredRows(moment)
        self._field_columns: dict[str, FieldColumn] = {}

    @property
    def space(self) -> int:
        """Which rows of the tables are this index's, until it is compacted."""
        return self._state.space

    @property
    def generation(self) -> int:
        return self._state.seen_generation

    @property
    def document_count(self) -> int:
        return self._state.seen_documents - self._state.seen_dead_documents

    @property
    def passage_count(self) -> int:
        return self._state.seen_passages - self._state.seen_dead

    @property
    def dim(self) -> int:
        return self._state.dim

    @property
    def encoder_name(self) -> str:
        return self._state.encoder

    # ---------------------------------------------------------------- searching

    def search_words(self, query: str, k: int, rows: Rows | None = None) -> Ranked:
        return self._words.search_words(query, k, None, self._check_rows(rows))

    def score_words(self, query: str, rows: Rows) -> npt.NDArray[np.float64]:
        return self._words.score_words(query, np.asarray(rows, dtype=np.int64), None)

    def get_statistics(self, tokens: Iterable[str]) -> Statistics:
        return self._words.get_statistics(tokens)

    def search_words_with(self, query: str, k: int, statistics: Statistics, rows: Rows | None = None) -> Ranked:
        return self._words.search_words(query, k, statistics, self._check_rows(rows))

    def score_words_with(self, query: str, rows: Rows, statistics: Statistics) -> npt.NDArray[np.float64]:
        return self._words.score_words(query, np.asarray(rows, dtype=np.int64), statistics)

    def analyse(self, text: str) -> list[str]:
        return analyse(text)

    def get_document_frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        return dict(self._words.get_statistics(tokens).frequencies)

    def search_vectors(self, query: npt.NDArray[np.float32], k: int, rows: Rows | None = None) -> Ranked:
        return self._require_vectors().search_vectors(query, k, self._check_rows(rows))

    def score_vectors(self, query: npt.NDArray[np.float32], rows: Rows) -> npt.NDArray[np.float64]:
        return self._require_vectors().score_vectors(query, np.asarray(rows, dtype=np.int64))

    def get_vectors(self, rows: Rows) -> npt.NDArray[np.float32]:
        return self._require_vectors().get_vectors(np.asarray(rows, dtype=np.int64))

    def with_dims(self, dims: int, shortlist: int | None = None) -> View:
        check_dims(dims, self.dim)
        if dims == self.dim:
            return self
        prefixes = ServerVectors(self._moment, dims)
        exact = cast("VectorSearcher", self._vectors)
        funnel = None if shortlist is None else FunnelSearcher(exact, cast("PrefixSearcher", prefixes), shortlist)
        return nest_view(self, dims, prefixes, funnel, self._select_alive)

    def _require_vectors(self) -> ServerVectors:
        if not self.dim:
            raise EpochalError("this index was made without an encoder, so it has no vectors to search")
        return self._vectors

    def _check_rows(self, rows: Rows | None) -> Rows | None:
        """The rows to search: those given, without dead ones. None stays None: the server leaves out the dead."""
        if rows is None:
            return None
        rows = check_ascending(rows, self._state.seen_passages)
        return rows[self._columns.is_alive[rows]] if self._state.seen_dead else rows

    def _select_alive(self, rows: Rows | None) -> Rows | None:
        """The same, with the rows of all that live where some are dead."""
        return self.alive if rows is None and self._state.seen_dead else self._check_rows(rows)

    def match_contexts(self, rows: Rows, places: Rows, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
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
            "passages.title_tokens": np.array([title_tokens for title_tokens, _ in stored], dtype=np.int32),
        }
        return ContextSearcher(columns, *self._columns.contexts).match_contexts(at.reshape(-1), places, tokens)

    # ---------------------------------------------------------------- times

    @property
    def content(self) -> SpanTable:
        return self._columns.content

    @property
    def published(self) -> SpanTable:
        return self._columns.published

    @property
    def valid(self) -> SpanTable:
        return self._columns.valid

    # ---------------------------------------------------------------- rows

    @cached_property
    def alive(self) -> Rows:
        count = self._state.seen_passages
        return np.flatnonzero(self._columns.is_alive) if self._state.seen_dead else np.arange(count)

    @cached_property
    def alive_documents(self) -> Rows:
        return np.flatnonzero(self._columns.is_alive_document)

    def get_document_rows(self, rows: Rows) -> Rows:
        return np.asarray(self._columns.owners[np.asarray(rows, dtype=np.int64)])

    def get_passage_rows(self, document_rows: Rows) -> Rows:
        document_rows = np.asarray(document_rows, dtype=np.int64)
        return expand_runs(self._columns.firsts[document_rows], self._columns.sizes[document_rows])

    def get_series_code(self, name: str) -> int:
        return hash_series(name)

    def get_series_codes(self, document_rows: Rows) -> Rows:
        return np.asarray(self._columns.series[np.asarray(document_rows, dtype=np.int64)])

    def get_series_rows(self, code: int) -> Rows:
        if code < 0:
            return np.empty(0, np.int64)
        return np.flatnonzero((self._columns.series == code) & self._columns.is_alive_document)

    # ---------------------------------------------------------------- what is stored

    def get_passages(self, rows: Rows) -> list[StoredPassage]:
        rows = np.asarray(rows, dtype=np.int64)
        with self._moment.reading():
            return self._rows.get_passages(rows, self._columns.firsts[self.get_document_rows(rows)])

    def get_texts(self, rows: Rows) -> list[PassageText]:
        with self._moment.reading():
            return self._rows.get_texts(np.asarray(rows, dtype=np.int64))

    def get_documents(self, document_rows: Rows) -> list[Document]:
        with self._moment.reading():
            return self._rows.get_documents(np.asarray(document_rows, dtype=np.int64))

    def get_entries(self, document_rows: Rows) -> list[Entry]:
        with self._moment.reading():
            return self._rows.get_entries(np.asarray(document_rows, dtype=np.int64))

    def get_document(self, id: str) -> Document | None:
        row = self._rows.find_rows([id]).get(id)
        return None if row is None else self.get_documents(np.array([row]))[0]

    def find_document_rows(self, ids: Sequence[str]) -> Rows:
        rows_by_id = self._rows.find_rows(ids)
        return np.array([rows_by_id.get(id, -1) for id in ids], dtype=np.int64)

    def get_field_column(self, name: str) -> FieldColumn:
        if name not in self._field_columns:
            self._field_columns[name] = build_field_column(self._rows.get_field_values(name))
        return self._field_columns[name]

    def find_field_rows(self, name: str, operator: str, value: Any) -> Rows | None:
        if name in self._field_columns or name in OWN_FIELDS[:2]:
            return None
        rows = find_field_rows(self._moment, name, operator, value)
        if rows is None:
            return None
        return intersect_rows(union_rows(np.array(rows, dtype=np.int64)), self.alive_documents)

    def iterate(self, batch: int = 1000) -> Iterator[list[Document]]:
        return iterate_documents(self, batch)
