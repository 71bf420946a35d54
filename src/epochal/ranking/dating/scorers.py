"""Scorers with a learned reading of time: by it alone, and as a part of the gate beside what texts state.

Symbolic evidence is a time that a text states, inherits or was published at. Where a passage has none, how likely it is
of the time asked for by its names and words stands in, as a part in [0, 1]: 1 for certainty, and a tenth less for each
factor of e that it is less likely. Being an estimate, it is never called evidence that something is recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Final

import numpy as np

from epochal.index.backend import Rows, View
from epochal.index.rowsets import joined
from epochal.ranking.dating.axis import Months
from epochal.ranking.dating.beliefs import Beliefs
from epochal.ranking.dating.dater import Dater
from epochal.ranking.dating.readings import Read, Readings, are_undated
from epochal.ranking.gate import Gate
from epochal.ranking.pool import Estimate, Floats, Pool, Scored
from epochal.ranking.windows import Window

__all__ = ["Dated", "GateDated", "likely_part"]

#: The odds beyond which a candidate has no share: e^10 to one against it.
_REACH: Final = 10.0


def likely_part(logs: Floats) -> Floats:
    """Logarithms of likelihoods as a part of the gate, in [0, 1]: 1 for certainty, 0 for one in e^10 and below.

    >>> likely_part(np.log([1.0, 0.1, 1e-6])).round(2).tolist()
    [1.0, 0.77, 0.0]
    """
    return np.clip(1.0 + logs / _REACH, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Dated:
    """Ranks by the learned reading of time alone, whether a passage has a time or not; what it states is not looked at.

    Where nothing is asked of time, or only of times that the model knows nothing of, it ranks by words.

    >>> Dated.read("no/such")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/config.json: cannot be read: No such file or directory; accepted: a folder that
    `epochal train ctd --backbone runs --set deep_heads=false` wrote
    """

    dater: Dater
    readings: Readings = field(repr=False, compare=False)
    name: str = "ctd"

    @classmethod
    def read(cls, folder: str | PathLike[str]) -> Dated:
        """The scorer with the model of a folder.

        >>> Dated.read.__name__
        'read'
        """
        dater = Dater.read(folder)
        return cls(dater, Readings(dater))

    def propose(self, view: View, windows: tuple[Window, ...], rows: Rows | None, depth: int) -> Rows:
        """The passages that are most likely of each time asked for.

        >>> Dated.propose.__name__
        'propose'
        """
        return _likeliest(self.dater, self.readings.every(view), windows, rows, depth)

    def score(self, pool: Pool) -> Scored:
        """The likelihood of each candidate, with its worth.

        >>> Dated.score.__name__
        'score'
        """
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
class GateDated:
    """The default scorer with one part more, `dated`: the learned reading of time, where no time is stated.

    How much it counts, and whether it counts beside times that are stated too, is told by the folder of the model.

    >>> GateDated.read("no/such")
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/such/config.json: cannot be read: No such file or directory; accepted: a folder that
    `epochal train ctd --backbone runs --set deep_heads=false` wrote
    """

    dater: Dater
    readings: Readings = field(repr=False, compare=False)
    gate: Gate = field(default_factory=Gate)
    name: str = "gate+ctd"

    @classmethod
    def read(cls, folder: str | PathLike[str]) -> GateDated:
        """The scorer with the model of a folder.

        >>> GateDated.read.__name__
        'read'
        """
        dater = Dater.read(folder)
        return cls(dater, Readings(dater))

    def propose(self, view: View, windows: tuple[Window, ...], rows: Rows | None, depth: int) -> Rows:
        """The passages without a time that are most likely of each time asked for; those with one are found by it.

        >>> GateDated.propose.__name__
        'propose'
        """
        if not self.dater.beside.undated or not _months_of(self.dater, windows):
            return np.empty(0, dtype=np.int64)
        return _likeliest(self.dater, self.readings.undated(view), windows, rows, depth)

    def score(self, pool: Pool) -> Scored:
        """The score of each candidate with its parts; the gate's where no time is asked for that the model knows.

        >>> GateDated.score.__name__
        'score'
        """
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
        part[places] = weights[places] * likely_part(likely)

        def estimate(place: int) -> Estimate | None:
            at = int(places.searchsorted(place))
            return _estimate(self.dater, pool, beliefs[at : at + 1]) if undated[place] and weights[place] else None

        return replace(scored, scores=scored.scores + part, parts={**scored.parts, "dated": part}, estimate=estimate)


def _months_of(dater: Dater, windows: tuple[Window, ...]) -> list[Months]:
    """The months that are asked for, of those windows that the model has any of."""
    return [months for window in windows if (months := dater.months_of(window.span)) is not None]


def _log_likelihoods(dater: Dater, pool: Pool, beliefs: Beliefs) -> Floats:
    """Of several periods that are compared the best counts, of several times in one question their mean."""
    found = [beliefs.log_likelihoods(months) for months in _months_of(dater, pool.windows)]
    joint: Floats = np.max(found, axis=0) if pool.understanding.cross_period else np.mean(found, axis=0)
    return joint


def _estimate(dater: Dater, pool: Pool, belief: Beliefs) -> Estimate:
    """The estimated time of one candidate, and how likely it is by that to be from any of the times asked for."""
    spread = belief.spread()
    found = [spread.likelihoods(months)[0] for months in _months_of(dater, pool.windows)]
    return Estimate(spread.stretch(0), float(max(found)))


def _likeliest(dater: Dater, read: Read, windows: tuple[Window, ...], rows: Rows | None, depth: int) -> Rows:
    """For each window the passages that are most likely of it, with their worth; of equals the first."""
    some = read if rows is None else read.among(rows)
    found = []
    for months in _months_of(dater, windows):
        scores = some.beliefs.log_likelihoods(months) + dater.beside.worth * some.beliefs.worth
        places = np.arange(len(some))
        if len(some) > depth:
            (places,) = np.nonzero(scores >= np.partition(scores, -depth)[-depth])
        found.append(some.rows[places[np.lexsort((places, -scores[places]))[:depth]]])
    return joined(*found)
