"""The records of a question: what they refuse, and the JSON they make."""

from __future__ import annotations

import dataclasses
import json

import pytest

from epochal.errors import EpochalError, UnknownNameError
from epochal.reading.expression import TimeExpr
from epochal.reading.questions.question import (
    HALF_LIFE,
    REASONING_CLASSES,
    RECENCY_CLASSES,
    Constraint,
    Question,
    Step,
    Understanding,
)
from epochal.reading.questions.understand import understand
from epochal.times import Span

KEYS = [
    "intent", "temporal_class", "recency", "constraints", "periods", "order", "as_of", "plan", "not_understood",
    "topic", "anchors", "granularity",
    "cross_period", "reasoning_class", "half_life", "is_temporal", "temporal_focus", "variants", "answer_kind",
]  # fmt: skip


def test_the_keys_of_the_json_are_a_promise():
    found = Understanding(
        "when", "past", "Never", variants=(("strip", "a"), ("temporal_only", ""), ("normalized", "b"))
    )
    record = found.to_dict()
    assert list(record) == KEYS
    assert record["variants"] == {"strip": "a", "temporal_only": "", "normalized": "b"}
    assert json.loads(json.dumps(record)) == record


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did the war end?", "when"),
        ("Wann endete der Krieg?", "when"),
        ("How long did the siege last?", "how_long"),
        ("Which decade saw the most floods?", "which_period"),
        ("What happened when the wall fell?", "other"),
    ],
)
def test_the_kind_of_an_answer(question: str, kind: str) -> None:
    assert understand(question).answer_kind == kind


def test_a_constraint_shows_its_evidence_and_its_ends():
    evidence = TimeExpr("2017", 6, 10, "DATE", "2017", Span.year(2017), confidence=0.9)
    record = Constraint("since", Span.parse("2017/.."), "publication", evidence).to_dict()
    assert record == {
        "relation": "since",
        "axis": "publication",
        "edge": None,
        "span": "2017/..",
        "start": Span.year(2017).start,
        "end": None,
        "evidence": {"text": "2017", "start": 6, "end": 10, "confidence": 0.9},
    }


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constraint("near", Span.year(2017)), "no relation is called 'near'"),
        (lambda: Constraint("during", Span.year(2017), "creation"), "no axis is called 'creation'"),
        (lambda: Understanding("why", "past", "Never"), "no intent is called 'why'"),
        (lambda: Understanding("when", "present", "Never"), "no temporal class is called 'present'"),
        (lambda: Understanding("when", "past", "Always"), "no recency class is called 'Always'"),
        (lambda: Understanding("when", "past", "Never", reasoning_class="x"), "no reasoning class is called 'x'"),
        (lambda: Understanding("when", "past", "Never", temporal_focus="x"), "no temporal focus is called 'x'"),
    ],
)
def test_unknown_names_are_refused(make, message):
    with pytest.raises(UnknownNameError, match=message):
        make()


def test_periods_out_of_order_are_refused():
    with pytest.raises(EpochalError, match="chronological"):
        Understanding("when", "past", "Never", periods=(Span.year(2000), Span.year(-43)))


def test_half_lives_grow_with_the_classes():
    known = [HALF_LIFE[name] for name in RECENCY_CLASSES[:-1]]
    assert known == sorted(known)
    assert len(RECENCY_CLASSES) == 12
    assert HALF_LIFE["Never"] is None


def test_tempo_has_eleven_reasoning_classes():
    assert len(set(REASONING_CLASSES)) == 11


def test_records_are_frozen():
    for item, field in (
        (Question("a"), "text"),
        (Step(1, "a"), "action"),
        (Constraint("during", Span.year(1)), "axis"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(item, field, "b")
