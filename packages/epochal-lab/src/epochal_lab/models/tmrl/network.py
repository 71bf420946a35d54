"""What is trained: a backbone with what a method puts beside it, seen through one way of encoding.

M-Adaptor, a baseline: a frozen backbone, and one linear layer with a skip that orders the numbers of its vectors.

Yoon et al., 2024. The layer stands on the states of tokens, before pooling. Since pooling takes a mean, or one token,
and the layer is linear, it may stand behind pooling as well, where it is as many times cheaper as a text has tokens.

Ts-Retriever with its router, a baseline: questions of no time go to the encoder as it was (Wu et al., 2024).

Only the encoder of questions is trained, and passages keep the vectors that they had. A small network looks at the
untouched vector of a question and says whether that one is used, or the trained one.

TempRetriever, a baseline: one encoder for the text and one for its time expressions, fused to one vector.

Abdallah et al., 2025. `ewi` multiplies the two vectors number by number, `fs` puts them side by side. Vectors are made
of length 1 before they are fused where the settings say so, and fused vectors are compared by their cosine.

A network for each method.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from epochal.errors import EpochalError
from epochal_lab.models.backbone import Backbone, NgramBackbone, pool_states
from epochal_lab.models.tmrl.adapter import add_lora
from epochal_lab.models.tmrl.batches import TextBatch
from epochal_lab.models.tmrl.objectives import Groups, TemporalProjector, take_prefixes
from epochal_lab.models.tmrl.settings import TMRLSettings
from epochal_lab.models.training.checkpoint import save_tensors, write_json

__all__ = [
    "MAdaptor",
    "QueryRouter",
    "RoutedRetriever",
    "Side",
    "SingleEncoder",
    "TMRLNetwork",
    "TMRLOutput",
    "TwoEncoders",
    "build_network",
    "compute_adaptor_losses",
    "fit_router",
    "neighbour_loss",
    "pair_loss",
    "rank_loss",
]


Side = Literal["question", "passage"]


@dataclass(frozen=True, slots=True)
class TMRLOutput:
    """Texts as a network sees them: `vectors` to be compared; `hidden`, the states of tokens, where they are needed;
    and `before`, the vectors as they were without what is trained, where that is a target.
    """

    vectors: Tensor
    hidden: Tensor | None = None
    before: Tensor | None = None


class TMRLNetwork(nn.Module, ABC):
    """What every method's network has: a width, a way to encode, and a state that is only what is trained.

    A state of what is trained alone makes saving and resuming cheap where a few thousand numbers of millions change.
    """

    settings: TMRLSettings

    @property
    @abstractmethod
    def width(self) -> int:
        """How many numbers a vector has."""

    @property
    @abstractmethod
    def reader(self) -> Backbone:
        """The backbone whose tokenizer makes texts into tokens."""

    @abstractmethod
    def encode(self, batch: TextBatch, side: Side) -> TMRLOutput:
        """Texts of one side, before any normalisation."""

    @abstractmethod
    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write what was trained, and with `merged` what it makes of the backbone."""

    def trained(self) -> list[str]:
        """The names of the parameters that are trained."""
        return [name for name, parameter in self.named_parameters() if parameter.requires_grad]

    def state_dict(self, *args: Any, **options: Any) -> dict[str, Any]:
        """The parameters that are trained, by name."""
        kept = set(self.trained())
        every: Mapping[str, Any] = super().state_dict(*args, **options)
        return {name: value for name, value in every.items() if name in kept}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Put back what `state_dict` gave; with `strict`, all of it and nothing else."""
        if strict and (other := set(state_dict) ^ set(self.trained())):
            raise EpochalError(
                f"the state has other parameters than those that are trained, such as {sorted(other)[0]!r}"
            )
        return super().load_state_dict(state_dict, strict=False, assign=assign)


class SingleEncoder(TMRLNetwork):
    """One backbone for both sides: as it was (zero-shot), with LoRA, with a projector besides (TMRL), or all trained"""

    def __init__(self, backbone: Backbone, settings: TMRLSettings) -> None:
        super().__init__()
        self.backbone = backbone
        self.settings = settings
        self.projector: TemporalProjector | None = None
        if settings.method == "zero-shot":
            backbone.requires_grad_(False)
        elif settings.has_lora:
            add_lora(backbone.model, settings.rank, settings.lora_alpha, settings.lora_dropout)
        if settings.needs_spans:
            self.projector = TemporalProjector.like(backbone.model.config, settings.temporal_dims)

    @property
    def width(self) -> int:
        """That of the backbone."""
        return self.backbone.width

    @property
    def reader(self) -> Backbone:
        """The backbone."""
        return self.backbone

    def encode(self, batch: TextBatch, side: Side) -> TMRLOutput:
        """Texts, and the states of their tokens while a projector is trained on them."""
        hidden, mask = self.backbone.read(batch.texts)
        vectors = pool_states(hidden, mask, self.backbone.pooling)
        return TMRLOutput(vectors, hidden if self.projector is not None and self.training else None)

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write adapter/ where there is LoRA, and model/ with the weights it is merged into, if wanted."""
        from epochal_lab.models.tmrl.adapter import export_model, save_adapter

        if self.settings.has_lora:
            save_adapter(folder / "adapter", self.backbone, self.settings, facts)
        if merged or not self.settings.has_lora:
            export_model(folder / "model", self.backbone, self.settings)


