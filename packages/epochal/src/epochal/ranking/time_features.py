"""The features of a candidate's time: whether it was published, is valid or speaks of a time in the query windows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from epochal.ranking.features import find_covering, find_repeated_validity, get_edges, read_times, share_most
from epochal.ranking.pool import Floats, Pool, Scored, Window
from epochal.ranking.versions import find_versions_in_force
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.spanset import SpanSet

__all__ = ["STATED", "TIME_FEATURES", "measure_time"]

#: The features of a candidate's time.
TIME_FEATURES: Final[Mapping[str, int]] = {
    "then": 1,  # published or valid in the window
    "elsewhen": -1,  # published or valid, but not in the window
    "stated": 1,  # the match of a time in its text
    "stated_undated": 1,
    "stated_local": 1,  # the same times the words around it
}
STATED: Final = list(TIME_FEATURES).index("stated")
#: A text that states a time of the window this well is about it, whenever it was published.
_STATED: Final = 0.5
#: A time that covers a window, or lies in it, and is at most so many times as long matches it so well.
_HARDLY: Final = 3
_COVERING: Final = 0.9


def measure_time(pool: Pool, scored: Scored) -> Floats:
    """The features of the time of each candidate; of several windows the best counts where periods are compared."""
    count = len(pool)
    columns = np.zeros((count, len(TIME_FEATURES)))
    if not count or not pool.windows:
        return columns
    view, times = pool.view, read_times(pool)
    dated = np.zeros(count, dtype=np.bool_)
    then = np.zeros((len(pool.windows), count))
    is_publication = any(window.axis == "publication" for window in pool.windows)
    published, dates = times.published, times.dates
    if not is_publication:
        (present,) = (~times.is_ahead[published]).nonzero()
        if len(present) < len(published):
            published, dates = published[present], dates[present]
    for has, spans, is_validity in ((published, dates, False), (times.valid, times.validities, True)):
        if not len(has):
            continue
        for row, window in enumerate(pool.windows):
            match = _match_date(window, spans, is_validity=is_validity)
            then[row, has] = np.maximum(then[row, has], match)
        dated[has] = True
        if not is_validity and not is_publication:
            # What states no other day than that of its publication may be about that day, and need not be.
            dated[has] = (then[:, has].max(axis=0) > 0) | ~times.is_forecast[has]
    in_force = find_versions_in_force(pool)
    then[0, in_force] = 1.0
    dated |= in_force
    combined = then.max(axis=0) if pool.understanding.cross_period else then.min(axis=0)
    stated = np.zeros(count)
    local = np.zeros(count)
    if scored.dating is not None and scored.match is not None and scored.local is not None:
        (at,) = (scored.dating >= 0).nonzero()
        spans = view.content.spans[scored.dating[at]]
        stated[at], local[at] = np.maximum(scored.match[at], _match_covering(pool, spans)), scored.local[at]
        if len(view.valid):
            stated[at[find_repeated_validity(pool, at, spans)]] = 0.0
    columns[:, 0] = combined
    columns[:, 1] = dated & (combined == 0) & (stated < _STATED)
    columns[:, 2] = stated
    columns[:, 3] = stated * ~dated
    columns[:, 4] = stated * local
    return columns


def _match_date(window: Window, spans: SpanSet, *, is_validity: bool) -> Floats:
    """How far dates of documents lie in a window.

    A validity that overlaps is enough, unless it must begin or end then; a publication date that is vaguer than the
    window is half.
    """
    span = window.span
    if is_validity and window.edge == "whole" and window.edge_span is not None:
        return np.asarray(find_covering(spans, window.edge_span), dtype=np.float64)
    if is_validity and window.edge is not None and window.edge_span is not None:
        span, spans, is_validity = window.edge_span, get_edges(spans, window.edge), False
    overlaps = spans.overlaps(span)
    if is_validity:
        return overlaps.astype(np.float64)
    # What lies in the window also overlaps it.
    return 0.5 * overlaps + 0.5 * spans.within(span)


def _match_covering(pool: Pool, spans: SpanSet) -> Floats:
    """How well times match that cover a window or lie in it: who speaks of Friday speaks of Friday morning.

    The longer such a time is beside the window, the less it says; one that is open says where it begins or ends.
    """
    closed = (spans.starts != OPEN_START) & (spans.ends != OPEN_END)
    lengths = np.where(closed, spans.ends - spans.starts, 1).astype(np.float64)
    match = np.zeros(len(spans))
    for window in pool.windows:
        if window.span.is_open:
            continue
        longer = lengths / (_HARDLY * float(window.span.end - window.span.start))
        match = np.maximum(match, closed * share_most(spans, window.span) * _COVERING / np.maximum(longer, 1.0) ** 0.5)
    return match
