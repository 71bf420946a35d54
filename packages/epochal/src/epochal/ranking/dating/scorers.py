"""Readings: what is believed of the passages of an index, read once for as long as it stays as it is.

Scorers with a learned reading of time: by it alone, and as a part of the gate beside what texts state.

Symbolic evidence is a time that a text states, inherits or was published at. Where a passage has none, how likely it is
of the time asked for by its names and words stands in, as a part in [0, 1]: 1 for certainty, and a tenth less for each
factor of e that it is less likely. Being an estimate, it is never called evidence that something is recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from os import PathLike
from threading import Lock
from typing import Final
from weakref import ReferenceType, ref

import numpy as np
import numpy.typing as npt

from epochal.ranking.dating.dater import DateDistribution, DateEstimator
from epochal.ranking.dating.months import Months
from epochal.ranking.pool import Estimate, Floats, Pool, Scored, Window
from epochal.ranking.scorer import WeightedScorer
from epochal.storage.protocol import Rows, View, union_rows

__all__ = [
    "EstimateCache",
    "EstimateScorer",
    "PassageEstimates",
    "WeightedEstimateScorer",
    "are_undated",
    "scale_likelihoods",
]


_AT_ONCE: Final = 2_000

Mask = npt.NDArray[np.bool_]


def are_undated(view: View, rows: Rows) -> Mask:
    """Which passages have no time of their own: none that they state or inherit, and none known of the document."""
    documents = view.document_of(rows)
    dated = _are_in(rows, view.content.rows)
    for table in (view.published, view.valid):
        dated |= _are_in(documents, table.rows)
    return ~dated


def _are_in(rows: Rows, others: Rows) -> Mask:
    """Which rows are among others that ascend."""
    if not len(others):
        return np.zeros(len(rows), dtype=np.bool_)
    return np.asarray(others[np.minimum(others.searchsorted(rows), len(others) - 1)] == rows)


@dataclass(frozen=True, slots=True, eq=False)
class PassageEstimates:
    """Passages, ascending, and what is believed of each."""

    rows: Rows
    beliefs: DateDistribution

    def __len__(self) -> int:
        return len(self.rows)

    def has(self, rows: Rows) -> Mask:
        """Which of some passages are among them."""
        return _are_in(rows, self.rows)

    def among(self, rows: Rows) -> PassageEstimates:
        """Those of them that are among some ascending passages."""
        kept = np.flatnonzero(np.isin(self.rows, rows, assume_unique=True))
        return PassageEstimates(self.rows[kept], self.beliefs[kept])


class EstimateCache:
    """Reads the passages of a view when they are first asked for, and keeps them until the index has changed.

    A passage takes 1 KB of memory for an axis of 255 years. Any number of threads may ask.
    """

    def __init__(self, dater: DateEstimator) -> None:
        self._dater = dater
        self._lock = Lock()
        self._state: ReferenceType[Rows] | None = None
        self._kept: dict[str, PassageEstimates] = {}

    def undated(self, view: View) -> PassageEstimates:
        """What is believed of all passages without a time of their own."""
        return self._known(view, "undated", lambda found: found.alive[are_undated(found, found.alive)])

    def every(self, view: View) -> PassageEstimates:
        """What is believed of all passages."""
        return self._known(view, "every", lambda found: found.alive)

    def of(self, view: View, rows: Rows) -> DateDistribution:
        """What is believed of some passages, in their order; those that are not kept are read now."""
        with self._lock:
            kept = list(self._kept.values()) if self._is_of(view) else []
        found = DateDistribution.unknown(self._dater.axis, len(rows))
        left = np.ones(len(rows), dtype=np.bool_)
        for read in kept:
            (here,) = np.nonzero(left & read.has(rows))
            found.put(here, read.beliefs[read.rows.searchsorted(rows[here])])
            left[here] = False
        (missing,) = np.nonzero(left)
        found.put(missing, self._beliefs(view, rows[missing]))
        return found

    def _known(self, view: View, name: str, choose: Callable[[View], Rows]) -> PassageEstimates:
        with self._lock:
            if not self._is_of(view):
                self._state, self._kept = ref(view.content.rows), {}
            if name not in self._kept:
                rows = choose(view)
                self._kept[name] = PassageEstimates(rows, self._beliefs(view, rows))
            return self._kept[name]

    def _is_of(self, view: View) -> bool:
        # The array is the same one for as long as a state is, also in views that compare vectors in another way.
        return self._state is not None and self._state() is view.content.rows

    def _beliefs(self, view: View, rows: Rows) -> DateDistribution:
        found = DateDistribution.unknown(self._dater.axis, len(rows))
        for low in range(0, len(rows), _AT_ONCE):
            places = np.arange(low, min(low + _AT_ONCE, len(rows)))
            found.put(places, self._read(view, rows[places]))
        return found

    def _read(self, view: View, rows: Rows) -> DateDistribution:
        return self._dater.beliefs([f"{found.title} {found.text}" for found in view.texts(rows)])


#: The odds beyond which a candidate has no share: e^10 to one against it.
_REACH: Final = 10.0


def scale_likelihoods(logs: Floats) -> Floats:
    """Logarithms of likelihoods as a part of the gate, in [0, 1]: 1 for certainty, 0 for one in e^10 and below."""
    return np.clip(1.0 + logs / _REACH, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class EstimateScorer:
    """Ranks by the learned reading of time alone, whether a passage has a time or not; what it states is not looked at.

    Where nothing is asked of time, or only of times that the model knows nothing of, it ranks by words.
    """

    dater: DateEstimator
    readings: EstimateCache = field(repr=False, compare=False)
    name: str = "ctd"

    @classmethod
    def read(cls, folder: str | PathLike[str]) -> EstimateScorer:
        """The scorer with the model of a folder."""
        dater = DateEstimator.read(folder)
        return cls(dater, EstimateCache(dater))

    def propose(self, view: View, windows: tuple[Window, ...], rows: Rows | None, depth: int) -> Rows:
        """The passages that are most likely of each time asked for."""
        return _likeliest(self.dater, self.readings.every(view), windows, rows, depth)

    def score(self, pool: Pool) -> Scored:
        """The likelihood of each candidate, with its worth."""
        if not len(pool) or not _months_of(self.dater, pool.windows):
            return Scored(pool.lexical, {"lexical": pool.lexical})
        beliefs = self.readings.of(pool.view, pool.rows)
        likely = _log_likelihoods(self.dater, pool, beliefs)
        worth = self.dater.beside.worth * beliefs.worth
        undated = are_undated(pool.view, pool.rows)

        def estimate(place: int) -> Estimate | None:
            return _estimate(self.dater, pool, beliefs[place : place + 1]) if undated[place] else None

        return Scored(likely + worth, {"dated": likely, "worth": worth}, estimate=estimate)


@dataclass(frozen=True, slots=True)
class WeightedEstimateScorer:
    """The default scorer with one part more, `dated`: the learned reading of time, where no time is stated.

    How much it counts, and whether it counts beside times that are stated too, is told by the folder of the model.
    """

    dater: DateEstimator
    readings: EstimateCache = field(repr=False, compare=False)
    gate: WeightedScorer = field(default_factory=WeightedScorer)
    name: str = "gate+ctd"

    @classmethod
    def read(cls, folder: str | PathLike[str]) -> WeightedEstimateScorer:
        """The scorer with the model of a folder."""
        dater = DateEstimator.read(folder)
        return cls(dater, EstimateCache(dater))

    def propose(self, view: View, windows: tuple[Window, ...], rows: Rows | None, depth: int) -> Rows:
        """The passages without a time that are most likely of each time asked for; those with one are found by it."""
        if not self.dater.beside.undated or not _months_of(self.dater, windows):
            return np.empty(0, dtype=np.int64)
        return _likeliest(self.dater, self.readings.undated(view), windows, rows, depth)

    def score(self, pool: Pool) -> Scored:
        """The score of each candidate with its parts; the gate's where no time is asked for that the model knows."""
        scored = self.gate.score(pool)
        if not len(pool) or not _months_of(self.dater, pool.windows):
            return scored
        beside = self.dater.beside
        undated = are_undated(pool.view, pool.rows)
        weights = np.where(undated, beside.undated, beside.dated)
        (places,) = np.nonzero(weights)
        beliefs = self.readings.of(pool.view, pool.rows[places])
        likely = _log_likelihoods(self.dater, pool, beliefs) + beside.worth * beliefs.worth
        part = np.zeros(len(pool))
        part[places] = weights[places] * scale_likelihoods(likely)

        def estimate(place: int) -> Estimate | None:
            at = int(places.searchsorted(place))
            return _estimate(self.dater, pool, beliefs[at : at + 1]) if undated[place] and weights[place] else None

        return replace(scored, scores=scored.scores + part, parts={**scored.parts, "dated": part}, estimate=estimate)


