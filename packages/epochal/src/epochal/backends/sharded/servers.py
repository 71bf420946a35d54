"""Servers and nodes of a cluster: threads per server, and queries to many at once with a time-out.

A node stores a part of the documents on a primary server and on replicas. Each server has threads of its own, so that
one that does not answer delays no other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from queue import SimpleQueue
from typing import Any, Final, Generic, Literal, TypeVar

from epochal.errors import EpochalError, StorageError
from epochal.storage.protocol import Backend

T = TypeVar("T")
_Work = tuple["Future[Any]", Callable[[], Any]]

#: As many as a server's pool of connections has.
_THREADS: Final = 8


class ServerThreads:
    """Runs calls in its own threads, at most so many at a time; threads are started when they are needed.

    A call that is waited for no longer cannot be stopped: it keeps its thread, and no other lane's. The threads end
    with the process whatever they wait for, which those of the standard library's executors do not.
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
        """Have something called; the future has what it returns or raises."""
        future: Future[T] = Future()
        with self._guard:
            if self._closed:
                raise StorageError(f"the connection to {self._name!r} is closed; open the index again")
            self._busy += 1
            if self._busy > self._started and self._started < self._most:
                self._started += 1
                threading.Thread(target=self._run_calls, name=f"epochal {self._name}", daemon=True).start()
        self._queue.put((future, call))
        return future

    def close(self) -> None:
        """Let the threads end when they have done what was asked before."""
        with self._guard:
            if not self._closed:
                self._closed = True
                for _ in range(self._started):
                    self._queue.put(None)

    def _run_calls(self) -> None:
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


Health = Literal["sound", "suspect", "down"]


class Server:
    """One backend of a cluster: opened when it is first asked, and asked in its own threads.

    `check` looks at a backend that was just opened, and raises where it does not belong to the cluster.

    >>> import tempfile
    >>> from epochal.storage.store import Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     server = Server("north", lambda: Store.create(folder))
    ...     server.submit(lambda backend: backend.view().document_count).result(timeout=10)
    ...     server.close()
    0
    """

    def __init__(self, name: str, open: Callable[[], Backend]) -> None:
        self.name = name
        self._open = open
        self._lane = ServerThreads(name)
        self._guard = threading.Lock()
        self._opening = threading.Lock()
        self._closed = False
        self._backend: Backend | None = None
        self._probe: Future[object] | None = None
        self.check: Callable[[Backend], None] = lambda backend: None
        #: How it was when it was last asked: it answered, it failed, or it kept somebody waiting for too long.
        self.health: Health = "sound"

    def submit(self, call: Callable[[Backend], T]) -> Future[T]:
        """Have something asked of the backend.

        >>> server = Server("north", lambda: None)
        >>> server.submit(lambda backend: 42).result(timeout=10)
        42
        """
        return self._lane.submit(lambda: call(self._open_backend()))

    def run(self, call: Callable[[], T]) -> Future[T]:
        """Have something called that needs the server's threads, and no more of it.

        >>> Server("north", lambda: None).run(lambda: 42).result(timeout=10)
        42
        """
        return self._lane.submit(call)

    def probe(self) -> Future[object]:
        """Ask for the present state of a server that was not sound; the same question while that is not answered."""
        with self._guard:
            if self._probe is None or self._probe.done():
                self._probe = self._lane.submit(self._probe_server)
            return self._probe

    def _probe_server(self) -> object:
        view = self._open_backend().view()
        self.health = "sound"
        return view

    def _open_backend(self) -> Backend:
        # Not under the guard that others need: opening may take as long as a network makes it wait.
        with self._opening:
            if self._backend is not None:
                return self._backend
            backend = self._open()
            try:
                self.check(backend)
            except EpochalError:
                backend.close()
                raise
            with self._guard:
                closed, self._backend = self._closed, None if self._closed else backend
        if closed:
            backend.close()
            raise StorageError(f"the connection to {self.name!r} is closed; open the index again")
        return backend

    def close(self) -> None:
        """Close the backend, where it was opened, and let the threads end."""
        self._lane.close()
        with self._guard:
            backend, self._backend, self._closed = self._backend, None, True
        if backend is not None:
            backend.close()


class Node:
    """A part of the documents: the first of its servers is written to, and any of them is read from.

    >>> Node("north", [Server("a", lambda: None), Server("b", lambda: None)]).primary.name
    'a'
    """

    def __init__(self, name: str, servers: Sequence[Server]) -> None:
        if not servers:
            raise StorageError(f"node {name!r} has no server; give it at least one address")
        self.name = name
        self.servers = tuple(servers)

    @property
    def primary(self) -> Server:
        """The server that is written to.

        >>> Node("north", [Server("a", lambda: None)]).primary.name
        'a'
        """
        return self.servers[0]


#: A way to get an answer: the server that is asked, and what starts the question.
Way = tuple[Server, Callable[[], "Future[T]"]]


class Answers(Generic[T]):
    """What came back, by shard: the answers, and for those that gave none a sentence that says why."""

    def __init__(self) -> None:
        self.found: dict[int, T] = {}
        self.lost: dict[int, str] = {}


def ask(questions: Mapping[int, Sequence[Way[T]]], timeout: float) -> Answers[T]:
    """Ask each shard in the first of its ways, and where that fails or takes too long, in the next.

    So no longer is waited than the time-out for each way. A server that fails is marked as suspect, and one that is
    late as down. Bad input, which any server would refuse, is raised as it is.
    """
    answers: Answers[T] = Answers()
    left = {shard: list(ways) for shard, ways in questions.items()}
    why: dict[int, str] = {}
    while left:
        pending: dict[int, tuple[Server, Future[T]]] = {}
        for shard, ways in left.items():
            server, start = ways.pop(0)
            pending[shard] = server, start()
        wait([future for _, future in pending.values()], timeout)
        for shard, (server, future) in pending.items():
            try:
                answers.found[shard] = _answer(server, future, timeout)
            except StorageError as error:
                server.health = "down" if not future.done() or future.cancelled() else "suspect"
                why[shard] = str(error)
        left = {shard: ways for shard, ways in left.items() if shard not in answers.found and ways}
    answers.lost = {shard: why[shard] for shard in questions if shard not in answers.found}
    return answers


def _answer(server: Server, future: Future[T], timeout: float) -> T:
    if not future.done():
        future.cancel()
        raise StorageError(f"{server.name} did not answer within {timeout:g} s")
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, EpochalError):
        raise error
    if isinstance(error, OSError):
        raise StorageError(f"{server.name} cannot be asked: {error}") from error
    raise error
