"""Packs: numbers, order, and where a date comes from."""

from __future__ import annotations

import numpy as np
import pytest

from epochal.answers.evidence import PeriodEvidence, collect_evidence, make_plan
from epochal.answers.timeline import EvidenceSet, make_evidence_set, make_timeline
from epochal.api import Index
from epochal.ingest import SequenceReader
from epochal.ranking.terms import Terms
from epochal.search.outcome import get_topic_terms

from .conftest import Filler, paper


def packed(index: Index, question: str) -> EvidenceSet:
    plan = make_plan(question)
    return make_evidence_set(collect_evidence(index, plan), get_topic_terms(index.view(), plan.understanding))


def test_what_answers_is_numbered_first(bank: Index) -> None:
    pack = packed(bank, "Compare the rate of the bank in 1998 with that of 2008")
    assert [item.number for item in pack.citations] == list(range(1, len(pack.citations) + 1))
    beside = [item.standing in ("other", "near") for item in pack.citations]
    assert beside == sorted(beside)
    assert [pack.items[item.number - 1].hit.id for item in pack.citations] == [item.id for item in pack.citations]


@pytest.mark.parametrize(
    ("question", "by"),
    [
        ("What did the bank do to its rate in 2003?", "text"),
        ("What did a transfer abroad cost in 2009?", "published"),
        ("How much of a deposit was insured in 2005?", "valid"),
        ("What is the rate that lenders pay overnight?", ""),
    ],
)
def test_where_a_date_comes_from(bank: Index, question: str, by: str) -> None:
    assert packed(bank, question).citations[0].dated_by == by


def test_a_date_that_was_carried_over_is_said_to_be(filled: Filler) -> None:
    texts = ("12 May 1843. Rain.", "13. The mast broke.", "All repaired by night.")
    log = filled([paper(f"line {at}", text) for at, text in enumerate(texts, 1)], SequenceReader())
    pack = packed(log, "What happened on 13 May 1843?")
    assert [(item.id, item.dated_by) for item in pack.citations if item.standing == "within"] == [
        ("line 2", "text"),
        ("line 3", "sequence"),
    ]


def test_hidden_documents_are_counted_once(bank: Index) -> None:
    plan = make_plan("Compare the cost of a transfer in 2001 with that of 2009")
    found = collect_evidence(bank, plan)
    made = make_timeline(plan, found, packed(bank, plan.question))
    assert "at another time" not in made.hidden
    assert all(count <= len(bank) for count in made.hidden.values())


def test_shards_that_did_not_answer_are_named_once() -> None:
    found = [
        PeriodEvidence(None, "no_window", missing=("node 2",)),
        PeriodEvidence(None, "no_window", missing=("node 2", "node 3")),
    ]
    made = make_timeline(make_plan("Rain?"), found, make_evidence_set(found, Terms((), np.empty(0), np.empty(0))))
    assert [item.sentence for item in made.missing] == [
        "The shard node 2 does not answer: what it holds was not searched.",
        "The shard node 3 does not answer: what it holds was not searched.",
    ]
    assert "Missing: The shard node 2 does not answer: what it holds was not searched." in made.text
