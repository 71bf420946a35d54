from __future__ import annotations

from dataclasses import MISSING, fields
from types import SimpleNamespace

import pytest

from epochal.llm.structured import find_problem
from epochal_lab.tempo.records import (
    PassageReply,
    PlanReply,
    QueryReply,
    ScopeReply,
    SearchesReply,
    StepReply,
    check_plan,
)


@pytest.mark.parametrize("contract", [QueryReply, PassageReply, PlanReply, SearchesReply])
def test_every_key_is_required(contract):
    assert all(one.default is MISSING for one in fields(contract))
    assert find_problem({}, contract) == f"the reply has no {fields(contract)[0].name!r}"


@pytest.mark.parametrize(
    ("count", "problem"),
    [
        (1, "retrieval_plan has 1 items; accepted: 2 to 4"),
        (2, None),
        (4, None),
        (5, "retrieval_plan has 5 items; accepted: 2 to 4"),
    ],
)
def test_a_plan_has_two_to_four_steps(count, problem):
    steps = [{"step": number, "action": "Find."} for number in range(1, count + 1)]
    assert find_problem({"retrieval_plan": steps}, PlanReply) == problem
    wrong = {"retrieval_plan": [{"step": 0, "action": "Find."}]}
    assert find_problem(wrong, PlanReply) == "retrieval_plan[0].step is 0; accepted: numbers from 1"


@pytest.mark.parametrize("date", ["1914", "1914-06", "1914-06-28", "-0043", ""])
def test_dates_that_are_accepted(date):
    assert find_problem({"start_iso": date, "end_iso": date, "granularity": "year"}, ScopeReply) is None


@pytest.mark.parametrize("date", ["14", "1914-6", "1914-06-28T00", "c. 1914", "1914/1918", "19XX"])
def test_dates_that_are_not(date):
    assert find_problem({"start_iso": date, "end_iso": "", "granularity": "year"}, ScopeReply) is not None


@pytest.mark.parametrize(
    ("numbers", "right"), [((1, 2), True), ((), True), ((2, 1), False), ((1, 1), False), ((2, 3), False)]
)
def test_steps_are_numbered_from_one(numbers, right):
    reply = SimpleNamespace(retrieval_plan=[StepReply(number, "Find.") for number in numbers])
    assert (check_plan(reply) is None) == right
