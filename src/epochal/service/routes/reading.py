"""Reading: what a question asks of time, which times a text speaks of, and when an expression of any calendar is."""

from __future__ import annotations

from typing import Any, Final

from epochal.reading.questions import understand
from epochal.reading.tagger import tag
from epochal.service.asked_times import asked_time
from epochal.service.operations import Body, Operation
from epochal.service.shapes.times import (
    Expressions,
    Readings,
    TagBody,
    TagQuery,
    Understanding,
    UnderstandQuery,
    WhenQuery,
)
from epochal.service.state import Service
from epochal.times import resolve
from epochal.times.readings import reading_record

__all__ = ["OPERATIONS"]

_UNDERSTOOD: Final = {
    "intent": "none",
    "temporal_class": "past",
    "recency": "A-Year",
    "constraints": [
        {
            "relation": "during",
            "axis": "content",
            "span": "2012",
            "start": 1325376000,
            "end": 1356998400,
            "evidence": {"text": "last year", "start": 8, "end": 17, "confidence": 1.0},
        }
    ],
    "periods": [{"span": "2012", "start": 1325376000, "end": 1356998400, "words": "2012"}],
    "plan": [],
    "topic": "Who won",
    "anchors": [],
    "granularity": "year",
    "cross_period": False,
    "reasoning_class": "",
    "half_life": 365.0,
    "is_temporal": True,
    "temporal_focus": "specific_time",
    "variants": {},
}
_TAGGED: Final = {
    "expressions": [
        {
            "text": "May 1998",
            "start": 8,
            "end": 16,
            "kind": "DATE",
            "value": "1998-05",
            "mod": None,
            "span": "1998-05",
            "confidence": 1.0,
        }
    ]
}
_READ: Final = {
    "text": "Meiji 10",
    "now": "2026-11-15",
    "readings": [
        {
            "calendar": "nengo",
            "text": "明治十年",
            "words": "1877",
            "edtf": "1877",
            "start": -2934748800,
            "end": -2903212800,
            "first_day": "1877-01-01",
            "last_day": "1877-12-31",
            "first_year": 1877,
            "last_year": 1877,
            "grain": "year",
            "end_grain": "year",
            "certainty": "certain",
            "end_certainty": "certain",
            "distance": "149 years ago",
            "date": {
                "era": "明治",
                "year": 10,
                "season": None,
                "month": None,
                "leap": False,
                "day": None,
                "sexagenary": None,
            },
            "ordinal": None,
            "in": {"julian": {"first": ["1876 (Julian)"], "last": ["1877 (Julian)"]}},
        }
    ],
}


def _understand(service: Service, asked: UnderstandQuery) -> dict[str, Any]:
    return understand(asked.q, asked_time(asked.now, "now") or service.clock.now()).to_dict()


def _tag(_: Service, asked: TagQuery) -> dict[str, Any]:
    date = asked_time(asked.dct, "dct")
    return {"expressions": [item.to_dict() for item in tag(asked.text, date, asked.lang, implicit=asked.events)]}


def _when(service: Service, asked: WhenQuery) -> dict[str, Any]:
    now = asked_time(asked.now, "now") or service.clock.now()
    expression = asked.expr.strip()
    readings = resolve(expression, calendar=asked.calendar, now=now)
    return {"text": expression, "now": now.edtf(), "readings": [reading_record(item, now) for item in readings]}


OPERATIONS: Final = (
    Operation(
        name="understand",
        method="GET",
        path="/api/v1/understand",
        summary="What a question asks of time.",
        asks=UnderstandQuery,
        tells=Understanding,
        handle=_understand,
        example={"q": "Who won last year?", "now": "2013-05-01"},
        told=_UNDERSTOOD,
    ),
    Operation(
        name="tag",
        method="GET",
        path="/api/v1/tag",
        summary="The time expressions of a short text.",
        asks=TagQuery,
        tells=Expressions,
        handle=_tag,
        example={"text": "Sold in May 1998.", "dct": "1998-06-02"},
        told=_TAGGED,
    ),
    Operation(
        name="tag_text",
        method="POST",
        path="/api/v1/tag",
        summary="The time expressions of a text.",
        asks=TagBody,
        tells=Expressions,
        handle=_tag,
        example={"text": "Sold in May 1998.", "dct": "1998-06-02"},
        told=_TAGGED,
        body=Body(),
    ),
    Operation(
        name="when",
        method="GET",
        path="/api/v1/when",
        summary="One expression of any calendar to spans, and back into the others.",
        asks=WhenQuery,
        tells=Readings,
        handle=_when,
        example={"expr": "Meiji 10", "now": "2026-11-15"},
        told=_READ,
    ),
)
