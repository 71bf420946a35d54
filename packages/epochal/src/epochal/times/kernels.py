"""Scores of time: how well a document's span matches a query window (`align`), and how fresh it is (`freshness`).

For a query window q and a document's span d let

    x = min(end_q, end_d) - max(start_q, start_d)      the shared time; below 0, minus the gap
    u = max(unit_q, unit_d)                            a unit is one grain long, two when approximate
    touch = 0.25, or 0.45 when either is approximate   the score of spans that just touch

The score is `trust_d` times the weight of d times

    touch * (1 - gap / (margin * u))^2                 apart: a smooth fall to 0 over five units (`margin`)
    touch + (1 - touch) * (share + cover) / 2          with shared time, where share = x / |d| and
                                                       cover = x / min(|q|, |d|) / (1 + vagueness / 4)

so it is 1 when d lies in q, high when d contains q ("1993-2001" for a question about 1998), and continuous in between.
The vagueness of d is how many times longer than q it is, in powers of ten, up to 3: "the 20th century" says less about
1998 than "1993-2001". A span open at one end ("since 1985") has a vagueness of 1; one open at both ends has a cover of
0. `trust_d` is 1 for certain spans, .95 for approximate ones, .8 for uncertain ones, .76 for both. Where no span is in
doubt and units and lengths are equal, align(q, d) = align(d, q).

"Before" and "after" target everything on that side of the window; a document on the other side loses by its distance.

Because the fall ends, only documents near the window need any arithmetic; the index of the SpanSet finds them.

The freshness curves and their parameters are those of Elasticsearch's decay functions: at `scale` (beyond `offset`) the
score is `decay`. Unlike there, an age is measured to the near end of a span ("2026" is not 1 January), and spans in the
future follow a policy:

    as_new    the future counts as now (the default)
    mirror    the future loses by its distance, as the past does (Elasticsearch)
    zero      the future scores 0
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple, Protocol, get_args

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, UnknownNameError
from epochal.times.axis import OPEN_END, OPEN_START, Certainty, Grain
from epochal.times.span import Span
from epochal.times.spanset import SpanSet

Floats = npt.NDArray[np.float64]
FuturePolicy = Literal["as_new", "mirror", "zero"]


class Curve(Protocol):
    """A fall-off over ages in seconds, each 0 or more, into [0, 1]."""

    def __call__(self, age: Floats) -> Floats:
        """The score of each age."""
        ...


@dataclass(frozen=True, slots=True)
class _Decay:
    scale: float
    decay: float = 0.5
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not (self.scale > 0 and math.isfinite(self.scale)):
            raise EpochalError(f"scale must be a length of time above 0 (seconds), but is {self.scale}")
        if not 0 < self.decay < 1:
            raise EpochalError(f"decay must lie between 0 and 1, but is {self.decay}")
        if not self.offset >= 0:
            raise EpochalError(f"offset must be 0 or more (seconds), but is {self.offset}")

    def _subtract_offset(self, age: Floats) -> Floats:
        return np.maximum(age - self.offset, 0.0)


@dataclass(frozen=True, slots=True)
class Exponential(_Decay):
    """Loses the same share in each `scale`: with the default decay, `scale` is the half-life.

    >>> Exponential(scale=30 * 86400)(np.array([0.0, 30 * 86400, 60 * 86400]))
    array([1.  , 0.5 , 0.25])
    """

    def __call__(self, age: Floats) -> Floats:
        """The score of each age in seconds."""
        return np.exp(math.log(self.decay) / self.scale * self._subtract_offset(age))


@dataclass(frozen=True, slots=True)
class Gaussian(_Decay):
    """Slow at first, then fast: the bell curve.

    >>> Gaussian(scale=30 * 86400)(np.array([0.0, 30 * 86400, 60 * 86400]))
    array([1.    , 0.5   , 0.0625])
    """

    def __call__(self, age: Floats) -> Floats:
        """The score of each age in seconds."""
        late = self._subtract_offset(age) / self.scale
        return np.exp(math.log(self.decay) * late * late)


@dataclass(frozen=True, slots=True)
class Linear(_Decay):
    """Falls by the same amount each second, down to 0.

    >>> Linear(scale=30 * 86400)(np.array([0.0, 30 * 86400, 60 * 86400, 90 * 86400]))
    array([1. , 0.5, 0. , 0. ])
    """

    def __call__(self, age: Floats) -> Floats:
        """The score of each age in seconds."""
        life = self.scale / (1.0 - self.decay)
        return np.maximum((life - self._subtract_offset(age)) / life, 0.0)


@dataclass(frozen=True, slots=True)
class Steps:
    """Falls at set ages: each `(age, score)` holds from that age on; before the first the score is 1.

    >>> Steps(((7 * 86400, 0.5), (30 * 86400, 0.1)))(np.array([0.0, 7 * 86400, 40 * 86400]))
    array([1. , 0.5, 0.1])
    """

    steps: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        edges = [age for age, _ in self.steps]
        scores = [1.0, *(score for _, score in self.steps)]
        if not edges or edges[0] < 0 or any(a >= b for a, b in pairwise(edges)):
            raise EpochalError(f"steps need ages that rise from 0 or more, but have {edges}")
        if scores[-1] < 0 or any(a < b for a, b in pairwise(scores)):
            raise EpochalError(f"steps need scores that fall from 1 to 0, but have {scores[1:]}")

    def __call__(self, age: Floats) -> Floats:
        """The score of each age in seconds."""
        scores = np.array([1.0, *(score for _, score in self.steps)])
        edges = np.array([edge for edge, _ in self.steps])
        return scores[edges.searchsorted(age, side="right")]


def measure_ages(docs: SpanSet, now: Span) -> npt.NDArray[np.int64]:
    """Seconds from the near end of each span to the present: 0 for what holds the present, negative for the future."""
    # What lasts into the present has no age; a gap of 0 to a span that ended just now is age 0 as well.
    return -docs.gap(now)


def freshness(docs: SpanSet, now: Span, curve: Curve, *, future: FuturePolicy = "as_new") -> Floats:
    """The freshness of each span as of `now`, in [0, 1].

    >>> docs = SpanSet.of([Span.parse("2026-11-15"), Span.parse("2026-10-15"), Span.parse("2027")])
    >>> freshness(docs, Span.day(2026, 11, 15), Linear(scale=30 * 86400)).round(2)
    array([1. , 0.5, 1. ])
    >>> freshness(docs, Span.day(2026, 11, 15), Linear(scale=30 * 86400), future="zero").round(2)
    array([1. , 0.5, 0. ])
    """
    if future not in get_args(FuturePolicy):
        raise UnknownNameError("future policy", future, get_args(FuturePolicy))
    if now.end == OPEN_END:
        raise EpochalError("now must have an end, but is open")
    age = measure_ages(docs, now)
    if future == "mirror":
        age = np.abs(age)
    scores = curve(np.maximum(age, 0).astype(np.float64))
    return np.where(age < 0, 0.0, scores) if future == "zero" else scores


Ints = npt.NDArray[np.int64]

#: The distance, in units, at which the score becomes 0.
MARGIN: Final = 5.0
_TOUCH: Final = (0.25, 0.45, 0.25, 0.45)
_TRUST: Final = (1.0, 0.95, 0.8, 0.76)
_BLUR: Final = (1.0, 2.0, 1.0, 2.0)
#: The same for each code of `SpanSet.kinds`.
_UNITS: Final = np.array([grain.seconds * blur for grain in Grain for blur in _BLUR], dtype=np.float64)
_TOUCHES: Final = np.array(_TOUCH * len(Grain))
_TRUSTS: Final = np.array(_TRUST * len(Grain))
#: The most powers of ten by which a document's vagueness is counted.
_VAGUEST: Final = 3
_WHOLE_AXIS: Final = float(OPEN_END - OPEN_START)
#: Longer than any closed span, shorter than any open one.
_HALF_AXIS: Final = float(OPEN_END) / 2
#: Sets smaller than this are scored whole; building an index would cost more.
_SMALL: Final = 4096


def get_target_span(span: Span, relation: str = "during") -> Span:
    """The span in which a document must lie to have the relation to a query window."""
    if relation in ("during", "overlaps"):
        return span
    if relation == "before" and span.start != OPEN_START:
        return Span(OPEN_START, span.start, span.grain, None, Certainty.CERTAIN, span.certainty)  # type: ignore[arg-type]
    if relation == "after" and span.end != OPEN_END:
        return Span(span.end, OPEN_END, span.end_grain, None, span.end_certainty, Certainty.CERTAIN)  # type: ignore[arg-type]
    if relation == "around":
        doubt = Certainty.APPROXIMATE
        return span.with_certainty(span.certainty | doubt, span.end_certainty | doubt)
    if relation in ("before", "after"):
        raise EpochalError(f"nothing lies {relation} {span.edtf()!r}, which is open on that side")
    raise UnknownNameError("relation", relation, ["during", "overlaps", "before", "after", "around"])


def align(query: Span | SpanSet, docs: SpanSet, relation: str = "during", *, margin: float = MARGIN) -> Floats:
    """The score of each document span for a query window; for several windows, the best.

    >>> docs = SpanSet.of([Span.parse(text) for text in ("2004-05", "2004", "2005", "2031")])
    >>> align(Span.year(2004), docs).round(3)
    array([1.  , 1.  , 0.25, 0.  ])
    >>> align(Span.year(2004), docs, "after").round(3)
    array([0.195, 0.25 , 1.   , 1.   ])
    """
    if isinstance(query, SpanSet):
        best = np.zeros(len(docs))
        for span, weight in zip(query, query.weights.tolist(), strict=True):
            np.maximum(best, weight * align(span, docs, relation, margin=margin), out=best)
        return best
    target = _Target(get_target_span(query, relation), margin)
    if not len(docs):
        return np.zeros(0)
    if len(docs) < _SMALL:
        scores = _score(target, docs.starts, docs.ends, target.by_kind[:, docs.kinds])
        return scores * docs.weights if docs.is_weighted else scores
    runs = _find_runs(target, docs)
    inside = sum(run.last - run.first for run in runs if run.zone == "inside")
    # Writing many equal scores through the index costs more than comparing all spans once.
    if compare_all := inside > len(docs) // 4:
        scores = docs.within(target.span).astype(np.float64)
    else:
        scores = np.zeros(len(docs))
    ids = docs.lookup.ids
    for run in runs:
        if not (compare_all and run.zone == "inside" and _TRUST[run.kind % 4] == 1.0):
            scores[ids[run.first : run.last]] = _score_run(target, docs, run)
    return scores * docs.weights if docs.is_weighted else scores


def align_sparse(
    query: Span, docs: SpanSet, relation: str = "during", *, margin: float = MARGIN
) -> tuple[npt.NDArray[np.intp], Floats]:
    """The positions of the documents that score above 0, ascending, and their scores.

    >>> docs = SpanSet.of([Span.year(year) for year in range(1900, 2000)])
    >>> places, scores = align_sparse(Span.year(1950), docs)
    >>> len(places), float(scores.max())
    (13, 1.0)
    """
    target = _Target(get_target_span(query, relation), margin)
    runs = _find_runs(target, docs)
    positions = [docs.lookup.ids[run.first : run.last] for run in runs] or [np.empty(0, dtype=np.intp)]
    scores = [np.broadcast_to(_score_run(target, docs, run), run.last - run.first) for run in runs] or [np.empty(0)]
    position, score = np.concatenate(positions), np.concatenate(scores)
    if docs.is_weighted:
        score = score * docs.weights[position]
    order = np.argsort(position)
    order = order[score[order] > 0]
    return position[order], score[order]


def align_pair(query: Span, doc: Span, relation: str = "during", *, margin: float = MARGIN) -> float:
    """The score of one span for another.

    >>> align_pair(Span.year(1998), Span.parse("1993/2001"))  # doctest: +ELLIPSIS
    0.594...
    """
    return float(align(query, SpanSet.of([doc]), relation, margin=margin)[0])


class _Target:
    """The target span, with the constants of the formula for each kind of document.

    `fades` and `by_kind` are those of `_get_constants`.
    """

    __slots__ = ("by_kind", "end", "fades", "length", "log_length", "span", "start")

    def __init__(self, span: Span, margin: float) -> None:
        if not 0 < margin < float("inf"):
            raise EpochalError(f"margin must be a number of units above 0, but is {margin}")
        self.span = span
        self.start, self.end = span.start, span.end
        self.length = float(span.end - span.start)
        self.log_length = math.log10(self.length)
        self.fades, self.by_kind = _get_constants(span.coarsest_grain, span.worst_certainty, margin)


@lru_cache(maxsize=256)
def _get_constants(grain: Grain, doubt: Certainty, margin: float) -> tuple[Floats, Floats]:
    """For each kind of document the gap, in seconds, at which it scores nothing; and the numbers of the formula.

    Of those there are three lines: the inverse of that gap, the score of spans that just touch, and how much it rises
    with share and with cover.
    """
    touch = np.maximum(_TOUCHES, _TOUCH[doubt])
    with np.errstate(over="ignore"):  # an infinite fade is fine
        fades = margin * np.maximum(_UNITS, grain.seconds * _BLUR[doubt])
        by_kind = np.stack([1 / fades, touch * _TRUSTS, _TRUSTS * (1 - touch) / 2])
    fades.flags.writeable = by_kind.flags.writeable = False
    return fades, by_kind


class _Run(NamedTuple):
    """A run of the index whose spans all have the same relation to the target."""

    kind: int
    first: int
    last: int
    zone: Literal["before", "inside", "leaving", "after", "mixed"]


def _find_runs(target: _Target, docs: SpanSet) -> list[_Run]:
    """The runs of the index that hold every document with a score above 0."""
    lookup = docs.lookup
    runs = []
    for bucket in lookup.buckets:
        kind = bucket.kind
        fade = math.ceil(min(float(target.fades[kind]), OPEN_END))
        low, high = max(target.start - fade, OPEN_START), min(target.end + fade, OPEN_END)
        first, last = lookup.candidates(bucket, low, high)
        longest = bucket.longest
        if bucket.is_open_start or longest > _HALF_AXIS or last - first < _SMALL:
            runs.append(_Run(kind, first, last, "mixed"))
            continue
        # Sorted by start, and none longer than `longest`: first those that must be over before the target starts, then
        # those that may reach into it, lie inside it for sure, may last beyond it, and start after it.
        starts = lookup.starts[first:last]
        reaching = first + int(starts.searchsorted(max(target.start - longest, OPEN_START), side="right"))
        begun = first + int(starts.searchsorted(target.start, side="left"))
        leaving = last
        if target.end != OPEN_END:
            leaving = max(begun, first + int(starts.searchsorted(target.end - longest, side="right")))
        gone = first + int(starts.searchsorted(target.end, side="left"))
        runs += [
            _Run(kind, first, reaching, "before"),
            _Run(kind, reaching, begun, "mixed"),
            _Run(kind, begun, leaving, "inside"),
            _Run(kind, leaving, gone, "leaving"),
            _Run(kind, gone, last, "after"),
        ]
    return [run for run in runs if run.first < run.last]


def _score_run(target: _Target, docs: SpanSet, run: _Run) -> Floats | float:
    lookup, part = docs.lookup, slice(run.first, run.last)
    starts = lookup.starts[part]
    if run.zone == "inside":
        return _TRUST[run.kind % 4]
    of_kind = target.by_kind[:, run.kind]
    if run.zone == "after":
        return _score_apart(target.end - starts, of_kind)
    ends = lookup.ends[part]
    if run.zone == "before":
        return _score_apart(ends - target.start, of_kind)
    logs = lookup.log_lengths[part]
    if run.zone == "leaving":
        return _score_overlapping(target, np.minimum(ends, target.end) - starts, ends - starts, logs, of_kind)
    return _score(target, starts, ends, of_kind, logs)


def _score_apart(shared: Ints, constants: Floats) -> Floats:
    """The score of spans apart from the target, from their shared time: minus the gap."""
    scores: Floats = np.multiply(shared, constants[0], dtype=np.float64)
    scores += 1.0
    np.maximum(scores, 0.0, out=scores)
    scores *= scores
    scores *= constants[1]
    return scores


def _score_overlapping(target: _Target, shared: Ints, lengths: Ints, logs: Floats, constants: Floats) -> Floats:
    """The score of spans that share time with the target."""
    time = shared.astype(np.float64)
    length = lengths.astype(np.float64)
    vagueness = np.clip(logs - target.log_length, 0.0, _VAGUEST)
    if target.length < _HALF_AXIS:
        vagueness[length > _HALF_AXIS] = 1.0
    cover = np.minimum(length, target.length)
    np.divide(time, cover, out=cover)
    vagueness *= 0.25
    vagueness += 1.0
    cover /= vagueness
    if target.length < _WHOLE_AXIS:
        cover[length == _WHOLE_AXIS] = 0.0
    np.divide(time, length, out=time)
    time += cover
    time *= constants[2]
    time += constants[1]
    return time


def _score(target: _Target, starts: Ints, ends: Ints, constants: Floats, logs: Floats | None = None) -> Floats:
    """The formula above for documents of one kind, or with a column of constants for each."""
    shared = np.minimum(ends, target.end)
    shared -= np.maximum(starts, target.start)
    meeting = np.flatnonzero(shared > 0)
    met = shared[meeting]
    np.minimum(shared, 0, out=shared)
    scores = _score_apart(shared, constants)
    if len(meeting):
        lengths = ends[meeting] - starts[meeting]
        log_lengths = np.log10(lengths.astype(np.float64)) if logs is None else logs[meeting]
        of_met = constants[:, meeting] if constants.ndim > 1 else constants
        scores[meeting] = _score_overlapping(target, met, lengths, log_lengths, of_met)
    return scores
