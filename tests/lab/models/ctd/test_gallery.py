"""Search by blocks finds exactly what a look at everything finds."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.models.ctd.context import RelativeBias
from epochal_lab.models.ctd.searching import Gallery


def unit(draw: np.random.Generator, *shape: int) -> np.ndarray:
    rows = draw.standard_normal(shape).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@given(st.integers(1, 60), st.integers(1, 5), st.integers(1, 70), st.sampled_from([1, 7, 1000]), st.integers(0, 2**31))
def test_search_is_brute_force(count: int, query: int, k: int, block: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    # Few different numbers, so that there are ties to be broken by row.
    records = draw.integers(-1, 2, (count, 3)).astype(np.float32)
    questions = draw.integers(-1, 2, (query, 3)).astype(np.float32)
    table = draw.integers(0, 3, 9).astype(np.float32)
    positions, where = draw.random(count).astype(np.float32), draw.random(query).astype(np.float32)
    match = Gallery(records, positions, table, scale=2.0, block=block).search(questions, where, k)
    for row in range(query):
        shift = np.rint(positions * 4).astype(int) - int(np.rint(where[row] * 4))
        want = 2 * records @ questions[row] + table[shift + 4]
        order = sorted(range(count), key=lambda number: (-want[number], number))[:k]
        assert match.rows[row].tolist() == order
        assert match.scores[row].tolist() == pytest.approx(want[order].tolist())


def test_the_scores_are_the_models() -> None:
    torch.manual_seed(2)
    bias = RelativeBias(steps=3060)
    with torch.no_grad():
        bias.eps.fill_(1.5)
    draw = np.random.default_rng(1)
    records, questions = unit(draw, 50, 8), unit(draw, 6, 8)
    positions, where = draw.random(50).astype(np.float32), draw.random(6).astype(np.float32)
    exact = questions @ records.T / 0.05 + bias(torch.tensor(where), torch.tensor(positions)).detach().numpy()
    table = bias.table(1 << 15)
    gallery = Gallery(records, positions, table, scale=20.0)
    error = np.abs(gallery.compute_scores(questions, where) - exact).max()
    # Both places are rounded to half a cell, so that their distance is wrong by a cell at most.
    assert error <= np.abs(np.diff(table)).max() * 1.5 + 1e-4


def test_without_a_bias_it_is_an_inner_product() -> None:
    records = unit(np.random.default_rng(3), 30, 5)
    match = Gallery(records).search(records[:4], None, 3)
    assert match.rows[:, 0].tolist() == [0, 1, 2, 3]
    assert match.scores[:, 0].tolist() == pytest.approx([1] * 4, abs=1e-6)


def test_some_records_only() -> None:
    records = np.eye(4, dtype=np.float32)
    gallery = Gallery(records, np.linspace(0, 1, 4, dtype=np.float32), np.arange(5, dtype=np.float32))
    some = gallery.select([3, 1])
    where = np.array([0.5], dtype=np.float32)
    assert (
        some.compute_scores(records[:1], where).tolist()
        == gallery.compute_scores(records[:1], where)[:, [3, 1]].tolist()
    )


def test_nothing_to_search() -> None:
    match = Gallery(np.zeros((0, 3), np.float32)).search(np.zeros((2, 3), np.float32), None, 5)
    assert match.rows.shape == (2, 0)


def test_mistakes_are_reported() -> None:
    rows = np.eye(3, dtype=np.float32)
    with pytest.raises(EpochalError, match="one of them is missing"):
        Gallery(rows, np.zeros(3, np.float32))
    with pytest.raises(EpochalError, match="one each"):
        Gallery(rows, np.zeros(2, np.float32), np.zeros(3, np.float32))
    with pytest.raises(EpochalError, match="odd number"):
        Gallery(rows, np.zeros(3, np.float32), np.zeros(4, np.float32))
    with pytest.raises(EpochalError, match="one row a record"):
        Gallery(rows[0])
    with pytest.raises(EpochalError, match="k is 0"):
        Gallery(rows).search(rows, None, 0)
    with pytest.raises(EpochalError, match="do not fit"):
        Gallery(rows).search(rows[:, :2], None, 1)
    with pytest.raises(EpochalError, match="a position on the axis"):
        Gallery(rows, np.zeros(3, np.float32), np.zeros(3, np.float32)).search(rows, None, 1)
