"""Passages as one tensor of ids on the device, and the rows that a batch takes from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from epochal.errors import EpochalError
from epochal.models.annals.vocabulary import SPECIAL, Vocabulary
from epochal.models.training.seeds import generator

__all__ = ["PIECE", "Passages", "framed", "full_batches", "pieces"]

#: Characters of a short piece: 64 positions less [CLS] and [SEP].
PIECE: Final = 62
_START: Final = SPECIAL.index("[CLS]")
_END: Final = SPECIAL.index("[SEP]")
#: Widths are multiples of this, so that few shapes of batches come up and each is compiled once.
_STEP: Final = 64
#: Batches among which passages of like length are sought.
_POOL: Final = 32
#: What the split into passages to learn from and passages to measure on is drawn by, whatever the seed of a run.
_SPLIT: Final = 20


class Passages:
    """Ids of passages, padded with zeros, without [CLS] and [SEP]; some of them held out.

    >>> found = Passages(["元年春，王正月。"] * 10, Vocabulary.of(["元年春，王正月。"], 1), held_out=0.2)
    >>> len(found.training), len(found.measured), found.characters
    (8, 2, 64)
    """

    def __init__(self, texts: Sequence[str], vocabulary: Vocabulary, held_out: float, longest: int = 254) -> None:
        if len(texts) < 2:
            raise EpochalError(f"there are {len(texts)} passages; training needs 2 or more, to hold one out")
        self._ids = torch.from_numpy(vocabulary.rows(texts, longest))
        self.lengths = np.array([min(len(text), longest) for text in texts])
        order = generator(_SPLIT).permutation(len(texts))
        count = min(max(1, round(held_out * len(texts))), len(texts) - 1)
        self.measured: npt.NDArray[np.int64] = np.sort(order[:count])
        self.training: npt.NDArray[np.int64] = np.sort(order[count:])

    @property
    def characters(self) -> int:
        """How many characters there are to learn from.

        >>> Passages(["春秋"] * 4, Vocabulary(("春", "秋")), held_out=0.25).characters
        6
        """
        return int(self.lengths[self.training].sum())

    def rows(self, numbers: Tensor) -> Tensor:
        """The ids of passages by their numbers, which lie on the device; the table follows them there once.

        >>> Passages(["春秋", "春"], Vocabulary(("春", "秋")), 0.5).rows(torch.tensor([1]))[:, :3].tolist()
        [[5, 0, 0]]
        """
        if self._ids.device != numbers.device:
            self._ids = self._ids.to(numbers.device)
        return self._ids[numbers].long()


def full_batches(
    numbers: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], size: int, draw: np.random.Generator
) -> Iterator[npt.NDArray[np.int64]]:
    """Numbers in random order, in batches of exactly `size` with passages of like length; what is left over waits.

    Where there are fewer numbers than a batch holds, all of them are one.

    >>> import numpy as np
    >>> draw = np.random.default_rng(0)
    >>> [len(batch) for batch in full_batches(np.arange(7), np.ones(7), 3, draw)]
    [3, 3]
    """
    order = draw.permutation(numbers)
    if len(order) <= size:
        yield order
        return
    order = order[: len(order) // size * size]
    batches = []
    for first in range(0, len(order), size * _POOL):
        pool = order[first : first + size * _POOL]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[begin : begin + size] for begin in range(0, len(pool), size)]
    for place in draw.permutation(len(batches)):
        yield batches[place]


def framed(content: Tensor, width: int | None = None) -> Tensor:
    """Rows of characters between [CLS] and [SEP], padded to a multiple of 64, or to a width.

    >>> framed(torch.tensor([[7, 8, 0], [9, 0, 0]]), 5).tolist()
    [[2, 7, 8, 3, 0], [2, 9, 3, 0, 0]]
    """
    longest = content.shape[1]
    wide = width or -(-(longest + 2) // _STEP) * _STEP
    found = content.new_zeros(len(content), wide)
    found[:, 0] = _START
    found[:, 1 : longest + 1] = content
    ends = (content != 0).sum(dim=1, keepdim=True) + 1
    return found.scatter_(1, ends, _END)


def pieces(content: Tensor, offset: int) -> Tensor:
    """Rows cut in pieces of `PIECE` characters, from a place on; what is left over at the end is dropped.

    >>> tuple(pieces(torch.ones(3, 254, dtype=torch.long), 5).shape)
    (12, 62)
    """
    count = (content.shape[1] - offset) // PIECE
    return content[:, offset : offset + count * PIECE].reshape(-1, PIECE)
