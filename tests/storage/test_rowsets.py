"""Sets of rows by marks against numpy's by sorting."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epochal.storage.protocol import intersect_rows, subtract_rows, union_rows

ROWS = st.lists(st.integers(0, 60), max_size=30).map(lambda rows: np.array(rows, dtype=np.int64))


@given(ROWS, ROWS, ROWS)
def test_joined_is_the_union(first, second, third):
    assert union_rows(first, second, third).tolist() == np.unique(np.concatenate([first, second, third])).tolist()


@given(ROWS, ROWS)
def test_shared_and_without_part_the_rows_and_keep_their_order(rows, others):
    kept = np.isin(rows, others)
    assert intersect_rows(rows, others).tolist() == rows[kept].tolist()
    assert subtract_rows(rows, others).tolist() == rows[~kept].tolist()


def test_nothing_joined_is_nothing():
    assert union_rows().tolist() == []
