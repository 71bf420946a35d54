"""From evidence to a chance: a logistic curve over a few features, its threshold, and where both were fitted.

The weights are kept at 0 or above, so that every feature can only speak for a document. The threshold is the one with
the best agreement, Cohen's kappa averaged over the data sets, on the examples that were learned from.

A judge without a language model: a document covers a period as far as its own times do, among the right words.

For each period of the question the document's times give a few numbers (`evidence`), a fitted curve turns these into a
chance (`calibration`), and a chance above the threshold is a yes. A document is relevant when it covers any of the
periods. Of a question without periods the focus decides what it needs:

    specific_time     a time that it names; where it names none ("when was ..."), any time
    change_over_time  the periods that it compares; where they cannot be told, two times
    duration          a duration, or a stretch of time that has a beginning and an end
    recency           a time within the half-life of the answer before the present; a gap where no present is known
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, InputError, TimeRangeError
from epochal.ranking.pool import Window, windows_of
from epochal.ranking.terms import Terms
from epochal.storage.records import Document
from epochal.times.axis import OPEN_END, Grain
from epochal.times.span import Span
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.judges.base import Judgement
from epochal_lab.judges.evidence import (
    FEATURES,
    Background,
    DatedText,
    Floats,
    Gate,
    Sighting,
    Statement,
    plain_text,
    question_terms,
    read_document,
    read_gate,
    sight,
    sight_any,
)
from epochal_lab.metrics.runs import Verdict
from epochal_lab.metrics.significance import cohen_kappa

__all__ = ["Calibration", "Look", "Sample", "SpanJudge", "default_calibration", "fit", "read_calibration"]


_STEPS: Final = 3000
_RATE: Final = 0.05
#: Keeps the weights of features that say the same from growing apart.
_DECAY: Final = 1e-3


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights of the features in the order of `FEATURES`, what is added to their sum, the least chance for a yes.

    `provenance` says what it was fitted on, by which command.
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
        """How likely it is that a document with these features covers the period."""
        return float(self.chances(features[None, :])[0])

    def chances(self, features: Floats) -> Floats:
        """The same for many, a row each."""
        # einsum adds in the same order whatever the number of rows, so that one alone gets the same chance.
        return _logistic(np.einsum("ij,j->i", features, np.array(self.weights)) + self.bias)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        named = dict(zip(FEATURES, self.weights, strict=True))
        told = {"weights": named, "bias": self.bias, "threshold": self.threshold}
        return {**told, "provenance": dict(self.provenance)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Calibration:
        """A calibration from what JSON holds."""
        try:
            weights = tuple(float(data["weights"][name]) for name in FEATURES)
            return cls(weights, float(data["bias"]), float(data["threshold"]), dict(data.get("provenance", {})))
        except (KeyError, TypeError, AttributeError) as error:
            accepted = f"weights for {', '.join(FEATURES)}, a bias and a threshold"
            raise EpochalError(f"a calibration lacks {error}; accepted: {accepted}") from None


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Examples of one data set: a row of features each, and whether the document covers the period."""

    name: str
    features: Floats
    labels: npt.NDArray[np.bool_]


def fit(samples: Sequence[Sample], provenance: Mapping[str, Any] | None = None) -> Calibration:
    """The calibration that tells yes from no best; each data set counts alike, and in it yes and no do."""
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
    """The calibration that comes with the package."""
    file = resources.files("epochal_lab.judges").joinpath("weights/spans.json")
    return Calibration.from_dict(json.loads(file.read_text(encoding="utf-8")))


def read_calibration(path: str | PathLike[str]) -> Calibration:
    """A calibration from a file of JSON."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(fspath(path), 0, f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(fspath(path), 0, f"is not JSON: {error}; accepted: a calibration") from None
    if not isinstance(data, dict):
        raise InputError(fspath(path), 0, "holds no calibration; accepted: an object with weights, bias and threshold")
    return Calibration.from_dict(data)


#: How many documents and questions are kept read; each may be judged with many of the others.
_KEPT: Final = 4096
#: How far back a recent time may lie, in days, where the answer never goes stale.
_RECENT_DAYS: Final = 5500.0


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of a document: the best sighting for each period, and the one that its relevance rests on.

    Either is None where it could not be told.
    """

    periods: tuple[Sighting, ...]
    whole: Sighting | None


@dataclass(frozen=True, slots=True)
class _Asked:
    gate: Gate
    terms: Terms
    windows: tuple[Window, ...]


