"""The contrast at every prefix of a vector (equations 3 to 5 of the paper).

What keeps prefixes like the whole vector: the same neighbours (equation 11) and the same geometry (12 to 14).

The temporal part of a vector: a projector over the tokens that state a time, and a contrast with it (8 to 10).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError

__all__ = [
    "Groups",
    "ProjectedTimes",
    "TemporalProjector",
    "cka",
    "cka_by_covariance",
    "cka_by_gram",
    "cka_loss",
    "distillation_loss",
    "info_nce",
    "matryoshka_loss",
    "project_times",
    "take_prefixes",
    "temporal_contrast",
]


@dataclass(frozen=True, slots=True)
class Groups:
    """Which candidates are whose: `owner` is the row of the anchor a candidate was drawn for, and `targets` the
    candidate that is right for each anchor.
    """

    owner: Tensor
    targets: Tensor

    def own(self) -> Tensor:
        """A row an anchor, a column a candidate: whether the one was drawn for the other."""
        rows = torch.arange(len(self.targets), device=self.owner.device)
        return self.owner.unsqueeze(0) == rows.unsqueeze(1)

    def to(self, device: torch.device | str) -> Groups:
        """The same groups on a device."""
        return Groups(self.owner.to(device, non_blocking=True), self.targets.to(device, non_blocking=True))


def take_prefixes(vectors: Tensor, dims: Sequence[int], *, normalise: bool = True) -> dict[int, Tensor]:
    """The first numbers of each vector, so many and so many, each part made of length 1 again.

    Without `normalise` the vectors of full width stay as they are, and scores by them are plain inner products.
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
    """The contrast at every prefix (equation 5): their mean or their sum, each with its weight, 1 unless given."""
    parts = [
        (1.0 if weights is None else weights[dim])
        * info_nce(anchors[dim], candidates[dim], groups, temperature, false_negatives)
        for dim in anchors
    ]
    total = torch.stack(parts).sum()
    return total / len(parts) if mean else total


#: So that texts that are all alike, whose centred vectors are zero, give no division by zero.
_EPSILON = 1e-12


def distillation_loss(
    vectors: Mapping[int, Tensor], top_k: int, *, include_self: bool = True, mean: bool = True
) -> Tensor:
    """How far the cosines of a prefix are from those of the whole vector, over the nearest texts of a batch.

    The whole vector is the teacher: no gradient goes through it, nor through who is near. With `mean` the sum of
    equation 11 is divided by the number of texts and of prefixes. A batch of no more than `top_k` texts tells nothing.
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
    """Linear centred kernel alignment of two sets of vectors of the same texts, from their inner products."""
    x, y = _centre(x), _centre(y)
    here, there = x @ x.T, y @ y.T
    return (here * there).sum() / (here.norm() * there.norm()).clamp(min=_EPSILON)


def cka_by_covariance(x: Tensor, y: Tensor) -> Tensor:
    """The same from their covariances, as equation 12 writes it."""
    x, y = _centre(x), _centre(y)
    return (x.T @ y).square().sum() / ((x.T @ x).norm() * (y.T @ y).norm()).clamp(min=_EPSILON)


def cka(x: Tensor, y: Tensor) -> Tensor:
    """The same by whichever way takes the smaller matrices: inner products of few texts, or covariances of many."""
    return cka_by_gram(x, y) if len(x) <= x.shape[1] else cka_by_covariance(x, y)


def cka_loss(vectors: Mapping[int, Tensor]) -> Tensor:
    """How far the geometry of each prefix is from that of the whole vector, summed over prefixes (equation 14).

    Unlike with neighbours, gradients go through the whole vector too.
    """
    width = max(vectors)
    parts = [1 - cka(vectors[width], part) for dim, part in vectors.items() if dim != width]
    return torch.stack(parts).sum() if parts else vectors[width].new_zeros(())


def _centre(x: Tensor) -> Tensor:
    return x - x.mean(dim=0, keepdim=True)


_ACTIVATIONS: Final[Mapping[str, Callable[[Tensor], Tensor]]] = {
    "gelu": functional.gelu,
    "gelu_new": lambda x: functional.gelu(x, approximate="tanh"),
    "gelu_pytorch_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "relu": functional.relu,
    "silu": functional.silu,
    "swish": functional.silu,
    "swiglu": functional.silu,
    "tanh": torch.tanh,
}
#: The most tokens of one time expression that are read.
TOKENS: Final = 16
#: What stands for no score at all, where minus infinity would make a softmax over nothing.
_NO_SCORE: Final = -1e4


class TemporalProjector(nn.Module):
    """From the state of a token to the temporal part: a layer, the backbone's activation, a norm, and a last layer."""

    def __init__(self, width: int, dims: int, activation: str = "gelu", eps: float = 1e-12) -> None:
        super().__init__()
        if activation not in _ACTIVATIONS:
            raise EpochalError(f"the activation is {activation!r}; accepted: {', '.join(_ACTIVATIONS)}")
        if not 1 <= dims <= width:
            raise EpochalError(f"temporal_dims is {dims}; accepted: 1 to {width}, the width of the backbone")
        self.dense = nn.Linear(width, dims)
        self.activation = activation
        self.norm = nn.LayerNorm(dims, eps=eps)
        self.out = nn.Linear(dims, dims, bias=False)

    @classmethod
    def like(cls, config: Any, dims: int) -> TemporalProjector:
        """One with the width, the activation and the norm that the configuration of a backbone tells."""
        activation = getattr(config, "hidden_act", getattr(config, "activation_function", "gelu"))
        eps: float = getattr(config, "layer_norm_eps", getattr(config, "layer_norm_epsilon", 1e-12))
        return cls(int(config.hidden_size), dims, str(activation), eps)

    def forward(self, states: Tensor) -> Tensor:
        """States of any number of tokens, projected."""
        made: Tensor = self.out(self.norm(_ACTIVATIONS[self.activation](self.dense(states))))
        return made


