"""What keeps prefixes like the whole vector: the same neighbours (equation 11) and the same geometry (12 to 14)."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["cka", "cka_by_covariance", "cka_by_gram", "cka_loss", "distillation"]

#: So that texts that are all alike, whose centred vectors are zero, give no division by zero.
_LEAST = 1e-12


def distillation(vectors: Mapping[int, Tensor], top_k: int, *, include_self: bool = True, mean: bool = True) -> Tensor:
    """How far the cosines of a prefix are from those of the whole vector, over the nearest texts of a batch.

    The whole vector is the teacher: no gradient goes through it, nor through who is near. With `mean` the sum of
    equation 11 is divided by the number of texts and of prefixes. A batch of no more than `top_k` texts tells nothing.

    >>> whole = torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> round(distillation({1: whole[:, :1], 2: whole}, top_k=1, include_self=False).item(), 4)
    0.431
    """
    width = max(vectors)
    whole = functional.normalize(vectors[width].detach(), dim=-1)
    smaller = [functional.normalize(part, dim=-1) for dim, part in vectors.items() if dim != width]
    count = len(whole)
    if not smaller or count <= top_k:
        return vectors[width].new_zeros(())
    teacher = whole @ whole.T
    if not include_self:
        teacher = teacher.masked_fill(torch.eye(count, dtype=torch.bool, device=whole.device), -torch.inf)
    near = teacher.topk(top_k, dim=1)
    told = torch.stack([((part @ part.T).gather(1, near.indices) - near.values).abs().sum() for part in smaller]).sum()
    return told / (count * len(smaller)) if mean else told


def cka_by_gram(x: Tensor, y: Tensor) -> Tensor:
    """Linear centred kernel alignment of two sets of vectors of the same texts, from their inner products.

    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> round(cka_by_gram(x, 3 * x + 1).item(), 4)
    1.0
    """
    x, y = _centred(x), _centred(y)
    here, there = x @ x.T, y @ y.T
    return (here * there).sum() / (here.norm() * there.norm()).clamp(min=_LEAST)


def cka_by_covariance(x: Tensor, y: Tensor) -> Tensor:
    """The same from their covariances, as equation 12 writes it.

    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> torch.allclose(cka_by_covariance(x, x[:, :1]), cka_by_gram(x, x[:, :1]))
    True
    """
    x, y = _centred(x), _centred(y)
    return (x.T @ y).square().sum() / ((x.T @ x).norm() * (y.T @ y).norm()).clamp(min=_LEAST)


def cka(x: Tensor, y: Tensor) -> Tensor:
    """The same by whichever way takes the smaller matrices: inner products of few texts, or covariances of many.

    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> round(cka(x, x).item(), 4)
    1.0
    """
    return cka_by_gram(x, y) if len(x) <= x.shape[1] else cka_by_covariance(x, y)


def cka_loss(vectors: Mapping[int, Tensor]) -> Tensor:
    """How far the geometry of each prefix is from that of the whole vector, summed over prefixes (equation 14).

    Unlike with neighbours, gradients go through the whole vector too.

    >>> whole = torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> cka_loss({2: whole}).item()
    0.0
    """
    width = max(vectors)
    parts = [1 - cka(vectors[width], part) for dim, part in vectors.items() if dim != width]
    return torch.stack(parts).sum() if parts else vectors[width].new_zeros(())


def _centred(x: Tensor) -> Tensor:
    return x - x.mean(dim=0, keepdim=True)
