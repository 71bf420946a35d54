from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.metrics import (
    AP,
    MFG,
    MRR,
    NDCG,
    Average,
    DocumentTimes,
    Hit,
    Judgements,
    Measure,
    Precision,
    QueryTimes,
    Ranking,
    Recall,
    Scores,
    TimeVar,
    Verdict,
    average,
    average_by_kind,
    average_domains,
    evaluate,
    missing_requirements,
    parse_measure,
    parse_measures,
    restrict,
)
from epochal_lab.metrics.measure import format_setting
from epochal_lab.metrics.runs import stated_times
from run_strategy import qrels, runs


@pytest.mark.parametrize("made", [NDCG, Recall, Hit, MRR, AP, Precision])
def test_what_is_missing_counts_0_and_what_cannot_be_found_is_left_out(made):
    judged = Judgements({"answered": {"a": 1}, "unanswered": {"a": 1}, "nothing relevant": {"a": 0}, "empty": {}})
    values = made(10).per_query({"answered": {"a": 1.0}, "unjudged": {"a": 1.0}}, judged)
    assert values["answered"] == (0.1 if made is Precision else 1.0)
    assert values["unanswered"] == 0.0
    assert np.isnan([values["nothing relevant"], values["empty"]]).all()
    assert "unjudged" not in values


@pytest.mark.parametrize("made", [Recall, Hit, MRR, AP, Precision])
def test_the_least_relevance_that_counts(made):
    judged = Judgements({"q1": {"a": 1, "b": 2}, "q2": {"a": 1}})
    values = made(1, rel=2).per_query({"q1": {"b": 1.0}, "q2": {"a": 1.0}}, judged)
    assert values["q1"] == 1.0
    assert np.isnan(values["q2"])


def test_negative_relevance_is_none():
    judged = Judgements({"q1": {"spam": -2, "a": 1}})
    assert NDCG(2).per_query({"q1": {"a": 2.0, "spam": 1.0}}, judged) == {"q1": 1.0}
    assert NDCG(2, gain="exp").per_query({"q1": {"a": 2.0, "spam": 1.0}}, judged) == {"q1": 1.0}


def test_gains():
    judged = Judgements({"q1": {"a": 1, "b": 3}})
    run = {"q1": {"a": 2.0, "b": 1.0}}
    second = 1 / np.log2(3)
    for gain, low, high in (("linear", 1, 3), ("exp", 1, 7), ("binary", 1, 1)):
        value = NDCG(10, gain=gain).per_query(run, judged)["q1"]
        assert value == pytest.approx((low + high * second) / (high + low * second))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NDCG(0), "the cut-off of nDCG is 0; accepted: a whole number from 1"),
        (lambda: NDCG(2.5), "the cut-off of nDCG is 2.5; accepted: a whole number from 1"),
        (lambda: NDCG(True), "the cut-off of nDCG is True; accepted: a whole number from 1"),
        (lambda: NDCG(10, gain="odd"), "the parameter gain of nDCG is 'odd'; accepted: linear, exp or binary"),
        (lambda: Recall(10, rel=0), "the parameter rel of R is 0; accepted: a whole number from 1"),
        (TimeVar, "TimeVar needs a cut-off; accepted: TimeVar@K, such as TimeVar@10"),
        (lambda: TimeVar(5, penalty=-1.0), "the parameter penalty of TimeVar is -1.0; accepted: a number from 0"),
        (lambda: MFG(5, penalty=float("nan")), "the parameter penalty of MFG is nan; accepted: a number from 0"),
    ],
)
def test_mistakes_are_named(make, message):
    with pytest.raises(EpochalError) as caught:
        make()
    assert str(caught.value) == message


def test_measures_are_values():
    assert len({NDCG(10), NDCG(10, gain="linear"), NDCG(10, gain="exp"), NDCG(5)}) == 3
    with pytest.raises(AttributeError):
        NDCG(10).cutoff = 5


def test_a_measure_of_ones_own():
    @dataclass(frozen=True, slots=True)
    class Shown(Measure):
        name: ClassVar[str] = "shown"
        title: ClassVar[str] = "how many were found"

        half: bool = False

        def score(self, ranking):
            return Scores(ranking.sum_rows(ranking.top(self.cutoff)) / (2 if self.half else 1))

    assert str(Shown(3, half=True)) == "shown@3(half=true)"
    assert Shown(3).per_query({"q1": {"a": 1.0, "b": 1.0}}, Judgements({"q1": {}})) == {"q1": 2.0}


