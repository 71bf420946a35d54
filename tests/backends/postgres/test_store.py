"""The store: what it keeps, what views see, who may write, and what happens to what was cut off."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend_entries import made_entry
from epochal.backends.postgres.store import PostgresStore
from epochal.errors import EpochalError, IndexLockedError, StorageError
from epochal.storage.records import TITLE, Dating, Document, Entry, Passage
from epochal.storage.store import Store
from epochal.times import Grain, Span
from spans_strategy import spans

WILD = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def same(one: Entry, other: Entry) -> bool:
    if one.document != other.document or one.passages != other.passages or one.keys != other.keys:
        return False
    if one.vectors is None or other.vectors is None:
        return one.vectors is other.vectors
    return one.vectors.dtype == other.vectors.dtype and np.array_equal(one.vectors, other.vectors)


def test_what_is_read_back_is_what_was_added(address: str) -> None:
    text = "First 1998.\0 Second 永樂元年; 𝒳 last."
    entries = [
        Entry(
            Document(
                "p/1 'x' \"y\" %s {}",
                text,
                "A \0 title",
                Span.parse("1984~/2004-06"),
                Span.parse("1985/.."),
                "series; --",
                {"a": [1, 2.5, None, True, {"b": "\0 \u2028 ;'"}], "big": 10**30, "": ""},
            ),
            (
                Passage(0, 11, (Dating(Span.year(1998), 6, 10, 0.25), Dating(Span.parse("-0721"), TITLE, TITLE))),
                Passage(11, 12),
                Passage(5, len(text), (Dating(Span(-(10**12), 10**12, Grain.ERA, Grain.DAY), 1, 3, 1e-9),)),
            ),
            np.array([[1, 2], [3.5, -0.0], [1e-30, 3e38]], dtype=np.float32),
            (b"k\0", b"", b"'; --"),
        ),
        Entry(Document("empty", ""), (), np.empty((0, 2), np.float32), ()),
        Entry(
            Document("open", "", published=Span.parse("../.."), valid=Span.parse("/1985")),
            (Passage(0, 0),),
            np.ones((1, 2), np.float32),
            (b"1",),
        ),
    ]
    with PostgresStore.create(address, "two@two", 2) as store:
        assert store.add(entries) == 3
        view = store.view()
        assert all(same(*both) for both in zip(entries, view.get_entries(np.arange(3)), strict=True))
        assert view.get_documents(np.array([2, 0])) == [entries[2].document, entries[0].document]
        assert view.get_document("open") == entries[2].document
        assert [match.text for match in view.get_texts(np.array([2, 0]))] == [text[5:], text[:11]]
        assert view.get_texts(np.array([1]))[0] == ("A \0 title", "\0", 11)
        assert [(match.document_row, match.ordinal, match.text) for match in view.get_passages(np.arange(4))] == [
            (0, 0, text[:11]),
            (0, 1, text[11:12]),
            (0, 2, text[5:]),
            (2, 0, ""),
        ]
        assert view.get_passages(np.array([0]))[0].datings == entries[0].passages[0].datings
        assert store.get_stored_vectors([b"k\0", b"unknown"])[b"k\0"].tolist() == [1, 2]
        assert store.get_content_hashes(["empty", "nobody", "no\0body"]) == {
            "empty": entries[1].document.content_hash()
        }


@settings(max_examples=10)
@given(
    st.lists(
        st.tuples(WILD, WILD, spans(), st.none() | WILD.map(lambda text: text.replace("\0", ""))),
        min_size=1,
        max_size=4,
    )
)
def test_any_text_and_any_span_comes_back(scratch: PostgresStore, items) -> None:
    entries = [
        Entry(
            Document(f"p{number}", text, title, span, span, series, {"text": text}),
            (Passage(0, len(text), (Dating(span, 0, 0),)),),
        )
        for number, (text, title, span, series) in enumerate(items)
    ]
    scratch.add(entries)
    view = scratch.view()
    rows = view.find_document_rows([entry.document.id for entry in entries])
    assert all(same(*both) for both in zip(entries, view.get_entries(rows), strict=True))
    assert list(view.published.spans[np.searchsorted(view.published.rows, rows)]) == [item[2] for item in items]


@pytest.fixture(scope="module")
def scratch(postgres_server, namespaces):
    with PostgresStore.create(postgres_server.address(next(namespaces))) as store:
        yield store


@pytest.mark.parametrize("change", ["id", "series"])
def test_nul_in_a_name_is_refused(store: PostgresStore, change: str) -> None:
    document = Document("a\0", "x") if change == "id" else Document("a", "x", series="s\0")
    with pytest.raises(EpochalError, match=f"the {change} of document 'a.*NUL"):
        store.add([Entry(document, ())])
    assert store.delete(["a\0", "\ud800"]) == 0
    assert store.view().get_document("a\0") is None


def test_what_cannot_be_stored_stores_nothing(store: PostgresStore) -> None:
    good = made_entry("good", "rain")
    for bad, why in (
        (Entry(Document("bad", "x"), (Passage(0, 9),)), "runs from 0 to 9"),
        (Entry(Document("bad", "x", meta={"a": float("nan")}), ()), "nothing that JSON can hold"),
        (Entry(Document("bad", "x\ud800"), ()), "half a character"),
        (Entry(Document("b" * 3000, "x"), ()), "3,000 bytes"),
    ):
        with pytest.raises(EpochalError, match=why):
            store.add([good, bad])
    assert (store.view().document_count, store.view().generation) == (0, 0)


def test_spans_lie_on_the_server_as_ranges(store: PostgresStore, postgres_server) -> None:
    store.add(
        [
            made_entry("a", "in 1998", published=Span.parse("-0721")),
            made_entry("b", "x", published=Span.parse("2001/..")),
        ]
    )
    year = Span.year(1998)
    result = postgres_server.execute(
        "SELECT row, lower(span), upper(span) FROM epochal.times WHERE space = %s AND span && int8range(%s, %s)",
        (store.view().space, year.start + 5, year.start + 6),
    )
    assert result == [(0, year.start, year.end)]
    ranges = postgres_server.execute(
        "SELECT id, lower(published_span), upper_inf(published_span) FROM epochal.documents WHERE space = %s "
        "ORDER BY id",
        (store.view().space,),
    )
    assert ranges == [("a", Span.parse("-0721").start, False), ("b", Span.parse("2001").start, True)]


# ---------------------------------------------------------------- views


def test_a_view_never_changes(make_pair) -> None:
    pair = make_pair(dim=16)
    pair.add([made_entry("a", "rain in 1998", dim=16), made_entry("b", "snow in 1999", dim=16, series="s")])
    old = pair.postgres.view()
    assert pair.postgres.view() is old
    pair.add([made_entry("a", "sun in 2001", dim=16), made_entry("c", "rain in 2002", dim=16)])
    pair.delete(["b"])
    assert old.get_document("a").text == "rain in 1998"
    assert old.find_document_rows(["a", "b", "c"]).tolist() == [0, 1, -1]
    assert old.alive.tolist() == old.alive_documents.tolist() == [0, 1]
    assert old.search_words("rain", 9).rows.tolist() == [0]
    assert old.content.rows.tolist() == [0, 1]
    assert set(old.search_vectors(np.ones(16, np.float32), 9).rows.tolist()) == {0, 1}
    assert old.get_series_rows(old.get_series_code("s")).tolist() == [1]
    true, new = pair.embedded.view(), pair.postgres.view()
    assert new is not old
    assert new.alive.tolist() == true.alive.tolist() == [2, 3]
    assert new.content.rows.tolist() == true.content.rows.tolist()
    assert new.get_series_rows(new.get_series_code("s")).tolist() == []
    assert new.search_words("rain", 9).rows.tolist() == [3]
    query = np.ones(16, np.float32)
    assert new.search_vectors(query, 9).rows.tolist() == true.search_vectors(query, 9).rows.tolist()
    assert (new.document_count, new.passage_count) == (true.document_count, true.passage_count) == (2, 2)
    assert [document.id for batch in new.iterate(1) for document in batch] == ["a", "c"]


def test_columns_of_a_later_view_are_those_of_a_fresh_one(store: PostgresStore, address: str) -> None:
    for number in range(6):
        store.add(
            [
                made_entry(f"{name}{number}", f"rain in {1990 + number}", published=Span.year(1990 + number))
                for name in "ab"
            ]
        )
        store.view().content  # noqa: B018  # what is read now is taken over by the next view
        store.delete([f"a{number}"] if number % 2 else [])
        store.view().published  # noqa: B018
    later = store.view()
    with PostgresStore.open(address) as other:
        fresh = other.view()
        for name in ("content", "published", "valid"):
            mine, its = getattr(later, name), getattr(fresh, name)
            assert mine.rows.tolist() == its.rows.tolist()
            assert list(mine.spans) == list(its.spans)
            assert mine.start_chars.tolist() == its.start_chars.tolist()
        assert later.alive.tolist() == fresh.alive.tolist()


def test_bulk_is_found_when_it_ends(store: PostgresStore, address: str) -> None:
    store.add([made_entry("a", "rain")])
    with PostgresStore.open(address) as reader:
        with store.bulk():
            store.add([made_entry("a", "snow"), made_entry("b", "rain")])
            assert reader.get_content_hashes(["a", "b"]) == {
                "a": Document("a", "snow").content_hash(),
                "b": Document("b", "rain").content_hash(),
            }
            for view in (store.view(), reader.view()):
                assert (view.generation, view.document_count) == (1, 1)
                assert view.search_words("rain", 9).rows.tolist() == [0]
                assert view.get_document("a").text == "rain"
                assert view.get_document_frequencies(["rain", "snow"]) == {"rain": 1, "snow": 0}
        assert reader.view().search_words("rain", 9).rows.tolist() == [2]


def test_a_bulk_that_was_cut_off_is_found_by_the_next_to_open(address: str) -> None:
    store = PostgresStore.create(address)
    context = store.bulk()
    context.__enter__()
    store.add([made_entry("a", "rain")])
    with PostgresStore.open(address) as reader:  # a writer is at work: nothing is mended
        assert reader.repairs == []
        assert reader.view().document_count == 0
        store.close()
        assert reader.view().document_count == 0
    with PostgresStore.open(address) as other:
        assert len(other.repairs) == 1
        assert other.view().search_words("rain", 9).rows.tolist() == [0]
        assert PostgresStore.open(address).repairs == []


def test_one_writer_at_a_time(store: PostgresStore, address: str) -> None:
    with pytest.raises(IndexLockedError, match=r"another writer has the index postgresql://postgres:\*\*\*@"):
        PostgresStore.open(address, write=True)
    with PostgresStore.open(address) as second:
        with pytest.raises(IndexLockedError):
            second.add([made_entry("a", "rain")])
        with pytest.raises(IndexLockedError):
            second.compact()
        store.close()
        assert second.add([made_entry("a", "rain")]) == 1


def test_an_index_that_is_there_is_not_made_again_and_none_is_not_opened(store: PostgresStore, address: str) -> None:
    with pytest.raises(StorageError, match="holds an index already"):
        PostgresStore.create(address)
    with pytest.raises(StorageError, match="holds no index"):
        PostgresStore.open(address.replace("namespace=", "namespace=no"))
    with pytest.raises(EpochalError, match="an encoder goes with"):
        PostgresStore.create(address, "static", 0)


# ---------------------------------------------------------------- upkeep


def test_compact_takes_out_the_dead_and_ends_old_views(make_pair) -> None:
    pair = make_pair(dim=16)
    for number in range(12):
        pair.add(
            [made_entry(f"{name}{number}", f"rain {name} in {1990 + number}", dim=16, series=name) for name in "abc"]
        )
    pair.delete([f"a{number}" for number in range(12)])
    pair.add([made_entry("b3", "snow in 1492", "A title", dim=16)])
    old, query = pair.postgres.view(), np.ones(16, np.float32)
    retained = old.get_entries(old.alive_documents)
    generation = old.generation
    pair.compact()
    true, new = pair.embedded.view(), pair.postgres.view()
    assert new.generation > generation
    assert new.alive.tolist() == true.alive.tolist() == list(range(24))
    assert all(same(*both) for both in zip(retained, new.get_entries(new.alive_documents), strict=True))
    assert new.search_vectors(query, 9).rows.tolist() == true.search_vectors(query, 9).rows.tolist()
    assert new.search_words("rain snow", 99).rows.tolist() == true.search_words("rain snow", 99).rows.tolist()
    assert new.get_document_frequencies(["rain", "snow", "a"]) == true.get_document_frequencies(["rain", "snow", "a"])
    positions = np.arange(len(new.content))
    for tokens in (["rain", "titl"], []):
        assert np.array_equal(
            new.match_contexts(new.content.rows, positions, tokens),
            true.match_contexts(true.content.rows, positions, tokens),
        )
    for ask in (
        lambda: old.search_words("rain", 3),
        lambda: old.get_texts(np.array([0])),
        lambda: old.search_vectors(query, 3),
    ):
        with pytest.raises(StorageError, match="has been compacted, rebuilt or restored since this view"):
            ask()
    pair.postgres.compact()  # nothing is dead, and nothing changes
    assert pair.postgres.view() is new
    pair.add([made_entry("d", "rain", dim=16)])
    assert (
        pair.postgres.view().search_words("rain", 99).rows.tolist()
        == pair.embedded.view().search_words("rain", 99).rows.tolist()
    )


def test_a_backup_is_an_embedded_index(store: PostgresStore, tmp_path: Path) -> None:
    store.add([made_entry(f"a{number}", f"rain in {1990 + number}") for number in range(5)])
    store.delete(["a2"])
    store.backup(tmp_path / "copy")
    with Store.open(tmp_path / "copy") as copy:
        true, view = store.view(), copy.view()
        assert all(
            same(*both)
            for both in zip(true.get_entries(true.alive_documents), view.get_entries(view.alive_documents), strict=True)
        )
        assert view.search_words("rain", 9).scores == pytest.approx(view.search_words("rain", 9).scores)


def test_many_readers_and_a_writer(store: PostgresStore, address: str) -> None:
    """More threads than there are connections; each sees whole batches, and no older state than before."""
    batches, wrong, done = 8, [], threading.Event()

    def read(reader: PostgresStore) -> None:
        last = 0
        while not done.is_set() or last < 4 * batches:
            view = reader.view()
            result = len(view.search_words("rain", 999))
            if result % 4 or result != view.document_count or result < last:
                wrong.append((result, view.document_count, last))
                return
            last = result

    with PostgresStore.open(address + "&pool=3") as reader:
        threads = [threading.Thread(target=read, args=(reader,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for number in range(batches):
            store.add([made_entry(f"a{number} {position}", "rain") for position in range(4)])
        done.set()
        for thread in threads:
            thread.join(timeout=120)
    assert wrong == []
    assert not any(thread.is_alive() for thread in threads)
