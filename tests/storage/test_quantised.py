"""Quantised vectors: their bounds hold, and a search by them finds what an exact search finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.api import Index
from epochal.storage import leading, products, quantised, vectors
from epochal.storage.leading import LeadingVectors, quantise
from epochal.storage.quantised import Bounds, Estimates, QuantisedVectors
from epochal.storage.records import Document
from epochal.storage.vectors import VectorSearcher

KINDS = ("units", "sparse", "wild", "equal")


def make_rows(seed: int, count: int, dim: int, kind: str) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(count, dim)).astype(np.float32)
    if kind == "units":
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    elif kind == "sparse":
        rows[rng.random(rows.shape) < 0.9] = 0.0
    elif kind == "wild":
        rows *= np.exp(rng.normal(scale=8, size=(count, 1))).astype(np.float32)
        rows[:: max(1, count // 3)] = 0.0
    elif kind == "equal":
        rows[:] = rows[0]
    return rows


def make_bounds(estimates: np.ndarray, margin: float = 0.0) -> Bounds:
    return Bounds(Estimates(estimates, np.float32(1)), lambda rows: np.full(len(rows), margin, np.float32), margin)


def measure_margins(bounds: Bounds) -> np.ndarray:
    """The margins of all rows."""
    return bounds.measure_margins(np.arange(len(bounds.estimates.values)))


def get_estimates(bounds: Bounds) -> np.ndarray:
    return bounds.estimates.values * bounds.estimates.scale


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 300), st.integers(1, 70), st.sampled_from(KINDS))
def test_products_lie_within_their_bounds(seed, count, dim, kind):
    rows = make_rows(seed, count, dim, kind)
    query = make_rows(seed + 1, 1, dim, "sparse" if seed % 2 else "units")[0]
    bounds = QuantisedVectors(rows).bound(query)
    products = rows.astype(np.float64) @ query.astype(np.float64)
    errors = measure_margins(bounds).astype(np.float64)
    assert (
        np.abs(products - get_estimates(bounds)) <= errors * (1 + 1e-6) + 1e-6 * np.abs(get_estimates(bounds))
    ).all()
    for least in products[:3].astype(np.float32):
        surely = products - 1e-5 * np.abs(products) >= least
        assert set(np.flatnonzero(surely)) <= set(bounds.find_reaching(least))


def test_bounds_are_narrow():
    rows, query = make_rows(1, 500, 256, "units"), make_rows(2, 1, 256, "units")[0]
    bounds = QuantisedVectors(rows).bound(query)
    assert measure_margins(bounds).max() < 0.06


def test_rows_lie_in_several_blocks(monkeypatch):
    monkeypatch.setattr(quantised, "_BLOCK", 64)
    monkeypatch.setattr(quantised, "_CHUNK", 24)
    rows, query = make_rows(3, 200, 16, "units"), make_rows(4, 1, 16, "units")[0]
    bounds = QuantisedVectors(rows).bound(query)
    assert len(get_estimates(bounds)) == 200
    errors = measure_margins(bounds)
    assert (np.abs(rows.astype(np.float64) @ query - get_estimates(bounds)) <= errors + 1e-6).all()


def test_all_that_can_reach_a_product_is_found():
    estimates = np.array([5.0, 4.0, 3.9, 1.0], np.float32)
    bounds = make_bounds(estimates, 0.1)
    assert bounds.find_reaching(np.float32(3.95)).tolist() == [0, 1, 2]
    assert bounds.select(np.array([1, 2, 3])).find_reaching(np.float32(4.05)).tolist() == [0]
    assert bounds.find_best(2).tolist() == [0, 1]
    assert bounds.select(np.array([1, 3])).find_best(2).tolist() == [0, 1]
    assert bounds.find_best(9).tolist() == [0, 1, 2, 3]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9000), st.floats(0.0, 1.0))
def test_a_sample_of_the_estimates_loses_none_of_the_highest(seed, count, share):
    rng = np.random.default_rng(seed)
    estimates = np.sort(rng.normal(size=count)).astype(np.float32)
    if seed % 2:
        estimates = rng.permutation(estimates).round(1)
    k = max(1, int(share * count))
    best = make_bounds(estimates).find_best(k)
    assert sorted(estimates[best].tolist()) == np.sort(estimates)[count - k :].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_finds_the_same_before_and_after_quantising(kind, monkeypatch):
    monkeypatch.setattr(vectors, "_MIN_QUANTISED", 100)
    rows = make_rows(5, 3000, 24, kind)
    longest = float(np.linalg.norm(rows.astype(np.float64), axis=1).max())
    plain, searcher = VectorSearcher(rows, longest), VectorSearcher(rows, longest)
    searcher.quantised = QuantisedVectors(rows)
    for number in range(20):
        query = make_rows(100 + number, 1, 24, "units")[0]
        some = np.sort(np.random.default_rng(number).choice(3000, 900, replace=False))
        for k, among in ((7, None), (200, None), (7, some), (200, some), (950, some)):
            wanted, found = plain.search_vectors(query, k, among), searcher.search_vectors(query, k, among)
            assert found.rows.tolist() == wanted.rows.tolist()
            assert found.scores.tolist() == wanted.scores.tolist()


def test_vectors_are_quantised_after_a_few_scans(monkeypatch):
    monkeypatch.setattr(vectors, "_MIN_QUANTISED", 100)
    rows = make_rows(6, 400, 8, "units")
    searcher = VectorSearcher(rows, 1.1)
    for number in range(vectors._SCANS):
        assert searcher.quantised is None
        searcher.search_vectors(make_rows(number, 1, 8, "units")[0], 3)
    assert searcher.quantised is not None


def test_many_vectors_are_quantised_by_another_thread(monkeypatch):
    monkeypatch.setattr(vectors, "_MIN_QUANTISED", 100)
    monkeypatch.setattr(vectors, "_AT_ONCE", 100)
    rows = make_rows(6, 400, 8, "units")
    searcher = VectorSearcher(rows, 1.1)
    queries = [make_rows(number, 1, 8, "units")[0] for number in range(vectors._SCANS)]
    expected = [searcher.search_vectors(query, 3).rows.tolist() for query in queries]
    searcher._quantising.join()
    assert searcher.quantised is not None
    assert [searcher.search_vectors(query, 3).rows.tolist() for query in queries] == expected


def test_the_model_is_a_product_of_whole_numbers():
    onnx = pytest.importorskip("onnx")
    graph = onnx.load_from_string(products.MODEL).graph
    (node,), (zero,) = graph.node, graph.initializer
    assert (node.op_type, list(node.input), list(node.output)) == ("MatMulInteger", ["a", "b", "z"], ["y"])
    assert (zero.name, onnx.numpy_helper.to_array(zero).item()) == ("z", products.ZERO)


def make_texts(seed: int, count: int, dim: int) -> np.ndarray:
    """Rows that extend along few axes, as vectors of texts do, of unit length."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(np.random.default_rng(0).normal(size=(dim, dim)))[0]
    rows = rng.normal(size=(count, dim)) * np.exp(-np.arange(dim) / (dim / 6)) @ axes.T
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_many_vectors_are_compared_by_their_leading_dimensions(monkeypatch):
    monkeypatch.setattr(leading, "_MANY", 1000)
    rows = make_texts(1, 6000, 96)
    found = quantise(rows)
    assert isinstance(found, LeadingVectors)
    assert found.rotation.width <= 48
    plain, searcher = VectorSearcher(rows, 1.001), VectorSearcher(rows, 1.001)
    searcher.quantised = found
    some = np.arange(500, 5000)
    wanted = missed = 0
    for query in make_texts(2, 40, 96):
        for among in (None, some):
            for k in (10, 100):
                exact, near = plain.search_vectors(query, k, among), searcher.search_vectors(query, k, among)
                wanted, missed = wanted + k, missed + len(set(exact.rows.tolist()) - set(near.rows.tolist()))
                assert near.rows[:10].tolist() == exact.rows[:10].tolist()
                assert near.scores[:10].tolist() == exact.scores[:10].tolist()
    assert missed <= 0.002 * wanted


