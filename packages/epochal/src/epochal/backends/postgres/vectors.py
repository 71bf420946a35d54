"""Vector search on the server, and the planner that selects how.

The server compares in single precision and returns more rows than needed; these are compared again here in double
precision, in the order of the embedded store, so that scores are equal. Rows are fetched until none can be missing,
unless an HNSW index was used.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from epochal.backends.postgres.connection import PostgresAddress
from epochal.backends.postgres.tables import PostgresSnapshot
from epochal.errors import EpochalError
from epochal.storage.protocol import Ranked, Rows
from epochal.storage.vectors import truncate

if TYPE_CHECKING:
    from epochal.backends.postgres.connection import Connection

#: What keeps no more than this share of all passages is searched one by one, as the embedded store does.
NARROW: Final = 0.1
#: So many passages, or fewer, are compared faster than a walk through an index goes.
_FEW: Final = 10_000
#: How many times as long as what is wanted the list is, and its least length.
_WIDER: Final = 3
_SHORTEST_LIST: Final = 200
#: pgvector keeps no longer a list than this while it walks through its index.
_LONGEST_LIST: Final = 1000
#: pgvector indexes no longer vectors than this.
_MAX_DIMENSIONS: Final = 2000
#: What is fetched beyond what is wanted, to be compared once more in double precision.
SPARE: Final = 32


@dataclass(frozen=True, slots=True)
class VectorPlan:
    """Compare `exact`ly, or walk through the HNSW index with a list of `breadth` candidates; fetch `limit` rows."""

    exact: bool
    limit: int
    breadth: int = 0


def may_index(passages: int, dim: int, address: PostgresAddress) -> bool:
    """Whether vectors should have an HNSW index."""
    return address.search == "auto" and 0 < dim <= _MAX_DIMENSIONS and passages >= address.hnsw_from


def choose(passages: int, count: int | None, k: int, *, has_index: bool) -> VectorPlan:
    """How to find the k best of the `count` passages of all; None for all of them."""
    limit = k + SPARE
    left = passages if count is None else count
    # The list must be long enough to hold what is wanted although much that is near is left out by the restriction.
    breadth = max(_SHORTEST_LIST, -(-_WIDER * limit * passages // max(left, 1)))
    if not has_index or left <= max(_FEW, NARROW * passages) or breadth > _LONGEST_LIST:
        return VectorPlan(exact=True, limit=limit)
    return VectorPlan(exact=False, limit=limit, breadth=breadth)


@dataclass(frozen=True, slots=True, eq=False)
class Restriction:
    """Rows as they are sent to the server: runs without a gap, from `lows` to `highs`, or one by one where there are
    many.
    """

    lows: Rows
    highs: Rows
    rows: Rows | None


def restriction(rows: Rows) -> Restriction:
    """Some rows, which ascend, in the form that costs least: a run is one look into an index, however long it is."""
    (breaks,) = np.nonzero(np.diff(rows) > 1)
    lows, highs = rows[np.append(0, breaks + 1)], rows[np.append(breaks, len(rows) - 1)]
    return Restriction(lows, highs, rows if 3 * len(lows) > len(rows) else None)


Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]

_EPSILON: Final = float(np.finfo(np.float32).eps)
_CHUNK: Final = 4096
#: Vectors of so many rows are kept here: what a search has found is compared again a moment later.
_MAX_CACHED: Final = 4096
#: How many rows an index may look at for a search.
_MAX_SCANNED: Final = 1_000_000


class ServerVectors:
    """Searches the vectors of one state, or their first `dims` numbers, made of length 1 again."""

    def __init__(self, moment: PostgresSnapshot, dims: int | None = None) -> None:
        self._moment = moment
        self._state = moment.state
        self._is_prefix = dims is not None
        self.dims = moment.state.dim if dims is None else dims
        self._kept: OrderedDict[int, Vectors] = OrderedDict()
        self._guard = threading.Lock()

    def __len__(self) -> int:
        return self._state.seen_passages

    def check_query(self, query: Vectors) -> Vectors:
        """A query's vector, if it is one: as many finite numbers as a stored one."""
        query = np.asarray(query, dtype=np.float32)
        if query.shape != (self.dims,):
            raise EpochalError(f"a query's vector must have {self.dims} numbers, but has the shape {query.shape}")
        if not np.isfinite(query).all():
            raise EpochalError("a query's vector holds a number that is not finite")
        return query

    def search_vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows with the greatest dot product, among `rows` where they are given; see `View.search_vectors`."""
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        query = self.check_query(query)
        if rows is not None and len(rows) <= k:
            return _rank_rows(rows, self._score_exactly(query, rows), k)
        living = self._state.seen_passages - self._state.seen_dead
        count = living if rows is None else len(rows)
        has_index = self._state.hnsw and not self._is_prefix and not self._moment.is_exact
        plan = choose(self._state.seen_passages, None if rows is None else count, k, has_index=has_index)
        nearest, rough = self._search_nearest(query, plan, rows)
        if not plan.exact and len(nearest) < min(plan.limit, count):
            plan = VectorPlan(exact=True, limit=plan.limit)  # the walk has come to its end too soon
            nearest, rough = self._search_nearest(query, plan, rows)
        longest = 1.0 + 1e-6 if self._is_prefix else self._state.longest
        slack = 2 * len(query) * _EPSILON * longest * float(np.linalg.norm(query.astype(np.float64)))
        limit = plan.limit
        # A rough product is off by at most half the slack, so whoever may be among the best lies within it.
        while plan.exact and len(nearest) == limit and rough[-1] >= rough[k - 1] - slack:
            limit *= 8
            nearest, rough = self._search_nearest(query, VectorPlan(exact=True, limit=limit), rows)
        return _rank_rows(nearest, self._score_exactly(query, nearest), k)

    def score_vectors(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of the given rows, in their order."""
        return self._score_exactly(self.check_query(query), rows)

    def get_vectors(self, rows: Rows) -> Vectors:
        """The vectors of the given rows, in their order."""
        distinct, positions = np.unique(np.asarray(rows, dtype=np.int64), return_inverse=True)
        vectors = np.empty((len(distinct), self._state.dim), np.float32)
        missing = []
        for position, row in enumerate(distinct.tolist()):
            cached = self._kept.get(row)
            if cached is None:
                missing.append(position)
            else:
                vectors[position] = cached
        for low in range(0, len(missing), 8 * _CHUNK):
            part = np.array(missing[low : low + 8 * _CHUNK])
            vectors[part] = self._fetch_vectors(distinct[part])
        whole = vectors[positions.reshape(-1)]
        return truncate(whole, self.dims) if self._is_prefix else whole

    # ---------------------------------------------------------------- inside

    def _score_exactly(self, query: Vectors, rows: Rows) -> Floats:
        precise = query.astype(np.float64)
        scores = np.empty(len(rows))
        for low in range(0, len(rows), _CHUNK):
            # A matrix product would add up in an order that depends on how many rows there are.
            scores[low : low + _CHUNK] = (self.get_vectors(rows[low : low + _CHUNK]).astype(np.float64) * precise).sum(
                axis=1
            )
        return scores

    def _fetch_vectors(self, rows: Rows) -> Vectors:
        answer = self._moment.fetch(
            "SELECT row, embedding FROM epochal.vectors WHERE space = %s AND row = ANY(%s::int8[])",
            (self._state.space, rows),
        )
        if len(answer) != len(rows):
            raise self._moment.lost(f"vectors: of {len(rows):,} passages {len(answer):,} have one")
        answer.sort(key=lambda item: item[0])
        return self._keep([(row, _unpack_vector(packed)) for row, packed in answer])

    def _keep(self, vectors: Sequence[tuple[int, Vectors]]) -> Vectors:
        with self._guard:
            self._kept.update(vectors)
            while len(self._kept) > _MAX_CACHED:
                self._kept.popitem(last=False)
        return np.stack([numbers for _, numbers in vectors]) if vectors else np.empty((0, self._state.dim), np.float32)

    def _search_nearest(self, query: Vectors, plan: VectorPlan, rows: Rows | None) -> tuple[Rows, Floats]:
        """The rows that the server finds nearest, with its own products; their vectors are kept."""
        statement, values = self.build_query(query, plan, rows)

        def walk(connection: Connection[Any]) -> list[tuple[Any, ...]]:
            with connection.pipeline(), connection.transaction():
                for name, value in _make_walk_settings(plan):
                    connection.execute("SELECT set_config(%s, %s, true)", (name, value))
                answer = connection.execute(statement, values, binary=True)
            return list(answer)

        nearest = (
            self._moment.fetch(statement, values, "searched") if plan.exact else self._moment.run(walk, "searched")
        )
        self._keep([(row, _unpack_vector(packed)) for row, _, packed in nearest[:_MAX_CACHED]])
        return (
            np.array([row for row, _, _ in nearest], dtype=np.int64),
            np.array([-rough for _, rough, _ in nearest], dtype=np.float64),
        )

    def build_query(self, query: Vectors, plan: VectorPlan, rows: Rows | None) -> tuple[str, dict[str, Any]]:
        """The statement of a plan, and its values."""
        values: dict[str, Any] = {
            "space": self._state.space,
            "past": self._state.seen_passages,
            "generation": self._state.seen_generation,
            "query": f"[{','.join(map(repr, query.tolist()))}]",
            "limit": plan.limit,
        }
        source, where = "epochal.vectors v", "v.space = %(space)s"
        if rows is None:
            where += " AND v.row < %(past)s"
            if self._state.seen_dead:
                where += (
                    " AND NOT EXISTS (SELECT FROM epochal.dead d WHERE d.space = %(space)s AND d.row = v.row "
                    "AND d.died <= %(generation)s)"
                )
        else:
            condition = restriction(rows)
            values |= {"lows": condition.lows, "highs": condition.highs, "rows": condition.rows}
            if condition.rows is not None:
                where += " AND v.row = ANY(%(rows)s::int8[])"
            elif plan.exact:
                source = "unnest(%(lows)s::int8[], %(highs)s::int8[]) AS run(low, high), epochal.vectors v"
                where += " AND v.row BETWEEN run.low AND run.high"
            else:  # a walk through an index has no use for a join
                where += (
                    " AND (SELECT range_agg(int8range(low, high, '[]')) FROM "
                    "unnest(%(lows)s::int8[], %(highs)s::int8[]) AS run(low, high)) @> v.row"
                )
        product = self._format_product(plan)
        statement = (
            f"SELECT v.row, {product} AS rough, v.embedding FROM {source} WHERE {where} "
            f"ORDER BY {product} LIMIT %(limit)s"
        )
        return statement, values

    def _format_product(self, plan: VectorPlan) -> str:
        """The negative dot product, in the form that the index has where it is meant to be used, and in no other."""
        if self._is_prefix:
            part = f"subvector(v.embedding, 1, {int(self.dims)})"
            return f"coalesce(({part} <#> %(query)s::vector) / nullif(vector_norm({part}), 0), 0)"
        if plan.exact:
            return "v.embedding <#> %(query)s::vector"
        return f"v.embedding::vector({int(self.dims)}) <#> %(query)s::vector({int(self.dims)})"


def _make_walk_settings(plan: VectorPlan) -> tuple[tuple[str, str], ...]:
    """The settings of a walk through the index: it goes on until enough of what it finds may be answered with."""
    return (
        ("hnsw.iterative_scan", "relaxed_order"),
        ("hnsw.ef_search", str(plan.breadth)),
        ("hnsw.max_scan_tuples", str(_MAX_SCANNED)),
        ("enable_seqscan", "off"),
        ("enable_bitmapscan", "off"),
        ("enable_sort", "off"),
    )


def _unpack_vector(packed: bytes) -> Vectors:
    return np.frombuffer(packed, dtype=">f4", offset=4).astype(np.float32)


def _rank_rows(rows: Rows, scores: Floats, k: int) -> Ranked:
    order = np.lexsort((rows, -scores))[:k]
    return Ranked(rows[order], scores[order])
