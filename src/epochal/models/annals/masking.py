"""Which characters are covered up, and by what: drawn on the device, for a whole batch at once."""

from __future__ import annotations

from typing import Final, NamedTuple

import torch
from torch import Tensor

from epochal.models.annals.vocabulary import SPECIAL

__all__ = ["IGNORED", "Masked", "chosen_places", "masked"]

#: The label of a character that is not to be guessed.
IGNORED: Final = -100
#: Spans are no longer than this, whatever is drawn.
_LONGEST: Final = 10
_MASK: Final = SPECIAL.index("[MASK]")
#: Of the characters to be guessed, so many are covered, and so many replaced by another; the rest stay as they are.
_COVERED: Final = 0.8
_REPLACED: Final = 0.1


class Masked(NamedTuple):
    """What the model reads, and what it has to guess (`IGNORED` elsewhere).

    >>> Masked(torch.zeros(1, 2), torch.full((1, 2), IGNORED)).labels.tolist()
    [[-100, -100]]
    """

    inputs: Tensor
    labels: Tensor


def masked(ids: Tensor, vocabulary: int, generator: torch.Generator, rate: float = 0.15, span: float = 1.0) -> Masked:
    """Ids with some of them covered: 80 % by [MASK], 10 % by any character, 10 % left; special ones never.

    >>> ids = torch.arange(5, 105).repeat(100, 1)
    >>> found = masked(ids, 200, torch.Generator().manual_seed(1))
    >>> round((found.labels != IGNORED).float().mean().item(), 2)
    0.15
    """
    guessed = chosen_places(ids.shape, generator, rate, span) & (ids >= len(SPECIAL))
    how = torch.rand(ids.shape, generator=generator, device=generator.device)
    others = torch.randint(len(SPECIAL), vocabulary, ids.shape, generator=generator, device=generator.device)
    inputs = torch.where(guessed & (how < _COVERED), _MASK, ids)
    inputs = torch.where(guessed & (how >= _COVERED) & (how < _COVERED + _REPLACED), others.to(ids.dtype), inputs)
    return Masked(inputs, torch.where(guessed, ids, IGNORED))


def chosen_places(shape: torch.Size, generator: torch.Generator, rate: float, span: float) -> Tensor:
    """Places of a (rows, width) that are drawn: each with probability `rate`, in spans of `span` on average.

    Lengths of spans are geometric; spans that overlap run together.

    >>> chosen_places(torch.Size([2, 3]), torch.Generator().manual_seed(0), 0.5, 1.0).dtype
    torch.bool
    """
    rows, width = shape
    device = generator.device
    if span <= 1:
        return torch.rand(rows, width, generator=generator, device=device) < rate
    # Spans may begin before the row, so that its first places are as likely as all others.
    wide = width + _LONGEST - 1
    begins = torch.rand(rows, wide, generator=generator, device=device) < _start_rate(rate, span)
    # A length exceeds k with probability (1 - 1 / span) ** k: one draw decides for all k.
    draws = torch.rand(rows, wide, generator=generator, device=device)
    found = torch.zeros(rows, width, dtype=torch.bool, device=device)
    for further in range(_LONGEST):
        reaching = begins & (draws < (1 - 1 / span) ** further)
        first = _LONGEST - 1 - further
        found |= reaching[:, first : first + width]
    return found


def _start_rate(rate: float, span: float) -> float:
    """How likely a span must begin at a place for `rate` of all places to be covered: found by bisection."""
    reach = [(1 - 1 / span) ** further for further in range(_LONGEST)]
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        free = 1.0
        for share in reach:
            free *= 1 - middle * share
        low, high = (middle, high) if 1 - free < rate else (low, middle)
    return low
