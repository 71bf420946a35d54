"""The application (FastAPI over one open index), and the uvicorn servers that run it."""

from __future__ import annotations

import asyncio
import logging
import logging.config
import multiprocessing
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.lazy import entry_points
from epochal.server.allocation import limit_arenas
from epochal.server.connections import LimitedProtocol
from epochal.server.document_routes import changes, documents
from epochal.server.document_schemas import ProblemDetails
from epochal.server.pages import Compression, make_page_routes
from epochal.server.problems import MEDIA_TYPE, ProblemError, json_bytes, make_problem
from epochal.server.routing import Extension, check_read_token, json_response, make_validation_problem
from epochal.server.search_routes import answers, searches
from epochal.server.settings import Settings
from epochal.server.state import Service
from epochal.server.telemetry import NOTE, Envelope, log_event, logging_settings
from epochal.server.watchdog import CLOSING_SECONDS, Watchdog, list_watched, read_freeze
from epochal.times.span import Clock, SystemClock
from epochal.times.span import stopwatch as read_stopwatch
from epochal.version import __version__

#: Entry point group of factories by which other packages add routes and pages.
GROUP: Final = "epochal.server"
_ROUTERS: Final[tuple[APIRouter, ...]] = (searches, answers, documents, changes)
#: Names under which requests are counted that no operation answers.
_OTHER: Final = ("page", "openapi", "other")
_MAX_INSTANCE: Final = 300
_HEALTH: Final = "/health"
_METHODS: Final = ("GET", "POST", "DELETE")
_CORS_HEADERS: Final = ("Authorization", "Content-Type")
_CORS_EXPOSED: Final = ("Retry-After", "X-Request-ID")


def create_app(
    settings: Settings, *, clock: Clock | None = None, stopwatch: Callable[[], float] = read_stopwatch
) -> ASGIApp:
    """Create the application over an index, which is opened now and closed when the server stops.

    >>> create_app(Settings("no/such/folder"))
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: 'no/such/folder' is not an index: it holds no file epochal.db
    """
    extensions = load_extensions(settings)
    routers = [*_ROUTERS, *(item.router for item in extensions)]
    names = (*(route.name for router in routers for route in router.routes if isinstance(route, Route)), *_OTHER)
    has_results = any(item.has_results for item in extensions)
    service = Service.open(settings, names, clock or SystemClock(), stopwatch, has_results=has_results)
    for sentence in service.reader.repairs:
        log_event("repaired", level=logging.WARNING, sentence=sentence)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(service.warm)
        watching = asyncio.gather(Watchdog(settings, list_watched(service)).run(), service.scrub.run())
        if settings.workers > 1:
            log_event("ready", process=os.getpid())
        yield
        await asyncio.to_thread(service.close)
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching

    origins = Middleware(
        CORSMiddleware,
        allow_origins=list(settings.cors),
        allow_methods=list(_METHODS),
        allow_headers=list(_CORS_HEADERS),
        expose_headers=list(_CORS_EXPOSED),
    )
    app = FastAPI(
        title="Epochal",
        version=__version__,
        description="Temporal retrieval: the right document from the right time, with the reason why.",
        # FastAPI's viewers load scripts from other sites, which the content security policy forbids.
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        separate_input_output_schemas=False,
        generate_unique_id_function=lambda route: route.name,
        middleware=[Middleware(Compression), *([origins] if settings.cors else [])],
        exception_handlers={
            EpochalError: _refuse,
            RequestValidationError: _refuse_values,
            HTTPException: _refuse_path,
            Exception: _fail,
        },
        lifespan=lifespan,
    )
    app.state.service = service
    for router in routers:
        app.include_router(router)
    app.router.routes.extend(make_page_routes(extensions, settings.frames))
    app.router.routes.append(Route("/openapi.json", _make_description(app)))
    checked = HostCheck(ReadCheck(app, settings), settings.allowed_hosts)
    return Envelope(checked, service.metrics, stopwatch, service.watch, other_origins=bool(settings.cors))


def load_extensions(settings: Settings) -> list[Extension]:
    """Load what other packages add to the service; `reports` needs one of them."""
    extensions: list[Extension] = [point.load()(settings) for point in entry_points(group=GROUP)]
    if settings.reports is not None and not any(item.has_results for item in extensions):
        raise EpochalError(
            f"--reports {settings.reports}: results are shown by epochal-lab, which is not installed; install it with: "
            f"pip install epochal-lab"
        )
    return extensions


# ---------------------------------------------------------------- the description


