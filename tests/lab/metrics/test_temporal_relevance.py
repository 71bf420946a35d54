from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal_lab.metrics import Judgements, Verdict, evaluate, parse_measure, parse_measures

ANSWERS = {1: True, 0: False, None: None}


def value(measure: str, verdicts: list[int | None]) -> float:
    run = {"q1": {f"d{rank}": -float(rank) for rank in range(len(verdicts))}}
    message = {f"d{rank}": Verdict(ANSWERS[verdict]) for rank, verdict in enumerate(verdicts)}
    return parse_measure(measure).per_query(run, Judgements(verdicts={"q1": message}))["q1"]


def test_the_paper_divides_by_k_and_its_code_by_what_was_judged():
    assert value("TR@5", [1, 0, 1]) == pytest.approx(2 / 5)
    assert value("TR@5(depth=judged)", [1, 0, 1]) == pytest.approx(2 / 3)
    assert value("TR@2", [1, 0, 1]) == value("TR@2(depth=judged)", [1, 0, 1]) == 0.5


def test_a_gap_is_in_neither_count():
    assert value("TR@5", [1, None, 0, None, 0]) == pytest.approx(1 / 3)
    assert value("TR@5(depth=judged)", [1, None, 0]) == pytest.approx(1 / 2)
    assert value("TR@5(missing=miss)", [1, None, 0, None, 0]) == pytest.approx(1 / 5)
    assert value("TR@5(missing=hit)", [1, None, 0, None, 0]) == pytest.approx(3 / 5)


@pytest.mark.parametrize("depth", ["k", "judged"])
def test_only_gaps_leave_it_undefined(depth):
    assert math.isnan(value(f"TR@5(depth={depth})", [None, None]))
    assert value(f"TR@5(depth={depth}, missing=miss)", [None, None]) == 0.0


def test_nothing_found_counts_0():
    assert value("TR@5", []) == value("TR@5(depth=judged)", []) == 0.0


@given(st.lists(st.sampled_from([0, 1, None]), max_size=8), st.integers(1, 8), st.sampled_from(["k", "judged"]))
def test_the_value_lies_between_its_bounds(verdicts, k, depth):
    low, skipped, high = (value(f"TR@{k}(depth={depth}, missing={way})", verdicts) for way in ("miss", "skip", "hit"))
    assert 0 <= low <= high <= 1
    if not math.isnan(skipped):
        assert low - 1e-12 <= skipped <= high + 1e-12


def test_a_judge_that_fails_on_every_third_call_yields_counted_gaps_not_zeros():
    documents = [f"d{number}" for number in range(9)]
    run = {"q1": {document: -float(position) for position, document in enumerate(documents)}}
    verdicts = {document: Verdict(None if position % 3 == 2 else True) for position, document in enumerate(documents)}
    message = evaluate(run, Judgements(verdicts={"q1": verdicts}), parse_measures("TP@9 TR@9"))
    assert [outcome.average.mean for outcome in message.outcomes] == [1.0, 1.0]
    assert [outcome.gaps for outcome in message.outcomes] == [3, 3]
