"""Cells narrow a search only where they lose nothing, and never leave it with too few."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from epochal.storage.store import Store
from epochal.storage.vectors import Cells, VectorSearcher, assign, measure_probes, train
from storage.whole import DIM, entry


@pytest.fixture(scope="module")
def clustered():
    """Vectors as encoders give them: about some centres, of length 1."""
    pytest.importorskip("faiss", reason="cells are made by faiss, the extra large")
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((150, 32))
    vectors = centres[rng.integers(0, 150, 20_000)] + 0.6 * rng.standard_normal((20_000, 32))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    centroids = train(vectors)
    return vectors, centroids, assign(centroids, vectors)


def test_every_vector_is_in_the_cell_with_the_nearest_centre(clustered):
    vectors, centroids, numbers = clustered
    chosen = np.arange(0, len(vectors), 97)
    distances = np.linalg.norm(vectors[chosen][:, None] - centroids[None], axis=2)
    assert np.array_equal(distances.argmin(axis=1), numbers[chosen])
    assert len(centroids) == int(2 * len(vectors) ** 0.5)
    assert np.array_equal(train(vectors), centroids)


def test_cells_lose_nothing_where_they_are_used(clustered):
    vectors, centroids, numbers = clustered
    # A small set has few cells, so that the best lie in many of them; fewer are asked for here.
    probes = measure_probes(centroids, numbers, vectors)
    probes = probes if probes > 0 else len(centroids) // 3
    exact, narrowed = VectorSearcher(vectors, 1.0), VectorSearcher(vectors, 1.0, Cells(centroids, numbers, probes))
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(40):
        query = vectors[rng.integers(len(vectors))] + vectors[rng.integers(len(vectors))]
        best = exact.search_vectors(query, 20)
        found += len(np.intersect1d(best.rows, narrowed.search_vectors(query, 20).rows))
    assert found >= 0.995 * 40 * 20


def test_narrow_restrictions_are_searched_row_by_row(clustered):
    vectors, centroids, numbers = clustered
    narrowed = VectorSearcher(vectors, 1.0, Cells(centroids, numbers, 1))
    exact = VectorSearcher(vectors, 1.0)
    rng = np.random.default_rng(6)
    for share in (0.001, 0.01, 0.1):
        rows = np.sort(rng.choice(len(vectors), int(share * len(vectors)), replace=False))
        query = rng.standard_normal(32).astype(np.float32)
        assert (
            narrowed.search_vectors(query, 50, rows).rows.tolist()
            == exact.search_vectors(query, 50, rows).rows.tolist()
        )


def test_a_search_is_never_left_with_too_few(clustered):
    vectors, centroids, numbers = clustered
    narrowed = VectorSearcher(vectors, 1.0, Cells(centroids, numbers, 1))
    query = vectors[0]
    assert len(narrowed.search_vectors(query, 150)) == 150
    assert len(narrowed.search_vectors(query, 19_000)) == 19_000
    far = np.flatnonzero(numbers != numbers[0])
    assert len(narrowed.search_vectors(query, 120, far)) == 120


def test_vectors_that_do_not_gather_get_no_cells():
    pytest.importorskip("faiss", reason="cells are made by faiss, the extra large")
    scattered = np.random.default_rng(1).standard_normal((8000, 96)).astype(np.float32)
    centroids = train(scattered)
    assert measure_probes(centroids, assign(centroids, scattered), scattered) == -1


def test_a_large_index_gets_cells_and_keeps_them_up(tmp_path, monkeypatch):
    pytest.importorskip("faiss", reason="cells are made by faiss, the extra large")
    monkeypatch.setattr("epochal.storage.building.LARGE", 300)
    monkeypatch.setattr("epochal.storage.building.measure_probes", lambda centroids, *_: len(centroids))
    with Store.create(tmp_path, "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(100)])
        assert "cells" not in store.view()._columns
        store.add([entry(f"e{number}", 1) for number in range(100)])
        first = store.view()._columns["cells"]
        assert len(first) == store.view().passage_count > 300
        store.add([entry("f", 1)])
        view = store.view()
        assert len(view._columns["cells"]) == view.passage_count == len(first) + len(entry("f", 1).passages)
        query = np.ones(DIM, np.float32)
        searched = view.search_vectors(query, 10)
        assert searched.scores.tolist() == sorted(view.score_vectors(query, view.alive), reverse=True)[:10]
    with Store.open(tmp_path) as store:
        assert store.repairs == []
        assert store.view().search_vectors(query, 10).rows.tolist() == searched.rows.tolist()
    # Cells that are there are searched, and take new vectors, without faiss.
    monkeypatch.setitem(sys.modules, "faiss", None)
    monkeypatch.setattr("epochal.storage.building.can_train", lambda: False)
    with Store.open(tmp_path) as store:
        assert store.repairs == []
        assert store.view().search_vectors(query, 10).rows.tolist() == searched.rows.tolist()
        store.add([entry("g", 1)])
        view = store.view()
        assert len(view._columns["cells"]) == view.passage_count > len(first)


def test_without_faiss_a_large_index_is_searched_exactly_and_gets_cells_later(tmp_path, monkeypatch):
    monkeypatch.setattr("epochal.storage.building.LARGE", 300)
    monkeypatch.setattr("epochal.storage.building.can_train", lambda: False)
    query = np.ones(DIM, np.float32)
    with Store.create(tmp_path, "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(200)])
        view = store.view()
        assert "cells" not in view._columns
        found = view.search_vectors(query, 10)
        assert found.scores.tolist() == sorted(view.score_vectors(query, view.alive), reverse=True)[:10]
    pytest.importorskip("faiss", reason="cells are made by faiss, the extra large")
    monkeypatch.setattr("epochal.storage.building.can_train", lambda: True)
    monkeypatch.setattr("epochal.storage.building.measure_probes", lambda centroids, *_: len(centroids))
    with Store.open(tmp_path) as store:
        assert store.repairs == []
        store.add([entry("e", 1)])
        assert len(store.view()._columns["cells"]) == store.view().passage_count


def test_an_index_whose_vectors_do_not_gather_is_not_tried_again(tmp_path, monkeypatch):
    pytest.importorskip("faiss", reason="cells are made by faiss, the extra large")
    monkeypatch.setattr("epochal.storage.building.LARGE", 10)
    with Store.create(tmp_path, "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(40)])
        assert store.view()._manifest.probes == -1
        monkeypatch.setattr("epochal.storage.building.train", None)
        store.add([entry("e", 1)])
        assert len(store.view().search_vectors(np.ones(DIM, np.float32), 7)) == 7
