"""Many vectors by their leading dimensions, in 8 bits: which rows can be among the best, at a tenth of the traffic.

Vectors of texts extend far along few axes. Turned to these, the first dimensions of a row say much about its product
with a query, and what the others add is rarely more than several times what they usually add. A row may be missed,
unlike with `QuantisedVectors`: docs/develop/decisions/quantised-vectors.md says how many were.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.storage.protocol import Rows
from epochal.storage.quantised import SLACK, Bounds, Matrix, QuantisedVectors, measure_lost

Vectors = npt.NDArray[np.float32]

__all__ = ["LeadingVectors", "quantise"]

#: Fewer rows than this are compared by all their dimensions, which misses nothing.
_MANY: Final = 1 << 15
#: The share of the squares of rows that the leading axes hold. They are taken so many at a time, and at most this share
#: of all axes; where these hold less than the least, all dimensions are compared.
_HELD: Final = 0.9
_LEAST: Final = 0.82
_STEP: Final = 16
_MOST_LEADING: Final = 0.5
#: Rows by which the axes are found, and rows that are turned at a time.
_SAMPLE: Final = 1 << 14
_CHUNK: Final = 1 << 12
#: What is left out adds to a product no more than so many times what it usually adds.
_UNUSUAL: Final = 5.0


def quantise(
    vectors: Matrix, before: QuantisedVectors | LeadingVectors | None = None
) -> QuantisedVectors | LeadingVectors:
    """Vectors in 8 bits, as few dimensions as will do; `before` are the first of them, if they have been quantised."""
    if isinstance(before, LeadingVectors):
        return LeadingVectors(vectors, before.rotation, before)
    rotation = Rotation.find(vectors) if len(vectors) >= _MANY else None
    return QuantisedVectors(vectors, before) if rotation is None else LeadingVectors(vectors, rotation)


class Rotation(NamedTuple):
    """The axes along which rows extend, a column each, from the farthest to the least, and how far in squares.

    The first `width` of them are the leading ones.
    """

    axes: Vectors
    reach: npt.NDArray[np.float64]
    width: int

    @classmethod
    def find(cls, vectors: Matrix) -> Rotation | None:
        """The rotation for some rows; None where no half of the axes holds most of them."""
        sample = vectors[:: max(len(vectors) // _SAMPLE, 1)].astype(np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", sample, sample))
        sample /= np.where(lengths > 0, lengths, 1.0)[:, None]  # long rows say no more than short ones
        squares, axes = np.linalg.eigh(sample.T @ sample)
        reach = np.maximum(squares[::-1], 0.0)
        held = reach.cumsum() / (reach.sum() or 1.0)
        wanted = int((held >= _HELD).argmax()) + 1
        width = min(-(-wanted // _STEP), int(_MOST_LEADING * len(reach)) // _STEP) * _STEP
        if not width or held[width - 1] < _LEAST:
            return None
        return cls(np.ascontiguousarray(axes[:, ::-1], dtype=np.float32), reach, width)

    @property
    def leading(self) -> Vectors:
        """The leading axes."""
        return np.ascontiguousarray(self.axes[:, : self.width])

    def measure_rest(self, turned: npt.NDArray[np.float64]) -> float:
        """What the other dimensions usually add to the product of a query with a row, by their length in the row."""
        reach = self.reach[self.width :]
        reached = float(reach.sum())
        return math.sqrt(float(reach @ (turned[self.width :] ** 2)) / reached) if reached else 0.0


class LeadingVectors:
    """The leading dimensions of the rows of a matrix in 8 bits."""

    def __init__(self, vectors: Matrix, rotation: Rotation, before: LeadingVectors | None = None) -> None:
        """Quantise vectors; `before` are the first of them, if they have been quantised by the same rotation."""
        count, kept = len(vectors), 0 if before is None else len(before)
        self.rotation = rotation
        known = None if before is None else before._leading
        self._leading: QuantisedVectors = QuantisedVectors(vectors, known, rotation.leading)
        #: The lengths of rows in the other dimensions.
        self._rests = np.empty(count, np.float32)
        if before is not None:
            self._rests[:kept] = before._rests
        others = np.ascontiguousarray(rotation.axes[:, rotation.width :])
        for low in range(kept, count, _CHUNK):
            rest = vectors[low : low + _CHUNK] @ others
            self._rests[low : low + _CHUNK] = np.sqrt(np.einsum("ij,ij->i", rest, rest))
        self._usual_rest, self._longest_rest = float(self._rests.mean()), float(self._rests.max(initial=0.0))

    def __len__(self) -> int:
        return len(self._rests)

    def pack(self) -> None:
        """Pack all blocks, so that no search has to."""
        self._leading.pack()

    def begins(self, vectors: Matrix) -> bool:
        """Whether these rows are the first of some vectors, as far as a sample of them tells."""
        return self._leading.begins(vectors)

    def bound(self, query: Vectors) -> Bounds:
        """For each row a number near its product with a query, and one that the product rarely exceeds."""
        turned = query.astype(np.float64) @ self.rotation.axes
        length = math.sqrt(float(turned @ turned))
        leading = turned[: self.rotation.width]
        lost = measure_lost(leading)
        # Errors of rounding have no direction: of what they can reach by their length they reach one dimension's share.
        rounded = (self._leading.most_lost * length + self._leading.longest * lost) / math.sqrt(self.rotation.width)
        usual = self.rotation.measure_rest(turned)
        # What does not depend on the other adds its square.
        both = math.hypot(usual * self._usual_rest, rounded) - usual * self._usual_rest
        factor = np.float32(_UNUSUAL * usual)
        constant = np.float32(_UNUSUAL * both + SLACK * length * self._leading.longest)

        def measure_margins(rows: Rows) -> Vectors:
            margins: Vectors = self._rests[rows] * factor
            margins += constant
            return margins

        return Bounds(self._leading.estimate(leading), measure_margins, float(self._longest_rest * factor + constant))
