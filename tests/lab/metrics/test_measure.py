from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from epochal.errors import EpochalError
from epochal_lab.metrics import AP, MFG, MRR, NDCG, Hit, Judgements, Measure, Precision, Recall, Scores, TimeVar
from epochal_lab.metrics.measure import format_setting


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
