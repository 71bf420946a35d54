"""Settings of Re3: training presets, encodings of time gaps, and the shape of a model. Needs no torch.

The paper's waves have frequencies f_i = 3^(2i/d), so that all wavelengths lie between 6.3 and 18.8 units: a gap and one
three weeks longer look alike. The logarithmic ones run from two days to four hundred years, together with the logarithm
of the gap itself, which is not periodic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

import numpy as np
import numpy.typing as npt

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


Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.float32]

_YEAR: Final = 365.2425
#: Days of each unit, with mean Gregorian years and months.
UNIT_DAYS: Final = {"days": 1.0, "months": _YEAR / 12, "years": _YEAR}
_MIN_WAVE: Final = 2.0
_MAX_WAVE: Final = 400 * _YEAR
#: The logarithm of the longest gap that is distinguished: about 27,000 years.
_LOG_SCALE: Final = 16.0

#: Encodings of a gap: the paper's waves, log-spaced waves, and the two that the paper compares with.
ENCODINGS: Final = ("base3", "log", "difference", "repeat")
#: How text and time scores are combined: a plain sum, one weight for all queries, one for each.
GATES: Final = ("off", "scalar", "query")
#: Units of the paper's waves; "kind" depends on what is known: years without document dates, months without a query
#: window, days with both.
UNITS: Final = ("kind", "days", "months", "years")


def encode_base3(gaps: Floats, width: int) -> Codes:
    """The paper's encoding: e[2i] = sin(gap / f_i), e[2i + 1] = cos(gap / f_i) with f_i = 3^(2i/width)."""
    _check_width(width)
    scale = 3.0 ** (2 * np.arange(width // 2) / width)
    angles = np.asarray(gaps, dtype=np.float64)[:, None] / scale
    return _interleave(np.sin(angles), np.cos(angles))


def encode_log(days: Floats, width: int) -> Codes:
    """Encode gaps by waves with log-spaced lengths from two days to four hundred years, then by size and sign.

    A wave of length w has the angle 2 pi gap / w. The last two columns are log(1 + |gap|) / 16 and the sign of the gap.
    The width counts the waves alone.
    """
    _check_width(width)
    gaps = np.asarray(days, dtype=np.float64)
    lengths = np.geomspace(_MIN_WAVE, _MAX_WAVE, width // 2)
    angles = 2 * np.pi * gaps[:, None] / lengths
    size = np.log1p(np.abs(gaps)) / _LOG_SCALE
    return np.column_stack([_interleave(np.sin(angles), np.cos(angles)), size, np.sign(gaps)]).astype(np.float32)


def encode_repeat(gaps: Floats, width: int) -> Codes:
    """Repeat the gap itself `width` times."""
    _check_width(width)
    return np.repeat(np.asarray(gaps, dtype=np.float32)[:, None], width, axis=1)


def _interleave(sines: Floats, cosines: Floats) -> Codes:
    both = np.stack([sines, cosines], axis=2)
    return both.reshape(len(both), -1).astype(np.float32)


def _check_width(width: int) -> None:
    if width < 2 or width % 2:
        raise EpochalError(f"the width of an encoding is {width}; accepted: an even number from 2")


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
