"""Lanes: a few threads for each server, so that one that does not answer holds up no other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from epochal.errors import StorageError

__all__ = ["Lane"]

T = TypeVar("T")
_Work = tuple["Future[Any]", Callable[[], Any]]

#: As many as a server's pool of connections has.
_THREADS: Final = 8


class Lane:
    """Runs calls in its own threads, at most so many at a time; threads are started when they are needed.

    A call that is waited for no longer cannot be stopped: it keeps its thread, and no other lane's. The threads end
    with the process whatever they wait for, which those of the standard library's executors do not.

    >>> lane = Lane("node 1")
    >>> lane.submit(lambda: 6 * 7).result(timeout=10)
    42
    >>> lane.close()
    """

    def __init__(self, name: str, threads: int = _THREADS) -> None:
        self._name = name
        self._most = threads
        self._queue: SimpleQueue[_Work | None] = SimpleQueue()
        self._guard = threading.Lock()
        self._started = 0
        self._busy = 0
        self._closed = False

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Have something called; the future has what it returns or raises.

        >>> lane = Lane("node 1")
        >>> lane.close()
        >>> lane.submit(print)
        Traceback (most recent call last):
        ...
        epochal.errors.StorageError: the connection to 'node 1' is closed; open the index again
        """
        future: Future[T] = Future()
        with self._guard:
            if self._closed:
                raise StorageError(f"the connection to {self._name!r} is closed; open the index again")
            self._busy += 1
            if self._busy > self._started and self._started < self._most:
                self._started += 1
                threading.Thread(target=self._work, name=f"epochal {self._name}", daemon=True).start()
        self._queue.put((future, call))
        return future

    def close(self) -> None:
        """Let the threads end when they have done what was asked before.

        >>> lane = Lane("node 1")
        >>> lane.close()
        >>> lane.close()
        """
        with self._guard:
            if not self._closed:
                self._closed = True
                for _ in range(self._started):
                    self._queue.put(None)

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            future, call = item
            # What was given up while it waited for its turn is not begun.
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:  # noqa: BLE001  # it is raised again by whoever asks for the result
                    future.set_exception(error)
            del item, future, call
            with self._guard:
                self._busy -= 1
