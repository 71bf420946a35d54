from __future__ import annotations

import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.reading.questions.question import INTENTS, REASONING_CLASSES
from epochal_lab.tempo.records import (
    GRANULARITIES,
    PASSAGE_KEYS,
    QUERY_KEYS,
    TENSES,
    PassageNote,
    PassageReply,
    PlanStep,
    QueryNote,
    QueryReply,
    TimeScope,
)

TEXTS = st.lists(st.text(max_size=8), max_size=3).map(tuple)
QUERIES = st.builds(
    QueryNote,
    st.booleans(),
    st.sampled_from(INTENTS),
    TEXTS,
    TEXTS,
    st.text(max_size=20),
    st.sampled_from(("", *REASONING_CLASSES)),
    st.lists(st.sampled_from(REASONING_CLASSES), max_size=2).map(tuple),
    st.text(max_size=20),
    st.lists(st.builds(PlanStep, st.integers(1, 4), st.text(max_size=9)), max_size=4).map(tuple),
    TEXTS,
    st.sampled_from(GRANULARITIES),
    TEXTS,
)
ISO = st.sampled_from(("", "1914", "-0043", "1914-06", "1914-06-28"))
PASSAGES = st.builds(
    PassageNote,
    TEXTS,
    TEXTS,
    TEXTS,
    st.builds(TimeScope, ISO, ISO, st.sampled_from(GRANULARITIES)),
    st.sampled_from(TENSES),
    st.floats(0, 1),
)


def test_the_keys_are_those_of_the_published_files():
    assert QUERY_KEYS == (
        "is_temporal_query",
        "temporal_intent",
        "query_temporal_signals",
        "query_temporal_events",
        "query_summary",
        "temporal_reasoning_class_primary",
        "temporal_reasoning_class_secondary",
        "retrieval_reasoning",
        "retrieval_plan",
        "key_time_anchors",
        "expected_granularity",
        "quality_checks",
    )
    assert PASSAGE_KEYS == (
        "passage_temporal_signals",
        "passage_temporal_events",
        "time_mentions",
        "time_scope_guess",
        "tense_guess",
        "confidence",
    )
    assert [one.name for one in fields(QueryReply)] == list(QUERY_KEYS)
    assert [one.name for one in fields(PassageReply)] == list(PASSAGE_KEYS)


@given(QUERIES)
def test_an_annotation_of_a_question_is_read_back_from_its_json(note):
    record = json.loads(json.dumps(note.to_dict()))
    assert tuple(record) == QUERY_KEYS
    assert QueryNote.from_dict(record) == note


@given(PASSAGES)
def test_an_annotation_of_a_passage_is_read_back_from_its_json(note):
    record = json.loads(json.dumps(note.to_dict()))
    assert tuple(record) == PASSAGE_KEYS
    assert PassageNote.from_dict({"doc_id": "law/0a_1.txt", **record}) == note


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("temporal_intent", "why", 'temporal_intent is "why"; accepted'),
        ("is_temporal_query", 1, "is_temporal_query is 1; accepted: boolean"),
        ("query_temporal_signals", None, "query_temporal_signals is null; accepted: array"),
        ("temporal_reasoning_class_secondary", ["history"], r"secondary\[0\] is \"history\""),
        ("retrieval_plan", [{"step": "1", "action": "x"}], r"retrieval_plan\[0\].step is \"1\""),
        ("retrieval_plan", [{"step": 1}], r"retrieval_plan\[0\] has no 'action'"),
    ],
)
def test_what_is_wrong_with_an_annotation_is_named(key, value, problem):
    with pytest.raises(EpochalError, match=f"an annotation of a question cannot be read: .*{problem}"):
        QueryNote.from_dict({**QueryNote(True).to_dict(), key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("time_scope_guess", {"start_iso": "May 1914", "end_iso": "", "granularity": "month"}),
        ("time_scope_guess", {"start_iso": "1914", "granularity": "year"}),
        ("tense_guess", "perfect"),
        ("confidence", 1.2),
        ("confidence", -0.1),
        ("confidence", True),
    ],
)
def test_what_is_wrong_with_a_passage_is_named(key, value):
    with pytest.raises(EpochalError, match=f"an annotation of a passage cannot be read: {key}"):
        PassageNote.from_dict({**PassageNote().to_dict(), key: value})
