"""BM25+TimeKDE: BM25 plus the logarithm of how dense the times around a passage's time are.

The published baseline places one bell over the time of each of the best passages by BM25, on a timeline of months. A
passage that lies where many of them lie gains. The time of the question is never read.

Here a passage may have several times of any length. Its one unit of mass is shared evenly by its times, and spread
evenly over the bins of each; a time has the mean density of its bins, and a passage that of its densest time. For
passages with one time of one bin each this is the published baseline. Sums over stretches of bins come from a table of
the bell's sums, so that a timeline of millions of bins costs no more than a short one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.ranking.baselines.times import Times, times_of
from epochal.ranking.pool import Floats, Pool, Scored
from epochal.times import OPEN_END, OPEN_START, Grain, SpanSet

__all__ = ["TimeKDE"]

Ints = npt.NDArray[np.int64]

_UNITS: Final = {Grain.DAY: "D", Grain.MONTH: "M", Grain.YEAR: "Y"}
#: Bins whose density is computed at a time: what memory must hold.
_CHUNK: Final = 512


@dataclass(frozen=True, slots=True)
class TimeKDE:
    """Wang et al., "ChunQiuTR: Time-Keyed Temporal Retrieval in Classical Chinese Annals", appendix B.3.1, with the
    constants of its code: score = BM25 + weight * ln(prior + epsilon).

    The prior is a density over bins of one `grain`. Each of the `top` best candidates by BM25 adds a bell of `sigma`
    bins, cut off at `reach` sigmas and at the ends of the timeline; then it is made to sum to 1. Where no candidate
    shares a word with the question, the prior is the same for all.

    Deviations: the BM25 of the index (k1 = 1.2, where the paper has 1.5, and words, where it has characters and their
    pairs); the candidates of the pool stand for the collection; the timeline runs from the first to the last time in
    the pool. A passage without time, which the paper does not have, gets the even share of one bin. With `asked` the
    bells stand on the times that the question asks for instead: a variant of this package, not of the paper.

    >>> TimeKDE().name, TimeKDE(asked=True).name
    ('bm25-timekde', 'bm25-timekde-asked')
    """

    top: int = 200
    sigma: float = 3.0
    reach: float = 3.0
    weight: float = 1.0
    epsilon: float = 1e-8
    grain: Grain = Grain.MONTH
    asked: bool = False

    def __post_init__(self) -> None:
        if self.grain not in _UNITS:
            known = ", ".join(grain.label for grain in _UNITS)
            raise EpochalError(f"grain of scorer {self.name!r} is {Grain(self.grain).label!r}; accepted: {known}")
        for name in ("top", "sigma", "reach", "epsilon"):
            if not getattr(self, name) > 0:
                raise EpochalError(f"{name} of scorer {self.name!r} must be above 0, but is {getattr(self, name)}")

    @property
    def name(self) -> str:
        """The name by which the scorer is asked for.

        >>> TimeKDE().name
        'bm25-timekde'
        """
        return "bm25-timekde-asked" if self.asked else "bm25-timekde"

    def score(self, pool: Pool) -> Scored:
        """BM25 of each candidate, and the weighed logarithm of its prior.

        >>> TimeKDE(grain=Grain.YEAR, sigma=1.0).grain
        Grain.YEAR
        """
        temporal = self.weight * np.log(self.prior(pool) + self.epsilon)
        return Scored(pool.lexical + temporal, {"lexical": pool.lexical, "temporal": temporal})

    def prior(self, pool: Pool) -> Floats:
        """The density at the time of each candidate.

        >>> from epochal.reading.questions import understand
        >>> none = np.empty(0, dtype=np.int64)
        >>> TimeKDE().prior(Pool("rates", understand("rates"), None, None, (), none, none, np.empty(0), np.empty(0)))
        array([], dtype=float64)
        """
        even = np.ones(len(pool))
        if not len(pool):
            return even
        times = times_of(pool)
        centres = self._centres(pool, times)
        if centres is None:
            return even
        line = _Timeline(times.spans, centres.spans, grain=self.grain)
        low, high = line.bins(centres.spans)
        if not line.size or not len(low):
            return even
        share = 1.0 / np.bincount(centres.places)[centres.places]
        mass = _Bells(low, high, share, self.sigma, int(self.reach * self.sigma))
        total = float(mass.between(np.array([line.first]), np.array([line.last]))[0])
        found = np.full(len(pool), 1.0 / line.size)
        if len(times.places):
            starts, ends = line.bins(times.spans)
            density = mass.between(starts, ends) / ((ends - starts + 1) * total)
            best = -times.least(-density, len(pool))
            found = np.where(np.isfinite(best), best, found)
        return found

    def _centres(self, pool: Pool, times: Times) -> Times | None:
        """The times that bells stand on, each with the place of whom it belongs to; None for an even prior."""
        if self.asked:
            spans = SpanSet.of(window.span for window in pool.windows)
            return Times(np.arange(len(spans), dtype=np.int64), spans) if len(spans) else None
        if not pool.lexical.any():
            return None
        best = np.zeros(len(pool), dtype=np.bool_)
        best[np.argsort(-pool.lexical, kind="stable")[: self.top]] = True
        chosen = best[times.places]
        return Times(times.places[chosen], times.spans[chosen])


class _Timeline:
    """The bins from the first to the last time that is known; open ends reach to the edge."""

    def __init__(self, *sets: SpanSet, grain: Grain) -> None:
        self._unit = _UNITS[grain]
        starts = np.concatenate([spans.starts for spans in sets])
        ends = np.concatenate([spans.ends for spans in sets])
        known = np.concatenate([starts[starts != OPEN_START], ends[ends != OPEN_END] - 1])
        self.size = 0
        if len(known):
            self._edges = int(known.min()), int(known.max())
            self.first, self.last = (int(self._bin(np.array([edge]))[0]) for edge in self._edges)
            self.size = self.last - self.first + 1

    def bins(self, spans: SpanSet) -> tuple[Ints, Ints]:
        """The first and the last bin of each span."""
        if not self.size:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        low, high = self._edges
        return self._bin(np.maximum(spans.starts, low)), self._bin(np.minimum(spans.ends - 1, high))

    def _bin(self, seconds: Ints) -> Ints:
        return seconds.astype("datetime64[s]").astype(f"datetime64[{self._unit}]").astype(np.int64)


class _Bells:
    """The sum of bells over stretches of bins, each stretch sharing its weight evenly among its bins."""

    def __init__(self, low: Ints, high: Ints, weights: Floats, sigma: float, width: int) -> None:
        stretches, same = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
        self._low, self._high = stretches
        self._weights = np.bincount(same.ravel(), weights) / (self._high - self._low + 1)
        self._width = width
        offsets = np.arange(-width, width + 1)
        bell = np.exp(-0.5 * (offsets / sigma) ** 2)
        #: Sums of the bell up to each offset, and sums of these.
        self._total = float(bell.sum())
        self._twice = np.concatenate([[0.0], np.cumsum(np.cumsum(bell))])

    def between(self, first: Ints, last: Ints) -> Floats:
        """The density summed over the bins from each first to each last one."""
        points, where = np.unique(np.concatenate([first - 1, last]), return_inverse=True)
        sums = np.concatenate([self._upto(points[at : at + _CHUNK]) for at in range(0, len(points), _CHUNK)])
        found: Floats = sums[where[len(first) :]] - sums[where[: len(first)]]
        return found

    def _upto(self, points: Ints) -> Floats:
        """The density summed over all bins up to each point."""
        # Beyond the bell nothing more is added; without the clip, sums over long timelines would lose their digits.
        at = np.clip(points[:, None], self._low - self._width - 1, self._high + self._width)
        sums: Floats = (self._double(at - self._low) - self._double(at - self._high - 1)) @ self._weights
        return sums

    def _double(self, offsets: Ints) -> Floats:
        """The sum of the sums of the bell up to an offset: 0 before it, and rising evenly behind it."""
        inside = np.clip(offsets, -self._width - 1, self._width)
        rising: Floats = self._twice[inside + self._width + 1] + self._total * (offsets - inside).clip(min=0)
        return rising


#: The variant, as the entry point of a scorer names it.
make_timekde_asked = partial(TimeKDE, asked=True)
