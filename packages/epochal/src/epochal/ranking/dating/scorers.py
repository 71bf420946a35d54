"""Scorers with date estimates: by these alone, or as a component beside those of the default scorer.

Where a passage has no time that it states, carries over or was published at, the estimated probability of the query
windows replaces evidence, as a component in [0, 1]: 1 for certainty, and a tenth less for each factor of e. An estimate
never makes the outcome "recorded". The estimates of an index are computed once for each of its states.
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

_BATCH: Final = 2_000

Mask = npt.NDArray[np.bool_]


def are_undated(view: View, rows: Rows) -> Mask:
    """Which passages have no time: none that they state or carry over, and no date of the document."""
    documents = view.get_document_rows(rows)
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
    """Passages, ascending, and the date distribution of each."""

    rows: Rows
    dates: DateDistribution

    def __len__(self) -> int:
        return len(self.rows)

    def has(self, rows: Rows) -> Mask:
        """Which of some passages are among them."""
        return _are_in(rows, self.rows)

    def among(self, rows: Rows) -> PassageEstimates:
        """Those of them that are among some ascending passages."""
        kept = np.flatnonzero(np.isin(self.rows, rows, assume_unique=True))
        return PassageEstimates(self.rows[kept], self.dates[kept])


class EstimateCache:
    """Estimates the dates of the passages of a view on first use, and keeps them until the index has changed.

    A passage takes 1 KB of memory for an axis of 255 years. Thread-safe.
    """

    def __init__(self, estimator: DateEstimator) -> None:
        self._estimator = estimator
        self._lock = Lock()
        self._state: ReferenceType[Rows] | None = None
        self._estimates: dict[str, PassageEstimates] = {}

    def undated(self, view: View) -> PassageEstimates:
        """The estimates of all passages without a time."""
        return self._get(view, "undated", lambda state: state.alive[are_undated(state, state.alive)])

    def every(self, view: View) -> PassageEstimates:
        """The estimates of all passages."""
        return self._get(view, "every", lambda state: state.alive)

    def of(self, view: View, rows: Rows) -> DateDistribution:
        """The date distributions of some passages, in their order."""
        with self._lock:
            cached = list(self._estimates.values()) if self._is_of(view) else []
        dates = DateDistribution.unknown(self._estimator.axis, len(rows))
        left = np.ones(len(rows), dtype=np.bool_)
        for item in cached:
            (here,) = np.nonzero(left & item.has(rows))
            dates.put(here, item.dates[item.rows.searchsorted(rows[here])])
            left[here] = False
        (missing,) = np.nonzero(left)
        dates.put(missing, self._estimate(view, rows[missing]))
        return dates

    def _get(self, view: View, name: str, select: Callable[[View], Rows]) -> PassageEstimates:
        with self._lock:
            if not self._is_of(view):
                self._state, self._estimates = ref(view.content.rows), {}
            if name not in self._estimates:
                rows = select(view)
                self._estimates[name] = PassageEstimates(rows, self._estimate(view, rows))
            return self._estimates[name]

    def _is_of(self, view: View) -> bool:
        # The array is the same one for as long as a state is, also in views that compare vectors in another way.
        return self._state is not None and self._state() is view.content.rows

    def _estimate(self, view: View, rows: Rows) -> DateDistribution:
        dates = DateDistribution.unknown(self._estimator.axis, len(rows))
        for low in range(0, len(rows), _BATCH):
            batch = np.arange(low, min(low + _BATCH, len(rows)))
            texts = [f"{item.title} {item.text}" for item in view.get_texts(rows[batch])]
            dates.put(batch, self._estimator.estimate(texts))
        return dates


#: The log odds against a window at which the component is 0.
_MAX_LOG_ODDS: Final = 10.0


def scale_likelihoods(logs: Floats) -> Floats:
    """Log likelihoods as a component in [0, 1]: 1 for certainty, 0 for one in e^10 and below."""
    return np.clip(1.0 + logs / _MAX_LOG_ODDS, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class EstimateScorer:
    """Ranks by date estimates alone, also passages that state a time.

    Without a window on the axis of the model, it ranks by words.
    """

    estimator: DateEstimator
    cache: EstimateCache = field(repr=False, compare=False)
    name: str = "ctd"

    @classmethod
    def read(cls, folder: str | PathLike[str]) -> EstimateScorer:
        """The scorer with the model of a folder."""
        estimator = DateEstimator.read(folder)
        return cls(estimator, EstimateCache(estimator))

    def propose(self, view: View, windows: tuple[Window, ...], rows: Rows | None, depth: int) -> Rows:
        """The passages that are most likely from each query window."""
        return _find_likeliest(self.estimator, self.cache.every(view), windows, rows, depth)

    def score(self, pool: Pool) -> Scored:
        """The likelihood of each candidate, with its worth."""
        if not len(pool) or not _find_months(self.estimator, pool.windows):
            return Scored(pool.lexical, {"lexical": pool.lexical})
        dates = self.cache.of(pool.view, pool.rows)
        likely = _log_likelihoods(self.estimator, pool, dates)
        worth = self.estimator.mixing.worth * dates.worth
        undated = are_undated(pool.view, pool.rows)

        def estimate(position: int) -> Estimate | None:
            return _make_estimate(self.estimator, pool, dates[position : position + 1]) if undated[position] else None

        return Scored(likely + worth, {"dated": likely, "worth": worth}, estimate=estimate)


@dataclass(frozen=True, slots=True)
class WeightedEstimateScorer:
    """The default scorer with one more component, `dated`: date estimates, where no time is stated.

    The folder of the model has its weights, for passages without a time and for those with one.
    """

    estimator: DateEstimator
    cache: EstimateCache = field(repr=False, compare=False)
    gate: WeightedScorer = field(default_factory=WeightedScorer)
    name: str = "gate+ctd"

    @classmethod
    def read(cls, folder: str | PathLike[str]) -> WeightedEstimateScorer:
        """The scorer with the model of a folder."""
        estimator = DateEstimator.read(folder)
        return cls(estimator, EstimateCache(estimator))

    def propose(self, view: View, windows: tuple[Window, ...], rows: Rows | None, depth: int) -> Rows:
        """The passages without a time that are most likely from each query window; those with one are found by it."""
        if not self.estimator.mixing.undated or not _find_months(self.estimator, windows):
            return np.empty(0, dtype=np.int64)
        return _find_likeliest(self.estimator, self.cache.undated(view), windows, rows, depth)

    def score(self, pool: Pool) -> Scored:
        """The score of each candidate with its parts; the gate's where the model knows none of the query windows."""
        scored = self.gate.score(pool)
        if not len(pool) or not _find_months(self.estimator, pool.windows):
            return scored
        mixing = self.estimator.mixing
        undated = are_undated(pool.view, pool.rows)
        weights = np.where(undated, mixing.undated, mixing.dated)
        (weighted,) = np.nonzero(weights)
        dates = self.cache.of(pool.view, pool.rows[weighted])
        likely = _log_likelihoods(self.estimator, pool, dates) + mixing.worth * dates.worth
        part = np.zeros(len(pool))
        part[weighted] = weights[weighted] * scale_likelihoods(likely)

        def estimate(position: int) -> Estimate | None:
            at = int(weighted.searchsorted(position))
            return (
                _make_estimate(self.estimator, pool, dates[at : at + 1])
                if undated[position] and weights[position]
                else None
            )

        return replace(scored, scores=scored.scores + part, parts={**scored.parts, "dated": part}, estimate=estimate)


