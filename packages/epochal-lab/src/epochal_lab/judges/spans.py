"""A judge without a language model: a document covers a period as far as its own times do, among the right words.

For each period of the question the times of the document give features (`evidence`), a calibrated logistic model turns
these into a probability, and a probability above the threshold is a yes. A document is relevant when it covers any of
the periods. For a question without periods the focus decides what is needed:

    specific_time     a time that it names; if it names none ("when was ..."), any time
    change_over_time  the periods that it compares; if they cannot be read, two times
    duration          a duration, or an interval with a beginning and an end
    recency           a time within the half-life of the answer before now; a missing verdict if now is unknown

Weights are not negative, so that every feature can only raise the probability. The threshold is the one with the best
agreement, Cohen's kappa averaged over the data sets, on the training examples.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, InputError, TimeRangeError
from epochal.ranking.pool import Window, get_windows
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
    EvidenceMatch,
    Floats,
    QuestionPart,
    Statement,
    TemporalNeeds,
    lower_part_match,
    match_any_evidence,
    match_evidence,
    read_document,
    read_question_terms,
    read_temporal_needs,
    split_events,
    strip_html,
)
from epochal_lab.metrics.runs import Verdict
from epochal_lab.metrics.significance import cohen_kappa

_STEPS: Final = 3000
_RATE: Final = 0.05
#: Keeps the weights of correlated features close.
_DECAY: Final = 1e-3


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights of the features in the order of `FEATURES`, the bias, and the lowest probability of a yes.

    `provenance` records the training data and the command.
    """

    weights: tuple[float, ...]
    bias: float
    threshold: float
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = (*self.weights, self.bias, self.threshold)
        if len(self.weights) != len(FEATURES) or not np.isfinite(values).all() or not 0 <= self.threshold <= 1:
            accepted = f"a finite weight for each of {', '.join(FEATURES)}, a finite bias, a threshold from 0 to 1"
            raise EpochalError(f"a calibration has {len(self.weights)} weights; accepted: {accepted}")

    def predict(self, features: Floats) -> float:
        """The probability that a document with these features covers the period."""
        return float(self.predict_rows(features[None, :])[0])

    def predict_rows(self, features: Floats) -> Floats:
        """The same for many, a row each."""
        # einsum adds in the same order whatever the number of rows, so that a single row gets the same result.
        return _apply_logistic(np.einsum("ij,j->i", features, np.array(self.weights)) + self.bias)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        weights = dict(zip(FEATURES, self.weights, strict=True))
        record = {"weights": weights, "bias": self.bias, "threshold": self.threshold}
        return {**record, "provenance": dict(self.provenance)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Calibration:
        """A calibration from JSON values."""
        try:
            weights = tuple(float(data["weights"][name]) for name in FEATURES)
            return cls(weights, float(data["bias"]), float(data["threshold"]), dict(data.get("provenance", {})))
        except (KeyError, TypeError, AttributeError) as error:
            accepted = f"weights for {', '.join(FEATURES)}, a bias and a threshold"
            raise EpochalError(f"a calibration lacks {error}; accepted: {accepted}") from None


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationSample:
    """Examples of one data set: rows of features, and whether the document covers the period."""

    name: str
    features: Floats
    labels: npt.NDArray[np.bool_]


def fit_calibration(samples: Sequence[CalibrationSample], provenance: Mapping[str, Any] | None = None) -> Calibration:
    """Fit a calibration; each data set has the same weight, and so have yes and no within it."""
    for sample in samples:
        if sample.labels.all() or not sample.labels.any():
            raise EpochalError(f"the {len(sample.labels)} examples of {sample.name} are all alike; give some of both")
    if not samples:
        raise EpochalError("there are no examples to fit a calibration to")
    rows = np.concatenate([sample.features for sample in samples])
    labels = np.concatenate([sample.labels for sample in samples]).astype(np.float64)
    share = np.concatenate([_balance_weights(sample.labels) for sample in samples]) / len(samples)
    at = np.zeros(rows.shape[1] + 1)
    mean, square = np.zeros_like(at), np.zeros_like(at)
    for step in range(1, _STEPS + 1):
        off = share * (_apply_logistic(rows @ at[:-1] + at[-1]) - labels)
        slope = np.append(rows.T @ off + _DECAY * at[:-1], off.sum())
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope * slope
        at -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        at[:-1] = np.maximum(at[:-1], 0.0)
    rounded = tuple(round(float(weight), 3) for weight in at)
    calibration = Calibration(rounded[:-1], rounded[-1], 0.5, provenance or {})
    probabilities = [calibration.predict_rows(sample.features) for sample in samples]
    return replace(calibration, threshold=_find_threshold(samples, probabilities))


def _find_threshold(samples: Sequence[CalibrationSample], probabilities: Sequence[Floats]) -> float:
    def measure(threshold: float) -> float:
        pairs = zip(samples, probabilities, strict=True)
        return float(np.mean([cohen_kappa(values >= threshold, sample.labels) for sample, values in pairs]))

    return max((percent / 100 for percent in range(1, 100)), key=lambda threshold: (measure(threshold), -threshold))


def _balance_weights(labels: npt.NDArray[np.bool_]) -> Floats:
    yes = labels.sum()
    weights: Floats = np.where(labels, 0.5 / yes, 0.5 / (len(labels) - yes))
    return weights


def _apply_logistic(values: Floats) -> Floats:
    low = np.exp(-np.abs(values))
    return np.where(values >= 0, 1.0 / (1.0 + low), low / (1.0 + low))


@cache
def load_default_calibration() -> Calibration:
    """The calibration that comes with the package."""
    file = resources.files("epochal_lab.judges").joinpath("weights/spans.json")
    return Calibration.from_dict(json.loads(file.read_text(encoding="utf-8")))


def read_calibration(path: str | PathLike[str]) -> Calibration:
    """A calibration from a JSON file."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(fspath(path), 0, f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(fspath(path), 0, f"is not JSON: {error}; accepted: a calibration") from None
    if not isinstance(data, dict):
        raise InputError(fspath(path), 0, "holds no calibration; accepted: an object with weights, bias and threshold")
    return Calibration.from_dict(data)


#: How many parsed documents and questions are cached; each may be judged with many of the others.
_CACHE_SIZE: Final = 4096
#: How many days back a recent time may lie, where the answer has no half-life.
_RECENT_DAYS: Final = 5500.0


@dataclass(frozen=True, slots=True)
class DocumentEvidence:
    """The evidence of a document: a match for each period, and the one that decides its relevance.

    `whole` is None where it cannot be decided.
    """

    periods: tuple[EvidenceMatch, ...]
    whole: EvidenceMatch | None


@dataclass(frozen=True, slots=True)
class _ParsedQuestion:
    needs: TemporalNeeds
    terms: Terms
    windows: tuple[Window, ...]
    parts: tuple[QuestionPart, ...] = ()


class SpanJudge:
    """The judge without a language model. The same question and document always get the same verdict.

    `background` says which words are rare among the documents to be judged; give it where they are available, as for a
    test set. Without it all words of a question weigh the same, and fewer verdicts are right.

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
        self.calibration = load_default_calibration() if calibration is None else calibration
        self._documents: _Cache[tuple[Any, ...], DatedText] = _Cache()
        self._questions: _Cache[tuple[Any, ...], _ParsedQuestion] = _Cache()

    @property
    def name(self) -> str:
        """Its name in judgements, with what is not the default."""
        parts = ["spans"]
        if self._background is not None:
            count = self._background.count
            parts.append(f"background of {count:,} document{'' if count == 1 else 's'}")
        if self.calibration != load_default_calibration():
            parts.append("own calibration")
        return ", ".join(parts)

    def judge(self, query: BenchQuery, document: Document) -> Verdict | None:
        """The verdict on a document; None for an atemporal question."""
        judgement = self.explain(query, document)
        return None if judgement is None else judgement.verdict

    def explain(self, query: BenchQuery, document: Document) -> Judgement | None:
        """The verdict with its scores, and the words that support it.

        >>> query = BenchQuery("q1", "Who won the prize in 1998?", periods=(Span.year(1998),))
        >>> SpanJudge().explain(query, Document("d1", "In 1998 Ann won the prize.")).reason
        "1998: '1998'"
        """
        evidence = self.find_evidence(query, document)
        if evidence is None:
            return None
        threshold = self.calibration.threshold
        scores = [self._predict(match) for match in evidence.periods]
        covers = tuple(score >= threshold for score in scores)
        if evidence.whole is None:
            reason = "what is recent cannot be decided without a reference time"
            return Judgement(query.id, document.id, Verdict(None, covers), self.name, reason)
        whole = self._predict(evidence.whole)
        verdict = Verdict(whole >= threshold, covers)
        reason = _format_reason(query, evidence, verdict)
        return Judgement(query.id, document.id, verdict, self.name, reason, (whole, *scores))

    def find_evidence(self, query: BenchQuery, document: Document) -> DocumentEvidence | None:
        """The evidence behind a verdict; None for an atemporal question.

        >>> query = BenchQuery("q1", "Who won the prize in 1998?", periods=(Span.year(1998),))
        >>> evidence = SpanJudge().find_evidence(query, Document("d1", "In 1998 Ann won the prize."))
        >>> evidence.periods[0].features
        array([1., 1., 1., 1., 1.])
        """
        question = self._questions.get(
            (query.text, query.now, query.periods, query.id), lambda: _parse_question(query, self._background)
        )
        if not question.needs.temporal:
            return None
        key = document.id, document.content_hash()
        text = self._documents.get(key, lambda: read_document(document))
        matches = tuple(self._match_window(question, window, text) for window in question.windows)
        dated = [item for item in text.times if item.span is not None]
        # Of the events that a question compares, one that names no time may have any.
        events = [
            lower_part_match(match_any_evidence(part.terms, text, dated)) for part in question.parts if not part.times
        ]
        found = [*matches, *events]
        if not matches and (focus := _match_focus(question, query.now, text)) is not None:
            found.append(focus)
        return DocumentEvidence(matches if query.periods else (), max(found, key=self._predict, default=None))

    def _match_window(self, question: _ParsedQuestion, window: Window, text: DatedText) -> EvidenceMatch:
        """The evidence for a window: by all words of the question, or by those of an event that names the window."""
        parts = [part.terms for part in question.parts if any(item.span == window.span for item in part.times)]
        matches = [lower_part_match(match_evidence(terms, window, text)) for terms in parts]
        return max([match_evidence(question.terms, window, text), *matches], key=self._predict)

    def _predict(self, match: EvidenceMatch) -> float:
        return self.calibration.predict(match.features)


def _parse_question(query: BenchQuery, background: Background | None) -> _ParsedQuestion:
    needs = read_temporal_needs(query)
    if needs.understanding is None:
        raise AssertionError("needs that were read have an understanding")
    times = needs.understanding.expressions
    named = get_windows(needs.understanding)
    terms = read_question_terms(strip_html(query.text), times, background)
    parts = split_events(strip_html(query.text), needs.understanding, terms)
    if not query.periods:
        # Of implied periods ("over the years") any will do, as of those that are named.
        return _ParsedQuestion(needs, terms, named or tuple(Window(span) for span in needs.periods), parts)
    as_worded = {window.span: window for window in named}
    windows = tuple(as_worded.get(span, Window(span)) for span in query.periods)
    return _ParsedQuestion(needs, terms, windows, parts)


def _match_focus(question: _ParsedQuestion, now: Span | None, document: DatedText) -> EvidenceMatch | None:
    """The evidence for a question that names no time; None where it cannot be decided."""
    dated = [item for item in document.times if item.span is not None]
    focus = question.needs.focus
    if focus == "duration":
        extents = [item for item in dated if _has_extent(item)]
        return match_any_evidence(question.terms, document, [*document.durations, *extents])
    if focus == "change_over_time":
        several = len({item.span for item in dated}) >= 2
        return match_any_evidence(question.terms, document, dated if several else [])
    if focus == "recency":
        recent = _get_recent_window(question.needs, now)
        return None if recent is None else match_evidence(question.terms, Window(recent), document)
    return match_any_evidence(question.terms, document, dated)


def _has_extent(item: Statement) -> bool:
    """Whether an interval is stated by its beginning and its end, as "from 1904 to 1906" is and "1904" is not."""
    span = item.span
    return span is not None and not span.is_open and span.seconds > 1.5 * span.coarsest_grain.seconds


def _get_recent_window(needs: TemporalNeeds, now: Span | None) -> Span | None:
    if now is None or now.end == OPEN_END or needs.understanding is None:
        return None
    days = needs.understanding.half_life or _RECENT_DAYS
    try:
        return Span(now.end - int(days * 86_400), now.end, Grain.DAY)
    except TimeRangeError:
        return None


def _format_reason(query: BenchQuery, evidence: DocumentEvidence, verdict: Verdict) -> str:
    if not query.periods:
        whole = evidence.whole
        return repr(whole.quote) if whole is not None and whole.quote else "no time that is asked for"
    rows = zip(query.periods, evidence.periods, verdict.covers, strict=True)
    return "; ".join(
        f"{period.describe()}: {repr(match.quote) if covered and match.quote else 'no'}"
        for period, match, covered in rows
    )


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Cache(Generic[_Key, _Value]):
    """A cache of the latest few thousand values, for several threads; the least recently used go first."""

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
            if len(self._values) > _CACHE_SIZE:
                self._values.popitem(last=False)
        return value
