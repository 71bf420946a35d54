"""Checking: a claim stays by quotes that are there, and whatever is left out is reported."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from epochal.answers.answer import Citation
from epochal.answers.answering import CitationReply, ClaimReply, check_claims
from epochal.answers.evidence import EvidenceItem
from epochal.answers.timeline import EvidenceSet
from epochal.search.response import Hit
from epochal.storage.records import Document

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
def test_any_stretch_of_the_text_can_be_quoted(start: int, length: int) -> None:
    words = TEXT[start : start + length]
    kept, dropped = check_claims(pack_of(TEXT), [claim(words)])
    if sum(sign.isalnum() for sign in words.strip()) >= 2:
        assert kept[0].quotes[0].quote == words.strip()
        assert dropped == ()
    else:
        assert kept == ()
