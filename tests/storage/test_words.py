"""BM25 is that of another implementation, restrictions are exact, and a query is a text and nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, StorageError
from epochal.storage.text import analyse
from epochal.storage.words import MAX_TERMS, WordBuilder, WordSearcher

VOCABULARY = [f"w{number}" for number in range(60)]


def searcher(folder, texts: Sequence[str], sizes: Sequence[int] = (10**9,)) -> WordSearcher:
    """A searcher over texts that were added in several states, of the given sizes in turn."""
    low, number, previous = 0, 0, None
    while low < len(texts) or previous is None:
        size = sizes[number % len(sizes)]
        with WordBuilder(folder / f"words-{number}", previous) as builder:
            builder.add(low, [" ".join(analyse(text)) for text in texts[low : low + size]])
            builder.finish()
        previous = folder / f"words-{number}"
        low, number = low + size, number + 1
    return WordSearcher(previous)


def bm25(texts: Sequence[str], query: str) -> np.ndarray:
    """BM25 by the book, with Lucene's weight of a word."""
    tokens = [analyse(text) for text in texts]
    lengths = np.array([len(each) for each in tokens])
    mean = lengths.mean()
    scores = np.zeros(len(texts))
    for word in analyse(query):
        counts = np.array([each.count(word) for each in tokens])
        found = (counts > 0).sum()
        if found:
            weight = np.log(1 + (len(texts) - found + 0.5) / (found + 0.5))
            scores += weight * counts * 2.2 / (counts + 1.2 * (1 - 0.75 + 0.75 * lengths / mean))
    return scores


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    rng = random.Random(7)
    weights = [1 / (place + 1) for place in range(len(VOCABULARY))]
    texts = [" ".join(rng.choices(VOCABULARY, weights, k=rng.randint(1, 40))) for _ in range(400)]
    return texts, searcher(tmp_path_factory.mktemp("words"), texts, (70, 1, 130))


def test_scores_are_those_of_bm25s(corpus):
    bm25s = pytest.importorskip("bm25s")
    texts, words = corpus
    other = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    other.index([analyse(text) for text in texts], show_progress=False)
    rng = random.Random(3)
    for _ in range(50):
        query = rng.sample(VOCABULARY, rng.randint(1, 5))
        expected = 2.2 * other.get_scores(query)  # Lucene leaves out the factor k1 + 1
        np.testing.assert_allclose(words.score_words(" ".join(query), np.arange(len(texts))), expected, rtol=1e-4)
        ranked = words.search_words(" ".join(query), 30)
        np.testing.assert_allclose(ranked.scores, np.sort(expected)[::-1][: len(ranked)], rtol=1e-4)


def test_long_texts_are_close(tmp_path):
    rng = random.Random(5)
    texts = [" ".join(rng.choices(VOCABULARY, k=rng.randint(100, 900))) for _ in range(60)]
    words = searcher(tmp_path, texts)
    found = words.score_words("w3 w7 w11", np.arange(60))
    np.testing.assert_allclose(found, bm25(texts, "w3 w7 w11"), rtol=0.08)  # lengths are kept in 8 bits


def test_a_word_counts_as_often_as_it_is_asked_for(corpus):
    texts, words = corpus
    rows = np.arange(len(texts))
    np.testing.assert_allclose(words.score_words("w3 w9 w3", rows), bm25(texts, "w3 w9 w3"), rtol=1e-4)


@given(data=st.data())
def test_restrictions_are_exact(corpus, data):
    texts, words = corpus
    query = " ".join(data.draw(st.lists(st.sampled_from([*VOCABULARY, "unheard"]), max_size=6)))
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, len(texts) - 1)))), dtype=np.int64)
    k = data.draw(st.sampled_from([1, 2, 5, 20, 400, 1000]))
    scores = words.score_words(query, rows)
    np.testing.assert_allclose(scores, bm25(texts, query)[rows], rtol=1e-4)
    ranked = words.search_words(query, k, rows)
    order = np.lexsort((rows, -scores))
    order = order[scores[order] > 0][:k]
    assert ranked.rows.tolist() == rows[order].tolist()
    assert ranked.scores.tolist() == scores[order].tolist()


def test_without_a_restriction_all_rows_are_searched(corpus):
    texts, words = corpus
    everything = np.arange(len(texts))
    for k in (1, 10, 399):
        open_, closed = words.search_words("w1 w2", k), words.search_words("w1 w2", k, everything)
        assert open_.rows.tolist() == closed.rows.tolist()
        assert open_.scores.tolist() == closed.scores.tolist()


