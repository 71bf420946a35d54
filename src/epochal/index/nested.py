"""Nested vectors: the first numbers of a vector are a vector too, and can be searched alone, or before the whole.

A prefix is cut off and made of length 1 again. The prefixes of all rows are copied into an array of their own when they
are first searched: in the rows of the file they lie so far apart that reading them takes as long as reading everything.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.index.backend import Ranked, Rows, View
from epochal.index.vectors import VectorSearcher

__all__ = ["FunnelSearcher", "NestedView", "PrefixSearcher", "Searcher", "prefix_name", "truncated"]

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]

_CHUNK: Final = 8192
#: Rows are cut one by one where they are no more than one in so many, and the prefixes of all are not at hand.
_FEW: Final = 16


def truncated(vectors: Vectors, dims: int) -> Vectors:
    """The first `dims` numbers of each row, made of length 1 again; a row of zeros stays one.

    A row's prefix does not depend on the rows that are cut with it.

    >>> truncated(np.array([[3, 4, 12], [0, 0, 1]], dtype=np.float32), 2).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    found = np.empty((len(vectors), dims), np.float32)
    for low in range(0, len(vectors), _CHUNK):
        part = vectors[low : low + _CHUNK, :dims].astype(np.float64)
        lengths = np.sqrt((part * part).sum(axis=1))
        found[low : low + _CHUNK] = part / np.where(lengths > 0, lengths, 1)[:, None]
    return found


def prefix_name(name: str, dims: int) -> str:
    """The name of an encoder whose vectors are cut: vectors of equal names can be compared.

    >>> prefix_name("static-517d3344", 64)
    'static-517d3344[:64]'
    """
    return f"{name}[:{dims}]"


class Searcher(Protocol):
    """What searches the vectors of a view, whole or cut.

    >>> searcher: Searcher = VectorSearcher(np.eye(3, dtype=np.float32), 1.0)
    >>> searcher.stored(np.array([2])).tolist()
    [[0.0, 0.0, 1.0]]
    """

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
    """Searches the prefixes of vectors as if nothing else were stored: exactly, whatever `rows` keep.

    >>> searcher = PrefixSearcher(np.array([[0, 0, 1], [3, 4, 0], [1, 0, 9]], dtype=np.float32), 2)
    >>> found = searcher.vectors(np.array([1, 0], dtype=np.float32), 2)
    >>> found.rows, found.scores.round(3)
    (array([2, 1]), array([1. , 0.6]))
    """

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
        return VectorSearcher(truncated(vectors, self.dims), 1.0 + 1e-6)

    def vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows whose prefixes have the greatest dot product with a query, which has as many numbers.

        >>> searcher = PrefixSearcher(np.eye(3, dtype=np.float32), 2)
        >>> searcher.vectors(np.array([0, 1], dtype=np.float32), 2, np.array([0, 2])).rows
        array([0, 2])
        """
        if rows is None or _FEW * len(rows) > len(self._vectors) or "_all" in self.__dict__:
            return self._all.vectors(query, k, rows)
        found = self._over(self._vectors[rows]).vectors(query, k)
        return Ranked(rows[found.rows], found.scores)

    def similarities(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of the given rows' prefixes, in their order.

        >>> searcher = PrefixSearcher(np.eye(3, dtype=np.float32), 2)
        >>> searcher.similarities(np.array([0, 1], dtype=np.float32), np.array([2, 1]))
        array([0., 1.])
        """
        return self._over(self._vectors[rows]).similarities(query, np.arange(len(rows)))

    def stored(self, rows: Rows) -> Vectors:
        """The prefixes of the given rows, in their order.

        >>> PrefixSearcher(np.array([[3, 4, 12]], dtype=np.float32), 2).stored(np.array([0])).shape
        (1, 2)
        """
        return truncated(self._vectors[rows], self.dims)


class FunnelSearcher:
    """Finds a shortlist by the prefixes, and ranks it by the whole vectors; a query is as long as those.

    The shortlist is never shorter than what is asked for. Where it has room for all rows that may be meant, the answer
    is that of comparing all whole vectors.

    >>> vectors = np.array([[1, 0, 0], [0.9, 0, 1], [0, 1, 0]], dtype=np.float32)
    >>> query = np.array([0.9, 0, 1], dtype=np.float32)
    >>> funnel = FunnelSearcher(VectorSearcher(vectors, 2.0), PrefixSearcher(vectors, 2), 2)
    >>> funnel.vectors(query, 2).rows
    array([1, 0])
    """

    def __init__(self, whole: VectorSearcher, prefixes: PrefixSearcher, shortlist: int) -> None:
        self._whole = whole
        self._prefixes = prefixes
        self._shortlist = shortlist

    def vectors(self, query: Vectors, k: int, rows: Rows | None = None) -> Ranked:
        """The k best of the shortlist by the dot products of whole vectors; of equal ones the lower row comes first.

        >>> eye = np.eye(3, dtype=np.float32)
        >>> funnel = FunnelSearcher(VectorSearcher(eye, 1.0), PrefixSearcher(eye, 1), 1)
        >>> funnel.vectors(np.ones(3, dtype=np.float32), 1, np.array([1, 2])).rows
        array([1])
        """
        query = self._whole.checked(query)
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        near = np.arange(len(self._prefixes)) if rows is None else rows
        most = max(self._shortlist, k)
        if len(near) > most:
            near = np.sort(self._prefixes.vectors(truncated(query[None], self._prefixes.dims)[0], most, rows).rows)
        scores = self._whole.similarities(query, near)
        order = np.lexsort((near, -scores))[:k]
        return Ranked(near[order], scores[order])

    def similarities(self, query: Vectors, rows: Rows) -> Floats:
        """The dot products of the given rows' whole vectors, in their order.

        >>> eye = np.eye(3, dtype=np.float32)
        >>> funnel = FunnelSearcher(VectorSearcher(eye, 1.0), PrefixSearcher(eye, 1), 1)
        >>> funnel.similarities(np.ones(3, dtype=np.float32), np.array([2]))
        array([1.])
        """
        return self._whole.similarities(query, rows)

    def stored(self, rows: Rows) -> Vectors:
        """The whole vectors of the given rows, in their order.

        >>> eye = np.eye(3, dtype=np.float32)
        >>> FunnelSearcher(VectorSearcher(eye, 1.0), PrefixSearcher(eye, 1), 1).stored(np.array([2])).tolist()
        [[0.0, 0.0, 1.0]]
        """
        return self._whole.stored(rows)


class NestedView:
    """A view whose vectors another searcher searches; everything else is the view's own. Made by `View.nested`.

    `dim` and `encoder_name` are those of the vectors that are compared. `living` gives the rows to search.

    >>> from types import SimpleNamespace
    >>> searcher = PrefixSearcher(np.eye(3, dtype=np.float32), 2)
    >>> view = NestedView(SimpleNamespace(generation=7), searcher, 2, "mine[:2]", lambda rows: rows)
    >>> view.generation, view.dim, view.stored_vectors(np.array([2])).tolist()
    (7, 2, [[0.0, 0.0]])
    """

    def __init__(
        self, view: View, searcher: Searcher, dim: int, encoder_name: str, living: Callable[[Rows | None], Rows | None]
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
