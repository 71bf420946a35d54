"""Prefixes of vectors over shards: each searches its own, and a shortlist is one of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.index.backend import Ranked, Rows
from epochal.index.nested import truncated

if TYPE_CHECKING:
    from epochal.backends.sharded.view import ShardedView

__all__ = ["ShardedFunnel", "ShardedPrefixes"]

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]


class ShardedPrefixes:
    """Searches the prefixes of all shards as if nothing else were stored. Made by `ShardedView.nested`.

    >>> ShardedPrefixes(None, 64).dims
    64
    """

    def __init__(self, view: ShardedView, dims: int) -> None:
        self._view = view
        self.dims = dims

    def vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows whose prefixes have the greatest dot product with a query, which has as many numbers."""
        query = self._view.checked(query, self.dims)
        return self._view.ranked(k, rows, lambda view, own: view.nested(self.dims).vectors(query, k, own))

    def similarities(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of the given rows' prefixes, in their order."""
        query = self._view.checked(query, self.dims)
        return self._view.scattered_numbers(rows, lambda view, own: view.nested(self.dims).similarities(query, own))

    def stored(self, rows: Rows) -> Vectors:
        """The prefixes of the given rows, in their order."""
        return self._view.scattered_vectors(
            rows, lambda view, own: view.nested(self.dims).stored_vectors(own), self.dims
        )


class ShardedFunnel:
    """Finds a shortlist of all shards by the prefixes, and ranks it by the whole vectors.

    >>> ShardedFunnel(None, ShardedPrefixes(None, 64), 100).shortlist
    100
    """

    def __init__(self, view: ShardedView, prefixes: ShardedPrefixes, shortlist: int) -> None:
        self._view = view
        self._prefixes = prefixes
        self.shortlist = shortlist

    def vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows with the greatest dot product among those of the shortlist."""
        query = self._view.checked(query, self._view.dim)
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        near = self._view.alive if rows is None else rows
        most = max(self.shortlist, k)
        if len(near) > most:
            near = np.sort(self._prefixes.vectors(truncated(query[None], self._prefixes.dims)[0], most, rows).rows)
        scores = self._view.similarities(query, near)
        order = np.lexsort((near, -scores))[:k]
        return Ranked(near[order], scores[order])

    def similarities(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of the given rows' whole vectors, in their order."""
        return self._view.similarities(query, rows)

    def stored(self, rows: Rows) -> Vectors:
        """The whole vectors of the given rows, in their order."""
        return self._view.stored_vectors(rows)
