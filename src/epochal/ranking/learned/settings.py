"""What a Re3 model is made of: how it sees gaps in time, and how it puts their evidence together with that of words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from epochal.errors import EpochalError

__all__ = ["ENCODINGS", "GATES", "UNITS", "Re3Settings"]

#: How a gap becomes a vector: the paper's waves, waves of all lengths, and the two that the paper compares with.
ENCODINGS: Final = ("base3", "log", "difference", "repeat")
#: How the scores of text and time are put together: a plain sum, one number for all questions, one for each.
GATES: Final = ("off", "scalar", "query")
#: What the paper's waves count in; "kind" is by what is known: years without dates of documents, months without a
#: time in the question, days with both.
UNITS: Final = ("kind", "days", "months", "years")


@dataclass(frozen=True, slots=True)
class Re3Settings:
    """The shape of a model. `parity()` is the paper's as far as it tells, `improved()` the one that is recommended.

    `encoding`, `width` and `unit` say how a gap becomes numbers; `signed` keeps which side it lies on, and `overlap`
    how much of the two times is shared. With `missing` a time that is not known has a learned vector and a flag, and
    without it counts as a gap of 0. `hidden` is the width of the projection, `residual` adds the vector of the text to
    what comes of it, and `norm` levels that. `gate` is one of `GATES`. `standing` adds how a candidate stands among
    newer ones, `words` adds BM25 to the likeness of vectors, and `head` adds a score of the times alone. `depth` is
    how many candidates, the best by meaning, are ranked anew; None for all.

    >>> Re3Settings.parity().encoding, Re3Settings.improved().gate
    ('base3', 'query')
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
        for name, least in (("width", 2), ("hidden", 1), ("head", 0)):
            if not _whole(getattr(self, name)) or getattr(self, name) < least:
                raise EpochalError(
                    f"the setting {name} of Re3 is {getattr(self, name)!r}; accepted: a whole number from {least}"
                )
        if self.width % 2:
            raise EpochalError(
                f"the setting width of Re3 is {self.width}; accepted: an even number, a sine and a cosine"
            )
        if self.depth is not None and (not _whole(self.depth) or self.depth < 1):
            raise EpochalError(f"the setting depth of Re3 is {self.depth!r}; accepted: a whole number from 1, or null")
        if not isinstance(self.temperature, int | float) or not 0 < self.temperature < float("inf"):
            raise EpochalError(f"the setting temperature of Re3 is {self.temperature!r}; accepted: a number above 0")

    @classmethod
    def parity(cls, **changes: Any) -> Re3Settings:
        """The paper's: waves of base 3 over absolute gaps, one number for the gate, the best 50 ranked anew.

        >>> Re3Settings.parity(gate="off").gate
        'off'
        """
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
        """The recommended one.

        >>> Re3Settings.improved(words=False).words
        False
        """
        return cls(**changes)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Re3Settings.parity().to_dict()["depth"]
        50
        """
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Re3Settings:
        """Settings from what JSON holds.

        >>> Re3Settings.from_dict({"wide": 1})
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: Re3 has no setting 'wide'; accepted: encoding, width, unit, signed, overlap,
        missing, hidden, residual, norm, gate, standing, words, head, depth, temperature
        """
        names = [field.name for field in fields(cls)]
        for name in data:
            if name not in names:
                raise EpochalError(f"Re3 has no setting {name!r}; accepted: {', '.join(names)}")
        return cls(**data)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
