"""From a request to a response: what is asked for, what is found, and how much of it the index covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.engine.coverage import Coverage as Coverage
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
    "Request": "epochal.engine.request",
    "Response": "epochal.engine.response",
}
__all__ = ["Applied", "Coverage", "Evidence", "Hit", "Request", "Response"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
