"""Coverage: how the documents are spread over time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from epochal.engine.parts import missing_parts
from epochal.index.backend import Rows, View
from epochal.reading.questions import understand
from epochal.service.asked_times import asked_time
from epochal.service.histogram import measure, widest
from epochal.service.operations import Operation
from epochal.service.shapes.documents import CoverageQuery, Spread
from epochal.service.state import Service

__all__ = ["OPERATIONS"]

#: Passages with words of a question that are looked at to tell which documents speak of it.
_MATCHES: Final = 10_000


def _coverage(service: Service, asked: CoverageQuery) -> dict[str, Any]:
    now = service.clock.now()
    low, high = widest(asked_time(asked.first, "from", now), asked_time(asked.last, "to", now))
    view = service.reader.view()
    question = (asked.q or "").strip()

    def made() -> dict[str, Any]:
        among = _about(view, question) if question else None
        found = measure(view, asked.bins, low, high, axis=asked.axis, among=among)
        return {**found.to_dict(), "generation": view.generation}

    key = (view.generation, missing_parts(view), asked.bins, low, high, asked.axis, question)
    record: dict[str, Any] = service.spreads.get(key, made)
    return record


def _about(view: View, question: str) -> Rows:
    """The documents that share words with the topic of a question."""
    topic = understand(question).topic or question
    return np.unique(view.document_of(view.words(topic, _MATCHES).rows))


OPERATIONS: Final = (
    Operation(
        name="coverage",
        method="GET",
        path="/api/v1/coverage",
        summary="How many documents lie in each of a row of equal stretches of time.",
        asks=CoverageQuery,
        tells=Spread,
        handle=_coverage,
        example={"bins": 2, "from": "1998", "to": "1999"},
        told={
            "bins": [
                {"start": 883612800, "end": 915148800, "start_edtf": "1998", "end_edtf": "1998", "count": 3},
                {"start": 915148800, "end": 946684800, "start_edtf": "1999", "end_edtf": "1999", "count": 0},
            ],
            "first": "1998-05-20",
            "last": "2020-03-01",
            "usual": {"start": 895622400, "end": 1583020800},
            "undated": 1,
            "documents": 10,
            "generation": 1,
        },
    ),
)
