"""Answers: a timeline of quotes at once, and what a language model writes from it where there is one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from starlette.responses import Response, StreamingResponse

from epochal.errors import EpochalError
from epochal.llm import Chat
from epochal.service.asked_times import asked_time
from epochal.service.logs import log_event
from epochal.service.operations import Body, Operation, json_response
from epochal.service.problems import ProblemError, problem_of
from epochal.service.shapes.answers import AnswerBody, Answered
from epochal.service.state import Service
from epochal.service.wire import json_bytes

__all__ = ["OPERATIONS"]

_EVENTS: Final = "text/event-stream"
_PATH: Final = "/api/v1/answer"
_ANSWERED: Final[Mapping[str, Any]] = {
    "question": "What became of steel tariffs in 2003?",
    "now": "2026-11-15",
    "as_of": None,
    "newest": "2020-03-01",
    "outcome": "recorded",
    "is_refused": False,
    "text": "2003\n  2003-06  “Tariffs fell last month.” [1: Lower tariffs, 2003-06]",
    "parts": [
        {
            "period": {"span": "2003", "start": 1041379200, "end": 1072915200, "words": "2003"},
            "outcome": "recorded",
            "sentence": "",
            "citations": [1],
            "more": 0,
        }
    ],
    "citations": [
        {
            "number": 1,
            "id": "p2",
            "title": "Lower tariffs",
            "quote": "Tariffs fell last month.",
            "start_char": 0,
            "end_char": 24,
            "date": {"span": "2003-06", "start": 1054425600, "end": 1057017600},
            "dated_by": "text",
            "standing": "within",
            "part": 0,
            "published": {"span": "2003-07-02", "start": 1057104000, "end": 1057190400},
            "superseded_by": None,
            "behind": [],
        }
    ],
    "claims": [],
    "missing": [],
    "dropped": [],
    "model": "",
    "plan": [],
    "hidden": {},
}


def _answer(service: Service, asked: AnswerBody, chat: Chat | None) -> dict[str, Any]:
    now = asked_time(asked.now, "now") or service.clock.now()
    as_of = asked_time(asked.as_of, "as_of", now)
    return service.reader.answer(asked.question, now=now, as_of=as_of, k=asked.k, llm=chat)


async def _respond(service: Service, asked: AnswerBody) -> Response:
    if not asked.stream:
        return json_response(await service.answers.run(lambda: _answer(service, asked, service.chat)))
    # What cannot be answered at all is told by the status, not within a stream that says all is well.
    told = await service.work.run(lambda: _answer(service, asked, None))
    return StreamingResponse(
        _events(service, asked, told, service.chat), media_type=_EVENTS, headers={"Cache-Control": "no-store"}
    )


async def _events(
    service: Service, asked: AnswerBody, told: Mapping[str, Any], chat: Chat | None
) -> AsyncIterator[bytes]:
    if chat is None:
        yield _event("answer", told)
        return
    yield _event("timeline", told)
    try:
        written = service.answers.run(lambda: _answer(service, asked, chat))
        yield _event("answer", await asyncio.wait_for(written, service.settings.answer_seconds))
    except asyncio.TimeoutError:
        late = ProblemError("too-slow", f"the language model took longer than {service.settings.answer_seconds:g} s")
        yield _event("problem", late.record(_PATH))
    except EpochalError as error:
        log_event("unanswered", level=logging.ERROR, trace=True)
        yield _event("problem", problem_of(error).record(_PATH))


def _event(name: str, record: Mapping[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), json_bytes(record))


OPERATIONS: Final = (
    Operation(
        name="answer",
        method="POST",
        path=_PATH,
        summary="What the documents say to a question, time by time, cited and quoted; and what they do not say.",
        asks=AnswerBody,
        tells=Answered,
        handle=_respond,
        example={"question": "What became of steel tariffs in 2003?", "now": "2026-11-15"},
        told=_ANSWERED,
        kinds=("model-failed",),
        lane="direct",
        body=Body(),
        seconds="answer_seconds",
        streams=True,
    ),
)