class MAdaptor(TMRLNetwork):
    """A frozen backbone and a linear layer with a skip, which begins at zero, so that vectors begin as they were."""

    def __init__(self, backbone: Backbone, settings: TMRLSettings) -> None:
        super().__init__()
        backbone.requires_grad_(False)
        self.backbone = backbone
        self.settings = settings
        self.adaptor = nn.Linear(backbone.width, backbone.width)
        nn.init.zeros_(self.adaptor.weight)
        nn.init.zeros_(self.adaptor.bias)

    @property
    def width(self) -> int:
        """That of the backbone."""
        return int(self.backbone.width)

    @property
    def reader(self) -> Backbone:
        """The backbone."""
        return self.backbone

    def train(self, mode: bool = True) -> MAdaptor:
        """Only the layer is trained: the backbone drops nothing out, or its vectors would be no fixed targets."""
        super().train(mode)
        self.backbone.eval()
        return self

    def encode(self, batch: TextBatch, side: Side) -> TMRLOutput:
        """Texts with the layer, and as they were before it."""
        with torch.no_grad():
            before = pool_states(*self.backbone.read(batch.texts), self.backbone.pooling)
        return TMRLOutput(before + self.adaptor(before), before=before)

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write model/, a model with one layer more."""
        from epochal_lab.models.tmrl.adapter import export_model

        export_model(folder / "model", self.backbone, self.settings, self.adaptor)


def compute_adaptor_losses(
    passages: TMRLOutput, questions: TMRLOutput, groups: Groups, settings: TMRLSettings
) -> dict[str, Tensor]:
    """The loss of a batch: on each side cosines kept, neighbours kept and vectors kept; and right before wrong."""
    if passages.before is None or questions.before is None:
        raise EpochalError("the losses of M-Adaptor need vectors as they were before it, which are missing")
    dims = settings.search_dims(passages.vectors.shape[-1])
    before = [_scale(side, settings.normalise) for side in (passages.before, questions.before)]
    after = [_scale(side.vectors, settings.normalise) for side in (passages, questions)]
    both = list(zip(before, after, strict=True))
    told = {
        "pairs": torch.stack([pair_loss(old, new, dims) for old, new in both]).sum(),
        "neighbours": torch.stack([neighbour_loss(old, new, dims, settings.top_k) for old, new in both]).sum(),
        "reconstruction": torch.stack([(old - new).abs().mean() for old, new in both]).sum(),
        "ranking": rank_loss(after[0], after[1], groups, dims),
    }
    return {"loss": torch.stack(list(told.values())).sum(), **told}


def pair_loss(before: Tensor, after: Tensor, dims: Sequence[int]) -> Tensor:
    """How far the cosines of all pairs, by each prefix, are from what they were by the whole vector.

    The sum over pairs is divided by the number of texts and of prefixes, as published.
    """
    target = _compute_cosines(before)
    parts = [(target - _compute_cosines(after[:, :dim])).abs().fill_diagonal_(0.0).sum() for dim in dims]
    return torch.stack(parts).sum() / (len(before) * len(parts))


def neighbour_loss(before: Tensor, after: Tensor, dims: Sequence[int], top_k: int) -> Tensor:
    """The same over the nearest texts only, by the whole vector as it was; a small batch tells nothing."""
    if len(before) <= top_k:
        return after.new_zeros(())
    own = torch.eye(len(before), dtype=torch.bool, device=before.device)
    near = _compute_cosines(before).masked_fill(own, -torch.inf).topk(top_k, dim=1)
    parts = [(_compute_cosines(after[:, :dim]).gather(1, near.indices) - near.values).abs().sum() for dim in dims]
    return torch.stack(parts).sum() / (len(before) * len(parts))


def rank_loss(anchors: Tensor, candidates: Tensor, groups: Groups, dims: Sequence[int]) -> Tensor:
    """How far each wrong candidate is from standing below the right one, by each prefix, summed over prefixes."""
    here, there = take_prefixes(anchors, dims), take_prefixes(candidates, dims)
    targets = groups.targets.unsqueeze(1)
    parts = []
    for dim in dims:
        scores = here[dim] @ there[dim].T
        each = functional.softplus(scores - scores.gather(1, targets))
        parts.append(each.scatter(1, targets, 0.0).mean())
    return torch.stack(parts).sum()


def _scale(vectors: Tensor, normalise: bool) -> Tensor:
    return functional.normalize(vectors.float(), dim=-1) if normalise else vectors.float()


def _compute_cosines(x: Tensor) -> Tensor:
    unit = functional.normalize(x, dim=-1)
    return unit @ unit.T


_STEPS: Final = 300
_RATE: Final = 1e-3


class QueryRouter(nn.Module):
    """How likely it is that a question asks of no time, from its untouched vector."""

    def __init__(self, width: int, inner: int = 128) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, 1))

    def forward(self, vectors: Tensor) -> Tensor:
        """One number a question, from 0 to 1; above a half it is one of no time."""
        return self.logits(vectors).sigmoid()

    def logits(self, vectors: Tensor) -> Tensor:
        """The same before the sigmoid."""
        made: Tensor = self.layers(functional.normalize(vectors, dim=-1))
        return made.squeeze(-1)


def fit_router(router: QueryRouter, timed: Tensor, plain: Tensor) -> float:
    """Fit a router to untouched vectors of questions that ask of a time and of some that do not; its accuracy on
    them.
    """
    if not len(timed) or not len(plain):
        raise EpochalError(f"the router has {len(timed)} questions of a time and {len(plain)} of none; give both kinds")
    vectors = torch.cat([timed, plain]).detach()
    wanted = torch.cat([vectors.new_zeros(len(timed)), vectors.new_ones(len(plain))])
    # Whichever kind is the rarer counts for as much as the other.
    weight = torch.where(wanted > 0, 0.5 / len(plain), 0.5 / len(timed))
    optimiser = torch.optim.Adam(router.parameters(), lr=_RATE)
    with torch.enable_grad():
        for _ in range(_STEPS):
            optimiser.zero_grad(set_to_none=True)
            each = functional.binary_cross_entropy_with_logits(router.logits(vectors), wanted, reduction="none")
            (each * weight).sum().backward()
            optimiser.step()
    with torch.no_grad():
        return float(((router(vectors) > 0.5) == (wanted > 0.5)).float().mean())


class RoutedRetriever(TMRLNetwork):
    """The backbone as it was, a copy that is trained for questions, and the router between them.

    Without a router that was fitted, all questions go to the trained one.
    """

    def __init__(self, backbone: Backbone, settings: TMRLSettings) -> None:
        super().__init__()
        self.tuned = deepcopy(backbone)
        backbone.requires_grad_(False)
        self.vanilla = backbone
        self.settings = settings
        self.router: QueryRouter | None = None

    @property
    def width(self) -> int:
        """That of the backbone."""
        return int(self.vanilla.width)

    @property
    def reader(self) -> Backbone:
        """The backbone as it was."""
        return self.vanilla

    def train(self, mode: bool = True) -> RoutedRetriever:
        """Only the copy is trained; what stays as it was drops nothing out."""
        super().train(mode)
        self.vanilla.eval()
        return self

    def encode(self, batch: TextBatch, side: Side) -> TMRLOutput:
        """Passages as they were; questions by the trained encoder, or as the router says."""
        ids, mask = batch.texts.ids, batch.texts.mask
        if side == "passage":
            with torch.no_grad():
                return TMRLOutput(self.vanilla(ids, mask))
        made: Tensor = self.tuned(ids, mask)
        if self.training or self.router is None:
            return TMRLOutput(made)
        with torch.no_grad():
            before = self.vanilla(ids, mask)
            plain = self.router(before.float()) > 0.5
        return TMRLOutput(torch.where(plain.unsqueeze(-1), before, made))

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write the encoder of questions and the router; passages need the backbone that is there already."""
        self.tuned.save(folder / "questions")
        write_json(folder / "router.json", {"fitted": self.router is not None, **facts})
        if self.router is not None:
            save_tensors(folder / "router.safetensors", self.router.state_dict())


