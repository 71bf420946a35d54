"""Envelope: what every answer carries and every request leaves behind. Headers, an id, a line in the log, a count."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from epochal.service.logs import log_event
from epochal.service.metrics import Metrics

__all__ = ["HEADERS", "NOTE", "Envelope"]

#: What every answer tells a browser: nothing from elsewhere, nothing inline, no frame around it, no guessing of types.
HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "object-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }
)
#: Where in a request's scope its handler notes what the log should say: the route, and fields of the event.
NOTE: Final = "epochal.note"
#: Ids that a proxy has given are kept where they can do no harm in a log or a header.
_SAFE_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_LONGEST_PATH: Final = 200


class Envelope:
    """An application around another, through which every request and every answer goes.

    >>> Envelope.__name__
    'Envelope'
    """

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        stopwatch: Callable[[], float],
        watch: Callable[[], None],
        *,
        other_origins: bool = False,
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._stopwatch = stopwatch
        self._watch = watch
        self._in_flight = 0
        headers = dict(HEADERS)
        if other_origins:
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request, and see it through to the end of its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = self._stopwatch()
        name = _request_id(scope)
        note: dict[str, Any] = {"route": "other"}
        scope[NOTE] = note
        told = {"status": 500, "bytes": 0}

        async def passed(message: Message) -> None:
            if message["type"] == "http.response.start":
                told["status"] = message["status"]
                message["headers"] = [*message.get("headers", ()), *self._headers, (b"x-request-id", name)]
            elif message["type"] == "http.response.body":
                told["bytes"] += len(message.get("body", b""))
            await send(message)

        self._entered(1)
        try:
            await self._app(scope, receive, passed)
        finally:
            self._entered(-1)
            seconds = self._stopwatch() - start
            self._metrics.observe(note["route"], told["status"], seconds)
            log_event(
                "request",
                level=logging.ERROR if told["status"] == 500 else logging.INFO,
                id=name.decode(),
                method=scope["method"],
                path=scope["path"][:_LONGEST_PATH],
                status=told["status"],
                ms=round(1000 * seconds, 3),
                bytes=told["bytes"],
                client=(scope.get("client") or ("", 0))[0],
                **note,
            )

    def _entered(self, step: int) -> None:
        self._in_flight += step
        self._metrics.gauge("requests_in_flight", self._in_flight)
        self._watch()


def _request_id(scope: Scope) -> bytes:
    given: bytes = dict(scope["headers"]).get(b"x-request-id", b"")
    return given if _SAFE_ID.fullmatch(given) else secrets.token_hex(8).encode()
