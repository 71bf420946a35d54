from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.storage.records import Document
from epochal_lab.tempo.annotate import (
    annotate_passage_by_rules,
    annotate_query_by_rules,
    compare_passages,
    compare_queries,
    measure_word_overlap,
)
from epochal_lab.tempo.records import PassageNote, PlanStep, QueryNote, TimeScope


def test_an_annotation_agrees_with_itself():
    for question in ("How did fees change between 2017 and 2021?", "What is a Merkle tree?"):
        note = annotate_query_by_rules(question)
        assert set(compare_queries(note, note).values()) == {1.0}
    note = annotate_passage_by_rules(Document("a", "Built in May 1906, during the war."))
    assert set(compare_passages(note, note).values()) == {1.0}


def test_plans_are_compared_by_their_steps():
    one = QueryNote(True, retrieval_plan=(PlanStep(1, "Find fees in 2017."), PlanStep(2, "Find fees in 2021.")))
    other = QueryNote(True, retrieval_plan=(PlanStep(1, "Find fees in 2021."),))
    found = compare_queries(one, other)
    assert found["plan_steps"] == 0.0
    assert found["retrieval_plan"] == pytest.approx(2 * 0.75 / 1.75)
    assert compare_queries(one, QueryNote(True))["retrieval_plan"] == 0.0


def test_times_are_compared_as_times():
    one = QueryNote(True, key_time_anchors=("May 2017", "the Second World War"))
    other = QueryNote(True, key_time_anchors=("2017-05", "1939 to 1945"))
    assert compare_queries(one, other)["key_time_anchors"] == 1.0
    assert compare_queries(one, QueryNote(True, key_time_anchors=("1066",)))["key_time_anchors"] == 0.0


def test_scopes_are_compared_by_year_and_grain():
    def scope(*told):
        return PassageNote(time_scope_guess=TimeScope(*told))

    assert compare_passages(scope("1914-06", "1918", "date"), scope("1914", "1918-11", "year"))[
        "time_scope_guess"
    ] == pytest.approx(2 / 3)
    assert compare_passages(scope("-0043", "", "year"), scope("-0044", "", "year"))["time_scope_guess"] == (
        pytest.approx(2 / 3)
    )
    assert compare_passages(PassageNote(), PassageNote(confidence=0.25))["confidence"] == 0.75


def test_small_words_alone_are_compared_too():
    assert measure_word_overlap("When", "when") == 1.0
    assert measure_word_overlap("When", "since") == 0.0
    assert measure_word_overlap("the merge", "the fork") == 0.0


@given(st.text("ab 12", max_size=12), st.text("ab 12", max_size=12))
def test_likeness_is_symmetric_and_bounded(one, other):
    assert 0.0 <= measure_word_overlap(one, other) == measure_word_overlap(other, one) <= 1.0
    assert measure_word_overlap(one, one) == 1.0
