"""A wide part beside the deep one: the runs of one to three tokens that a text has, each with numbers of its own.

Who did what is told by rare pairs and triples of characters, the names of people and places. A small transformer that
is tuned on a few thousand records blurs them; a table keeps each one by itself, as linear models over n-grams do. Only
runs that several training texts share are kept: one that a single text has can do nothing but learn it by heart, and
then nothing else of that text is learned.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from epochal.errors import EpochalError
from epochal.ranking.dating.runs import BASE, LENGTH, LONGEST

__all__ = ["Ngrams", "of_one_length", "runs_of"]


def runs_of(ids: Tensor, mask: Tensor) -> Tensor:
    """The runs of 1, 2 and 3 tokens of texts that are padded on the right, as numbers; 0 where there is none.

    The first and the last token of a text, which the tokenizer adds, are in no run of one.

    >>> found = runs_of(torch.tensor([[2, 7, 8, 3, 0]]), torch.tensor([[1, 1, 1, 1, 0]]))
    >>> (found > 0).sum().item()  # 7, 8; 2-7, 7-8, 8-3; 2-7-8, 7-8-3
    7
    """
    if ids.numel() and int(ids.max()) >= BASE - 1:
        raise EpochalError(f"a token has the number {int(ids.max())}; accepted: below {BASE - 1:,}")
    length = ids.shape[1]
    found = []
    for size in range(1, min(LONGEST, length) + 1):
        starts = length - size + 1
        total = torch.zeros_like(ids[:, :starts])
        for place in range(size):
            total = total * BASE + ids[:, place : place + starts] + 1
        inside = mask[:, size - 1 :].bool()
        if size == 1:
            last = torch.cat([mask[:, 1:], torch.zeros_like(mask[:, :1])], dim=1).bool()
            inside = inside & last
            inside[:, 0] = False
        found.append(total * inside)
    return torch.cat(found, dim=1)


class Ngrams(nn.Module):
    """What the known runs of a text add up to, each weighed by its rarity, where a text's weights have one length.

    `most` runs are known at most. Which they are is learned from texts before training (`know`); the table begins at
    zero, so that a model without is the same as one with it. `dropout` leaves runs out in training.

    >>> wide = Ngrams(100, 4)
    >>> texts = torch.tensor([[2, 7, 8, 3], [2, 7, 9, 3]])
    >>> wide.know([texts[0].numpy(), texts[1].numpy()], least=2), wide(texts, torch.ones_like(texts)).shape
    (2, torch.Size([2, 4]))
    """

    keys: Tensor
    rarity: Tensor

    def __init__(self, most: int, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        if most < 2:
            raise EpochalError(f"a table of {most} runs; accepted: a whole number from 2")
        if not 0 <= dropout < 1:
            raise EpochalError(f"the dropout of runs is {dropout}; accepted: a number from 0 up to 1, not 1")
        self.most = most
        self.dropout = dropout
        self.register_buffer("keys", torch.full((most,), torch.iinfo(torch.long).max))
        self.register_buffer("rarity", torch.zeros(most))
        self.table = nn.EmbeddingBag(most, width, mode="sum")
        nn.init.zeros_(self.table.weight)

    def know(self, texts: Sequence[npt.NDArray[np.integer]], least: int = 3) -> int:
        """Keep the runs that `least` texts or more have, the most frequent first; the count of runs kept.

        >>> Ngrams(100, 4).know([np.array([2, 7, 3]), np.array([2, 7, 3]), np.array([2, 8, 3])], least=2)
        4
        """
        seen = []
        for text in texts:
            ids = torch.as_tensor(np.asarray(text, dtype=np.int64))[None]
            runs = runs_of(ids, torch.ones_like(ids)).unique()
            seen.append(runs[runs > 0].numpy())
        keys, counts = np.unique(np.concatenate(seen), return_counts=True) if seen else (np.empty(0), np.empty(0))
        order = np.argsort(-counts, kind="stable")[: self.most]
        order = np.sort(order[counts[order] >= least])
        self.keys[: len(order)] = torch.from_numpy(keys[order].astype(np.int64))
        self.keys[len(order) :] = torch.iinfo(torch.long).max
        rarity = np.log((1 + len(texts)) / (1 + counts[order])) + 1
        self.rarity[: len(order)] = torch.from_numpy(rarity.astype(np.float32))
        return len(order)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """One row a text; rows of texts without a known run are zero.

        >>> Ngrams(100, 4)(torch.tensor([[2, 7, 3], [2, 3, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]])).tolist()
        [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
        """
        places, weights = self.found(ids, mask)
        if self.training and self.dropout:
            weights = weights * (torch.rand(weights.shape, device=weights.device) >= self.dropout)
        # Most places are padding or runs that are not known: leaving them out is ten times less to add up.
        known = weights > 0
        counts = known.sum(dim=1)
        summed: Tensor = self.table(
            places[known], counts.cumsum(0) - counts, per_sample_weights=of_one_length(weights)[known]
        )
        return summed

    def found(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The rows of the table that texts have, and how rare they are; 0 where a run is not known.

        >>> wide = Ngrams(4, 2)
        >>> _ = wide.know([np.array([2, 7, 3])] * 3)
        >>> wide.found(torch.tensor([[2, 7, 3], [2, 8, 3]]), torch.ones(2, 3).long())[1].count_nonzero(dim=1).tolist()
        [4, 0]
        """
        runs = runs_of(ids, mask)
        places = torch.searchsorted(self.keys, runs).clamp(max=self.most - 1)
        return places, torch.where((self.keys[places] == runs) & (runs > 0), self.rarity[places], 0.0)


def of_one_length(weights: Tensor) -> Tensor:
    """Rows brought to one length, whatever a text's own is; rows of zeros stay.

    >>> of_one_length(torch.tensor([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[6.0, 8.0], [0.0, 0.0]]
    """
    return LENGTH * weights / weights.square().sum(dim=1, keepdim=True).sqrt().clamp(min=1e-6)
