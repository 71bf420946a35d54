"""The times of candidates as baselines use them: what a passage speaks of, and when its document was published.

Published baselines know one time stamp a document. Here a candidate may have many times, of any length, or none. What
a baseline says of *the* time of a document is said of that time of the candidate which lies nearest to the question's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.index.backend import Rows
from epochal.ranking.pool import Floats, Pool
from epochal.times import Grain, Span, SpanSet

__all__ = ["Times", "asked_spans", "distances", "nearest", "published_of", "time_texts", "times_of"]

_SECONDS: Final = np.array([grain.seconds for grain in Grain], dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """Spans, and for each the place in the pool of the candidate that has it; places ascend.

    >>> Times(np.array([0, 0]), SpanSet.of([Span.year(1998), Span.year(2003)])).least(np.array([3.0, 2.0]), 2)
    array([ 2., inf])
    """

    places: Rows
    spans: SpanSet

    def least(self, values: Floats, count: int) -> Floats:
        """The least of the values of each candidate's times; infinite for one that has none.

        >>> Times(np.array([1]), SpanSet.of([Span.year(1998)])).least(np.array([3.0]), 2)
        array([inf,  3.])
        """
        best = np.full(count, np.inf)
        np.minimum.at(best, self.places, values)
        return best


def times_of(pool: Pool) -> Times:
    """All times of each candidate: those that the passage speaks of, and the date of its document.

    >>> times_of.__name__
    'times_of'
    """
    content, published = _spoken(pool), published_of(pool)
    order = np.argsort(np.concatenate([content.places, published.places]), kind="stable")
    places = np.concatenate([content.places, published.places])[order]
    return Times(places, _joined(content.spans, published.spans)[order])


def published_of(pool: Pool) -> Times:
    """When the documents of the candidates were published; those without a date are left out.

    >>> published_of.__name__
    'published_of'
    """
    table = pool.view.published
    if not len(table):
        return Times(np.empty(0, dtype=np.int64), table.spans)
    at = np.minimum(table.rows.searchsorted(pool.document_rows), len(table) - 1)
    dated = np.flatnonzero(table.rows[at] == pool.document_rows).astype(np.int64)
    return Times(dated, table.spans[at[dated]])


def asked_spans(pool: Pool) -> tuple[Span, ...]:
    """The times of a question: those that it asks for, else the present, else none.

    >>> asked_spans.__name__
    'asked_spans'
    """
    if pool.windows:
        return tuple(window.span for window in pool.windows)
    return () if pool.now is None else (pool.now,)


def distances(span: Span, spans: SpanSet) -> Floats:
    """Seconds from a span to each: 0 where they share time, else one unit of the coarser grain more than lies between.

    That is how time stamps count: 1903 is one year after 1902, though nothing lies between them.

    >>> found = distances(Span.year(1902), SpanSet.of([Span.parse("1902-05"), Span.year(1903), Span.year(1905)]))
    >>> (found / Grain.YEAR.seconds).round(2)
    array([0., 1., 3.])
    """
    grains = np.maximum(np.maximum(spans.grains, spans.end_grains), span.coarsest_grain)
    apart = np.abs(spans.gap(span)) + _SECONDS[grains]
    return np.where(spans.overlaps(span), 0.0, apart)


def nearest(times: Times, asked: Sequence[Span], count: int) -> Floats:
    """Seconds from each candidate to the nearest of the times asked for; infinite for one without times.

    >>> times = Times(np.array([0, 0]), SpanSet.of([Span.year(1902), Span.year(1950)]))
    >>> nearest(times, [Span.year(1950), Span.year(1960)], 2)
    array([ 0., inf])
    """
    best = np.full(count, np.inf)
    for span in asked:
        np.minimum(best, times.least(distances(span, times.spans), count), out=best)
    return best


def time_texts(pool: Pool, most: int) -> list[str]:
    """The time of each candidate in words: the date of its document, else the first times that it speaks of.

    >>> time_texts.__name__
    'time_texts'
    """
    found: list[dict[str, None]] = [{} for _ in range(len(pool))]
    published = published_of(pool)
    for place, span in zip(published.places.tolist(), published.spans, strict=True):
        found[place][_described(span)] = None
    dated = set(published.places.tolist())
    content = _spoken(pool)
    for place, at in zip(content.places.tolist(), range(len(content.spans)), strict=True):
        if place not in dated and len(found[place]) < most:
            found[place][_described(content.spans[at])] = None
    return [", ".join(words) for words in found]


@lru_cache(maxsize=65_536)
def _described(span: Span) -> str:
    return span.describe()


def _spoken(pool: Pool) -> Times:
    table = pool.view.content
    low, high = table.rows.searchsorted(pool.rows, side="left"), table.rows.searchsorted(pool.rows, side="right")
    counts = high - low
    places = np.repeat(np.arange(len(pool), dtype=np.int64), counts)
    within = np.arange(len(places), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
    return Times(places, table.spans[np.repeat(low, counts) + within])


def _joined(first: SpanSet, second: SpanSet) -> SpanSet:
    def both(name: str) -> npt.NDArray[np.int64]:
        return np.concatenate([getattr(first, name), getattr(second, name)])

    return SpanSet(
        both("starts"),
        both("ends"),
        grains=both("grains"),
        end_grains=both("end_grains"),
        certainties=both("certainties"),
        end_certainties=both("end_certainties"),
        weights=both("weights"),
    )
