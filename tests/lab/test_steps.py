from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal_lab.datasets.records import STRATEGIES, BenchQuery, BenchSet, apply_strategy, average_steps


def a_set(plans: dict[str, list[str]]) -> BenchSet:
    queries = tuple(
        BenchQuery(
            f"{parent}_step{number}",
            step,
            annotations={"parent": parent, "parent_text": f"Why {parent}?", "step_text": step},
        )
        for parent, steps in plans.items()
        for number, step in enumerate(steps, 1)
    )
    return BenchSet("own/steps", (), queries, {query.id: {"d": 1} for query in queries})


def test_the_three_strategies_write_what_they_should():
    bench_set = a_set({"a": ["Find 1998.", "Find 1999."], "b": ["Find 2001."]})
    texts = {name: [query.text for query in apply_strategy(bench_set, name).queries] for name in STRATEGIES}
    assert texts["step-only"] == ["Find 1998.", "Find 1999.", "Find 2001."]
    assert texts["query+step"][1] == "Why a?\n\nStep: Find 1999."
    assert texts["query+all"] == ["Why a?\n\nStep: Find 1998.\n\nStep: Find 1999."] * 2 + ["Why b?\n\nStep: Find 2001."]


def test_a_strategy_changes_texts_alone_and_can_be_changed_again():
    bench_set = a_set({"a": ["Find 1998.", "Find 1999."]})
    request = apply_strategy(bench_set, "query+all")
    assert [query.id for query in request.queries] == [query.id for query in bench_set.queries]
    assert request.qrels is bench_set.qrels
    assert apply_strategy(request, "step-only").queries == bench_set.queries


def test_a_strategy_that_is_none_is_named():
    with pytest.raises(EpochalError, match="no strategy for steps is called 'all'; known: step-only, query"):
        apply_strategy(a_set({"a": ["Find it."]}), "all")


def test_a_set_without_steps_is_refused():
    plain = BenchSet("own", (), (BenchQuery("q1", "Who won?"),), {})
    with pytest.raises(EpochalError, match="the question 'q1' of 'own' has no 'parent'; accepted: a set of steps"):
        apply_strategy(plain, "step-only")


def test_both_averages():
    bench_set = a_set({"a": ["x", "y", "z"], "b": ["x"]})
    means = average_steps({"a_step1": 1.0, "a_step2": 0.0, "a_step3": 0.5, "b_step1": 1.0}, bench_set)
    assert (means.pooled, means.by_question, means.steps, means.questions) == (0.625, 0.75, 4, 2)


def test_undefined_values_are_passed_over_and_a_missing_one_is_named():
    bench_set = a_set({"a": ["x", "y"], "b": ["x"]})
    means = average_steps({"a_step1": 1.0, "a_step2": math.nan, "b_step1": math.nan}, bench_set)
    assert (means.pooled, means.by_question, means.steps, means.questions) == (1.0, 1.0, 1, 1)
    assert math.isnan(average_steps(dict.fromkeys(("a_step1", "a_step2", "b_step1"), math.nan), bench_set).pooled)
    with pytest.raises(EpochalError, match="the step 'b_step1' of 'own/steps' has no value"):
        average_steps({"a_step1": 1.0, "a_step2": 0.0}, bench_set)


@given(st.dictionaries(st.sampled_from("abcd"), st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=1))
def test_the_averages_agree_where_every_question_has_as_many_steps(values):
    bench_set = a_set({parent: ["x"] * len(match) for parent, match in values.items()})
    given_values = {f"{parent}_step{n}": x for parent, match in values.items() for n, x in enumerate(match, 1)}
    means = average_steps(given_values, bench_set)
    every = [x for match in values.values() for x in match]
    assert means.pooled == pytest.approx(sum(every) / len(every), abs=1e-12)
    assert min(every) - 1e-12 <= means.by_question <= max(every) + 1e-12
    if len({len(match) for match in values.values()}) == 1:
        assert means.by_question == pytest.approx(means.pooled, abs=1e-12)
