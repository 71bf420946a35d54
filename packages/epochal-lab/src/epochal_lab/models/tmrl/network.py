"""The networks of all methods, behind one way of encoding: TMRL and LoRA, and three baselines.

M-Adaptor (Yoon et al. 2024): a frozen backbone and one linear layer with a skip connection that orders the dimensions
of its vectors. The published layer works on token states before pooling; as it is linear, it can follow the pooling,
where it costs less.

Ts-Retriever with its router (Wu et al. 2024): only the question encoder is trained, passages keep their vectors. A
small network decides from a question's original vector whether that vector or the trained one is used.

TempRetriever (Abdallah et al. 2025): one encoder for the text and one for its time expressions, fused to one vector;
`ewi` multiplies the two vectors elementwise, `fs` concatenates them.
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

Side = Literal["question", "passage"]

_STEPS: Final = 300
_RATE: Final = 1e-3


@dataclass(frozen=True, slots=True)
class TMRLOutput:
    """`vectors` of texts; `hidden`, the token states, where needed; and `before`, the vectors without the trained part,
    where that is a target.
    """

    vectors: Tensor
    hidden: Tensor | None = None
    before: Tensor | None = None


class TMRLNetwork(nn.Module, ABC):
    """The interface of all networks: a width, an encoder, and a state of the trained parameters only.

    That makes saving and resuming cheap where a few thousand of millions of parameters change.
    """

    settings: TMRLSettings

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of dimensions of a vector."""

    @property
    @abstractmethod
    def reader(self) -> Backbone:
        """The backbone whose tokenizer is used."""

    @abstractmethod
    def encode(self, batch: TextBatch, side: Side) -> TMRLOutput:
        """Encode texts of one side; vectors are not normalised."""

    @abstractmethod
    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write the trained part, and with `merged` the backbone that includes it."""

    def list_trained(self) -> list[str]:
        """Return the names of the trained parameters."""
        return [name for name, parameter in self.named_parameters() if parameter.requires_grad]

    def state_dict(self, *args: Any, **options: Any) -> dict[str, Any]:
        """Return the trained parameters by name."""
        names = set(self.list_trained())
        every: Mapping[str, Any] = super().state_dict(*args, **options)
        return {name: value for name, value in every.items() if name in names}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Load what `state_dict` returned; with `strict`, all of it and nothing else."""
        if strict and (other := set(state_dict) ^ set(self.list_trained())):
            raise EpochalError(
                f"the state has other parameters than those that are trained, such as {sorted(other)[0]!r}"
            )
        return super().load_state_dict(state_dict, strict=False, assign=assign)


class SingleEncoder(TMRLNetwork):
    """One backbone for both sides: unchanged (zero-shot), with LoRA, with LoRA and a projector (TMRL), or fully
    trained.
    """

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
            self.projector = TemporalProjector.from_config(backbone.model.config, settings.temporal_dims)

    @property
    def width(self) -> int:
        return self.backbone.width

    @property
    def reader(self) -> Backbone:
        return self.backbone

    def encode(self, batch: TextBatch, side: Side) -> TMRLOutput:
        """Encode texts, with their token states while a projector is trained."""
        hidden, mask = self.backbone.encode_batch(batch.texts)
        vectors = pool_states(hidden, mask, self.backbone.pooling)
        return TMRLOutput(vectors, hidden if self.projector is not None and self.training else None)

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write adapter/ if there is LoRA, and model/ with merged weights if wanted."""
        from epochal_lab.models.tmrl.adapter import export_model, save_adapter

        if self.settings.has_lora:
            save_adapter(folder / "adapter", self.backbone, self.settings, facts)
        if merged or not self.settings.has_lora:
            export_model(folder / "model", self.backbone, self.settings)


class MAdaptor(TMRLNetwork):
    """A frozen backbone and a linear layer with a skip connection, initialised with zeros."""

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
        return int(self.backbone.width)

    @property
    def reader(self) -> Backbone:
        return self.backbone

    def train(self, mode: bool = True) -> MAdaptor:
        """Train the layer only: dropout in the backbone would make its vectors unstable targets."""
        super().train(mode)
        self.backbone.eval()
        return self

    def encode(self, batch: TextBatch, side: Side) -> TMRLOutput:
        """Return vectors after and before the layer."""
        with torch.no_grad():
            before = pool_states(*self.backbone.encode_batch(batch.texts), self.backbone.pooling)
        return TMRLOutput(before + self.adaptor(before), before=before)

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write model/, a model with one more layer."""
        from epochal_lab.models.tmrl.adapter import export_model

        export_model(folder / "model", self.backbone, self.settings, self.adaptor)