def _find_months(estimator: DateEstimator, windows: tuple[Window, ...]) -> list[Months]:
    """The months of the query windows, as far as the model has them."""
    return [months for window in windows if (months := estimator.months_of(window.span)) is not None]


def _log_likelihoods(estimator: DateEstimator, pool: Pool, dates: DateDistribution) -> Floats:
    """Of several periods that are compared the best counts, of several times in one question their mean."""
    found = [dates.log_likelihoods(months) for months in _find_months(estimator, pool.windows)]
    joint: Floats = np.max(found, axis=0) if pool.understanding.cross_period else np.mean(found, axis=0)
    return joint


def _make_estimate(estimator: DateEstimator, pool: Pool, belief: DateDistribution) -> Estimate:
    """The estimated time of one candidate, and how likely it is by that to be from any of the query windows."""
    spread = belief.spread()
    found = [spread.likelihoods(months)[0] for months in _find_months(estimator, pool.windows)]
    return Estimate(spread.find_interval(0), float(max(found)))


def _find_likeliest(
    estimator: DateEstimator, read: PassageEstimates, windows: tuple[Window, ...], rows: Rows | None, depth: int
) -> Rows:
    """For each window the passages that are most likely of it, with their worth; of equals the first."""
    some = read if rows is None else read.among(rows)
    found = []
    for months in _find_months(estimator, windows):
        scores = some.dates.log_likelihoods(months) + estimator.mixing.worth * some.dates.worth
        places = np.arange(len(some))
        if len(some) > depth:
            (places,) = np.nonzero(scores >= np.partition(scores, -depth)[-depth])
        found.append(some.rows[places[np.lexsort((places, -scores[places]))[:depth]]])
    return union_rows(*found)
