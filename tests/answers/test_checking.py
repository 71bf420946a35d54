"""Checking: a claim stays by quotes that are there, and whatever is left out is reported."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epochal.answers.answer import Citation
from epochal.answers.answering import (
    CitationReply,
    ClaimReply,
    Reply,
    build_messages,
    check_claims,
    get_excerpt,
    list_sent_numbers,
)
from epochal.answers.evidence import EvidenceItem, collect_evidence, find_excerpt, find_quote, make_plan
from epochal.answers.timeline import EvidenceSet, make_evidence_set
from epochal.api import Index
from epochal.llm.structured import find_problem
from epochal.ranking.terms import Terms
from epochal.search.outcome import get_topic_terms
from epochal.search.response import Evidence, Hit
from epochal.storage.records import Document
from epochal.times import Span

TEXT = "The bank raised its rate to 5 percent. Nobody had asked it to. 銀行升息。"


def pack_of(*texts: str) -> EvidenceSet:
    documents = [Document(f"p{number}", text) for number, text in enumerate(texts, 1)]
    items = tuple(EvidenceItem(Hit(item, 1.0, {}, item.text), None, "topic") for item in documents)
    cited = tuple(
        Citation(number, item.id, "", item.text, 0, len(item.text), None, "", "topic")
        for number, item in enumerate(documents, 1)
    )
    return EvidenceSet((), cited, items)


def claim(quote: str, number: int = 1) -> ClaimReply:
    return ClaimReply("A claim.", (CitationReply(number, quote),))


def test_a_quote_is_kept_with_its_place() -> None:
    (kept,), dropped = check_claims(pack_of("Rain.", TEXT), [claim("  its rate to 5 percent ", 2)])
    assert dropped == ()
    (quoted,) = kept.quotes
    assert TEXT[quoted.start_char : quoted.end_char] == quoted.quote == "its rate to 5 percent"


def test_words_that_were_changed_are_not_a_quote() -> None:
    for quote in ("its Rate to 5 percent", "its rate … 5 percent", "its  rate", "银行升息", "", "…"):
        kept, dropped = check_claims(pack_of(TEXT), [claim(quote)])
        assert kept == ()
        assert [item.kind for item in dropped] == ["citation", "claim"]


def test_a_quote_of_other_evidence_is_not_one_of_this() -> None:
    kept, dropped = check_claims(pack_of("Rain fell.", TEXT), [claim("Rain fell", 2)])
    assert (kept, dropped[0].reason) == ((), "evidence 2 does not have the words “Rain fell”")


def test_numbers_that_do_not_exist_are_refused() -> None:
    for number in (0, -1, 2, 10**9):
        assert check_claims(pack_of(TEXT), [claim("raised", number)])[0] == ()


def test_the_same_citation_twice_is_one() -> None:
    said = ClaimReply("A claim.", (CitationReply(1, "raised its rate"),) * 2)
    (kept,), _ = check_claims(pack_of(TEXT), [said])
    assert len(kept.quotes) == 1


@given(st.integers(0, len(TEXT) - 1), st.integers(1, 40))
def test_any_range_of_the_text_can_be_quoted(start: int, length: int) -> None:
    words = TEXT[start : start + length]
    kept, dropped = check_claims(pack_of(TEXT), [claim(words)])
    if sum(sign.isalnum() for sign in words.strip()) >= 2:
        assert kept[0].quotes[0].quote == words.strip()
        assert dropped == ()
    else:
        assert kept == ()


NONE = Terms((), np.empty(0), np.empty(0))
TEXTS = st.text(st.sampled_from("ab .\n。!三月"), min_size=1, max_size=900).filter(str.strip)


def hit_of(text: str, start: int = 0, end: int | None = None) -> Hit:
    return Hit(Document("a", text), 1.0, {}, text[start:end], start)


def told_at(text: str, start: int, end: int) -> Evidence:
    return Evidence(Span.year(1998), text[start:end], start, end, "", 1.0, 1.0)


def test_the_sentence_with_the_date_is_quoted() -> None:
    text = "It rained all day. The bank raised its rate in May 1998. Nobody knew why it did so."
    start, end = find_quote(hit_of(text), told_at(text, 47, 55), NONE)
    assert text[start:end] == "The bank raised its rate in May 1998."


def test_a_passage_further_in_is_quoted_at_its_place() -> None:
    text = "Nothing of note happened here. The bank raised its rate in May 1998."
    start, end = find_quote(hit_of(text, 31), told_at(text, 59, 67), NONE)
    assert text[start:end] == "The bank raised its rate in May 1998."


def test_without_a_date_the_sentence_nearest_the_topic_is_quoted() -> None:
    text = "It rained all day. The bank raised its rate. Nobody knew why it did so."
    terms = Terms(("bank", "rate"), np.ones(2), np.ones(2))
    start, end = find_quote(hit_of(text), None, terms)
    assert text[start:end] == "The bank raised its rate."


def test_a_short_sentence_takes_the_next_with_it() -> None:
    text = "13. Rain. The mast broke in the night."
    start, end = find_quote(hit_of(text), None, NONE)
    assert text[start:end].startswith("13. Rain.")
    assert "mast" in text[start:end]


@given(TEXTS, st.integers(0, 899))
def test_a_quote_is_a_part_of_its_text(text: str, place: int) -> None:
    place = min(place, len(text) - 1)
    hit = hit_of(text)
    start, end = find_quote(hit, told_at(text, place, place + 1), NONE)
    assert 0 <= start <= end <= len(text)
    assert end - start <= 300
    low, high = find_excerpt(hit, start, end)
    assert low <= start <= end <= high
    assert high - low <= 1_200


def test_a_long_sentence_is_cut_between_words_around_its_date() -> None:
    text = "word " * 200 + "in May 1998 " + "more " * 200
    at = text.index("May")
    start, end = find_quote(hit_of(text), told_at(text, at, at + 8), NONE)
    quote = text[start:end]
    assert "May 1998" in quote
    assert len(quote) <= 300
    assert set(quote.split()) <= {"word", "in", "May", "1998", "more"}


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
