"""A snapshot of a sharded index: the snapshots of its nodes, queried together and merged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import count
from typing import Any, Final, TypeVar, cast

import numpy as np
import numpy.typing as npt

from epochal.backends.sharded.placing import (
    Owners,
    check_rows,
    find_owners,
    get_shard,
    global_rows,
    group_by_shard,
    merge_ranks,
    merge_tables,
    read_owners,
    split_rows,
)
from epochal.backends.sharded.servers import Node, Server, Way, ask
from epochal.errors import EpochalError, PartLostError, StorageError
from epochal.storage.metadata import FieldColumn, find_field_rows, get_field_column, merge_field_columns
from epochal.storage.protocol import (
    PassageText,
    Ranked,
    RenamedMethods,
    Rows,
    SpanTable,
    Statistics,
    StoredPassage,
    SupportsStatistics,
    View,
    check_dims,
    name_state,
)
from epochal.storage.records import Document, Entry
from epochal.storage.vectors import VectorSearcher, nest_view, truncate

T = TypeVar("T")


def _read_field(name: str, view: View) -> FieldColumn:
    return get_field_column(view, name)


def _find_field(name: str, operator: str, value: Any, view: View) -> Rows:
    return find_field_rows(view, name, operator, value)


class NodeView:
    """The state of a node for one `ShardedView`. Questions go to its servers in turn; where one fails, to the next.

    Columns are taken from the `lead` where that answers, so that they are in memory once.
    """

    def __init__(self, node: Node, members: Sequence[tuple[Server, View]]) -> None:
        self.name = node.name
        self.members = tuple(members)
        self._turns = count()

    @property
    def lead(self) -> View:
        """The view of the first server."""
        return self.members[0][1]

    def ways(self, call: Callable[[View], T], *, in_turn: bool = True) -> list[Way[T]]:
        """The ways to ask something: another server first each time, unless `in_turn` is off; suspect ones last."""
        turn = next(self._turns) % len(self.members) if in_turn else 0
        order = self.members[turn:] + self.members[:turn]
        order = tuple(sorted(order, key=lambda member: member[0].health != "sound"))
        return [(server, partial(_run, server, call, view)) for server, view in order]


def _run(server: Server, call: Callable[[View], T], view: View) -> Future[T]:
    return server.run(lambda: call(view))


def chosen(node: Node, views: Sequence[tuple[Server, View]]) -> NodeView:
    """The state of a node from those of its servers: that of the primary, or without it the newest.

    A copy that is behind is left out, so that no search sees half of one state and half of another.
    """
    first, newest = views[0]
    if first is not node.primary:
        newest = max((view for _, view in views), key=lambda view: view.generation)
    return NodeView(node, [(server, view) for server, view in views if view.generation == newest.generation])


Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]

#: The statistics of so many questions are kept: one search asks for those of the same words several times.
_MAX_CACHED: Final = 64


@dataclass(frozen=True, slots=True)
class Limits:
    """How long is waited, in seconds: for an answer, for columns to be loaded, and for a write.

    >>> Limits().timeout
    2.0
    """

    timeout: float = 2.0
    load_timeout: float = 60.0
    write_timeout: float = 600.0


class ShardedView(RenamedMethods):
    """A `View` of several shards, each with a part of the documents. Made by `ShardedBackend.view`.

    `missing` names the shards that did not answer when it was made, and that it does without. It never changes: a shard
    that stops answering later makes every call fail that needs it, with a `PartLostError` where the policy is to do
    without such shards, so that whoever asks can take a new view.

    >>> ShardedView([None], ("north",), Limits(), degrade=True).missing
    ('north',)
    """

    def __init__(
        self, shards: Sequence[NodeView | None], missing: tuple[str, ...], limits: Limits, *, degrade: bool
    ) -> None:
        self.shards = tuple(shards)
        self.missing = missing
        self._limits = limits
        self._degrade = degrade
        self._count = len(self.shards)
        self._there = {shard: view for shard, view in enumerate(self.shards) if view is not None}
        # Not a cache of a bound method: the circle would keep the connections open until the next collection.
        self._summed: dict[frozenset[str], Statistics] = {}

    # ---------------------------------------------------------------- asking

    def ask(
        self, calls: Mapping[int, Callable[[View], T]], *, load: bool = False, in_turn: bool = True
    ) -> dict[int, T]:
        """What the shards answer, all asked at once; every one of them must.

        >>> ShardedView([None], ("north",), Limits(), degrade=True).ask({0: lambda view: 42})
        Traceback (most recent call last):
        ...
        epochal.errors.StorageError: rows or documents of the shard 'north' are asked for, which does not answer
        """
        for shard in calls:
            if shard not in self._there:
                name = self._get_missing_name(shard)
                raise StorageError(f"rows or documents of the shard {name!r} are asked for, which does not answer")
        limit = self._limits.load_timeout if load else self._limits.timeout
        answers = ask(
            {shard: self._there[shard].ways(call, in_turn=in_turn and not load) for shard, call in calls.items()}, limit
        )
        if answers.lost:
            names = ", ".join(repr(self._there[shard].name) for shard in answers.lost)
            reasons = "; ".join(answers.lost.values())
            kind = PartLostError if self._degrade else StorageError
            raise kind(f"the shard {names} stopped answering while it was read: {reasons}")
        return answers.found

    def _get_missing_name(self, shard: int) -> str:
        absent = [number for number in range(self._count) if number not in self._there]
        return self.missing[absent.index(shard)] if shard in absent else str(shard)

    def _ask_all(self, call: Callable[[View], T], *, load: bool = False) -> dict[int, T]:
        return self.ask(dict.fromkeys(self._there, call), load=load)

    def _ask_by_rows(
        self, rows: Rows, call: Callable[[View, Rows], Any], *, load: bool = False
    ) -> list[tuple[Rows, Any]]:
        """What each shard says of its rows, with the places that the answers have among all rows."""
        parts = {shard: (positions, own) for shard, positions, own in split_rows(rows, self._count)}
        answers = self.ask({shard: _bind_rows(call, own) for shard, (_, own) in parts.items()}, load=load)
        return [(positions, answers[shard]) for shard, (positions, _) in parts.items()]

    def _list_by_rows(self, rows: Rows, call: Callable[[View, Rows], list[T]], *, load: bool = False) -> list[T]:
        merged: list[T | None] = [None] * len(rows)
        for positions, answer in self._ask_by_rows(rows, call, load=load):
            for position, item in zip(positions.tolist(), answer, strict=True):
                merged[position] = item
        return cast("list[T]", merged)

    def ranked(self, k: int, rows: Rows | None, call: Callable[[View, Rows | None], Ranked]) -> Ranked:
        """The best k of what the shards rank, each among its own of the rows.

        >>> ShardedView([], (), Limits(), degrade=True).ranked(5, None, lambda view, rows: None).rows
        array([], dtype=int64)
        """
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        rows = check_rows(rows)
        if rows is None:
            answers = self._ask_all(lambda view: call(view, None))
        else:
            answers = self.ask({shard: _bind_rows(call, own) for shard, _, own in split_rows(rows, self._count)})
        parts = [
            Ranked(global_rows(part.rows, shard, self._count), np.asarray(part.scores, dtype=np.float64))
            for shard, part in sorted(answers.items())
        ]
        return merge_ranks(parts, k)

    # ---------------------------------------------------------------- what it is

    @property
    def _leads(self) -> list[View]:
        return [view.lead for view in self._there.values()]

    @cached_property
    def generation(self) -> int:
        return sum(view.generation for view in self._leads)

    @cached_property
    def identity(self) -> str:
        return " ".join(str(name_state(view)) for view in self._leads)

    @cached_property
    def document_count(self) -> int:
        return sum(self._ask_all(lambda view: view.document_count, load=True).values())

    @cached_property
    def passage_count(self) -> int:
        return sum(self._ask_all(lambda view: view.passage_count, load=True).values())

    @property
    def dim(self) -> int:
        return next((view.dim for view in self._leads), 0)

    @property
    def encoder_name(self) -> str:
        return next((view.encoder_name for view in self._leads), "")

    # ---------------------------------------------------------------- words

    def get_statistics(self, tokens: Iterable[str]) -> Statistics:
        known = self._summed
        wanted = frozenset(tokens)
        if (found := known.get(wanted)) is None:
            if len(known) >= _MAX_CACHED:
                known.clear()
            known[wanted] = found = self._sum_statistics(wanted)
        return found

    def _sum_statistics(self, tokens: frozenset[str]) -> Statistics:
        parts = self._ask_all(lambda view: _require_statistics(view).get_statistics(tokens)).values()
        return Statistics(
            sum(part.passages for part in parts),
            sum(part.tokens for part in parts),
            {token: sum(part.frequencies[token] for part in parts) for token in tokens},
        )

    def search_words_with(self, query: str, k: int, statistics: Statistics, rows: Rows | None = None) -> Ranked:
        return self.ranked(
            k, rows, lambda view, own: _require_statistics(view).search_words_with(query, k, statistics, own)
        )

    def score_words_with(self, query: str, rows: Rows, statistics: Statistics) -> Floats:
        scores = np.zeros(len(rows))
        for positions, answer in self._ask_by_rows(
            rows, lambda view, own: _require_statistics(view).score_words_with(query, own, statistics)
        ):
            scores[positions] = answer
        return scores

    def search_words(self, query: str, k: int, rows: Rows | None = None) -> Ranked:
        return self.search_words_with(query, k, self.get_statistics(self.analyse(query)), rows)

    def score_words(self, query: str, rows: Rows) -> Floats:
        return self.score_words_with(query, rows, self.get_statistics(self.analyse(query)))

    def analyse(self, text: str) -> list[str]:
        return next((view.analyse(text) for view in self._leads), [])

    def get_document_frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        tokens = list(dict.fromkeys(tokens))
        frequencies = self.get_statistics(tokens).frequencies
        return {token: frequencies[token] for token in tokens}

    def match_contexts(self, rows: Rows, places: Rows, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
        rows, places = np.asarray(rows, dtype=np.int64), np.asarray(places, dtype=np.int64)
        own_places = np.full(len(places), -1, dtype=np.int64)
        (read,) = np.nonzero(places >= 0)
        if len(read):
            own_places[read] = self._content[1][places[read]]
        present = np.zeros((len(rows), len(tokens)), dtype=np.bool_)
        parts = {shard: (at, own) for shard, at, own in split_rows(rows, self._count)}
        answers = self.ask({shard: _bind_contexts(own, own_places[at], tokens) for shard, (at, own) in parts.items()})
        for shard, (at, _) in parts.items():
            present[at] = answers[shard]
        return present

    # ---------------------------------------------------------------- vectors

    def search_vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        query = self.check_query(query, self.dim)
        return self.ranked(k, rows, lambda view, own: view.search_vectors(query, k, own))

    def score_vectors(self, query: Vectors, rows: Rows) -> Floats:
        query = self.check_query(query, self.dim)
        return self.scattered_numbers(rows, lambda view, own: view.score_vectors(query, own))

    def get_vectors(self, rows: Rows) -> Vectors:
        return self.scattered_vectors(rows, lambda view, own: view.get_vectors(own), self.check_dims())

    def with_dims(self, dims: int, shortlist: int | None = None) -> View:
        check_dims(dims, self.dim)
        if dims == self.dim:
            return cast("View", self)
        prefixes = ShardedPrefixes(self, dims)
        funnel = None if shortlist is None else ShardedFunnel(self, prefixes, shortlist)
        return nest_view(cast("View", self), dims, prefixes, funnel, check_rows)

    def check_query(self, query: Vectors, dim: int) -> Vectors:
        """A query's vector, if it is one."""
        self.check_dims()
        return VectorSearcher(np.empty((0, dim), np.float32), 0.0).check_query(query)

    def check_dims(self) -> int:
        """The length of a vector, where there are any."""
        if not self.dim:
            raise EpochalError("this index was made without an encoder, so it has no vectors to search")
        return self.dim

    def scattered_numbers(self, rows: Rows, call: Callable[[View, Rows], Floats]) -> Floats:
        """A number for each of the rows, from the shard that it lies on."""
        merged = np.zeros(len(rows))
        for positions, answer in self._ask_by_rows(rows, call):
            merged[positions] = answer
        return merged

    def scattered_vectors(self, rows: Rows, call: Callable[[View, Rows], Vectors], dim: int) -> Vectors:
        """A vector for each of the rows, from the shard that it lies on."""
        merged = np.zeros((len(rows), dim), np.float32)
        for positions, answer in self._ask_by_rows(rows, call):
            merged[positions] = answer
        return merged

    # ---------------------------------------------------------------- times

    @cached_property
    def _content(self) -> tuple[SpanTable, Rows]:
        return merge_tables(self._ask_all(lambda view: view.content, load=True), self._count)

    @property
    def content(self) -> SpanTable:
        return self._content[0]

    @cached_property
    def published(self) -> SpanTable:
        return merge_tables(self._ask_all(lambda view: view.published, load=True), self._count)[0]

    @cached_property
    def valid(self) -> SpanTable:
        return merge_tables(self._ask_all(lambda view: view.valid, load=True), self._count)[0]

    # ---------------------------------------------------------------- rows

    @cached_property
    def _owners(self) -> Owners:
        return find_owners(self._ask_all(read_owners, load=True), self._count)

    @property
    def alive(self) -> Rows:
        return self._owners.alive

    @property
    def alive_documents(self) -> Rows:
        return self._owners.documents

    def get_document_rows(self, rows: Rows) -> Rows:
        return self._owners.get_document_rows(rows)

    def get_passage_rows(self, document_rows: Rows) -> Rows:
        return self._owners.get_passage_rows(document_rows)

    def get_series_code(self, name: str) -> int:
        return next((view.get_series_code(name) for view in self._leads), -1)

    def get_series_codes(self, document_rows: Rows) -> Rows:
        return self._owners.get_series_codes(document_rows)

    def get_series_rows(self, code: int) -> Rows:
        owners = self._owners
        return owners.documents[owners.series == code] if code >= 0 else np.empty(0, np.int64)

    # ---------------------------------------------------------------- what is stored

    def get_passages(self, rows: Rows) -> list[StoredPassage]:
        rows = np.asarray(rows, dtype=np.int64)
        passages = self._list_by_rows(rows, lambda view, own: view.get_passages(own))
        return [
            replace(item, row=row, document_row=item.document_row * self._count + row % self._count)
            for row, item in zip(rows.tolist(), passages, strict=True)
        ]

    def get_texts(self, rows: Rows) -> list[PassageText]:
        return self._list_by_rows(rows, lambda view, own: view.get_texts(own))

    def get_documents(self, document_rows: Rows) -> list[Document]:
        return self._list_by_rows(document_rows, lambda view, own: view.get_documents(own))

    def get_document(self, id: str) -> Document | None:
        shard = get_shard(id, self._count)
        document: Document | None = self.ask({shard: lambda view: view.get_document(id)})[shard]
        return document

    def get_field_column(self, name: str) -> FieldColumn:
        parts = self._ask_all(partial(_read_field, name), load=True)
        return merge_field_columns(
            replace(column, rows=global_rows(column.rows, shard, self._count)) for shard, column in parts.items()
        )

    def find_field_rows(self, name: str, operator: str, value: Any) -> Rows:
        parts = self._ask_all(partial(_find_field, name, operator, value), load=True)
        found = [global_rows(rows, shard, self._count) for shard, rows in parts.items()]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def find_document_rows(self, ids: Sequence[str]) -> Rows:
        parts = group_by_shard(enumerate(ids), self._count, lambda item: item[1])
        answers = self.ask({shard: _bind_ids([id for _, id in items]) for shard, items in parts.items()})
        document_rows = np.full(len(ids), -1, dtype=np.int64)
        for shard, items in parts.items():
            own = np.asarray(answers[shard], dtype=np.int64)
            document_rows[[position for position, _ in items]] = np.where(
                own >= 0, global_rows(own, shard, self._count), -1
            )
        return document_rows

    def get_entries(self, document_rows: Rows) -> list[Entry]:
        return self._list_by_rows(document_rows, lambda view, own: view.get_entries(own), load=True)

    def iterate(self, batch: int = 1000) -> Iterator[list[Document]]:
        if batch < 1:
            raise EpochalError(f"batch must be at least 1, but is {batch}")
        rows = self.alive_documents
        for low in range(0, len(rows), batch):
            yield self._list_by_rows(rows[low : low + batch], lambda view, own: view.get_documents(own), load=True)


