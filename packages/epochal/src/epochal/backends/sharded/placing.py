"""The shard of each document, rows that name their shard, and the columns of all shards as one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.storage.protocol import Ranked, Rows, SpanTable, View, expand_runs
from epochal.times.spanset import SpanSet

T = TypeVar("T")


def get_shard(id: str, count: int) -> int:
    """Which of so many shards a document belongs to, by its id alone."""
    # Half a character, which no stored id has, must not stop a question for one.
    digest = hashlib.blake2b(id.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % count


def group_by_shard(items: Iterable[T], count: int, id_of: Callable[[T], str]) -> dict[int, list[T]]:
    """The items of each shard that has any, in their order."""
    by_shard: dict[int, list[T]] = {}
    for item in items:
        by_shard.setdefault(get_shard(id_of(item), count), []).append(item)
    return by_shard


def global_rows(rows: Rows, shard: int, count: int) -> Rows:
    """Rows of a shard as rows of the whole: those of the shards alternate, so that arrays over them stay dense."""
    return np.asarray(rows, dtype=np.int64) * count + shard


def split_rows(rows: Rows, count: int) -> Iterator[tuple[int, Rows, Rows]]:
    """For each shard that has any of the rows: its number, the places of its rows, and these as it knows them."""
    rows = np.asarray(rows, dtype=np.int64)
    shards = rows % count
    for shard in np.unique(shards).tolist():
        positions = np.flatnonzero(shards == shard)
        yield shard, positions, rows[positions] // count


def check_rows(rows: Rows | None) -> Rows | None:
    """Rows to search among, if they ascend as they must."""
    if rows is None:
        return None
    rows = np.asarray(rows, dtype=np.int64)
    (wrong,) = np.nonzero(rows[1:] <= rows[:-1])
    if len(wrong):
        position = int(wrong[0])
        raise EpochalError(
            f"rows must ascend and be those of a view, but {rows[position + 1]} comes after {rows[position]}"
        )
    if len(rows) and rows[0] < 0:
        raise EpochalError(f"rows must ascend and be those of a view, but the first is {rows[0]}")
    return rows


def merge_ranks(parts: Sequence[Ranked], k: int) -> Ranked:
    """The best k of several rankings, whose rows are those of the whole."""
    rows = np.concatenate([part.rows for part in parts]) if parts else np.empty(0, np.int64)
    scores = np.concatenate([part.scores for part in parts]) if parts else np.empty(0)
    order = np.lexsort((rows, -scores))[:k]
    return Ranked(rows[order], scores[order])


@dataclass(frozen=True, eq=False)
class Owners:
    """Which passages belong to which documents, and which documents to which series.

    `alive` and `documents` are the rows that there are, ascending; `owner` the document of each of `alive`, and
    `series` the code of each of `documents`.
    """

    alive: Rows
    documents: Rows
    owner: Rows
    series: Rows

    def get_document_rows(self, rows: Rows) -> Rows:
        """The document rows of passage rows."""
        return self.owner[self._find_positions(self.alive, rows)]

    def get_series_codes(self, documents: Rows) -> Rows:
        """The codes of documents."""
        return self.series[self._find_positions(self.documents, documents)]

    def get_passage_rows(self, documents: Rows) -> Rows:
        """The passage rows of documents, document by document."""
        rows, owners = self._by_document
        documents = np.asarray(documents, dtype=np.int64)
        firsts = np.searchsorted(owners, documents)
        sizes = np.searchsorted(owners, documents, side="right") - firsts
        return rows[expand_runs(firsts, sizes)]

    @cached_property
    def _by_document(self) -> tuple[Rows, Rows]:
        order = np.argsort(self.owner, kind="stable")
        return self.alive[order], self.owner[order]

    def _find_positions(self, sorted_rows: Rows, rows: Rows) -> Rows:
        return np.searchsorted(sorted_rows, np.asarray(rows, dtype=np.int64))


def read_owners(view: View) -> Owners:
    """Those of one shard, by its own rows."""
    alive, documents = view.alive, view.alive_documents
    return Owners(alive, documents, view.get_document_rows(alive), view.get_series_codes(documents))


def find_owners(parts: Mapping[int, Owners], count: int) -> Owners:
    """Those of all shards, by the rows of the whole."""
    none = np.empty(0, dtype=np.int64)
    alive = np.concatenate([none, *(global_rows(part.alive, shard, count) for shard, part in parts.items())])
    owner = np.concatenate([none, *(global_rows(part.owner, shard, count) for shard, part in parts.items())])
    documents = np.concatenate([none, *(global_rows(part.documents, shard, count) for shard, part in parts.items())])
    series = np.concatenate([none, *(np.asarray(part.series, np.int64) for part in parts.values())])
    order, order_documents = np.argsort(alive), np.argsort(documents)
    return Owners(alive[order], documents[order_documents], owner[order], series[order_documents])


def merge_tables(parts: Mapping[int, SpanTable], count: int) -> tuple[SpanTable, npt.NDArray[np.int64]]:
    """One table of the tables of all shards, and the place in its shard's table of each of its spans."""
    tables = list(parts.values())
    rows = np.concatenate([np.empty(0, np.int64), *(global_rows(t.rows, s, count) for s, t in parts.items())])
    order = np.argsort(rows, kind="stable")
    positions = np.concatenate([np.empty(0, np.int64), *(np.arange(len(table)) for table in tables)])
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
    return SpanTable(joined, rows[order], starts, ends), positions[order]
