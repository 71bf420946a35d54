"""Calibration: probabilities that come true as often as they say have no error, whatever they are."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.metrics.calibration import compute_calibration_error, compute_risk_at_coverage, make_bins

_EVENTS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


@given(_EVENTS)
def test_bins_hold_every_event_once_and_bound_their_means(events):
    probabilities, truths = [value for value, _ in events], [truth for _, truth in events]
    bins = make_bins(probabilities, truths)
    assert sum(one.count for one in bins) == len(events)
    assert sum(one.count * one.share for one in bins) == pytest.approx(sum(truths), abs=1e-3)
    assert all(one.low - 1e-6 <= one.mean <= one.high + 1e-6 for one in bins)


@given(_EVENTS)
def test_error_is_bounded_and_zero_where_certainty_is_right(events):
    probabilities, truths = [value for value, _ in events], [truth for _, truth in events]
    assert 0 <= compute_calibration_error(probabilities, truths) <= 1
    assert compute_calibration_error([float(truth) for truth in truths], truths) == 0
    assert compute_calibration_error([1 - float(truth) for truth in truths], truths) == 1


def test_shares_that_match_have_no_error():
    assert compute_calibration_error([0.25] * 4, [True, False, False, False]) == 0


def test_risk_falls_with_coverage_where_certainty_orders():
    probabilities, truths = [0.9, 0.8, 0.6, 0.2], [True, True, False, False]
    risks = [compute_risk_at_coverage(probabilities, truths, coverage) for coverage in (0.5, 0.75, 1)]
    assert risks == [0, pytest.approx(1 / 3), 0.5]


def test_nothing_to_measure_and_wrong_values():
    assert math.isnan(compute_calibration_error([], []))
    assert math.isnan(compute_risk_at_coverage([], [], 0.5))
    with pytest.raises(EpochalError, match=r"a probability is 1\.5; accepted: from 0 to 1"):
        make_bins([0.5, 1.5], [True, True])
    with pytest.raises(EpochalError, match="2 probabilities with 1 truths"):
        make_bins([0.5, 0.5], [True])
    with pytest.raises(EpochalError, match="coverage is 0; accepted"):
        compute_risk_at_coverage([0.5], [True], 0)
