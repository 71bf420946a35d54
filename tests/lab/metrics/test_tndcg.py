from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.times import Span
from epochal_lab.metrics import DocumentTimes, Judgements, QueryTimes, evaluate, parse_measure, parse_measures
from epochal_lab.metrics.temporal import OVERLAP, overlap
from run_strategy import qrels, runs


def judgements(qrels: dict[str, int], periods: list[str], **content: list[str]) -> Judgements:
    documents = {name: DocumentTimes(tuple(map(Span.parse, texts))) for name, texts in content.items()}
    return Judgements({"q1": qrels}, documents=documents, queries={"q1": QueryTimes(tuple(map(Span.parse, periods)))})


def value(measure: str, judged: Judgements, *result: str) -> float:
    run = {"q1": {document: -float(rank) for rank, document in enumerate(result)}}
    return parse_measure(measure).per_query(run, judged)["q1"]


SECOND = 1 / math.log2(3)


@pytest.mark.parametrize(
    ("share", "expected"),
    [("shorter", 182 / 366), ("period", 182 / 366), ("document", 182 / 547), ("union", 182 / 731)],
)
def test_shares(share, expected):
    # 366 days are asked for; the document has 547, of which 182 are among them.
    assert overlap([Span.year(2004)], [Span.parse("2003-01-01/2004-06-30")], share) == pytest.approx(expected)


def test_within_is_whole_either_way():
    for time in ("2004-05-03", "1990/2010", "2004"):
        assert overlap([Span.year(2004)], [Span.parse(time)]) == 1.0


def test_periods_are_averaged_and_of_times_the_best_counts():
    periods = [Span.year(2004), Span.year(2010)]
    assert overlap(periods, [Span.year(1990), Span.parse("2004-03")]) == 0.5
    assert overlap(periods, [Span.year(2004), Span.year(2010)]) == 1.0
    assert overlap(periods, []) == 0.0


def test_the_better_fit_belongs_first():
    judged = judgements(
        {"half": 1, "whole": 1}, ["2004-01-01/2004-01-10"], half=["2004-01-06/2004-01-15"], whole=["2004-01-03"]
    )
    assert value("tnDCG@10", judged, "whole", "half") == 1.0
    assert value("tnDCG@10", judged, "half", "whole") == pytest.approx((0.5 + SECOND) / (1 + 0.5 * SECOND))
    assert value("tnDCG@1", judged, "half", "whole") == pytest.approx(0.5)


def test_relevance_still_counts():
    judged = judgements({"best": 3, "good": 1, "off": 0}, ["2004"], best=["2004"], good=["2004"], off=["2004"])
    assert value("tnDCG@10", judged, "off", "best", "good") == pytest.approx((3 * SECOND + 1 / 2) / (3 + SECOND))
    assert value("tnDCG@10(gain=exp)", judged, "good", "best") == pytest.approx((1 + 7 * SECOND) / (7 + SECOND))
    assert value("tnDCG@10(gain=binary)", judged, "good", "best") == 1.0


def test_a_relevant_document_of_another_time_gains_nothing():
    judged = judgements({"then": 1, "other": 1}, ["2004"], then=["2004"], other=["1950"])
    assert value("tnDCG@10", judged, "other", "then") == pytest.approx(SECOND)


def test_relevant_documents_without_times_leave_or_gain_nothing():
    judged = judgements({"dated": 1, "undated": 1}, ["2004"], dated=["2004"])
    assert value("tnDCG@1", judged, "undated", "dated") == 1.0
    assert value("tnDCG@1(missing=miss)", judged, "undated", "dated") == 0.0
    assert value("tnDCG@10(missing=miss)", judged, "undated", "dated") == pytest.approx(SECOND)
    run = {"q1": {"undated": 2.0, "dated": 1.0}}
    assert evaluate(run, judged, parse_measures("tnDCG@10"))["tnDCG@10"].gaps == 1


def test_undefined_without_a_period_or_anything_that_overlaps():
    assert math.isnan(value("tnDCG@10", judgements({"a": 1}, [], a=["2004"]), "a"))
    assert math.isnan(value("tnDCG@10", judgements({"a": 1}, ["2004"], a=["1950"]), "a"))
    assert math.isnan(value("tnDCG@10", judgements({"a": 1}, ["2004"]), "a"))


@given(runs(), qrels(), st.sampled_from(OVERLAP), st.sampled_from(["@3", "@10", ""]))
def test_where_all_times_fit_it_is_ndcg(run, judged, share, cutoff):
    times = {document: DocumentTimes((Span.year(2004),)) for grades in judged.values() for document in grades}
    window = {query: QueryTimes((Span.year(2004),)) for query in judged}
    message = evaluate(
        run,
        Judgements(judged, documents=times, queries=window),
        parse_measures(f"tnDCG{cutoff}(share={share}) nDCG{cutoff}"),
    )
    assert message.outcomes[0].values == pytest.approx(message.outcomes[1].values)
