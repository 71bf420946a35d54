"""Work: the threads that do what requests ask for, and the bounded queue before them."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

from epochal.service.problems import ProblemError

__all__ = ["Work"]

T = TypeVar("T")
#: The share of the newest duration in the running mean, from which it is told when to come again.
_NEWEST: Final = 0.2
_LONGEST_WAIT: Final = 60


class Work:
    """So many calls run at once, so many wait, and the next is told to come again later.

    A call that has begun runs to its end, and keeps its place until then, also when nobody waits for it any longer.

    >>> from epochal.times.clock import stopwatch
    >>> work = Work(2, 8, stopwatch)
    >>> asyncio.run(work.run(lambda: "done")), work.running, work.waiting
    ('done', 0, 0)
    >>> work.close()
    """

    def __init__(self, threads: int, queue: int, stopwatch: Callable[[], float], name: str = "search") -> None:
        self._threads = threads
        self._queue = queue
        self._stopwatch = stopwatch
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"epochal-{name}")
        self._guard = threading.Lock()
        self._admitted = 0
        self._running = 0
        self._mean = 0.0

    @property
    def running(self) -> int:
        """How many calls run.

        >>> from epochal.times.clock import stopwatch
        >>> Work(2, 8, stopwatch).running
        0
        """
        return self._running

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread.

        >>> from epochal.times.clock import stopwatch
        >>> Work(2, 8, stopwatch).waiting
        0
        """
        with self._guard:
            return self._admitted - self._running

    async def run(self, call: Callable[[], T]) -> T:
        """What a call returns or raises; a `ProblemError` where too many wait already.

        >>> from epochal.times.clock import stopwatch
        >>> asyncio.run(Work(1, 0, stopwatch).run(lambda: 7))
        7
        """
        with self._guard:
            if self._admitted >= self._threads + self._queue:
                raise self._too_busy()
            self._admitted += 1
        try:
            future = self._pool.submit(self._timed, call)
        except RuntimeError:  # the service is shutting down
            self._leave()
            raise ProblemError("unavailable", "the service is about to stop", headers={"Retry-After": "5"}) from None
        future.add_done_callback(self._leave)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Wait for what runs and what waits; nothing new is taken.

        >>> from epochal.times.clock import stopwatch
        >>> Work(1, 0, stopwatch).close()
        """
        self._pool.shutdown(wait=True)

    def _leave(self, _: Future[Any] | None = None) -> None:
        with self._guard:
            self._admitted -= 1

    def _timed(self, call: Callable[[], T]) -> T:
        with self._guard:
            self._running += 1
        start = self._stopwatch()
        try:
            return call()
        finally:
            took = self._stopwatch() - start
            with self._guard:
                self._running -= 1
                self._mean = took if self._mean == 0 else (1 - _NEWEST) * self._mean + _NEWEST * took

    def _too_busy(self) -> ProblemError:
        waiting = self._admitted - self._running
        seconds = min(_LONGEST_WAIT, max(1, math.ceil(waiting * self._mean / self._threads)))
        return ProblemError(
            "too-busy",
            f"{waiting} requests wait already; try again in {seconds} s",
            headers={"Retry-After": str(seconds)},
        )
