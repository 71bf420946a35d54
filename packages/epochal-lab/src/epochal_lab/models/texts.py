"""Texts tokenized once before training, and assembled to batches by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from epochal_lab.models.backbone import Backbone, Batch

_BLOCK = 2048


@dataclass(frozen=True, slots=True)
class TokenizedTexts:
    """The tokens of all texts concatenated, with the start of each text; the last start is the end."""

    tokens: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    padding: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The number of tokens of each text."""
        return np.diff(self.starts)

    def row(self, row: int) -> npt.NDArray[np.int32]:
        return self.tokens[self.starts[row] : self.starts[row + 1]]

    def batch(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> Batch:
        """Return the texts of some rows, padded on the right."""
        selected = np.asarray(rows, dtype=np.int64)
        lengths = self.lengths[selected]
        columns = np.arange(int(lengths.max()))
        within = columns < lengths[:, None]
        offsets = np.minimum(self.starts[selected][:, None] + columns, len(self.tokens) - 1)
        ids = np.where(within, self.tokens[offsets], self.padding).astype(np.int64)
        return Batch(torch.from_numpy(ids), torch.from_numpy(within.astype(np.int64)), int(lengths.sum()))

    def select(self, rows: Sequence[int]) -> TokenizedTexts:
        """Return the texts of some rows."""
        parts = [self.row(row) for row in rows]
        return join_rows(parts, self.padding)


@dataclass(frozen=True, slots=True)
class CollectionTokens:
    """The tokenized questions and records of a collection."""

    questions: TokenizedTexts
    records: TokenizedTexts


def tokenize_texts(backbone: Backbone, texts: Sequence[str], max_length: int) -> TokenizedTexts:
    """Tokenize texts with a backbone, truncated to `max_length` tokens."""
    rows: list[npt.NDArray[np.int32]] = []
    for start in range(0, len(texts), _BLOCK):
        batch = backbone.tokenize(texts[start : start + _BLOCK], max_length)
        ids, mask = batch.ids.numpy().astype(np.int32), batch.mask.numpy().astype(bool)
        rows += [line[present] for line, present in zip(ids, mask, strict=True)]
    return join_rows(rows, backbone.padding)


def join_rows(rows: Sequence[npt.NDArray[np.int32]], padding: int) -> TokenizedTexts:
    """Concatenate rows of tokens."""
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return TokenizedTexts(np.concatenate(rows) if len(rows) else np.zeros(1, np.int32), starts, padding)
