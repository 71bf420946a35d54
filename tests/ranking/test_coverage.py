"""Cover: a greedy choice that takes in every period before it takes a second for one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epochal.ranking.coverage import cover

SHARES = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=6, max_size=6)


@given(SHARES, st.lists(SHARES, min_size=1, max_size=3), st.integers(1, 9))
def test_a_choice_is_k_different_documents_with_a_reason_each(
    scores: list[float], periods: list[list[float]], k: int
) -> None:
    answers = np.array(periods)
    chosen, reasons = cover(np.sort(scores)[::-1], answers, k)
    assert len(chosen) == len(set(chosen)) == len(reasons) == min(k, 6)
    for place, reason in zip(chosen, reasons, strict=True):
        assert reason == -1 or answers[reason, place] > 0
    assert cover(np.sort(scores)[::-1], answers, k) == (chosen, reasons)


@given(SHARES)
def test_where_nothing_answers_for_a_period_relevance_decides(scores: list[float]) -> None:
    ranked = np.sort(scores)[::-1]
    chosen, reasons = cover(ranked, np.zeros((2, 6)), 6)
    assert ranked[chosen].tolist() == ranked.tolist()
    assert set(reasons) == {-1}


def test_the_first_for_a_period_comes_before_a_second_for_another() -> None:
    answers = np.array([[0.9, 0.9, 0.9, 0.0], [0.0, 0.0, 0.0, 0.9]])
    chosen, reasons = cover(np.array([1.0, 0.95, 0.9, 0.6]), answers, 2)
    assert (chosen, reasons) == ([0, 3], [0, 1])


def test_nothing_can_be_chosen_from_nothing() -> None:
    assert cover(np.empty(0), np.empty((2, 0)), 5) == ([], [])


def test_scores_below_zero_keep_their_order() -> None:
    assert cover(np.array([-1.0, -2.0, -3.0]), np.zeros((1, 3)), 2)[0] == [0, 1]