def test_of_equal_scores_the_lower_row_is_first_however_they_were_added(tmp_path):
    texts = ["one text"] * 300
    for name, sizes in (("a", (300,)), ("b", (7, 90, 1)), ("c", (1, 2, 3, 50))):
        words = searcher(tmp_path / name, texts, sizes)
        assert words.search_words("text", 25).rows.tolist() == list(range(25))
        assert words.search_words("text", 5, np.arange(100, 260)).rows.tolist() == [100, 101, 102, 103, 104]


def test_scores_do_not_depend_on_how_texts_were_added(corpus, tmp_path):
    texts, words = corpus
    whole = searcher(tmp_path, texts)
    for query in ("w0 w1 w2 w3 w4 w5 w6 w7 w8 w9", "w20 w30 w40"):
        one, other = words.search_words(query, 100), whole.search_words(query, 100)
        assert one.rows.tolist() == other.rows.tolist()
        assert one.scores.tolist() == other.scores.tolist()


QUERY_LANGUAGE = [
    "body:w1 AND NOT w2 OR (w3",
    '"w1 w2"~3^4',
    "row:[0 TO 9]",
    "+w1 -w2 *",
    "/w.*/",
    "IN [w1 w2]",
    "w1\x00w2",
    "\\",
    "title:*",
    "\ud800w1",
]


@pytest.mark.parametrize("query", QUERY_LANGUAGE)
def test_a_query_is_no_language(corpus, query):
    texts, words = corpus
    np.testing.assert_allclose(words.score_words(query, np.arange(len(texts))), bm25(texts, query), rtol=1e-4)


@pytest.mark.parametrize("query", ["", "  ", "?!", "unheard of", "\ud800"])
def test_a_query_without_known_words_finds_nothing(corpus, query):
    texts, words = corpus
    assert len(words.search_words(query, 10)) == 0
    assert not words.score_words(query, np.arange(len(texts))).any()


def test_a_query_of_a_megabyte_uses_its_rarest_words(tmp_path):
    count = MAX_TERMS + 200
    texts = [f"t{number} everywhere" for number in range(count)] + ["everywhere alone"]
    words = searcher(tmp_path, texts)
    query = " ".join(f"t{number}" for number in range(count)) + " everywhere" + " nowhere" * 120_000
    assert len(query) > 900_000
    ranked = words.search_words(query, count + 1)
    assert len(ranked) == MAX_TERMS  # "everywhere" is the most frequent word, so it is not among those used


def test_cjk_is_found_by_characters_and_by_pairs(tmp_path):
    words = searcher(tmp_path, ["永樂元年春正月", "洪武元年", "the 永 year", "樂永", "2024年に東京で", "서울에서"])
    assert words.search_words("永乐", 10).rows[0] == 0
    assert set(words.search_words("永", 10).rows.tolist()) == {0, 2, 3}
    assert words.search_words("東京", 10).rows.tolist() == [4]
    assert words.search_words("서울", 10).rows.tolist() == [5]
    assert words.get_document_frequencies(["永乐", "乐"]) == {"永乐": 1, "乐": 2}


def test_words_of_absurd_length_do_no_harm(tmp_path):
    words = searcher(tmp_path, ["x" * 200_000 + " short", "y" * 70_000])
    assert words.search_words("short", 10).rows.tolist() == [0]
    assert len(words.search_words("x" * 200_000, 10)) == 0


def test_an_empty_index_answers(tmp_path):
    words = searcher(tmp_path, [])
    assert words.row_count == 0
    assert len(words.search_words("anything", 3)) == 0
    assert words.score_words("anything", np.empty(0, np.int64)).tolist() == []


def test_k_must_be_positive(corpus):
    with pytest.raises(EpochalError, match="k must be at least 1, but is 0"):
        corpus[1].search_words("w1", 0)


def test_a_finished_builder_takes_no_more(tmp_path):
    with WordBuilder(tmp_path / "words-1", None) as builder:
        builder.finish()
        with pytest.raises(StorageError, match="written already"):
            builder.add(0, ["late"])


def test_where_there_are_no_hard_links_files_are_copied(tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr("os.link", refuse)
    assert searcher(tmp_path, ["one", "two", "one two"], (1,)).search_words("one", 5).rows.tolist() == [0, 2]
