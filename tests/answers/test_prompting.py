"""Prompts: what is sent is the question, its times, and fenced evidence, and nothing else."""

from __future__ import annotations

from epochal.answers.answering import Reply, build_messages, get_excerpt, list_sent_numbers
from epochal.answers.evidence import collect_evidence, make_plan
from epochal.answers.timeline import EvidenceSet, make_evidence_set
from epochal.api import Index
from epochal.llm.structured import find_problem
from epochal.search.outcome import get_topic_terms
from epochal.times import Span

QUESTION = "What did a transfer abroad cost in 2009?"


def packed(index: Index, question: str = QUESTION) -> EvidenceSet:
    plan = make_plan(question)
    return make_evidence_set(collect_evidence(index, plan), get_topic_terms(index.view(), plan.understanding))


def test_evidence_is_fenced_with_what_is_known_of_it(bank: Index) -> None:
    _, user = build_messages(make_plan(QUESTION), packed(bank))
    first = user.content.splitlines()
    assert first[:3] == [f"Question: {QUESTION}", "Time asked about: 2009 (2009): evidence is given.", ""]
    assert first[3:6] == [
        '<evidence number="1" source="Fees" date="2009-01-01" published="2009-01-01" newer_version="fees-3">',
        "A transfer abroad costs 12 euros, 15 by phone.",
        "</evidence>",
    ]


def test_no_id_of_a_document_with_a_title_is_sent(bank: Index) -> None:
    system, user = build_messages(make_plan(QUESTION), packed(bank), Span.year(2019))
    assert "fees-2" not in system.content + user.content
    assert "Answer as of: 2019" in user.content


def test_only_numbers_that_are_sent_can_be_cited(bank: Index) -> None:
    pack = packed(bank)
    assert set(list_sent_numbers(pack)) == {item.number for item in pack.citations if item.standing != "near"}


def test_the_text_is_the_document_s_own(bank: Index) -> None:
    pack = packed(bank)
    for number in list_sent_numbers(pack):
        text, start = get_excerpt(pack, number)
        assert pack.items[number - 1].hit.document.text[start : start + len(text)] == text


def test_the_reply_that_is_asked_for_fits_its_schema() -> None:
    good = {"claims": [{"text": "It rained.", "citations": [{"number": 1, "quote": "rained"}]}], "missing": []}
    assert find_problem(good, Reply) is None
    assert find_problem({"claims": [{"text": "It rained."}], "missing": []}, Reply) == "claims[0] has no 'citations'"
    assert find_problem({"claims": []}, Reply) == "the reply has no 'missing'"
