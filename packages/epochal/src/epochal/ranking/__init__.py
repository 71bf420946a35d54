"""Features of candidates, the scorer that weighs them, versions, coverage, histograms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.ranking.pool import Pool as Pool
    from epochal.ranking.pool import Scored as Scored
    from epochal.ranking.pool import Scorer as Scorer

__all__ = ["Pool", "Scored", "Scorer"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.ranking.pool": "Pool Scored Scorer",
    },
)
