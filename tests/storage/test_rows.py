"""Rows that are made unique without sorting, and products in parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.ranking.pool import multiply_in_parts
from epochal.storage.protocol import drop_repeated


@given(st.lists(st.integers(-5, 30), max_size=40), st.booleans())
def test_rows_come_once_and_ascend(values, ascending):
    rows = np.array(sorted(values) if ascending else values, dtype=np.int64)
    assert drop_repeated(rows).tolist() == sorted(set(values))


@pytest.mark.parametrize("shape", [(0, 5), (3, 5), (40, 700), (4000, 6)])
def test_a_product_in_parts_is_the_product(shape):
    matrix = np.random.default_rng(1).normal(size=shape)
    np.testing.assert_allclose(multiply_in_parts(matrix, matrix[:50].T), matrix @ matrix[:50].T, atol=1e-9)
    vector = np.arange(shape[1], dtype=np.float64)
    np.testing.assert_allclose(multiply_in_parts(matrix, vector), matrix @ vector, atol=1e-9)
