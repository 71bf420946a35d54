"""Products of whole numbers of 8 bits, by ONNX Runtime: no other dependency has them; numpy's are ten times slower.

The runtime brings a matrix into an order of its own before it multiplies, which takes most of the time when the other
factor is one query. A matrix that is a constant of the model is brought into that order once, when the model is loaded.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import onnxruntime

__all__ = ["MODEL", "ZERO", "Block"]

#: The unsigned number that stands for 0 in a query.
ZERO: Final = 64
#: An ONNX model of one node, MatMulInteger, which multiplies unsigned by signed numbers of 8 bits, without its matrix.
#: The tensor "z" says which unsigned number stands for 0.
_NODE: Final = (
    b'\x08\x08:B\n\x1b\n\x01a\n\x01b\n\x01z\x12\x01y"\rMatMulInteger\x12\x01gZ\x0f\n\x01a\x12\n\n\x08\x08\x02\x12\x04\n\x00\n\x00'
    b"b\x0f\n\x01y\x12\n\n\x08\x08\x06\x12\x04\n\x00\n\x00B\x04\n\x00\x10\r:\x0a*\x08\x10\x02B\x01zJ\x01"
) + bytes([ZERO])
#: With the matrix as an input. Parts of a message of protocol buffers that is written twice are put together.
MODEL: Final = _NODE + b":\x11Z\x0f\n\x01b\x12\n\n\x08\x08\x03\x12\x04\n\x00\n\x00"
#: Products after which a matrix is packed: that takes about as long as so many products save.
_PACKED_AFTER: Final = 16


class Block:
    """A matrix of whole numbers that queries are multiplied by, packed after a few products."""

    def __init__(self, numbers: npt.NDArray[np.int8], *, is_full: bool) -> None:
        #: The numbers, a column for each row that was quantised; none once a block is packed that nothing is added to.
        self.numbers = numbers
        self._factor: npt.NDArray[np.int8] | onnxruntime.InferenceSession = numbers
        self._count: int = numbers.shape[1]
        self._is_full = is_full
        self._products = 0

    def __len__(self) -> int:
        return self._count

    def multiply(self, query: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
        """The product of a query, one row in which `ZERO` stands for 0, and the matrix."""
        factor = self._factor
        if not isinstance(factor, np.ndarray):
            (products,) = factor.run(None, {"a": query})
            return np.asarray(products[0])
        try:
            (products,) = _load_product().run(None, {"a": query, "b": factor})
            self._products += 1
            if self._products == _PACKED_AFTER:
                self.pack()
        except Exception:  # noqa: BLE001 - errors of ONNX Runtime have no class in common; numpy is slower, but right
            products = np.matmul(query.astype(np.int32) - ZERO, factor, dtype=np.int32)
        return np.asarray(products[0])

    def pack(self) -> None:
        """Pack the matrix now, unless it is; where it cannot be packed it stays as it is."""
        numbers = self._factor
        if not isinstance(numbers, np.ndarray):
            return
        with suppress(Exception):  # errors of ONNX Runtime have no class in common
            packed = _load(_NODE + _write_field(7, _write_field(5, _write_matrix(numbers))))
            packed.run(None, {"a": np.full((1, len(numbers)), ZERO, np.uint8)})  # what cannot be multiplied is not kept
            self._factor = packed
            if self._is_full:
                self.numbers = np.empty((0, 0), np.int8)


def _load(model: bytes) -> onnxruntime.InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # memory is what limits it
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@cache
def _load_product() -> onnxruntime.InferenceSession:
    return _load(MODEL)


def _write_matrix(numbers: npt.NDArray[np.int8]) -> bytes:
    """The tensor "b" of signed numbers of 8 bits, as protocol buffers."""
    sizes = b"".join(b"\x08" + _write_number(size) for size in numbers.shape)
    return sizes + b"\x10\x03" + _write_field(8, b"b") + _write_field(9, numbers.tobytes())


def _write_field(number: int, content: bytes) -> bytes:
    return _write_number(number << 3 | 2) + _write_number(len(content)) + content


def _write_number(number: int) -> bytes:
    """A number in groups of seven bits, the lowest first; the highest bit of a byte says that another follows."""
    groups = [number >> shift & 0x7F for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])
