from __future__ import annotations

import math

from hypothesis import given

from epochal_lab.metrics import Judgements, Verdict, evaluate, full_coverage_intersection, parse_measures
from run_strategy import period_qrels, qrels, runs

JUDGED = Judgements(
    {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}},
    {"q1": (frozenset({"a"}), frozenset({"b"})), "q2": (frozenset({"a"}), frozenset({"b"}))},
)


@given(runs(), qrels(), period_qrels())
def test_it_is_ndcg_where_everything_is_covered_and_undefined_elsewhere(run, judged, covered):
    told = evaluate(run, Judgements(judged, covered), parse_measures("nDCG|FC@3 nDCG@3 TC@3"))
    conditional, plain, coverage = (outcome.values for outcome in told.outcomes)
    for query, value in conditional.items():
        if coverage[query] == 1.0 and not math.isnan(plain[query]):
            assert value == plain[query]
        else:
            assert math.isnan(value)


def test_undecided_coverage_leaves_it_undefined():
    judged = Judgements({"q1": {"a": 1}}, verdicts={"q1": {"a": Verdict(True, (True, None))}})
    told = evaluate({"q1": {"a": 1.0}}, judged, parse_measures("nDCG|FC@3 nDCG|FC@3(missing=hit)"))
    assert math.isnan(told.outcomes[0].values["q1"])
    assert told.outcomes[1].values["q1"] == 1.0
    assert told.outcomes[0].gaps == 1


def test_the_intersection_holds_what_every_run_covers():
    both = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    first = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
    assert full_coverage_intersection([both], JUDGED, 2) == {"q1", "q2"}
    assert full_coverage_intersection([both, first], JUDGED, 2) == {"q1"}
    assert full_coverage_intersection([both, first], JUDGED, 1) == frozenset()


def test_the_intersection_takes_the_settings_of_coverage():
    judged = Judgements(verdicts={"q1": {"a": Verdict(True, (True, None))}})
    assert full_coverage_intersection([{"q1": {"a": 1.0}}], judged) == frozenset()
    assert full_coverage_intersection([{"q1": {"a": 1.0}}], judged, missing="hit") == {"q1"}
