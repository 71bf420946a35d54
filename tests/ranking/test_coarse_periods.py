"""The spread over time, in few periods: nothing is lost, and time goes forward."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from epochal import Span
from epochal.ranking.histogram import coarsen_periods
from epochal.times import Grain

GRAINS = (Grain.DAY, Grain.MONTH, Grain.YEAR, Grain.DECADE, Grain.CENTURY, Grain.MILLENNIUM)


def row_of_periods(start: int, grain: Grain, count: int) -> tuple[Span, ...]:
    spans = [Span.unit(start, grain)]
    while len(spans) < count:
        spans.append(Span.unit(spans[-1].end, grain))
    return tuple(spans)


@given(
    st.integers(Span.year(10).start, 10**11),  # the decades before and after year 0 share that year
    st.sampled_from(GRAINS),
    st.lists(st.integers(0, 9), min_size=1, max_size=400),
    st.integers(1, 100),
)
def test_counts_are_kept_and_periods_are_few_apart_and_in_order(start, grain, counts, most):
    found = coarsen_periods(row_of_periods(start, grain, len(counts)), tuple(counts), most)
    assert sum(count for _, count in found) == sum(counts)
    assert len(found) <= most
    assert all(count > 0 for _, count in found)
    assert all(one.end <= other.start for (one, _), (other, _) in pairwise(found))


def test_few_enough_periods_stay_as_they_are():
    months = row_of_periods(0, Grain.MONTH, 3)
    assert coarsen_periods(months, (1, 0, 2), 2) == [(months[0], 1), (months[2], 2)]


def test_days_become_months_before_they_become_years():
    days = row_of_periods(Span.year(1998).start, Grain.DAY, 365)
    found = coarsen_periods(days, (1,) * 365, 12)
    assert [span.edtf() for span, _ in found] == [f"1998-{month:02}" for month in range(1, 13)]


def test_an_empty_index_has_no_periods():
    assert coarsen_periods((), (), 5) == []
