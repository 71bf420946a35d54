"""What is added is found as it was, what is wrong is refused whole, and there is one writer."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.errors import EpochalError, IndexLockedError, StorageError
from epochal.storage.check import check
from epochal.storage.documents import purge
from epochal.storage.records import Dating, Document, Entry, Passage
from epochal.storage.schema import FORMAT, MADE_FORMAT
from epochal.storage.store import Store
from epochal.times import Span
from spans_strategy import spans
from storage.whole import DIM, check_whole, entry, vector_of


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "index", "test", DIM) as made:
        yield made


def plain(id: str, text: str = "Tariffs rise.", **fields: object) -> Entry:
    return Entry(Document(id, text, **fields), (Passage(0, len(text)),), vector_of(text)[None])


# ---------------------------------------------------------------- what is stored


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
metas = st.dictionaries(texts, st.recursive(st.none() | st.booleans() | st.integers() | texts, st.lists, max_leaves=4))


@given(data=st.data())
@settings(max_examples=10)
def test_every_document_comes_back_equal(tmp_path_factory, data):
    documents = [
        Document(
            data.draw(texts.filter(bool)) + str(number),
            data.draw(texts),
            data.draw(texts),
            data.draw(st.none() | spans()),
            data.draw(st.none() | spans()),
            data.draw(st.none() | texts),
            data.draw(metas),
        )
        for number in range(3)
    ]
    entries = [
        Entry(
            document,
            (Passage(0, len(document.text), (Dating(data.draw(spans()), 0, len(document.text), 0.1),)),),
            vector_of(document.id)[None],
            (b"key",),
        )
        for document in documents
    ]
    with Store.create(tmp_path_factory.mktemp("store"), "test", DIM) as store:
        store.add(entries)
        view = store.view()
        assert view.get_documents(view.alive_documents) == documents
        for given_, stored in zip(entries, view.get_entries(view.alive_documents), strict=True):
            assert (stored.document, stored.passages, stored.keys) == (given_.document, given_.passages, given_.keys)
            assert np.array_equal(stored.vectors, given_.vectors)
        assert [view.get_document(document.id) for document in documents] == documents
        assert list(view.content.spans) == [entry.passages[0].datings[0].span for entry in entries]
        assert list(view.published.spans) == [d.published for d in documents if d.published is not None]
        assert list(view.valid.spans) == [d.valid for d in documents if d.valid is not None]


@pytest.mark.parametrize(
    "other",
    [
        Document("a", "text!"),
        Document("a", "text", "title"),
        Document("a", "text", published=Span.year(1998)),
        Document("a", "text", valid=Span.year(1998)),
        Document("a", "text", series="s"),
        Document("a", "text", meta={"a": 1}),
    ],
)
def test_the_hash_of_the_content_tells_everything_apart(other):
    assert other.content_hash() != Document("a", "text").content_hash()
    assert other.content_hash() == Document("b", **{name: getattr(other, name) for name in FIELDS}).content_hash()


FIELDS = ("text", "title", "published", "valid", "series", "meta")


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(("name", "dim"), [("", 3), ("static", 0), ("static", -1)])
def test_an_encoder_goes_with_a_length(tmp_path, name, dim):
    with pytest.raises(EpochalError, match="an encoder goes with the length"):
        Store.create(tmp_path / "index", name, dim)
    assert not (tmp_path / "index").exists()


# ---------------------------------------------------------------- opening


def test_what_is_no_index_is_refused(tmp_path):
    with pytest.raises(StorageError, match=r"is not an index: it holds no file epochal\.db"):
        Store.open(tmp_path)
    (tmp_path / "epochal.db").write_text("no database at all, but long enough to be looked at" * 50)
    with pytest.raises(StorageError, match=r"cannot be opened: its file epochal\.db is damaged"):
        Store.open(tmp_path)
    (tmp_path / "epochal.db").unlink()
    connection = sqlite3.connect(tmp_path / "epochal.db")
    connection.execute("CREATE TABLE recipes (name)")
    connection.close()
    with pytest.raises(StorageError, match="but some other SQLite file"):
        Store.open(tmp_path)


@pytest.mark.parametrize("version", [FORMAT - 1, MADE_FORMAT + 1])
def test_another_format_is_refused(store, version):
    store.close()
    connection = sqlite3.connect(store.path / "epochal.db")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    with pytest.raises(StorageError, match=f"is an index of format {version}"):
        Store.open(store.path)


def test_an_index_is_not_made_over_another(store):
    with pytest.raises(StorageError, match="holds an index already"):
        Store.create(store.path)


def test_what_a_killed_maker_left_does_no_harm(tmp_path):
    for rest in ("", "-journal", "-wal", "-shm", "-by-0123", "-by-0123-wal"):
        (tmp_path / f"epochal.db.new{rest}").write_bytes(b"left behind" * 1000)
        os.utime(tmp_path / f"epochal.db.new{rest}", (1_000_000_000, 1_000_000_000))
    with Store.create(tmp_path, "test", DIM) as store:
        store.add([entry("a1", 1)])
        assert check_whole(store.view()) == {"a1": 1}
    assert not list(tmp_path.glob("*.new*"))


def test_a_closed_store_says_so(store):
    store.add([entry("a1", 1)])
    view = store.view()
    store.close()
    for call in (
        store.view,
        store.compact,
        lambda: store.add([entry("b1", 1)]),
        lambda: store.get_stored_vectors([b"k"]),
    ):
        with pytest.raises(StorageError, match="is closed; open it again"):
            call()
    assert check_whole(view) == {"a1": 1}


# ---------------------------------------------------------------- one writer


def test_a_second_writer_is_refused_at_once(store):
    store.add([entry("a1", 1)])
    with pytest.raises(IndexLockedError, match="another writer has the index"):
        Store.open(store.path, write=True)
    with Store.open(store.path) as other:
        assert check_whole(other.view()) == {"a1": 1}
        for call in (lambda: other.add([entry("b1", 1)]), lambda: other.delete(["a1"]), other.compact):
            with pytest.raises(IndexLockedError):
                call()
        store.add([entry("c1", 1)])
        assert check_whole(other.view()) == {"a1": 1, "c1": 1}
        store.close()
        other.add([entry("b1", 1)])
        assert check_whole(other.view()) == {"a1": 1, "b1": 1, "c1": 1}


def test_a_second_process_is_refused_at_once(store):
    code = "import sys; from epochal.storage.store import Store; Store.open(sys.argv[1], write=True)"
    command = [sys.executable, "-c", code, str(store.path)]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "IndexLockedError: another writer has the index" in refused.stderr
    store.close()
    assert subprocess.run(command, check=False).returncode == 0


def test_who_mends_is_waited_for(store):
    store.add([entry("a1", 1)])
    store.close()
    shutil.rmtree(store.path / "derived")
    command = [sys.executable, "-c", OPENER, str(store.path)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    with Store.open(store.path, write=True) as writer:
        assert check_whole(writer.view()) == {"a1": 1}
        told = [child.communicate() for child in children]
    assert told == [("1\n", "")] * 4


OPENER = "import sys; from epochal.storage.store import Store; print(Store.open(sys.argv[1]).view().document_count)"


def test_a_folder_is_found_from_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Store.create("index", "test", DIM) as store:
        monkeypatch.chdir("/")
        store.add([entry("a1", 1)])
        assert check_whole(store.view()) == {"a1": 1}


# ---------------------------------------------------------------- views, bulk, compact, backup


def test_a_view_does_not_change(store):
    store.add([entry("a1", 1), entry("b1", 1)])
    old = store.view()
    assert store.view() is old
    store.add([entry("a1", 2), entry("c1", 1)])
    store.delete(["b1"])
    store.compact()
    assert check_whole(old) == {"a1": 1, "b1": 1}
    assert check_whole(store.view()) == {"a1": 2, "c1": 1}
    assert old.get_document("b1").meta == {"version": 1}
    assert old.get_document("c1") is None
    assert store.view().get_document("b1") is None


def test_bulk_writes_are_found_in_the_end_and_safe_at_once(store):
    with store.bulk():
        store.add([entry("a1", 1)])
        with Store.open(store.path) as other:
            assert check_whole(other.view()) == {}
        with store.bulk():
            store.add([entry("b1", 1)])
        assert check_whole(store.view()) == {}
    assert check_whole(store.view()) == {"a1": 1, "b1": 1}


def test_compact_removes_the_dead(store):
    store.add([entry(f"d{number}", 1) for number in range(300)])
    store.delete([f"d{number}" for number in range(290)])
    store.close()
    before = (store.path / "epochal.db").stat().st_size
    store = Store.open(store.path)
    kept = check_whole(store.view())
    store.compact()
    assert check_whole(store.view()) == kept
    assert store.view().get_documents(np.arange(10))[0].id == "d290"
    assert (store.path / "epochal.db").stat().st_size <= before / 3
    connection = sqlite3.connect(store.path / "epochal.db")
    (count,) = connection.execute("SELECT count(*) FROM passages").fetchone()
    connection.close()
    assert count == store.view().passage_count
    store.compact()
    assert check_whole(store.view()) == kept
    store.close()


def list_sets(store: Store) -> list[str]:
    return [folder.name for folder in (store.path / "derived").glob("set-*")]


def count_rows(store: Store) -> list[int]:
    connection = sqlite3.connect(store.path / "epochal.db")
    tables = "documents", "passages", "vectors", "checksums", "fields"
    counts = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
    connection.close()
    return counts


def test_few_dead_are_removed_without_making_the_files_anew(store):
    store.add([entry(f"d{number}", 1) for number in range(100)])
    sets, rows = list_sets(store), count_rows(store)
    store.delete(["d7"])
    store.add([entry("d8", 2)])
    expected = check_whole(store.view())
    store.compact()
    assert list_sets(store) == sets
    assert (count_rows(store)[0], len(store.view()._seqs)) == (99, 101)
    assert check_whole(store.view()) == expected
    store.compact()  # there is nothing left to remove
    generation = store.view().generation
    store.compact()
    assert store.view().generation == generation
    store.close()
    assert check(store.path).findings == ()
    with Store.open(store.path) as again:
        assert not again.repairs
        again.add([entry("d7", 1), entry("d8", 1)])
        assert count_rows(again)[0] == 101
        again.compact(erase=True)
        assert list_sets(again) != sets
        assert len(again.view()._seqs) == 100
        assert count_rows(again) == rows
        assert check_whole(again.view()) == {f"d{number}": 1 for number in range(100)}


def test_few_dead_become_many(store):
    store.add([entry(f"d{number}", 1) for number in range(100)])
    sets = list_sets(store)
    for number in range(6):
        store.delete([f"d{number}"])
        store.compact()
        assert list_sets(store) == sets
    store.delete(["d6"])
    store.compact()
    assert list_sets(store) != sets
    assert len(store.view()._seqs) == 93


def test_a_small_purge_that_was_cut_off_is_made_up_for(store, monkeypatch):
    store.add([entry(f"d{number}", 1) for number in range(100)])
    sets = list_sets(store)
    store.delete(["d7"])
    expected = check_whole(store.view())

    def stop(*_: object, **__: object) -> int:
        purge(*_, **__)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("epochal.storage.store.purge", stop)
        with pytest.raises(KeyboardInterrupt):
            store.compact()
    store.close()
    with Store.open(store.path) as again:
        assert check_whole(again.view()) == expected
        assert list_sets(again) == sets
    assert check(store.path).findings == ()


def test_many_dead_are_removed_by_themselves(store, monkeypatch):
    monkeypatch.setattr("epochal.storage.store._MANY_DEAD", 20)
    for version in range(12):
        store.add([entry(f"d{number}", version) for number in range(10)])
        assert check_whole(store.view()) == {f"d{number}": version for number in range(10)}
        assert len(store.view()._seqs) <= 31


def test_a_purge_that_was_cut_off_is_made_up_for(store, monkeypatch):
    store.add([entry("a1", 1), entry("b1", 1)])
    store.delete(["a1"])

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("epochal.storage.building._create_set", fail)
        with pytest.raises(StorageError, match="disk is full"):
            store.compact()
    store.close()
    with Store.open(store.path) as again:
        assert again.repairs
        assert check_whole(again.view()) == {"b1": 1}
        assert len(again.view()._seqs) == 1


def test_backup(store, tmp_path):
    store.add([entry("a1", 1), entry("b1", 1)])
    store.delete(["b1"])
    store.backup(tmp_path / "copy")
    store.add([entry("c1", 1)])
    with Store.open(tmp_path / "copy") as copy:
        assert check_whole(copy.view()) == {"a1": 1}
        copy.add([entry("z1", 1)])
    with pytest.raises(StorageError, match="choose another folder for the backup"):
        store.backup(tmp_path / "copy")
    assert check_whole(store.view()) == {"a1": 1, "c1": 1}


def test_rows_of_documents_and_back(store):
    store.add([entry(f"d{number}", 1) for number in range(20)])
    store.delete(["d3"])
    view = store.view()
    wanted = view.find_document_rows(["d7", "d2", "nobody", "d3", "d7"])
    assert wanted.tolist() == [7, 2, -1, -1, 7]
    rows = view.get_passage_rows(np.array([7, 2]))
    assert view.get_document_rows(rows).tolist() == [7] * len(entry("d7", 1).passages) + [2] * len(
        entry("d2", 1).passages
    )
    assert [passage.ordinal for passage in view.get_passages(rows)][: len(entry("d7", 1).passages)] == list(
        range(len(entry("d7", 1).passages))
    )
    assert [document.id for batch in view.iterate(7) for document in batch] == [
        f"d{number}" for number in range(20) if number != 3
    ]
    with pytest.raises(EpochalError, match="batch must be at least 1"):
        next(view.iterate(0))


@pytest.mark.parametrize("rows", [[3, 2], [2, 2], [-1, 2], [0, 10_000]])
def test_rows_must_ascend_within_the_view(store, rows):
    store.add([entry(f"d{number}", 1) for number in range(5)])
    for search in (store.view().search_words, store.view().search_vectors):
        with pytest.raises(EpochalError, match="rows must ascend"):
            search("w" if search == store.view().search_words else vector_of("w"), 3, np.array(rows))