def _months_of(dater: DateEstimator, windows: tuple[Window, ...]) -> list[Months]:
    """The months that are asked for, of those windows that the model has any of."""
    return [months for window in windows if (months := dater.months_of(window.span)) is not None]


def _log_likelihoods(dater: DateEstimator, pool: Pool, beliefs: DateDistribution) -> Floats:
    """Of several periods that are compared the best counts, of several times in one question their mean."""
    found = [beliefs.log_likelihoods(months) for months in _months_of(dater, pool.windows)]
    joint: Floats = np.max(found, axis=0) if pool.understanding.cross_period else np.mean(found, axis=0)
    return joint


def _estimate(dater: DateEstimator, pool: Pool, belief: DateDistribution) -> Estimate:
    """The estimated time of one candidate, and how likely it is by that to be from any of the times asked for."""
    spread = belief.spread()
    found = [spread.likelihoods(months)[0] for months in _months_of(dater, pool.windows)]
    return Estimate(spread.stretch(0), float(max(found)))


def _likeliest(
    dater: DateEstimator, read: PassageEstimates, windows: tuple[Window, ...], rows: Rows | None, depth: int
) -> Rows:
    """For each window the passages that are most likely of it, with their worth; of equals the first."""
    some = read if rows is None else read.among(rows)
    found = []
    for months in _months_of(dater, windows):
        scores = some.beliefs.log_likelihoods(months) + dater.beside.worth * some.beliefs.worth
        places = np.arange(len(some))
        if len(some) > depth:
            (places,) = np.nonzero(scores >= np.partition(scores, -depth)[-depth])
        found.append(some.rows[places[np.lexsort((places, -scores[places]))[:depth]]])
    return union_rows(*found)
