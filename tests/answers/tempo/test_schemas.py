from __future__ import annotations

import pytest

from epochal.answers.tempo.schemas import PASSAGE, PLAN, QUERY, SEARCHES, plan_problem
from epochal.llm.structured import find_problem


@pytest.mark.parametrize("schema", [QUERY, PASSAGE, PLAN, SEARCHES])
def test_every_key_is_required(schema):
    assert set(schema["required"]) == set(schema["properties"])
    assert find_problem({}, schema) == f"the reply has no {schema['required'][0]!r}"


@pytest.mark.parametrize("date", ["1914", "1914-06", "1914-06-28", "-0043", ""])
def test_dates_that_are_accepted(date):
    scope = PASSAGE["properties"]["time_scope_guess"]
    assert find_problem({"start_iso": date, "end_iso": date, "granularity": "year"}, scope) is None


@pytest.mark.parametrize("date", ["14", "1914-6", "1914-06-28T00", "c. 1914", "1914/1918", "19XX"])
def test_dates_that_are_not(date):
    scope = PASSAGE["properties"]["time_scope_guess"]
    assert find_problem({"start_iso": date, "end_iso": "", "granularity": "year"}, scope) is not None


@pytest.mark.parametrize(
    ("numbers", "right"), [((1, 2), True), ((), True), ((2, 1), False), ((1, 1), False), ((0, 1), False)]
)
def test_steps_are_numbered_from_one(numbers, right):
    plan = {"retrieval_plan": [{"step": number, "action": "Find."} for number in numbers]}
    assert (plan_problem(plan) is None) == right
