"""A watchdog in each process of a service: one that is frozen, or has a call that never returns, is replaced.

A time limit in Python cannot hold while a single call, such as that of a regular expression, holds the interpreter. So
the event loop tells a thread outside of the interpreter (faulthandler) that it still runs; when it has not done so for
a while, that thread writes down where every thread is and ends the process. A call that lets others run but never
returns is found by the loop itself: then the process finishes its other requests first.
"""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple, TextIO

from epochal.server.settings import Settings
from epochal.server.state import Service, WorkQueue
from epochal.server.telemetry import log_event

#: A process is frozen when its event loop has not run for so many seconds, or twice the time limit of a request.
LEAST_SECONDS: float = 20.0
#: A call does not return when it has run for so many times the time limit of its request.
PATIENCE: float = 6.0
#: How long to wait for the index to be closed, after the last requests have ended.
CLOSING_SECONDS: float = 10.0
_BEAT: Final = 1.0
_MAX_TRACE: Final = 8_000


class Watched(NamedTuple):
    """A queue, and the seconds after which one of its calls is taken for one that never returns."""

    queue: WorkQueue
    seconds: float


def list_watched(service: Service) -> list[Watched]:
    """The queues of a service."""
    settings = service.settings
    watched = [
        Watched(service.work, PATIENCE * settings.seconds),
        Watched(service.answers, PATIENCE * settings.answer_seconds),
    ]
    return watched if service.writes is None else [*watched, Watched(service.writes, PATIENCE * settings.write_seconds)]


class Watchdog:
    """Watches one process. Where it is the only one, calls that do not return are reported, and nothing is ended."""

    def __init__(self, settings: Settings, watched: Sequence[Watched]) -> None:
        self._watched = watched
        self._stop_seconds = settings.stop_seconds
        self._freeze_seconds = max(LEAST_SECONDS, 2 * settings.seconds)
        self._replaces_process = settings.workers > 1 and settings.metrics is not None
        self._file: TextIO | None = None
        if self._replaces_process:
            self._file = _find_report(settings.metrics or "", os.getpid()).open("w", encoding="utf-8")
        self._reported: set[tuple[int, float]] = set()

    async def run(self) -> None:
        """Watch until this is cancelled."""
        try:
            while True:
                if self._file is not None:
                    faulthandler.dump_traceback_later(self._freeze_seconds, exit=True, file=self._file)
                for queue, seconds in self._watched:
                    self._report_stuck(queue, seconds)
                await asyncio.sleep(_BEAT)
        finally:
            if self._file is not None:
                faulthandler.cancel_dump_traceback_later()
                self._file.close()

    def _report_stuck(self, queue: WorkQueue, seconds: float) -> None:
        for thread, start, took in queue.list_running():
            if took <= seconds or (thread, start) in self._reported:
                continue
            self._reported.add((thread, start))
            frame = sys._current_frames().get(thread)
            where = "".join(traceback.format_stack(frame)) if frame is not None else ""
            log_event("stuck", level=logging.ERROR, seconds=round(took), where=where[-_MAX_TRACE:])
            if self._replaces_process:
                self._end_process()

    def _end_process(self) -> None:
        """Finish the other requests, and end even though the call never does; the supervisor starts another process."""
        last = threading.Timer(self._stop_seconds + CLOSING_SECONDS, os._exit, (1,))
        last.daemon = True
        last.start()
        signal.raise_signal(signal.SIGTERM)


def read_freeze(folder: str, process: int) -> str:
    """Where the threads of a process were when it was ended because it was frozen; empty if it was not."""
    report = _find_report(folder, process)
    with suppress(OSError):
        text = report.read_text(encoding="utf-8", errors="replace")
        report.unlink()
        return text[:_MAX_TRACE]
    return ""


def _find_report(folder: str, process: int) -> Path:
    return Path(folder) / f"frozen-{process}.txt"
