"""Vectors as whole numbers of 8 bits: which rows can be among the best, at a quarter of the memory traffic.

A search by exact vectors reads all of them. Here a row is rounded to whole numbers with a scale of its own, and what
the rounding has changed is kept as a length. So the product with a query is known to within a bound, and a row whose
highest possible product is lower than the k-th best of the lowest possible ones cannot be among the best k. The rest,
a few hundred of a hundred thousand rows, are compared exactly: nothing is ever missed.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.storage.protocol import Rows

if TYPE_CHECKING:
    import onnxruntime

Vectors = npt.NDArray[np.float32]

__all__ = ["MODEL", "Bounds", "QuantisedVectors", "find_highest", "select_possible"]

#: Rows that are multiplied at a time.
_BLOCK: Final = 1 << 15
#: Rows that are quantised at a time, which fit into the cache of a processor.
_CHUNK: Final = 1 << 10
_MOST: Final = 127
_SAMPLE: Final = 64
#: A query has 7 bits: some processors add up pairs of products in 16 bits, which 8 bits would overflow.
_MOST_IN_QUERY: Final = 63
_OFFSET: Final = _MOST_IN_QUERY + 1
#: Estimates in a sample that says which ones are high, and how many times as many as are needed are taken.
_SAMPLED: Final = 1 << 12
_GENEROUS: Final = 4
#: What rounding in single precision can add to an error, generously, as a share of the lengths.
_SLACK: Final = 1e-5
_TWICE: Final = 2.01
#: An ONNX model of one node, MatMulInteger, which multiplies unsigned by signed numbers of 8 bits. ONNX Runtime is the
#: only dependency with such a product; that of numpy is ten times slower.
MODEL: Final = (
    b'\x08\x08:P\n\x18\n\x01a\n\x01b\x12\x01y"\rMatMulInteger\x12\x01gZ\x0f\n\x01a\x12\n\n\x08\x08\x02\x12\x04\n\x00\n\x00'
    b"Z\x0f\n\x01b\x12\n\n\x08\x08\x03\x12\x04\n\x00\n\x00b\x0f\n\x01y\x12\n\n\x08\x08\x06\x12\x04\n\x00\n\x00B\x04\n\x00\x10\r"
)


@cache
def _load_product() -> onnxruntime.InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # memory is what limits it
    return onnxruntime.InferenceSession(MODEL, options, providers=["CPUExecutionProvider"])


class QuantisedVectors:
    """The rows of a matrix in 8 bits."""

    def __init__(self, vectors: Vectors, before: QuantisedVectors | None = None) -> None:
        """Quantise vectors; `before` are the first of them, if they have been quantised already."""
        count, dim = vectors.shape
        kept = 0 if before is None else len(before) // _BLOCK * _BLOCK
        self._scales, self._errors, self._lengths, self._offsets = (np.zeros(count, np.float32) for _ in range(4))
        self._blocks: list[npt.NDArray[np.int8]] = []
        if before is not None:
            self._blocks += before._blocks[: kept // _BLOCK]
            for name in ("_scales", "_errors", "_lengths", "_offsets"):
                getattr(self, name)[:kept] = getattr(before, name)[:kept]
        for low in range(kept, count, _BLOCK):
            block = np.empty((dim, min(_BLOCK, count - low)), np.int8)
            for start in range(low, min(low + _BLOCK, count), _CHUNK):
                part = vectors[start : min(start + _CHUNK, low + _BLOCK)]
                block[:, start - low : start - low + len(part)] = self._quantise(part, slice(start, start + len(part)))
            self._blocks.append(block)
        self._most_lost, self._longest = self._errors.max(initial=0.0), self._lengths.max(initial=0.0)

    def _quantise(self, part: Vectors, place: slice) -> Vectors:
        """Some rows as whole numbers, a column each; what they lose is recorded."""
        scales = _find_scales(part)
        whole = np.rint(part / scales[:, None])
        lost = part - whole * scales[:, None]
        self._scales[place] = scales
        self._errors[place] = np.sqrt(np.einsum("ij,ij->i", lost, lost))
        self._lengths[place] = np.sqrt(np.einsum("ij,ij->i", part, part))
        # What the offset of the unsigned query adds to a product.
        self._offsets[place] = _OFFSET * whole.sum(axis=1)
        return np.asarray(whole.T)

    def __len__(self) -> int:
        return len(self._scales)

    def begins(self, vectors: Vectors) -> bool:
        """Whether these rows are the first of some vectors, as far as a sample of them tells."""
        if not len(self) <= len(vectors):
            return False
        sample = np.unique(np.linspace(0, len(self) - 1, _SAMPLE).astype(np.int64))
        return bool((_find_scales(vectors[sample]) == self._scales[sample]).all())

    def bound(self, query: Vectors) -> Bounds:
        """For each row a number near its product with a query, and how far from the product that can be."""
        precise = query.astype(np.float64)
        scale = float(np.abs(precise).max()) / _MOST_IN_QUERY or 1.0
        whole = np.rint(precise / scale)
        unsigned = (whole + _OFFSET).astype(np.uint8)[None]
        # Products and offsets are whole numbers that single precision holds exactly.
        estimates = np.concatenate([self._multiply(unsigned, block) for block in self._blocks], dtype=np.float32)
        estimates -= self._offsets
        estimates *= self._scales
        estimates *= np.float32(scale)
        length, left = math.sqrt(float(precise @ precise)), precise - whole * scale
        lost = math.sqrt(float(left @ left))
        factors = np.float32(length + lost), np.float32(lost + _SLACK * length)
        widest = np.float32(self._most_lost * factors[0] + self._longest * factors[1])
        return Bounds(estimates, self._errors, self._lengths, *factors, widest)

    def _multiply(self, query: npt.NDArray[np.uint8], block: npt.NDArray[np.int8]) -> npt.NDArray[np.int32]:
        try:
            (products,) = _load_product().run(None, {"a": query, "b": block})
        except Exception:  # noqa: BLE001 - errors of ONNX Runtime have no class in common; numpy is slower, but right
            products = np.matmul(query, block, dtype=np.int32)
        return np.asarray(products[0])


def _find_scales(vectors: Vectors) -> Vectors:
    """The value that a whole number of each row represents."""
    scales = np.abs(vectors).max(axis=1) / np.float32(_MOST)
    return np.asarray(np.where(scales == 0, np.float32(1.0), scales))


class Bounds(NamedTuple):
    """Numbers near the products of rows with a query, and what the rounding of rows and query can add to them."""

    estimates: Vectors
    errors: Vectors
    lengths: Vectors
    error_factor: np.float32
    length_factor: np.float32
    #: What no row exceeds.
    widest: np.float32

    def take(self, rows: Rows) -> Bounds:
        """The bounds of some rows."""
        return self._replace(estimates=self.estimates[rows], errors=self.errors[rows], lengths=self.lengths[rows])

    def measure_errors(self, places: Rows | slice = slice(None)) -> Vectors:
        """How far from the products the estimates at some places can be."""
        return np.asarray(self.errors[places] * self.error_factor + self.lengths[places] * self.length_factor)


def select_possible(bounds: Bounds, k: int) -> Rows:
    """The places, ascending, of all that can be among the best k."""
    estimates = bounds.estimates
    if k >= len(estimates):
        return np.arange(len(estimates))
    high = find_high(estimates, k)
    # If k estimates reach it, as many products do but for the widest error, and others only with twice that error.
    (possible,) = np.nonzero(estimates >= high - np.float32(_TWICE) * bounds.widest)
    if np.count_nonzero(estimates[possible] >= high) < k:
        possible = np.arange(len(estimates))
    near, errors = estimates[possible], bounds.measure_errors(possible)
    lowest = near - errors
    threshold = np.partition(lowest, len(lowest) - k)[len(lowest) - k]
    return np.asarray(possible[near + errors >= threshold])


def find_highest(estimates: Vectors, k: int) -> Rows:
    """The places of at least k of the highest estimates: of all above what a sample says are a few times as many."""
    near = np.flatnonzero(estimates >= find_high(estimates, k))
    return near if len(near) >= k else np.arange(len(estimates))


def find_high(estimates: Vectors, k: int) -> np.float32:
    """An estimate that, by a sample, a few times as many as k reach."""
    sample = estimates[:: max(len(estimates) // _SAMPLED, 1)]
    rank = min(_GENEROUS * k * len(sample) // len(estimates) + 1, len(sample))
    high: np.float32 = np.partition(sample, len(sample) - rank)[len(sample) - rank]
    return high
