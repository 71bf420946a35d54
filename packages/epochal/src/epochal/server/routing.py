"""How requests are read and answered: a route with limits of size and time, strict JSON, a token for changes."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib.abc import Traversable
from typing import Any, ClassVar, Final, Literal

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from epochal.server.problems import MEDIA_TYPE, PROBLEMS, ProblemError, json_bytes, read_json
from epochal.server.settings import MAX_BODY, MAX_DOCUMENTS_BODY, MAX_NAME, Settings
from epochal.server.state import Service
from epochal.server.telemetry import NOTE

__all__ = [
    "JSON",
    "NDJSON",
    "TOKEN",
    "AnswerRoute",
    "Extension",
    "ServiceRoute",
    "WriteRoute",
    "check_token",
    "describe_problems",
    "find_service",
    "json_response",
    "make_validation_problem",
    "note_question",
    "respond",
]

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
#: How the description names the token.
TOKEN: Final = HTTPBearer(scheme_name="token", auto_error=False)
#: Bodies of so many bytes take long enough to hold up other requests while they are read.
_SMALL: Final = 1 << 16
_UNKNOWN: Final = "no such name is known here"


@dataclass(frozen=True, slots=True)
class Extension:
    """What another package adds to the service: a router, static files, and pages by their address.

    A factory in the entry point group `epochal.server` gets the settings and returns one. `has_results` makes the page
    show its link to the results.
    """

    router: APIRouter
    static: Traversable
    pages: Mapping[str, str] = field(default_factory=dict)
    has_results: bool = False


# ---------------------------------------------------------------- routes


class ServiceRoute(APIRoute):
    """A route whose requests are read strictly and answered within their time."""

    #: The name of the setting that bounds a request, and what is said of one that took longer.
    seconds: ClassVar[Literal["seconds", "write_seconds", "answer_seconds"]] = "seconds"
    overtime: ClassVar[str] = ""
    #: How the types of a body are read, and its bytes at most.
    readers: ClassVar[Mapping[str, Callable[[bytes], Any]]] = {JSON: read_json}
    max_body: ClassVar[int] = MAX_BODY

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:
        """FastAPI's handler, behind what is checked before it."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            request.scope[NOTE]["route"] = self.name
            service = find_service(request)
            allowed: float = getattr(service.settings, self.seconds)
            try:
                return await asyncio.wait_for(self._answer(handle, service, request), allowed)
            except asyncio.TimeoutError:
                sentence = f"the request took longer than the {allowed:g} s that it may{self.overtime}"
                raise ProblemError("too-slow", sentence, headers={"Retry-After": "5"}) from None

        return answer

    async def _answer(
        self, handle: Callable[[Request], Awaitable[Response]], service: Service, request: Request
    ) -> Response:
        self.check(service.settings, request)
        self._check_query(request)
        if self.body_field is not None:
            request = _ParsedRequest(request, await self._read_body(request))
        return await handle(request)

    def check(self, settings: Settings, request: Request) -> None:
        """What must hold before anything of a request is read."""

    def _check_query(self, request: Request) -> None:
        names = [name for name, _ in request.query_params.multi_items()]
        if not names:
            return
        if self.body_field is not None:
            raise ProblemError("not-accepted", f"{names[0][:80]}: values stand in the body here")
        again = next((name for name in names if names.count(name) > 1), None)
        if again is not None:
            raise _make_problem([{"where": again[:MAX_NAME], "problem": "given more than once"}])
        if not self.dependant.query_params:
            raise _make_problem([{"where": name[:MAX_NAME], "problem": _UNKNOWN} for name in names])

    async def _read_body(self, request: Request) -> Any:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in self.readers:
            accepted = " or ".join(self.readers)
            raise ProblemError("wrong-type", f"the body is of the type {kind[:80]!r}; accepted: {accepted}")
        if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise ProblemError("wrong-type", "the body is packed; accepted: one that is not")
        too_large = ProblemError(
            "too-large",
            f"the body has more than the {self.max_body:,} bytes that are read",
            headers={"Connection": "close"},
        )
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length[:20]) > self.max_body:
            raise too_large
        parts = bytearray()
        try:
            async for part in request.stream():
                parts += part
                if len(parts) > self.max_body:
                    raise too_large
        except ClientDisconnect:
            raise ProblemError("malformed", "the body breaks off") from None
        if len(parts) < _SMALL:
            return self.readers[kind](bytes(parts))
        return await asyncio.to_thread(self.readers[kind], bytes(parts))


class AnswerRoute(ServiceRoute):
    """A route that a language model may take part in."""

    seconds = "answer_seconds"


class WriteRoute(ServiceRoute):
    """A route that changes documents, for those who bring the token."""

    seconds = "write_seconds"
    overtime = "; the change may still be made, and can be asked for again"
    max_body = MAX_DOCUMENTS_BODY

    def check(self, settings: Settings, request: Request) -> None:
        """Ask for the token before the body is read."""
        check_token(settings, request.headers.get("authorization"))


