"""What the service tells of itself: what it serves, whether it is well, and what it has done."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from starlette.responses import Response

from epochal.engine.parts import missing_parts
from epochal.errors import EpochalError, StorageError
from epochal.ranking.registry import scorer_names
from epochal.service import metrics
from epochal.service.histogram import measure
from epochal.service.limits import (
    MOST_BINS,
    MOST_BODY,
    MOST_DOCUMENTS_BODY,
    MOST_HITS,
    MOST_QUESTION,
    MOST_TEXT,
)
from epochal.service.logs import log_event
from epochal.service.operations import Operation, json_response
from epochal.service.shapes.info import Health, Info, Nothing
from epochal.service.state import Service
from epochal.version import __version__

__all__ = ["OPERATIONS"]


def _info(service: Service, _: Nothing) -> dict[str, Any]:
    view = service.reader.view()
    spread = service.spreads.get((view.generation, missing_parts(view), "info"), lambda: measure(view, 1))
    return {
        "version": __version__,
        "documents": view.document_count,
        "generation": view.generation,
        "encoder": service.reader.encoder_name,
        "writable": service.settings.writable,
        "answers": True,
        "language_model": None if service.chat is None else service.chat.name,
        "bench": service.reports is not None,
        "first": None if spread.first is None else spread.first.edtf(),
        "last": None if spread.last is None else spread.last.edtf(),
        "undated": spread.undated,
        "scorers": list(scorer_names()),
        "limits": {
            "question": MOST_QUESTION,
            "k": MOST_HITS,
            "bins": MOST_BINS,
            "body": MOST_BODY,
            "documents_body": MOST_DOCUMENTS_BODY,
            "text": MOST_TEXT,
            "seconds": service.settings.seconds,
        },
    }


async def _health(service: Service, _: Nothing) -> Response:
    """Not in the pool: a service that is busy is well all the same."""
    try:
        view = await asyncio.to_thread(service.reader.view)
    except StorageError:
        log_event("unready", trace=True)
        return json_response({"status": "unready", "ready": False, "documents": 0, "generation": 0}, 503)
    told = {"status": "ok", "ready": True, "documents": view.document_count, "generation": view.generation}
    return json_response(told)


async def _metrics(service: Service, _: Nothing) -> Response:
    try:
        view = await asyncio.to_thread(service.reader.view)
        state = {"documents": float(view.document_count), "generation": float(view.generation)}
    except EpochalError:
        state = {}  # what was done can be told all the same
    return Response(service.metrics.text(state), headers={"Cache-Control": "no-store"}, media_type=metrics.MEDIA_TYPE)


OPERATIONS: Final = (
    Operation(
        name="info",
        method="GET",
        path="/api/v1/info",
        summary="What is served.",
        asks=Nothing,
        tells=Info,
        handle=_info,
        example={},
        told={
            "version": "0.1.0",
            "documents": 10,
            "generation": 1,
            "encoder": "minilm",
            "writable": False,
            "answers": True,
            "language_model": None,
            "bench": False,
            "first": "1998-05-20",
            "last": "2020-03-01",
            "undated": 1,
            "scorers": ["gate", "bm25"],
            "limits": {
                "question": MOST_QUESTION,
                "k": MOST_HITS,
                "bins": MOST_BINS,
                "body": MOST_BODY,
                "documents_body": MOST_DOCUMENTS_BODY,
                "text": MOST_TEXT,
                "seconds": 10.0,
            },
        },
    ),
    Operation(
        name="health",
        method="GET",
        path="/health",
        summary="Whether the service lives, and whether it can read its index.",
        asks=Nothing,
        tells=Health,
        handle=_health,
        example={},
        told={"status": "ok", "ready": True, "documents": 10, "generation": 1},
        lane="direct",
    ),
    Operation(
        name="metrics",
        method="GET",
        path="/metrics",
        summary="What the service has done, for Prometheus.",
        asks=Nothing,
        tells="text/plain",
        handle=_metrics,
        example={},
        told='epochal_requests_total{route="search",status="200"} 17\n',
        lane="direct",
    ),
)
