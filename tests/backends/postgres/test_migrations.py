"""Migrations: in order, whole or not at all, once; and never back."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from epochal.backends.postgres.provider import exists
from epochal.backends.postgres.store import PostgresStore
from epochal.backends.postgres.tables import MIGRATIONS, migrate, read_version
from epochal.errors import StorageError


@pytest.fixture
def database(postgres_server) -> Iterator[str]:
    """The URL of a new database."""
    postgres_server.execute("CREATE DATABASE fresh")
    yield postgres_server.url.replace("/postgres?", "/fresh?")
    postgres_server.execute("DROP DATABASE fresh WITH (FORCE)")


def test_steps_are_taken_in_order_and_once(database: str) -> None:
    steps = (*MIGRATIONS, "CREATE TABLE epochal.two (a int)", "ALTER TABLE epochal.two ADD COLUMN b int")
    with psycopg.connect(database, autocommit=True) as connection:
        assert read_version(connection) == 0
        assert migrate(connection, "x") == 0
        assert read_version(connection) == len(MIGRATIONS)
        assert migrate(connection, "x", steps) == len(MIGRATIONS)
        assert migrate(connection, "x", steps) == len(steps)
        connection.execute("SELECT a, b FROM epochal.two")
        with pytest.raises(
            StorageError, match=f"of version {len(steps)}, but this version of Epochal knows versions up"
        ):
            migrate(connection, "x")
    with pytest.raises(StorageError, match="install the newer one"):
        PostgresStore.open(database)
    with pytest.raises(StorageError, match="install the newer one"):
        PostgresStore.create(database)


def test_a_step_that_fails_leaves_the_version_before_it(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        migrate(connection, "x")
        with pytest.raises(psycopg.errors.SyntaxError):
            migrate(connection, "x", (*MIGRATIONS, "CREATE TABLE epochal.two (a int); CREATE NONSENSE"))
        assert read_version(connection) == len(MIGRATIONS)
        assert connection.execute("SELECT to_regclass('epochal.two')").fetchone() == (None,)


def test_who_may_read_documents_may_read_what_is_derived_from_them(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        migrate(connection, "x", MIGRATIONS[:1])
        connection.execute("CREATE ROLE looker")
        connection.execute("GRANT SELECT ON epochal.documents TO looker")
        try:
            migrate(connection, "x")
            may = "SELECT has_table_privilege('looker', 'epochal.fields', %s)"
            assert [connection.execute(may, (what,)).fetchone()[0] for what in ("SELECT", "INSERT")] == [True, False]
        finally:
            connection.execute("DROP OWNED BY looker")
            connection.execute("DROP ROLE looker")


def test_many_at_once_make_the_tables_once(database: str) -> None:
    def make(number: int) -> bool:
        with PostgresStore.create(f"{database}&namespace=n{number}") as store:
            return store.view().document_count == 0

    with ThreadPoolExecutor(6) as threads:
        assert all(threads.map(make, range(6)))


def test_nothing_is_made_by_looking(database: str) -> None:
    assert not exists(database)
    with pytest.raises(StorageError, match="holds no index"):
        PostgresStore.open(database)
    with psycopg.connect(database) as connection:
        assert read_version(connection) == 0


def test_a_database_that_cannot_hold_every_text_is_refused(postgres_server) -> None:
    postgres_server.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
    try:
        with pytest.raises(StorageError, match="encoded as LATIN1"):
            PostgresStore.create(postgres_server.url.replace("/postgres?", "/latin?"))
    finally:
        postgres_server.execute("DROP DATABASE latin WITH (FORCE)")
