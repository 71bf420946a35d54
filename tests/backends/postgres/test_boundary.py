"""Each statement to PostgreSQL fails once: the result is one sentence, and the index is whole before or after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from backend_entries import made_entry
from epochal.backends.postgres.store import PostgresStore
from epochal.errors import StorageError

ENTRIES = [made_entry("a", "rain in 1998", meta={"kind": "x"}), made_entry("b", "snow in 1999")]


def read(store: PostgresStore) -> dict[str, str]:
    """All documents, and everything that a search looks at."""
    view = store.view()
    view.search_words("rain", 9)
    assert len(view.content.rows) == len(view.alive)
    return {document.id: document.text for batch in view.iterate() for document in batch}


OPERATIONS: dict[str, Callable[[PostgresStore], object]] = {
    "read": read,
    "add": lambda store: store.add([made_entry("a", "hail in 2001"), made_entry("c", "rain in 2002")]),
    "delete": lambda store: store.delete(["a"]),
    "compact": PostgresStore.compact,
}
ERRORS = (
    psycopg.OperationalError("the connection is lost\nfor good"),
    psycopg.errors.DiskFull("could not extend file"),
    psycopg.errors.QueryCanceled("canceling statement"),
)


def run(address: str, operation: str) -> str:
    """What an operation is refused with; empty if it succeeds."""
    try:
        with PostgresStore.open(address) as store:
            OPERATIONS[operation](store)
    except StorageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_statement_that_fails_once(
    address: str, postgres_server: Any, namespaces: Any, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    before = {entry.document.id: entry.document.text for entry in ENTRIES}
    after = {"read": before, "add": {**before, "a": "hail in 2001", "c": "rain in 2002"}, "compact": before}
    real = psycopg.Connection.execute
    for number in range(1, 60):
        place = postgres_server.address(next(namespaces))
        with PostgresStore.create(place) as store:
            store.add(ENTRIES)
        count = [0]

        def maybe_fail(*given: Any, count: list[int] = count, number: int = number, **more: Any) -> Any:
            count[0] += 1
            if count[0] == number:
                raise ERRORS[number % len(ERRORS)]
            return real(*given, **more)

        with monkeypatch.context() as patched:
            patched.setattr(psycopg.Connection, "execute", maybe_fail)
            message = run(place, operation)
        assert "\n" not in message
        with PostgresStore.open(place) as store:
            found = read(store)
        assert found in (before, after.get(operation, {"b": before["b"]}))
        if not message:
            assert found == after.get(operation, {"b": before["b"]})
        if count[0] < number:
            assert number > 3  # something was tried
            return
    raise AssertionError("the statements do not end")
