from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from epochal.encoders.onnx_weights import ZERO, dequantise, quantise, replace_weights


@given(arrays(np.float32, (5, 3), elements=st.floats(-100, 100, width=32)))
def test_half_a_step_is_all_that_is_lost(weight):
    small, scale = quantise(weight)
    assert small.dtype == np.uint8
    assert small.min() >= 1
    assert (np.abs(dequantise(small, scale) - weight) <= 0.501 * scale + 1e-7).all()


@given(arrays(np.float32, (5, 3), elements=st.floats(-100, 100, width=32)))
def test_a_second_time_changes_nothing(weight):
    small, scale = quantise(weight)
    again, same = quantise(dequantise(small, scale))
    filled = np.abs(weight).max(axis=0) > 1e-6
    assert np.array_equal(again[:, filled], small[:, filled])
    assert np.allclose(same[filled], scale[filled], rtol=1e-6)


def test_a_column_of_zeros():
    small, scale = quantise(np.zeros((2, 1)))
    assert small.tolist() == [[ZERO], [ZERO]]
    assert dequantise(small, scale).tolist() == [[0.0], [0.0]]


@given(st.integers(0, 1000), st.sampled_from([0.01, 0.05, 0.3, 40.0]))
def test_what_is_added_reads_its_directions_whatever_its_size(seed, size):
    random = np.random.default_rng(seed)
    weight, scale = quantise(random.normal(size=(96, 7)).astype(np.float32))
    inputs = random.normal(size=(96, 3)).astype(np.float32)
    outputs = (random.normal(size=(3, 7)) * size * scale).astype(np.float32)
    built, result = replace_weights(weight, scale, inputs, outputs)
    expected = dequantise(weight, scale) + inputs @ outputs
    lost = (dequantise(built, result) - expected) / result
    assert np.abs(lost).max() <= 1.001
    basis = np.linalg.qr(inputs)[0]
    assert np.abs(basis.T @ lost).max() < 0.6
    if size <= 0.05:
        by_itself = np.abs(basis.T @ ((inputs @ outputs) / scale)).mean()  # rounding alone leaves the weight as it was
        assert np.abs(basis.T @ lost).mean() < by_itself
    assert np.array_equal(result, scale) or size > 0.05 or (result >= scale).all()


def test_nothing_added_changes_nothing():
    weight, scale = quantise(np.random.default_rng(1).normal(size=(40, 5)))
    built, result = replace_weights(weight, scale, np.ones((40, 2), np.float32), np.zeros((2, 5), np.float32))
    assert np.array_equal(built, weight)
    assert np.array_equal(result, scale)