def _make_description(app: FastAPI) -> Callable[[Request], Any]:
    described: list[Mapping[str, Any]] = []

    async def openapi(request: Request) -> Response:
        request.scope[NOTE]["route"] = "openapi"
        if not described:
            described.append(_describe(app))
        return json_response(described[0])

    return openapi


def _describe(app: FastAPI) -> dict[str, Any]:
    """FastAPI's OpenAPI description, with the schema of problems, and without null for query parameters."""
    document: dict[str, Any] = app.openapi()
    schema = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas = document["components"]["schemas"]
    schemas.update({**schema.pop("$defs", {}), "ProblemDetails": schema})
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                parameter["schema"] = _drop_null(parameter["schema"])
    return document


def _drop_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    values = [part for part in schema.get("anyOf", [{}]) if part.get("type") != "null"]
    return {**values[0], **rest} if len(values) == 1 else dict(schema)


# ---------------------------------------------------------------- problems and hosts


def _make_problem_response(request: Request, problem: ProblemError) -> Response:
    instance = quote(request.scope["path"][:_MAX_INSTANCE], errors="replace")
    headers = {"Cache-Control": "no-store", **problem.headers}
    return Response(json_bytes(problem.record(instance)), problem.status, headers, MEDIA_TYPE)


async def _refuse(request: Request, error: Exception) -> Response:
    if not isinstance(error, EpochalError):
        raise error
    problem = make_problem(error)
    if problem.kind in ("unavailable", "model-failed"):
        log_event(problem.kind, level=logging.ERROR, trace=True)
    return _make_problem_response(request, problem)


