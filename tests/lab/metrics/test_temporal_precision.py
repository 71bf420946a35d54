from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal_lab.metrics import Judgements, Verdict, parse_measure

ANSWERS = {1: True, 0: False, None: None}


def value(measure: str, verdicts: list[int | None]) -> float:
    """A measure of a ranking whose documents have these verdicts; None is a gap."""
    run = {"q1": {f"d{rank}": -float(rank) for rank in range(len(verdicts))}}
    message = {f"d{rank}": Verdict(ANSWERS[verdict]) for rank, verdict in enumerate(verdicts)}
    return parse_measure(measure).per_query(run, Judgements(verdicts={"q1": message}))["q1"]


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [([1, 0, 0, 0, 0], 1.0), ([0, 0, 0, 0, 1], 0.2), ([1, 1, 0, 0, 0], 1.0)],
    ids=["rank 1 hit", "rank 5 hit", "double hit at the top"],
)
def test_table_13_of_tempo(verdicts, expected):
    assert value("TP@5", verdicts) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [([0, 1, 1], (1 / 2 + 2 / 3) / 2), ([0, 0, 0], 0.0), ([1, 0, 1, 0, 1], (1 + 2 / 3 + 3 / 5) / 3), ([], 0.0)],
)
def test_the_mean_is_over_what_was_found(verdicts, expected):
    assert value("TP@5", verdicts) == pytest.approx(expected)


def test_what_lies_beyond_the_cut_off_does_not_count():
    assert value("TP@2", [0, 0, 1]) == 0.0


def test_gaps_are_taken_out_or_count_as_misses():
    assert value("TP@5", [None, 1, None, 0, 1]) == pytest.approx((1 + 2 / 3) / 2)
    assert value("TP@5(missing=miss)", [None, 1, None, 0, 1]) == pytest.approx((1 / 2 + 2 / 5) / 2)
    assert math.isnan(value("TP@2", [None, None, 1]))
    assert value("TP@2(missing=miss)", [None, None, 1]) == 0.0


def test_a_document_that_nobody_judged_is_a_gap():
    judged = Judgements(verdicts={"q1": {"d2": Verdict(True)}})
    measure = parse_measure("TP@5")
    assert measure.per_query({"q1": {"d1": 2.0, "d2": 1.0}}, judged) == {"q1": 1.0}


@given(st.lists(st.sampled_from([0, 1]), max_size=8), st.integers(1, 8))
def test_the_definition(verdicts, k):
    hits = [rank for rank, verdict in enumerate(verdicts[:k], 1) if verdict]
    expected = sum((position + 1) / rank for position, rank in enumerate(hits)) / len(hits) if hits else 0.0
    assert value(f"TP@{k}", verdicts) == pytest.approx(expected)
    assert value(f"TP@{k}(missing=miss)", verdicts) == pytest.approx(expected)


@given(st.lists(st.sampled_from([0, 1, None]), min_size=1, max_size=8))
def test_gaps_taken_out_are_as_if_never_found(verdicts):
    known = [verdict for verdict in verdicts if verdict is not None]
    if known:
        assert value("TP@9", verdicts) == pytest.approx(value("TP@9", known))
