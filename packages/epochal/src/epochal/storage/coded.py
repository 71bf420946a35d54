"""Vectors that are stored in 8 bits: whole numbers, and for each row what a whole number of it stands for."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.storage.protocol import Rows
from epochal.storage.quantised import find_scales

Vectors = npt.NDArray[np.float32]

__all__ = ["CodedVectors", "code_vectors", "multiply_rows"]

#: Rows that are decoded at a time, which fit into a cache of a processor: of all, and of rows that are scattered.
_CHUNK: Final = 1 << 10
_FEW: Final = 1 << 8


def code_vectors(vectors: Vectors) -> tuple[npt.NDArray[np.int8], Vectors]:
    """Vectors as whole numbers, and what a whole number of each row stands for."""
    scales = find_scales(vectors)
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


def multiply_rows(rows: Vectors, query: Vectors) -> Vectors:
    """The product of each row by itself: a product with the matrix would start threads, which cost more."""
    return np.asarray((rows[:, None] @ query)[:, 0])


class CodedVectors:
    """The rows of a matrix, which are decoded when they are read."""

    def __init__(self, codes: npt.NDArray[np.int8], scales: Vectors) -> None:
        self._codes = codes
        self._scales = scales
        self.shape = codes.shape

    def __len__(self) -> int:
        return len(self._codes)

    def __getitem__(self, key: Any) -> Vectors:
        rows = self._codes[key].astype(np.float32)
        rows *= self._scales[key][:, None]
        return np.asarray(rows)

    def __matmul__(self, query: Vectors) -> Vectors:
        products = np.empty(len(self), np.float32)
        for low in range(0, len(self), _CHUNK):
            np.matmul(self._codes[low : low + _CHUNK].astype(np.float32), query, out=products[low : low + _CHUNK])
        products *= self._scales
        return products

    def multiply(self, rows: Rows, query: Vectors) -> Vectors:
        """The products of some rows; others are not read."""
        products = np.empty(len(rows), np.float32)
        for low in range(0, len(rows), _FEW):
            part = self._codes.take(rows[low : low + _FEW], axis=0).astype(np.float32)
            products[low : low + _FEW] = multiply_rows(part, query)
        products *= self._scales[rows]
        return products