async def _refuse_values(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    return _make_problem_response(request, make_validation_problem(error))


async def _refuse_path(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    path = request.scope["path"][:80]
    if error.status_code == 405:
        allowed = ", ".join(_find_methods(request))
        sentence = f"{path} does not take {request.scope[NOTE]['method'][:20]}; accepted: {allowed}"
        return _make_problem_response(request, ProblemError("wrong-method", sentence, headers={"Allow": allowed}))
    if error.status_code == 404:
        sentence = f"there is nothing at {path!r}; /openapi.json lists what there is"
        return _make_problem_response(request, ProblemError("not-found", sentence))
    return _make_problem_response(request, ProblemError("malformed", "the request cannot be read"))


def _find_methods(request: Request) -> list[str]:
    """The methods of a path, over all of its routes."""
    methods: set[str] = set()
    for route in request.app.router.routes:
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            methods |= route.methods or set()
    return sorted(methods | ({"HEAD"} if "GET" in methods else set()))


async def _fail(request: Request, _: Exception) -> Response:
    """Report a fault without details: the server writes the error to its log."""
    return _make_problem_response(request, ProblemError("fault", "the server has failed; its log says how"))


def find_host_name(header: str) -> str:
    """Find the name in a Host header, without port and brackets."""
    text = header.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0].removesuffix(".")


class HostCheck:
    """Middleware that refuses requests to other host names; without any name it accepts all.

    A page of another site can make a browser call a server on this machine under a name of its own (DNS rebinding).
    Such requests are recognised by their Host header.
    """

    def __init__(self, app: ASGIApp, names: Sequence[str]) -> None:
        self._app = app
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http" and self._names:
            name = find_host_name(Headers(scope=scope).get("host", ""))
            if name not in self._names:
                sentence = f"this service is not called {name[:80]!r}; add a name with --allow-host"
                problem = _make_problem_response(Request(scope), ProblemError("wrong-host", sentence))
                await problem(scope, receive, send)
                return
        await self._app(scope, receive, send)


class ReadCheck:
    """Middleware that refuses requests without the token for reading, where one is set; /health stays open."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        # A browser asks whether another site may send a request without sending the token.
        if scope["type"] == "http" and scope["method"] != "OPTIONS" and scope["path"] != _HEALTH:
            try:
                check_read_token(self._settings, Headers(scope=scope).get("authorization"))
            except ProblemError as problem:
                await _make_problem_response(Request(scope), problem)(scope, receive, send)
                return
        await self._app(scope, receive, send)


# ---------------------------------------------------------------- servers

_BACKLOG: Final = 2_048
#: Bytes of the head of a request: the longest question and times, with twelve bytes per character.
_MAX_HEAD: Final = 64 << 10
_IDLE_SECONDS: Final = 15
#: When a process has ended, one that does not answer the supervisor for this long is replaced, too.
_HEALTH_SECONDS: Final = 60


def bind_socket(host: str, port: int) -> socket.socket:
    """Open a socket that listens on an address; port 0 is any free port."""
    try:
        family, kind, proto, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, proto)
    except OSError as error:
        raise EpochalError(f"cannot listen on {host}:{port}: {error.strerror or error}; name another --host") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
        listening.set_inheritable(True)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise EpochalError(f"cannot listen on {host}:{port}: {error.strerror}; name another --port") from error
    return listening


def show_address(listening: socket.socket) -> str:
    """Format the URL of a listening socket."""
    host, port = listening.getsockname()[:2]
    displayed = f"[{host}]" if ":" in host else host
    return f"http://{displayed}:{port}/"


def _make_config(app: Any, settings: Settings, **more: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        # The same HTTP parser and event loop everywhere, whatever is installed: limits and errors are then the same.
        http=LimitedProtocol,
        loop="asyncio",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=_MAX_HEAD,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=max(1, round(settings.stop_seconds)),
        **more,
    )


def make_server(settings: Settings) -> uvicorn.Server:
    """Make the server of one process. The index is opened now, so that errors appear before anything listens."""
    return uvicorn.Server(_make_config(create_app(settings), settings))


def serve(settings: Settings, *, started: Callable[[str], Any] = print) -> int:
    """Serve until a signal; `started` gets the address. Running requests are finished before it stops.

    >>> serve(Settings("no/such/folder"))
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: 'no/such/folder' is not an index: it holds no file epochal.db
    """
    limit_arenas()
    logging.config.dictConfig(logging_settings())
    if settings.workers == 1:
        server = make_server(settings)
        with bind_socket(settings.host, settings.port) as listening:
            _stop_quietly()
            started(show_address(listening))
            server.run([listening])
        return 0
    # Errors of the settings and the index are raised once here, not by every process.
    load_extensions(settings)
    Index.open(settings.folder).close()
    counts = tempfile.mkdtemp(prefix="epochal-metrics-")
    try:
        with bind_socket(settings.host, settings.port) as listening:
            factory = WorkerApp(replace(settings, metrics=counts))
            config = _make_config(
                factory,
                settings,
                factory=True,
                workers=settings.workers,
                timeout_worker_healthcheck=_HEALTH_SECONDS,
            )
            workers = Workers(config, [listening], counts)
            started(show_address(listening))
            workers.run()
            if any(process.exitcode == STARTUP_FAILURE for process in workers.processes):
                raise EpochalError("a process of the service could not start; its log says why")
            return 0
    finally:
        shutil.rmtree(counts, ignore_errors=True)


def _stop_quietly() -> None:
    """Log the signals that stopped the server; uvicorn raises them again, which must not end the process."""
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), lambda *_: log_event("stopped"))


@dataclass(frozen=True, slots=True)
class WorkerApp:
    """Creates the application in each uvicorn worker, and stops the worker when the supervisor is gone."""

    settings: Settings

    def __call__(self) -> ASGIApp:
        """Create the application; a worker that cannot exits with STARTUP_FAILURE, and is not restarted."""
        logging.config.dictConfig(logging_settings())
        threading.Thread(target=_stop_with_parent, name="epochal-parent", daemon=True).start()
        try:
            return create_app(self.settings)
        except EpochalError:
            log_event("failed", level=logging.ERROR, trace=True)
            sys.exit(STARTUP_FAILURE)


def _stop_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        signal.raise_signal(signal.SIGTERM)


class Workers(Multiprocess):
    """uvicorn's supervisor, which replaces dead workers; at the end it kills those that do not stop in time.

    `folder` is that of the metrics, where a frozen worker leaves a report before it ends.
    """

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket], folder: str) -> None:
        super().__init__(config, sockets)
        self._folder = folder

    def keep_subprocess_alive(self) -> None:
        """Replace workers that have ended; one that hangs ends by itself, see `Watchdog`.

        The others are left alone: uvicorn kills those that do not reply within seconds, as if they hung, and on a busy
        machine a worker takes longer to start.
        """
        for place, worker in enumerate(self.processes):
            if self.should_exit.is_set() or worker.process.is_alive():
                continue
            worker.process.join()
            if worker.process.exitcode == STARTUP_FAILURE:
                log_event("failed", level=logging.ERROR, process=worker.pid)
                self.should_exit.set()
                return
            if worker.pid and (where := read_freeze(self._folder, worker.pid)):
                log_event("frozen", level=logging.ERROR, process=worker.pid, where=where)
            worker.parent_conn.close()
            worker.child_conn.close()
            self.processes[place] = Process(self.config, self.sockets)
            self.processes[place].start()

    def join_all(self) -> None:
        """Wait for all workers, each as long as its requests may take."""
        for process in self.processes:
            process.process.join((self.config.timeout_graceful_shutdown or 0) + CLOSING_SECONDS)
            if process.process.is_alive():
                log_event("killed", level=logging.ERROR, process=process.pid)
                process.process.kill()
                process.process.join()
