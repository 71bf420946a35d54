"""The server: one process, or several behind one socket, that stop without losing anything."""

from __future__ import annotations

import logging.config
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import uvicorn

from epochal.errors import EpochalError
from epochal.service.app import create_app
from epochal.service.logs import log_event, logging_settings
from epochal.service.settings import Settings
from epochal.service.supervisor import Supervisor

__all__ = ["address", "bound", "make_server", "serve"]

_BACKLOG: Final = 2_048
#: Bytes of the head of a request: a question and times as long as they may be, each character packed into twelve.
_MOST_HEAD: Final = 64 << 10
_IDLE_SECONDS: Final = 15


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens to an address; port 0 is any that is free.

    >>> with bound("127.0.0.1", 0) as listening:
    ...     listening.getsockname()[0]
    '127.0.0.1'
    >>> bound("no.such.host.invalid", 0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: cannot listen on no.such.host.invalid:0: ...
    """
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


def address(listening: socket.socket) -> str:
    """Where a browser finds what listens there.

    >>> with bound("127.0.0.1", 0) as listening:
    ...     address(listening).startswith("http://127.0.0.1:")
    True
    """
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/"


def make_server(settings: Settings) -> uvicorn.Server:
    """The server of one process. What it serves is opened now, so that a mistake is told before anything listens.

    >>> make_server(Settings("no/such/folder"))
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: 'no/such/folder' is not an index: it holds no file epochal.db
    """
    config = uvicorn.Config(
        create_app(settings),
        # One reader of HTTP and one loop, whatever else is installed: limits and faults are the same everywhere.
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=_MOST_HEAD,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=max(1, round(settings.stop_seconds)),
    )
    return uvicorn.Server(config)


def serve(settings: Settings, *, started: Callable[[str], Any] = print) -> int:
    """Serve until a signal says to stop; `started` is told the address. Requests that run then are answered first.

    >>> serve(Settings("no/such/folder"))
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: 'no/such/folder' is not an index: it holds no file epochal.db
    """
    logging.config.dictConfig(logging_settings())
    if settings.workers == 1:
        server = make_server(settings)
        with bound(settings.host, settings.port) as listening:
            _stop_quietly()
            started(address(listening))
            server.run([listening])
        return 0
    counts = tempfile.mkdtemp(prefix="epochal-metrics-")
    try:
        with bound(settings.host, settings.port) as listening:
            supervisor = Supervisor(replace(settings, metrics=counts), listening)
            return supervisor.run(lambda: started(address(listening)))
    finally:
        shutil.rmtree(counts, ignore_errors=True)


def _stop_quietly() -> None:
    """Signals that ended the server have had their effect; they need not end the process once more."""
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), lambda *_: log_event("stopped"))
