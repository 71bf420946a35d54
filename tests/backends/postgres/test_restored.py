"""An index that is restored from a dump while others have it open: nothing of the old state is mixed into the new."""

from __future__ import annotations

import pytest

from backend_entries import made_entry
from epochal.backends.postgres.connection import PostgresAddress, connect
from epochal.backends.postgres.store import PostgresStore
from epochal.backends.postgres.tables import TABLES, load_known
from epochal.errors import StorageError


class Dump:
    """The rows of an index as they are now; they can be put back."""

    def __init__(self, address: str) -> None:
        target = PostgresAddress.parse(address)
        self._connection = connect(target)
        state = load_known(self._connection, target)
        assert state is not None
        self._parts = [(table, f"space = {state.space}") for table in TABLES]
        self._parts.append(("namespaces", f"name = '{target.namespace}'"))
        for table, where in self._parts:
            self._connection.execute(
                f"CREATE TEMPORARY TABLE saved_{table} AS SELECT {self._list_columns(table)} FROM epochal.{table} "
                f"WHERE {where}"
            )

    def _list_columns(self, table: str) -> str:
        found = self._connection.execute(
            "SELECT quote_ident(column_name) FROM information_schema.columns WHERE table_schema = 'epochal' AND "
            "table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position",
            (table,),
        )
        return ", ".join(name for (name,) in found.fetchall())

    def restore(self, *, is_dump: bool = True) -> None:
        """Put the rows back: in tables made anew, or (as a copy of the disk does) in the same."""
        with self._connection.transaction():
            for table, where in self._parts:
                columns = self._list_columns(table)
                self._connection.execute(f"DELETE FROM epochal.{table} WHERE {where}")
                self._connection.execute(f"INSERT INTO epochal.{table} ({columns}) SELECT {columns} FROM saved_{table}")
            if is_dump:
                self._connection.execute("UPDATE epochal.schema_version SET applied = applied WHERE version = 1")

    def close(self) -> None:
        self._connection.close()


def read(store: PostgresStore) -> tuple[list[str], list[str]]:
    """The ids of all documents, and of those that a search finds."""
    view = store.view()
    found = view.get_document_rows(view.search_words("rain", 9).rows)
    ids = [[document.id for document in view.get_documents(rows)] for rows in (view.alive_documents, found)]
    return sorted(ids[0]), sorted(ids[1])


@pytest.mark.parametrize("is_dump", [True, False])
def test_a_reader_notices_that_its_index_was_restored(store: PostgresStore, address: str, is_dump: bool) -> None:
    store.add([made_entry("a", "rain in 1998"), made_entry("b", "snow in 1999")])
    dump = Dump(address)
    store.delete(["a"])
    store.add([made_entry("c", "rain in 2001"), made_entry("d", "rain in 2002")])
    with PostgresStore.open(address) as reader:
        assert read(reader) == (["b", "c", "d"], ["c", "d"])
        dump.restore(is_dump=is_dump)
        assert read(reader) == (["a", "b"], ["a"])
        assert "was restored" in reader.repairs[-1]
    dump.close()


def test_a_dump_that_was_written_to_before_anybody_looked(store: PostgresStore, address: str) -> None:
    """The same generation, reached another way."""
    store.add([made_entry("a", "rain in 1998"), made_entry("b", "snow in 1999")])
    dump = Dump(address)
    store.delete(["a"])
    with PostgresStore.open(address) as reader:
        assert read(reader) == (["b"], [])
        old = reader.view()
        dump.restore()
        store.delete(["b"])
        assert store.view().generation == old.generation
        assert read(reader) == (["a"], ["a"])
        with pytest.raises(StorageError, match="restored since this view of it was taken"):
            old.get_document("b")
    dump.close()
