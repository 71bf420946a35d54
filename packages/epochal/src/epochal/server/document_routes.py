"""Routes of documents, their histogram over time, and facts, health and metrics of the service."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Final

import numpy as np
from fastapi import APIRouter, Path, Query, Request, Security
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.responses import PlainTextResponse, Response

from epochal.errors import EpochalError, StorageError
from epochal.ranking.histogram import measure_histogram
from epochal.ranking.registry import list_scorers
from epochal.reading.questions.question import period_to_dict
from epochal.search.response import find_missing_shards
from epochal.server.coverage import list_reign_calendars, measure_documents
from epochal.server.document_schemas import (
    AddedModel,
    CoverageModel,
    CoverageQuery,
    DeletedModel,
    DocumentModel,
    GivenDocuments,
    HealthModel,
    InfoModel,
)
from epochal.server.introduction import find_index_name, introduce
from epochal.server.problems import ProblemError, read_json
from epochal.server.routing import (
    JSON,
    NDJSON,
    TOKEN,
    ServiceRoute,
    WriteRoute,
    describe_problems,
    find_service,
    json_response,
    respond,
)
from epochal.server.settings import (
    MAX_BINS,
    MAX_BODY,
    MAX_DOCUMENTS_BODY,
    MAX_ERRORS,
    MAX_HITS,
    MAX_ID,
    MAX_QUESTION,
    MAX_TEXT,
)
from epochal.server.state import Service
from epochal.server.telemetry import METRICS_TYPE, log_event
from epochal.storage.importers.export import build_row
from epochal.storage.importers.fields import DateReader, Fields, build_document
from epochal.storage.importers.rows import Row
from epochal.storage.protocol import View, name_state
from epochal.storage.records import TITLE, Document
from epochal.times.axis import OPEN_START
from epochal.version import __version__


class _IdConvertor(PathConvertor):
    """Ids may hold slashes, and line breaks, which a path of Starlette may not."""

    regex = r"[\s\S]*"


register_url_convertor("document", _IdConvertor())
_DOCUMENT: Final = "/api/v1/documents/{id:document}"
Id = Annotated[str, Path(min_length=1, max_length=MAX_ID, description="The id of the document.", examples=["p1"])]

documents = APIRouter(route_class=ServiceRoute)


# ---------------------------------------------------------------- documents


@documents.get(
    _DOCUMENT,
    name="document",
    tags=["documents"],
    response_model=DocumentModel,
    responses=describe_problems("not-found"),
)
async def get_document(request: Request, id: Id) -> Response:
    """A document, the times that its text states, and its versions."""

    def make(service: Service) -> dict[str, Any]:
        view = service.reader.view()
        document = view.get_document(id)
        if document is None:
            raise _make_not_found(id)
        return make_document_record(view, document)

    return await respond(request, make)


def make_document_record(view: View, document: Document) -> dict[str, Any]:
    """Make the record of a document, with the times that it states and the versions of its series, oldest first."""
    row = view.find_document_rows([document.id])
    times: list[dict[str, Any]] = []
    for passage in view.get_passages(view.get_passage_rows(row)):
        for dating in passage.datings:
            in_title = dating.start_char == TITLE
            if in_title and passage.ordinal:
                continue  # each passage has the times of the title
            start, end = passage.start_char + dating.start_char, passage.start_char + dating.end_char
            times.append(
                {
                    **period_to_dict(dating.span),
                    "axis": "title" if in_title else "content",
                    "text": document.title if in_title else document.text[start:end],
                    "start_char": -1 if in_title else start,
                    "end_char": -1 if in_title else end,
                    "confidence": dating.confidence,
                }
            )
    return {
        "document": build_row(document),
        "times": times,
        "series": _list_versions(view, document),
        **_find_neighbours(view, int(row[0])),
    }


def _find_neighbours(view: View, row: int) -> dict[str, dict[str, Any] | None]:
    """The documents before and after a document, in the order in which they were stored."""
    rows = view.alive_documents
    place = int(np.searchsorted(rows, row))
    before, after = rows[max(place - 1, 0) : place], rows[place + 1 : place + 2]
    return {
        name: next((_describe_version(item) for item in view.get_documents(found)), None)
        for name, found in (("previous", before), ("next", after))
    }


def _list_versions(view: View, document: Document) -> list[dict[str, Any]]:
    if document.series is None:
        return []
    members = view.get_documents(
        np.asarray(view.get_series_rows(view.get_series_code(document.series)), dtype=np.int64)
    )
    return [_describe_version(item) for item in sorted(members, key=_make_age_key)]


def _describe_version(document: Document) -> dict[str, Any]:
    return {
        "id": document.id,
        "title": document.title,
        "published": None if document.published is None else document.published.edtf(),
        "valid": None if document.valid is None else document.valid.edtf(),
    }


def _make_age_key(document: Document) -> tuple[int, str]:
    """A sort key: when a version began, undated ones first."""
    began = document.published or document.valid
    return (OPEN_START if began is None else began.start, document.id)


# ---------------------------------------------------------------- changing documents


def _read_documents(rows: Iterable[Mapping[str, Any]]) -> list[Document]:
    """Convert rows to documents; if any is wrong, raise a problem that names all of them."""
    dates = DateReader()
    documents: list[Document] = []
    wrong: list[dict[str, str]] = []
    for position, row in enumerate(rows):
        try:
            document = build_document(Row("body", position + 1, dict(row)), Fields(), dates)
            if len(document.id) > MAX_ID:
                raise EpochalError(f"the id has {len(document.id):,} characters; accepted: up to {MAX_ID}")
            if "\x00" in document.id:
                raise EpochalError("the id holds a NUL; accepted: any other characters")
        except EpochalError as error:
            wrong.append({"where": f"documents.{position}", "problem": str(error)})
        else:
            documents.append(document)
    if wrong:
        more = f"; {len(wrong) - 1:,} more" if len(wrong) > 1 else ""
        sentence = f"{wrong[0]['where']}: {wrong[0]['problem']}{more}; nothing was stored"
        raise ProblemError("not-accepted", sentence, errors=wrong)
    return documents


def _read_lines(body: bytes) -> dict[str, Any]:
    """Read one object per line into the form of a JSON body; blank lines are skipped."""
    rows: list[Any] = []
    wrong: list[dict[str, str]] = []
    for number, line in enumerate(body.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append(read_json(line, f"line {number}"))
        except ProblemError as error:
            wrong.append({"where": f"line {number}", "problem": error.detail})
            if len(wrong) == MAX_ERRORS:
                break
    if wrong:
        raise ProblemError("malformed", f"{wrong[0]['problem']}; nothing was stored", errors=wrong)
    return {"documents": rows}


class _DocumentsRoute(WriteRoute):
    """A route that also takes JSON Lines."""

    readers: ClassVar = {JSON: read_json, NDJSON: _read_lines}


changes = APIRouter(route_class=_DocumentsRoute, tags=["documents"], dependencies=[Security(TOKEN)])


@changes.delete(
    _DOCUMENT,
    name="delete_document",
    response_model=DeletedModel,
    responses=describe_problems("not-found", write=True),
)
async def delete_document(request: Request, id: Id) -> Response:
    """Delete a document."""

    def make(service: Service) -> dict[str, Any]:
        if service.writer is None:
            raise ProblemError("read-only", "this service is read-only")
        deleted, generation = service.writer.delete([id])
        if not deleted:
            raise _make_not_found(id)
        service.metrics.count("documents_deleted", deleted)
        return {"deleted": deleted, "generation": generation}

    return await respond(request, make, write=True)


@changes.post(
    "/api/v1/documents",
    name="add_documents",
    response_model=AddedModel,
    responses=describe_problems(body=True, write=True),
    openapi_extra={"requestBody": {"content": {NDJSON: {"schema": {"type": "string"}}}}},
)
async def add_documents(request: Request, body: GivenDocuments) -> Response:
    """Store documents, replacing those with the same ids: all of them or, if one is wrong, none."""

    def make(service: Service) -> dict[str, Any]:
        documents = _read_documents(item.model_dump(exclude_unset=True) for item in body.documents)
        if service.writer is None:
            raise ProblemError("read-only", "this service is read-only")
        added, generation = service.writer.add(documents)
        service.metrics.count("documents_added", added)
        return {"added": added, "given": len(documents), "generation": generation}

    return await respond(request, make, write=True)


def _make_not_found(id: str) -> ProblemError:
    return ProblemError("not-found", f"no document has the id {id!r}")


# ---------------------------------------------------------------- coverage


@documents.get(
    "/api/v1/coverage",
    name="coverage",
    tags=["coverage"],
    response_model=CoverageModel,
    responses=describe_problems(),
)
async def coverage(request: Request, query: Annotated[CoverageQuery, Query()]) -> Response:
    """A histogram of documents over time, in bins of equal length, in units of the calendar, or by reigns."""
    return await respond(request, lambda service: measure_documents(service, query), query.q)


# ---------------------------------------------------------------- the service itself


@documents.get("/api/v1/info", name="info", tags=["info"], response_model=InfoModel, responses=describe_problems())
async def info(request: Request) -> Response:
    """Facts of the index and the limits of the service."""
    return await respond(request, describe_service)


def describe_service(service: Service) -> dict[str, Any]:
    """Facts of the index and the limits of the service."""
    view = service.reader.view()
    key = (name_state(view), find_missing_shards(view), "info")
    histogram = service.histograms.get(key, lambda: measure_histogram(view, 1))
    return {
        "title": find_index_name(service.settings.folder),
        **service.histograms.get((view.generation, "introduction"), lambda: introduce(view)),
        "version": __version__,
        "documents": view.document_count,
        "generation": view.generation,
        "encoder": service.reader.encoder_name,
        "writable": service.settings.writable,
        "answers": True,
        "language_model": None if service.chat is None else service.chat.name,
        "bench": service.has_results,
        "first": None if histogram.first is None else histogram.first.edtf(),
        "last": None if histogram.last is None else histogram.last.edtf(),
        "undated": histogram.undated,
        "reigns": service.histograms.get((*key, "reigns"), lambda: list_reign_calendars(histogram)),
        "damaged": service.scrub.damaged[:MAX_ERRORS],
        "scorers": list(list_scorers()),
        "limits": {
            "question": MAX_QUESTION,
            "k": MAX_HITS,
            "bins": MAX_BINS,
            "body": MAX_BODY,
            "documents_body": MAX_DOCUMENTS_BODY,
            "text": MAX_TEXT,
            "seconds": service.settings.seconds,
        },
    }


@documents.get(
    "/health",
    name="health",
    tags=["service"],
    response_model=HealthModel,
    responses=describe_problems("unavailable", queued=False),
)
async def health(request: Request) -> Response:
    """Whether the service runs and can read its index."""
    # Not in the queue: a busy service is healthy.
    service = find_service(request)
    damaged = len(service.scrub.damaged)
    try:
        view = await asyncio.to_thread(service.reader.view)
    except StorageError:
        log_event("unready", trace=True)
        record = {"status": "unready", "ready": False, "documents": 0, "generation": 0, "damaged": damaged}
        return json_response(record, 503)
    return json_response(
        {
            "status": "damaged" if damaged else "ok",
            "ready": True,
            "documents": view.document_count,
            "generation": view.generation,
            "damaged": damaged,
        }
    )


@documents.get(
    "/metrics",
    name="metrics",
    tags=["service"],
    response_class=PlainTextResponse,
    responses=describe_problems(queued=False),
)
async def metrics(request: Request) -> Response:
    """Counters and gauges of the service, for Prometheus."""
    service = find_service(request)
    try:
        view = await asyncio.to_thread(service.reader.view)
        state = {"documents": float(view.document_count), "generation": float(view.generation)}
    except EpochalError:
        state = {}  # the counters are still reported
    return Response(service.metrics.text(state), headers={"Cache-Control": "no-store"}, media_type=METRICS_TYPE)
