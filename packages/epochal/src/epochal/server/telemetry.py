"""Telemetry: JSON lines in the log, counters over all processes, and the headers of every response.

No client library is needed for the counters, because every series is known beforehand: one array per process holds them
all, and the totals are the sum of the arrays.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import re
import secrets
import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from epochal.errors import EpochalError
from epochal.server.problems import PROBLEMS
from epochal.version import __version__

# ---------------------------------------------------------------- the log

#: The name of the logger of the service.
LOGGER: Final = "epochal.server"
_FIELDS: Final = "fields"


class JsonLines(logging.Formatter):
    """Records as lines of JSON: `at`, `level`, `event`, and the fields of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        at = dt.datetime.fromtimestamp(record.created, dt.timezone.utc).isoformat(timespec="milliseconds")
        reported: dict[str, Any] = {"at": at, "level": record.levelname.lower()}
        if record.name == LOGGER:
            reported |= {"event": record.getMessage(), **getattr(record, _FIELDS, {})}
        else:
            reported |= {"event": "server", "message": record.getMessage()}
        reported |= {name: getattr(record, name) for name in ("left_out", "last") if hasattr(record, name)}
        if record.exc_info:
            reported["traceback"] = self.formatException(record.exc_info)
        return json.dumps(reported, ensure_ascii=True, default=str)


def log_event(event: str, *, level: int = logging.INFO, trace: bool = False, **fields: Any) -> None:
    """Log an event; with `trace`, also the error that is being handled, which clients never see."""
    logging.getLogger(LOGGER).log(level, event, exc_info=trace, extra={_FIELDS: fields})


#: Of warnings and errors of one kind so many are logged in a minute; a server out of descriptors has thousands.
MOST_ALIKE: Final = 20
_WINDOW: Final = 60.0
_MOST_KINDS: Final = 1_000


