"""Prefixes are searched as if nothing else were stored, and a funnel that leaves nobody out finds what all find."""

from __future__ import annotations

import copy
import gc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage import vectors as nested
from epochal.storage.store import Store
from epochal.storage.vectors import Cells, FunnelSearcher, PrefixSearcher, VectorSearcher, assign, train, truncate
from storage.whole import DIM, entry, vector_of


def cut(vectors, dims):
    """Truncated and renormalised row by row, in other words than the module's."""
    rows = []
    for vector in np.asarray(vectors, np.float64):
        length = float(np.linalg.norm(vector[:dims]))
        rows.append(vector[:dims] / length if length else np.zeros(dims))
    return np.array(rows).reshape(len(vectors), dims)


def brute_force(vectors, query, k, rows):
    scores = (vectors[rows].astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    order = np.lexsort((rows, -scores))[:k]
    return rows[order].tolist(), scores[order].tolist()


def answer(ranked):
    return ranked.rows.tolist(), ranked.scores.tolist()


@st.composite
def material(draw):
    """Vectors with a query, a length to cut at, and rows to keep to."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, dim = draw(st.integers(1, 300)), draw(st.integers(2, 70))
    vectors = rng.standard_normal((count, dim)) * draw(st.sampled_from([1e-18, 1.0, 1e12]))
    if draw(st.booleans()):  # many equal vectors, so that ties must be settled by row; some prefixes are all zeros
        vectors = np.round(vectors / np.abs(vectors).max())
    query = rng.standard_normal(dim).astype(np.float32)
    kept = draw(st.sampled_from([0.0, 0.03, 0.5, 1.0]))
    rows = None if draw(st.booleans()) else np.flatnonzero(rng.random(count) < kept)
    return vectors.astype(np.float32), query, draw(st.integers(1, dim - 1)), rows


@given(material(), st.integers(1, 50))
def test_prefix_search_equals_brute_force_on_truncated_vectors(given_, k):
    vectors, query, dims, rows = given_
    short = truncate(query[None], dims)[0]
    every = np.arange(len(vectors)) if rows is None else rows
    searcher = PrefixSearcher(vectors, dims)
    expected = brute_force(truncate(vectors, dims), short, k, every)
    assert answer(searcher.search_vectors(short, k, rows)) == expected
    searcher.search_vectors(short, 1)  # has the prefixes of all rows at hand
    assert answer(searcher.search_vectors(short, k, rows)) == expected
    assert searcher.score_vectors(short, np.array(expected[0], dtype=np.int64)).tolist() == expected[1]
    # The same in plain doubles: each found score is as high as that of its place.
    plain = cut(vectors, dims) @ cut(query[None], dims)[0]
    best = np.sort(plain[every])[::-1][:k]
    np.testing.assert_allclose(expected[1], best, atol=1e-6)
    np.testing.assert_allclose(plain[expected[0]], best, atol=1e-6)


@given(material())
def test_a_prefix_does_not_depend_on_the_rows_that_are_cut_with_it(given_):
    vectors, _, dims, rows = given_
    rows = np.arange(len(vectors))[::3] if rows is None else rows
    whole = truncate(vectors, dims)
    assert np.array_equal(truncate(vectors[rows], dims), whole[rows])
    assert np.array_equal(PrefixSearcher(vectors, dims).get_vectors(rows), whole[rows])
    np.testing.assert_allclose(whole, cut(vectors, dims), atol=1e-7)
    lengths = np.linalg.norm(whole.astype(np.float64), axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-6) | (lengths == 0))


def funnel(vectors, dims, shortlist, cells=None):
    longest = float(np.linalg.norm(vectors.astype(np.float64), axis=1).max(initial=0))
    return FunnelSearcher(VectorSearcher(vectors, longest, cells), PrefixSearcher(vectors, dims), shortlist)


@given(material(), st.integers(1, 50), st.integers(0, 400))
def test_a_funnel_with_room_for_all_is_the_full_search(given_, k, more):
    vectors, query, dims, rows = given_
    every = np.arange(len(vectors)) if rows is None else rows
    shortlist = max(len(every), 1) + more
    found = funnel(vectors, dims, shortlist).search_vectors(query, k, rows)
    assert answer(found) == brute_force(vectors, query, k, every)


@given(material(), st.integers(1, 30), st.integers(1, 60))
def test_a_funnel_ranks_the_best_by_prefix_by_their_whole_vectors(given_, k, shortlist):
    vectors, query, dims, rows = given_
    every = np.arange(len(vectors)) if rows is None else rows
    near, _ = brute_force(truncate(vectors, dims), truncate(query[None], dims)[0], max(k, shortlist), every)
    searcher = funnel(vectors, dims, shortlist)
    found = searcher.search_vectors(query, k, rows)
    assert answer(found) == brute_force(vectors, query, k, np.array(sorted(near), dtype=np.int64))
    assert searcher.score_vectors(query, found.rows).tolist() == found.scores.tolist()
    assert np.array_equal(searcher.get_vectors(found.rows), vectors[found.rows])


def test_a_few_rows_are_cut_without_cutting_all(monkeypatch):
    vectors = np.random.default_rng(3).standard_normal((3200, 12)).astype(np.float32)
    sizes: list[int] = []
    monkeypatch.setattr(nested, "truncate", lambda part, dims: sizes.append(len(part)) or truncate(part, dims))
    searcher = PrefixSearcher(vectors, 4)
    searcher.search_vectors(np.ones(4, np.float32), 5, np.arange(200))
    assert sizes == [200]
    for _ in range(2):
        searcher.search_vectors(np.ones(4, np.float32), 5)
        searcher.search_vectors(np.ones(4, np.float32), 5, np.arange(200))
    assert sizes == [200, 3200]


@pytest.mark.parametrize(
    ("query", "k", "said"),
    [
        (np.ones(2, np.float32), 1, r"must have 3 numbers, but has the shape \(2,\)"),
        (np.array([1, np.nan, 0], np.float32), 1, "not finite"),
        (np.ones(3, np.float32), 0, "k must be at least 1, but is 0"),
    ],
)
def test_wrong_queries_of_a_funnel_are_refused(query, k, said):
    with pytest.raises(EpochalError, match=said):
        funnel(np.eye(3, dtype=np.float32), 2, 2).search_vectors(query, k)
    with pytest.raises(EpochalError, match="must have 2 numbers"):
        PrefixSearcher(np.eye(3, dtype=np.float32), 2).search_vectors(np.ones(3, np.float32), 1)


# ---------------------------------------------------------------- of a view


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    """A view with documents of which some were deleted and some replaced."""
    with Store.create(tmp_path_factory.mktemp("view"), "asked@test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(120)])
        store.delete([f"d{number}" for number in range(0, 120, 7)])
        store.add([entry(f"d{number}", 2) for number in range(0, 120, 5)])
        yield store.view()


@given(
    dims=st.integers(1, DIM - 1),
    text=st.text(max_size=5),
    k=st.sampled_from([1, 7, 60, 1000]),
    shortlist=st.sampled_from([1, 20, 100, 10_000]),
    share=st.sampled_from([None, 0.02, 0.5, 1.0]),
    seed=st.integers(0, 100),
)
def test_filters_are_kept_and_the_dead_are_not_found(view, dims, text, k, shortlist, share, seed):
    rows = None
    if share is not None:
        rows = np.flatnonzero(np.random.default_rng(seed).random(int(view.alive[-1]) + 1) < share)
    allowed = view.alive if rows is None else np.intersect1d(rows, view.alive)
    query = vector_of(text)
    short, whole = truncate(query[None], dims)[0], view.get_vectors(np.arange(int(view.alive[-1]) + 1))
    prefixes = view.with_dims(dims)
    assert answer(prefixes.search_vectors(short, k, rows)) == brute_force(truncate(whole, dims), short, k, allowed)
    found = view.with_dims(dims, shortlist).search_vectors(query, k, rows)
    near, _ = brute_force(truncate(whole, dims), short, max(k, shortlist), allowed)
    assert answer(found) == brute_force(whole, query, k, np.array(sorted(near), dtype=np.int64))


def test_a_nested_view_is_the_view_but_for_its_vectors(view):
    prefixes, both = view.with_dims(3), view.with_dims(3, 50)
    assert (prefixes.dim, prefixes.encoder_name) == (3, "asked@test[:3]")
    assert (both.dim, both.encoder_name) == (DIM, "asked@test")
    for cutter in (prefixes, both):
        assert cutter.generation == view.generation
        assert cutter.content is view.content
        assert cutter.alive is view.alive
        assert cutter.search_words("tariff", 5).rows.tolist() == view.search_words("tariff", 5).rows.tolist()
    assert np.array_equal(prefixes.get_vectors(view.alive), truncate(view.get_vectors(view.alive), 3))
    assert np.array_equal(both.get_vectors(view.alive), view.get_vectors(view.alive))
    query = vector_of("tariff")
    assert both.score_vectors(query, view.alive).tolist() == view.score_vectors(query, view.alive).tolist()
    assert copy.copy(prefixes).dim == 3
    with pytest.raises(AttributeError):
        prefixes.no_such_name  # noqa: B018


def test_all_numbers_are_the_view_itself(view):
    assert view.with_dims(DIM) is view
    assert view.with_dims(DIM, 10) is view


@pytest.mark.parametrize("dims", [0, -1, DIM + 1, 10_000])
def test_a_length_that_no_vector_has_is_refused(view, dims):
    with pytest.raises(EpochalError, match=rf"^dims must be from 1 to {DIM}, the length of the index"):
        view.with_dims(dims)


def test_an_index_without_vectors_cannot_be_cut(tmp_path):
    with Store.create(tmp_path) as store, pytest.raises(EpochalError, match="made without an encoder; leave out dims"):
        store.view().with_dims(4)


def test_an_empty_index_has_nothing_to_find(tmp_path):
    with Store.create(tmp_path, "test", DIM) as store:
        assert len(store.view().with_dims(2).search_vectors(np.ones(2, np.float32), 5)) == 0
        assert len(store.view().with_dims(2, 9).search_vectors(np.ones(DIM, np.float32), 5)) == 0


def test_prefixes_are_kept_from_search_to_search_but_not_of_every_length(view, monkeypatch):
    made: list[int] = []
    monkeypatch.setattr(nested, "truncate", lambda part, dims: made.append(dims) or truncate(part, dims))
    view._prefixes.cache_clear()
    for dims in (2, 2, 3, 2, 4, 5, 2):
        view.with_dims(dims).search_vectors(np.ones(dims, np.float32), 3)
    assert made == [2, 3, 4, 5, 2]


def test_a_funnel_does_not_look_into_cells(tmp_path, monkeypatch):
    """Cells may miss a row, and whoever asks for a shortlist is promised the best of it."""
    monkeypatch.setattr("epochal.storage.building.LARGE", 100)
    monkeypatch.setattr("epochal.storage.building.measure_probes", lambda *_: 1)
    with Store.create(tmp_path, "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(100)])
        view = store.view()
        query = vector_of("harbour")
        exact = brute_force(view.get_vectors(view.alive), query, 40, view.alive)
        assert answer(view.with_dims(2, len(view.alive)).search_vectors(query, 40)) == exact
        centroids = train(view.get_vectors(view.alive))
        cells = Cells(centroids, assign(centroids, view.get_vectors(view.alive)), 1)
        assert len(cells.find_near(query)) < view.passage_count


def test_a_nested_view_holds_its_view_and_lets_go_of_it(tmp_path):
    with Store.create(tmp_path, "test", DIM) as store:
        store.add([entry("d", 1)])
        view = store.view()
        prefixes, alive = view.with_dims(2), weakref.ref(view)
        del view
        store.delete(["d"])  # the store forgets its view
        gc.collect()
        assert alive() is not None
        assert prefixes.get_documents(prefixes.alive_documents)[0].id == "d"
        del prefixes
        assert alive() is None