def test_settings_are_written_as_they_are_read():
    assert [format_setting(value) for value in (False, 2, 2.5, 1e-7)] == ["false", "2", "2.5", "1e-07"]


MADE = BenchSet(
    "own",
    (
        Document("dated", "Ann won.", published=Span.year(1999), meta={"times": ["1998", "2001-05"]}),
        Document("published", "Bob won.", published=Span.year(2003)),
        Document("undated", "Cid won."),
    ),
    (
        BenchQuery("q1", "Who?", now=Span.year(2020), periods=(Span.year(1998),), excluded=("undated",)),
        BenchQuery("q2", "Who else?"),
    ),
    {"q1": {"dated": 1}},
    {"q1": (frozenset({"dated"}),)},
)


def test_a_set_gives_all_that_it_knows():
    verdicts = {"q1": {"dated": Verdict(True)}}
    judged = MADE.judgements(verdicts)
    assert judged.qrels == {"q1": {"dated": 1}}
    assert judged.period_qrels == {"q1": (frozenset({"dated"}),)}
    assert judged.verdicts is verdicts
    assert judged.documents == {
        "dated": DocumentTimes((Span.year(1998), Span.parse("2001-05")), Span.year(1999)),
        "published": DocumentTimes((), Span.year(2003)),
    }
    assert judged.queries == {"q1": QueryTimes((Span.year(1998),), Span.year(2020)), "q2": QueryTimes()}
    assert judged.excluded == {"q1": frozenset({"undated"})}
    assert judged.query_ids == ("q1", "q2")


def test_times_may_be_read_by_another():
    judged = MADE.judgements(times=lambda document: [Span.year(1066)] if document.id == "undated" else [])
    assert judged.documents["undated"].content == (Span.year(1066),)
    assert judged.documents["dated"].content == ()


@pytest.mark.parametrize("times", ["1998", ["soonish"], [1998], {"a": 1}])
def test_times_that_are_none_are_refused(times):
    with pytest.raises(EpochalError, match="the times of document 'd1'"):
        stated_times(Document("d1", "Rain.", meta={"times": times}))


def test_gaps_of_a_verdict():
    assert Verdict(None, (None, True, None)).gaps == 3
    assert Verdict(False, (False,)).gaps == 0


def test_what_was_left_out_is_counted():
    judged = Judgements({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}})
    message = evaluate({"q1": {"a": 1.0}, "q7": {"a": 1.0}, "q8": {}}, judged, parse_measures("hit@1 TR@5"))
    hit, relevance = message.outcomes
    assert (hit.average.mean, hit.average.count, hit.average.undefined, hit.unanswered) == (0.5, 2, 1, 1)
    assert message.unjudged == 2
    assert math.isnan(relevance.average.mean)
    assert (relevance.average.count, relevance.average.undefined, relevance.unanswered) == (0, 3, 0)


def test_outcomes_are_found_by_measure_and_by_name():
    message = evaluate({}, Judgements({"q1": {"a": 1}}), parse_measures("hit@1 nDCG@10"))
    assert message["nDCG@10"] is message[parse_measure("ndcg@10")] is message.outcomes[1]
    with pytest.raises(EpochalError, match="R@5 was not measured; accepted: hit@1, nDCG@10"):
        _ = message["R@5"]


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


NAN = float("nan")


def test_pooled_and_macro_differ_where_domains_differ_in_size():
    result = average_domains({"law": {"q1": 1.0, "q2": NAN}, "travel": {"q3": 0.0, "q4": 0.0, "q5": 0.5}})
    assert result.pooled == Average(0.375, 4, 1)
    assert result.macro == Average((1.0 + 0.5 / 3) / 2, 2, 0)
    assert result.domains == {"law": Average(1.0, 1, 1), "travel": Average(0.5 / 3, 3, 0)}


def test_the_same_question_in_two_domains_counts_twice():
    assert average_domains({"law": {"q1": 1.0}, "travel": {"q1": 0.0}}).pooled == Average(0.5, 2)


def test_nothing_defined_has_no_mean():
    result = average([NAN, NAN])
    assert math.isnan(result.mean)
    assert (result.count, result.undefined) == (0, 2)
    assert math.isnan(average_domains({}).pooled.mean)


def test_kinds():
    values = {"q1": 1.0, "q2": 0.0, "q3": NAN, "q4": 0.5}
    assert average_by_kind(values, {"q1": "window", "q2": "point", "q3": "point"}) == {
        "": Average(0.5, 1),
        "point": Average(0.0, 1, 1),
        "window": Average(1.0, 1),
    }


