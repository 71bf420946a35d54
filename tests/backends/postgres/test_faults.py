"""Faults: a server that dies in the midst of things, connections that are lost or too few, slow statements."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from backend_entries import made_entry
from epochal.backends.postgres import connection as reporting
from epochal.backends.postgres.provider import check
from epochal.backends.postgres.store import PostgresStore
from epochal.errors import IndexLockedError, MissingExtraError, StorageError
from epochal.ingest import add_documents
from epochal.storage.records import Document

BATCHES, BATCH = 30, 20


def documents() -> list[Document]:
    return [Document(f"d{number}", f"Rain fell in {1000 + number}, and snow.") for number in range(BATCHES * BATCH)]


def test_a_server_that_is_killed_while_it_is_written_to_loses_nothing(postgres_server, address: str) -> None:
    """Killed after a batch was safe. Then run again: everything is there, and nothing twice."""
    store, safe = PostgresStore.create(address), [0]
    killer: list[threading.Thread] = []

    def progress(count: int) -> None:
        safe.append(count)
        if not killer:
            killer.append(threading.Thread(target=postgres_server.kill))
            killer[0].start()

    def write_on() -> None:
        for _ in range(1000):  # the server dies during one of the batches, whichever that is
            fresh = [Document(f"{document.id} {sum(safe)}", document.text) for document in documents()]
            add_documents(store, fresh, None, progress=progress)

    with pytest.raises(StorageError, match="cannot be"):
        write_on()
    killer[0].join()
    with pytest.raises(StorageError, match="cannot be reached"):
        store.view()
    postgres_server.start()
    assert store.view().generation >= 0  # the pool has found its way back by itself
    known = set(store.get_content_hashes([f"{document.id} 0" for document in documents()]))
    assert {f"d{number} 0" for number in range(safe[1])} <= known
    assert add_documents(store, [Document(f"{document.id} 0", document.text) for document in documents()], None) == len(
        documents()
    ) - len(known)
    view = store.view()
    ids = [document.id for batch in view.iterate() for document in batch]
    assert len(ids) == len(set(ids)) == view.document_count
    assert {f"d{number} 0" for number in range(BATCHES * BATCH)} <= set(ids)
    assert len(view.search_words("rain", 10**6)) == view.passage_count
    store.close()
    assert check(address, repair=False).findings == ()


WRITER = """
import sys
from epochal.backends.postgres.store import PostgresStore
from epochal.storage.records import Document, Entry, Passage
store = PostgresStore.open(sys.argv[1], write=True)
with store.bulk():
    for number in range(10**6):
        store.add([Entry(Document(f"d{number}-{place}", "rain"), (Passage(0, 4),)) for place in range(5)])
        print(number, flush=True)