def _require_statistics(view: View) -> SupportsStatistics:
    if not isinstance(view, SupportsStatistics):
        raise EpochalError(
            f"a {type(view).__name__} cannot rank words by the statistics of all shards; accepted: views with "
            f"get_statistics, search_words_with and score_words_with"
        )
    return view


def _bind_rows(call: Callable[[View, Rows], T], rows: Rows) -> Callable[[View], T]:
    return lambda view: call(view, rows)


def _bind_contexts(rows: Rows, positions: Rows, tokens: Sequence[str]) -> Callable[[View], npt.NDArray[np.bool_]]:
    return lambda view: view.match_contexts(rows, positions, tokens)


def _bind_ids(ids: Sequence[str]) -> Callable[[View], Rows]:
    return lambda view: view.find_document_rows(ids)


class ShardedPrefixes:
    """Searches the prefixes of all shards as if nothing else were stored. Made by `ShardedView.with_dims`."""

    def __init__(self, view: ShardedView, dims: int) -> None:
        self._view = view
        self.dims = dims

    def search_vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        query = self._view.check_query(query, self.dims)
        return self._view.ranked(k, rows, lambda view, own: view.with_dims(self.dims).search_vectors(query, k, own))

    def score_vectors(self, query: Vectors, rows: Rows) -> Floats:
        query = self._view.check_query(query, self.dims)
        return self._view.scattered_numbers(rows, lambda view, own: view.with_dims(self.dims).score_vectors(query, own))

    def get_vectors(self, rows: Rows) -> Vectors:
        return self._view.scattered_vectors(
            rows, lambda view, own: view.with_dims(self.dims).get_vectors(own), self.dims
        )


class ShardedFunnel:
    """Finds a shortlist of all shards by the prefixes, and ranks it by the whole vectors."""

    def __init__(self, view: ShardedView, prefixes: ShardedPrefixes, shortlist: int) -> None:
        self._view = view
        self._prefixes = prefixes
        self.shortlist = shortlist

    def search_vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        query = self._view.check_query(query, self._view.dim)
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        near = self._view.alive if rows is None else rows
        most = max(self.shortlist, k)
        if len(near) > most:
            near = np.sort(
                self._prefixes.search_vectors(truncate(query[None], self._prefixes.dims)[0], most, rows).rows
            )
        scores = self._view.score_vectors(query, near)
        order = np.lexsort((near, -scores))[:k]
        return Ranked(near[order], scores[order])

    def score_vectors(self, query: Vectors, rows: Rows) -> Floats:
        return self._view.score_vectors(query, rows)

    def get_vectors(self, rows: Rows) -> Vectors:
        return self._view.get_vectors(rows)
