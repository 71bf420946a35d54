"""Beliefs: the likelihood of a window is the sum over its months, and a stretch is the shortest that holds half."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.ranking.dating.dater import LEAST, DateDistribution
from epochal.ranking.dating.months import MONTHS, MonthAxis, Months

AXIS = MonthAxis.gregorian(1998, 2003)
SHARES = st.floats(0.001, 1.0)


def beliefs(years: list[list[float]], months: list[list[float]]) -> DateDistribution:
    of_years, of_months = (np.array(rows) / np.sum(rows, axis=1, keepdims=True) for rows in (years, months))
    return DateDistribution(AXIS, of_years.astype(np.float32), of_months.astype(np.float32), np.zeros(len(years)))


@st.composite
def made(draw: st.DrawFn) -> DateDistribution:
    count = draw(st.integers(1, 3))
    rows = [[draw(SHARES) for _ in range(AXIS.years)] for _ in range(count)]
    return beliefs(rows, [[draw(SHARES) for _ in range(MONTHS)] for _ in range(count)])


@given(made(), st.integers(0, AXIS.months - 1), st.integers(0, AXIS.months - 1))
def test_a_likelihood_is_that_of_a_slow_loop(held: DateDistribution, one: int, other: int) -> None:
    asked = Months(min(one, other), max(one, other))
    slow = [
        sum(float(years[at // MONTHS]) * float(months[at % MONTHS]) for at in range(asked.first, asked.last + 1))
        for years, months in zip(held.years, held.months, strict=True)
    ]
    assert held.likelihoods(asked) == pytest.approx(slow, abs=1e-6)
    assert held.log_likelihoods(asked) == pytest.approx(np.log(np.array(slow) + LEAST), abs=1e-4)


@given(made())
def test_some_time_is_certain(held: DateDistribution) -> None:
    assert held.likelihoods(Months(0, AXIS.months - 1)) == pytest.approx(np.ones(len(held)), abs=1e-5)
    assert held.spread().likelihoods(Months(0, AXIS.months - 1)) == pytest.approx(np.ones(len(held)), abs=1e-5)


@given(made())
def test_an_interval_is_the_shortest_that_holds_half(held: DateDistribution) -> None:
    span = held.find_interval(0)
    first, last = span.first_year - AXIS.first_year, span.last_year - AXIS.first_year
    years = held.years[0].astype(np.float64)
    assert years[first : last + 1].sum() >= 0.5 * years.sum() - 1e-6
    shorter = last - first
    assert all(years[at : at + shorter].sum() < 0.5 * years.sum() + 1e-6 for at in range(AXIS.years))
    assert span.edtf().count("?") == (1 if first == last else 2)


def test_a_belief_that_is_reported_is_less_sure_than_one_that_ranks() -> None:
    sure = beliefs([[1e-9, 1e-9, 1, 1e-9, 1e-9, 1e-9]], [[1.0] * MONTHS])
    assert sure.find_interval(0).edtf() == "2000?"
    assert sure.spread().years[0].argmax() == 2
    assert sure.spread().years[0, 2] < 0.3
    assert sure.spread().months.tolist() == sure.months.tolist()
