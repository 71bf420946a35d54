"""Cover: a greedy choice that takes in every period before it takes a second for one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epochal.ranking.coverage import select_covering

SHARES = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=6, max_size=6)


@given(SHARES, st.lists(SHARES, min_size=1, max_size=3), st.integers(1, 9))
def test_a_choice_is_k_different_documents_with_a_reason_each(
    scores: list[float], periods: list[list[float]], k: int
) -> None:
    answers = np.array(periods)
    chosen, reasons = select_covering(np.sort(scores)[::-1], answers, k)
    assert len(chosen) == len(set(chosen)) == len(reasons) == min(k, 6)
    for place, reason in zip(chosen, reasons, strict=True):
        assert reason == -1 or answers[reason, place] > 0
    assert select_covering(np.sort(scores)[::-1], answers, k) == (chosen, reasons)


@given(SHARES)
def test_where_nothing_answers_for_a_period_relevance_decides(scores: list[float]) -> None:
    ranked = np.sort(scores)[::-1]
    chosen, reasons = select_covering(ranked, np.zeros((2, 6)), 6)
    assert ranked[chosen].tolist() == ranked.tolist()
    assert set(reasons) == {-1}


def test_the_first_for_a_period_comes_before_a_second_for_another() -> None:
    answers = np.array([[0.9, 0.9, 0.9, 0.0], [0.0, 0.0, 0.0, 0.9]])
    chosen, reasons = select_covering(np.array([1.0, 0.95, 0.9, 0.6]), answers, 2)
    assert (chosen, reasons) == ([0, 3], [0, 1])


def test_nothing_can_be_chosen_from_nothing() -> None:
    assert select_covering(np.empty(0), np.empty((2, 0)), 5) == ([], [])


def test_scores_below_zero_keep_their_order() -> None:
    assert select_covering(np.array([-1.0, -2.0, -3.0]), np.zeros((1, 3)), 2)[0] == [0, 1]


def test_the_last_places_are_kept_for_periods_that_would_have_none() -> None:
    answers = np.array([[0.9] * 8 + [0.0, 0.0], [0.0] * 8 + [0.9, 0.0], [0.0] * 9 + [0.9]])
    scores = np.array([1.0] * 8 + [0.1, 0.05])
    for k in range(3, 11):
        chosen, _ = select_covering(scores, answers, k)
        assert {8, 9} <= set(chosen)
    assert select_covering(scores, answers, 2)[0] == [0, 8]


def test_a_second_document_for_a_period_still_adds_something() -> None:
    """The first may not answer after all, so of two that are as relevant the one for a period comes before."""
    answers = np.array([[0.9, 0.9, 0.0, 0.0], [0.0, 0.0, 0.0, 0.9]])
    chosen, reasons = select_covering(np.array([1.0, 0.7, 0.75, 0.6]), answers, 4)
    assert chosen.index(1) < chosen.index(2)
    assert reasons[chosen.index(2)] == -1


@given(SHARES, st.lists(SHARES, min_size=2, max_size=3), st.integers(3, 6))
def test_every_period_that_can_be_covered_is(scores: list[float], periods: list[list[float]], k: int) -> None:
    answers = np.round(np.array(periods), 3)
    chosen, _ = select_covering(np.round(np.array(scores), 3) + 0.01, answers, k)
    for row in answers:
        assert row.max() == 0 or row[chosen].max() > 0


def test_relevance_decides_between_documents_for_one_period() -> None:
    answers = np.array([[0.9, 0.0, 0.0], [0.0, 0.8, 0.9]])
    assert select_covering(np.array([1.0, 0.8, 0.2]), answers, 2)[0] == [0, 1]
