"""The methods of temporal adaptation and their options. Needs no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.models.training.settings import (
    TrainSettings,
    check_booleans,
    check_choice,
    check_number,
    check_whole,
)

#: TMRL and the baselines.
METHODS: Final = (
    "zero-shot",
    "lora",
    "lora-mrl",
    "tmrl",
    "m-adaptor",
    "ts-retriever",
    "tempretriever-ewi",
    "tempretriever-fs",
    "tsm",
)
#: Which time expressions of a text are projected: the first, as published; all, with equal weights; all, weighted by
#: their similarity to the other text; or of a passage the one that its question is about, if its row says so.
SPANS: Final = ("first", "all", "attended", "anchored")

_LORA: Final = ("lora", "lora-mrl", "tmrl")
_NESTED: Final = ("lora-mrl", "tmrl", "m-adaptor")
_TWO: Final = ("tempretriever-ewi", "tempretriever-fs")


@dataclass(frozen=True, slots=True)
class TMRLSettings:
    """The options of an adaptation; the defaults are those of the paper and its code.

    `rank`, `lora_alpha` and `lora_dropout` are those of LoRA. `dims` are the trained prefixes below the width of the
    backbone, which is always one; `temporal_dims` is the number of leading dimensions that hold the time. `alpha`,
    `beta` and `gamma` weight the temporal contrast, the distillation of neighbours and the alignment of structures.
    Each anchor has up to `negatives` questions of its own besides those of the batch.

    What the paper does not describe but its code does has a name, to be switched off: `false_negatives` masks what
    scores above that share of the right answer; `detach` stops gradients into the projected token states;
    `mean_over_dims` averages the contrast over prefixes instead of summing; `include_self` lets a text be its own first
    neighbour among `top_k`; `normalise` normalises vectors of full width in training too.

    `spans` selects the time expressions of a text (see SPANS), `router` sends Ts-Retriever's questions without a time
    to the original encoder. `recompute` saves memory in training, at the price of time.

    >>> TMRLSettings(method="lora").loss_dims(384), TMRLSettings().loss_dims(768)
    ((384,), (64, 128, 256, 384, 768))
    >>> TMRLSettings(spans="last")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: spans is 'last'; accepted: first, all, attended, anchored
    """

    method: str = "tmrl"
    rank: int = 4
    lora_alpha: float = 4.0
    lora_dropout: float = 0.1
    dims: tuple[int, ...] = (64, 128, 256, 384)
    temporal_dims: int = 64
    alpha: float = 0.1
    beta: float = 0.1
    gamma: float = 0.1
    temperature: float = 0.05
    false_negatives: float | None = 0.95
    detach: bool = True
    mean_over_dims: bool = True
    spans: str = "first"
    include_self: bool = True
    top_k: int = 10
    negatives: int = 4
    normalise: bool = True
    question_prefix: str = ""
    passage_prefix: str = ""
    max_length: int = 512
    router: bool = False
    recompute: bool = False

    def __post_init__(self) -> None:
        check_booleans(self)
        check_choice("method", self.method, METHODS)
        check_choice("spans", self.spans, SPANS)
        for name in ("rank", "temporal_dims", "top_k", "max_length"):
            check_whole(name, getattr(self, name), 1)
        check_whole("negatives", self.negatives, 0)
        for name in ("alpha", "beta", "gamma"):
            check_number(name, getattr(self, name), getattr(self, name) >= 0, "a number from 0")
        for name in ("temperature", "lora_alpha"):
            check_number(name, getattr(self, name), getattr(self, name) > 0, "a number above 0")
        check_number("lora_dropout", self.lora_dropout, 0 <= self.lora_dropout < 1, "a share from 0 to below 1")
        if self.false_negatives is not None:
            check_number("false_negatives", self.false_negatives, self.false_negatives > 0, "a share above 0, or None")
        object.__setattr__(self, "dims", tuple(self.dims))
        if not self.dims:
            raise EpochalError("dims is empty; accepted: one whole number from 1 or more")
        for dim in self.dims:
            check_whole("one of dims", dim, 1)
        if self.router and self.method != "ts-retriever":
            raise EpochalError(f"router is set with the method {self.method!r}; accepted: with 'ts-retriever' only")

    @property
    def has_lora(self) -> bool:
        """Whether only low-rank matrices of the backbone are trained.

        >>> TMRLSettings().has_lora, TMRLSettings.from_name("ts-retriever").has_lora
        (True, False)
        """
        return self.method in _LORA

    @property
    def has_two_encoders(self) -> bool:
        """Whether a second encoder reads the time expressions of a text."""
        return self.method in _TWO

    @property
    def needs_spans(self) -> bool:
        """Whether training needs the positions of time expressions.

        >>> TMRLSettings().needs_spans, TMRLSettings(alpha=0).needs_spans
        (True, False)
        """
        return self.method == "tmrl" and self.alpha > 0

    def search_dims(self, width: int) -> tuple[int, ...]:
        """Return the prefixes to evaluate, ascending: those of `dims` below a width, and the width.

        >>> TMRLSettings(dims=(512, 64)).search_dims(384)
        (64, 384)
        """
        return (*sorted({dim for dim in self.dims if dim < width}), width)

    def loss_dims(self, width: int) -> tuple[int, ...]:
        """Return the prefixes to train, ascending: the width alone if a method has no prefixes.

        >>> TMRLSettings.from_name("tsm").loss_dims(384)
        (384,)
        """
        return self.search_dims(width) if self.method in _NESTED else (width,)

    @classmethod
    def from_name(cls, method: str) -> TMRLSettings:
        """Return the settings of a method, with its authors' values.

        >>> TMRLSettings.from_name("ts-retriever").negatives
        1
        >>> TMRLSettings.from_name("bm25")
        Traceback (most recent call last):
        ...
        epochal.errors.UnknownNameError: no method is called 'bm25'; known: zero-shot, lora, lora-mrl, tmrl, m-adaptor,
        ts-retriever, tempretriever-ewi, tempretriever-fs, tsm
        """
        if method not in METHODS:
            raise UnknownNameError("method", method, METHODS)
        if method in ("ts-retriever", "tsm"):
            return cls(method=method, negatives=1 if method == "ts-retriever" else 5, false_negatives=None)
        return cls(method=method, false_negatives=None) if method in _TWO else cls(method=method)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings in a form for JSON.

        >>> TMRLSettings.from_dict(TMRLSettings(rank=8).to_dict()) == TMRLSettings(rank=8)
        True
        """
        return {**asdict(self), "dims": list(self.dims)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> TMRLSettings:
        """Build settings from what `to_dict` returned; missing ones have their defaults.

        >>> TMRLSettings.from_dict({"speed": 9})  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: 'speed' is no setting of TMRL; accepted: method, rank, ...
        """
        accepted = [field.name for field in fields(cls)]
        for name in record:
            if name not in accepted:
                raise EpochalError(f"{name!r} is no setting of TMRL; accepted: {', '.join(accepted)}")
        return cls(**record)


def get_training_settings(method: str) -> TrainSettings:
    """Return the default training settings of a method, as its authors chose."""
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    size, rate = {"ts-retriever": (64, 1e-4), "tsm": (16, 1e-5)}.get(method, (256, 1e-4))
    if method in _TWO:
        size, rate = 32, 1e-5
    return TrainSettings(
        epochs=5,
        batch_size=size,
        rate=rate,
        decay=0.0,
        warmup=0.1,
        clip=1.0,
        metric="hit@1",
        lower_is_better=False,
    )
