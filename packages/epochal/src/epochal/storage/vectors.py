"""Vector search: exact, narrowed by cells in large collections, and over prefixes of nested vectors.

Cells (an inverted file) may miss a row. So the number of cells to probe is measured when they are built: as many as
sample queries need for their `DEPTH` best rows. Vectors that do not cluster are all compared. Only building cells needs
faiss, the extra `large`; without it all vectors are compared, and existing cells are searched and extended by numpy.

A prefix of a nested vector is truncated and normalised. The prefixes of all rows are copied into an array when they are
first searched: reading them from the full rows would take as long as reading everything.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from threading import Thread
from typing import Any, Final, Protocol, cast

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.storage.coded import CodedVectors, multiply_rows
from epochal.storage.leading import LeadingVectors, quantise
from epochal.storage.protocol import Ranked, Rows, View, locate_rows
from epochal.storage.quantised import Bounds, Matrix, QuantisedVectors

Vectors = npt.NDArray[np.float32]

#: Collections with more passages than this have cells.
LARGE: Final = 250_000
#: The best rows that the cells must find; a deeper search compares all vectors.
DEPTH: Final = 200
#: The share of the best rows of sample queries that may be missed.
_MISSED: Final = 0.005
#: Cells are used if no more than this share of them must be probed: scattered rows are slow to gather.
_USEFUL: Final = 0.1
_QUERIES: Final = 64
_CELL_CHUNK: Final = 8192


def can_train() -> bool:
    """Whether faiss is installed, which trains the cells."""
    return find_spec("faiss") is not None


def train(vectors: Vectors) -> Vectors:
    """The centres of the cells of some vectors; deterministic."""
    import faiss

    count = max(int(2 * len(vectors) ** 0.5), 1)
    nearest = np.random.default_rng(1).permutation(len(vectors))[: 64 * count]
    sample = np.ascontiguousarray(vectors[np.sort(nearest)])
    clustering = faiss.Kmeans(vectors.shape[1], count, niter=8, seed=1, min_points_per_centroid=1)
    clustering.train(sample)
    return np.asarray(clustering.centroids, dtype=np.float32)


def assign(centroids: Vectors, vectors: Vectors) -> npt.NDArray[np.int32]:
    """The cell with the nearest centre for each vector."""
    half_squares = (centroids * centroids).sum(axis=1) / 2
    cells = np.empty(len(vectors), dtype=np.int32)
    for low in range(0, len(vectors), _CELL_CHUNK):
        scores = vectors[low : low + _CELL_CHUNK] @ centroids.T - half_squares
        cells[low : low + _CELL_CHUNK] = scores.argmax(axis=1)
    return cells


def measure_probes(centroids: Vectors, cells: npt.NDArray[np.int32], vectors: Vectors) -> int:
    """How many cells a search must probe; -1 if so many that cells are of no use.

    The sample queries are sums of two vectors: like a question, they are near some vectors, but equal to none.
    """
    rng = np.random.default_rng(2)
    pairs = rng.integers(0, len(vectors), (2, _QUERIES))
    queries = vectors[pairs[0]] + vectors[pairs[1]]
    products = np.empty((_QUERIES, len(vectors)), dtype=np.float32)
    for low in range(0, len(vectors), _CELL_CHUNK):
        products[:, low : low + _CELL_CHUNK] = queries @ vectors[low : low + _CELL_CHUNK].T
    depth = min(DEPTH, len(vectors))
    best = np.argpartition(products, len(vectors) - depth, axis=1)[:, -depth:]
    ranking = np.argsort(np.argsort(-(queries @ centroids.T), axis=1), axis=1)
    ranks = np.take_along_axis(ranking, cells[best].astype(np.int64), axis=1)
    probes = int(np.quantile(ranks, 1 - _MISSED)) + 1
    return probes if probes <= _USEFUL * len(centroids) else -1


class Cells:
    """Cells of vectors: their `centroids`, the cell number of each row, and how many to probe."""

    def __init__(self, centroids: Vectors, numbers: npt.NDArray[np.int32], probes: int) -> None:
        self._centroids = centroids
        self._numbers = numbers
        self._probes = probes

    @cached_property
    def _order(self) -> tuple[Rows, Rows]:
        """The rows sorted by cell, and the start of each cell."""
        order = np.argsort(self._numbers, kind="stable")
        return order, np.searchsorted(self._numbers[order], np.arange(len(self._centroids) + 1))

    def find_near(self, query: Vectors) -> Rows:
        """The rows of the cells nearest to a query, ascending."""
        order, begins = self._order
        scores = self._centroids @ query
        probes = min(self._probes, len(scores))
        nearest = np.argpartition(scores, len(scores) - probes)[len(scores) - probes :]
        return np.sort(np.concatenate([order[begins[cell] : begins[cell + 1]] for cell in nearest.tolist()]))


Floats = npt.NDArray[np.float64]
Quantised = QuantisedVectors | LeadingVectors

_EPSILON: Final = float(np.finfo(np.float32).eps)
_CHUNK: Final = 4096
#: So many scans take about as long as quantising the vectors, and fewer rows are scanned quickly enough.
_SCANS: Final = 16
_MIN_QUANTISED: Final = 8192
#: More vectors than this are quantised by another thread, while all of them are compared.
_AT_ONCE: Final = 1 << 17
#: Up to so many times as many rows as are wanted are compared in double precision at once.
_FEW: Final = 1.5
#: So many times as many rows as are wanted, those of the highest estimates, say which product the best must reach.
_COMPARED: Final = 2
#: A restriction to no more than this share of all rows is searched row by row.
_NARROW: Final = 0.1


class VectorSearcher:
    """Searches the vectors of rows; `longest` is their greatest norm. `cells` may narrow a search.

    Products are computed in single precision first, and those that matter again in double precision, always in the same
    order. So a score does not depend on the other rows of a search, and equal vectors have equal scores.
    """

    def __init__(self, vectors: Matrix, longest: float, cells: Cells | None = None) -> None:
        self._vectors = vectors
        self._cells = cells
        self._longest = longest
        # One query is searched among all rows and then among some; the product is computed once.
        self._last: tuple[bytes, Vectors] | None = None
        self._last_bounds: tuple[bytes, Bounds] | None = None
        self._last_scores: tuple[bytes, Rows, Floats] | None = None
        self._scans = 0
        self._quantising: Thread | None = None
        #: The vectors in 8 bits, once there are; and those of an earlier state, which are extended on first use.
        self.quantised: Quantised | None = None
        self._before: Quantised | None = None

    def search_vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows with the greatest dot product; see `View.search_vectors`."""
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        query = self.check_query(query)
        if self._cells is not None and self._can_use_cells(k, rows):
            near = self._cells.find_near(query)
            if rows is not None:
                is_allowed = np.zeros(len(self._vectors), dtype=np.bool_)
                is_allowed[rows] = True
                near = near[is_allowed[near]]
            rows = near if len(near) >= k else rows
        bounds = self._find_bounds(query, rows)
        if bounds is not None:
            rows_found = self._select_possible(query, k, rows, bounds)
        elif rows is not None and len(rows) <= _FEW * k:
            rows_found = rows
        else:
            rows_found = self._select_roughly(query, k, rows)
        scores = self._score_once(query, rows_found)
        order = np.lexsort((rows_found, -scores))[:k]
        return Ranked(rows_found[order], scores[order])

    def _select_roughly(self, query: Vectors, k: int, rows: Rows | None) -> Rows:
        """All rows whose product in single precision can be among the best k."""
        estimates = self._score_roughly(query, rows)
        if k < len(estimates):
            best = np.flatnonzero(estimates >= _find_least(k, estimates) - self._measure_slack(query))
        else:
            best = np.arange(len(estimates))
        return best.astype(np.int64) if rows is None else rows[best]

    def _select_possible(self, query: Vectors, k: int, rows: Rows | None, bounds: Bounds) -> Rows:
        """The rows that can be among the best k by bounds of the products of all rows, and by those that reach so far.

        Each is multiplied once in single precision.
        """
        bounds = bounds if rows is None else bounds.select(rows)
        possible = bounds.find_best(_COMPARED * k)
        if len(possible) > k:
            estimates, slack = self._score_some(query, possible, rows), self._measure_slack(query)
            # So many products surely reach it, so what cannot is not among the best k.
            reaching = bounds.find_reaching(_find_least(k, estimates) - slack)
            reaching = reaching[~locate_rows(possible, reaching)[0]]
            estimates = np.concatenate([estimates, self._score_some(query, reaching, rows)])
            possible = np.concatenate([possible, reaching])[estimates >= _find_least(k, estimates) - slack]
            possible.sort()
        return possible if rows is None else rows[possible]

    def _measure_slack(self, query: Vectors) -> np.float32:
        """More than the products of two rows in single precision can differ from their difference."""
        precise = query.astype(np.float64)
        length = math.sqrt(float(precise @ precise))
        slack: np.float32 = np.float32(2 * len(query) * _EPSILON * self._longest * length)
        return slack

    def _find_bounds(self, query: Vectors, rows: Rows | None) -> Bounds | None:
        """Bounds of the products of all rows, where they are known or cheaper than the products of some."""
        key, last = query.tobytes(), self._last_bounds
        if last is not None and last[0] == key:
            return last[1]
        if not self._needs_scan(rows) or (quantised := self._extend_quantised()) is None:
            return None
        self._last_bounds = key, quantised.bound(query)
        return self._last_bounds[1]

    def score_vectors(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of rows."""
        return self._score_once(self.check_query(query), rows)

    def get_vectors(self, rows: Rows) -> Vectors:
        return np.asarray(self._vectors[rows])

    def check_query(self, query: Vectors) -> Vectors:
        """Check that the vector of a query has the dimensions of the index and is finite."""
        query = np.asarray(query, dtype=np.float32)
        dim = self._vectors.shape[1]
        if query.shape != (dim,):
            raise EpochalError(f"a query's vector must have {dim} numbers, but has the shape {query.shape}")
        if not np.isfinite(query).all():
            raise EpochalError("a query's vector holds a number that is not finite")
        return query

    def _can_use_cells(self, k: int, rows: Rows | None) -> bool:
        """Whether the nearest cells hold the best k of the rows."""
        count = len(self._vectors)
        allowed = count if rows is None else len(rows)
        return allowed > _NARROW * count and k * count <= DEPTH * allowed

    def _score_roughly(self, query: Vectors, rows: Rows | None) -> Vectors:
        """The products of all rows, or of some, in single precision."""
        key, last = query.tobytes(), self._last
        if last is not None and last[0] == key:
            return last[1] if rows is None else last[1][rows]
        if rows is None or self._needs_scan(rows):
            is_small = len(self._vectors) < _MIN_QUANTISED
            product = multiply_rows(self._vectors[:], query) if is_small else np.asarray(self._vectors @ query)
            self._last = (key, product)
            self._count_scan()
            return product if rows is None else product[rows]
        return self._score_some(query, rows)

    def _score_some(self, query: Vectors, places: Rows, rows: Rows | None = None) -> Vectors:
        """The products of the rows at some places of `rows`, or of all, in single precision; others are not read."""
        rows = places if rows is None else rows[places]
        estimates, vectors = np.empty(len(rows), np.float32), self._vectors
        for low in range(0, len(rows), _CHUNK):
            part = rows[low : low + _CHUNK]
            if isinstance(vectors, CodedVectors):
                estimates[low : low + _CHUNK] = vectors.multiply(part, query)
            else:
                estimates[low : low + _CHUNK] = multiply_rows(vectors[part], query)
        return estimates

    def _needs_scan(self, rows: Rows | None) -> bool:
        """Whether all rows are multiplied: scattered rows cost more to gather than to multiply."""
        return rows is None or 16 * len(rows) > len(self._vectors)

    def take_over(self, before: Quantised) -> None:
        """Use what was quantised of an earlier state, to which this one has added rows."""
        self._before = before

    def _extend_quantised(self) -> Quantised | None:
        before, self._before = self._before, None
        if before is not None and before.begins(self._vectors):
            is_new = len(before) < len(self._vectors)
            self.quantised = quantise(self._vectors, before) if is_new else before
        return self.quantised

    def _count_scan(self) -> None:
        """Quantise the vectors once their scans have taken about as long as that does."""
        self._scans += 1
        if self._scans != _SCANS or len(self._vectors) < _MIN_QUANTISED:
            return
        if len(self._vectors) > _AT_ONCE:
            self._quantising = Thread(target=self._quantise_and_pack, daemon=True)
            self._quantising.start()
        else:
            self.quantised = quantise(self._vectors)

    def _quantise_and_pack(self) -> None:
        quantised = quantise(self._vectors)
        quantised.pack()
        self.quantised = quantised

    def _score_once(self, query: Vectors, rows: Rows) -> Floats:
        """The products of rows; those that were computed for the last query are not computed again."""
        if len(rows) > _CHUNK:
            return self._score_exactly(query, rows)
        key, last = query.tobytes(), self._last_scores
        if last is None or last[0] != key:
            known, known_scores = np.empty(0, np.int64), np.empty(0)
        else:
            _, known, known_scores = last
        is_known, places = locate_rows(known, rows)
        scores = np.empty(len(rows))
        scores[is_known] = known_scores[places[is_known]]
        new = rows[~is_known]
        if len(new):
            scores[~is_known] = new_scores = self._score_exactly(query, new)
            known = np.concatenate([known, new])
            order = known.argsort(kind="stable")
            self._last_scores = key, known[order], np.concatenate([known_scores, new_scores])[order]
        return scores

    def _score_exactly(self, query: Vectors, rows: Rows) -> Floats:
        precise = query.astype(np.float64)
        scores = np.empty(len(rows))
        for low in range(0, len(rows), _CHUNK):
            chunk = self._vectors[rows[low : low + _CHUNK]].astype(np.float64)
            chunk *= precise
            # The order of the sums of a matrix product depends on the number of rows.
            scores[low : low + _CHUNK] = chunk.sum(axis=1)
        return scores


def _find_least(k: int, estimates: Vectors) -> np.float32:
    """The least of the k highest."""
    least: np.float32 = np.partition(estimates, len(estimates) - k)[len(estimates) - k]
    return least


_PREFIX_CHUNK: Final = 8192
#: Fewer than one row in so many are truncated when they are searched, unless the prefixes of all are in memory.
_FEW_SHARE: Final = 16


def truncate(vectors: Matrix, dims: int) -> Vectors:
    """Truncate vectors to `dims` dimensions and normalise them, each independently of the others; zeros stay zeros."""
    rows_found = np.empty((len(vectors), dims), np.float32)
    for low in range(0, len(vectors), _PREFIX_CHUNK):
        part = vectors[low : low + _PREFIX_CHUNK][:, :dims].astype(np.float64)
        lengths = np.sqrt((part * part).sum(axis=1))
        rows_found[low : low + _PREFIX_CHUNK] = part / np.where(lengths > 0, lengths, 1)[:, None]
    return rows_found


def name_prefix_encoder(name: str, dims: int) -> str:
    """The name of an encoder with truncated vectors: vectors of equal names can be compared."""
    return f"{name}[:{dims}]"


class RowSearcher(Protocol):
    """Searches the vectors of a view, full or truncated."""

    def search_vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows with the greatest dot product."""
        ...

    def score_vectors(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of rows."""
        ...

    def get_vectors(self, rows: Rows) -> Vectors:
        """The vectors of rows."""
        ...


class PrefixSearcher:
    """Searches truncated vectors, exactly for any restriction of rows."""

    def __init__(self, vectors: Matrix, dims: int) -> None:
        self._vectors = vectors
        self.dims = dims

    def __len__(self) -> int:
        return len(self._vectors)

    @cached_property
    def _all(self) -> VectorSearcher:
        return self._make_searcher(self._vectors)

    def _make_searcher(self, vectors: Matrix) -> VectorSearcher:
        # Rounding may give a norm of a little more than 1.
        return VectorSearcher(truncate(vectors, self.dims), 1.0 + 1e-6)

    def search_vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        if rows is None or _FEW_SHARE * len(rows) > len(self._vectors) or "_all" in self.__dict__:
            return self._all.search_vectors(query, k, rows)
        rows_found = self._make_searcher(self._vectors[rows]).search_vectors(query, k)
        return Ranked(rows[rows_found.rows], rows_found.scores)

    def score_vectors(self, query: Vectors, rows: Rows) -> Floats:
        return self._make_searcher(self._vectors[rows]).score_vectors(query, np.arange(len(rows)))

    def get_vectors(self, rows: Rows) -> Vectors:
        return truncate(self._vectors[rows], self.dims)


class FunnelSearcher:
    """Finds a shortlist of at least k rows with truncated vectors, and reranks it with full vectors."""

    def __init__(self, exact: VectorSearcher, prefixes: PrefixSearcher, shortlist: int) -> None:
        self._exact = exact
        self._prefixes = prefixes
        self._shortlist = shortlist

    def search_vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        query = self._exact.check_query(query)
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        near = np.arange(len(self._prefixes)) if rows is None else rows
        limit = max(self._shortlist, k)
        if len(near) > limit:
            near = np.sort(
                self._prefixes.search_vectors(truncate(query[None], self._prefixes.dims)[0], limit, rows).rows
            )
        scores = self._exact.score_vectors(query, near)
        order = np.lexsort((near, -scores))[:k]
        return Ranked(near[order], scores[order])

    def score_vectors(self, query: Vectors, rows: Rows) -> Floats:
        return self._exact.score_vectors(query, rows)

    def get_vectors(self, rows: Rows) -> Vectors:
        return self._exact.get_vectors(rows)


class NestedView:
    """The view of `View.with_dims`: another searcher searches its vectors; everything else is the view's own.

    `dim` and `encoder_name` are those of the vectors that are compared. `select_alive` gives the rows to search.
    """

    def __init__(
        self,
        view: View,
        searcher: RowSearcher,
        dim: int,
        encoder_name: str,
        select_alive: Callable[[Rows | None], Rows | None],
    ) -> None:
        self._view = view
        self._searcher = searcher
        self._select_alive = select_alive
        self.dim = dim
        self.encoder_name = encoder_name

    def __getattr__(self, name: str) -> Any:
        # While a copy is being made there is no `_view` yet. Old names of the methods below must not reach the view.
        if name.startswith("__") or name in ("_view", "vectors", "similarities", "stored_vectors"):
            raise AttributeError(name)
        return getattr(self._view, name)

    def search_vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        return self._searcher.search_vectors(query, k, self._select_alive(rows))

    def score_vectors(self, query: Vectors, rows: Rows) -> Floats:
        return self._searcher.score_vectors(query, np.asarray(rows, dtype=np.int64))

    def get_vectors(self, rows: Rows) -> Vectors:
        return self._searcher.get_vectors(np.asarray(rows, dtype=np.int64))


def nest_view(
    view: View,
    dims: int,
    prefixes: RowSearcher,
    funnel: RowSearcher | None,
    select_alive: Callable[[Rows | None], Rows | None],
) -> View:
    """A view that compares prefixes of `dims` dimensions or, with a funnel, full vectors of a shortlist by prefixes."""
    if funnel is None:
        name = name_prefix_encoder(view.encoder_name, dims)
        return cast("View", NestedView(view, prefixes, dims, name, select_alive))
    return cast("View", NestedView(view, funnel, view.dim, view.encoder_name, select_alive))
