"""BM25 equals that of the embedded word index, whatever the texts, and whatever died or was replaced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend_entries import made_entry
from epochal.backends.postgres import words
from epochal.backends.postgres.store import PostgresStore
from epochal.backends.postgres.words import LENGTHS, best, length_code, select_query_tokens
from epochal.storage.protocol import Statistics, SupportsStatistics
from epochal.storage.store import Store
from epochal.storage.words import MAX_TERMS, WordBuilder, WordSearcher

WORDS = [
    "tariff",
    "tariffs",
    "steel",
    "rise",
    "the",
    "of",
    "永樂元年",
    "永樂",
    "年",
    "café",
    "1998",
    "x" * 120,
    "don't",
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
QUERIES = st.lists(st.sampled_from([*WORDS, "absent"]), min_size=1, max_size=8).map(" ".join)


def test_lengths_are_coded_as_tantivy_codes_them(tmp_path: Path) -> None:
    """One text of each length, half of its words the one that is asked for: the score tells the code of the length."""
    lengths = [1, 5, 23, 24, 25, 39, 40, 41, 42, 43, 55, 57, 59, 60, 87, 95, 96, 255, 1000, 4097, 70_001]
    with WordBuilder(tmp_path / "words", None) as builder:
        builder.add(0, [" ".join(["rain"] + ["sun"] * (length - 1)) for length in lengths])
        builder.finish()
    searcher = WordSearcher(tmp_path / "words")
    scores = searcher.score_words("rain", np.arange(len(lengths)))
    average = np.float32(sum(lengths)) / np.float32(len(lengths))
    idf = np.log(1 + 0.5 / (len(lengths) + 0.5))
    coded = np.array([LENGTHS[length_code(length)] for length in lengths], dtype=np.float64)
    assert scores == pytest.approx(idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * coded / average)), rel=1e-5)


def test_codes_rise_and_round_down() -> None:
    assert (np.diff(LENGTHS.astype(np.int64)) > 0).all()
    assert [length_code(int(length)) for length in LENGTHS] == list(range(256))
    assert all(length_code(int(high) - 1) == position for position, high in enumerate(LENGTHS[1:]))


def test_of_very_many_words_the_rarest_are_asked_for() -> None:
    counts = Counter({f"w{number}": 1 for number in range(MAX_TERMS + 10)})
    frequencies = {token: 1 + position for position, token in enumerate(counts)}
    query = select_query_tokens(counts, frequencies)
    assert len(query) == MAX_TERMS
    assert "w0" in query
    assert f"w{MAX_TERMS + 9}" not in query


def test_the_best_are_in_order_and_ties_by_row() -> None:
    rows, scores = np.array([9, 4, 7, 1]), np.array([0.5, 0.5, 0.9, 0.5])
    assert best(rows, scores, 3).rows.tolist() == [7, 1, 4]
    assert best(rows, scores, 9).rows.tolist() == [7, 1, 4, 9]


@pytest.fixture(scope="module")
def fresh(
    tmp_path_factory: pytest.TempPathFactory, postgres_server, namespaces
) -> Iterator[Callable[[], tuple[Store, PostgresStore]]]:
    """Two new and empty indexes at each call."""
    with ExitStack() as opened:

        def make() -> tuple[Store, PostgresStore]:
            embedded = opened.enter_context(Store.create(tmp_path_factory.mktemp("embedded")))
            return embedded, opened.enter_context(PostgresStore.create(postgres_server.address(next(namespaces))))

        yield make


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 9), TEXTS, TEXTS), min_size=1, max_size=6), min_size=1, max_size=4),
    st.sets(st.integers(0, 9), max_size=3),
    st.lists(QUERIES, min_size=1, max_size=3),
    st.booleans(),
    st.data(),
)
def test_scores_equal_the_embedded_ones(fresh, batches, deleted, queries, compacted, data) -> None:
    embedded, postgres = fresh()
    try:
        for batch in batches:
            entries = [
                made_entry(str(id), text, title) for id, title, text in {item[0]: item for item in batch}.values()
            ]
            embedded.add(entries)
            postgres.add(entries)
        for store in (embedded, postgres):
            store.delete([str(id) for id in deleted])
            if compacted:
                store.compact()
        true, ours = embedded.view(), postgres.view()
        assert isinstance(ours, SupportsStatistics)
        assert ours.alive.tolist() == true.alive.tolist()
        some = np.array(sorted(data.draw(st.sets(st.sampled_from(true.alive.tolist() or [0])))), dtype=np.int64)
        some = some if len(true.alive) else some[:0]
        for query in queries:
            assert ours.get_document_frequencies(ours.analyse(query)) == true.get_document_frequencies(
                true.analyse(query)
            )
            assert ours.score_words(query, true.alive) == pytest.approx(true.score_words(query, true.alive), rel=1e-4)
            for rows in (None, some):
                for k in (2, 50):
                    expected, result = true.search_words(query, k, rows), ours.search_words(query, k, rows)
                    assert result.scores == pytest.approx(expected.scores, rel=1e-4)
                    assert result.rows.tolist() == expected.rows.tolist()
    finally:
        embedded.close()
        postgres.close()


def test_a_word_that_occurs_very_often_and_a_long_text(make_pair) -> None:
    pair = make_pair()
    pair.add([made_entry("a", "rain " * 70_000), made_entry("b", "rain " * 300 + "sun"), made_entry("c", "sun " * 50)])
    for query in ("rain", "sun sun rain"):
        expected, result = (store.view().search_words(query, 9) for store in (pair.embedded, pair.postgres))
        assert result.rows.tolist() == expected.rows.tolist()
        assert result.scores == pytest.approx(expected.scores, rel=1e-4)


def test_statistics_of_others_decide(store: PostgresStore) -> None:
    store.add([made_entry("a", "rain and sun"), made_entry("b", "sun"), made_entry("c", "snow")])
    view = store.view()
    own = view.get_statistics(view.analyse("rain sun"))
    assert own == Statistics(3, 5, {"rain": 1, "sun": 2})
    assert (
        view.search_words_with("rain sun", 9, own).scores.tolist() == view.search_words("rain sun", 9).scores.tolist()
    )
    other = Statistics(300, 900, {"rain": 200, "sun": 3})
    assert view.search_words_with("rain sun", 9, other).rows.tolist() == [
        1,
        0,
    ]  # the common word of others counts for little
    assert view.score_words_with("rain sun", np.array([0, 2]), other)[1] == 0


def test_postings_that_were_joined_since_are_read_as_they_were(store: PostgresStore) -> None:
    store.add([made_entry(f"a{number}", "rain") for number in range(3)])
    old = store.view()
    for number in range(20):
        store.add([made_entry(f"b{number}", "rain and snow")])
    (count,) = store._fetch("SELECT count(*) FROM epochal.segments WHERE space = %s", (old.space,))[0]
    assert count < 10
    assert old.get_document_frequencies(["rain", "snow"]) == {"rain": 3, "snow": 0}
    assert old.search_words("rain", 99).rows.tolist() == [0, 1, 2]
    assert len(store.view().search_words("rain", 99)) == 23


def test_postings_in_memory_are_bounded(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_MAX_CACHED", 5)
    store.add([made_entry(f"a{number}", "rain snow sun") for number in range(4)])
    view = store.view()
    for query in ("rain", "snow", "sun", "rain"):
        assert len(view.search_words(query, 9)) == 4
    assert sum(len(rows) for rows, _ in view._words._blocks.values()) <= 5
