"""A wide part beside the deep one: the runs of one to three tokens that a text has, each with a vector of its own.

Who did what is told by rare pairs and triples of characters, the names of people and places. A small transformer that
is tuned on a few thousand records forgets or blurs them; a table keeps each one by itself, as linear models over
n-grams do. Runs are hashed, so that the table has one size whatever the texts hold.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn

from epochal.errors import EpochalError

__all__ = ["Ngrams", "hashed_runs"]

#: Odd multipliers of 31 bits, one a place in a run, and one more a length: runs of different lengths never share a sum.
_FACTORS: Final = (0x2C1B3C6D, 0x297A2D39, 0x5BD1E995, 0x1B873593)
_LONGEST: Final = 3


def hashed_runs(ids: Tensor, mask: Tensor, buckets: int) -> tuple[Tensor, Tensor]:
    """The bucket of each run of 1, 2 and 3 tokens, and whether the run lies within the text; both B x (3L - 3).

    Bucket 0 is for none. The first and the last token of a text (of the transformer's own making) are in no run of one.

    >>> buckets, there = hashed_runs(torch.tensor([[2, 7, 8, 3, 0]]), torch.tensor([[1, 1, 1, 1, 0]]), 1000)
    >>> there.sum().item(), bool((buckets[there] > 0).all())  # 7, 8; 2-7, 7-8, 8-3; 2-7-8, 7-8-3
    (7, True)
    """
    if buckets < 2:
        raise EpochalError(f"a table of {buckets} buckets; accepted: a whole number from 2")
    length = ids.shape[1]
    found, there = [], []
    for size in range(1, min(_LONGEST, length) + 1):
        starts = length - size + 1
        total = torch.full_like(ids[:, :starts], size) * _FACTORS[_LONGEST]
        for place in range(size):
            total = total + ids[:, place : place + starts] * _FACTORS[place]
        mixed = (total ^ (total >> 15)) * _FACTORS[1]
        mixed = (mixed ^ (mixed >> 17)) & 0x7FFFFFFF
        inside = mask[:, size - 1 :].bool()
        if size == 1:
            inside = inside.clone()
            inside[:, 0] = False
            inside &= torch.cat([mask[:, 1:], torch.zeros_like(mask[:, :1])], dim=1).bool()
        found.append(1 + mixed % (buckets - 1))
        there.append(inside)
    return torch.cat(found, dim=1) * torch.cat(there, dim=1), torch.cat(there, dim=1)


class Ngrams(nn.Module):
    """The sum of the vectors of a text's runs, divided by the root of how many there are.

    Vectors begin at zero, so that a run that training never meets says nothing ever. `dropout` leaves runs out in
    training, so that a text is not read by one of them alone.

    >>> wide = Ngrams(1000, 4)
    >>> wide(torch.tensor([[2, 7, 3]]), torch.ones(1, 3).long()).tolist()
    [[0.0, 0.0, 0.0, 0.0]]
    """

    def __init__(self, buckets: int, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        if not 0 <= dropout < 1:
            raise EpochalError(f"the dropout of runs is {dropout}; accepted: a number from 0 up to 1, not 1")
        self.buckets = buckets
        self.dropout = dropout
        self.table = nn.EmbeddingBag(buckets, width, mode="sum", padding_idx=0)
        nn.init.zeros_(self.table.weight)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """One vector a text.

        >>> Ngrams(1000, 4)(torch.tensor([[2, 7, 3], [2, 3, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]])).shape
        torch.Size([2, 4])
        """
        runs, there = hashed_runs(ids, mask, self.buckets)
        if self.training and self.dropout:
            runs = runs * (torch.rand(runs.shape, device=runs.device) >= self.dropout)
        count = there.sum(dim=1, keepdim=True).clamp(min=1)
        summed: Tensor = self.table(runs) / count.sqrt()
        return summed
