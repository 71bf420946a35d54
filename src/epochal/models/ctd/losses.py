"""Losses: contrast of questions and records with one positive or with all whose months overlap, and of times read."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["multi_positive_loss", "overlap_mask", "plain_contrast", "time_loss"]

#: Stands for a pair that is left out of a sum of exponentials; finite, so that no gradient is undefined.
_OUT = -1e9


def overlap_mask(first: Tensor, last: Tensor, record_first: Tensor, record_last: Tensor) -> Tensor:
    """Which record (column) has a month that a question (row) asks for; a row without any has its own record.

    >>> asked, told = (torch.tensor([0, 7]), torch.tensor([3, 8])), (torch.tensor([3, 4]), torch.tensor([3, 4]))
    >>> overlap_mask(*asked, *told).tolist()
    [[True, False], [False, True]]
    """
    mask = (first[:, None] <= record_last[None, :]) & (record_first[None, :] <= last[:, None])
    lonely = ~mask.any(dim=1)
    own = torch.eye(*mask.shape, dtype=torch.bool, device=mask.device)
    return mask | (own & lonely[:, None])


def multi_positive_loss(scores: Tensor, mask: Tensor, negatives: Tensor | None = None) -> Tensor:
    """Half the loss of questions over records and hard negatives, half that of records over questions.

    `scores` is B x B, and `negatives` holds the scores of each question with all hard negatives, which are never
    positive and stand on the questions' side only. A side's loss is the mean of -log(sum of positives / sum of all).

    >>> scores = torch.log(torch.tensor([[1.0, 1.0], [1.0, 3.0]]))
    >>> own = torch.eye(2, dtype=torch.bool)
    >>> round(multi_positive_loss(scores, own).item(), 4)  # (ln 2 + ln 4/3) / 2, the same from both sides
    0.4904
    """
    every = scores if negatives is None else torch.cat([scores, negatives], dim=1)
    return 0.5 * (_side(scores, mask, every) + _side(scores.T, _with_own(mask.T), scores.T))


def plain_contrast(scores: Tensor, negatives: Tensor | None = None) -> Tensor:
    """The usual symmetric contrast, in which only the record of its own row is right for a question.

    >>> round(plain_contrast(torch.zeros(4, 4)).item(), 4)  # ln 4
    1.3863
    """
    labels = torch.arange(len(scores), device=scores.device)
    every = scores if negatives is None else torch.cat([scores, negatives], dim=1)
    return 0.5 * (functional.cross_entropy(every, labels) + functional.cross_entropy(scores.T, labels))


def time_loss(logits: Sequence[Tensor], targets: Sequence[Tensor], weights: Tensor | None = None) -> Tensor:
    """The cross entropy of times read with what they should be: the mean over the parts, and over the texts.

    >>> uniform = torch.zeros(2, 4)
    >>> round(time_loss([uniform], [torch.full((2, 4), 0.25)]).item(), 4)  # ln 4
    1.3863
    """
    total = torch.zeros((), device=logits[0].device)
    for part, target in zip(logits, targets, strict=True):
        entropy = -(target * part.float().log_softmax(dim=-1)).sum(dim=-1)
        if weights is None:
            total = total + entropy.mean()
        else:
            total = total + (entropy * weights).sum() / weights.sum().clamp(min=1e-9)
    return total / len(logits)


def _side(scores: Tensor, mask: Tensor, every: Tensor) -> Tensor:
    right = scores.masked_fill(~mask, _OUT).logsumexp(dim=1)
    return (every.logsumexp(dim=1) - right).mean()


def _with_own(mask: Tensor) -> Tensor:
    """The mask from the records' side: a record that no question asks for is right for its own question."""
    lonely = ~mask.any(dim=1)
    return mask | (torch.eye(*mask.shape, dtype=torch.bool, device=mask.device) & lonely[:, None])
