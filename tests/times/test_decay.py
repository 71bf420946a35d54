"""Freshness: parity with Elasticsearch's decay formulas, bounds, and what the future counts for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, UnknownNameError
from epochal.times import Exponential, Gaussian, Linear, Span, SpanSet, Steps, freshness
from epochal.times.kernels import measure_ages
from spans_strategy import closed_spans

DAY = 86_400.0
CURVES = st.sampled_from(
    [Exponential(30 * DAY), Gaussian(30 * DAY, 0.3, DAY), Linear(7 * DAY, 0.5), Steps(((DAY, 0.5), (9 * DAY, 0.0)))]
)


def elastic(kind: str, value: float, origin: float, scale: float, offset: float, decay: float) -> float:
    """The decay functions as the Elasticsearch reference states them (function_score query)."""
    late = max(0.0, abs(value - origin) - offset)
    if kind == "gauss":
        sigma_squared = -(scale**2) / (2 * math.log(decay))
        return math.exp(-(late**2) / (2 * sigma_squared))
    if kind == "exp":
        return math.exp(math.log(decay) / scale * late)
    slope = scale / (1.0 - decay)
    return max((slope - late) / slope, 0.0)


@given(
    st.floats(0, 1e9),
    st.floats(1.0, 1e8),
    st.floats(0, 1e7),
    st.floats(0.01, 0.99),
    st.sampled_from([("exp", Exponential), ("gauss", Gaussian), ("linear", Linear)]),
)
def test_parity_with_elasticsearch(age: float, scale: float, offset: float, decay: float, kind: tuple) -> None:
    name, curve = kind
    ours = curve(scale, decay, offset)(np.array([age]))[0]
    assert ours == pytest.approx(elastic(name, age, 0.0, scale, offset, decay), abs=1e-12)


@given(st.lists(st.floats(0, 1e12), min_size=2, max_size=20), CURVES)
def test_curves_are_bounded_and_never_rise(values: list[float], curve) -> None:
    scores = curve(np.array(sorted(values)))
    assert ((scores >= 0) & (scores <= 1)).all()
    assert (np.diff(scores) <= 0).all()
    assert curve(np.array([0.0]))[0] == 1.0


@given(
    st.lists(closed_spans(), min_size=1, max_size=8),
    closed_spans(),
    CURVES,
    st.sampled_from(["as_new", "mirror", "zero"]),
)
def test_any_span_at_any_time_is_bounded(items: list[Span], now: Span, curve, future: str) -> None:
    scores = freshness(SpanSet.of(items), now, curve, future=future)
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()


def test_an_age_is_measured_to_the_near_end() -> None:
    now = Span.parse("2026-11-15")
    docs = SpanSet.of([Span.parse(text) for text in ("2026", "2026-11-14", "2025", "2027", "2020/..")])
    assert (measure_ages(docs, now) / DAY).tolist() == [0, 0, 318, -46, 0]


def test_the_future_follows_its_policy() -> None:
    docs, now = SpanSet.of([Span.parse("2027")]), Span.parse("2026-12-01")
    curve = Exponential(30 * DAY)
    assert freshness(docs, now, curve)[0] == 1.0
    assert freshness(docs, now, curve, future="mirror")[0] == pytest.approx(0.5)
    assert freshness(docs, now, curve, future="zero")[0] == 0.0
    with pytest.raises(UnknownNameError, match="no future policy is called 'ignore'; known: as_new, mirror, zero"):
        freshness(docs, now, curve, future="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Exponential(0), "scale must be a length of time above 0"),
        (lambda: Gaussian(1, 1.0), "decay must lie between 0 and 1, but is 1.0"),
        (lambda: Linear(1, 0.5, -1), "offset must be 0 or more"),
        (lambda: Steps(()), "ages that rise"),
        (lambda: Steps(((2, 0.5), (1, 0.1))), "ages that rise"),
        (lambda: Steps(((1, 0.5), (2, 0.7))), "scores that fall"),
        (lambda: freshness(SpanSet.of([]), Span.parse("2000/.."), Exponential(1)), "now must have an end"),
    ],
)
def test_bad_parameters_are_named(build, message: str) -> None:
    with pytest.raises(EpochalError, match=message):
        build()
