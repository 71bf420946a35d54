"""Supervisor: several processes that serve one index behind one socket, and one that looks after them."""

from __future__ import annotations

import logging
import logging.config
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Final

from epochal.errors import EpochalError
from epochal.service.logs import log_event, logging_settings
from epochal.service.settings import Settings

__all__ = ["Supervisor", "work_at"]

_READY: Final = "ready"
#: A process that never got ready is started again so often; then its fault is no accident.
_MOST_FAILURES: Final = 3
#: How often the supervisor looks whether it should stop.
_TICK: Final = 0.2


def work_at(settings: Settings, listening: socket.socket, line: Connection) -> None:
    """One of the processes. It tells the supervisor when it is ready, and stops when that one is gone.

    >>> work_at.__name__
    'work_at'
    """
    from epochal.service.server import make_server

    logging.config.dictConfig(logging_settings())
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), lambda *_: None)
    try:
        server = make_server(settings)
    except EpochalError as error:
        line.send(str(error))
        return

    def watch() -> None:
        with suppress(EOFError, OSError):  # the supervisor may have died without a word
            line.recv()
        server.should_exit = True

    threading.Thread(target=watch, name="epochal-line", daemon=True).start()
    line.send(_READY)
    log_event("ready", process=os.getpid())
    server.run([listening])


class _Worker:
    """A process, and the line to it."""

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(
            target=work_at, args=(settings, listening, theirs), name="epochal-serve"
        )
        self.process.start()
        theirs.close()
        self.ready = False

    def stop(self) -> None:
        with suppress(OSError):  # it may have ended already
            self.line.send("stop")


class Supervisor:
    """Starts the processes, puts a new one in the place of one that dies, and stops them all together.

    >>> Supervisor.__name__
    'Supervisor'
    """

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        self._settings = settings
        self._listening = listening
        self._stopping = threading.Event()
        self._failures = 0
        self._workers: list[_Worker] = []

    def run(self, started: Callable[[], Any]) -> int:
        """Serve until a signal says to stop; `started` is called once all processes are ready.

        >>> Supervisor.run.__name__
        'run'
        """
        for name in ("SIGINT", "SIGTERM"):
            signal.signal(getattr(signal, name), lambda *_: self._stopping.set())
        self._workers = [self._begun() for _ in range(self._settings.workers)]
        told = False
        try:
            while not self._stopping.is_set():
                self._look()
                if not told and all(worker.ready for worker in self._workers):
                    told = True
                    started()
        finally:
            self._stop()
        return 0

    def _begun(self) -> _Worker:
        return _Worker(self._settings, self._listening)

    def _look(self) -> None:
        """Hear what the processes say, and replace those that have ended."""
        wait([item for worker in self._workers for item in (worker.line, worker.process.sentinel)], _TICK)
        for place, worker in enumerate(self._workers):
            said = _heard(worker.line)
            if said == _READY:
                worker.ready = True
                self._failures = 0
            elif said is not None:
                raise EpochalError(said)
            if worker.process.is_alive():
                continue
            worker.process.join()
            worker.line.close()
            log_event("died", level=logging.ERROR, process=worker.process.pid, code=worker.process.exitcode)
            if not worker.ready:
                self._failures += 1
                if self._failures >= _MOST_FAILURES:
                    raise EpochalError("a process of the service ends before it is ready; its log says why")
            self._workers[place] = self._begun()

    def _stop(self) -> None:
        for worker in self._workers:
            worker.stop()
        for worker in self._workers:
            # Each ends its own requests in time; the spare seconds are for closing the index.
            worker.process.join(self._settings.stop_seconds + 10)
            if worker.process.is_alive():
                log_event("killed", level=logging.ERROR, process=worker.process.pid)
                worker.process.kill()
                worker.process.join()


def _heard(line: Connection) -> str | None:
    """What was said, if anything."""
    try:
        return str(line.recv()) if line.poll() else None
    except (EOFError, OSError):
        return None
