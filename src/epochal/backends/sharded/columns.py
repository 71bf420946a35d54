"""The columns of all shards as those of one view: which rows there are, whose they are, and the times they have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from epochal.backends.sharded.placing import global_rows
from epochal.index.backend import Rows, SpanTable, View
from epochal.index.rowsets import runs
from epochal.times import SpanSet

__all__ = ["Owners", "joined_table", "owners_of", "read_owners"]


@dataclass(frozen=True, eq=False)
class Owners:
    """Which passages belong to which documents, and which documents to which series.

    `alive` and `documents` are the rows that there are, ascending; `owner` the document of each of `alive`, and
    `series` the code of each of `documents`.

    >>> owners = Owners(np.array([0, 3, 6]), np.array([0, 3]), np.array([0, 0, 3]), np.array([-1, 5]))
    >>> owners.document_of(np.array([6, 0])), owners.rows_of(np.array([3, 0])), owners.series_of(np.array([3]))
    (array([3, 0]), array([6, 0, 3]), array([5]))
    """

    alive: Rows
    documents: Rows
    owner: Rows
    series: Rows

    def document_of(self, rows: Rows) -> Rows:
        """The document rows of passage rows.

        >>> none = np.empty(0, dtype=np.int64)
        >>> Owners(none, none, none, none).document_of(none)
        array([], dtype=int64)
        """
        return self.owner[self._places(self.alive, rows)]

    def series_of(self, documents: Rows) -> Rows:
        """The codes of documents.

        >>> none = np.empty(0, dtype=np.int64)
        >>> Owners(none, none, none, none).series_of(none)
        array([], dtype=int64)
        """
        return self.series[self._places(self.documents, documents)]

    def rows_of(self, documents: Rows) -> Rows:
        """The passage rows of documents, document by document.

        >>> none = np.empty(0, dtype=np.int64)
        >>> Owners(none, none, none, none).rows_of(none)
        array([], dtype=int64)
        """
        rows, owners = self._by_document
        documents = np.asarray(documents, dtype=np.int64)
        firsts = np.searchsorted(owners, documents)
        sizes = np.searchsorted(owners, documents, side="right") - firsts
        return rows[runs(firsts, sizes)]

    @cached_property
    def _by_document(self) -> tuple[Rows, Rows]:
        order = np.argsort(self.owner, kind="stable")
        return self.alive[order], self.owner[order]

    def _places(self, known: Rows, rows: Rows) -> Rows:
        return np.searchsorted(known, np.asarray(rows, dtype=np.int64))


def read_owners(view: View) -> Owners:
    """Those of one shard, by its own rows.

    >>> from epochal.index.store import Store
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.create(folder) as store:
    ...     len(read_owners(store.view()).alive)
    0
    """
    alive, documents = view.alive, view.alive_documents
    return Owners(alive, documents, view.document_of(alive), view.series_of(documents))


def owners_of(parts: Mapping[int, Owners], count: int) -> Owners:
    """Those of all shards, by the rows of the whole.

    >>> one = Owners(np.array([0, 1]), np.array([0]), np.array([0, 0]), np.array([-1]))
    >>> owners_of({1: one}, 3).alive
    array([1, 4])
    """
    none = np.empty(0, dtype=np.int64)
    alive = np.concatenate([none, *(global_rows(part.alive, shard, count) for shard, part in parts.items())])
    owner = np.concatenate([none, *(global_rows(part.owner, shard, count) for shard, part in parts.items())])
    documents = np.concatenate([none, *(global_rows(part.documents, shard, count) for shard, part in parts.items())])
    series = np.concatenate([none, *(np.asarray(part.series, np.int64) for part in parts.values())])
    order, order_documents = np.argsort(alive), np.argsort(documents)
    return Owners(alive[order], documents[order_documents], owner[order], series[order_documents])


def joined_table(parts: Mapping[int, SpanTable], count: int) -> tuple[SpanTable, npt.NDArray[np.int64]]:
    """One table of the tables of all shards, and the place in its shard's table of each of its spans.

    >>> from epochal.times import Span
    >>> nowhere = np.array([-1], dtype=np.int32)
    >>> table = SpanTable(SpanSet.of([Span.year(1998)]), np.array([2]), nowhere, nowhere)
    >>> joined, places = joined_table({1: table, 0: table}, 3)
    >>> joined.rows, places
    (array([6, 7]), array([0, 0]))
    """
    tables = list(parts.values())
    rows = np.concatenate([np.empty(0, np.int64), *(global_rows(t.rows, s, count) for s, t in parts.items())])
    order = np.argsort(rows, kind="stable")
    places = np.concatenate([np.empty(0, np.int64), *(np.arange(len(table)) for table in tables)])
    spans = [table.spans for table in tables]

    def column(values: list[npt.NDArray[np.generic]], kind: type[np.generic]) -> npt.NDArray[np.generic]:
        return np.concatenate([np.empty(0, kind), *values])[order].astype(kind, copy=False)

    joined = SpanSet(
        column([own.starts for own in spans], np.int64),
        column([own.ends for own in spans], np.int64),
        grains=column([own.grains for own in spans], np.int8),
        end_grains=column([own.end_grains for own in spans], np.int8),
        certainties=column([own.certainties for own in spans], np.int8),
        end_certainties=column([own.end_certainties for own in spans], np.int8),
        weights=column([own.weights for own in spans], np.float64),
    )
    starts = np.concatenate([np.empty(0, np.int32), *(table.start_chars for table in tables)])[order]
    ends = np.concatenate([np.empty(0, np.int32), *(table.end_chars for table in tables)])[order]
    return SpanTable(joined, rows[order], starts, ends), places[order]
