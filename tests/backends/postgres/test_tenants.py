"""Namespaces: each its own index, kept apart by the server itself; and texts that would like to be SQL."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import psycopg
import pytest

from backend_entries import made_entry
from epochal import Index
from epochal.backends.postgres.provider import exists, remove
from epochal.backends.postgres.store import PostgresStore
from epochal.backends.postgres.tables import TABLES
from epochal.errors import EpochalError, StorageError
from epochal.storage.records import Document

GRANTS = """
GRANT USAGE ON SCHEMA epochal TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA epochal TO {role};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA epochal TO {role};
"""
INJECTIONS = [
    "'; DROP TABLE epochal.documents; --",
    '"; DELETE FROM epochal.namespaces; --',
    "\\'; UPDATE epochal.documents SET text = 'gone'; --",
    "') OR 1=1 --",
    "$$; SELECT pg_sleep(9); $$",
    "%s %(space)s {0} {name}",
    "x', (SELECT version())) --",
    "\u02bc\uff07; DROP SCHEMA epochal CASCADE; --",
]


def test_namespaces_are_indexes_of_their_own(postgres_server, namespaces) -> None:
    first, second = (postgres_server.address(next(namespaces)) for _ in range(2))
    with PostgresStore.create(first) as one, PostgresStore.create(second, "m@m", 16) as other:  # two writers at once
        one.add([made_entry("a", "rain in one"), made_entry("b", "rain")])
        other.add([made_entry("a", "rain in the other", dim=16)])
        assert one.view().get_document("a").text == "rain in one"
        assert other.view().get_document("b") is None
        assert (len(one.view().search_words("rain", 9)), len(other.view().search_words("rain", 9))) == (2, 1)
        assert (one.view().get_document_frequencies(["rain"]), other.view().get_document_frequencies(["rain"])) == (
            {"rain": 2},
            {"rain": 1},
        )
        assert other.get_stored_vectors([b"x"]) == {}
        one.delete(["a"])
        one.compact()
        assert other.view().get_document("a").text == "rain in the other"
    remove(first)
    assert (exists(first), exists(second)) == (False, True)
    with PostgresStore.open(second) as other:
        assert other.view().search_words("rain", 9).rows.tolist() == [0]


@pytest.fixture(scope="module")
def tenants(postgres_server, namespaces) -> Iterator[dict[str, str]]:
    """Two namespaces, each open to a role of its own that is no superuser and owns nothing: addresses by the role."""
    addresses = {}
    for role in ("ann", "ben"):
        namespace = next(namespaces)
        with PostgresStore.create(postgres_server.address(namespace)) as store:
            store.add([made_entry("own", f"rain of {role}")])
        postgres_server.execute(f"CREATE ROLE {role} LOGIN NOSUPERUSER")
        postgres_server.execute(GRANTS.format(role=role))
        postgres_server.execute("UPDATE epochal.namespaces SET role = %s WHERE name = %s", (role, namespace))
        addresses[role] = postgres_server.address(namespace, user=role)
    return addresses


def test_a_role_uses_its_own_namespace(tenants: dict[str, str]) -> None:
    with PostgresStore.open(tenants["ann"]) as store:
        store.add([made_entry("more", "rain again", published=None)])
        assert sorted(store.view().search_words("rain", 9).rows.tolist()) == [0, 1]
        assert [entry.document.id for entry in store.view().get_entries(np.arange(2))] == ["own", "more"]
        store.delete(["own"])
        store.compact()
        assert [document.id for batch in store.view().iterate() for document in batch] == ["more"]


def test_a_role_sees_nothing_of_another_namespace(tenants: dict[str, str]) -> None:
    assert exists(tenants["ben"])
    swapped = tenants["ben"].replace("ben:@", "ann:@")
    assert not exists(swapped)
    with pytest.raises(StorageError, match="holds no index"):
        PostgresStore.open(swapped)


@pytest.mark.parametrize("table", [*TABLES, "namespaces"])
def test_the_server_itself_keeps_tenants_apart(tenants: dict[str, str], postgres_server, table: str) -> None:
    """Also one who writes SQL himself, and names the other's namespace, finds and changes nothing there."""
    url = postgres_server.url.replace("postgres:@", "ann:@", 1)
    names = [name for (name,) in postgres_server.execute("SELECT name FROM epochal.namespaces WHERE role = 'ben'")]
    (space,) = postgres_server.execute("SELECT space FROM epochal.namespaces WHERE role = 'ben'")[0]
    before = postgres_server.execute(f"SELECT count(*) FROM epochal.{table} WHERE space = %s", (space,))
    with psycopg.connect(url, autocommit=True) as connection:
        assert connection.execute(f"SELECT count(*) FROM epochal.{table}").fetchone() == (0,)  # none was named
        connection.execute("SELECT set_config('epochal.namespace', %s, false)", (names[0],))
        assert connection.execute(f"SELECT count(*) FROM epochal.{table}").fetchone() == (0,)
        assert connection.execute(f"DELETE FROM epochal.{table}").rowcount == 0
    assert postgres_server.execute(f"SELECT count(*) FROM epochal.{table} WHERE space = %s", (space,)) == before


