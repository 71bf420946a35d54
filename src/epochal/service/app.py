"""The application: every route behind one envelope, over one open index."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from epochal.errors import EpochalError
from epochal.service.envelope import NOTE, Envelope
from epochal.service.hosts import HostCheck
from epochal.service.logs import log_event
from epochal.service.openapi import describe
from epochal.service.operations import Operation, json_response, perform
from epochal.service.page_files import PageFile, page_files
from epochal.service.problems import MEDIA_TYPE, ProblemError, problem_of
from epochal.service.routes.page import PAGES, file_response, named_file
from epochal.service.routes.table import OPERATIONS
from epochal.service.settings import Settings
from epochal.service.state import Service
from epochal.service.wire import json_bytes
from epochal.times import Clock, SystemClock
from epochal.times.clock import stopwatch as ticking

__all__ = ["create_app"]

#: What requests are counted as that no operation answers.
_OTHER: Final = ("page", "openapi", "other")
_LONGEST_INSTANCE: Final = 300
_METHODS: Final = ("GET", "POST", "DELETE")
_CORS_HEADERS: Final = ("Authorization", "Content-Type")
_CORS_SHOWN: Final = ("Retry-After", "X-Request-ID")


def create_app(settings: Settings, *, clock: Clock | None = None, stopwatch: Callable[[], float] = ticking) -> ASGIApp:
    """The application over the index of a folder, which is opened now and closed when the server stops.

    >>> create_app(Settings("no/such/folder"))
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: 'no/such/folder' is not an index: it holds no file epochal.db
    """
    names = (*(item.name for item in OPERATIONS), *_OTHER)
    service = Service.open(settings, names, clock or SystemClock(), stopwatch)
    for sentence in service.reader.repairs:
        log_event("repaired", level=logging.WARNING, sentence=sentence)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await asyncio.to_thread(service.warm)
        yield
        await asyncio.to_thread(service.close)

    origins = Middleware(
        CORSMiddleware,
        allow_origins=list(settings.cors),
        allow_methods=list(_METHODS),
        allow_headers=list(_CORS_HEADERS),
        expose_headers=list(_CORS_SHOWN),
    )
    app = Starlette(
        routes=[*_operation_routes(service), *_page_routes(page_files()), _description_route()],
        middleware=[origins] if settings.cors else [],
        exception_handlers={EpochalError: _refused, HTTPException: _unrouted, Exception: _failed},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    checked = HostCheck(app, settings.allowed_hosts, problem_response)
    return Envelope(checked, service.metrics, stopwatch, service.watch, other_origins=bool(settings.cors))


# ---------------------------------------------------------------- routes


def _operation_routes(service: Service) -> list[Route]:
    """One route a path, so that a method that it lacks is told which it has."""
    by_path: dict[str, dict[str, Operation]] = {}
    for item in OPERATIONS:
        by_path.setdefault(item.path, {})[item.method] = item

    def route(path: str, methods: Mapping[str, Operation]) -> Route:
        async def endpoint(request: Request) -> Response:
            method = "GET" if request.method == "HEAD" else request.method
            return await perform(methods[method], service, request)

        # Ids may hold slashes.
        return Route(path.replace("{id}", "{id:path}"), endpoint, methods=list(methods))

    return [route(path, methods) for path, methods in by_path.items()]


def _page_routes(files: Mapping[str, PageFile]) -> list[Route]:
    async def page(request: Request) -> Response:
        request.scope[NOTE]["route"] = "page"
        return file_response(named_file(files, PAGES[request.url.path]), request)

    async def static(request: Request) -> Response:
        request.scope[NOTE]["route"] = "page"
        return file_response(named_file(files, request.path_params["name"]), request)

    return [*(Route(path, page) for path in PAGES), Route("/static/{name:path}", static)]


def _description_route() -> Route:
    described = describe(OPERATIONS)

    async def openapi(request: Request) -> Response:
        request.scope[NOTE]["route"] = "openapi"
        return json_response(described)

    return Route("/openapi.json", openapi)


# ---------------------------------------------------------------- problems


def problem_response(request: Request, problem: ProblemError) -> Response:
    """A problem as a response.

    >>> request = Request({"type": "http", "path": "/api/v1/search", "headers": []})
    >>> problem_response(request, ProblemError("not-accepted", "q: Field required")).status_code
    422
    """
    instance = quote(request.scope["path"][:_LONGEST_INSTANCE], errors="replace")
    headers = {"Cache-Control": "no-store", **problem.headers}
    return Response(json_bytes(problem.record(instance)), problem.status, headers, MEDIA_TYPE)


async def _refused(request: Request, error: Exception) -> Response:
    if not isinstance(error, EpochalError):
        raise error
    problem = problem_of(error)
    if problem.kind in ("unavailable", "model-failed"):
        log_event(problem.kind, level=logging.ERROR, trace=True)
    return problem_response(request, problem)


async def _unrouted(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    path = request.scope["path"][:80]
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        sentence = f"{path} cannot be asked with {request.method[:20]}; accepted: {allowed}"
        return problem_response(request, ProblemError("wrong-method", sentence, headers={"Allow": allowed}))
    if error.status_code == 404:
        sentence = f"there is nothing at {path!r}; /openapi.json lists what there is"
        return problem_response(request, ProblemError("not-found", sentence))
    return problem_response(request, ProblemError("malformed", "the request cannot be read"))


async def _failed(request: Request, _: Exception) -> Response:
    """What went wrong is for the log alone, to which the server writes it."""
    return problem_response(request, ProblemError("fault", "the server has failed; its log says how"))
