"""Gaps of the candidates of pools, against a slow count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.storage.records import Document
from epochal.times import Grain, Span, SpanSet
from epochal_lab.models.re3.features import (
    TimeGaps,
    compute_signed_days,
    compute_time_gaps,
    get_mentioned_times,
    get_reference,
)
from lab.systems.test_scorers_pool import Counting, pool_of

DAY = 86_400
PRIZES = [
    Document("a", "The prize of 1901 went to Anna, who was born in 1850.", published=Span.parse("1902-03-04")),
    Document("b", "The prize of 1904 went to Bert."),
    Document("c", "The prize went to Carl.", published=Span.parse("1905-05-02")),
    Document("d", "The prize went to nobody."),
]


def slow_rel(window: Span, spans: list[Span]) -> float:
    """The least distance in days, counted as time stamps are, with its side."""
    best = math.nan
    for span in spans:
        if span.start < window.end and span.end > window.start:
            days = 0.0
        else:
            grain = max(span.grain, span.end_grain, window.grain, window.end_grain)
            between = span.start - window.end if span.start >= window.end else window.start - span.end
            days = (between + Grain(grain).seconds) / DAY
            days = days if span.start >= window.end else -days
        if math.isnan(best) or abs(days) < abs(best):
            best = days
    return best


def test_the_nearest_time_counts_with_its_side() -> None:
    with pool_of(PRIZES, "Who got the prize in 1902?", "1910-01-01", Counting()) as pool:
        gaps = compute_time_gaps(pool)
        mentioned = get_mentioned_times(pool)
        by_candidate = [
            [mentioned.spans[at] for at in np.flatnonzero(mentioned.positions == position)] for position in range(4)
        ]
        window = pool.windows[0].span
        expected = [slow_rel(window, spans) for spans in by_candidate]
        assert gaps.rel == pytest.approx(expected, nan_ok=True)
        assert np.sign(gaps.rel[:2]).tolist() == [-1, 1]
        assert np.isnan(gaps.rel[2:]).all()
        assert gaps.timed
        assert [mentioned.spans[int(at)].edtf() for at in gaps.nearest[:2]] == ["1901", "1904"]


def test_ages_are_counted_from_the_time_that_is_asked_for_else_from_the_present() -> None:
    with pool_of(PRIZES, "Who got the prize in 1906?", "1910-01-01", Counting()) as pool:
        assert get_reference(pool) == Span.year(1906)
        ages = compute_time_gaps(pool).rec
        assert ages[2] == pytest.approx((Span.year(1906).end - Span.parse("1905-05-02").end) / DAY)
        assert np.isnan(ages[[1, 3]]).all()
    with pool_of(PRIZES, "Who got the prize?", "1910-01-01", Counting()) as pool:
        assert get_reference(pool) == Span.parse("1910-01-01")
        gaps = compute_time_gaps(pool)
        assert not gaps.timed
        assert np.isnan(gaps.rel).all()
        assert gaps.rec[0] == pytest.approx((Span.parse("1910-01-01").end - Span.parse("1902-03-04").end) / DAY)
    with pool_of(PRIZES, "Who got the prize?", None, Counting()) as pool:
        assert get_reference(pool) is None
        assert compute_time_gaps(pool).unknown.all()


def test_what_appeared_later_has_a_negative_age() -> None:
    with pool_of(PRIZES, "Who got the prize in 1901?", None, Counting()) as pool:
        assert compute_time_gaps(pool).rec[0] < 0


def test_two_issues_of_one_day_have_different_ages() -> None:
    issues = [
        Document("a", "Rain on 3 May 2014.", published=Span.parse("2014-05-02T08:00:00Z")),
        Document("b", "Rain on 3 May 2014.", published=Span.parse("2014-05-02T20:00:00Z")),
    ]
    with pool_of(issues, "rain on 3 May 2014", None, Counting()) as pool:
        gaps = compute_time_gaps(pool)
        assert gaps.rel.tolist() == [0, 0]
        assert gaps.overlap.tolist() == [1, 1]
        assert gaps.rec[0] - gaps.rec[1] == pytest.approx(0.5)


def test_overlap_is_the_share_of_what_both_cover() -> None:
    decade = [Document("a", "The prize of the 1900s."), Document("b", "The prize of 1902.")]
    with pool_of(decade, "prize in 1902", None, Counting()) as pool:
        gaps = compute_time_gaps(pool)
        assert gaps.rel.tolist() == [0, 0]
        assert gaps.overlap == pytest.approx([365 / 3652, 1.0], abs=1e-3)


def test_of_several_windows_the_nearest_counts() -> None:
    with pool_of(PRIZES, "Compare the prize of 1901 with the prize of 1904.", None, Counting()) as pool:
        assert len(pool.windows) == 2
        assert compute_time_gaps(pool).rel[:2].tolist() == [0, 0]


@given(st.integers(1000, 3000), st.integers(1000, 3000))
def test_years_lie_apart_by_their_numbers_with_a_side(query: int, stated: int) -> None:
    result = compute_signed_days(Span.year(query), SpanSet.of([Span.year(stated)]))[0]
    assert result / 365.2425 == pytest.approx(stated - query, abs=0.01)


def test_gaps_can_be_taken_away() -> None:
    gaps = TimeGaps(np.array([1.0, 2.0]), np.array([0.5, 0.5]), np.array([3.0, 4.0]), True)
    less = gaps.hide(np.array([True, False]), np.array([False, True]))
    assert np.isnan(less.rel).tolist() == [True, False]
    assert less.overlap.tolist() == [0.0, 0.5]
    assert less.unknown.tolist() == [[True, False], [False, True]]
    assert gaps.rel.tolist() == [1.0, 2.0]