def test_the_owner_of_the_tables_is_held_to_the_namespace_too(postgres_server) -> None:
    forced = postgres_server.execute(
        "SELECT count(*) FROM pg_class WHERE relnamespace = 'epochal'::regnamespace AND relkind = 'r' "
        "AND relrowsecurity AND relforcerowsecurity"
    )
    assert forced == [(len(TABLES) + 1,)]


def test_an_open_namespace_is_distinguished_by_its_name(postgres_server, namespaces, tenants: dict[str, str]) -> None:
    namespace = next(namespaces)
    with PostgresStore.create(postgres_server.address(namespace)) as store:
        store.add([made_entry("a", "rain")])
        with PostgresStore.open(postgres_server.address(namespace, user="ann")) as reader:
            assert reader.view().get_document("a") is not None
            assert reader.view().get_document("own") is None


# ---------------------------------------------------------------- texts that would like to be SQL


def snapshot(server) -> list[tuple[object, ...]]:
    return [
        *server.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'epochal' ORDER BY 1"),
        *server.execute("SELECT name, encoder, documents FROM epochal.namespaces ORDER BY name"),
        *server.execute("SELECT space, row, id, text FROM epochal.documents ORDER BY space, row"),
    ]


@pytest.mark.parametrize("text", INJECTIONS)
def test_what_is_asked_changes_nothing(postgres_server, namespaces, text: str) -> None:
    address = postgres_server.address(next(namespaces))
    with Index.create(address, encoder=None) as index:
        index.add([Document("a", "Rain fell in 1998.", series="s", meta={"k": "v"})])
        before = snapshot(postgres_server)
        view = index.view()
        assert len(index.search(text)) <= 1
        assert index.get(text) is None
        assert index.delete([text]) == 0
        for wish in ("during", "before", "after", "as_of", "valid_at", "now"):
            with pytest.raises(EpochalError):
                index.search("rain", **{wish: text})
        assert view.find_document_rows([text]).tolist() == [-1]
        assert view.get_document_frequencies([text]) == {text: 0}
        assert view.get_series_rows(view.get_series_code(text)).tolist() == []
        assert not view.match_contexts(np.array([0]), np.array([-1]), [text]).any()
        assert snapshot(postgres_server) == before


@pytest.mark.parametrize("text", INJECTIONS)
def test_what_is_stored_is_stored_as_it_is(postgres_server, text: str) -> None:
    """In every text that a document has, and as the name of a namespace and of an encoder."""
    before = snapshot(postgres_server)
    address = postgres_server.address(text)
    document = Document(text, text, text, series=text, meta={text: [text]})
    with PostgresStore.create(address, text, 16) as store:
        from epochal.storage.records import Entry, Passage

        store.add([Entry(document, (Passage(0, len(text)),), np.ones((1, 16), np.float32), (text.encode(),))])
        view = store.view()
        assert (view.get_document(text), view.encoder_name) == (document, text)
        assert view.get_series_rows(view.get_series_code(text)).tolist() == [0]
        assert set(store.get_stored_vectors([text.encode()])) == {text.encode()}
        assert store.get_content_hashes([text]) == {text: document.content_hash()}
    remove(address)
    assert snapshot(postgres_server) == before
