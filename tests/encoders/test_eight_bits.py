from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from epochal.encoders.eight_bits import ZERO, quantised, restored


@given(arrays(np.float32, (5, 3), elements=st.floats(-100, 100, width=32)))
def test_half_a_step_is_all_that_is_lost(weight):
    small, scale = quantised(weight)
    assert small.dtype == np.uint8
    assert small.min() >= 1
    assert (np.abs(restored(small, scale) - weight) <= 0.501 * scale + 1e-7).all()


@given(arrays(np.float32, (5, 3), elements=st.floats(-100, 100, width=32)))
def test_a_second_time_changes_nothing(weight):
    small, scale = quantised(weight)
    again, same = quantised(restored(small, scale))
    filled = np.abs(weight).max(axis=0) > 1e-6
    assert np.array_equal(again[:, filled], small[:, filled])
    assert np.allclose(same[filled], scale[filled], rtol=1e-6)


def test_a_column_of_zeros():
    small, scale = quantised(np.zeros((2, 1)))
    assert small.tolist() == [[ZERO], [ZERO]]
    assert restored(small, scale).tolist() == [[0.0], [0.0]]