class SpanJudge:
    """The judge without a language model. The same question and document always get the same verdict.

    `background` tells which words are rare among the documents that will be judged; give it where they are at hand, as
    they are for a test set. Without it all words of a question weigh alike, and fewer verdicts are right.

    >>> judge = SpanJudge()
    >>> tolls = Document("d1", "In 1850 the tolls were doubled.")
    >>> both = Span.year(1850), Span.year(1990)
    >>> judge.judge(BenchQuery("q1", "How did tolls differ in 1850 and in 1990?", periods=both), tolls)
    Verdict(relevant=True, covers=(True, False))
    >>> judge.judge(BenchQuery("q2", "What is a Merkle tree?"), tolls) is None
    True
    """

    def __init__(self, background: Background | None = None, calibration: Calibration | None = None) -> None:
        self._background = background
        self.calibration = default_calibration() if calibration is None else calibration
        self._documents: _Kept[tuple[Any, ...], DatedText] = _Kept()
        self._questions: _Kept[tuple[Any, ...], _Asked] = _Kept()

    @property
    def name(self) -> str:
        """The name under which its judgements are kept, with what is not as usual.

        >>> SpanJudge().name, SpanJudge(Background.of([Document("d1", "Rain.")])).name
        ('spans', 'spans, background of 1 document')
        """
        parts = ["spans"]
        if self._background is not None:
            count = self._background.count
            parts.append(f"background of {count:,} document{'' if count == 1 else 's'}")
        if self.calibration != default_calibration():
            parts.append("own calibration")
        return ", ".join(parts)

    def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
        """The verdict on a document; None for a question that asks nothing of time.

        >>> SpanJudge().judge(BenchQuery("q1", "Who was king in 44 BCE?"), Document("d1", "He was king in 44 BCE."))
        Verdict(relevant=True, covers=())
        """
        found = self.explain(query, document)
        return None if found is None else found.verdict

    def explain(self, query: BenchQuery, document: Document) -> Judgement | None:
        """The verdict with its scores, and the words that speak for it.

        >>> asked = BenchQuery("q1", "Who won the prize in 1998?", periods=(Span.year(1998),))
        >>> SpanJudge().explain(asked, Document("d1", "In 1998 Ann won the prize.")).reason
        "1998: '1998'"
        """
        look = self.look(query, document)
        if look is None:
            return None
        at = self.calibration
        chances = [at.chance(sighting.features) for sighting in look.periods]
        covers = tuple(chance >= at.threshold for chance in chances)
        if look.whole is None:
            reason = "what is recent cannot be told, for no present is known"
            return Judgement(query.id, document.id, Verdict(None, covers), self.name, reason)
        whole = max(chances, default=at.chance(look.whole.features))
        verdict = Verdict(whole >= at.threshold, covers)
        return Judgement(query.id, document.id, verdict, self.name, _reason(query, look, verdict), (whole, *chances))

    def look(self, query: BenchQuery, document: Document) -> Look | None:
        """What the verdict rests on; None for a question that asks nothing of time.

        >>> asked = BenchQuery("q1", "Who won the prize in 1998?", periods=(Span.year(1998),))
        >>> look = SpanJudge().look(asked, Document("d1", "In 1998 Ann won the prize."))
        >>> look.periods[0].features
        array([1., 1., 1., 1., 1.])
        """
        asked = self._questions.get(
            (query.text, query.now, query.periods, query.id), lambda: _ask(query, self._background)
        )
        if not asked.gate.temporal:
            return None
        key = document.id, document.content_hash()
        read = self._documents.get(key, lambda: read_document(document))
        seen = tuple(sight(asked.terms, window, read) for window in asked.windows)
        if query.periods:
            return Look(seen, max(seen, key=self._chance))
        if seen:
            return Look((), max(seen, key=self._chance))
        return Look((), _focused(asked, query.now, read))

    def _chance(self, sighting: Sighting) -> float:
        return self.calibration.chance(sighting.features)


def _ask(query: BenchQuery, background: Background | None) -> _Asked:
    gate = read_gate(query)
    if gate.understanding is None:
        raise AssertionError("a gate that was read comes with what was understood")
    times = gate.understanding.expressions
    named = windows_of(gate.understanding)
    terms = question_terms(plain_text(query.text), times, background)
    if not query.periods:
        # Across periods that are only implied ("over the years") any of them will do, as for those that are named.
        return _Asked(gate, terms, named or tuple(Window(span) for span in gate.periods))
    as_worded = {window.span: window for window in named}
    return _Asked(gate, terms, tuple(as_worded.get(span, Window(span)) for span in query.periods))


def _focused(asked: _Asked, now: Span | None, read: DatedText) -> Sighting | None:
    """What a document says for a question that names no time; None where that cannot be told."""
    dated = [item for item in read.times if item.span is not None]
    focus = asked.gate.focus
    if focus == "duration":
        return sight_any(asked.terms, read, [*read.durations, *(item for item in dated if _has_length(item))])
    if focus == "change_over_time":
        several = len({item.span for item in dated}) >= 2
        return sight_any(asked.terms, read, dated if several else [])
    if focus == "recency":
        recent = _recent(asked.gate, now)
        return None if recent is None else sight(asked.terms, Window(recent), read)
    return sight_any(asked.terms, read, dated)


def _has_length(item: Statement) -> bool:
    """Whether a stretch is stated by its beginning and its end, as "from 1904 to 1906" is and "1904" is not."""
    span = item.span
    return span is not None and not span.is_open and span.seconds > 1.5 * span.coarsest_grain.seconds


def _recent(gate: Gate, now: Span | None) -> Span | None:
    if now is None or now.end == OPEN_END or gate.understanding is None:
        return None
    days = gate.understanding.half_life or _RECENT_DAYS
    try:
        return Span(now.end - int(days * 86_400), now.end, Grain.DAY)
    except TimeRangeError:
        return None


def _reason(query: BenchQuery, look: Look, verdict: Verdict) -> str:
    if not query.periods:
        return repr(look.whole.quote) if look.whole is not None and look.whole.quote else "no time that is asked for"
    told = zip(query.periods, look.periods, verdict.covers, strict=True)
    return "; ".join(
        f"{period.describe()}: {repr(sighting.quote) if covered and sighting.quote else 'no'}"
        for period, sighting, covered in told
    )


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Kept(Generic[_Key, _Value]):
    """The last few thousand values that were made, for several threads; those longest unused go first."""

    def __init__(self) -> None:
        self._values: OrderedDict[_Key, _Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: _Key, make: Callable[[], _Value]) -> _Value:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            if len(self._values) > _KEPT:
                self._values.popitem(last=False)
        return value
