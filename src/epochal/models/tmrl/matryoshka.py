"""The contrast at every prefix of a vector (equations 3 to 5 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from epochal.errors import EpochalError

__all__ = ["Groups", "info_nce", "matryoshka_loss", "prefixes"]


@dataclass(frozen=True, slots=True)
class Groups:
    """Which candidates are whose: `owner` is the row of the anchor a candidate was drawn for, and `targets` the
    candidate that is right for each anchor.

    >>> Groups(torch.tensor([0, 0, 1]), torch.tensor([0, 2])).own().tolist()
    [[True, True, False], [False, False, True]]
    """

    owner: Tensor
    targets: Tensor

    def own(self) -> Tensor:
        """A row an anchor, a column a candidate: whether the one was drawn for the other.

        >>> Groups(torch.tensor([0]), torch.tensor([0])).own().shape
        torch.Size([1, 1])
        """
        rows = torch.arange(len(self.targets), device=self.owner.device)
        return self.owner.unsqueeze(0) == rows.unsqueeze(1)

    def to(self, device: torch.device | str) -> Groups:
        """The same groups on a device.

        >>> Groups(torch.tensor([0]), torch.tensor([0])).to("cpu").owner.device.type
        'cpu'
        """
        return Groups(self.owner.to(device, non_blocking=True), self.targets.to(device, non_blocking=True))


def prefixes(vectors: Tensor, dims: Sequence[int], *, normalise: bool = True) -> dict[int, Tensor]:
    """The first numbers of each vector, so many and so many, each part made of length 1 again.

    Without `normalise` the vectors of full width stay as they are, and scores by them are plain inner products.

    >>> made = prefixes(torch.tensor([[3.0, 4.0, 12.0]]), [2, 3], normalise=False)
    >>> made[2].tolist(), made[3].tolist()
    ([[0.6000000238418579, 0.800000011920929]], [[3.0, 4.0, 12.0]])
    """
    width = vectors.shape[-1]
    found: dict[int, Tensor] = {}
    for dim in dims:
        if not 1 <= dim <= width:
            raise EpochalError(f"a prefix of {dim} numbers is asked of vectors of {width}; accepted: 1 to {width}")
        part = vectors[..., :dim]
        found[dim] = part if dim == width and not normalise else functional.normalize(part, dim=-1)
    return found


def info_nce(
    anchors: Tensor, candidates: Tensor, groups: Groups, temperature: float, false_negatives: float | None = None
) -> Tensor:
    """How surely each anchor tells its own right candidate from all others of the batch (equation 3), as a mean.

    With `false_negatives`, a candidate of another anchor that scores above that share of the right one is left out: it
    may well be right too. What was drawn for the anchor itself always stays.

    >>> anchors, candidates = torch.eye(2), torch.eye(2)
    >>> loss = info_nce(anchors, candidates, Groups(torch.tensor([0, 1]), torch.tensor([0, 1])), temperature=1.0)
    >>> round(loss.item(), 4)  # log(1 + e^-1)
    0.3133
    """
    scores = anchors @ candidates.T
    if false_negatives is not None:
        limit = false_negatives * scores.gather(1, groups.targets.unsqueeze(1))
        scores = scores.masked_fill((scores > limit) & ~groups.own(), -torch.inf)
    return functional.cross_entropy(scores / temperature, groups.targets)


def matryoshka_loss(
    anchors: Mapping[int, Tensor],
    candidates: Mapping[int, Tensor],
    groups: Groups,
    temperature: float,
    *,
    false_negatives: float | None = None,
    mean: bool = True,
    weights: Mapping[int, float] | None = None,
) -> Tensor:
    """The contrast at every prefix (equation 5): their mean or their sum, each with its weight, 1 unless given.

    >>> made = prefixes(torch.eye(2), [1, 2])
    >>> groups = Groups(torch.tensor([0, 1]), torch.tensor([0, 1]))
    >>> whole = matryoshka_loss(made, made, groups, 1.0, mean=False)
    >>> torch.allclose(whole, 2 * matryoshka_loss(made, made, groups, 1.0))
    True
    """
    parts = [
        (1.0 if weights is None else weights[dim])
        * info_nce(anchors[dim], candidates[dim], groups, temperature, false_negatives)
        for dim in anchors
    ]
    total = torch.stack(parts).sum()
    return total / len(parts) if mean else total
