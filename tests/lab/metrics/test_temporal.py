from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.times import Grain, Span
from epochal.times.axis import DAY
from epochal_lab.metrics import Judgements, Verdict, evaluate, full_coverage_intersection, parse_measure, parse_measures
from epochal_lab.metrics.temporal import BETWEEN, UNITS, distance, nearest_distance
from run_strategy import period_qrels, qrels, runs

COVERS = st.lists(st.sampled_from([True, False, None]), min_size=3, max_size=3).map(tuple)


def value(measure: str, *covers: tuple[bool | None, ...]) -> float:
    run = {"q1": {f"d{rank}": -float(rank) for rank in range(len(covers))}}
    verdicts = {f"d{rank}": Verdict(True, message) for rank, message in enumerate(covers)}
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
    message = evaluate({"q1": {"d1": 2.0, "d2": 1.0}}, judged, parse_measures("TC@10 TC@1"))
    assert math.isnan(message["TC@10"].values["q1"])
    assert message["TC@10"].gaps == 1
    assert message["TC@1"].values["q1"] == 0.5


def test_verdicts_go_before_labels_where_they_mention_periods():
    labels = {"q1": (frozenset({"d1"}), frozenset({"d1"}))}
    run = {"q1": {"d1": 1.0}}
    message = Judgements(period_qrels=labels, verdicts={"q1": {"d1": Verdict(True, (True, False))}})
    assert parse_measure("TC@5").per_query(run, message) == {"q1": 0.5}
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
    message = evaluate(run, Judgements(period_qrels=covered), parse_measures("TC@1 TC@2 TC@5 TC@100"))
    for query in covered:
        values = [outcome.values[query] for outcome in message.outcomes]
        assert values == sorted(values)


JUDGED = Judgements(
    {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}},
    {"q1": (frozenset({"a"}), frozenset({"b"})), "q2": (frozenset({"a"}), frozenset({"b"}))},
)


@given(runs(), qrels(), period_qrels())
def test_it_is_ndcg_where_everything_is_covered_and_undefined_elsewhere(run, judged, covered):
    message = evaluate(run, Judgements(judged, covered), parse_measures("nDCG|FC@3 nDCG@3 TC@3"))
    conditional, plain, coverage = (outcome.values for outcome in message.outcomes)
    for query, value in conditional.items():
        if coverage[query] == 1.0 and not math.isnan(plain[query]):
            assert value == plain[query]
        else:
            assert math.isnan(value)


def test_undecided_coverage_leaves_it_undefined():
    judged = Judgements({"q1": {"a": 1}}, verdicts={"q1": {"a": Verdict(True, (True, None))}})
    message = evaluate({"q1": {"a": 1.0}}, judged, parse_measures("nDCG|FC@3 nDCG|FC@3(missing=hit)"))
    assert math.isnan(message.outcomes[0].values["q1"])
    assert message.outcomes[1].values["q1"] == 1.0
    assert message.outcomes[0].gaps == 1


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


DAYS = st.builds(
    lambda first, length: Span.between(Span.unit(first * DAY, Grain.DAY), Span.unit((first + length) * DAY, Grain.DAY)),
    st.integers(-1000, 1000),
    st.integers(0, 400),
)


def days(first: str, second: str, between: str = "spans") -> float:
    result = distance(Span.parse(first), Span.parse(second), between)
    assert result is not None
    return result / DAY


def test_overlapping_spans_are_not_apart():
    assert days("2004", "2004-05-03") == days("2004-05-03", "2004") == days("2004/2006", "2005/2009") == 0
    assert days("2004", "2004-05-03", "gaps") == 0


def test_spans_of_one_length_are_as_far_apart_as_their_starts():
    assert days("2004-05-03", "2004-05-04") == 1
    assert days("2004-05-04", "2004-05-03") == -1
    assert days("2001", "2003") == days("2001", "2003", "starts") == 730


def test_the_shorter_moves_into_the_longer():
    assert days("2004", "2003-12-31") == -1
    assert days("2003-12-31", "2004") == 1
    assert days("2004", "2005-01-02") == 2


def test_gaps_are_what_lies_between():
    assert days("2004-05-03", "2004-05-04", "gaps") == 0
    assert days("2004-05-03", "2004-05-06", "gaps") == 2
    assert days("2004-05-06", "2004-05-03", "gaps") == -2


def test_points():
    assert days("2004", "2004-07-01", "starts") == 182
    assert days("2004", "2004-07-01", "middles") == -0.5


def test_open_spans():
    assert days("2004/..", "2003-12-30") == -2
    assert days("../2004", "2005") == 365
    assert days("../2004", "2005", "starts") == 0
    assert days("2004/..", "2005", "middles") == 366 + 365 / 2
    everything = Span.parse("../..")
    assert distance(everything, Span.year(2004), "starts") is None
    assert distance(everything, Span.year(2004)) == 0


def test_the_nearest_of_several():
    requests = [Span.year(1900), Span.year(2004)]
    assert nearest_distance(requests, [Span.year(2006), Span.year(1950)]) == distance(Span.year(2004), Span.year(2006))
    assert nearest_distance(requests, []) is None
    assert nearest_distance([], requests) is None


def test_units():
    assert UNITS["years"] == 12 * UNITS["months"] == 365.2425 * DAY
    assert UNITS["days"] == DAY


@given(DAYS, DAYS, st.sampled_from(BETWEEN))
def test_there_and_back(first, second, between):
    there, back = distance(first, second, between), distance(second, first, between)
    assert there == -back
    if between in ("spans", "gaps") and first.overlaps(second):
        assert there == 0
    if between == "spans" and not first.overlaps(second):
        assert abs(there) == abs(distance(first, second, "gaps")) + min(first.seconds, second.seconds)
        assert (there > 0) == (second.start > first.start)


@given(st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_seconds_are_points(first, second):
    result = {distance(Span.at(first), Span.at(second), way) for way in ("spans", "starts", "middles")}
    assert result == {float(second - first)}
