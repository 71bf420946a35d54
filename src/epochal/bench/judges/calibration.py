"""From evidence to a chance: a logistic curve over a few features, its threshold, and where both were fitted.

The weights are kept at 0 or above, so that every feature can only speak for a document. The threshold is the one with
the best agreement, Cohen's kappa averaged over the data sets, on the examples that were learned from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from epochal.bench.judges.evidence import FEATURES, Floats
from epochal.bench.metrics.significance import cohen_kappa
from epochal.errors import EpochalError, InputError

__all__ = ["Calibration", "Sample", "default_calibration", "fit", "read_calibration"]

_STEPS: Final = 3000
_RATE: Final = 0.05
#: Keeps the weights of features that say the same from growing apart.
_DECAY: Final = 1e-3


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights of the features in the order of `FEATURES`, what is added to their sum, the least chance for a yes.

    `provenance` says what it was fitted on, by which command.

    >>> even = Calibration((1.0,) * len(FEATURES), -3.0, 0.5)
    >>> even.chance(np.zeros(len(FEATURES))) < 0.1 < 0.8 < even.chance(np.ones(len(FEATURES)))
    True
    """

    weights: tuple[float, ...]
    bias: float
    threshold: float
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = (*self.weights, self.bias, self.threshold)
        if len(self.weights) != len(FEATURES) or not np.isfinite(numbers).all() or not 0 <= self.threshold <= 1:
            accepted = f"a finite weight for each of {', '.join(FEATURES)}, a finite bias, a threshold from 0 to 1"
            raise EpochalError(f"a calibration has {len(self.weights)} weights; accepted: {accepted}")

    def chance(self, features: Floats) -> float:
        """How likely it is that a document with these features covers the period.

        >>> Calibration((0.0,) * len(FEATURES), 0.0, 0.5).chance(np.ones(len(FEATURES)))
        0.5
        """
        return float(self.chances(features[None, :])[0])

    def chances(self, features: Floats) -> Floats:
        """The same for many, a row each.

        >>> Calibration((0.0,) * len(FEATURES), 0.0, 0.5).chances(np.ones((2, len(FEATURES))))
        array([0.5, 0.5])
        """
        # einsum adds in the same order whatever the number of rows, so that one alone gets the same chance.
        return _logistic(np.einsum("ij,j->i", features, np.array(self.weights)) + self.bias)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> sorted(Calibration((0.0,) * len(FEATURES), 0.0, 0.5).to_dict())
        ['bias', 'provenance', 'threshold', 'weights']
        """
        named = dict(zip(FEATURES, self.weights, strict=True))
        told = {"weights": named, "bias": self.bias, "threshold": self.threshold}
        return {**told, "provenance": dict(self.provenance)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Calibration:
        """A calibration from what JSON holds.

        >>> Calibration.from_dict(default_calibration().to_dict()) == default_calibration()
        True
        """
        try:
            weights = tuple(float(data["weights"][name]) for name in FEATURES)
            return cls(weights, float(data["bias"]), float(data["threshold"]), dict(data.get("provenance", {})))
        except (KeyError, TypeError, AttributeError) as error:
            accepted = f"weights for {', '.join(FEATURES)}, a bias and a threshold"
            raise EpochalError(f"a calibration lacks {error}; accepted: {accepted}") from None


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Examples of one data set: a row of features each, and whether the document covers the period.

    >>> Sample("own", np.zeros((2, len(FEATURES))), np.array([True, False])).name
    'own'
    """

    name: str
    features: Floats
    labels: npt.NDArray[np.bool_]


def fit(samples: Sequence[Sample], provenance: Mapping[str, Any] | None = None) -> Calibration:
    """The calibration that tells yes from no best; each data set counts alike, and in it yes and no do.

    >>> rows = np.repeat(np.linspace(0, 1, 20)[:, None], len(FEATURES), axis=1)
    >>> found = fit([Sample("own", rows, rows[:, 0] > 0.5)])
    >>> found.chance(rows[2]) < found.threshold < found.chance(rows[17])
    True
    """
    for sample in samples:
        if sample.labels.all() or not sample.labels.any():
            raise EpochalError(f"the {len(sample.labels)} examples of {sample.name} are all alike; give some of both")
    if not samples:
        raise EpochalError("there are no examples to fit a calibration to")
    rows = np.concatenate([sample.features for sample in samples])
    labels = np.concatenate([sample.labels for sample in samples]).astype(np.float64)
    share = np.concatenate([_balanced(sample.labels) for sample in samples]) / len(samples)
    at = np.zeros(rows.shape[1] + 1)
    mean, square = np.zeros_like(at), np.zeros_like(at)
    for step in range(1, _STEPS + 1):
        off = share * (_logistic(rows @ at[:-1] + at[-1]) - labels)
        slope = np.append(rows.T @ off + _DECAY * at[:-1], off.sum())
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope * slope
        at -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        at[:-1] = np.maximum(at[:-1], 0.0)
    rounded = tuple(round(float(weight), 3) for weight in at)
    made = Calibration(rounded[:-1], rounded[-1], 0.5, provenance or {})
    chances = [made.chances(sample.features) for sample in samples]
    threshold = _best_threshold(samples, chances)
    return Calibration(made.weights, made.bias, threshold, made.provenance)


def _best_threshold(samples: Sequence[Sample], chances: Sequence[Floats]) -> float:
    def agreement(threshold: float) -> float:
        pairs = zip(samples, chances, strict=True)
        return float(np.mean([cohen_kappa(found >= threshold, sample.labels) for sample, found in pairs]))

    return max((number / 100 for number in range(1, 100)), key=lambda threshold: (agreement(threshold), -threshold))


def _balanced(labels: npt.NDArray[np.bool_]) -> Floats:
    yes = labels.sum()
    weights: Floats = np.where(labels, 0.5 / yes, 0.5 / (len(labels) - yes))
    return weights


def _logistic(values: Floats) -> Floats:
    low = np.exp(-np.abs(values))
    return np.where(values >= 0, 1.0 / (1.0 + low), low / (1.0 + low))


@cache
def default_calibration() -> Calibration:
    """The calibration that comes with the package.

    >>> 0 < default_calibration().threshold < 1
    True
    """
    file = resources.files("epochal.bench.judges").joinpath("weights/spans.json")
    return Calibration.from_dict(json.loads(file.read_text(encoding="utf-8")))


def read_calibration(path: str | PathLike[str]) -> Calibration:
    """A calibration from a file of JSON.

    >>> read_calibration("no/such.json")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such.json: cannot be read: No such file or directory
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(fspath(path), 0, f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(fspath(path), 0, f"is not JSON: {error}; accepted: a calibration") from None
    if not isinstance(data, dict):
        raise InputError(fspath(path), 0, "holds no calibration; accepted: an object with weights, bias and threshold")
    return Calibration.from_dict(data)
