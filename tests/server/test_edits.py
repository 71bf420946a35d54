"""Corrected readings: what goes with a constraint, and what stays."""

from __future__ import annotations

import pytest

from epochal import Index
from epochal.errors import EpochalError
from epochal.ranking.pool import get_windows
from epochal.ranking.scorer import WeightedScorer
from epochal.reading.questions import understand
from epochal.search.request import Request
from epochal.search.search import run_search
from epochal.server.state import apply_edits
from epochal.times import Span

NOW = Span.parse("2026-11-15")


def windows(query):
    return [window.span.edtf() for window in get_windows(query)]


@pytest.mark.parametrize(
    "question",
    [
        "What did the bank do in 1998?",
        "Compare the fees of 1998 with those of 2008",
        "How have fees changed since 2017?",
        "What happened between 2009 and 2019?",
        "Causes of the Korean War",
        "the latest fees",
    ],
)
def test_without_its_constraints_a_question_asks_for_no_time(question):
    query = understand(question, NOW)
    bare = apply_edits(query, drop=range(len(query.constraints)))
    assert bare.constraints == ()
    assert windows(bare) == [] or not query.constraints
    assert bare.topic == query.topic


def test_a_period_stays_that_another_constraint_names():
    query = understand("fees in 1998 and between 1990 and 2000", NOW)
    (year,) = [position for position, item in enumerate(query.constraints) if item.span == Span.year(1998)]
    retained = apply_edits(query, drop=[year])
    assert [item.span.edtf() for item in retained.constraints] == ["1990/2000"]


def test_the_plan_loses_the_steps_of_a_period():
    query = understand("Compare the fees of 1998 with those of 2008", NOW)
    left = apply_edits(query, drop=[0])
    assert Span.year(1998) in [step.period for step in query.plan]
    assert Span.year(1998) not in [step.period for step in left.plan]


def test_given_periods_are_sorted_and_unique():
    window = apply_edits(understand("fees"), periods=[Span.year(2003), Span.year(1998), Span.year(2003)])
    assert [span.edtf() for span in window.periods] == ["1998", "2003"]
    assert window.cross_period
    assert windows(window) == ["1998", "2003"]


def test_one_period_is_not_compared_with_itself():
    assert not apply_edits(understand("Compare 1998 with 2008"), periods=[Span.year(1998)]).cross_period


@pytest.mark.parametrize(
    "question",
    [
        "What happened to steel tariffs in 2003?",
        "Compare the steel tariffs of 1998 with those of 2003",
        "the latest fees of a transfer abroad",
        "steel",
    ],
)
@pytest.mark.parametrize("options", [{}, {"during": Span.year(1998), "strict": True}, {"as_of": Span.year(2010)}])
def test_a_reading_that_is_given_is_searched_as_one_that_was_read(never_changed, question, options):
    with Index.open(never_changed) as index:
        request = Request(question, k=5, now=NOW, **options)
        plain = run_search(index.view(), None, request, WeightedScorer())
        assert (
            run_search(index.view(), None, request, WeightedScorer(), understanding=understand(question, NOW)) == plain
        )


def test_nothing_to_edit_is_the_same():
    query = understand("fees in 1998")
    assert apply_edits(query) is query


@pytest.mark.parametrize("position", [1, -1, 7])
def test_what_is_not_there_cannot_be_dropped(position):
    with pytest.raises(
        EpochalError, match=rf"drop has {position}, but the question has 1 constraints; accepted: 0 to 0"
    ):
        apply_edits(understand("fees in 1998"), drop=[position])
