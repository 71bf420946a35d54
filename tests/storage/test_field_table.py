"""Filters on metadata by the table of values, against the metadata itself."""

from __future__ import annotations

import operator
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from epochal.storage.metadata import find_documents, get_field
from epochal.storage.records import Document, Entry, Passage
from epochal.storage.store import Store

LONG = "x" * 300
METAS: list[dict[str, Any]] = [
    {"lang": "en", "n": 1, "tags": ["x", "y"], "author": {"name": "Cary", "born": 1970}},
    {"lang": "de", "n": 2.5, "draft": True, "a.b": "dotted"},
    {"n": "2", "lang": None, "draft": False, "a": {"b": "nested"}},
    {"lang": "en", "n": 3, "draft": 1, "text": LONG, "big": 2**70},
    {"lang": "ä", "n": -1, "text": "short", "list": list(range(60)), "author.name": None},
    {"n": True, "tags": [], "author": {"name": ["Ann", "Bob"]}, "series": "no series", "list": [3]},
    {},
]
CONDITIONS: list[tuple[str, str, Any]] = [
    *(("lang", "=", value) for value in ("en", "ä", "fr", 1)),
    *(("n", name, value) for name in ("<", "<=", ">", ">=") for value in (1, 2.5, "2", "1", True)),
    *(("n", "=", value) for value in (1, 1.0, True, "2", 2)),
    *(("draft", "=", value) for value in (True, False, 1)),
    *(("text", name, value) for name in ("=", "<", ">=") for value in (LONG, "short")),
    *(("author.name", "=", value) for value in ("Cary", "Bob")),
    *((name, "=", value) for name, value in (("a.b", "dotted"), ("a.b", "nested"), ("list", 3), ("big", 2**70))),
    *((name, "exists", value) for name in ("lang", "author", "tags", "list", "nothing") for value in (True, False)),
    *(("lang", name, ["en", "de"]) for name in ("in", "not in")),
    *((name, "=", value) for name, value in (("id", "d3"), ("series", "odd"), ("title", "T2"), ("author.born", 1970))),
    ("lang", "!=", "en"),
]
ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def meets(document: Document, name: str, how: str, value: Any) -> bool:
    """Whether a document meets a condition, by its own metadata."""
    held = get_field(document, name)
    items = [item for item in (held if isinstance(held, list) else [held]) if item is not None]
    if how == "exists":
        return bool(items) == value
    if how in ORDERS:
        kinds = ((str,), (int, float))
        return any(
            isinstance(item, kind) and isinstance(value, kind) and not isinstance(item, bool)
            and not isinstance(value, bool) and ORDERS[how](item, value)
            for item in items for kind in kinds
        )  # fmt: skip
    values = value if isinstance(value, list) else [value]
    equal = any(isinstance(a, bool) == isinstance(b, bool) and a == b for a in items for b in values)
    return equal != (how in ("!=", "not in"))


def make_entry(number: int, meta: dict[str, Any], text: str = "Rain.") -> Entry:
    series = "odd" if number % 2 else None
    return Entry(Document(f"d{number}", text, f"T{number}", series=series, meta=meta), (Passage(0, len(text)),))


def check_all(store: Store) -> None:
    view = store.view()
    documents = [document for batch in view.iterate() for document in batch]
    for name, how, value in CONDITIONS:
        found = {document.id for document in view.get_documents(find_documents(view, {name: {how: value}}))}
        assert found == {item.id for item in documents if meets(item, name, how, value)}, (name, how, value)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store.create(tmp_path / "index")
    made.add([make_entry(number, meta) for number, meta in enumerate(METAS)])
    return made


def test_conditions_through_changes(store: Store) -> None:
    check_all(store)
    store.delete(["d0"])
    store.add([make_entry(1, {"lang": "en", "n": 7}), make_entry(9, {"n": 2, "tags": "x"})])
    check_all(store)
    store.compact()
    check_all(store)
    with sqlite3.connect(store.path / "epochal.db") as connection:
        gone = "SELECT count(*) FROM fields WHERE seq NOT IN (SELECT seq FROM documents)"
        assert connection.execute(gone).fetchone() == (0,)


def test_an_index_without_the_table_gets_it_with_the_next_write(store: Store) -> None:
    path = store.path
    store.close()
    with sqlite3.connect(path / "epochal.db") as connection:
        connection.execute("DROP TABLE fields")
        connection.execute("DELETE FROM meta WHERE key = 'fields'")
    with sqlite3.connect(path / "epochal.db") as connection:
        names = "SELECT count(*) FROM sqlite_master WHERE name = 'fields'"
        with Store.open(path) as opened:
            check_all(opened)
            assert connection.execute(names).fetchone() == (0,)
            opened.delete(["d0"])
            check_all(opened)
        assert connection.execute(names).fetchone() == (1,)


def test_what_another_version_wrote_is_found(store: Store) -> None:
    path = store.path
    store.close()
    with sqlite3.connect(path / "epochal.db") as connection:
        # As a version does that knows nothing of the table: documents change, and the table stays behind.
        connection.execute("UPDATE documents SET meta = '{\"lang\": \"en\"}' WHERE id = 'd6'")
        connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    with Store.open(path) as opened:
        check_all(opened)
        opened.delete(["d0"])
        check_all(opened)


def test_a_filter_reads_the_table_and_not_the_documents(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    view = store.view()
    monkeypatch.setattr(view._snapshot, "_extract_field_values", None)
    assert find_documents(view, {"lang": {"=": "en"}, "n": {">": 1}}).tolist() == [3]
    assert sorted(view.get_field_column("lang").values) == ["de", "en", "ä"]
