"""The symbolic matcher: first what satisfies the times asked for exactly, then by BM25."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epochal.ranking.baselines.times import times_of
from epochal.ranking.pool import Pool, Scored
from epochal.times import Span
from epochal.times.filters import named_filter

__all__ = ["Symbolic"]


@dataclass(frozen=True, slots=True)
class Symbolic:
    """Allen, "Maintaining Knowledge about Temporal Intervals" (1983): exact relations between intervals, as a tier.

    A candidate satisfies a window of the question when any of its times (what it speaks of, or when its document was
    published) has the `relation` to it: during, overlaps, before, after, around, or one of Allen's thirteen by name.
    The windows of "before 1998" and "since 2017" are the open sides, so the default holds for these too. The score is
    the number of windows satisfied, plus BM25 scaled below 1: words decide only among equals. Without a window that is
    the order of BM25. Nothing is graded, and nobody looks at which of its times a document means; that is what the
    other scorers have to add.

    >>> Symbolic().relation
    'overlaps'
    """

    relation: str = "overlaps"
    name: str = "symbolic"

    def __post_init__(self) -> None:
        named_filter(self.relation, Span.year(2000))

    def score(self, pool: Pool) -> Scored:
        """How many windows each candidate satisfies, and its BM25 below 1.

        >>> Symbolic(relation="during").name
        'symbolic'
        """
        exact = np.zeros(len(pool))
        if pool.windows and len(pool):
            times = times_of(pool)
            for window in pool.windows:
                kept = named_filter(self.relation, window.span).mask(times.spans)
                exact[np.unique(times.places[kept])] += 1.0
        words = pool.lexical / (1.0 + float(pool.lexical.max(initial=0.0)))
        return Scored(exact + words, {"symbolic": exact, "lexical": words})
