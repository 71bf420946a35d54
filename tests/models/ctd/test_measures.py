"""Measures against the definitions, and bounds that hold the mean."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.models.ctd.measures import MEASURES, interval, measured, summary


@given(st.permutations(range(30)), st.sets(st.integers(0, 60), min_size=1, max_size=20))
def test_against_the_definitions(ranked: list[int], answers: set[int]) -> None:
    found = measured(ranked, answers)
    for k in (1, 5, 10):
        assert found[f"hit@{k}"] == any(row in answers for row in ranked[:k])
    ranks = [rank for rank, row in enumerate(ranked, 1) if row in answers]
    assert found["MRR@10"] == (1 / ranks[0] if ranks and ranks[0] <= 10 else 0)
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= 10)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(answers), 10) + 1))
    assert found["nDCG@10"] == pytest.approx(gain / ideal)
    assert found["R@10"] == pytest.approx(len([rank for rank in ranks if rank <= 10]) / len(answers))
    assert found["R@100"] == pytest.approx(len(ranks) / len(answers))


def test_nothing_found() -> None:
    assert set(measured([], {1}).values()) == {0.0}


def test_bounds_hold_the_mean_and_are_the_same_again() -> None:
    values = [0.0] * 30 + [1.0] * 70
    low, high = interval(values)
    assert low < 0.7 < high
    assert high - low == pytest.approx(2 * 1.96 * math.sqrt(0.7 * 0.3 / 100), rel=0.15)
    assert interval(values) == (low, high)
    assert interval([0.5]) == (0.5, 0.5)


def test_summary_of_all_measures() -> None:
    told = summary({"a": measured([1], {1}), "b": measured([2], {1})})
    assert told["questions"] == 2
    assert set(told) == {"questions", *MEASURES}
    assert summary({}) == {"questions": 0}


def test_mistakes_are_told() -> None:
    with pytest.raises(EpochalError, match="without an answer"):
        measured([1], set())
    with pytest.raises(EpochalError, match="no values"):
        interval([])
