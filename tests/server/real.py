"""Real servers for tests: one in a thread of this process, and the command in processes of its own."""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn

from epochal.server.app import bind_socket, make_server
from epochal.server.settings import Settings
from server.asgi import Reply
from server.conftest import TOKEN


def ask(
    port: int, method: str, path: str, *, query: dict[str, Any] | None = None, record: Any = None, token: str = ""
) -> Reply:
    """One request over a connection of its own."""
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"Content-Type": "application/json"} if record is not None else {}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    body = None if record is None else json.dumps(record).encode()
    try:
        connection.request(method, f"{path}?{urlencode(query)}" if query else path, body, headers)
        result = connection.getresponse()
        return Reply(result.status, {name.lower(): value for name, value in result.getheaders()}, result.read())
    finally:
        connection.close()


def raw(port: int, sent: bytes) -> bytes:
    """What a server says to some bytes, until it closes the connection or says nothing more."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as line:
        line.sendall(sent)
        line.shutdown(socket.SHUT_WR)
        message = b""
        while part := line.recv(65_536):
            message += part
    return message


def is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=120).close()
    except (ConnectionRefusedError, ConnectionResetError):  # reset: it closed while this one stood in its queue
        return False
    return True


class InThread:
    """A server in a thread of this process, whose parts a test can hold."""

    def __init__(self, folder: str, **settings: Any) -> None:
        self._listening = bind_socket("127.0.0.1", 0)
        self.port: int = self._listening.getsockname()[1]
        self.server: uvicorn.Server = make_server(Settings(folder, **settings))
        self._thread = threading.Thread(target=self.server.run, args=([self._listening],), daemon=True)

    def __enter__(self) -> InThread:
        self._thread.start()
        assert ask(self.port, "GET", "/health").status == 200
        return self

    def stop(self) -> None:
        self.server.should_exit = True

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join(120)
        assert not self._thread.is_alive()


class InProcess:
    """A command in a process of its own, and what it writes to its log."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "EPOCHAL_TOKEN": TOKEN, "OMP_NUM_THREADS": "1"},
        )
        self._events: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.other: list[str] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        assert self.process.stdout is not None
        self.first_line = self.process.stdout.readline()
        self.port = int(self.first_line.partition("http://")[2].partition("/")[0].rpartition(":")[2] or 0)

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if line.startswith("{"):
                self._events.put(json.loads(line))
            else:
                self.other.append(line)
        self._events.put(None)

    def wait_for(self, event: str) -> dict[str, Any]:
        """The next event of a name; fails when the processes have ended."""
        while (result := self._events.get(timeout=120)) is not None:
            if result["event"] == event:
                return result
        raise AssertionError(f"the processes ended before {event!r}: {self.other}")

    def wait_for_the_end(self) -> list[dict[str, Any]]:
        """All events until every process that has the log open is gone."""
        self._listener.join(120)
        assert not self._listener.is_alive()
        matches = []
        while not self._events.empty():
            matches.append(self._events.get())
        return [event for event in matches if event is not None]

    def stop(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(120)


@contextmanager
def command(folder: str | Path, *options: str) -> Iterator[InProcess]:
    """The command `epochal serve`, with one process unless the options say how many."""
    options = options if "--workers" in options else (*options, "--workers", "1")
    with run_service(sys.executable, "-m", "epochal", "serve", str(folder), "--port", "0", *options) as running:
        yield running


@contextmanager
def run_service(*words: str) -> Iterator[InProcess]:
    """Any command that serves an index."""
    running = InProcess(*words)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.process.kill()
        running.process.wait(120)
        running.wait_for_the_end()
        assert running.process.stdout is not None
        assert running.process.stderr is not None
        running.process.stdout.close()
        running.process.stderr.close()