def compute_adaptor_losses(
    passages: TMRLOutput, questions: TMRLOutput, groups: Groups, settings: TMRLSettings
) -> dict[str, Tensor]:
    """Return the losses of a batch: cosines, neighbours and vectors preserved on each side, and the ranking loss."""
    if passages.before is None or questions.before is None:
        raise EpochalError("the losses of M-Adaptor need vectors as they were before it, which are missing")
    dims = settings.search_dims(passages.vectors.shape[-1])
    before = [_scale(side, settings.normalise) for side in (passages.before, questions.before)]
    after = [_scale(side.vectors, settings.normalise) for side in (passages, questions)]
    both = list(zip(before, after, strict=True))
    losses = {
        "pairs": torch.stack([pair_loss(old, new, dims) for old, new in both]).sum(),
        "neighbours": torch.stack([neighbour_loss(old, new, dims, settings.top_k) for old, new in both]).sum(),
        "reconstruction": torch.stack([(old - new).abs().mean() for old, new in both]).sum(),
        "ranking": rank_loss(after[0], after[1], groups, dims),
    }
    return {"loss": torch.stack(list(losses.values())).sum(), **losses}


def pair_loss(before: Tensor, after: Tensor, dims: Sequence[int]) -> Tensor:
    """The difference of the cosines of all pairs, by each prefix, from those by the original vector.

    The sum over pairs is divided by the number of texts and of prefixes, as published.
    """
    target = _compute_cosines(before)
    parts = [(target - _compute_cosines(after[:, :dim])).abs().fill_diagonal_(0.0).sum() for dim in dims]
    return torch.stack(parts).sum() / (len(before) * len(parts))


def neighbour_loss(before: Tensor, after: Tensor, dims: Sequence[int], top_k: int) -> Tensor:
    """The same over the nearest texts by the original vector only; 0 for a batch of at most `top_k` texts."""
    if len(before) <= top_k:
        return after.new_zeros(())
    own = torch.eye(len(before), dtype=torch.bool, device=before.device)
    near = _compute_cosines(before).masked_fill(own, -torch.inf).topk(top_k, dim=1)
    parts = [(_compute_cosines(after[:, :dim]).gather(1, near.indices) - near.values).abs().sum() for dim in dims]
    return torch.stack(parts).sum() / (len(before) * len(parts))


def rank_loss(anchors: Tensor, candidates: Tensor, groups: Groups, dims: Sequence[int]) -> Tensor:
    """The softplus of how much each wrong candidate scores above the right one, summed over prefixes."""
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


class QueryRouter(nn.Module):
    """The probability that a question asks for no time, from its original vector."""

    def __init__(self, width: int, inner: int = 128) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, 1))

    def forward(self, vectors: Tensor) -> Tensor:
        """Return one probability per question; above a half it asks for no time."""
        return self.logits(vectors).sigmoid()

    def logits(self, vectors: Tensor) -> Tensor:
        """Return the same before the sigmoid."""
        logits: Tensor = self.layers(functional.normalize(vectors, dim=-1))
        return logits.squeeze(-1)


def fit_router(router: QueryRouter, timed: Tensor, plain: Tensor) -> float:
    """Fit a router to original vectors of questions with and without a time, and return its accuracy on them."""
    if not len(timed) or not len(plain):
        raise EpochalError(f"the router has {len(timed)} questions of a time and {len(plain)} of none; give both kinds")
    vectors = torch.cat([timed, plain]).detach()
    targets = torch.cat([vectors.new_zeros(len(timed)), vectors.new_ones(len(plain))])
    # Both kinds have the same total weight.
    weight = torch.where(targets > 0, 0.5 / len(plain), 0.5 / len(timed))
    optimiser = torch.optim.Adam(router.parameters(), lr=_RATE)
    with torch.enable_grad():
        for _ in range(_STEPS):
            optimiser.zero_grad(set_to_none=True)
            each = functional.binary_cross_entropy_with_logits(router.logits(vectors), targets, reduction="none")
            (each * weight).sum().backward()
            optimiser.step()
    with torch.no_grad():
        return float(((router(vectors) > 0.5) == (targets > 0.5)).float().mean())


