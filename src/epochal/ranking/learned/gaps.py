"""Gaps: how far each candidate of a pool lies from the time that is asked for, and from the time that it is asked at.

    rel   from the time that the question asks for to the nearest time that the passage speaks of; 0 where they overlap
    rec   from the time of reference back to when the document appeared. That time is the one that is asked for, where
          there is one, else the present

Both are in days with a sign: `rel` is above 0 for what came after, `rec` for what appeared before, as it should. What
is not known is nan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.index.backend import Rows
from epochal.ranking.baselines.times import Times, distances, published_of
from epochal.ranking.pool import Floats, Pool
from epochal.ranking.windows import Window
from epochal.times import OPEN_END, OPEN_START, Span, SpanSet

__all__ = ["Gaps", "gaps_of", "reference_of", "signed_days", "spoken_of"]

_DAY: Final = 86_400.0
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """For each candidate: days to the time asked for, the share of the two times that is common, and days of age.

    `asked` says whether the question asks for a time; `nearest` is the place, among the times that the pool speaks of
    (`spoken_of`) and after them the dates of its documents, of the one that `rel` is counted to, -1 for none.

    >>> Gaps(np.array([np.nan, 2.0]), np.zeros(2), np.array([1.0, np.nan]), True).unknown.tolist()
    [[True, False], [False, True]]
    """

    rel: Floats
    overlap: Floats
    rec: Floats
    asked: bool
    nearest: Rows | None = None

    @property
    def unknown(self) -> Mask:
        """Which gaps are not known: a line a candidate, with a column for `rel` and one for `rec`.

        >>> Gaps(np.array([0.0]), np.ones(1), np.array([np.nan]), True).unknown.tolist()
        [[False, True]]
        """
        return np.column_stack([np.isnan(self.rel), np.isnan(self.rec)])

    def at(self, places: Rows) -> Gaps:
        """Those of the candidates at some places.

        >>> Gaps(np.array([1.0, 2.0]), np.zeros(2), np.ones(2), True).at(np.array([1])).rel
        array([2.])
        """
        nearest = None if self.nearest is None else self.nearest[places]
        return Gaps(self.rel[places], self.overlap[places], self.rec[places], self.asked, nearest)

    def without(self, rel: Mask, rec: Mask) -> Gaps:
        """These gaps, as if some of them were not known.

        >>> Gaps(np.zeros(2), np.ones(2), np.ones(2), True).without(np.array([True, False]), np.zeros(2, bool)).rel
        array([nan,  0.])
        """
        return replace(
            self,
            rel=np.where(rel, np.nan, self.rel),
            overlap=np.where(rel, 0.0, self.overlap),
            rec=np.where(rec, np.nan, self.rec),
        )


def gaps_of(pool: Pool) -> Gaps:
    """The gaps of the candidates of a pool.

    >>> gaps_of.__name__
    'gaps_of'
    """
    count = len(pool)
    rel, overlap = np.full(count, np.nan), np.zeros(count)
    nearest = np.full(count, -1, dtype=np.int64)
    spoken, dated = spoken_of(pool), published_of(pool)
    for window in pool.windows:
        if window.axis == "content":
            _fill(rel, overlap, nearest, window, spoken, 0)
        else:
            _fill(rel, overlap, nearest, window, dated, len(spoken.places))
    return Gaps(rel, overlap, _ages(count, dated, reference_of(pool)), bool(pool.windows), nearest)


def reference_of(pool: Pool) -> Span | None:
    """The time that ages are counted from: the last that is asked for, else the present, else none.

    >>> reference_of.__name__
    'reference_of'
    """
    closed = [window.span for window in pool.windows if window.span.end != OPEN_END]
    if closed:
        return max(closed, key=lambda span: span.end)
    return None if pool.now is None or pool.now.end == OPEN_END else pool.now


def spoken_of(pool: Pool) -> Times:
    """The times that the candidates speak of.

    >>> spoken_of.__name__
    'spoken_of'
    """
    table = pool.view.content
    low, high = table.rows.searchsorted(pool.rows, side="left"), table.rows.searchsorted(pool.rows, side="right")
    counts = high - low
    places = np.repeat(np.arange(len(pool), dtype=np.int64), counts)
    within = np.arange(len(places), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
    return Times(places, table.spans[np.repeat(low, counts) + within])


def _fill(rel: Floats, overlap: Floats, nearest: Rows, window: Window, times: Times, before: int) -> None:
    """Take in what is nearer to one more window: of times as near, the one that shares more with it."""
    if not len(times.places):
        return
    days, shared = signed_days(window.span, times.spans), _shared(window.span, times.spans)
    order = np.lexsort((np.arange(len(days)), -shared, np.abs(days), times.places))
    first = order[np.unique(times.places[order], return_index=True)[1]]
    at = times.places[first]
    better = np.isnan(rel[at]) | (np.abs(days[first]) < np.abs(rel[at]))
    better |= (np.abs(days[first]) == np.abs(rel[at])) & (shared[first] > overlap[at])
    at, first = at[better], first[better]
    rel[at], overlap[at], nearest[at] = days[first], shared[first], first + before


def signed_days(span: Span, spans: SpanSet) -> Floats:
    """Days from a span to each, as time stamps count them; below 0 for those before it, 0 where they share time.

    >>> signed_days(Span.year(1902), SpanSet.of([Span.year(1901), Span.parse("1902-05"), Span.year(1904)])).round(1)
    array([-365.2,    0. ,  730.2])
    """
    days = distances(span, spans) / _DAY
    return np.where((spans.starts >= span.end) | (days == 0), days, -days)


def _shared(span: Span, spans: SpanSet) -> Floats:
    """What a span and each of others have in common, as a share of what they cover together; 0 for open ones."""
    common = np.minimum(spans.ends, span.end) - np.maximum(spans.starts, span.start)
    covered = np.maximum(spans.ends, span.end) - np.minimum(spans.starts, span.start)
    closed = (spans.starts != OPEN_START) & (spans.ends != OPEN_END) & (common > 0)
    closed &= span.start != OPEN_START and span.end != OPEN_END
    return np.where(closed, common / np.maximum(covered, 1), 0.0)


def _ages(count: int, dated: Times, reference: Span | None) -> Floats:
    """Days from when each document had appeared to the end of the time of reference."""
    ages = np.full(count, np.nan)
    if reference is not None and len(dated.places):
        ends = np.where(dated.spans.ends == OPEN_END, dated.spans.starts, dated.spans.ends)
        known = ends != OPEN_START
        ages[dated.places[known]] = (reference.end - ends[known]) / _DAY
    return ages
