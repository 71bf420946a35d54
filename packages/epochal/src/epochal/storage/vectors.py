"""Vector search: exact, narrowed by cells in large collections, and over prefixes of nested vectors.

Cells (an inverted file) may miss a row. So the number of cells to probe is measured when they are built: as many as
sample queries need for their `DEPTH` best rows. Vectors that do not cluster are all compared. Only building cells needs
faiss, the extra `large`; without it all vectors are compared, and existing cells are searched and extended by numpy.

A prefix of a nested vector is truncated and normalised. The prefixes of all rows are copied into an array when they are
first searched: reading them from the full rows would take as long as reading everything.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.storage.protocol import Ranked, Rows, View

__all__ = [
    "DEPTH",
    "LARGE",
    "Cells",
    "FunnelSearcher",
    "NestedView",
    "PrefixSearcher",
    "RowSearcher",
    "VectorSearcher",
    "assign",
    "can_train",
    "needed_probes",
    "prefix_name",
    "train",
    "truncate",
]


Vectors = npt.NDArray[np.float32]

#: Passages from which on cells are made.
LARGE: Final = 250_000
#: How many of the best rows the cells must hold; a search that may need to look deeper compares all vectors.
DEPTH: Final = 200
#: The share of the best rows that may be missed when queries are tried out: next to none.
_MISSED: Final = 0.005
#: Cells are of use when no more than this share of them need be looked into: rows that lie apart are slow to gather.
_USEFUL: Final = 0.1
_QUERIES: Final = 64
_CELL_CHUNK: Final = 8192


def can_train() -> bool:
    """Whether faiss is installed, which makes the cells."""
    return find_spec("faiss") is not None


def train(vectors: Vectors) -> Vectors:
    """The centres of the cells of some vectors; the same ones give the same cells."""
    import faiss

    count = max(int(2 * len(vectors) ** 0.5), 1)
    chosen = np.random.default_rng(1).permutation(len(vectors))[: 64 * count]
    sample = np.ascontiguousarray(vectors[np.sort(chosen)])
    clustering = faiss.Kmeans(vectors.shape[1], count, niter=8, seed=1, min_points_per_centroid=1)
    clustering.train(sample)
    return np.asarray(clustering.centroids, dtype=np.float32)


def assign(centroids: Vectors, vectors: Vectors) -> npt.NDArray[np.int32]:
    """The cell of each vector: that with the nearest centre."""
    half_squares = (centroids * centroids).sum(axis=1) / 2
    cells = np.empty(len(vectors), dtype=np.int32)
    for low in range(0, len(vectors), _CELL_CHUNK):
        nearness = vectors[low : low + _CELL_CHUNK] @ centroids.T - half_squares
        cells[low : low + _CELL_CHUNK] = nearness.argmax(axis=1)
    return cells


def needed_probes(centroids: Vectors, cells: npt.NDArray[np.int32], vectors: Vectors) -> int:
    """Into how many cells a search must look; -1 where that would be so many that cells are of no use.

    What is tried out are sums of two vectors: like a question, they lie near some, but on none.
    """
    rng = np.random.default_rng(2)
    pairs = rng.integers(0, len(vectors), (2, _QUERIES))
    queries = vectors[pairs[0]] + vectors[pairs[1]]
    products = np.empty((_QUERIES, len(vectors)), dtype=np.float32)
    for low in range(0, len(vectors), _CELL_CHUNK):
        products[:, low : low + _CELL_CHUNK] = queries @ vectors[low : low + _CELL_CHUNK].T
    depth = min(DEPTH, len(vectors))
    best = np.argpartition(products, len(vectors) - depth, axis=1)[:, -depth:]
    places = np.argsort(np.argsort(-(queries @ centroids.T), axis=1), axis=1)
    ranks = np.take_along_axis(places, cells[best].astype(np.int64), axis=1)
    probes = int(np.quantile(ranks, 1 - _MISSED)) + 1
    return probes if probes <= _USEFUL * len(centroids) else -1


class Cells:
    """Cells to search in: their `centroids`, the cell number of each row, and how many to look into."""

    def __init__(self, centroids: Vectors, numbers: npt.NDArray[np.int32], probes: int) -> None:
        self._centroids = centroids
        self._numbers = numbers
        self._probes = probes

    @cached_property
    def _order(self) -> tuple[Rows, Rows]:
        """The rows, cell by cell, and where each cell begins."""
        order = np.argsort(self._numbers, kind="stable")
        return order, np.searchsorted(self._numbers[order], np.arange(len(self._centroids) + 1))

    def near(self, query: Vectors) -> Rows:
        """The rows of the cells nearest to a query, ascending."""
        order, begins = self._order
        nearness = self._centroids @ query
        probes = min(self._probes, len(nearness))
        chosen = np.argpartition(nearness, len(nearness) - probes)[len(nearness) - probes :]
        return np.sort(np.concatenate([order[begins[cell] : begins[cell + 1]] for cell in chosen.tolist()]))


Floats = npt.NDArray[np.float64]

_EPSILON: Final = float(np.finfo(np.float32).eps)
_CHUNK: Final = 4096
#: What keeps no more than this share of all rows is searched row by row.
_NARROW: Final = 0.1


class VectorSearcher:
    """Searches vectors, one a row; `longest` is the greatest length of any. `cells` may narrow a search down.

    A product is computed in single precision first, and again in double precision where it may matter, always in the
    same order. So a score does not depend on what else was searched, and equal vectors have equal scores.
    """

    def __init__(self, vectors: Vectors, longest: float, cells: Cells | None = None) -> None:
        self._vectors = vectors
        self._cells = cells
        self._longest = longest
        # A search asks for the best of all rows and for the best of some, with one query: the second needs no product.
        self._last: tuple[bytes, Vectors] | None = None

    def vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows with the greatest dot product, among `rows` where they are given; see `View.vectors`."""
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        query = self.checked(query)
        if self._cells is not None and self._may_narrow(k, rows):
            near = self._cells.near(query)
            if rows is not None:
                kept = np.zeros(len(self._vectors), dtype=np.bool_)
                kept[rows] = True
                near = near[kept[near]]
            rows = near if len(near) >= k else rows
        rough = self._rough(query, rows)
        if k < len(rough):
            # A rough product is off by at most this much, so whoever may be among the best lies within twice that.
            slack = 2 * len(query) * _EPSILON * self._longest * float(np.linalg.norm(query.astype(np.float64)))
            least = np.partition(rough, len(rough) - k)[len(rough) - k] - slack
            best = np.flatnonzero(rough >= least)
        else:
            best = np.arange(len(rough))
        found = best.astype(np.int64) if rows is None else rows[best]
        scores = self._exact(query, found)
        order = np.lexsort((found, -scores))[:k]
        return Ranked(found[order], scores[order])

    def similarities(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of the given rows, in their order."""
        return self._exact(self.checked(query), rows)

    def stored(self, rows: Rows) -> Vectors:
        """The vectors of the given rows, in their order."""
        return np.asarray(self._vectors[rows])

    def checked(self, query: Vectors) -> Vectors:
        """A query's vector, if it is one: as many finite numbers as a stored one."""
        query = np.asarray(query, dtype=np.float32)
        dim = self._vectors.shape[1]
        if query.shape != (dim,):
            raise EpochalError(f"a query's vector must have {dim} numbers, but has the shape {query.shape}")
        if not np.isfinite(query).all():
            raise EpochalError("a query's vector holds a number that is not finite")
        return query

    def _may_narrow(self, k: int, rows: Rows | None) -> bool:
        """Whether the best of the rows are so many, and so few are wanted, that the nearest cells hold them."""
        count = len(self._vectors)
        kept = count if rows is None else len(rows)
        return kept > _NARROW * count and k * count <= DEPTH * kept

    def _rough(self, query: Vectors, rows: Rows | None) -> Vectors:
        key, last = query.tobytes(), self._last
        if last is not None and last[0] == key:
            return last[1] if rows is None else last[1][rows]
        # Rows that lie apart cost more to gather than they do to multiply.
        if rows is None or 16 * len(rows) > len(self._vectors):
            product = np.asarray(self._vectors @ query)
            self._last = (key, product)
            return product if rows is None else product[rows]
        rough = np.empty(len(rows), np.float32)
        for low in range(0, len(rows), _CHUNK):
            # A matrix product would wait for threads that a few rows are not worth.
            np.einsum("ij,j->i", self._vectors[rows[low : low + _CHUNK]], query, out=rough[low : low + _CHUNK])
        return rough

    def _exact(self, query: Vectors, rows: Rows) -> Floats:
        precise = query.astype(np.float64)
        scores = np.empty(len(rows))
        for low in range(0, len(rows), _CHUNK):
            chunk = self._vectors[rows[low : low + _CHUNK]].astype(np.float64)
            # A matrix product would add up in an order that depends on how many rows there are.
            scores[low : low + _CHUNK] = (chunk * precise).sum(axis=1)
        return scores


_PREFIX_CHUNK: Final = 8192
#: Rows are cut one by one where they are no more than one in so many, and the prefixes of all are not at hand.
_FEW: Final = 16


def truncate(vectors: Vectors, dims: int) -> Vectors:
    """The first `dims` numbers of each row, made of length 1 again; a row of zeros stays one.

    A row's prefix does not depend on the rows that are cut with it.
    """
    found = np.empty((len(vectors), dims), np.float32)
    for low in range(0, len(vectors), _PREFIX_CHUNK):
        part = vectors[low : low + _PREFIX_CHUNK, :dims].astype(np.float64)
        lengths = np.sqrt((part * part).sum(axis=1))
        found[low : low + _PREFIX_CHUNK] = part / np.where(lengths > 0, lengths, 1)[:, None]
    return found


def prefix_name(name: str, dims: int) -> str:
    """The name of an encoder whose vectors are cut: vectors of equal names can be compared."""
    return f"{name}[:{dims}]"


class RowSearcher(Protocol):
    """What searches the vectors of a view, whole or cut."""

    def vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows with the greatest dot product, among `rows` where they are given."""
        ...

    def similarities(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of the given rows, in their order."""
        ...

    def stored(self, rows: Rows) -> Vectors:
        """The vectors of the given rows, in their order."""
        ...


class PrefixSearcher:
    """Searches the prefixes of vectors as if nothing else were stored: exactly, whatever `rows` keep."""

    def __init__(self, vectors: Vectors, dims: int) -> None:
        self._vectors = vectors
        self.dims = dims

    def __len__(self) -> int:
        return len(self._vectors)

    @cached_property
    def _all(self) -> VectorSearcher:
        return self._over(self._vectors)

    def _over(self, vectors: Vectors) -> VectorSearcher:
        # Rounded numbers may make a length of a little more than 1.
        return VectorSearcher(truncate(vectors, self.dims), 1.0 + 1e-6)

    def vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows whose prefixes have the greatest dot product with a query, which has as many numbers."""
        if rows is None or _FEW * len(rows) > len(self._vectors) or "_all" in self.__dict__:
            return self._all.vectors(query, k, rows)
        found = self._over(self._vectors[rows]).vectors(query, k)
        return Ranked(rows[found.rows], found.scores)

    def similarities(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of the given rows' prefixes, in their order."""
        return self._over(self._vectors[rows]).similarities(query, np.arange(len(rows)))

    def stored(self, rows: Rows) -> Vectors:
        """The prefixes of the given rows, in their order."""
        return truncate(self._vectors[rows], self.dims)


class FunnelSearcher:
    """Finds a shortlist by the prefixes, and ranks it by the whole vectors; a query is as long as those.

    The shortlist is never shorter than what is asked for. Where it has room for all rows that may be meant, the answer
    is that of comparing all whole vectors.
    """

    def __init__(self, whole: VectorSearcher, prefixes: PrefixSearcher, shortlist: int) -> None:
        self._whole = whole
        self._prefixes = prefixes
        self._shortlist = shortlist

    def vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k best of the shortlist by the dot products of whole vectors; of equal ones the lower row comes first."""
        query = self._whole.checked(query)
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        near = np.arange(len(self._prefixes)) if rows is None else rows
        most = max(self._shortlist, k)
        if len(near) > most:
            near = np.sort(self._prefixes.vectors(truncate(query[None], self._prefixes.dims)[0], most, rows).rows)
        scores = self._whole.similarities(query, near)
        order = np.lexsort((near, -scores))[:k]
        return Ranked(near[order], scores[order])

    def similarities(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of the given rows' whole vectors, in their order."""
        return self._whole.similarities(query, rows)

    def stored(self, rows: Rows) -> Vectors:
        """The whole vectors of the given rows, in their order."""
        return self._whole.stored(rows)


class NestedView:
    """A view whose vectors another searcher searches; everything else is the view's own. Made by `View.nested`.

    `dim` and `encoder_name` are those of the vectors that are compared. `living` gives the rows to search.
    """

    def __init__(
        self,
        view: View,
        searcher: RowSearcher,
        dim: int,
        encoder_name: str,
        living: Callable[[Rows | None], Rows | None],
    ) -> None:
        self._view = view
        self._searcher = searcher
        self._living = living
        self.dim = dim
        self.encoder_name = encoder_name

    def __getattr__(self, name: str) -> Any:
        # Asked for what is not there yet, while it is being copied, it must not look for its own view for ever.
        if name.startswith("__") or name == "_view":
            raise AttributeError(name)
        return getattr(self._view, name)

    def vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k passages with the greatest dot product with a vector."""
        return self._searcher.vectors(query, k, self._living(rows))

    def similarities(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of the given passages' vectors with a vector, in their order."""
        return self._searcher.similarities(query, np.asarray(rows, dtype=np.int64))

    def stored_vectors(self, rows: Rows) -> Vectors:
        """The vectors of the given passages, in their order."""
        return self._searcher.stored(np.asarray(rows, dtype=np.int64))
