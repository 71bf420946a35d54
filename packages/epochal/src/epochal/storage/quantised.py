"""Vectors as whole numbers of 8 bits: which rows can be among the best, at a quarter of the memory traffic.

A search by exact vectors reads all of them. Here a row is rounded to whole numbers with a scale of its own, and what
the rounding has changed is kept as a length. So the product with a query is known to within a bound, and a row whose
highest possible product is lower than those of k others cannot be among the best k. The rest, a few hundred of a
hundred thousand rows, are compared exactly: nothing is ever missed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from epochal.storage.products import ZERO, Block
from epochal.storage.protocol import Rows

Vectors = npt.NDArray[np.float32]

__all__ = ["SLACK", "Bounds", "Matrix", "QuantisedVectors", "find_highest", "find_scales", "measure_lost"]

#: Rows that are multiplied at a time.
_BLOCK: Final = 1 << 16
#: Rows that are quantised at a time, which fit into the cache of a processor.
_CHUNK: Final = 1 << 10
_MOST: Final = 127
_SAMPLE: Final = 64
#: A query has 7 bits: some processors add up pairs of products in 16 bits, which 8 bits would overflow.
_MOST_IN_QUERY: Final = 63
#: Estimates in a sample that says which ones are high, and how many times as many as are needed are taken.
_SAMPLED: Final = 1 << 12
_GENEROUS: Final = 4
#: Estimates that are parted at once, without a sample.
_FEW: Final = 1 << 14
#: What rounding in single precision can add to an error, generously, as a share of the lengths.
SLACK: Final = 1e-5
#: How far scales may differ that were computed of the same row among others.
_SAME: Final = 1e-4


class Matrix(Protocol):
    """Vectors, a row each: an array, or what reads like one."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...


