"""The losses of TMRL: contrast of prefixes (equations 3 to 5), temporal part (8 to 10), structure (11 to 14)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError

#: Avoids a division by zero for identical texts, whose centred vectors are zero.
_EPSILON = 1e-12
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
#: The maximum number of tokens of a time expression.
TOKENS: Final = 16
#: The score of a missing expression: minus infinity would give a softmax over nothing.
_NO_SCORE: Final = -1e4


@dataclass(frozen=True, slots=True)
class Groups:
    """`owner` is the anchor that each candidate was sampled for, and `targets` the right candidate of each anchor."""

    owner: Tensor
    targets: Tensor

    def build_own_mask(self) -> Tensor:
        """Return a mask of anchors (rows) and candidates (columns): which candidate was sampled for which anchor."""
        rows = torch.arange(len(self.targets), device=self.owner.device)
        return self.owner.unsqueeze(0) == rows.unsqueeze(1)

    def to(self, device: torch.device | str) -> Groups:
        return Groups(self.owner.to(device, non_blocking=True), self.targets.to(device, non_blocking=True))


def take_prefixes(vectors: Tensor, dims: Sequence[int], *, normalise: bool = True) -> dict[int, Tensor]:
    """Return the first dimensions of vectors for each of `dims`, normalised.

    Without `normalise` vectors of full width stay as they are, and their scores are plain inner products.
    """
    width = vectors.shape[-1]
    prefixes: dict[int, Tensor] = {}
    for dim in dims:
        if not 1 <= dim <= width:
            raise EpochalError(f"the prefix has {dim} dimensions, the vectors {width}; accepted: 1 to {width}")
        part = vectors[..., :dim]
        prefixes[dim] = part if dim == width and not normalise else functional.normalize(part, dim=-1)
    return prefixes


def info_nce(
    anchors: Tensor, candidates: Tensor, groups: Groups, temperature: float, false_negatives: float | None = None
) -> Tensor:
    """The mean cross-entropy of each anchor's right candidate among all of the batch (equation 3).

    With `false_negatives`, a candidate of another anchor that scores above that share of the right one is masked: it
    may be right too. An anchor's own candidates are never masked.
    """
    scores = anchors @ candidates.T
    if false_negatives is not None:
        limit = false_negatives * scores.gather(1, groups.targets.unsqueeze(1))
        scores = scores.masked_fill((scores > limit) & ~groups.build_own_mask(), -torch.inf)
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
    """InfoNCE at every prefix (equation 5): the mean or sum, each with its weight (default 1)."""
    parts = [
        (1.0 if weights is None else weights[dim])
        * info_nce(anchors[dim], candidates[dim], groups, temperature, false_negatives)
        for dim in anchors
    ]
    total = torch.stack(parts).sum()
    return total / len(parts) if mean else total


def distillation_loss(
    vectors: Mapping[int, Tensor], top_k: int, *, include_self: bool = True, mean: bool = True
) -> Tensor:
    """The difference of a prefix's cosines from those of the whole vector, over the nearest texts of a batch.

    The whole vector is the teacher: no gradient flows through it or the choice of neighbours. With `mean` the sum of
    equation 11 is divided by the number of texts and of prefixes. A batch of at most `top_k` texts gives 0.
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
    total = torch.stack([((part @ part.T).gather(1, near.indices) - near.values).abs().sum() for part in smaller]).sum()
    return total / (count * len(smaller)) if mean else total


def cka_by_gram(x: Tensor, y: Tensor) -> Tensor:
    """Linear centred kernel alignment of two sets of vectors of the same texts, from Gram matrices."""
    x, y = _subtract_mean(x), _subtract_mean(y)
    here, there = x @ x.T, y @ y.T
    return (here * there).sum() / (here.norm() * there.norm()).clamp(min=_EPSILON)


def cka_by_covariance(x: Tensor, y: Tensor) -> Tensor:
    """The same from covariances, as in equation 12."""
    x, y = _subtract_mean(x), _subtract_mean(y)
    return (x.T @ y).square().sum() / ((x.T @ x).norm() * (y.T @ y).norm()).clamp(min=_EPSILON)


def cka(x: Tensor, y: Tensor) -> Tensor:
    """The same by whichever way has the smaller matrices."""
    return cka_by_gram(x, y) if len(x) <= x.shape[1] else cka_by_covariance(x, y)


def cka_loss(vectors: Mapping[int, Tensor]) -> Tensor:
    """1 - CKA of each prefix with the whole vector, summed over prefixes (equation 14).

    Unlike in distillation, gradients flow through the whole vector too.
    """
    width = max(vectors)
    parts = [1 - cka(vectors[width], part) for dim, part in vectors.items() if dim != width]
    return torch.stack(parts).sum() if parts else vectors[width].new_zeros(())


def _subtract_mean(x: Tensor) -> Tensor:
    return x - x.mean(dim=0, keepdim=True)


