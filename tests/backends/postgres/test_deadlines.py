"""A server that does not reply: one sentence within the time, whether it is silent from the beginning or later."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

import pytest

from backend_entries import made_entry
from epochal.backends.postgres import connection as driver
from epochal.backends.postgres import provider
from epochal.backends.postgres.store import PostgresStore
from epochal.errors import StorageError


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a listener that accepts connections and says nothing."""
    monkeypatch.setattr(driver, "PATIENCE", 2)  # libpq takes no less
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"postgresql://ann:hunter2@127.0.0.1:{listener.getsockname()[1]}/news?sslmode=disable"


CALLS: dict[str, Callable[[str], object]] = {
    "open": PostgresStore.open,
    "exists": provider.exists,
    "check": lambda address: provider.check(address, repair=True),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_listener_that_says_nothing(silent: str, call: str) -> None:
    with pytest.raises(StorageError, match=r"ann:\*\*\*@127.* cannot be reached: .*timeout") as caught:
        CALLS[call](silent)
    assert "hunter2" not in str(caught.value)


@pytest.fixture
def hasty(store: PostgresStore, address: str) -> Iterator[PostgresStore]:
    """A store whose one connection waits for half a second, while its server may take longer."""
    store.add([made_entry("a", "rain")])
    with PostgresStore.open(f"{address}&pool=1&statement_timeout=0") as reader:
        with reader._open_connections().lent() as connection:
            driver.set_patience(connection, 0.5)
        yield reader


def test_a_server_that_is_silent_in_the_midst_of_a_statement(hasty: PostgresStore) -> None:
    with pytest.raises(StorageError, match=r"cannot be read: the server has not replied within 0\.5 seconds"):
        hasty._fetch("SELECT pg_sleep(30)", ())
    assert hasty.view().document_count == 1  # by a new connection


def test_a_reply_that_comes_in_drops_has_no_more_time(hasty: PostgresStore) -> None:
    with pytest.raises(StorageError, match="has not replied within"):
        hasty._fetch("SELECT repeat('x', 100000), pg_sleep(0.05) FROM generate_series(1, 400)", ())


def test_the_time_follows_from_the_address(address: str) -> None:
    with PostgresStore.create(address) as store, store._open_connections().lent() as connection:
        assert connection.patience == 30 + driver.PATIENCE


def test_a_writer_gives_up_too(store: PostgresStore) -> None:
    store.add([made_entry("a", "rain")])
    connection = store._open_writer()
    driver.set_patience(connection, 0.3)
    with pytest.raises(StorageError, match="has not replied within"), store._lock_writer():
        connection.execute("SELECT pg_sleep(20)")
    assert connection.closed