class QuantisedVectors:
    """The rows of a matrix in 8 bits; along some axes, if any are given, a column each."""

    def __init__(self, vectors: Matrix, before: QuantisedVectors | None = None, axes: Vectors | None = None) -> None:
        """Quantise vectors; `before` are the first of them, if they have been quantised already."""
        count, dim = len(vectors), vectors.shape[1] if axes is None else axes.shape[1]
        self._axes = axes
        kept = 0 if before is None else len(before)
        self._scales, self._errors, self._lengths = (np.zeros(count, np.float32) for _ in range(3))
        self._blocks: list[Block] = []
        if before is not None:
            self._blocks += before._blocks[: kept // _BLOCK]
            for name in ("_scales", "_errors", "_lengths"):
                getattr(self, name)[:kept] = getattr(before, name)[:kept]
        for low in range(kept // _BLOCK * _BLOCK, count, _BLOCK):
            block, done = np.empty((dim, min(_BLOCK, count - low)), np.int8), max(kept - low, 0)
            if before is not None and done:
                block[:, :done] = before._blocks[low // _BLOCK].numbers
            for start in range(low + done, min(low + _BLOCK, count), _CHUNK):
                part = vectors[start : min(start + _CHUNK, low + _BLOCK)]
                block[:, start - low : start - low + len(part)] = self._quantise(part, slice(start, start + len(part)))
            self._blocks.append(Block(block, is_full=block.shape[1] == _BLOCK))
        #: What rounding takes of a row, and how long a row is, at most.
        self.most_lost, self.longest = float(self._errors.max(initial=0.0)), float(self._lengths.max(initial=0.0))

    def _quantise(self, part: Vectors, place: slice) -> Vectors:
        """Some rows as whole numbers, a column each; what they lose is recorded."""
        part = self._turn(part)
        scales = find_scales(part)
        whole = np.rint(part / scales[:, None])
        lost = part - whole * scales[:, None]
        self._scales[place] = scales
        self._errors[place] = np.sqrt(np.einsum("ij,ij->i", lost, lost))
        self._lengths[place] = np.sqrt(np.einsum("ij,ij->i", part, part))
        return np.asarray(whole.T)

    def _turn(self, vectors: Vectors) -> Vectors:
        return vectors if self._axes is None else np.asarray(vectors @ self._axes)

    def __len__(self) -> int:
        return len(self._scales)

    def pack(self) -> None:
        """Pack all blocks, so that no search has to."""
        for block in self._blocks:
            block.pack()

    def begins(self, vectors: Matrix) -> bool:
        """Whether these rows are the first of some vectors, as far as a sample of them tells."""
        if not len(self) <= len(vectors):
            return False
        sample = np.unique(np.linspace(0, len(self) - 1, _SAMPLE).astype(np.int64))
        # The last bits of products of matrices depend on the number of rows.
        return bool(np.allclose(find_scales(self._turn(vectors[sample])), self._scales[sample], rtol=_SAME, atol=0.0))

    def estimate(self, query: npt.NDArray[np.float64]) -> Estimates:
        """For each row a number near its product with a query, and what to multiply it by.

        The query lies along the axes, if there are any.
        """
        estimates = np.empty(len(self), np.float32)
        scale = float(np.abs(query).max()) / _MOST_IN_QUERY or 1.0
        unsigned = (np.rint(query / scale) + ZERO).astype(np.uint8)[None]
        low = 0
        for block in self._blocks:
            place = slice(low, low + len(block))
            part = estimates[place]
            # Products are whole numbers that single precision holds exactly.
            part[:] = block.multiply(unsigned)
            part *= self._scales[place]
            low = place.stop
        return Estimates(estimates, np.float32(scale))

    def bound(self, query: Vectors) -> Bounds:
        """For each row a number near its product with a query, and one that the product does not exceed."""
        precise = query.astype(np.float64)
        length, lost = math.sqrt(float(precise @ precise)), measure_lost(precise)
        by_error, by_length = np.float32(length + lost), np.float32(lost + SLACK * length)

        def measure_margins(rows: Rows) -> Vectors:
            margins: Vectors = self._errors[rows] * by_error
            margins += self._lengths[rows] * by_length
            return margins

        return Bounds(
            self.estimate(precise), measure_margins, float(self.most_lost * by_error + self.longest * by_length)
        )


def measure_lost(query: npt.NDArray[np.float64]) -> float:
    """The length that rounding takes from a query."""
    scale = float(np.abs(query).max()) / _MOST_IN_QUERY or 1.0
    left = query - np.rint(query / scale) * scale
    return math.sqrt(float(left @ left))


def find_scales(vectors: Vectors) -> Vectors:
    """The value that a whole number of each row represents."""
    scales = np.abs(vectors).max(axis=1) / np.float32(_MOST)
    return np.asarray(np.where(scales == 0, np.float32(1.0), scales))


class Estimates(NamedTuple):
    """For each row a number, and what all are to be multiplied by: few rows are looked at any closer."""

    values: Vectors
    scale: np.float32


class Bounds:
    """For each row a number near its product with a query, and by how much the product may be more.

    `measure_margins` says the latter for some rows, and `widest` for all: few rows come so near that it matters.
    """

    def __init__(self, estimates: Estimates, measure_margins: Callable[[Rows], Vectors], widest: float) -> None:
        self.estimates = estimates
        self.measure_margins = measure_margins
        self._widest = widest

    def select(self, rows: Rows) -> Bounds:
        """The bounds of some rows, which are known by their places among these."""
        values, scale = self.estimates
        return Bounds(Estimates(values[rows], scale), lambda places: self.measure_margins(rows[places]), self._widest)

    def find_best(self, count: int) -> Rows:
        """The rows with as many of the highest estimates, ascending."""
        values = self.estimates.values
        best = find_highest(values, count) if len(values) > _FEW else np.arange(len(values))
        if len(best) > count:
            best = np.sort(best[np.argpartition(values[best], len(best) - count)[len(best) - count :]])
        return best

    def find_reaching(self, product: np.float32) -> Rows:
        """The rows whose product can be at least so high, ascending."""
        values, scale = self.estimates
        slack = SLACK * (abs(float(product)) + self._widest)
        least = (float(product) - self._widest - slack) / float(scale)
        (near,) = (values >= np.float32(least)).nonzero()
        margins = self.measure_margins(near)
        margins += values[near] * scale
        return np.asarray(near[margins >= product])


def find_highest(estimates: Vectors, k: int) -> Rows:
    """The places of at least k of the highest estimates: of all above what a sample says are a few times as many."""
    (near,) = (estimates >= find_high(estimates, k)).nonzero()
    return near if len(near) >= k else np.arange(len(estimates))


def find_high(estimates: Vectors, k: int) -> np.float32:
    """An estimate that, by a sample, a few times as many as k reach."""
    sample = estimates[:: max(len(estimates) // _SAMPLED, 1)]
    rank = min(_GENEROUS * k * len(sample) // len(estimates) + 1, len(sample))
    high: np.float32 = np.partition(sample, len(sample) - rank)[len(sample) - rank]
    return high
