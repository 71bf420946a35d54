"""A large set of vectors parted into cells, so that a search need look only into those near the query.

Whoever looks into some cells only may miss a row. So the number of cells is not guessed: when the cells are made,
queries are tried out against all vectors, and as many cells are looked into as those needed for their `DEPTH` best
rows. Vectors that do not gather into cells, which would need too many, are compared one and all.

Only making the cells needs faiss, the extra `large`. Without it none are made and all vectors are compared, which is
slower and loses nothing; cells that an index has already are searched, and take new vectors, by numpy alone.
"""

from __future__ import annotations

from functools import cached_property
from importlib.util import find_spec
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["DEPTH", "LARGE", "Cells", "assign", "can_train", "needed_probes", "train"]

Vectors = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]

#: Passages from which on cells are made.
LARGE: Final = 250_000
#: How many of the best rows the cells must hold; a search that may need to look deeper compares all vectors.
DEPTH: Final = 200
#: The share of the best rows that may be missed when queries are tried out: next to none.
_MISSED: Final = 0.005
#: Cells are of use when no more than this share of them need be looked into: rows that lie apart are slow to gather.
_USEFUL: Final = 0.1
_QUERIES: Final = 64
_CHUNK: Final = 8192


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
    """The cell of each vector: that with the nearest centre.

    >>> assign(np.eye(2, dtype=np.float32), np.array([[0.9, 0.2], [0.1, 3.0]], dtype=np.float32))
    array([0, 1], dtype=int32)
    """
    half_squares = (centroids * centroids).sum(axis=1) / 2
    cells = np.empty(len(vectors), dtype=np.int32)
    for low in range(0, len(vectors), _CHUNK):
        nearness = vectors[low : low + _CHUNK] @ centroids.T - half_squares
        cells[low : low + _CHUNK] = nearness.argmax(axis=1)
    return cells


def needed_probes(centroids: Vectors, cells: npt.NDArray[np.int32], vectors: Vectors) -> int:
    """Into how many cells a search must look; -1 where that would be so many that cells are of no use.

    What is tried out are sums of two vectors: like a question, they lie near some, but on none.
    """
    rng = np.random.default_rng(2)
    pairs = rng.integers(0, len(vectors), (2, _QUERIES))
    queries = vectors[pairs[0]] + vectors[pairs[1]]
    products = np.empty((_QUERIES, len(vectors)), dtype=np.float32)
    for low in range(0, len(vectors), _CHUNK):
        products[:, low : low + _CHUNK] = queries @ vectors[low : low + _CHUNK].T
    depth = min(DEPTH, len(vectors))
    best = np.argpartition(products, len(vectors) - depth, axis=1)[:, -depth:]
    places = np.argsort(np.argsort(-(queries @ centroids.T), axis=1), axis=1)
    ranks = np.take_along_axis(places, cells[best].astype(np.int64), axis=1)
    probes = int(np.quantile(ranks, 1 - _MISSED)) + 1
    return probes if probes <= _USEFUL * len(centroids) else -1


class Cells:
    """Cells to search in: their `centroids`, the cell number of each row, and how many to look into.

    >>> vectors = np.array([[1, 0], [0, 1], [2, 0]], dtype=np.float32)
    >>> centroids = np.eye(2, dtype=np.float32)
    >>> Cells(centroids, assign(centroids, vectors), probes=1).near(np.array([1, 0], dtype=np.float32))
    array([0, 2])
    """

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
        """The rows of the cells nearest to a query, ascending.

        >>> one = np.ones((1, 1), dtype=np.float32)
        >>> Cells(one, np.zeros(3, dtype=np.int32), probes=1).near(one[0])
        array([0, 1, 2])
        """
        order, begins = self._order
        nearness = self._centroids @ query
        probes = min(self._probes, len(nearness))
        chosen = np.argpartition(nearness, len(nearness) - probes)[len(nearness) - probes :]
        return np.sort(np.concatenate([order[begins[cell] : begins[cell + 1]] for cell in chosen.tolist()]))
