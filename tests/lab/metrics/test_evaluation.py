from __future__ import annotations

import math

import pytest

from epochal.errors import EpochalError
from epochal.times import Span
from epochal_lab.metrics import (
    DocumentTimes,
    Judgements,
    QueryTimes,
    Verdict,
    evaluate,
    missing_requirements,
    parse_measure,
    parse_measures,
)


def test_what_was_left_out_is_counted():
    judged = Judgements({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}})
    told = evaluate({"q1": {"a": 1.0}, "q7": {"a": 1.0}, "q8": {}}, judged, parse_measures("hit@1 TR@5"))
    hit, relevance = told.outcomes
    assert (hit.average.mean, hit.average.count, hit.average.undefined, hit.unanswered) == (0.5, 2, 1, 1)
    assert told.unjudged == 2
    assert math.isnan(relevance.average.mean)
    assert (relevance.average.count, relevance.average.undefined, relevance.unanswered) == (0, 3, 0)


def test_outcomes_are_found_by_measure_and_by_name():
    told = evaluate({}, Judgements({"q1": {"a": 1}}), parse_measures("hit@1 nDCG@10"))
    assert told["nDCG@10"] is told[parse_measure("ndcg@10")] is told.outcomes[1]
    with pytest.raises(EpochalError, match="R@5 was not measured; accepted: hit@1, nDCG@10"):
        _ = told["R@5"]


def test_what_a_measure_lacks():
    bare = Judgements({"q1": {"a": 1}})
    assert missing_requirements(parse_measure("nDCG@10"), bare) == ()
    assert missing_requirements(parse_measure("TP@10"), bare) == ("verdicts of a judge",)
    assert missing_requirements(parse_measure("nDCG|FC@10"), bare) == ("period labels or verdicts on periods",)
    assert missing_requirements(parse_measure("MFG@5"), bare) == ("dates of publication",)
    full = Judgements(
        {"q1": {"a": 1}},
        verdicts={"q1": {"a": Verdict(True, (True,))}},
        documents={"a": DocumentTimes((Span.year(2004),), Span.year(2005))},
        queries={"q1": QueryTimes((Span.year(2004),))},
    )
    measures = parse_measures("nDCG@10 TP@10 TR@5 TC@5 nDCG|FC@5 TimeVar@5 MFG@5 tnDCG")
    assert [missing_requirements(measure, full) for measure in measures] == [()] * 8
    no_periods = Judgements(verdicts={"q1": {"a": Verdict(True)}})
    assert missing_requirements(parse_measure("TC@5"), no_periods) == ("period labels or verdicts on periods",)
