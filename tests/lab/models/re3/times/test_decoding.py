"""Scores to labels: the best class of each head, and only days that exist."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal_lab.models.re3.times.labels import HEADS, NONE, Label, days_in_month, decode_scores


def scores_of(*rows: tuple[int, ...]) -> dict[str, np.ndarray]:
    found = {head: np.zeros((len(rows), count), np.float32) for head, count in HEADS.items()}
    for place, classes in enumerate(rows):
        for head, best in zip(HEADS, classes, strict=True):
            found[head][place, best] = 3.0
    return found


def test_the_best_classes_win():
    found = decode_scores(scores_of((20, 1, 4, 6, 9, 1), (19, 9, 8, 0, 0, 1), (3, 3, 3, 6, 9, 0), (3, 3, 3, 0, 5, 0)))
    assert found == [Label(2014, 6, 9), Label(1998), Label(None, 6, 9), NONE]


@pytest.mark.parametrize(("year", "last"), [((20, 2, 3), 28), ((20, 2, 4), 29)])
def test_a_day_that_does_not_exist_gives_way(year, last):
    scores = scores_of((*year, 2, 31, 1))
    scores["day"][0, last] = 2.0
    assert decode_scores(scores)[0].day == last


def test_masked_training_says_nothing_without_a_year():
    scores = scores_of((20, 1, 4, 6, 9, 0))
    assert decode_scores(scores, absent="masked") == [NONE]
    assert decode_scores(scores) == [Label(None, 6, 9)]


@given(st.integers(0, 2**32 - 1))
def test_any_scores_give_a_date_that_exists(seed):
    rng = np.random.default_rng(seed)
    found = decode_scores({head: rng.normal(size=(8, count)) for head, count in HEADS.items()})
    for label in found:
        if label.day is not None:
            assert label.day <= days_in_month(label.year, label.month)
