"""Freshness: parity with Elasticsearch's decay formulas, bounds, and what the future counts for."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, UnknownNameError
from epochal.times import (
    OPEN_END,
    OPEN_START,
    Allen,
    Exponential,
    Gaussian,
    Grain,
    Linear,
    Span,
    SpanSet,
    Steps,
    after,
    around,
    before,
    during,
    freshness,
    overlaps,
    related,
)
from epochal.times.axis import Certainty
from epochal.times.filters import RELATIONS, build_filter
from epochal.times.kernels import measure_ages
from epochal.times.spanset import SpanLookup
from spans_strategy import closed_spans, spans

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


@given(spans(), spans(), st.sampled_from(sorted(RELATIONS)))
def test_a_word_is_its_relations(item: Span, probe: Span, name: str) -> None:
    assert build_filter(name, probe)(item) == (item.relation(probe) in RELATIONS[name])


@given(spans(), spans())
def test_every_pair_is_before_after_or_sharing(item: Span, probe: Span) -> None:
    assert [before(probe)(item), after(probe)(item), overlaps(probe)(item)].count(True) == 1


@given(spans(), spans(), st.sampled_from(list(Allen)))
def test_each_allen_relation_is_a_filter(item: Span, probe: Span, expected: Allen) -> None:
    assert related(probe, expected)(item) == (item.relation(probe) is expected)


@given(spans(), spans(), spans())
def test_filters_join(item: Span, first: Span, second: Span) -> None:
    one, two = during(first), overlaps(second)
    assert (one & two)(item) == (one(item) and two(item))
    assert (one | two)(item) == (one(item) or two(item))
    assert (~one)(item) == (not one(item))
    many = SpanSet.of([item])
    for condition in (one & two, one | two, ~one, one & ~two):
        assert many.find(condition).tolist() == ([0] if condition(item) else [])


@given(closed_spans(), closed_spans())
def test_around_counts_units_of_the_grain(item: Span, probe: Span) -> None:
    margin = 2 * probe.coarsest_grain.seconds
    assert around(probe, 2)(item) == (abs(probe.gap(item)) <= margin)


def test_around_of_an_open_span_stays_open() -> None:
    since = Span.parse("1985/..")
    assert around(since)(Span.year(9000))
    assert around(since)(Span.year(1984))
    assert not around(since)(Span.year(1982))


def test_around_in_another_grain() -> None:
    assert around(Span.year(2004), 2, Grain.DAY)(Span.day(2005, 1, 2))
    assert not around(Span.year(2004), 2, Grain.DAY)(Span.day(2005, 1, 5))


def test_bad_words_are_named() -> None:
    with pytest.raises(UnknownNameError, match="no relation is called 'near'; known: during, overlaps"):
        build_filter("near", Span.year(2004))
    with pytest.raises(EpochalError, match="0 or more, but is -1"):
        around(Span.year(2004), -1)
    with pytest.raises(EpochalError, match="at least one"):
        related(Span.year(2004))


def test_a_filter_says_what_it_is() -> None:
    assert repr(during(Span.year(2004)) & ~before(Span.year(2001))) == "<TimeFilter (during 2004 and not before 2001)>"


def test_kinds_stay_apart() -> None:
    starts = np.zeros(6, dtype=np.int64)
    lookup = SpanLookup(starts, starts + 10, np.array([0, 1, 0, 1, 2, 2], dtype=np.int8))
    assert [bucket.kind for bucket in lookup.buckets] == [0, 1, 2]
    assert [bucket.high - bucket.low for bucket in lookup.buckets] == [2, 2, 2]


def test_long_spans_do_not_spoil_short_ones() -> None:
    """A few spans of a thousand years must not make every day a candidate."""
    days = np.arange(100_000, dtype=np.int64) * 86_400
    starts = np.concatenate([days, days[::1000]])
    ends = np.concatenate([days + 86_400, days[::1000] + 1000 * 31_556_952])
    lookup = SpanLookup(starts, ends)
    looked_at = sum(last - first for first, last in lookup.runs(50_000 * 86_400, 50_010 * 86_400))
    assert looked_at <= 10 + 2 + 100
    assert len(lookup.overlapping(50_000 * 86_400, 50_010 * 86_400)) == 10 + 51


@pytest.mark.parametrize("count", [50, 5_000, 40_000])
def test_small_and_large_buckets_answer_alike(count: int) -> None:
    """Whether a bucket is searched or compared span by span, the answer is that of comparing all spans."""
    rng = np.random.default_rng(count)
    starts = rng.integers(-10_000_000, 10_000_000, count)
    ends = starts + 1 + (2.0 ** rng.uniform(0, 22, count)).astype(np.int64)
    starts[rng.random(count) < 0.05] = OPEN_START
    ends[rng.random(count) < 0.05] = OPEN_END
    lookup = SpanLookup(starts, ends, (rng.random(count) < 0.02).astype(np.int8))
    for low, high in rng.integers(-11_000_000, 11_000_000, (200, 2)).tolist():
        first, last = min(low, high), max(low, high) + 1
        expected = np.flatnonzero((starts < last) & (ends > first))
        assert np.array_equal(np.sort(lookup.overlapping(first, last)), expected)
        shorter = expected[ends[expected] - starts[expected] <= 100_000]
        assert np.array_equal(np.sort(lookup.overlapping(first, last, 100_000)), shorter)


def test_open_spans_are_found_from_both_sides() -> None:
    starts = np.array([OPEN_START, 0, OPEN_START], dtype=np.int64)
    ends = np.array([10, OPEN_END, OPEN_END], dtype=np.int64)
    lookup = SpanLookup(starts, ends)
    assert sorted(lookup.overlapping(20, 30).tolist()) == [1, 2]
    assert sorted(lookup.overlapping(-30, -20).tolist()) == [0, 2]
    assert sorted(lookup.overlapping(5, 6).tolist()) == [0, 1, 2]


def test_spans_as_long_as_the_axis_are_not_taken_for_open_ones() -> None:
    starts = np.array([OPEN_START + 1], dtype=np.int64)
    ends = np.array([OPEN_END - 1], dtype=np.int64)
    lookup = SpanLookup(starts, ends)
    assert not lookup.buckets[0].is_open_start
    assert sorted(lookup.overlapping(0, 1).tolist()) == [0]
    assert sorted(lookup.overlapping(OPEN_END - 1, OPEN_END).tolist()) == []


def test_an_empty_index_finds_nothing() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert SpanLookup(nothing, nothing).overlapping(0, 1).tolist() == []


@pytest.mark.parametrize("certainty", list(Certainty))
def test_marks_labels_and_reprs(certainty):
    assert Certainty.of_mark(certainty.mark) is certainty
    assert eval(repr(certainty)) is certainty
    assert str(certainty) == repr(certainty)
    assert certainty.label == certainty.name.lower()


def test_the_marks_of_edtf():
    assert [certainty.mark for certainty in Certainty] == ["", "~", "?", "%"]


@pytest.mark.parametrize(("first", "second"), list(itertools.product(Certainty, repeat=2)))
def test_or_gathers_the_doubts(first, second):
    both = first | second
    assert isinstance(both, Certainty)
    assert both == second | first
    assert both.is_approximate == (first.is_approximate or second.is_approximate)
    assert both.is_uncertain == (first.is_uncertain or second.is_uncertain)
    assert both >= max(first, second)


def test_only_the_certain_is_neither_near_nor_doubted():
    assert [c for c in Certainty if not (c.is_approximate or c.is_uncertain)] == [Certainty.CERTAIN]
    assert [c for c in Certainty if c.is_approximate and c.is_uncertain] == [Certainty.BOTH]


@pytest.mark.parametrize("mark", ["!", "~?", "x", " "])
def test_an_unknown_mark_is_named(mark):
    with pytest.raises(UnknownNameError) as caught:
        Certainty.of_mark(mark)
    assert repr(mark) in str(caught.value)
    assert "(none), ~, ?, %" in str(caught.value)
