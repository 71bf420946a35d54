"""A real HTTP server on this machine that speaks the OpenAI chat protocol, well and badly, as a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: What a server does with a call: the status, the headers and the body that it sends.
Answer = tuple[int, dict[str, str], bytes]


def make_reply(text: str | None, ended: str = "stop", usage: dict[str, Any] | None = None) -> Answer:
    body: dict[str, Any] = {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": ended}]}
    return 200, {}, json.dumps(body if usage is None else {**body, "usage": usage}).encode()


class Server:
    """Answers each call by a function of what was asked. `most_at_once` is how many it ever had under way."""

    def __init__(self, answer: Callable[[dict[str, Any]], Answer]) -> None:
        self.calls: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.released = threading.Event()
        self.most_at_once = 0
        self._under_way = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer._lock:
                    outer.paths.append(self.path)
                    outer.headers.append(dict(self.headers))
                    outer.calls.append(body)
                    outer._under_way += 1
                    outer.most_at_once = max(outer.most_at_once, outer._under_way)
                try:
                    status, headers, content = answer(body)
                finally:
                    # Before the reply goes out: the client may send the next call as soon as it has come.
                    with outer._lock:
                        outer._under_way -= 1
                self.send_response_only(status)  # without a Date, which a test sets itself
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def do_GET(self) -> None:
                raise AssertionError("a redirect was followed")

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """A client that gave up waiting has closed the line; that is what a test may want."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Turns:
    """Answers the calls in turn; the last answer is repeated."""

    def __init__(self, answers: list[Answer | Callable[[], Answer]]) -> None:
        self._answers = answers
        self._count = 0
        self._lock = threading.Lock()

    def __call__(self, _: dict[str, Any]) -> Answer:
        with self._lock:
            self._count += 1
            answer = self._answers[min(self._count, len(self._answers)) - 1]
        return answer() if callable(answer) else answer