def test_vectors_that_extend_along_all_axes_are_compared_by_all_dimensions(monkeypatch):
    monkeypatch.setattr(leading, "_MANY", 100)
    assert isinstance(quantise(make_rows(9, 2000, 32, "units")), QuantisedVectors)
    assert isinstance(quantise(np.zeros((200, 8), np.float32)), QuantisedVectors)
    assert isinstance(quantise(make_texts(3, 50, 32)), QuantisedVectors)


@pytest.mark.parametrize("count", [1500, 1536, 2000])
def test_rows_that_were_added_extend_the_leading_dimensions(count, monkeypatch):
    monkeypatch.setattr(quantised, "_BLOCK", 512)
    monkeypatch.setattr(leading, "_MANY", 1000)
    rows = make_texts(4, 2000, 64)
    before = quantise(rows[:count])
    assert before.begins(rows)
    assert not before.begins(rows[::-1])
    assert not before.begins(rows[: count - 1])
    extended, whole = quantise(rows, before), LeadingVectors(rows, before.rotation)
    query = make_texts(5, 1, 64)[0]
    ours, theirs = extended.bound(query), whole.bound(query)
    np.testing.assert_allclose(get_estimates(ours), get_estimates(theirs), atol=1e-2)
    np.testing.assert_allclose(measure_margins(ours), measure_margins(theirs), atol=1e-2)