class RoutedRetriever(TMRLNetwork):
    """The original backbone, a copy that is trained for questions, and the router between them.

    Without a fitted router all questions use the trained copy.
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
        return int(self.vanilla.width)

    @property
    def reader(self) -> Backbone:
        return self.vanilla

    def train(self, mode: bool = True) -> RoutedRetriever:
        """Train the copy only; the original has no dropout."""
        super().train(mode)
        self.vanilla.eval()
        return self

    def encode(self, batch: TextBatch, side: Side) -> TMRLOutput:
        """Encode passages by the original, questions by the trained copy or as the router decides."""
        ids, mask = batch.texts.ids, batch.texts.mask
        if side == "passage":
            with torch.no_grad():
                return TMRLOutput(self.vanilla(ids, mask))
        tuned: Tensor = self.tuned(ids, mask)
        if self.training or self.router is None:
            return TMRLOutput(tuned)
        with torch.no_grad():
            before = self.vanilla(ids, mask)
            plain = self.router(before.float()) > 0.5
        return TMRLOutput(torch.where(plain.unsqueeze(-1), before, tuned))

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write the question encoder and the router; passages need the original backbone."""
        self.tuned.save(folder / "questions")
        write_json(folder / "router.json", {"fitted": self.router is not None, **facts})
        if self.router is not None:
            save_tensors(folder / "router.safetensors", self.router.state_dict())


class TwoEncoders(TMRLNetwork):
    """TempRetriever: two backbones with the same start, both fully trained.

    A batch without times is encoded by the text encoder alone, as for questions that state none.
    """

    def __init__(self, backbone: Backbone, settings: TMRLSettings) -> None:
        super().__init__()
        self.text = backbone
        self.time = deepcopy(backbone)
        self.settings = settings

    @property
    def width(self) -> int:
        """That of the backbone, or twice as much if the two vectors are concatenated."""
        return self.text.width * (2 if self.settings.method == "tempretriever-fs" else 1)

    @property
    def reader(self) -> Backbone:
        return self.text

    def encode(self, batch: TextBatch, side: Side) -> TMRLOutput:
        """Encode texts and their times to one vector each."""
        text = self._normalise(self.text(batch.texts.ids, batch.texts.mask))
        if batch.times is None:
            return TMRLOutput(text)
        time = self._normalise(self.time(batch.times.ids, batch.times.mask))
        both = torch.cat([text, time], dim=-1) if self.settings.method == "tempretriever-fs" else text * time
        return TMRLOutput(both)

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write both backbones, and how they are fused."""
        self.text.save(folder / "text")
        self.time.save(folder / "time")
        write_json(folder / "fusion.json", {"kind": self.settings.method, "settings": self.settings.to_dict(), **facts})

    def _normalise(self, vectors: Tensor) -> Tensor:
        return functional.normalize(vectors.float(), dim=-1) if self.settings.normalise else vectors.float()


def build_network(backbone: Backbone, settings: TMRLSettings) -> TMRLNetwork:
    """Build the network of a method over a backbone, which becomes part of it."""
    if isinstance(backbone, NgramBackbone):
        raise EpochalError(f"the backbone is {type(backbone).__name__}; accepted: a transformer")
    network = _select_class(settings)(backbone, settings)
    if settings.recompute:
        for module in network.modules():
            if isinstance(module, Backbone):
                module.enable_recompute()
    return network


def _select_class(settings: TMRLSettings) -> Callable[[Backbone, TMRLSettings], TMRLNetwork]:
    if settings.method == "m-adaptor":
        return MAdaptor
    if settings.has_two_encoders:
        return TwoEncoders
    return RoutedRetriever if settings.router else SingleEncoder
