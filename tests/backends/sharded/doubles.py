"""Shards for tests: the embedded store, with words ranked by whatever statistics are given; and ones that fail."""

from __future__ import annotations

import threading
from collections import Counter
from functools import cached_property
from itertools import count
from pathlib import Path

import numpy as np

from epochal.backends.postgres.words import best, length_code, length_weights, select_query_tokens, steady, token_weight
from epochal.backends.sharded import Limits, Node, Server, ShardedBackend
from epochal.errors import EpochalError, StorageError
from epochal.storage.protocol import Ranked, Statistics
from epochal.storage.store import Store
from epochal.storage.text import analyse


class CountedView:
    """A view of the embedded store that supports statistics, by counting the words of all of its rows."""

    def __init__(self, view):
        self._view = view

    def __getattr__(self, name):
        return getattr(self._view, name)

    @cached_property
    def _counted(self):
        rows = np.arange(len(self._view._documents))
        counted = [Counter(analyse(f"{match.title}\n{match.text}")) for match in self._view.get_texts(rows)]
        lengths = [sum(own.values()) for own in counted]
        times = {}
        for row, own in enumerate(counted):
            for token, often in own.items():
                times.setdefault(token, np.zeros(len(rows), np.float32))[row] = often
        return times, lengths, np.array([length_code(length) for length in lengths], dtype=np.int64)

    def get_statistics(self, tokens):
        times, lengths, _ = self._counted
        counts = {token: int((times[token] > 0).sum()) if token in times else 0 for token in tokens}
        return Statistics(len(lengths), sum(lengths), counts)

    def score_words_with(self, query, rows, statistics):
        times, _, codes = self._counted
        rows = np.asarray(rows, dtype=np.int64)
        scores = np.zeros(len(rows), np.float32)
        norms = length_weights(statistics)[codes[rows]]
        for token, request in select_query_tokens(Counter(analyse(query)), statistics.frequencies).items():
            if token in times:
                tf = times[token][rows]
                scores += token_weight(statistics.frequencies[token], request, statistics.passages) * (
                    tf / (tf + norms)
                )
        return steady(scores)

    def search_words_with(self, query, k, statistics, rows=None):
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        rows = self._view.alive if rows is None else self._view._select_alive(rows)
        scores = self.score_words_with(query, rows, statistics)
        return best(rows[scores > 0], scores[scores > 0], k) if len(rows) else Ranked(rows, scores)


class CountedStore:
    """The embedded store with such views."""

    def __init__(self, store):
        self._store = store
        self._views = {}

    def __getattr__(self, name):
        return getattr(self._store, name)

    def view(self):
        view = self._store.view()
        if self._views.get("key") is not view:
            self._views = {"key": view, "view": CountedView(view)}
        return self._views["view"]


class Faulty:
    """A shard that can be told to fail, or to keep everybody waiting; of its own accord it does neither.

    Whatever is asked of it or of its views goes through `gate`: it raises while `down`, and waits while `held`.
    """

    def __init__(self, backend):
        self._backend = backend
        self.down = False
        self.held = threading.Event()
        self.held.set()
        self.calls = Counter()

    def gate(self, name):
        self.calls[name] += 1
        self.held.wait()
        if self.down:
            raise StorageError("the server closed the connection")

    def view(self):
        self.gate("view")
        return FaultyView(self._backend.view(), self)

    def add(self, entries):
        self.gate("add")
        return self._backend.add(entries)

    def __getattr__(self, name):
        return getattr(self._backend, name)


class FaultyView:
    def __new__(cls, view, faulty):
        # The same view while nothing has changed, as a backend must give.
        retained = faulty.__dict__.setdefault("_kept", {})
        if retained.get("of") is not view:
            result = super().__new__(cls)
            result._view, result._faulty = view, faulty
            faulty.__dict__["_kept"] = retained = {"of": view, "made": result}
        return retained["made"]

    def get_statistics(self, tokens):
        self._faulty.gate("get_statistics")
        return self._view.get_statistics(tokens)

    def search_words_with(self, query, k, statistics, rows=None):
        self._faulty.gate("search_words_with")
        return self._view.search_words_with(query, k, statistics, rows)

    def score_words_with(self, query, rows, statistics):
        self._faulty.gate("score_words_with")
        return self._view.score_words_with(query, rows, statistics)

    def get_documents(self, rows):
        self._faulty.gate("get_documents")
        return self._view.get_documents(rows)

    def get_texts(self, rows):
        self._faulty.gate("get_texts")
        return self._view.get_texts(rows)

    def __getattr__(self, name):
        return getattr(self._view, name)


def making(folder: Path, shards: int = 3):
    """Makes empty sharded backends over stores in a folder."""
    numbers = count()

    def make(encoder_name: str, dim: int) -> ShardedBackend:
        number = next(numbers)
        stores = [Store.create(folder / f"{number}-{shard}", encoder_name, dim) for shard in range(shards)]
        return ShardedBackend.of([CountedStore(store) for store in stores])

    return make


def faulty_cluster(folder: Path, policy: str, limits: Limits, shards: int = 3):
    """A sharded backend whose shards can be told to fail, and those shards."""
    parts = [Faulty(CountedStore(Store.create(folder / str(shard), "", 0))) for shard in range(shards)]
    nodes = [Node(f"n{number}", [Server(f"n{number}", lambda part=part: part)]) for number, part in enumerate(parts)]
    return ShardedBackend(nodes, policy, limits), parts
