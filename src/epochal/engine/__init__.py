"""Index: add, delete, search, explain; the planner; Response and Hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.engine.coverage import Coverage as Coverage
    from epochal.engine.index import Index as Index
    from epochal.engine.request import Request as Request
    from epochal.engine.response import Applied as Applied
    from epochal.engine.response import Evidence as Evidence
    from epochal.engine.response import Hit as Hit
    from epochal.engine.response import Response as Response

_HOMES = {
    "Applied": "epochal.engine.response",
    "Coverage": "epochal.engine.coverage",
    "Evidence": "epochal.engine.response",
    "Hit": "epochal.engine.response",
    "Index": "epochal.engine.index",
    "Request": "epochal.engine.request",
    "Response": "epochal.engine.response",
}
__all__ = ["Applied", "Coverage", "Evidence", "Hit", "Index", "Request", "Response"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
