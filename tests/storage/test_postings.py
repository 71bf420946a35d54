"""Once an index was searched often, the passages of each token give the same scores and matches as their codes."""

from __future__ import annotations

import numpy as np
import pytest

from epochal.storage import contexts, postings
from epochal.storage.contexts import MOST, Bm25Scorer, ContextSearcher, PassageReader
from epochal.storage.passage_tokens import TokenReader
from storage.test_bm25_codes import QUERIES, make_passages, make_searcher


@pytest.fixture
def often(monkeypatch):
    """Every index counts as one that was searched often, and has many passages."""
    monkeypatch.setattr(contexts, "_SEARCHES", 1)
    monkeypatch.setattr(contexts, "_MANY_PASSAGES", 0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [1, 20, 500])
@pytest.mark.parametrize("few", [8, 1 << 14])
def test_searches_find_the_same_rows_with_the_same_scores(tmp_path, monkeypatch, seed, k, few):
    monkeypatch.setattr(postings, "_FEW", few)
    passages = make_passages(seed, 150)
    before, plain = make_searcher(tmp_path, passages)
    rows = np.unique(np.random.default_rng(seed).integers(0, 150, 90))
    expected = [(before.search_words(query, k), before.search_words(query, k, rows)) for query in QUERIES]
    scores = [before.score_words(query, rows) for query in QUERIES]
    monkeypatch.setattr(contexts, "_SEARCHES", 1)
    for query, wanted, own in zip(QUERIES, expected, scores, strict=True):
        for among, other in zip((None, rows), wanted, strict=True):
            found = before.search_words(query, k, among)
            assert found.rows.tolist() == other.rows.tolist()
            assert found.scores.tolist() == other.scores.tolist()
        assert before.score_words(query, rows).tolist() == own.tolist()
        np.testing.assert_allclose(own, plain.score_words(query, rows), rtol=3e-6)


def test_many_passages_match_as_few_do(often):
    passages = make_passages(7, 60)
    texts = [(title, text) for title, text, _ in passages]
    starts = [start for *_, own in passages for start in own]
    columns = TokenReader().read(texts, [len(own) for *_, own in passages], starts, 0).columns
    tokens, none = ("king", "the", "flood", "harbour", "unheard"), np.empty(0, np.int32)
    rows = np.array([59, 3, 3, 17, *range(40)])
    anywhere = np.full(len(rows), -1)
    reader = PassageReader(columns)
    searcher = ContextSearcher(columns, none, none, reader)
    expected = searcher.match_contexts(rows, anywhere, tokens)
    Bm25Scorer(reader, columns).score_all({"king": (1, 1)})
    assert reader.postings is not None
    assert searcher.match_contexts(rows, anywhere, tokens).tolist() == expected.tolist()
    assert expected.any(axis=0).tolist() == [True, True, True, True, False]


def test_counts_that_are_too_high_are_left_to_the_word_index(tmp_path, often):
    coded, plain = make_searcher(tmp_path, [("", "rain " * count, []) for count in (1, MOST - 1, MOST, 700)])
    assert coded.search_words("rain", 4).scores.tolist() == plain.search_words("rain", 4).scores.tolist()


def test_many_tokens_are_turned_round_by_another_thread(tmp_path, monkeypatch):
    before, _ = make_searcher(tmp_path, make_passages(5, 150))
    expected = [before.search_words(query, 20) for query in QUERIES]
    monkeypatch.setattr(contexts, "_SEARCHES", 1)
    monkeypatch.setattr(contexts, "_AT_ONCE", 0)
    before.search_words("the king", 20)
    turning = before._scorer._turning
    for query, wanted in zip(QUERIES, expected, strict=True):  # while the thread is at it, or afterwards
        assert before.search_words(query, 20).rows.tolist() == wanted.rows.tolist()
    turning.join()
    assert before._scorer._reader.postings is not None
    for query, wanted in zip(QUERIES, expected, strict=True):
        found = before.search_words(query, 20)
        assert (found.rows.tolist(), found.scores.tolist()) == (wanted.rows.tolist(), wanted.scores.tolist())
    assert before._scorer._turning is turning  # one is enough


@pytest.mark.parametrize("k", [1, 5, 60, 400])
def test_common_tokens_are_added_for_what_rare_ones_leave(tmp_path, monkeypatch, k):
    texts = [f"the flood of the harbour in the year {number} {'king ' * (number % 7)}" for number in range(300)]
    before, _ = make_searcher(tmp_path, [("", text, []) for text in texts])
    rows = np.arange(0, 300, 7)
    queries = ("the flood of year 17", "the of in", "king the of", "299 king of the harbour", "17 18 19")
    expected = [(before.search_words(query, k), before.score_words(query, rows)) for query in queries]
    monkeypatch.setattr(contexts, "_SEARCHES", 1)
    for query, (wanted, scores) in zip(queries, expected, strict=True):
        found = before.search_words(query, k)
        assert found.rows.tolist() == wanted.rows.tolist()
        assert found.scores.tolist() == wanted.scores.tolist()
        assert before.score_words(query, rows).tolist() == scores.tolist()
    assert before._scorer._reader.postings is not None