@pytest.mark.parametrize("count", [150, 192, 200])
def test_rows_that_were_added_extend_what_is_quantised(count, monkeypatch):
    monkeypatch.setattr(quantised, "_BLOCK", 64)
    rows = make_rows(7, 200, 16, "units")
    before = QuantisedVectors(rows[:count])
    assert before.begins(rows)
    assert not before.begins(rows[::-1])
    assert not before.begins(rows[: count - 1])
    extended, whole = QuantisedVectors(rows, before), QuantisedVectors(rows)
    query = make_rows(8, 1, 16, "units")[0]
    ours, theirs = extended.bound(query), whole.bound(query)
    assert (get_estimates(ours) == get_estimates(theirs)).all()
    assert (measure_margins(ours) == measure_margins(theirs)).all()


def test_a_view_after_a_write_takes_over_what_is_quantised(tmp_path, monkeypatch):
    monkeypatch.setattr(vectors, "_MIN_QUANTISED", 10)
    monkeypatch.setattr(vectors, "_SCANS", 2)
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add([Document(f"d{number}", f"Rain number {number} fell.") for number in range(30)])
        for question in ("rain", "snow", "hail"):
            index.search(question)
        assert index._backend.view().quantised is not None
        index.add([Document("new", "Frogs fell.")])
        assert index.search("frogs")[0].id == "new"
        _, found = index._backend.view().quantised
        assert len(found) == 31
        index.delete("new")
        index.compact(erase=True)
        assert index.search("frogs")
        view = index._backend.view()
        assert view.quantised is None or len(view.quantised[1]) == view.passage_count


def test_packed_blocks_give_the_same_products_and_can_be_extended(monkeypatch):
    monkeypatch.setattr(quantised, "_BLOCK", 64)
    rows, query = make_rows(8, 150, 16, "units"), make_rows(9, 1, 16, "units")[0]
    found = QuantisedVectors(rows[:100])
    first = get_estimates(found.bound(query)).tolist()
    for _ in range(products._PACKED_AFTER):
        assert get_estimates(found.bound(query)).tolist() == first
    assert [block.numbers.size for block in found._blocks] == [0, 36 * 16]  # a full block is kept once
    packed_at_once = QuantisedVectors(rows[:100])
    packed_at_once.pack()
    assert [block.numbers.size for block in packed_at_once._blocks] == [0, 36 * 16]
    assert get_estimates(packed_at_once.bound(query)).tolist() == first
    extended = QuantisedVectors(rows, before=found)
    assert get_estimates(extended.bound(query)).tolist() == get_estimates(QuantisedVectors(rows).bound(query)).tolist()
    assert get_estimates(extended.bound(query))[:100].tolist() == first
