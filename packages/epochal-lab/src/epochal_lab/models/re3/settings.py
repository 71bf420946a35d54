"""Settings of Re3: training presets and the shape of a model. Needs neither torch nor numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from epochal.errors import EpochalError
from epochal_lab.models.training.settings import TrainSettings

#: For the paper's model, whose training is not described: usual values for a small network on a frozen encoder.
PARITY: Final = TrainSettings(
    epochs=10, batch_size=64, rate=1e-3, decay=0.01, metric="hit@1", lower_is_better=False, patience=4
)
#: For the recommended model.
IMPROVED: Final = TrainSettings(
    epochs=12, batch_size=32, rate=4e-3, decay=0.01, metric="hit@1", lower_is_better=False, patience=4
)
#: The share of queries that the recommended model is trained on with some of their times hidden.
DROPOUT: Final = 0.5

#: Encodings of a gap: the paper's waves, log-spaced waves, and the two that the paper compares with.
ENCODINGS: Final = ("base3", "log", "difference", "repeat")
#: How text and time scores are combined: a plain sum, one weight for all queries, one for each.
GATES: Final = ("off", "scalar", "query")
#: Units of the paper's waves; "kind" depends on what is known: years without document dates, months without a query
#: window, days with both.
UNITS: Final = ("kind", "days", "months", "years")


@dataclass(frozen=True, slots=True)
class Re3Settings:
    """The shape of a model. `parity()` is the paper's as far as it is described, `improved()` the recommended one.

    `encoding`, `width` and `unit` define how a gap is encoded; `signed` keeps its direction, and `overlap` adds the
    overlap of the two times. With `missing` an unknown time has a learned vector and a flag; without, it counts as a
    gap of 0. `hidden` is the width of the projection, `residual` adds the text's vector to its output, and `norm`
    normalises the sum. `gate` is one of `GATES`. `standing` adds how a candidate compares with newer ones, `words` adds
    BM25 to the similarity of vectors, and `head` adds a score of the times alone. `depth` is the number of candidates
    that are reranked, the most similar first; None for all.
    """

    encoding: str = "log"
    width: int = 64
    unit: str = "kind"
    signed: bool = True
    overlap: bool = True
    missing: bool = True
    hidden: int = 128
    residual: bool = True
    norm: bool = False
    gate: str = "query"
    standing: bool = True
    words: bool = True
    head: int = 32
    depth: int | None = None
    temperature: float = 0.05

    def __post_init__(self) -> None:
        for name, known in (("encoding", ENCODINGS), ("gate", GATES), ("unit", UNITS)):
            if getattr(self, name) not in known:
                raise EpochalError(
                    f"the setting {name} of Re3 is {getattr(self, name)!r}; accepted: {', '.join(known)}"
                )
        for name in ("signed", "overlap", "missing", "residual", "norm", "standing", "words"):
            if not isinstance(getattr(self, name), bool):
                raise EpochalError(f"the setting {name} of Re3 is {getattr(self, name)!r}; accepted: true or false")
        for name, minimum in (("width", 2), ("hidden", 1), ("head", 0)):
            if not _is_whole(getattr(self, name)) or getattr(self, name) < minimum:
                raise EpochalError(
                    f"the setting {name} of Re3 is {getattr(self, name)!r}; accepted: a whole number from {minimum}"
                )
        if self.width % 2:
            raise EpochalError(
                f"the setting width of Re3 is {self.width}; accepted: an even number, a sine and a cosine"
            )
        if self.depth is not None and (not _is_whole(self.depth) or self.depth < 1):
            raise EpochalError(f"the setting depth of Re3 is {self.depth!r}; accepted: a whole number from 1, or null")
        if not isinstance(self.temperature, int | float) or not 0 < self.temperature < float("inf"):
            raise EpochalError(f"the setting temperature of Re3 is {self.temperature!r}; accepted: a number above 0")

    @classmethod
    def parity(cls, **changes: Any) -> Re3Settings:
        """The paper's: base-3 waves of absolute gaps, a scalar gate, the top 50 reranked."""
        paper: dict[str, Any] = {
            "encoding": "base3",
            "hidden": 256,
            "signed": False,
            "overlap": False,
            "residual": False,
            "gate": "scalar",
            "standing": False,
            "words": False,
            "head": 0,
            "depth": 50,
        }
        return cls(**{**paper, **changes})

    @classmethod
    def improved(cls, **changes: Any) -> Re3Settings:
        """The recommended settings."""
        return cls(**changes)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Re3Settings:
        """Build settings from a mapping."""
        names = [field.name for field in fields(cls)]
        for name in data:
            if name not in names:
                raise EpochalError(f"Re3 has no setting {name!r}; accepted: {', '.join(names)}")
        return cls(**data)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
