"""Servers and nodes: a node keeps a part of the documents, on a server that is written to and on copies of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Literal, TypeVar

from epochal.backends.sharded.lanes import Lane
from epochal.errors import EpochalError, StorageError
from epochal.index.backend import Backend

__all__ = ["Node", "Server"]

T = TypeVar("T")
Health = Literal["sound", "suspect", "down"]


class Server:
    """One backend of a cluster: opened when it is first asked, and asked in its own threads.

    `check` looks at a backend that was just opened, and raises where it does not belong to the cluster.

    >>> import tempfile
    >>> from epochal.index.store import Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     server = Server("north", lambda: Store.create(folder))
    ...     server.submit(lambda backend: backend.view().document_count).result(timeout=10)
    ...     server.close()
    0
    """

    def __init__(self, name: str, open: Callable[[], Backend]) -> None:
        self.name = name
        self._open = open
        self._lane = Lane(name)
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
        return self._lane.submit(lambda: call(self._opened()))

    def run(self, call: Callable[[], T]) -> Future[T]:
        """Have something called that needs the server's threads, and no more of it.

        >>> Server("north", lambda: None).run(lambda: 42).result(timeout=10)
        42
        """
        return self._lane.submit(call)

    def probe(self) -> Future[object]:
        """Ask for the present state of a server that was not sound; the same question while that is not answered.

        >>> server = Server("north", lambda: None)
        >>> server.health = "suspect"
        >>> type(server.probe().exception(timeout=10)).__name__, server.health
        ('AttributeError', 'suspect')
        """
        with self._guard:
            if self._probe is None or self._probe.done():
                self._probe = self._lane.submit(self._asked_again)
            return self._probe

    def _asked_again(self) -> object:
        view = self._opened().view()
        self.health = "sound"
        return view

    def _opened(self) -> Backend:
        # Not under the guard that others need: opening may take as long as a network makes it wait.
        with self._opening:
            if self._backend is not None:
                return self._backend
            made = self._open()
            try:
                self.check(made)
            except EpochalError:
                made.close()
                raise
            with self._guard:
                closed, self._backend = self._closed, None if self._closed else made
        if closed:
            made.close()
            raise StorageError(f"the connection to {self.name!r} is closed; open the index again")
        return made

    def close(self) -> None:
        """Close the backend, where it was opened, and let the threads end.

        >>> Server("north", lambda: None).close()
        """
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