"""


def test_a_writer_that_is_killed_leaves_whole_batches_and_no_lock(address: str) -> None:
    PostgresStore.create(address).close()
    writer = subprocess.Popen([sys.executable, "-c", WRITER, address], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for line in writer.stdout:
        if int(line) == 12:
            break
    with pytest.raises(IndexLockedError):
        PostgresStore.open(address, write=True)
    writer.kill()
    last = int(([line for line in writer.stdout if line.endswith("\n")] or ["12"])[-1])
    writer.wait()
    writer.stdout.close()
    store = _opened_once_free(address)
    count = store.view().document_count
    assert count % 5 == 0
    assert 5 * (last + 1) <= count <= 5 * (last + 2)
    assert len(store.repairs) <= 1  # whoever came first has mended it
    assert len(store.view().search_words("rain", 10**6)) == count
    store.close()


def _opened_once_free(address: str) -> PostgresStore:
    """The server notices that a client is gone when it next looks."""
    for _ in range(10_000):
        try:
            return PostgresStore.open(address, write=True)
        except IndexLockedError:
            continue
    raise AssertionError("the lock of a dead writer is still held")


def test_lost_connections_are_made_again(store: PostgresStore, postgres_server) -> None:
    store.add([made_entry("a", "rain")])
    view = store.view()
    postgres_server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres'"
    )
    assert view.search_words("rain", 3).rows.tolist() == [0]
    with pytest.raises(StorageError, match="cannot be written"):
        store.add([made_entry("b", "rain")])
    assert store.add([made_entry("b", "rain")]) == 1  # the lock is taken again, by a new connection
    assert store.view().document_count == 2


def test_a_writer_that_has_lost_its_lock_does_not_write(store: PostgresStore, postgres_server, address: str) -> None:
    store.add([made_entry("a", "rain")])
    postgres_server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres'"
    )
    with PostgresStore.open(address, write=True) as other:
        with pytest.raises(StorageError):
            store.add([made_entry("b", "rain")])
        with pytest.raises(IndexLockedError):
            store.add([made_entry("b", "rain")])
        assert other.view().document_count == 1


def test_a_statement_that_takes_too_long_is_cut_off(store: PostgresStore, address: str) -> None:
    with PostgresStore.open(address + "&statement_timeout=2") as hasty:
        with pytest.raises(
            StorageError, match="a statement took longer than the address allows; raise statement_timeout"
        ):
            hasty._fetch("SELECT pg_sleep(300)", ())
        assert hasty.view().document_count == 0  # and the connection is of use again


def test_more_searches_than_connections_wait_for_one(store: PostgresStore, address: str) -> None:
    store.add([made_entry(f"a{number}", f"rain {number}") for number in range(50)])
    with PostgresStore.open(address + "&pool=2") as reader, ThreadPoolExecutor(24) as threads:
        answers = list(threads.map(lambda number: len(reader.view().search_words(f"rain {number}", 99)), range(200)))
    assert answers == [50] * 200


def test_when_no_connection_is_to_be_had_it_is_said(store: PostgresStore, address: str) -> None:
    with PostgresStore.open(address + "&pool=1") as reader:
        reader.view()
        connections = reader._open_connections()
        connections._open_pool().timeout = 0.2
        with connections.lent(), pytest.raises(StorageError, match="all of its connections are in use"):
            reader.view()
        assert reader.view().document_count == 0


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"the index postgresql:///x\?host=.* cannot be reached: .*No such file"):
        PostgresStore.open(f"postgresql:///x?host={tmp_path}")


@pytest.mark.parametrize("package", ["psycopg", "psycopg_pool"])
def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setattr(reporting, "find_spec", lambda name: None if name == package else name)
    with pytest.raises(MissingExtraError, match=rf"needs the package {package}; .*epochal\[postgres\]"):
        PostgresStore.open("postgresql:///x")


def test_connections_end_with_the_last_view(address: str, postgres_server) -> None:
    def count() -> int:
        return postgres_server.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counted'")[0][0]

    store = PostgresStore.create(address + "&application_name=counted")
    store.add([made_entry("a", "rain")])
    view = store.view()
    store.close()
    assert view.search_words("rain", 1).rows.tolist() == [0]
    _until(lambda: count() == 1)
    del view, store
    _until(lambda: count() == 0)


def _until(is_so: Callable[[], bool]) -> None:
    for _ in range(10_000):
        if is_so():
            return
    raise AssertionError("it never came to be so")


def test_half_a_write_is_no_write(store: PostgresStore, postgres_server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever fails within a transaction, nothing of it stays."""
    store.add([made_entry("a", "rain")])
    from epochal.backends.postgres import writing

    def fail(*_: object) -> None:
        raise StorageError("no")

    for position in ("write_segment", "make_visible", "copy_in"):
        with monkeypatch.context() as patch:
            patch.setattr(writing, position, fail)
            with pytest.raises(StorageError, match="no"):
                store.add([made_entry("a", "snow"), made_entry("b", "rain")])
    view = store.view()
    assert (view.generation, view.document_count) == (1, 1)
    assert view.get_document("a").text == "rain"
    for table in ("documents", "passages", "times", "postings", "segments", "dead"):
        (count,) = postgres_server.execute(f"SELECT count(*) FROM epochal.{table} WHERE space = %s", (view.space,))[0]
        assert count == {"documents": 1, "passages": 1, "postings": 1, "segments": 1}.get(table, 0), table
    assert np.array_equal(view.alive, [0])