RUN = {
    "event": {"empty month": 3.0, "note": 2.5, "event": 2.0},
    "no event": {"empty month": 3.0, "event": 2.0},
    "both": {"empty month": 1.0, "event": 2.0},
    "unjudged": {"event": 1.0},
}
JUDGED = Judgements(
    {
        "event": {"event": 1},
        "no event": {"empty month": 1},
        "both": {"event": 1, "empty month": 1},
        "none": {"event": 0},
    },
    {"both": (frozenset({"event"}), frozenset({"empty month"}))},
    {"no event": {"empty month": Verdict(True)}},
    queries={"event": QueryTimes(), "no event": QueryTimes()},
)


def test_without_placeholders_their_questions_go_and_ranks_close_up():
    run, judged = restrict(RUN, JUDGED, documents=lambda document: document != "empty month")
    assert set(judged.qrels) == {"event", "both", "none"}
    assert judged.qrels["both"] == {"event": 1}
    assert judged.period_qrels == {"both": (frozenset({"event"}), frozenset())}
    assert judged.verdicts == {}
    assert set(judged.queries) == {"event"}
    assert run == {"event": {"note": 2.5, "event": 2.0}, "both": {"event": 2.0}, "unjudged": {"event": 1.0}}
    assert parse_measure("MRR@10").per_query(RUN, JUDGED)["event"] == 1 / 3
    assert parse_measure("MRR@10").per_query(run, judged)["event"] == 1 / 2


def test_without_some_questions():
    run, judged = restrict(RUN, JUDGED, queries=lambda query: query != "no event")
    assert "no event" not in run
    assert set(judged.qrels) == {"event", "both", "none"}
    assert set(judged.query_ids) == {"event", "both", "none"}
    assert run["event"] == RUN["event"]


def test_nothing_left_out_changes_nothing():
    run, judged = restrict(RUN, JUDGED)
    assert run == RUN
    assert judged.qrels == JUDGED.qrels
    assert judged.query_ids == JUDGED.query_ids


def test_equal_scores_keep_the_order_of_the_run():
    run = {"q1": {"c": 1.0, "a": 1.0, "d": 2.0, "b": 1.0}}
    assert Ranking(run, Judgements({"q1": {"a": 1}})).documents == ["d", "c", "a", "b"]


def test_excluded_documents_leave_and_others_move_up():
    judged = Judgements({"q1": {"a": 1}}, excluded={"q1": frozenset({"b"})})
    ranking = Ranking({"q1": {"b": 3.0, "a": 2.0, "c": 1.0}}, judged)
    assert ranking.documents == ["a", "c"]
    assert ranking.rank.tolist() == [1, 2]


def test_a_question_whose_documents_are_all_excluded_is_unanswered():
    judged = Judgements({"q1": {"a": 1}}, excluded={"q1": frozenset({"b"})})
    assert Ranking({"q1": {"b": 3.0}}, judged).unanswered == 1


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_number_is_refused(score):
    with pytest.raises(EpochalError, match=r"the score of 'b' for 'q1' is (nan|inf|-inf); accepted: a number"):
        Ranking({"q1": {"a": 1.0, "b": score}}, Judgements({"q1": {"a": 1}}))


def test_large_scores_are_numbers():
    assert Ranking({"q1": {"a": 1e308, "b": 1.7e308}}, Judgements({"q1": {"a": 1}})).documents == ["b", "a"]


@given(runs(), qrels())
def test_the_table_is_the_run_in_order(run, judged):
    ranking = Ranking(run, Judgements(judged))
    assert ranking.queries == tuple(judged)
    assert ranking.unjudged == len(set(run) - set(judged))
    assert ranking.unanswered == len(set(judged) - set(run))
    for number, query in enumerate(ranking.queries):
        result = ranking.get_documents(number)
        scores = [run[query][document] for document in result]
        assert scores == sorted(scores, reverse=True)
        assert set(result) == set(run.get(query, ()))
        rows = ranking.row == number
        assert ranking.rank[rows].tolist() == list(range(1, len(result) + 1))
        assert ranking.relevance[rows].tolist() == [judged[query].get(document, 0) for document in result]
        assert ranking.count_running(ranking.relevance > 0)[rows].tolist() == [
            sum(judged[query].get(document, 0) > 0 for document in result[: position + 1])
            for position in range(len(result))
        ]
        assert ranking.relevant(2)[number] == sum(grade >= 2 for grade in judged[query].values())
