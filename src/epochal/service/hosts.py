"""Hosts: the names by which the service may be called.

A page of another site can make a browser call a server of this very machine under a name of its own, which it lets
point here for a moment. Such a request is known by the name that it calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from epochal.service.problems import ProblemError

__all__ = ["HostCheck", "host_name"]


def host_name(header: str) -> str:
    """The name in a Host header, without the port and the brackets.

    >>> host_name("[::1]:8080"), host_name("LOCALHOST:8080"), host_name("localhost.")
    ('::1', 'localhost', 'localhost')
    """
    text = header.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0].removesuffix(".")


class HostCheck:
    """An application before another that refuses requests to other hosts; without any name it lets all pass.

    >>> HostCheck.__name__
    'HostCheck'
    """

    def __init__(
        self, app: ASGIApp, names: Sequence[str], respond: Callable[[Request, ProblemError], Response]
    ) -> None:
        self._app = app
        self._names = frozenset(names)
        self._respond = respond

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http" and self._names:
            name = host_name(Headers(scope=scope).get("host", ""))
            if name not in self._names:
                sentence = f"this service is not called {name[:80]!r}; --allow-host names another that it answers to"
                await self._respond(Request(scope), ProblemError("wrong-host", sentence))(scope, receive, send)
                return
        await self._app(scope, receive, send)