class LogLimit(logging.Filter):
    """Leaves out warnings and errors that many others were like within a minute; a later one says how many."""

    def __init__(self) -> None:
        super().__init__()
        #: For each kind, when its minute began, and how many there were in it.
        self._counts: dict[tuple[str, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log a record."""
        if record.levelno < logging.WARNING:
            return True
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        kind = record.name, str(record.msg)[:200], error
        start, count = self._counts.get(kind, (record.created, 0))
        if record.created - start >= _WINDOW:
            if count > MOST_ALIKE:
                record.__dict__["left_out"] = count - MOST_ALIKE
            start, count = record.created, 0
        if len(self._counts) >= _MOST_KINDS:
            self._counts.clear()
        self._counts[kind] = start, count + 1
        if count + 1 == MOST_ALIKE:
            record.__dict__["last"] = "more like this are left out for a minute"
        return count < MOST_ALIKE


def logging_settings() -> dict[str, Any]:
    """The settings for `logging.config.dictConfig`: everything to stderr as JSON lines, and not too much of it."""
    stream = {"class": "logging.StreamHandler", "formatter": "json", "filters": ["limit"], "stream": "ext://sys.stderr"}
    handlers = {"handlers": ["lines"], "level": "INFO", "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": f"{__name__}.{JsonLines.__name__}"}},
        "filters": {"limit": {"()": f"{__name__}.{LogLimit.__name__}"}},
        "handlers": {"lines": stream},
        # asyncio reports connections that cannot be accepted.
        "loggers": dict.fromkeys((LOGGER, "uvicorn", "uvicorn.error", "asyncio"), handlers),
    }


# ---------------------------------------------------------------- counters of several processes

Numbers = npt.NDArray[np.float64]

_MAX_SLOTS: Final = 1_000


class Slot:
    """The counters of one process: in memory, or in a folder that several processes share.

    In a folder, a process takes the first slot that no other process has locked. The operating system releases the lock
    of a process that dies, and the next one continues its counts.
    """

    def __init__(self, size: int, folder: str | None = None) -> None:
        self._size = size
        self._folder = None if folder is None else Path(folder)
        self._lock: sqlite3.Connection | None = None
        self.numbers: Numbers = np.zeros(size) if self._folder is None else self._claim_slot(self._folder)

    def sums(self) -> Numbers:
        """The sums over all processes."""
        if self._folder is None:
            return np.array(self.numbers)
        sums = np.zeros(self._size)
        for path in self._folder.glob("*.f8"):
            numbers = np.fromfile(path)
            if len(numbers) == self._size:
                sums += numbers
        return sums

    def close(self) -> None:
        """Release the slot; its counts stay."""
        if self._lock is not None:
            self.numbers = self.numbers.copy()  # the file may be gone soon
            self._lock.close()
            self._lock = None

    def _claim_slot(self, folder: Path) -> Numbers:
        for number in range(_MAX_SLOTS):
            # Like the writer's lock of an index: an empty SQLite database, which locks alike on every system.
            lock = sqlite3.connect(folder / f"{number}.lock", isolation_level=None, timeout=0, check_same_thread=False)
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                lock.close()
                continue
            self._lock = lock
            path = folder / f"{number}.f8"
            fresh = not path.exists() or path.stat().st_size != 8 * self._size
            return np.memmap(path, np.float64, "w+" if fresh else "r+", shape=(self._size,))
        raise EpochalError(f"all {_MAX_SLOTS:,} slots in {folder} are taken; accepted: a folder of this service's own")


# ---------------------------------------------------------------- metrics

METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_STATUSES: Final = tuple(sorted({"200", "204", "304", "other", *(str(status) for status, _ in PROBLEMS.values())}))
#: The upper bounds of the histogram of durations, in seconds.
_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_COUNTERS: Final = {
    "documents_added": "Documents that were added or changed through the service.",
    "documents_deleted": "Documents that were deleted through the service.",
}
_GAUGES: Final = {
    "requests_in_flight": "Requests that are being answered.",
    "work_running": "Searches and the like that run in a thread.",
    "work_waiting": "Searches and the like that wait for a thread.",
}
_STATE: Final = {
    "documents": "Documents in the index.",
    "generation": "Writes that the index has seen.",
}


class Metrics:
    """Counters of requests by route and status, their durations, and what runs now."""

    def __init__(self, routes: Iterable[str], folder: str | None = None) -> None:
        self._routes = tuple(dict.fromkeys(routes))
        names: list[tuple[str, ...]] = [("requests", route, status) for route in self._routes for status in _STATUSES]
        for route in self._routes:
            names += [("class", route, str(position)) for position in range(len(_BOUNDS) + 1)]
            names.append(("seconds", route))
        names += [("counter", name) for name in _COUNTERS]
        names += [("gauge", name) for name in _GAUGES]
        self._positions = {name: position for position, name in enumerate(names)}
        self._slot = Slot(len(names), folder)
        for name in _GAUGES:
            self.gauge(name, 0)  # a process that died here before does nothing now

    def observe(self, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        label = str(status) if str(status) in _STATUSES else "other"
        self._add(("requests", route, label), 1)
        self._add(("class", route, str(bisect_left(_BOUNDS, seconds))), 1)
        self._add(("seconds", route), seconds)

    def count(self, name: str, number: int) -> None:
        """Raise a counter."""
        self._add(("counter", name), number)

    def gauge(self, name: str, number: float) -> None:
        """Set a gauge."""
        self._slot.numbers[self._positions["gauge", name]] = number

    def _add(self, name: tuple[str, ...], number: float) -> None:
        self._slot.numbers[self._positions[name]] += number

    def close(self) -> None:
        """Set the gauges to 0 and release the file, if there is one."""
        for name in _GAUGES:
            self.gauge(name, 0)
        self._slot.close()

    def text(self, state: Mapping[str, float]) -> str:
        """Format all series for Prometheus; `state` has the gauges of the index."""
        return "".join(f"{line}\n" for line in self._format_lines(self._slot.sums().tolist(), state))

    def _format_lines(self, sums: Sequence[float], state: Mapping[str, float]) -> Iterator[str]:
        yield from _format_head("info", "gauge", "The version that runs.")
        yield f'epochal_info{{version="{__version__}"}} 1'
        yield from _format_head("requests_total", "counter", "Requests that were answered, by route and status.")
        for route in self._routes:
            for status in _STATUSES:
                if number := sums[self._positions["requests", route, status]]:
                    yield f'epochal_requests_total{{route="{route}",status="{status}"}} {number:.17g}'
        yield from _format_head("request_seconds", "histogram", "How long requests took.")
        for route in self._routes:
            below = 0.0
            for position, bound in enumerate((*_BOUNDS, float("inf"))):
                below += sums[self._positions["class", route, str(position)]]
                bound_text = "+Inf" if position == len(_BOUNDS) else f"{bound:g}"
                yield f'epochal_request_seconds_bucket{{route="{route}",le="{bound_text}"}} {below:.17g}'
            yield f'epochal_request_seconds_sum{{route="{route}"}} {sums[self._positions["seconds", route]]:.9g}'
            yield f'epochal_request_seconds_count{{route="{route}"}} {below:.17g}'
        for name, help_text in _COUNTERS.items():
            yield from _format_head(f"{name}_total", "counter", help_text)
            yield f"epochal_{name}_total {sums[self._positions['counter', name]]:.17g}"
        for name, help_text in _GAUGES.items():
            yield from _format_head(name, "gauge", help_text)
            yield f"epochal_{name} {sums[self._positions['gauge', name]]:.17g}"
        for name, help_text in _STATE.items():
            if name in state:
                yield from _format_head(name, "gauge", help_text)
                yield f"epochal_{name} {state[name]:.17g}"


def _format_head(name: str, kind: str, help_text: str) -> Iterator[str]:
    yield f"# HELP epochal_{name} {help_text}"
    yield f"# TYPE epochal_{name} {kind}"


# ---------------------------------------------------------------- around every request

#: What a browser may load and do.
POLICY: Final = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
_POLICY_NAME: Final = b"content-security-policy"
#: Security headers of every response: nothing from other sites, no inline scripts, no frames, no type guessing.
HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }
)
#: The key of a request's scope under which handlers put fields of its log entry, such as the route.
NOTE: Final = "epochal.note"
#: Request ids of a proxy are kept if they are safe in a log and a header.
_SAFE_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_MAX_PATH: Final = 200


class Envelope:
    """Middleware around the whole application: headers, request ids, metrics and the log."""

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
        """Pass on a request; count and log it when its response is complete."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = self._stopwatch()
        name = _make_request_id(scope)
        note: dict[str, Any] = {"route": "other", "method": scope["method"]}
        # Every GET route also answers HEAD; the server leaves out the body.
        scope = {**scope, NOTE: note, "method": "GET" if scope["method"] == "HEAD" else scope["method"]}
        reported = {"status": 500, "bytes": 0}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                reported["status"] = message["status"]
                given = [*message.get("headers", ()), (b"x-request-id", name)]
                # A page may have a policy of its own, and one for frames.
                present = {key for key, _ in given}
                if b"frame-ancestors 'none'" not in dict(given).get(_POLICY_NAME, b"frame-ancestors 'none'"):
                    present.add(b"x-frame-options")  # which cannot name origins
                message["headers"] = [*given, *(item for item in self._headers if item[0] not in present)]
            elif message["type"] == "http.response.body":
                reported["bytes"] += len(message.get("body", b""))
            await send(message)

        self._count_in_flight(1)
        try:
            await self._app(scope, receive, send_with_headers)
        finally:
            self._count_in_flight(-1)
            seconds = self._stopwatch() - start
            self._metrics.observe(note["route"], reported["status"], seconds)
            log_event(
                "request",
                level=logging.ERROR if reported["status"] == 500 else logging.INFO,
                id=name.decode(),
                path=scope["path"][:_MAX_PATH],
                status=reported["status"],
                ms=round(1000 * seconds, 3),
                bytes=reported["bytes"],
                client=(scope.get("client") or ("", 0))[0],
                **note,
            )

    def _count_in_flight(self, step: int) -> None:
        self._in_flight += step
        self._metrics.gauge("requests_in_flight", self._in_flight)
        self._watch()


def _make_request_id(scope: Scope) -> bytes:
    header: bytes = dict(scope["headers"]).get(b"x-request-id", b"")
    return header if _SAFE_ID.fullmatch(header) else secrets.token_hex(8).encode()
