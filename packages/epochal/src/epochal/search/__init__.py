"""From a request to a response: candidates, scores, hits, outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.ranking.coverage import Coverage as Coverage
    from epochal.search.request import Request as Request
    from epochal.search.response import Applied as Applied
    from epochal.search.response import Evidence as Evidence
    from epochal.search.response import Hit as Hit
    from epochal.search.response import Response as Response
    from epochal.search.trends import Trend as Trend

__all__ = ["Applied", "Coverage", "Evidence", "Hit", "Request", "Response", "Trend"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.ranking.coverage": "Coverage",
        "epochal.search.request": "Request",
        "epochal.search.response": "Applied Evidence Hit Response",
        "epochal.search.trends": "Trend",
    },
)