class TwoEncoders(TMRLNetwork):
    """Two backbones that begin alike, all of them trained.

    A batch without times is read by the encoder of texts alone, as for questions that state none.
    """

    def __init__(self, backbone: Backbone, settings: TMRLSettings) -> None:
        super().__init__()
        self.text = backbone
        self.time = deepcopy(backbone)
        self.settings = settings

    @property
    def width(self) -> int:
        """That of the backbone, or twice as much where the two vectors stand side by side."""
        return self.text.width * (2 if self.settings.method == "tempretriever-fs" else 1)

    @property
    def reader(self) -> Backbone:
        """The encoder of texts."""
        return self.text

    def encode(self, batch: TextBatch, side: Side) -> TMRLOutput:
        """Texts and their times as one vector each."""
        text = self._unit(self.text(batch.texts.ids, batch.texts.mask))
        if batch.times is None:
            return TMRLOutput(text)
        time = self._unit(self.time(batch.times.ids, batch.times.mask))
        both = torch.cat([text, time], dim=-1) if self.settings.method == "tempretriever-fs" else text * time
        return TMRLOutput(both)

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write both backbones, and how they are fused."""
        self.text.save(folder / "text")
        self.time.save(folder / "time")
        write_json(folder / "fusion.json", {"kind": self.settings.method, "settings": self.settings.to_dict(), **facts})

    def _unit(self, vectors: Tensor) -> Tensor:
        return functional.normalize(vectors.float(), dim=-1) if self.settings.normalise else vectors.float()


def build_network(backbone: Backbone, settings: TMRLSettings) -> TMRLNetwork:
    """The network that a method trains, over a backbone, which becomes a part of it."""
    if isinstance(backbone, NgramBackbone):
        raise EpochalError(f"the backbone is a {type(backbone).__name__}; accepted: a transformer")
    network = _select_class(settings)(backbone, settings)
    if settings.recompute:
        for module in network.modules():
            if isinstance(module, Backbone):
                module.recompute()
    return network


def _select_class(settings: TMRLSettings) -> Callable[[Backbone, TMRLSettings], TMRLNetwork]:
    if settings.method == "m-adaptor":
        return MAdaptor
    if settings.has_two_encoders:
        return TwoEncoders
    return RoutedRetriever if settings.router else SingleEncoder