class TemporalProjector(nn.Module):
    """Projects token states to the temporal part: a layer, the backbone's activation, a norm, and a last layer."""

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
    def from_config(cls, config: Any, dims: int) -> TemporalProjector:
        """Build a projector with the width, activation and norm of a backbone's configuration."""
        activation = getattr(config, "hidden_act", getattr(config, "activation_function", "gelu"))
        eps: float = getattr(config, "layer_norm_eps", getattr(config, "layer_norm_epsilon", 1e-12))
        return cls(int(config.hidden_size), dims, str(activation), eps)

    def forward(self, states: Tensor) -> Tensor:
        projected: Tensor = self.out(self.norm(_ACTIVATIONS[self.activation](self.dense(states))))
        return projected


@dataclass(frozen=True, slots=True)
class ProjectedTimes:
    """The projected time expressions of texts: `vectors` (texts, expressions, dims), and which of them are present."""

    vectors: Tensor
    present: Tensor

    @property
    def texts(self) -> Tensor:
        """Which texts have any expression."""
        return self.present.any(dim=1)

    def average(self) -> ProjectedTimes:
        """Average the expressions of each text."""
        weights = self.present.unsqueeze(-1).to(self.vectors.dtype)
        mean = (self.vectors * weights).sum(dim=1, keepdim=True) / weights.sum(dim=1, keepdim=True).clamp(min=1)
        return ProjectedTimes(mean, self.texts.unsqueeze(1))

    def compute_scores(self, others: Tensor, temperature: float) -> Tensor:
        """Return the cosine of each text (row) with each vector of others (column).

        If a text has several expressions, their cosines are averaged with softmax weights, at the temperature of the
        contrast.
        """
        unit = functional.normalize(self.vectors, dim=-1)
        every = torch.einsum("nst,mt->nsm", unit, functional.normalize(others, dim=-1))
        if every.shape[1] == 1:
            return every[:, 0]
        weights = (every / temperature).masked_fill(~self.present.unsqueeze(-1), _NO_SCORE).softmax(dim=1)
        return (weights * every).sum(dim=1)


def project_times(
    projector: Callable[[Tensor], Tensor],
    hidden: Tensor,
    spans: Tensor,
    first: Tensor | None = None,
    *,
    detach: bool = True,
) -> ProjectedTimes:
    """Return the mean of the projected tokens of each time expression (equations 8 and 9).

    `spans` (texts, expressions, 2) are the first token of each and the one after its last; -1 is no expression.
    `first`, one vector per text, counts as one more token of each expression: the pooled vector if that is the first
    token's. With `detach` no gradient flows into the states.
    """
    texts, many, _ = spans.shape
    begin, end = spans[..., :1], spans[..., 1:]
    longest = min(TOKENS, hidden.shape[1])
    positions = begin + torch.arange(longest, device=hidden.device)
    inside = (positions < end) & (begin >= 0)
    picked = positions.clamp(0, hidden.shape[1] - 1).reshape(texts, -1, 1).expand(-1, -1, hidden.shape[-1])
    states = hidden.gather(1, picked).reshape(texts, many, longest, -1)
    if first is not None:
        states = torch.cat([first[:, None, None].expand(-1, many, 1, -1), states], dim=2)
        inside = torch.cat([begin >= 0, inside], dim=2)
    states = states.float()
    projected = projector(states.detach() if detach else states)
    weights = inside.unsqueeze(-1).to(projected.dtype)
    return ProjectedTimes((projected * weights).sum(dim=2) / weights.sum(dim=2).clamp(min=1), inside.any(dim=2))


def temporal_contrast(
    passages: Tensor,
    questions: Tensor,
    passage_times: ProjectedTimes,
    question_times: ProjectedTimes,
    groups: Groups,
    temperature: float,
) -> tuple[Tensor, Tensor]:
    """The contrast of the temporal part in both directions (equation 10): passages' times against the first dimensions
    of questions' vectors, and the first dimensions of passages' vectors against questions' times.

    `passages` and `questions` are vectors truncated to the temporal part. A passage takes part if the question that it
    answers states a time and at least one of its negatives does; the candidates are the questions of such passages that
    state a time. In the first direction the passage must state one too.
    """
    stated = question_times.texts
    own = groups.build_own_mask()
    others = (own & stated).sum(dim=1) - stated[groups.targets].long()
    takes = stated[groups.targets] & (others > 0)
    columns = stated & takes[groups.owner]
    by_passage = passage_times.compute_scores(questions, temperature)
    by_question = question_times.compute_scores(passages, temperature).T
    return (
        _compute_masked_contrast(by_passage, takes & passage_times.texts, columns, groups.targets, temperature),
        _compute_masked_contrast(by_question, takes, columns, groups.targets, temperature),
    )


def _compute_masked_contrast(
    scores: Tensor, rows: Tensor, columns: Tensor, targets: Tensor, temperature: float
) -> Tensor:
    """The mean cross-entropy over some rows among some columns; 0 without rows.

    Rows and columns are masked, not selected: shapes stay static, and the GPU need not synchronise.
    """
    scores = (scores / temperature).masked_fill(~columns.unsqueeze(0), -torch.inf)
    scores = scores.masked_fill(~rows.unsqueeze(1), 0.0)
    each = functional.cross_entropy(scores, targets, reduction="none")
    weight = rows.to(each.dtype)
    return (each * weight).sum() / weight.sum().clamp(min=1)
