"""The parts of a CTD model: the published one, its baselines, and the improved one. Needs no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.models.training.settings import check_booleans, check_choice, check_number, check_whole

#: How the time of a text is predicted: not at all; reign, year and month separately; all years jointly.
HEADS: Final = ("none", "levels", "joint")
#: How the predicted time enters the vectors.
CONTEXTS: Final = ("none", "add", "concat", "likelihood")
#: The named settings.
PRESETS: Final = ("official", "official-qwen", "improved", "ft", "tempdate", "tempdate-smooth")
#: What CTD-Qwen puts before questions: Qwen3-Embedding's form, without a space at its end. The task is in our words.
QWEN_PREFIX: Final = (
    "Instruct: Given a question about the Spring and Autumn Annals, retrieve passages that describe the historical "
    "events it asks about\nQuery:"
)


@dataclass(frozen=True, slots=True)
class CTDSettings:
    """The parts of a model, and its training targets.

    `heads` predict the time of a text, and `context` puts it into the vectors: "add" adds projected codes to the hidden
    vector, "concat" concatenates them, and "likelihood" concatenates the likelihood that the record is of the query's
    time. `bias` adds a learned function of the distance in time. `multi_positive` counts every record of the query's
    months as right. `negatives` is the number of hard negatives per question. `smoothing` is the share of a label that
    its neighbours get ("levels"), `sigma` the years that the label of a year is spread over, and `spread` the years
    over which own weights are smoothed ("joint"). With `question_heads` questions have heads of their own, which read
    stated reigns and years only and so work equally well in years without training questions. With `ngrams`, a table of
    that many n-grams of one to three tokens is fitted to all training records in `ngram_steps` steps before the rest is
    trained; its output is added to what the heads predict for records, or is all of it without `deep_heads`. Questions
    begin with `question_prefix`; texts are truncated to `question_length` and `record_length` tokens.

    >>> official = CTDSettings.official()
    >>> official.temperature, official.smoothing, official.time_weight, official.negatives
    (0.05, 0.2, 0.1, 1)
    >>> CTDSettings(context="sum")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: context is 'sum'; accepted: none, add, concat, likelihood
    """

    heads: str = "levels"
    context: str = "add"
    bias: bool = True
    multi_positive: bool = True
    negatives: int = 1
    pool: int = 16
    temperature: float = 0.05
    time_weight: float = 0.1
    smoothing: float = 0.2
    sigma: float = 0.0
    spread: float = 0.0
    full_codes: bool = False
    time_width: int = 64
    bias_width: int = 32
    supervise_questions: bool = False
    question_heads: bool = False
    supervise_negatives: bool = False
    worth: bool = False
    alone_weight: float = 0.0
    head_rate: float = 1.0
    deep_heads: bool = True
    ngrams: int = 0
    ngram_steps: int = 100
    question_length: int = 64
    record_length: int = 196
    question_prefix: str = ""

    def __post_init__(self) -> None:
        check_booleans(self)
        check_choice("heads", self.heads, HEADS)
        check_choice("context", self.context, CONTEXTS)
        if not isinstance(self.question_prefix, str):
            raise EpochalError(f"question_prefix is {self.question_prefix!r}; accepted: a text")
        for name, minimum in (
            ("negatives", 0),
            ("ngrams", 0),
            ("ngram_steps", 1),
            ("pool", 1),
            ("question_length", 2),
            ("record_length", 2),
            ("time_width", 4),
            ("bias_width", 4),
        ):
            check_whole(name, getattr(self, name), minimum)
        for name in ("temperature", "head_rate"):
            check_number(name, getattr(self, name), getattr(self, name) >= 1e-6, "a number from 1e-06")
        for name in ("time_weight", "smoothing", "sigma", "spread", "alone_weight"):
            check_number(name, getattr(self, name), getattr(self, name) >= 0, "a number from 0")
        if self.heads == "none" and (self.context != "none" or self.bias):
            raise EpochalError(
                f"context {self.context!r} and bias {self.bias} need heads; accepted: heads levels or joint"
            )
        if self.context == "likelihood" and self.heads != "joint":
            raise EpochalError(f"the context 'likelihood' needs the heads 'joint', but they are {self.heads!r}")
        if self.question_heads and not (self.heads == "joint" and self.supervise_questions):
            raise EpochalError("question_heads need the heads 'joint' and supervise_questions, which one of them lacks")
        if not self.deep_heads and not self.ngrams:
            raise EpochalError("without deep_heads the time of records is read of their ngrams, but there are none")
        if self.ngrams and self.heads != "joint":
            raise EpochalError(f"ngrams need the heads 'joint', but they are {self.heads!r}")
        if self.alone_weight and self.context != "likelihood":
            raise EpochalError(f"alone_weight is {self.alone_weight:g}; accepted with the context 'likelihood' only")

    @classmethod
    def official(cls) -> CTDSettings:
        """The published model: three heads, added codes, a bias, and all records of the query's months as positives."""
        return cls()

    @classmethod
    def official_qwen(cls) -> CTDSettings:
        """The published model over Qwen3-Embedding, whose questions state their task; pool the last token.

        >>> CTDSettings.official_qwen().question_prefix[-6:], CTDSettings.official_qwen().record_length
        ('Query:', 256)
        """
        return cls(question_length=128, record_length=256, question_prefix=QWEN_PREFIX)

    @classmethod
    def improved(cls) -> CTDSettings:
        """The improved model: years predicted jointly, of questions too, and records ranked by the likelihood of their
        time.
        """
        return cls(
            heads="joint",
            context="likelihood",
            bias=False,
            negatives=2,
            time_weight=1.0,
            smoothing=0.0,
            spread=4.0,
            full_codes=True,
            supervise_questions=True,
            question_heads=True,
            worth=True,
            alone_weight=1.0,
            head_rate=5.0,
            ngrams=40_000,
        )

    @classmethod
    def baseline(cls, name: str) -> CTDSettings:
        """A baseline of the paper: "ft" is contrastive only; "tempdate" also predicts times; "tempdate-smooth" smooths
        labels.

        >>> CTDSettings.baseline("tempdate").heads, CTDSettings.baseline("ft").heads
        ('levels', 'none')
        """
        plain = cls(heads="none", context="none", bias=False, multi_positive=False, time_weight=0.0, smoothing=0.0)
        if name == "ft":
            return plain
        if name in ("tempdate", "tempdate-smooth"):
            return replace(plain, heads="levels", time_weight=0.1, smoothing=0.2 if name == "tempdate-smooth" else 0.0)
        raise UnknownNameError("baseline", name, ("ft", "tempdate", "tempdate-smooth"))

    @classmethod
    def from_name(cls, name: str) -> CTDSettings:
        """Return the settings of a preset."""
        if name not in PRESETS:
            raise UnknownNameError("settings", name, PRESETS)
        if name.startswith("official"):
            return cls.official_qwen() if name == "official-qwen" else cls.official()
        return cls.improved() if name == "improved" else cls.baseline(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings in a form for JSON.

        >>> CTDSettings.from_dict(CTDSettings.improved().to_dict()) == CTDSettings.improved()
        True
        """
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> CTDSettings:
        """Build settings from what `to_dict` returned; missing ones are as published."""
        accepted = {field.name for field in fields(cls)}
        for name in record:
            if name not in accepted:
                raise EpochalError(f"{name!r} is no setting of CTD; accepted: {', '.join(sorted(accepted))}")
        return cls(**record)
