"""Metadata in PostgreSQL: filters look values up by an index, and find what the embedded store finds."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from epochal.backends.postgres.connection import connect
from epochal.backends.postgres.fields import make_lookup, pack_value
from epochal.backends.postgres.provider import check
from epochal.backends.postgres.store import PostgresStore
from epochal.storage.metadata import find_documents
from epochal.storage.records import Document, Entry, Passage

VALUES: list[Any] = [
    "en", "de", "", "Zürich", "a\0b", "x" * 300, "7", 7, 7.5, -3, 0, -0.0, 1e300, -1e-9, 2**53 + 1, True, False, None,
    ["en", 7], [], {"name": "Cary", "n": 2}, [1.5, "zz", None],
]  # fmt: skip
CONDITIONS: list[dict[str, Any]] = [
    *({name: value} for name in ("=", "!=", "<", "<=", ">", ">=") for value in ("en", "x" * 300, 7, -3, 0, 7.25)),
    {"=": True}, {"=": False}, {"=": 2**53 + 1}, {"in": ["de", 7, "Zürich"]}, {"not in": ["en", True]},
    {"exists": True}, {"exists": False}, {">=": -1e-9, "<": 7.5},
]  # fmt: skip


def make_entry(number: int, meta: dict[str, Any], series: str | None = None) -> Entry:
    text = f"Tariffs rise, number {number}."
    return Entry(Document(f"d{number}", text, meta=meta, series=series), (Passage(0, len(text)),))


def find_ids(store: Any, where: dict[str, dict[str, Any]]) -> list[str]:
    view = store.view()
    return [document.id for document in view.get_documents(find_documents(view, where))]


def test_filters_find_what_the_embedded_store_finds(make_pair: Callable[[int], Any]) -> None:
    pair = make_pair(0)
    rng = random.Random(3)
    for field in ("plain", "mixed"):
        chosen = [value for value in VALUES if field == "mixed" or isinstance(value, str | int | float)]
        chosen = [value for value in chosen if field == "mixed" or value not in ("x" * 300, 2**53 + 1)]
        metas = [{field: value, "author": {"name": value}} for value in chosen]
        pair.add([make_entry(number, meta, rng.choice([None, "s"])) for number, meta in enumerate(metas)])
        pair.delete(["d2"])
        for name in (field, "author.name", "series", "id", "nobody"):
            for condition in CONDITIONS:
                expected = find_ids(pair.embedded, {name: condition})
                assert find_ids(pair.postgres, {name: condition}) == expected, (name, condition)
    pair.compact()
    assert find_ids(pair.postgres, {"mixed": {">": 1}}) == find_ids(pair.embedded, {"mixed": {">": 1}})


def test_bytes_have_the_order_of_values() -> None:
    numbers = [-1e300, -7, -0.5, 0, 1e-9, 3, 3.5, 2**53]
    texts = ["", "A", "a", "b", "é", "中", "\U0001f600"]
    packed = [pack_value(value) for value in [*numbers, *texts]]
    assert packed == sorted(packed)
    assert pack_value(0.0) == pack_value(-0.0) == pack_value(0)


@pytest.mark.parametrize(("operator", "value"), [("in", ["en"]), (">=", 2995), ("<", 2), ("exists", True)])
def test_a_condition_is_looked_up_by_an_index(store: PostgresStore, operator: str, value: Any) -> None:
    store.add(
        [make_entry(n, {"rare" if operator == "exists" and n == 5 else "n": n, "lang": f"l{n}"}) for n in range(3000)]
    )
    name = {"in": "lang", "exists": "rare"}.get(operator, "n")
    lookup = make_lookup(store.view().space, name, operator, value)
    assert lookup is not None
    connection = connect(store.address)
    try:
        connection.execute("ANALYZE epochal.fields")
        plan = "\n".join(line for (line,) in connection.execute(f"EXPLAIN {lookup[0]}", lookup[1]).fetchall())
    finally:
        connection.close()
    assert "fields_pkey" in plan
    assert "Seq Scan on fields" not in plan


def test_an_index_from_before_the_table_is_filtered_and_gets_it_with_a_write(store: PostgresStore) -> None:
    store.add([make_entry(n, {"n": n}) for n in range(5)])
    connection = connect(store.address)
    try:
        connection.execute("DELETE FROM epochal.fields WHERE space = %s", (store.view().space,))
        connection.execute("UPDATE epochal.namespaces SET fields = false WHERE space = %s", (store.view().space,))
        with PostgresStore.open(str(store.address)) as reader:
            assert find_ids(reader, {"n": {">=": 3}}) == ["d3", "d4"]
        store.add([make_entry(9, {"n": 9})])
        count = connection.execute("SELECT count(*) FROM epochal.fields WHERE space = %s", (store.view().space,))
        assert count.fetchone() == (6,)
        assert find_ids(store, {"n": {">=": 3}}) == ["d3", "d4", "d9"]
    finally:
        connection.close()


def test_a_wrong_table_is_found_and_mended(store: PostgresStore) -> None:
    store.add([make_entry(n, {"n": n}) for n in range(5)])
    connection = connect(store.address)
    try:
        connection.execute("DELETE FROM epochal.fields WHERE space = %s AND row = 2", (store.view().space,))
    finally:
        connection.close()
    address = str(store.address)
    store.close()
    (finding,) = check(address, repair=False).findings
    assert finding.what == "the table of metadata values is wrong"
    check(address, repair=True)
    assert check(address, repair=False).findings == ()
