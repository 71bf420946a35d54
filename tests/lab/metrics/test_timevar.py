from __future__ import annotations

import math

import pytest

from epochal.times import Span
from epochal_lab.metrics import DocumentTimes, Judgements, QueryTimes, evaluate, parse_measure, parse_measures


def judgements(periods: list[str], **content: list[str]) -> Judgements:
    documents = {name: DocumentTimes(tuple(map(Span.parse, texts))) for name, texts in content.items()}
    return Judgements(documents=documents, queries={"q1": QueryTimes(tuple(map(Span.parse, periods)))})


def value(measure: str, judged: Judgements, *result: str) -> float:
    run = {"q1": {document: -float(rank) for rank, document in enumerate(result)}}
    return parse_measure(measure).per_query(run, judged)["q1"]


DAYS = judgements(["2004-05-10"], same=["2004-05-10"], two=["2004-05-12"], before=["2004-05-07"], undated=[])


def test_it_is_the_mean_of_squared_distances():
    assert value("TimeVar@5(unit=days)", DAYS, "same", "two", "before") == pytest.approx((0 + 4 + 9) / 3)
    assert value("TimeVar@2(unit=days)", DAYS, "same", "two", "before") == pytest.approx((0 + 4) / 2)


def test_units_are_squared():
    in_days = value("TimeVar@5(unit=days)", DAYS, "two")
    assert value("TimeVar@5(unit=months)", DAYS, "two") == pytest.approx(in_days / 30.436875**2)
    assert value("TimeVar@5", DAYS, "two") == pytest.approx(in_days / 365.2425**2)


def test_years_apart_in_years():
    judged = judgements(["2004"], near=["2005"], far=["2001"])
    assert value("TimeVar@5", judged, "near", "far") == pytest.approx((1 + 9) / 2, rel=0.003)
    assert value("TimeVar@5(between=gaps)", judged, "near") == 0  # the years touch


def test_the_nearest_time_and_the_nearest_period_count():
    judged = judgements(["1990-01-01", "2004-05-10"], many=["1066", "2004-05-11", "2020"])
    assert value("TimeVar@5(unit=days)", judged, "many") == pytest.approx(1)


def test_documents_without_times_are_left_out_or_penalised():
    assert value("TimeVar@2(unit=days)", DAYS, "two", "undated") == pytest.approx(4)
    assert value("TimeVar@2(unit=days, missing=penalise)", DAYS, "two", "undated") == pytest.approx((4 + 100) / 2)
    assert value("TimeVar@2(unit=days, missing=penalise, penalty=3)", DAYS, "two", "undated") == pytest.approx(6.5)


def test_empty_ranks_are_penalised_too():
    assert value("TimeVar@5(unit=days, missing=penalise)", DAYS, "same") == pytest.approx(400 / 5)
    assert value("TimeVar@5(missing=penalise)", DAYS) == pytest.approx(100)


def test_undefined_without_a_period_or_any_time():
    assert math.isnan(value("TimeVar@5", judgements([], same=["2004"]), "same"))
    assert math.isnan(value("TimeVar@5", DAYS, "undated"))
    assert math.isnan(value("TimeVar@5", DAYS))


def test_gaps_are_counted():
    run = {"q1": {"undated": 3.0, "two": 2.0, "unknown": 1.0}}
    message = evaluate(run, DAYS, parse_measures("TimeVar@5 TimeVar@1 TimeVar@5(missing=penalise)"))
    assert [outcome.gaps for outcome in message.outcomes] == [2, 1, 2]
    assert not message.outcomes[0].measure.higher_is_better
