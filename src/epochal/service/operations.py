"""Operation: one thing that the service does, described once. Requests are checked, and the description made, by it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from epochal.service.auth import check_token
from epochal.service.envelope import NOTE
from epochal.service.limits import MOST_BODY
from epochal.service.problems import ProblemError
from epochal.service.shapes.base import Asked, Told, checked, from_query
from epochal.service.state import Service
from epochal.service.wire import json_bytes, read_json

__all__ = ["JSON", "Body", "Operation", "json_response", "perform"]

JSON: Final = "application/json"
#: Bodies of so many bytes take long enough to hold up other requests while they are read.
_SMALL: Final = 1 << 16
#: Where an operation runs: in a thread of the pool, in the one thread that writes, or where the request is read.
Lane = Literal["work", "write", "direct"]


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request: its types, and for each how it is read and what an example looks like.

    >>> Body().most
    1048576
    """

    types: Mapping[str, Callable[[bytes], Any]] = field(default_factory=lambda: {JSON: read_json})
    examples: Mapping[str, Any] = field(default_factory=dict)
    most: int = MOST_BODY


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a path: what it asks, what it tells, which problems it may have, and what does it.

    `handle` gets the service and what was asked. In the lanes `work` and `write` it returns a record; a direct one is
    a coroutine that returns the response itself.

    >>> from epochal.service.shapes.info import Health, Nothing
    >>> Operation("health", "GET", "/health", "Whether it lives.", Nothing, Health, print, {}, {}).lane
    'work'
    """

    name: str
    method: str
    path: str
    summary: str
    asks: type[Asked]
    tells: type[Told] | str
    handle: Callable[[Service, Any], Any]
    example: Mapping[str, Any]
    told: Any
    kinds: tuple[str, ...] = ()
    lane: Lane = "work"
    body: Body | None = None
    seconds: Literal["seconds", "write_seconds", "answer_seconds"] = "seconds"
    streams: bool = False


def json_response(record: Mapping[str, Any], status: int = 200) -> Response:
    """A response that holds a record.

    >>> json_response({"status": "ok"}).body
    b'{"status":"ok"}'
    """
    return _json_response(json_bytes(record), status)


def _json_response(body: bytes, status: int = 200) -> Response:
    return Response(body, status, {"Cache-Control": "no-store"}, JSON)


async def perform(operation: Operation, service: Service, request: Request) -> Response:
    """Do what a request asks, within its time.

    >>> perform.__name__
    'perform'
    """
    request.scope[NOTE]["route"] = operation.name
    seconds: float = getattr(service.settings, operation.seconds)
    try:
        return await asyncio.wait_for(_performed(operation, service, request), seconds)
    except asyncio.TimeoutError:
        after = "; the change may still be made, and can be asked for again" if operation.lane == "write" else ""
        sentence = f"the request took longer than the {seconds:g} s that it may{after}"
        raise ProblemError("too-slow", sentence, headers={"Retry-After": "5"}) from None


async def _performed(operation: Operation, service: Service, request: Request) -> Response:
    if operation.lane == "write":
        check_token(service.settings, request.headers.get("authorization"))
    given = from_query(operation.asks, request.query_params.multi_items())
    if operation.body is not None:
        if given:
            raise ProblemError("not-accepted", f"{next(iter(given))[:80]}: values stand in the body here")
        asked = checked(operation.asks, await _read_body(operation.body, request))
    else:
        asked = checked(operation.asks, given | request.path_params)
    if service.settings.log_questions:
        request.scope[NOTE]["question"] = getattr(asked, "question", getattr(asked, "q", None))
    if operation.lane == "direct":
        response: Response = await operation.handle(service, asked)
        return response
    lane = service.work if operation.lane == "work" else service.writes
    if lane is None:
        raise ProblemError("read-only", "this service is read-only")
    # Long answers take a while to write, too: in the thread, where they hold up nobody.
    return _json_response(await lane.run(lambda: json_bytes(operation.handle(service, asked))))


async def _read_body(body: Body, request: Request) -> Any:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in body.types:
        accepted = " or ".join(body.types)
        raise ProblemError("wrong-type", f"the body is of the type {kind[:80]!r}; accepted: {accepted}")
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ProblemError("wrong-type", "the body is packed; accepted: one that is not")
    too_large = ProblemError(
        "too-large", f"the body has more than the {body.most:,} bytes that are read", headers={"Connection": "close"}
    )
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length[:20]) > body.most:
        raise too_large
    parts = bytearray()
    try:
        async for part in request.stream():
            parts += part
            if len(parts) > body.most:
                raise too_large
    except ClientDisconnect:
        raise ProblemError("malformed", "the body breaks off") from None
    if len(parts) < _SMALL:
        return body.types[kind](bytes(parts))
    return await asyncio.to_thread(body.types[kind], bytes(parts))
