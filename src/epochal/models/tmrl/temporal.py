"""The temporal part of a vector: a projector over the tokens that state a time, and a contrast with it (8 to 10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError
from epochal.models.tmrl.matryoshka import Groups

__all__ = ["Projected", "TemporalProjector", "project", "temporal_contrast"]

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
_NONE: Final = -1e4


class TemporalProjector(nn.Module):
    """From the state of a token to the temporal part: a layer, the backbone's activation, a norm, and a last layer.

    >>> TemporalProjector(8, 4)(torch.ones(2, 3, 8)).shape
    torch.Size([2, 3, 4])
    """

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
        """One with the width, the activation and the norm that the configuration of a backbone tells.

        >>> from epochal.models.backbone import Backbone
        >>> TemporalProjector.like(Backbone.tiny(["rain"]).model.config, 4).activation
        'gelu'
        """
        activation = getattr(config, "hidden_act", getattr(config, "activation_function", "gelu"))
        eps: float = getattr(config, "layer_norm_eps", getattr(config, "layer_norm_epsilon", 1e-12))
        return cls(int(config.hidden_size), dims, str(activation), eps)

    def forward(self, states: Tensor) -> Tensor:
        """States of any number of tokens, projected.

        >>> TemporalProjector(8, 4)(torch.ones(8)).shape
        torch.Size([4])
        """
        made: Tensor = self.out(self.norm(_ACTIVATIONS[self.activation](self.dense(states))))
        return made


@dataclass(frozen=True, slots=True)
class Projected:
    """What the time expressions of texts came to: `vectors` (texts, expressions, dims), and which of them are there.

    >>> Projected(torch.ones(2, 1, 4), torch.tensor([[True], [False]])).texts.tolist()
    [True, False]
    """

    vectors: Tensor
    there: Tensor

    @property
    def texts(self) -> Tensor:
        """Which texts have an expression at all.

        >>> Projected(torch.ones(1, 2, 4), torch.tensor([[True, False]])).texts.tolist()
        [True]
        """
        return self.there.any(dim=1)

    def averaged(self) -> Projected:
        """One vector a text, in which each of its expressions weighs the same.

        >>> made = Projected(torch.tensor([[[1.0], [3.0], [9.0]]]), torch.tensor([[True, True, False]])).averaged()
        >>> made.vectors.tolist(), made.there.tolist()
        ([[[2.0]]], [[True]])
        """
        kept = self.there.unsqueeze(-1).to(self.vectors.dtype)
        mean = (self.vectors * kept).sum(dim=1, keepdim=True) / kept.sum(dim=1, keepdim=True).clamp(min=1)
        return Projected(mean, self.texts.unsqueeze(1))

    def scores(self, others: Tensor, temperature: float) -> Tensor:
        """The cosine of each text here (row) with each vector of others (column).

        Where a text has several expressions, each counts as much as the other vector is like it: a softmax over the
        expressions, at the temperature of the contrast, weighs their cosines.

        >>> made = Projected(torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]), torch.tensor([[True, True]]))
        >>> made.scores(torch.tensor([[0.0, 2.0]]), temperature=0.01).tolist()
        [[1.0]]
        """
        unit = functional.normalize(self.vectors, dim=-1)
        every = torch.einsum("nst,mt->nsm", unit, functional.normalize(others, dim=-1))
        if every.shape[1] == 1:
            return every[:, 0]
        weights = (every / temperature).masked_fill(~self.there.unsqueeze(-1), _NONE).softmax(dim=1)
        return (weights * every).sum(dim=1)


def project(
    projector: Callable[[Tensor], Tensor],
    hidden: Tensor,
    spans: Tensor,
    first: Tensor | None = None,
    *,
    detach: bool = True,
) -> Projected:
    """The mean of the projected tokens of each time expression (equations 8 and 9).

    `spans` (texts, expressions, 2) are the first token of each and the one after its last; -1 is no expression.
    `first`, one vector a text, counts as one more token of each expression: the pooled vector where that is the first
    token's. With `detach` no gradient goes back into the states.

    >>> hidden = torch.tensor([[[1.0], [2.0], [4.0]]])
    >>> project(lambda states: states, hidden, torch.tensor([[[1, 3]]])).vectors.item()
    3.0
    >>> project(lambda states: states, hidden, torch.tensor([[[1, 3]]]), torch.tensor([[9.0]])).vectors.item()
    5.0
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
    return Projected((made * kept).sum(dim=2) / kept.sum(dim=2).clamp(min=1), inside.any(dim=2))


def temporal_contrast(
    passages: Tensor,
    questions: Tensor,
    passage_times: Projected,
    question_times: Projected,
    groups: Groups,
    temperature: float,
) -> tuple[Tensor, Tensor]:
    """The contrast of the temporal part in both directions (equation 10): of passages' times against the first numbers
    of questions' vectors, and of the first numbers of passages' vectors against questions' times.

    `passages` and `questions` are vectors cut to the temporal part. A passage takes part if the question that it
    answers states a time and so does one at least that it does not answer; the questions of those passages that state
    a time are what it is told from. In the first direction the passage must state one too.

    >>> groups = Groups(torch.tensor([0, 0]), torch.tensor([0]))
    >>> times = Projected(torch.eye(2).unsqueeze(1), torch.tensor([[True], [True]]))
    >>> passage = Projected(torch.tensor([[[1.0, 0.0]]]), torch.tensor([[True]]))
    >>> both = temporal_contrast(torch.eye(2)[:1], torch.eye(2), passage, times, groups, temperature=1.0)
    >>> [round(part.item(), 4) for part in both]
    [0.3133, 0.3133]
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