class _ParsedRequest(Request):
    """A request whose body was read already, within its limits; to FastAPI it is JSON, whatever type it came as."""

    def __init__(self, request: Request, value: Any) -> None:
        others = [pair for pair in request.scope["headers"] if pair[0] != b"content-type"]
        super().__init__({**request.scope, "headers": [*others, (b"content-type", JSON.encode())]}, request.receive)
        self._value = value

    async def body(self) -> bytes:
        """Something that is not empty; what it holds is in `json`."""
        return JSON.encode()

    async def json(self) -> Any:
        """The value of the body."""
        return self._value


def check_token(settings: Settings, header: str | None) -> None:
    """Refuse a change where nothing may be changed, and from whoever does not bring the token.

    The time that it takes says nothing of the token: digests are compared, of one length, in constant time.
    """
    if not settings.writable:
        raise ProblemError("read-only", "this service is read-only; it can be started with --writable and a token")
    challenge = {"WWW-Authenticate": 'Bearer realm="epochal"'}
    scheme, _, given = (header or "").strip().partition(" ")
    accepted = "accepted: Authorization: Bearer TOKEN"
    if scheme.lower() != "bearer" or not given.strip():
        raise ProblemError("no-token", f"documents are changed with a token only; {accepted}", headers=challenge)
    if not hmac.compare_digest(_digest(given.strip()), _digest(settings.token)):
        raise ProblemError("no-token", f"the token is not the right one; {accepted}", headers=challenge)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


# ---------------------------------------------------------------- responses


def find_service(request: Request) -> Service:
    """The service that a request is for."""
    service: Service = request.app.state.service
    return service


def json_response(record: Mapping[str, Any], status: int = 200) -> Response:
    """A response that holds a record."""
    return _make_response(json_bytes(record), status)


def _make_response(body: bytes, status: int = 200) -> Response:
    return Response(body, status, {"Cache-Control": "no-store"}, JSON)


async def respond(
    request: Request, make: Callable[[Service], Mapping[str, Any]], question: str | None = None, *, write: bool = False
) -> Response:
    """The record that `make` returns, made in a thread of the service; a question is logged where that is wanted."""
    service = find_service(request)
    note_question(request, question)
    queue = service.writes if write else service.work
    if queue is None:
        raise ProblemError("read-only", "this service is read-only")
    # A long record takes a while to write as JSON, too: in the thread, where it holds up nobody.
    return _make_response(await queue.run(lambda: json_bytes(make(service))))


def note_question(request: Request, question: str | None) -> None:
    """Let the log have the question, where the settings say so."""
    if question is not None and find_service(request).settings.log_questions:
        request.scope[NOTE]["question"] = question


# ---------------------------------------------------------------- problems


def make_validation_problem(error: RequestValidationError) -> ProblemError:
    """The problem of a request that does not fit its schema; it names every value which cannot be accepted."""
    return _make_problem([_describe_error(item) for item in error.errors()])


def _make_problem(errors: Sequence[Mapping[str, str]]) -> ProblemError:
    more = f"; {len(errors) - 1} more" if len(errors) > 1 else ""
    return ProblemError("not-accepted", f"{errors[0]['where']}: {errors[0]['problem']}{more}", errors=errors)


def _describe_error(item: Mapping[str, Any]) -> dict[str, str]:
    # The first part of the location says only whether it is in the address or in the body.
    where = ".".join(str(part) for part in item["loc"][1:])[:MAX_NAME] or "the body"
    problem = str(item["msg"])
    if item["type"] == "extra_forbidden":
        problem = _UNKNOWN
    elif item["type"] != "missing":
        problem += f", but is {_show(item['input'])}"
    return {"where": where, "problem": problem}


def _show(value: object) -> str:
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


_ANY: Final = ("wrong-host", "not-accepted", "fault")
_QUEUED: Final = ("too-busy", "too-slow", "unavailable")
_WITH_BODY: Final = ("malformed", "too-large", "wrong-type")
_WITH_TOKEN: Final = ("no-token", "read-only")


def describe_problems(
    *kinds: str, queued: bool = True, body: bool = False, write: bool = False
) -> dict[int | str, dict[str, Any]]:
    """The problems that a route may have, for its description."""
    chosen = [
        *kinds,
        *_ANY,
        *(_QUEUED if queued else ()),
        *(_WITH_BODY if body else ()),
        *(_WITH_TOKEN if write else ()),
    ]
    found: dict[int | str, dict[str, Any]] = {}
    for kind in sorted(chosen, key=list(PROBLEMS).index):
        status, title = PROBLEMS[kind]
        if status in found:
            found[status]["description"] += f"; or: {title[0].lower()}{title[1:]}"
            continue
        example = ProblemError(kind, f"one sentence that says what is wrong ({HTTPStatus(status).phrase})")
        content = {"schema": {"$ref": "#/components/schemas/ProblemDetails"}, "example": example.record("/api/v1/...")}
        found[status] = {"description": title, "content": {MEDIA_TYPE: content}}
        if status in (429, 503):
            about = {"description": "Seconds after which to try again.", "schema": {"type": "string"}}
            found[status]["headers"] = {"Retry-After": about}
    return found
