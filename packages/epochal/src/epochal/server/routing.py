"""Routes with limits of size and time, strict JSON and a token for changes; and responses in threads of the service."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib.abc import Traversable
from typing import Annotated, Any, ClassVar, Final, Literal, get_args, get_origin, get_type_hints

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.params import Query as QueryParameter
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from epochal.server.bodies import HeldBody
from epochal.server.problems import MEDIA_TYPE, PROBLEMS, ProblemError, json_bytes, read_json
from epochal.server.settings import MAX_BODY, MAX_DOCUMENTS_BODY, MAX_NAME, Settings
from epochal.server.state import Service
from epochal.server.telemetry import NOTE

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
#: The name of the token in the OpenAPI description.
TOKEN: Final = HTTPBearer(scheme_name="token", auto_error=False)
#: Bodies from this size on are parsed in a thread: parsing would delay other requests.
_SMALL: Final = 1 << 16
_UNKNOWN: Final = "no such name is known here"


@dataclass(frozen=True, slots=True)
class Extension:
    """What another package adds to the service: a router, static files, and pages by path.

    A factory in the entry point group `epochal.server` gets the settings and returns one. `has_results` makes the page
    show its link to the results.
    """

    router: APIRouter
    static: Traversable
    pages: Mapping[str, str] = field(default_factory=dict)
    has_results: bool = False


# ---------------------------------------------------------------- routes


class ServiceRoute(APIRoute):
    """A route that reads requests strictly and answers within a time limit."""

    #: The setting with the time limit, and what is added to the problem of a request that exceeds it.
    seconds: ClassVar[Literal["seconds", "write_seconds", "answer_seconds"]] = "seconds"
    overtime: ClassVar[str] = ""
    #: The parsers of media types, and the maximum size of a body.
    readers: ClassVar[Mapping[str, Callable[[bytes], Any]]] = {JSON: read_json}
    max_body: ClassVar[int] = MAX_BODY

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:
        """Wrap the handler in the checks and the time limit."""
        handle = _make_query_handler(self.endpoint) or super().get_route_handler()

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
        if self.body_field is None:
            return await handle(request)
        with service.bodies.hold() as held:
            return await handle(_ParsedRequest(request, await self._read_body(request, held)))

    def check(self, settings: Settings, request: Request) -> None:
        """Refuse a request before its body is read."""

    def _check_query(self, request: Request) -> None:
        names = Counter(name for name, _ in request.query_params.multi_items())
        if not names:
            return
        if self.body_field is not None:
            raise ProblemError("not-accepted", f"{next(iter(names))[:80]}: give values in the body")
        again = next((name for name, count in names.items() if count > 1), None)
        if again is not None:
            raise _make_problem([{"where": again[:MAX_NAME], "problem": "given more than once"}])
        if not self.dependant.query_params:
            raise _make_problem([{"where": name[:MAX_NAME], "problem": _UNKNOWN} for name in names])

    async def _read_body(self, request: Request, held: HeldBody) -> Any:
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
                held.grow(len(parts))
        except ClientDisconnect:
            raise ProblemError("malformed", "the body breaks off") from None
        if len(parts) < _SMALL:
            return self.readers[kind](bytes(parts))
        return await asyncio.to_thread(self.readers[kind], bytes(parts))


def _make_query_handler(endpoint: Callable[..., Any]) -> Callable[[Request], Awaitable[Response]] | None:
    """The handler of an endpoint that takes a request and the model of its query string; None for any other.

    FastAPI does the same, field by field: for the options of a search that takes a good part of a request's time.
    """
    hints = get_type_hints(endpoint, include_extras=True)
    request, query = hints.pop("request", None), hints.pop("query", None)
    hints.pop("return", None)
    if hints or request is not Request or get_origin(query) is not Annotated:
        return None
    model, about = get_args(query)
    if not isinstance(about, QueryParameter) or not issubclass(model, BaseModel):
        return None

    async def handle(request: Request) -> Response:
        try:
            values = model.model_validate(dict(request.query_params))
        except ValidationError as error:
            items = error.errors(include_url=False)
            raise RequestValidationError([{**item, "loc": ("query", *item["loc"])} for item in items]) from None
        response: Response = await endpoint(request=request, query=values)
        return response

    return handle


class AnswerRoute(ServiceRoute):
    """A route that may call a language model."""

    seconds = "answer_seconds"


class WriteRoute(ServiceRoute):
    """A route that changes documents, and needs the token."""

    seconds = "write_seconds"
    overtime = "; the change may still be made, and can be requested again"
    max_body = MAX_DOCUMENTS_BODY

    def check(self, settings: Settings, request: Request) -> None:
        """Check the token before the body is read."""
        check_token(settings, request.headers.get("authorization"))


class _ParsedRequest(Request):
    """A request whose body is parsed already; FastAPI sees JSON, whatever its media type was."""

    def __init__(self, request: Request, value: Any) -> None:
        others = [pair for pair in request.scope["headers"] if pair[0] != b"content-type"]
        super().__init__({**request.scope, "headers": [*others, (b"content-type", JSON.encode())]}, request.receive)
        self._value = value

    async def body(self) -> bytes:
        """Any non-empty bytes; the value is in `json`."""
        return JSON.encode()

    async def json(self) -> Any:
        """The parsed body."""
        return self._value


def check_token(settings: Settings, header: str | None) -> None:
    """Refuse a change if the service is read-only or the token is wrong.

    Digests are compared in constant time, so that timing does not reveal the token.
    """
    if not settings.writable:
        raise ProblemError("read-only", "this service is read-only; it can be started with --writable and a token")
    challenge = {"WWW-Authenticate": 'Bearer realm="epochal"'}
    scheme, _, token_sent = (header or "").strip().partition(" ")
    accepted = "accepted: Authorization: Bearer TOKEN"
    if scheme.lower() != "bearer" or not token_sent.strip():
        raise ProblemError("no-token", f"documents are changed with a token only; {accepted}", headers=challenge)
    if not hmac.compare_digest(_hash_token(token_sent.strip()), _hash_token(settings.token)):
        raise ProblemError("no-token", f"the token is not the right one; {accepted}", headers=challenge)


def check_read_token(settings: Settings, header: str | None) -> None:
    """Refuse a request without the token for reading, or for changes, where one is needed for reading.

    Browsers ask for a password and send it with every request of the page; the user name does not matter.
    """
    if not settings.read_token:
        return
    scheme, _, sent = (header or "").strip().partition(" ")
    if scheme.lower() == "basic":
        try:
            sent = base64.b64decode(sent, validate=True).decode().partition(":")[2]
        except ValueError:
            sent = ""
    digest = _hash_token(sent.strip())
    tokens = [token for token in (settings.read_token, settings.token) if token]
    is_accepted = sum(hmac.compare_digest(digest, _hash_token(token)) for token in tokens) > 0
    if scheme.lower() not in ("bearer", "basic") or not is_accepted:
        raise ProblemError(
            "no-token",
            "this service is read with a token only; accepted: Authorization: Bearer TOKEN, or the token as password",
            headers={"WWW-Authenticate": 'Basic realm="epochal", charset="UTF-8"'},
        )


def _hash_token(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


# ---------------------------------------------------------------- responses


def find_service(request: Request) -> Service:
    """Get the service of a request."""
    service: Service = request.app.state.service
    return service


def json_response(record: Mapping[str, Any], status: int = 200) -> Response:
    """Make a response of a record."""
    return _make_response(json_bytes(record), status)


def _make_response(body: bytes, status: int = 200) -> Response:
    return Response(body, status, {"Cache-Control": "no-store"}, JSON)


async def respond(
    request: Request, make: Callable[[Service], Mapping[str, Any]], question: str | None = None, *, write: bool = False
) -> Response:
    """Respond with the record that `make` returns, which runs in a thread of the service."""
    service = find_service(request)
    note_question(request, question)
    queue = service.writes if write else service.work
    if queue is None:
        raise ProblemError("read-only", "this service is read-only")
    # A long record takes a while to encode, too: done in the thread, it delays no other request.
    return _make_response(await queue.run(lambda: json_bytes(make(service))))


def note_question(request: Request, question: str | None) -> None:
    """Add the question to the log entry, if the settings say so."""
    if question is not None and find_service(request).settings.log_questions:
        request.scope[NOTE]["question"] = question


# ---------------------------------------------------------------- problems


def make_validation_problem(error: RequestValidationError) -> ProblemError:
    """Make the problem of a request that does not fit its schema; it names every wrong value."""
    return _make_problem([_describe_error(item) for item in error.errors()])


def _make_problem(errors: Sequence[Mapping[str, str]]) -> ProblemError:
    more = f"; {len(errors) - 1} more" if len(errors) > 1 else ""
    return ProblemError("not-accepted", f"{errors[0]['where']}: {errors[0]['problem']}{more}", errors=errors)


def _describe_error(item: Mapping[str, Any]) -> dict[str, str]:
    # The first part of the location only says whether it is in the query string or in the body.
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
    """Describe the problems of a route for OpenAPI."""
    listed = [
        *kinds,
        *_ANY,
        *(_QUEUED if queued else ()),
        *(_WITH_BODY if body else ()),
        *(_WITH_TOKEN if write else ()),
    ]
    problems: dict[int | str, dict[str, Any]] = {}
    for kind in sorted(listed, key=list(PROBLEMS).index):
        status, title = PROBLEMS[kind]
        if status in problems:
            problems[status]["description"] += f"; or: {title[0].lower()}{title[1:]}"
            continue
        example = ProblemError(kind, f"one sentence that says what is wrong ({HTTPStatus(status).phrase})")
        content = {"schema": {"$ref": "#/components/schemas/ProblemDetails"}, "example": example.record("/api/v1/...")}
        problems[status] = {"description": title, "content": {MEDIA_TYPE: content}}
        if status in (429, 503):
            about = {"description": "Seconds after which to try again.", "schema": {"type": "string"}}
            problems[status]["headers"] = {"Retry-After": about}
    return problems
