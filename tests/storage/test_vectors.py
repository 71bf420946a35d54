"""The greatest dot products, whatever the rows are restricted to, equal those of comparing all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage.vectors import VectorSearcher


def brute_force(vectors, query, k, rows):
    scores = (vectors[rows].astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    order = np.lexsort((rows, -scores))[:k]
    return rows[order].tolist(), scores[order].tolist()


def searcher(vectors):
    return VectorSearcher(vectors, float(np.linalg.norm(vectors.astype(np.float64), axis=1).max(initial=0)))


@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(0, 300),
    dim=st.integers(1, 70),
    k=st.integers(1, 50),
    coarse=st.booleans(),
    scale=st.sampled_from([1e-20, 1.0, 1e15]),
    data=st.data(),
)
def test_restrictions_are_exact(seed, count, dim, k, coarse, scale, data):
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((count, dim))
    if coarse:  # many equal vectors, so that ties must be settled by row
        vectors = np.round(vectors)
    vectors, query = (vectors * scale).astype(np.float32), rng.standard_normal(dim).astype(np.float32)
    found = searcher(vectors).search_vectors(query, k)
    assert (found.rows.tolist(), found.scores.tolist()) == brute_force(vectors, query, k, np.arange(count))
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, max(count - 1, 0)), max_size=count))), dtype=np.int64)
    rows = rows[rows < count]
    found = searcher(vectors).search_vectors(query, k, rows)
    assert (found.rows.tolist(), found.scores.tolist()) == brute_force(vectors, query, k, rows)


def test_similarities_are_the_scores_of_a_search():
    rng = np.random.default_rng(1)
    vectors, query = rng.standard_normal((9000, 33)).astype(np.float32), rng.standard_normal(33).astype(np.float32)
    found = searcher(vectors).search_vectors(query, 9000)
    assert searcher(vectors).score_vectors(query, found.rows).tolist() == found.scores.tolist()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (np.ones(4, np.float32), r"must have 3 numbers, but has the shape \(4,\)"),
        (np.ones((1, 3), np.float32), "must have 3 numbers"),
        (np.array([1, np.nan, 0], np.float32), "not finite"),
        (np.array([1, np.inf, 0], np.float32), "not finite"),
    ],
)
def test_wrong_queries_are_refused(query, message):
    with pytest.raises(EpochalError, match=message):
        searcher(np.eye(3, dtype=np.float32)).search_vectors(query, 1)
    with pytest.raises(EpochalError, match=message):
        searcher(np.eye(3, dtype=np.float32)).score_vectors(query, np.array([0]))


def test_k_must_be_positive():
    with pytest.raises(EpochalError, match="k must be at least 1, but is -2"):
        searcher(np.eye(3, dtype=np.float32)).search_vectors(np.ones(3, np.float32), -2)
