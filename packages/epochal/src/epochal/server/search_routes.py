"""Routes that search, read time in text, and answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from epochal.errors import EpochalError
from epochal.llm.chat import Chat
from epochal.reading.questions.understand import understand
from epochal.reading.resolve import resolve
from epochal.reading.tagger import tag
from epochal.search.request import Request as SearchRequest
from epochal.search.request import SearchOptions, parse_time
from epochal.server.document_schemas import AnswerBody, AnswerModel
from epochal.server.overview import describe_answering
from epochal.server.problems import ProblemError, json_bytes, make_problem
from epochal.server.routing import (
    AnswerRoute,
    ServiceRoute,
    describe_problems,
    find_service,
    json_response,
    note_question,
    respond,
)
from epochal.server.search_schemas import (
    SearchBody,
    SearchModel,
    SearchQuery,
    TagBody,
    TagModel,
    TagQuery,
    UnderstandingModel,
    UnderstandQuery,
    WhenModel,
    WhenQuery,
    read_options,
)
from epochal.server.state import Edits, Service
from epochal.server.telemetry import log_event
from epochal.times.span import Span
from epochal.times.when import interpretation_to_dict

_EVENTS: Final = "text/event-stream"
_ANSWER_PATH: Final = "/api/v1/answer"
#: One event of a stream; its data is an object as JSON.
_EVENT: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"event": {"enum": ["timeline", "answer", "problem"]}, "data": {"type": "string"}},
    "required": ["event", "data"],
}

searches = APIRouter(prefix="/api/v1", route_class=ServiceRoute)
answers = APIRouter(route_class=AnswerRoute, tags=["answer"])


def _read_time(text: str | None, name: str, now: Span | None = None) -> Span | None:
    """Read a time; blank text counts as not given."""
    return None if text is None or not text.strip() else parse_time(text, name, now)


# ---------------------------------------------------------------- searching


def search_documents(service: Service, question: str, query: SearchQuery | SearchBody) -> dict[str, Any]:
    """The response to a question, as JSON has it."""
    start = service.stopwatch()
    request = SearchRequest.parse({"question": question, **read_options(query)}, service.clock.now())
    stopwatch = service.stopwatch if query.explain else None
    edits = _read_edits(query, request.now)
    response, view = service.reader.search(request, edits, stopwatch, counts_all=query.overview)
    record = response.to_dict()
    if query.overview:
        record["overview"] = describe_answering(view, response)
    return {**record, "generation": view.generation, "took_ms": round(1000 * (service.stopwatch() - start), 3)}


def _read_edits(query: SearchQuery | SearchBody, now: Span | None) -> Edits:
    """The corrections of the question's understanding that a body gives."""
    if not isinstance(query, SearchBody):
        return Edits()
    if query.periods is None:
        return Edits(tuple(query.drop))
    spans = (_read_time(text, "periods", now) for text in query.periods)
    return Edits(tuple(query.drop), tuple(span for span in spans if span is not None))


@searches.get("/search", name="search", tags=["search"], response_model=SearchModel, responses=describe_problems())
async def search(request: Request, query: Annotated[SearchQuery, Query()]) -> Response:
    """The documents that answer a question, from the time that it asks about."""
    return await respond(request, lambda service: search_documents(service, query.q, query), query.q)


@searches.post(
    "/search",
    name="search_edited",
    tags=["search"],
    response_model=SearchModel,
    responses=describe_problems(body=True),
)
async def search_edited(request: Request, body: SearchBody) -> Response:
    """The same, with corrections of what the question was understood to ask."""
    return await respond(request, lambda service: search_documents(service, body.question, body), body.question)


# ---------------------------------------------------------------- reading time


@searches.get(
    "/understand",
    name="understand",
    tags=["understand"],
    response_model=UnderstandingModel,
    responses=describe_problems(),
)
async def understand_question(request: Request, query: Annotated[UnderstandQuery, Query()]) -> Response:
    """What a question asks about time."""

    def make(service: Service) -> dict[str, Any]:
        return understand(query.q, _read_time(query.now, "now") or service.clock.now()).to_dict()

    return await respond(request, make, query.q)


def _tag(body: TagBody) -> dict[str, Any]:
    date = _read_time(body.dct, "dct")
    return {"expressions": [item.to_dict() for item in tag(body.text, date, body.lang, implicit=body.events)]}


@searches.get("/tag", name="tag", tags=["tag"], response_model=TagModel, responses=describe_problems())
async def tag_short_text(request: Request, query: Annotated[TagQuery, Query()]) -> Response:
    """The time expressions of a short text."""
    return await respond(request, lambda _: _tag(query))


@searches.post("/tag", name="tag_text", tags=["tag"], response_model=TagModel, responses=describe_problems(body=True))
async def tag_text(request: Request, body: TagBody) -> Response:
    """The time expressions of a text."""
    return await respond(request, lambda _: _tag(body))


@searches.get("/when", name="when", tags=["when"], response_model=WhenModel, responses=describe_problems())
async def when(request: Request, query: Annotated[WhenQuery, Query()]) -> Response:
    """The spans of one expression in any calendar, and their dates in the others."""

    def make(service: Service) -> dict[str, Any]:
        now = _read_time(query.now, "now") or service.clock.now()
        expression = query.expr.strip()
        record = {"text": expression, "now": now.edtf()}
        try:
            readings = resolve(expression, calendar=query.calendar, now=now)
        except EpochalError as error:
            if not query.check:
                raise
            return {**record, "readings": [], "problem": str(error)}
        return {**record, "readings": [interpretation_to_dict(item, now) for item in readings]}

    return await respond(request, make)


# ---------------------------------------------------------------- answers


def _answer(service: Service, body: AnswerBody, chat: Chat | None) -> dict[str, Any]:
    options = SearchOptions.parse(read_options(body), service.clock.now())
    return service.reader.answer(
        body.question, now=options.now, as_of=options.as_of, k=options.k, where=options.where, llm=chat
    )


@answers.post(
    _ANSWER_PATH,
    name="answer",
    response_model=AnswerModel,
    responses={
        **describe_problems("model-failed", body=True),
        200: {"content": {_EVENTS: {"schema": dict(_EVENT)}}},
    },
)
async def answer(request: Request, body: AnswerBody) -> Response:
    """An answer with dated citations and quotes, period by period; and what is missing."""
    service = find_service(request)
    note_question(request, body.question)
    if not body.stream:
        return json_response(await service.answers.run(lambda: _answer(service, body, service.chat)))
    # An error of the request is reported by the status, not within a stream whose status is 200.
    timeline = await service.work.run(lambda: _answer(service, body, None))
    events = _send_events(service, body, timeline, service.chat)
    return StreamingResponse(events, media_type=_EVENTS, headers={"Cache-Control": "no-store"})


async def _send_events(
    service: Service, body: AnswerBody, timeline: Mapping[str, Any], chat: Chat | None
) -> AsyncIterator[bytes]:
    if chat is None:
        yield _make_event("answer", timeline)
        return
    yield _make_event("timeline", timeline)
    try:
        reply = service.answers.run(lambda: _answer(service, body, chat))
        yield _make_event("answer", await asyncio.wait_for(reply, service.settings.answer_seconds))
    except asyncio.TimeoutError:
        late = ProblemError("too-slow", f"the language model took longer than {service.settings.answer_seconds:g} s")
        yield _make_event("problem", late.record(_ANSWER_PATH))
    except EpochalError as error:
        log_event("unanswered", level=logging.ERROR, trace=True)
        yield _make_event("problem", make_problem(error).record(_ANSWER_PATH))


def _make_event(name: str, record: Mapping[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), json_bytes(record))
