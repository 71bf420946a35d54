"""Searching: a question, and what goes with it, in the address or in a body."""

from __future__ import annotations

from typing import Any, Final

from epochal.engine.request import OPTIONS, Request
from epochal.service.asked_times import asked_time
from epochal.service.operations import Body, Operation
from epochal.service.reader import Edits
from epochal.service.shapes.search import Found, SearchBody, SearchQuery, SearchWishes
from epochal.service.state import Service

__all__ = ["OPERATIONS"]

_FOUND: Final = {
    "question": "What happened to steel tariffs in 2003?",
    "now": "2026-11-15",
    "outcome": "recorded",
    "hits": [
        {
            "id": "p2",
            "score": 1.92,
            "parts": {"lexical": 0.71, "semantic": 0.52, "alignment": 0.69},
            "passage": "Tariffs on steel were lowered last month.",
            "passage_start": 0,
            "evidence": [
                {
                    "span": "2003-06",
                    "start": 1054425600,
                    "end": 1057017600,
                    "axis": "content",
                    "text": "last month",
                    "start_char": 30,
                    "end_char": 40,
                    "context": "Tariffs on steel were lowered last month.",
                    "match": 1.0,
                    "local": 0.8,
                }
            ],
            "period": None,
            "superseded_by": None,
            "folded": [],
            "document": {
                "id": "p2",
                "text": "Tariffs on steel were lowered last month.",
                "title": "Lower tariffs",
                "published": "2003-07-02",
            },
        }
    ],
    "applied": [
        {
            "name": "constraint",
            "sentence": "prefers what speaks of or was published in 2003",
            "strict": False,
            "span": {"span": "2003", "start": 1041379200, "end": 1072915200},
        }
    ],
    "hidden": {},
    "missing": [],
    "understanding": {
        "intent": "when",
        "temporal_class": "past",
        "recency": "Never",
        "constraints": [
            {
                "relation": "during",
                "axis": "content",
                "span": "2003",
                "start": 1041379200,
                "end": 1072915200,
                "evidence": {"text": "in 2003", "start": 31, "end": 38, "confidence": 1.0},
            }
        ],
        "periods": [{"span": "2003", "start": 1041379200, "end": 1072915200, "words": "2003"}],
        "plan": [{"step": 1, "action": "Find what happened to steel tariffs in 2003.", "period": "2003"}],
        "topic": "What happened to steel tariffs",
        "anchors": ["2003"],
        "granularity": "year",
        "cross_period": False,
        "reasoning_class": "",
        "half_life": None,
        "is_temporal": True,
        "temporal_focus": "specific_time",
        "variants": {},
    },
    "timings": {},
    "generation": 1,
    "took_ms": 12.5,
}


def _search(service: Service, question: str, wishes: SearchWishes, edits: Edits) -> dict[str, Any]:
    start = service.stopwatch()
    given = {name: value for name, value in vars(wishes).items() if name in OPTIONS and value is not None}
    given["collapse_versions"] = wishes.fold
    request = Request.parse({"question": question, **given}, service.clock.now())
    stopwatch = service.stopwatch if wishes.explain else None
    response, view = service.reader.search(request, wishes.scorer, edits, stopwatch)
    record = response.to_dict()
    return {**record, "generation": view.generation, "took_ms": round(1000 * (service.stopwatch() - start), 3)}


def _by_query(service: Service, asked: SearchQuery) -> dict[str, Any]:
    return _search(service, asked.q, asked, Edits())


def _by_body(service: Service, asked: SearchBody) -> dict[str, Any]:
    now = asked_time(asked.now, "now") or service.clock.now()
    spans = None
    if asked.periods is not None:
        found = (asked_time(text, "periods", now) for text in asked.periods)
        spans = tuple(span for span in found if span is not None)
    return _search(service, asked.question, asked, Edits(tuple(asked.drop), spans))


OPERATIONS: Final = (
    Operation(
        name="search",
        method="GET",
        path="/api/v1/search",
        summary="The documents that answer a question, from the time that it asks about.",
        asks=SearchQuery,
        tells=Found,
        handle=_by_query,
        example={"q": "What happened to steel tariffs in 2003?", "now": "2026-11-15", "k": 10},
        told=_FOUND,
    ),
    Operation(
        name="search_edited",
        method="POST",
        path="/api/v1/search",
        summary="The same; what was read in the question can be corrected.",
        asks=SearchBody,
        tells=Found,
        handle=_by_body,
        example={"question": "What happened to steel tariffs in 2003?", "now": "2026-11-15", "drop": [0]},
        told=_FOUND,
        body=Body(),
    ),
)
