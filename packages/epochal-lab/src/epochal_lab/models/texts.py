"""Texts as token numbers, made once before training and put together to batches by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from epochal_lab.models.backbone import Backbone, Batch

__all__ = ["CollectionTokens", "TokenizedTexts", "tokenize_texts"]

_BLOCK = 2048


@dataclass(frozen=True, slots=True)
class TokenizedTexts:
    """All tokens of all texts in one line, and where each text begins; the last start is the end of all."""

    tokens: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    padding: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """How many tokens each text has."""
        return np.diff(self.starts)

    def row(self, row: int) -> npt.NDArray[np.int32]:
        """The tokens of one text."""
        return self.tokens[self.starts[row] : self.starts[row + 1]]

    def batch(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> Batch:
        """Some texts, padded on the right to the longest of them."""
        chosen = np.asarray(rows, dtype=np.int64)
        lengths = self.lengths[chosen]
        places = np.arange(int(lengths.max()))
        within = places < lengths[:, None]
        spots = np.minimum(self.starts[chosen][:, None] + places, len(self.tokens) - 1)
        ids = np.where(within, self.tokens[spots], self.padding).astype(np.int64)
        return Batch(torch.from_numpy(ids), torch.from_numpy(within.astype(np.int64)), int(lengths.sum()))

    def kept(self, rows: Sequence[int]) -> TokenizedTexts:
        """The texts of some rows only."""
        parts = [self.row(row) for row in rows]
        return join_rows(parts, self.padding)


@dataclass(frozen=True, slots=True)
class CollectionTokens:
    """The questions and the records of a collection as tokens."""

    questions: TokenizedTexts
    records: TokenizedTexts


def tokenize_texts(backbone: Backbone, texts: Sequence[str], max_length: int) -> TokenizedTexts:
    """Texts as a backbone's tokenizer makes them, cut to `max_length` tokens."""
    rows: list[npt.NDArray[np.int32]] = []
    for start in range(0, len(texts), _BLOCK):
        made = backbone.tokenize(texts[start : start + _BLOCK], max_length)
        ids, mask = made.ids.numpy().astype(np.int32), made.mask.numpy().astype(bool)
        rows += [line[kept] for line, kept in zip(ids, mask, strict=True)]
    return join_rows(rows, backbone.padding)


def join_rows(rows: Sequence[npt.NDArray[np.int32]], padding: int) -> TokenizedTexts:
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return TokenizedTexts(np.concatenate(rows) if len(rows) else np.zeros(1, np.int32), starts, padding)
