"""A client that calls an application in this very process: no socket, no server, nothing to wait for."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starlette.types import ASGIApp


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes
    parts: tuple[bytes, ...] = ()
    #: What the application raised after it had answered, as it does for its own faults.
    raised: Exception | None = field(default=None, compare=False)

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def kind(self) -> str:
        return self.json()["type"].rpartition(":")[2]


class Client:
    """The application with its lifespan, on a loop in a thread of its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Client:
        self._thread.start()
        self._to_app: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._from_app: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        scope = {"type": "lifespan", "asgi": {"version": "3.0"}}
        self._lifespan = asyncio.run_coroutine_threadsafe(
            self._app(scope, self._to_app.get, self._from_app.put), self._loop
        )
        assert self._say("lifespan.startup")["type"] == "lifespan.startup.complete"
        return self

    def __exit__(self, *_: object) -> None:
        assert self._say("lifespan.shutdown")["type"] == "lifespan.shutdown.complete"
        self._lifespan.result(120)
        asyncio.run_coroutine_threadsafe(self._loop.shutdown_default_executor(), self._loop).result(120)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(120)
        self._loop.close()

    def _say(self, kind: str) -> dict[str, Any]:
        async def exchange() -> dict[str, Any]:
            await self._to_app.put({"type": kind})
            return await self._from_app.get()

        return asyncio.run_coroutine_threadsafe(exchange(), self._loop).result(120)

    # ---------------------------------------------------------------- requests

    def begin(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | str | None = None,
        headers: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        body: bytes | Iterable[bytes] = b"",
    ) -> Future[Reply]:
        """A request that runs while the caller goes on."""
        parts = [body] if isinstance(body, bytes) else list(body)
        given = list((headers or {}).items() if isinstance(headers, Mapping) else headers or [])
        if "host" not in {name.lower() for name, _ in given}:
            given.append(("host", "localhost"))
        text = query if isinstance(query, str) else urlencode(query or {})
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": text.encode("latin-1"),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in given],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 8080),
        }
        return asyncio.run_coroutine_threadsafe(self._exchange(scope, parts), self._loop)

    def call(self, method: str, path: str, **given: Any) -> Reply:
        return self.begin(method, path, **given).result(120)

    def get(self, path: str, headers: Mapping[str, str] | None = None, **query: Any) -> Reply:
        return self.call("GET", path, query=query, headers=headers)

    def post(self, path: str, record: Any, headers: Mapping[str, str] | None = None) -> Reply:
        given = {"content-type": "application/json", **(headers or {})}
        return self.call("POST", path, headers=given, body=json.dumps(record).encode())

    async def _exchange(self, scope: dict[str, Any], parts: list[bytes]) -> Reply:
        async def events() -> AsyncIterator[dict[str, Any]]:
            for position, part in enumerate(parts):
                yield {"type": "http.request", "body": part, "more_body": position + 1 < len(parts)}
            await asyncio.Event().wait()  # the client neither speaks on nor goes away

        source = events()
        stated: list[dict[str, Any]] = []
        raised: Exception | None = None

        async def send(message: dict[str, Any]) -> None:
            stated.append(message)

        try:
            await self._app(scope, source.__anext__, send)
        except Exception as error:  # noqa: BLE001  # whatever is raised belongs to what is told
            raised = error
        await source.aclose()
        if not stated:
            raise raised or AssertionError("the application said nothing")
        headers = {name.decode(): value.decode("latin-1") for name, value in stated[0]["headers"]}
        bodies = tuple(message.get("body", b"") for message in stated[1:])
        return Reply(stated[0]["status"], headers, b"".join(bodies), bodies, raised)
