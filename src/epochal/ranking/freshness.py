"""Freshness: how new a document is, for questions whose answer goes stale."""

from __future__ import annotations

from typing import Final

import numpy as np

from epochal.errors import EpochalError
from epochal.index.backend import Rows, View
from epochal.ranking.pool import Floats, Pool
from epochal.times import OPEN_END, Span
from epochal.times.decay import Exponential, freshness

__all__ = ["fresh", "newest_ends", "wants_news"]

_DAY: Final = 86_400
#: An answer that is stale within the hour is not answered by last month's news at all; the curve stays readable.
_SHORTEST: Final = 7.0
_LONGEST: Final = 365.0


def wants_news(pool: Pool) -> bool:
    """Whether the question of a pool needs what is new, and says what the present is.

    >>> wants_news.__name__
    'wants_news'
    """
    known = pool.now is not None and pool.now.end != OPEN_END
    return known and pool.understanding.temporal_focus == "recency"


def fresh(pool: Pool) -> Floats:
    """The freshness of each candidate as of the pool's `now`, in [0, 1], at the pace at which its answer goes stale.

    A document without a date is as fresh as the middle one of the pool: nothing is known against it.

    >>> fresh.__name__
    'fresh'
    """
    if pool.now is None:
        raise EpochalError("freshness needs to know the present; give now")
    days = min(max(pool.understanding.half_life or _LONGEST, _SHORTEST), _LONGEST)
    return _freshness(pool.view, pool.document_rows, pool.now, days)


def _freshness(view: View, document_rows: Rows, now: Span, days: float) -> Floats:
    table = view.published
    if not len(table) or not len(document_rows):
        return np.zeros(len(document_rows))
    at = np.minimum(table.rows.searchsorted(document_rows), len(table) - 1)
    dated = table.rows[at] == document_rows
    scores = np.zeros(len(document_rows))
    scores[dated] = freshness(table.spans[at[dated]], now, Exponential(scale=days * _DAY))
    if dated.any():
        scores[~dated] = float(np.median(scores[dated]))
    return scores


def newest_ends(view: View, document_rows: Rows) -> Rows:
    """When each document was published, as the second at which that ended; the least number for those without a date.

    >>> newest_ends.__name__
    'newest_ends'
    """
    table = view.published
    found = np.full(len(document_rows), np.iinfo(np.int64).min, dtype=np.int64)
    if len(table):
        at = np.minimum(table.rows.searchsorted(document_rows), len(table) - 1)
        dated = table.rows[at] == document_rows
        found[dated] = table.spans.ends[at[dated]]
    return found
