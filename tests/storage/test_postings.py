"""Once an index was searched often, the passages of each token give the same scores and matches as their codes."""

from __future__ import annotations

import numpy as np
import pytest

from epochal.storage import contexts
from epochal.storage.contexts import MOST, Bm25Scorer, ContextSearcher, PassageReader, build_context_columns
from storage.test_bm25_codes import QUERIES, make_passages, make_searcher


@pytest.fixture
def often(monkeypatch):
    """Every index counts as one that was searched often, and has many passages."""
    monkeypatch.setattr(contexts, "_SEARCHES", 1)
    monkeypatch.setattr(contexts, "_MANY_PASSAGES", 0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [1, 20, 500])
def test_searches_find_the_same_rows_with_the_same_scores(tmp_path, monkeypatch, seed, k):
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
    columns = build_context_columns(texts, [len(own) for *_, own in passages], starts, 0)
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
