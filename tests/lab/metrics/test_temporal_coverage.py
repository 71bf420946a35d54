from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal_lab.metrics import Judgements, Verdict, evaluate, parse_measure, parse_measures
from run_strategy import period_qrels, runs

COVERS = st.lists(st.sampled_from([True, False, None]), min_size=3, max_size=3).map(tuple)


def value(measure: str, *covers: tuple[bool | None, ...]) -> float:
    run = {"q1": {f"d{rank}": -float(rank) for rank in range(len(covers))}}
    verdicts = {f"d{rank}": Verdict(True, told) for rank, told in enumerate(covers)}
    return parse_measure(measure).per_query(run, Judgements(verdicts={"q1": verdicts}))["q1"]


@pytest.mark.parametrize(
    ("covers", "expected"),
    [((True, False), 0.5), ((False, True), 0.5), ((True, True), 1.0)],
    ids=["baseline only", "comparison only", "both"],
)
def test_table_12_of_tempo(covers, expected):
    assert value("TC@10", covers) == expected


def test_coverage_adds_up_over_documents():
    assert value("TC@10", (True, False), (False, True)) == 1.0
    assert value("TC@1", (True, False), (False, True)) == 0.5


def test_any_number_of_periods():
    assert value("TC@10", (True, False, False, False, True)) == pytest.approx(2 / 5)


def test_a_gap_leaves_undecided_what_it_could_change():
    assert math.isnan(value("TC@10", (True, None)))
    assert value("TC@10", (True, None), (False, True)) == 1.0
    assert value("TC@10(missing=miss)", (True, None)) == 0.5
    assert value("TC@10(missing=hit)", (True, None)) == 1.0
    assert value("TC@1", (True, False), (True, None)) == 0.5  # the gap lies beyond the cut-off


def test_a_document_without_a_verdict_is_a_gap():
    judged = Judgements(verdicts={"q1": {"d1": Verdict(True, (True, False))}})
    told = evaluate({"q1": {"d1": 2.0, "d2": 1.0}}, judged, parse_measures("TC@10 TC@1"))
    assert math.isnan(told["TC@10"].values["q1"])
    assert told["TC@10"].gaps == 1
    assert told["TC@1"].values["q1"] == 0.5


def test_verdicts_go_before_labels_where_they_speak_of_periods():
    labels = {"q1": (frozenset({"d1"}), frozenset({"d1"}))}
    run = {"q1": {"d1": 1.0}}
    told = Judgements(period_qrels=labels, verdicts={"q1": {"d1": Verdict(True, (True, False))}})
    assert parse_measure("TC@5").per_query(run, told) == {"q1": 0.5}
    silent = Judgements(period_qrels=labels, verdicts={"q1": {"d1": Verdict(True)}})
    assert parse_measure("TC@5").per_query(run, silent) == {"q1": 1.0}


def test_a_question_without_periods_is_left_out():
    judged = Judgements({"q1": {"d1": 1}}, verdicts={"q2": {"d1": Verdict(True)}})
    values = parse_measure("TC@5").per_query({"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}, judged)
    assert all(math.isnan(value) for value in values.values())


@given(st.lists(COVERS, min_size=1, max_size=4), st.integers(1, 5))
def test_the_value_is_between_its_bounds_and_where_they_meet(covers, k):
    low, decided, high = (value(f"TC@{k}(missing={way})", *covers) for way in ("miss", "skip", "hit"))
    assert low <= high
    if low == high:
        assert decided == low
    else:
        assert math.isnan(decided)


@given(runs(), period_qrels())
def test_more_documents_never_cover_less(run, covered):
    told = evaluate(run, Judgements(period_qrels=covered), parse_measures("TC@1 TC@2 TC@5 TC@100"))
    for query in covered:
        values = [outcome.values[query] for outcome in told.outcomes]
        assert values == sorted(values)
