"""Quantised vectors: their bounds hold, and a search by them finds what an exact search finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.api import Index
from epochal.storage import quantised, vectors
from epochal.storage.quantised import Bounds, QuantisedVectors, select_possible
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


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 300), st.integers(1, 70), st.sampled_from(KINDS))
def test_products_lie_within_their_bounds(seed, count, dim, kind):
    rows = make_rows(seed, count, dim, kind)
    query = make_rows(seed + 1, 1, dim, "sparse" if seed % 2 else "units")[0]
    bounds = QuantisedVectors(rows).bound(query)
    products = rows.astype(np.float64) @ query.astype(np.float64)
    assert (np.abs(products - bounds.estimates) <= bounds.measure_errors()).all()


def test_bounds_are_narrow():
    rows, query = make_rows(1, 500, 256, "units"), make_rows(2, 1, 256, "units")[0]
    assert QuantisedVectors(rows).bound(query).measure_errors().max() < 0.06


def test_rows_lie_in_several_blocks(monkeypatch):
    monkeypatch.setattr(quantised, "_BLOCK", 64)
    monkeypatch.setattr(quantised, "_CHUNK", 24)
    rows, query = make_rows(3, 200, 16, "units"), make_rows(4, 1, 16, "units")[0]
    bounds = QuantisedVectors(rows).bound(query)
    assert len(bounds.estimates) == 200
    assert (np.abs(rows.astype(np.float64) @ query - bounds.estimates) <= bounds.measure_errors()).all()


def test_all_that_can_be_among_the_best_is_selected():
    errors = np.full(4, 0.1, np.float32)
    half = np.float32(0.5)
    bounds = Bounds(np.array([5.0, 4.0, 3.9, 1.0], np.float32), errors, errors, half, half, np.float32(0.1))
    assert select_possible(bounds, 1).tolist() == [0]
    assert select_possible(bounds, 2).tolist() == [0, 1, 2]
    assert select_possible(bounds, 4).tolist() == [0, 1, 2, 3]
    assert select_possible(bounds.take(np.array([1, 3])), 1).tolist() == [0]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9000), st.floats(0.0, 1.0), st.sampled_from((1e-4, 0.02, 3.0)))
def test_a_sample_of_the_estimates_loses_none_of_the_best(seed, count, share, width):
    rng = np.random.default_rng(seed)
    estimates, errors = np.sort(rng.normal(size=count)), rng.random(count) * width
    if seed % 2:
        estimates = rng.permutation(estimates).round(1)
    zeros, one = np.zeros(count, np.float32), np.float32(1)
    widest = np.float32(errors.max())
    bounds = Bounds(estimates.astype(np.float32), errors.astype(np.float32), zeros, one, one, widest)
    k = max(1, int(share * count))
    products = bounds.estimates + rng.uniform(-1, 1, count) * bounds.errors * 0.999
    (best,) = np.nonzero(products >= np.sort(products)[count - k])
    assert set(best.tolist()) <= set(select_possible(bounds, k).tolist())


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


def test_the_model_is_a_product_of_whole_numbers():
    onnx = pytest.importorskip("onnx")
    (node,) = onnx.load_from_string(quantised.MODEL).graph.node
    assert (node.op_type, list(node.input), list(node.output)) == ("MatMulInteger", ["a", "b"], ["y"])


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
    assert all((ours == theirs).all() for ours, theirs in zip(extended.bound(query), whole.bound(query), strict=True))


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
        index.compact()
        assert index.search("frogs")
        assert index._backend.view().quantised is None or len(index._backend.view().quantised[1]) == 30
