"""Answers from end to end: timelines of quotes, and what language models write, checked against the evidence."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from epochal.answers import answer
from epochal.answers.answer import Answer
from epochal.api import Index
from epochal.errors import EpochalError
from epochal.llm.chat import LlmError, Message, StructureError
from epochal.times import Span
from scripted_chats import Scripted

from .conftest import Filler, paper

RATE = "What did the bank do to its rate in 2003?"
BOTH = "Compare the rate of the bank in 1998 with that of 2008"


def said(*claims: tuple[str, Sequence[tuple[int, str]]], missing: Sequence[str] = ()) -> str:
    made = [
        {"text": text, "citations": [{"number": number, "quote": quote} for number, quote in cited]}
        for text, cited in claims
    ]
    return json.dumps({"claims": made, "missing": list(missing)})


def check(made: Answer, index: Index) -> None:
    """What holds for every answer: quotes stand where they are said to, and numbers lead somewhere."""
    assert [item.number for item in made.citations] == list(range(1, len(made.citations) + 1))
    for item in made.citations:
        document = index.get(item.id)
        assert document is not None
        assert document.text[item.start_char : item.end_char] == item.quote != ""
        assert item.number in made.parts[item.part].citations
    for claim in made.claims:
        for quoted in claim.quotes:
            document = index.get(made.citation(quoted.number).id)
            assert document is not None
            assert document.text[quoted.start_char : quoted.end_char] == quoted.quote
    assert sorted(number for part in made.parts for number in part.citations) == [n.number for n in made.citations]
    assert json.loads(json.dumps(made.to_dict())) == made.to_dict()


# ---------------------------------------------------------------- without a model


def test_a_timeline_is_in_order_and_cited(bank: Index) -> None:
    made = answer(bank, "What happened to the rate of the bank from 1998 to 2008?")
    check(made, bank)
    dates = [item.date for item in made.citations if item.standing == "within"]
    assert dates == sorted(dates, key=lambda span: span.start if span else 0)
    assert made.outcome == "recorded"
    assert made.model == ""
    assert made.claims == ()
    assert "“The bank cut its rate to 2 percent last month.” [2: rate-2003, 2003-06]" in made.text


def test_a_method_of_the_index(bank: Index) -> None:
    assert bank.answer(RATE, now=None).to_dict() == answer(bank, RATE).to_dict()
    assert bank.answer(RATE).now == Span.parse("2026-11-15")


def test_gaps_are_shown_and_listed(bank: Index) -> None:
    made = answer(bank, "Compare the rate of the bank in 1998 with those of 2005 and 1850")
    check(made, bank)
    assert [(part.period.edtf(), part.outcome) for part in made.parts if part.period] == [
        ("1850", "not_covered"),
        ("1998", "recorded"),
        ("2005", "none_recorded"),
    ]
    assert [item.outcome for item in made.missing] == ["not_covered", "none_recorded"]
    assert made.missing[0].sentence == (
        "Not covered: the records, which reach from May 1998 to March 2020, have none of 1850."
    )
    assert not made.is_refused


@pytest.mark.parametrize("question", ["What did the bank do in 1850?", "What did the bank do to its rate in 2005?"])
def test_an_answer_is_refused_where_nothing_is_recorded(bank: Index, question: str) -> None:
    made = answer(bank, question)
    assert made.is_refused
    assert made.outcome in ("none_recorded", "not_covered")
    check(made, bank)


def test_the_day_that_it_counts_from_is_stated(bank: Index) -> None:
    question = "What does a transfer abroad cost?"
    seen = answer(bank, question, as_of="2010")
    assert seen.citations[0].quote == "A transfer abroad costs 12 euros, 15 by phone."
    assert seen.text.startswith("As of 2010; the newest record it could see is of 1 January 2009.")
    assert seen.hidden["not surely published by then"] == 1
    asked = answer(bank, question, now="2021-01-01")
    assert asked.text.startswith("Asked on 1 January 2021; the newest record it could see is of 1 March 2020.")


def test_of_versions_the_one_of_its_time_is_cited(bank: Index) -> None:
    made = answer(bank, "What did a transfer abroad cost in 2009?")
    assert (made.citations[0].id, made.citations[0].superseded_by) == ("fees-2", "fees-3")
    assert "a newer version is fees-3" in made.text


def test_copies_are_collapsed_to_one(bank: Index) -> None:
    made = answer(bank, "What did the bank do to its rate in October 2008?")
    assert (made.citations[0].id, made.citations[0].behind) == ("rate-2008", ("wire-2008",))


def test_an_index_without_documents_answers_nothing(filled: Filler) -> None:
    made = answer(filled([]), RATE)
    assert (made.outcome, made.citations, made.is_refused) == ("not_covered", (), True)
    assert made.missing[0].sentence == "Not covered: no record has a date, so they say nothing about 2003."
    assert answer(filled([]), "What does a transfer cost?").is_refused


def test_json_has_these_keys(bank: Index) -> None:
    record = answer(bank, RATE).to_dict()
    assert list(record) == [
        *("question", "now", "as_of", "newest", "outcome", "is_refused", "text", "times", "parts"),
        *("citations", "claims"),
        *("missing", "dropped", "model", "plan", "hidden"),
    ]
    assert list(record["parts"][0]) == ["period", "outcome", "sentence", "citations", "more"]
    assert list(record["citations"][0]) == [
        *("number", "id", "title", "quote", "start_char", "end_char", "date", "dated_by", "standing", "part"),
        *("published", "superseded_by", "behind"),
    ]


@pytest.mark.parametrize(("named", "value"), [("now", "soonish"), ("as_of", 19.98), ("k", 0), ("k", 10_001)])
def test_an_option_with_a_wrong_value_is_named(bank: Index, named: str, value: object) -> None:
    with pytest.raises(EpochalError, match=named):
        answer(bank, RATE, **{named: value})


def test_what_is_no_language_model_is_refused(bank: Index) -> None:
    with pytest.raises(EpochalError, match="llm must have a name and a method complete"):
        answer(bank, RATE, llm="small-model")  # type: ignore[arg-type]


# ---------------------------------------------------------------- with a model


def test_claims_that_hold_up_are_kept(bank: Index) -> None:
    reply = said(
        ("The rate rose to 5 percent in May 1998.", [(1, "raised its rate to 5 percent")]),
        ("By October 2008 it was 1 percent.", [(2, "rate to 1 percent"), (1, "5 percent")]),
        missing=["Why it was cut."],
    )
    chat = Scripted([reply])
    made = answer(bank, BOTH, llm=chat)
    check(made, bank)
    assert [claim.numbers for claim in made.claims] == [(1,), (2, 1)]
    assert made.dropped == ()
    assert made.missing[-1].sentence == "Why it was cut."
    assert made.model == "scripted"
    assert "By October 2008 it was 1 percent. [2: rate-2008, 2008-10, “rate to 1 percent”]" in made.text
    assert chat.asked[0][1], "JSON is asked for"


def test_what_is_cited_wrongly_is_left_out_and_reported(bank: Index) -> None:
    reply = said(
        ("It rose to 6 percent.", [(1, "6 percent")]),
        ("It rose.", [(99, "raised"), (1, "raised its rate")]),
        ("It fell.", []),
        ("A letter proves nothing.", [(1, "T")]),
        ("", [(1, "raised its rate")]),
    )
    made = answer(bank, BOTH, llm=Scripted([reply]))
    check(made, bank)
    assert [claim.text for claim in made.claims] == ["It rose."]
    assert [(item.kind, item.reason) for item in made.dropped] == [
        ("citation", "evidence 1 does not have the words “6 percent”"),
        ("claim", "no citation of it holds up"),
        ("citation", "there is no evidence 99"),
        ("claim", "it cites nothing"),
        ("citation", "the quote “T” is too short to prove anything"),
        ("claim", "no citation of it holds up"),
        ("claim", "it says nothing"),
    ]
    assert "Left out: It rose to 6 percent. (no citation of it holds up)" in made.text


def test_without_evidence_no_model_is_asked(bank: Index) -> None:
    chat = Scripted([])
    made = answer(bank, "What did the bank do to its rate in 1850?", llm=chat)
    assert chat.asked == []
    assert made.is_refused
    assert made.missing[0].outcome == "not_covered"
    assert "The evidence does not answer this." in made.text


def test_what_lies_near_is_not_sent(bank: Index) -> None:
    chat = Scripted([said()])
    made = answer(bank, RATE, llm=chat)
    assert {item.standing for item in made.citations} == {"within", "near"}
    sent = chat.asked[0][0][-1].content
    assert "last month" in sent
    assert "October 2008" not in sent
    near = next(item.number for item in made.citations if item.standing == "near")
    again = answer(bank, RATE, llm=Scripted([said(("It fell.", [(near, "cut its rate")]))]))
    assert next(item.reason for item in again.dropped) == f"there is no evidence {near}"


def test_the_model_is_reported_what_has_no_evidence(bank: Index) -> None:
    chat = Scripted([said()])
    answer(bank, "Compare the rate of the bank in 1998 with that of 1850", now="2026-11-15", as_of="2019", llm=chat)
    sent = chat.asked[0][0][-1].content
    assert "Time asked about: 1850 (1850): there is no evidence." in sent
    assert "Time asked about: 1998 (1998): evidence is given." in sent
    assert "Asked on: 2026-11-15" in sent
    assert "Answer as of: 2019. Nothing later is known." in sent


def test_a_reply_that_is_no_answer_is_asked_for_once_more(bank: Index) -> None:
    chat = Scripted(["Sure! It fell.", said(("It fell.", [(1, "cut its rate")]))])
    assert [claim.text for claim in answer(bank, RATE, llm=chat).claims] == ["It fell."]
    with pytest.raises(StructureError):
        answer(bank, RATE, llm=Scripted(["no", '{"claims": [{"text": 1}], "missing": []}']))


def test_a_model_that_fails_is_an_error_and_no_answer(bank: Index) -> None:
    def fail(messages: Sequence[Message]) -> str:
        raise LlmError("the endpoint is gone")

    with pytest.raises(LlmError, match="gone"):
        answer(bank, RATE, llm=Scripted(fail))


def test_a_quote_is_looked_for_in_what_was_sent(filled: Filler) -> None:
    long = "The mill burned in May 1998. " + "It was a day like others in the valley. " * 60 + "Nobody was hurt."
    index = filled([paper("a", long)])
    reply = said(("Nobody was hurt.", [(1, "Nobody was hurt.")]), ("It burned.", [(1, "mill burned in May 1998")]))
    made = answer(index, "What happened to the mill in May 1998?", llm=Scripted([reply]))
    check(made, index)
    assert [claim.text for claim in made.claims] == ["It burned."]
    assert made.citations[0].date == Span.parse("1998-05")
