"""The vectors of passages: those with the greatest dot product with another.

All vectors that may be meant are compared, unless there are very many of them: see `epochal.index.cells`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.index.backend import Ranked, Rows
from epochal.index.cells import DEPTH, Cells

__all__ = ["VectorSearcher"]

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]

_EPSILON: Final = float(np.finfo(np.float32).eps)
_CHUNK: Final = 4096
#: What keeps no more than this share of all rows is searched row by row.
_NARROW: Final = 0.1


class VectorSearcher:
    """Searches vectors, one a row; `longest` is the greatest length of any. `cells` may narrow a search down.

    A product is computed in single precision first, and again in double precision where it may matter, always in the
    same order. So a score does not depend on what else was searched, and equal vectors have equal scores.

    >>> searcher = VectorSearcher(np.eye(3, dtype=np.float32), 1.0)
    >>> searcher.vectors(np.array([0.0, 1.0, 0.5], dtype=np.float32), 2).rows
    array([1, 2])
    """

    def __init__(self, vectors: Vectors, longest: float, cells: Cells | None = None) -> None:
        self._vectors = vectors
        self._cells = cells
        self._longest = longest
        # A search asks for the best of all rows and for the best of some, with one query: the second needs no product.
        self._last: tuple[bytes, Vectors] | None = None

    def vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows with the greatest dot product, among `rows` where they are given; see `View.vectors`.

        >>> searcher = VectorSearcher(np.eye(3, dtype=np.float32), 1.0)
        >>> searcher.vectors(np.array([0.0, 1.0, 0.5], dtype=np.float32), 2, np.array([0, 2])).rows
        array([2, 0])
        """
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
        """The dot products of the given rows, in their order.

        >>> VectorSearcher(np.eye(3, dtype=np.float32), 1.0).similarities(np.ones(3, dtype=np.float32), np.array([2]))
        array([1.])
        """
        return self._exact(self.checked(query), rows)

    def stored(self, rows: Rows) -> Vectors:
        """The vectors of the given rows, in their order.

        >>> VectorSearcher(np.eye(3, dtype=np.float32), 1.0).stored(np.array([2])).tolist()
        [[0.0, 0.0, 1.0]]
        """
        return np.asarray(self._vectors[rows])

    def checked(self, query: Vectors) -> Vectors:
        """A query's vector, if it is one: as many finite numbers as a stored one.

        >>> VectorSearcher(np.eye(3, dtype=np.float32), 1.0).checked(np.ones(2, dtype=np.float32))
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: a query's vector must have 3 numbers, but has the shape (2,)
        """
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
