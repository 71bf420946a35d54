"""What is trained: a backbone with what a method puts beside it, seen through one way of encoding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from torch import Tensor, nn

from epochal.errors import EpochalError
from epochal.models.backbone import Backbone, pooled
from epochal.models.tmrl.lora import add_lora
from epochal.models.tmrl.settings import TMRLSettings
from epochal.models.tmrl.temporal import TemporalProjector
from epochal.models.tmrl.texts import TextBatch

__all__ = ["Encoded", "Network", "Side", "Single"]

Side = Literal["question", "passage"]


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts as a network sees them: `vectors` to be compared; `hidden`, the states of tokens, where they are needed;
    and `before`, the vectors as they were without what is trained, where that is a target.

    >>> import torch
    >>> Encoded(torch.ones(2, 4)).hidden is None
    True
    """

    vectors: Tensor
    hidden: Tensor | None = None
    before: Tensor | None = None


class Network(nn.Module, ABC):
    """What every method's network has: a width, a way to encode, and a state that is only what is trained.

    A state of what is trained alone makes saving and resuming cheap where a few thousand numbers of millions change.

    >>> made = Single(Backbone.tiny(["rain"], layers=1, width=8), TMRLSettings.named("lora"))
    >>> sorted({name.rpartition(".")[2] for name in made.state_dict()})
    ['down', 'up']
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
    def encode(self, batch: TextBatch, side: Side) -> Encoded:
        """Texts of one side, before any normalisation."""

    @abstractmethod
    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write what was trained, and with `merged` what it makes of the backbone."""

    def trained(self) -> list[str]:
        """The names of the parameters that are trained.

        >>> Single(Backbone.tiny(["rain"]), TMRLSettings.named("zero-shot")).trained()
        []
        """
        return [name for name, parameter in self.named_parameters() if parameter.requires_grad]

    def state_dict(self, *args: Any, **options: Any) -> dict[str, Any]:
        """The parameters that are trained, by name.

        >>> Single(Backbone.tiny(["rain"]), TMRLSettings.named("zero-shot")).state_dict()
        {}
        """
        kept = set(self.trained())
        every: Mapping[str, Any] = super().state_dict(*args, **options)
        return {name: value for name, value in every.items() if name in kept}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Put back what `state_dict` gave; with `strict`, all of it and nothing else.

        >>> import torch
        >>> made = Single(Backbone.tiny(["rain"]), TMRLSettings.named("zero-shot"))
        >>> made.load_state_dict({"speed": torch.ones(1)})
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: the state has other parameters than those that are trained, such as 'speed'
        """
        if strict and (other := set(state_dict) ^ set(self.trained())):
            raise EpochalError(
                f"the state has other parameters than those that are trained, such as {sorted(other)[0]!r}"
            )
        return super().load_state_dict(state_dict, strict=False, assign=assign)


class Single(Network):
    """One backbone for both sides: as it was (zero-shot), with LoRA, with a projector besides (TMRL), or all trained.

    >>> made = Single(Backbone.tiny(["rain"], width=8), TMRLSettings(temporal_dims=4))
    >>> made.projector is None, made.width
    (False, 8)
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
            self.projector = TemporalProjector.like(backbone.model.config, settings.temporal_dims)

    @property
    def width(self) -> int:
        """That of the backbone.

        >>> Single(Backbone.tiny(["rain"], width=8), TMRLSettings.named("lora")).width
        8
        """
        return self.backbone.width

    @property
    def reader(self) -> Backbone:
        """The backbone.

        >>> Single(Backbone.tiny(["rain"]), TMRLSettings.named("lora")).reader.pooling
        'cls'
        """
        return self.backbone

    def encode(self, batch: TextBatch, side: Side) -> Encoded:
        """Texts, and the states of their tokens while a projector is trained on them.

        >>> from epochal.models.tmrl.texts import timed_texts
        >>> made = Single(Backbone.tiny(["rain"], width=8), TMRLSettings.named("lora"))
        >>> made.encode(timed_texts(made.reader, ["rain"]).batch([0]), "question").vectors.shape
        torch.Size([1, 8])
        """
        hidden, mask = self.backbone.read(batch.texts)
        vectors = pooled(hidden, mask, self.backbone.pooling)
        return Encoded(vectors, hidden if self.projector is not None and self.training else None)

    def save(self, folder: Path, facts: Mapping[str, Any], *, merged: bool = True) -> None:
        """Write adapter/ where there is LoRA, and model/ with the weights it is merged into, if wanted.

        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp())
        >>> Single(Backbone.tiny(["rain"]), TMRLSettings.named("lora")).save(place, {}, merged=False)
        >>> sorted(path.name for path in (place / "adapter").iterdir())
        ['adapter.json', 'adapter.safetensors']
        """
        from epochal.models.tmrl.adapter import export_model, save_adapter

        if self.settings.has_lora:
            save_adapter(folder / "adapter", self.backbone, self.settings, facts)
        if merged or not self.settings.has_lora:
            export_model(folder / "model", self.backbone, self.settings)