@dataclass(frozen=True, slots=True)
class ProjectedTimes:
    """What the time expressions of texts came to: `vectors` (texts, expressions, dims), and which of them are there."""

    vectors: Tensor
    there: Tensor

    @property
    def texts(self) -> Tensor:
        """Which texts have an expression at all."""
        return self.there.any(dim=1)

    def averaged(self) -> ProjectedTimes:
        """One vector a text, in which each of its expressions weighs the same."""
        kept = self.there.unsqueeze(-1).to(self.vectors.dtype)
        mean = (self.vectors * kept).sum(dim=1, keepdim=True) / kept.sum(dim=1, keepdim=True).clamp(min=1)
        return ProjectedTimes(mean, self.texts.unsqueeze(1))

    def scores(self, others: Tensor, temperature: float) -> Tensor:
        """The cosine of each text here (row) with each vector of others (column).

        Where a text has several expressions, each counts as much as the other vector is like it: a softmax over the
        expressions, at the temperature of the contrast, weighs their cosines.
        """
        unit = functional.normalize(self.vectors, dim=-1)
        every = torch.einsum("nst,mt->nsm", unit, functional.normalize(others, dim=-1))
        if every.shape[1] == 1:
            return every[:, 0]
        weights = (every / temperature).masked_fill(~self.there.unsqueeze(-1), _NO_SCORE).softmax(dim=1)
        return (weights * every).sum(dim=1)


def project_times(
    projector: Callable[[Tensor], Tensor],
    hidden: Tensor,
    spans: Tensor,
    first: Tensor | None = None,
    *,
    detach: bool = True,
) -> ProjectedTimes:
    """The mean of the projected tokens of each time expression (equations 8 and 9).

    `spans` (texts, expressions, 2) are the first token of each and the one after its last; -1 is no expression.
    `first`, one vector a text, counts as one more token of each expression: the pooled vector where that is the first
    token's. With `detach` no gradient goes back into the states.
    """
    texts, many, _ = spans.shape
    begin, end = spans[..., :1], spans[..., 1:]
    longest = min(TOKENS, hidden.shape[1])
    places = begin + torch.arange(longest, device=hidden.device)
    inside = (places < end) & (begin >= 0)
    picked = places.clamp(0, hidden.shape[1] - 1).reshape(texts, -1, 1).expand(-1, -1, hidden.shape[-1])
    states = hidden.gather(1, picked).reshape(texts, many, longest, -1)
    if first is not None:
        states = torch.cat([first[:, None, None].expand(-1, many, 1, -1), states], dim=2)
        inside = torch.cat([begin >= 0, inside], dim=2)
    states = states.float()
    made = projector(states.detach() if detach else states)
    kept = inside.unsqueeze(-1).to(made.dtype)
    return ProjectedTimes((made * kept).sum(dim=2) / kept.sum(dim=2).clamp(min=1), inside.any(dim=2))


def temporal_contrast(
    passages: Tensor,
    questions: Tensor,
    passage_times: ProjectedTimes,
    question_times: ProjectedTimes,
    groups: Groups,
    temperature: float,
) -> tuple[Tensor, Tensor]:
    """The contrast of the temporal part in both directions (equation 10): of passages' times against the first numbers
    of questions' vectors, and of the first numbers of passages' vectors against questions' times.

    `passages` and `questions` are vectors cut to the temporal part. A passage takes part if the question that it
    answers states a time and so does one at least that it does not answer; the questions of those passages that state
    a time are what it is told from. In the first direction the passage must state one too.
    """
    stated = question_times.texts
    own = groups.own()
    others = (own & stated).sum(dim=1) - stated[groups.targets].long()
    takes = stated[groups.targets] & (others > 0)
    kept = stated & takes[groups.owner]
    by_passage = passage_times.scores(questions, temperature)
    by_question = question_times.scores(passages, temperature).T
    return (
        _masked_contrast(by_passage, takes & passage_times.texts, kept, groups.targets, temperature),
        _masked_contrast(by_question, takes, kept, groups.targets, temperature),
    )


def _masked_contrast(scores: Tensor, rows: Tensor, columns: Tensor, targets: Tensor, temperature: float) -> Tensor:
    """The mean over some rows of the contrast among some columns; 0 where there is no such row.

    Nothing is picked out, only masked: the shapes stay known, and a GPU need not be waited for.
    """
    scores = (scores / temperature).masked_fill(~columns.unsqueeze(0), -torch.inf)
    scores = scores.masked_fill(~rows.unsqueeze(1), 0.0)
    each = functional.cross_entropy(scores, targets, reduction="none")
    weight = rows.to(each.dtype)
    return (each * weight).sum() / weight.sum().clamp(min=1)
