"""The index: candidates are a superset, and few."""

from __future__ import annotations

import numpy as np
import pytest

from epochal.times import OPEN_END, OPEN_START
from epochal.times.spanset import SpanLookup


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
