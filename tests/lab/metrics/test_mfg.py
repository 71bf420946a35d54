from __future__ import annotations

import math

import pytest

from epochal.times import Span
from epochal_lab.metrics import DocumentTimes, Judgements, evaluate, parse_measure, parse_measures

PUBLISHED = {
    "fresh": "2004-05-10",
    "older": "2004-05-06",
    "oldest": "2004-05-01",
    "newer": "2004-05-20",
}
JUDGED = Judgements(
    {"q1": {"fresh": 2, "older": 1, "newer": 0, "undated": 1}},
    documents={name: DocumentTimes((), Span.parse(day)) for name, day in PUBLISHED.items()},
)


def value(measure: str, *result: str, judged: Judgements = JUDGED) -> float:
    run = {"q1": {document: -float(rank) for rank, document in enumerate(result)}}
    return parse_measure(measure).per_query(run, judged)["q1"]


def test_it_is_the_mean_lag_behind_the_freshest_relevant_document():
    assert value("MFG@5", "fresh", "older", "oldest") == pytest.approx((0 + 4 + 9) / 3)
    assert value("MFG@2", "fresh", "older", "oldest") == pytest.approx(2)


def test_a_newer_wrong_document_has_a_negative_lag_unless_clipped():
    assert value("MFG@5", "newer", "older") == pytest.approx((-10 + 4) / 2)
    assert value("MFG@5(clip=true)", "newer", "older") == pytest.approx((0 + 4) / 2)


def test_units():
    assert value("MFG@5(unit=months)", "oldest") == pytest.approx(9 / 30.436875)
    assert value("MFG@5(unit=years)", "oldest") == pytest.approx(9 / 365.2425)


def test_documents_without_a_date_are_left_out_or_penalised():
    assert value("MFG@2", "undated", "older") == pytest.approx(4)
    assert value("MFG@2(missing=penalise)", "undated", "older") == pytest.approx((10 + 4) / 2)
    assert value("MFG@4(missing=penalise, penalty=2)", "undated", "older") == pytest.approx((2 + 4 + 2 + 2) / 4)


def test_the_least_relevance_that_counts():
    judged = Judgements({"q1": {"fresh": 1, "older": 2}}, documents=JUDGED.documents)
    assert value("MFG@5(rel=2)", "older", judged=judged) == 0
    assert value("MFG@5", "older", judged=judged) == pytest.approx(4)


def test_undefined_where_nothing_relevant_or_nothing_found_has_a_date():
    undated = Judgements({"q1": {"undated": 1}, "q2": {}}, documents=JUDGED.documents)
    assert math.isnan(value("MFG@5", "fresh", judged=undated))
    assert math.isnan(value("MFG@5", "undated"))
    assert math.isnan(value("MFG@5"))


def test_gaps_are_counted():
    message = evaluate({"q1": {"undated": 2.0, "older": 1.0}}, JUDGED, parse_measures("MFG@5"))
    assert message["MFG@5"].gaps == 1
