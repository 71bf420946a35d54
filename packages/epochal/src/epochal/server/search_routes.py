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
from epochal.reading.tagger import tag
from epochal.search.request import Request as SearchRequest
from epochal.search.request import SearchOptions, parse_time
from epochal.server.document_schemas import AnswerBody, AnswerModel
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
from epochal.times.when import interpretation_to_dict, resolve

__all__ = ["answers", "searches"]

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
    """The span of a text; a blank one is none."""
    return None if text is None or not text.strip() else parse_time(text, name, now)


# ---------------------------------------------------------------- searching


def _search(service: Service, question: str, asked: Any) -> dict[str, Any]:
    start = service.stopwatch()
    request = SearchRequest.parse({"question": question, **read_options(asked)}, service.clock.now())
    stopwatch = service.stopwatch if asked.explain else None
    response, view = service.reader.search(request, _read_edits(asked, request.now), stopwatch)
    record = response.to_dict()
    return {**record, "generation": view.generation, "took_ms": round(1000 * (service.stopwatch() - start), 3)}


def _read_edits(asked: Any, now: Span | None) -> Edits:
    """What a body corrects in the reading of its question."""
    if not isinstance(asked, SearchBody):
        return Edits()
    if asked.periods is None:
        return Edits(tuple(asked.drop))
    spans = (_read_time(text, "periods", now) for text in asked.periods)
    return Edits(tuple(asked.drop), tuple(span for span in spans if span is not None))


@searches.get("/search", name="search", tags=["search"], response_model=SearchModel, responses=describe_problems())
async def search(request: Request, asked: Annotated[SearchQuery, Query()]) -> Response:
    """The documents that answer a question, from the time that it asks about."""
    return await respond(request, lambda service: _search(service, asked.q, asked), asked.q)


@searches.post(
    "/search",
    name="search_edited",
    tags=["search"],
    response_model=SearchModel,
    responses=describe_problems(body=True),
)
async def search_edited(request: Request, asked: SearchBody) -> Response:
    """The same; what was read in the question can be corrected."""
    return await respond(request, lambda service: _search(service, asked.question, asked), asked.question)


# ---------------------------------------------------------------- reading time


@searches.get(
    "/understand",
    name="understand",
    tags=["understand"],
    response_model=UnderstandingModel,
    responses=describe_problems(),
)
async def understand_question(request: Request, asked: Annotated[UnderstandQuery, Query()]) -> Response:
    """What a question asks of time."""

    def make(service: Service) -> dict[str, Any]:
        return understand(asked.q, _read_time(asked.now, "now") or service.clock.now()).to_dict()

    return await respond(request, make, asked.q)


def _tag(asked: TagBody) -> dict[str, Any]:
    date = _read_time(asked.dct, "dct")
    return {"expressions": [item.to_dict() for item in tag(asked.text, date, asked.lang, implicit=asked.events)]}


@searches.get("/tag", name="tag", tags=["tag"], response_model=TagModel, responses=describe_problems())
async def tag_short_text(request: Request, asked: Annotated[TagQuery, Query()]) -> Response:
    """The time expressions of a short text."""
    return await respond(request, lambda _: _tag(asked))


@searches.post("/tag", name="tag_text", tags=["tag"], response_model=TagModel, responses=describe_problems(body=True))
async def tag_text(request: Request, asked: TagBody) -> Response:
    """The time expressions of a text."""
    return await respond(request, lambda _: _tag(asked))


@searches.get("/when", name="when", tags=["when"], response_model=WhenModel, responses=describe_problems())
async def when(request: Request, asked: Annotated[WhenQuery, Query()]) -> Response:
    """One expression of any calendar to spans, and back into the others."""

    def make(service: Service) -> dict[str, Any]:
        now = _read_time(asked.now, "now") or service.clock.now()
        expression = asked.expr.strip()
        readings = resolve(expression, calendar=asked.calendar, now=now)
        return {
            "text": expression,
            "now": now.edtf(),
            "readings": [interpretation_to_dict(item, now) for item in readings],
        }

    return await respond(request, make)


# ---------------------------------------------------------------- answers


def _answer(service: Service, asked: Any, chat: Chat | None) -> dict[str, Any]:
    options = SearchOptions.parse(read_options(asked), service.clock.now())
    return service.reader.answer(asked.question, now=options.now, as_of=options.as_of, k=options.k, llm=chat)


@answers.post(
    _ANSWER_PATH,
    name="answer",
    response_model=AnswerModel,
    responses={
        **describe_problems("model-failed", body=True),
        200: {"content": {_EVENTS: {"schema": dict(_EVENT)}}},
    },
)
async def answer(request: Request, asked: AnswerBody) -> Response:
    """What the documents say to a question, time by time, cited and quoted; and what they do not say."""
    service = find_service(request)
    note_question(request, asked.question)
    if not asked.stream:
        return json_response(await service.answers.run(lambda: _answer(service, asked, service.chat)))
    # What cannot be answered at all is reported by the status, not within a stream that says all is well.
    timeline = await service.work.run(lambda: _answer(service, asked, None))
    events = _send_events(service, asked, timeline, service.chat)
    return StreamingResponse(events, media_type=_EVENTS, headers={"Cache-Control": "no-store"})


async def _send_events(
    service: Service, asked: Any, timeline: Mapping[str, Any], chat: Chat | None
) -> AsyncIterator[bytes]:
    if chat is None:
        yield _make_event("answer", timeline)
        return
    yield _make_event("timeline", timeline)
    try:
        answered = service.answers.run(lambda: _answer(service, asked, chat))
        yield _make_event("answer", await asyncio.wait_for(answered, service.settings.answer_seconds))
    except asyncio.TimeoutError:
        late = ProblemError("too-slow", f"the language model took longer than {service.settings.answer_seconds:g} s")
        yield _make_event("problem", late.record(_ANSWER_PATH))
    except EpochalError as error:
        log_event("unanswered", level=logging.ERROR, trace=True)
        yield _make_event("problem", make_problem(error).record(_ANSWER_PATH))


def _make_event(name: str, record: Mapping[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), json_bytes(record))
