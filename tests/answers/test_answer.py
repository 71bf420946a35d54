"""Plans: which times a question asks about, in their order."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from epochal.answers.answer import (
    EVIDENCE_STATUSES,
    Answer,
    Citation,
    Claim,
    EvidenceStatus,
    Part,
    Quote,
    describe_gap,
    format_answer,
    group_citations,
    list_displayed_citations,
)
from epochal.answers.evidence import PeriodEvidence, collect_evidence, make_plan
from epochal.answers.timeline import EvidenceSet, make_evidence_set, make_timeline
from epochal.api import Index
from epochal.errors import UnknownNameError
from epochal.ingest import SequenceReader
from epochal.ranking.terms import Terms
from epochal.search.outcome import get_topic_terms
from epochal.times import Span

from .conftest import Filler, paper

NOW = Span.parse("2026-11-15")


@pytest.mark.parametrize(
    ("question", "periods"),
    [
        ("What did the bank do?", []),
        ("What did the bank do in 2003?", ["2003"]),
        ("What did the bank do last year?", ["2025"]),
        ("Compare the rate in 2008 with that of 1998", ["1998", "2008"]),
        ("Compare the rates of 1998, 2003 and 2008", ["1998", "2003", "2008"]),
        ("How have fees changed since 2017?", [str(year) for year in range(2017, 2027)]),
        ("How does the rate on 3 May 2003 differ from the rate on 9 May 2003?", ["2003-05-03", "2003-05-09"]),
        ("What was published about fees in 2009, and what in 2020?", ["2009", "2020"]),
        ("How do papers on fees differ that appeared in 2009, in 2017 and in 2020?", ["2009", "2017", "2020"]),
        ("What happened from 2003 to 2008?", [str(year) for year in range(2003, 2009)]),
    ],
)
def test_the_times_to_look_in(question: str, periods: list[str]) -> None:
    assert [window.span.edtf() for window in make_plan(question, NOW).windows] == periods


def test_periods_by_when_things_were_published_are_set_against_each_other_too() -> None:
    plan = make_plan("How does what was said of fees in documents published in 2009 differ from what was said in 2020?")
    assert [(window.span.edtf(), window.axis) for window in plan.windows] == [
        ("2009", "publication"),
        ("2020", "content"),
    ]


def test_a_third_year_of_publication_is_no_side_of_a_comparison() -> None:
    plan = make_plan("Compare fees in 2009 and 2017 in documents published in 2020")
    assert [window.span.edtf() for window in plan.windows] == ["2009", "2017"]


def test_the_topic_has_no_time_words() -> None:
    assert make_plan("What did the bank do to its rate in 2003?").topic == "What did the bank do to its rate"


def cited(standing: str, number: int = 1) -> Citation:
    return Citation(number, f"p{number}", "", "Rain.", 0, 5, Span.year(1998), "text", standing)  # type: ignore[arg-type]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no standing is called 'beside'; known: within, in_force"):
        cited("beside")
    with pytest.raises(UnknownNameError, match="no outcome is called 'maybe'"):
        Part(None, "maybe")  # type: ignore[arg-type]


def test_an_answer_cannot_be_changed() -> None:
    made = Answer("Rain?", "no_window", (Part(None, "no_window"),))
    with pytest.raises(FrozenInstanceError):
        made.question = "Sun?"  # type: ignore[misc]


@pytest.mark.parametrize("standing", EVIDENCE_STATUSES)
def test_only_what_answers_is_an_answer(standing: str) -> None:
    made = Answer("Rain?", "recorded", (Part(Span.year(1998), "recorded", "", (1,)),), (cited(standing),))
    assert made.is_refused == (standing in ("vague", "other", "near"))


def test_with_a_model_only_claims_are_an_answer() -> None:
    part = Part(Span.year(1998), "recorded", "", (1,))
    claim = Claim("It rained.", (Quote(1, "Rain", 0, 4),))
    assert Answer("Rain?", "recorded", (part,), (cited("within"),), model="m").is_refused
    assert not Answer("Rain?", "recorded", (part,), (cited("within"),), (claim,), model="m").is_refused


def test_a_title_of_several_lines_is_one_source() -> None:
    item = Citation(1, "p1", "Fees\n and\tterms", "Rain.", 0, 5, None, "", "topic")
    assert item.label == "[1: Fees and terms, undated]"


YEAR = Span.year(1998)


def answered(*standings: EvidenceStatus, **more: object) -> Answer:
    cited = tuple(
        Citation(number, f"p{number}", "", f"Quote {number}.", 0, 8, YEAR, "text", standing)
        for number, standing in enumerate(standings, 1)
    )
    part = Part(YEAR, "recorded", "", tuple(item.number for item in cited))
    return Answer("Rain?", "recorded", (part,), cited, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("standings", "heads"),
    [
        (("within", "near", "other"), [""]),
        (("within", "vague"), ["", "dated more vaguely:"]),
        (("in_force", "near"), ["in force then:"]),
        (("other", "near"), ["recorded of that time, in other words:", "nearest to it:"]),
        (("near",), ["nearest to it:"]),
        ((), []),
    ],
)
def test_what_is_beside_is_shown_only_where_nothing_answers(
    standings: tuple[EvidenceStatus, ...], heads: list[str]
) -> None:
    made = answered(*standings)
    assert [head for head, _ in group_citations(made, made.parts[0])] == heads
    shown = [item.number for _, group in group_citations(made, made.parts[0]) for item in group]
    assert sorted(list_displayed_citations(made)) == sorted(shown)


def test_lines_hold_nothing_that_steers_a_terminal() -> None:
    evil = Citation(1, "p\x1b1", "T\x07", "one\n\x1b[31mtwo", 0, 5, YEAR, "text", "within", behind=("a\x00", "b"))
    made = Answer("Rain?", "recorded", (Part(YEAR, "recorded", "", (1,)),), (evil,))
    lines = list(format_answer(made))
    assert lines == ["1998", "  1998  “one [31mtwo” [1: T , 1998] (represents a , b)"]


def test_open_periods_read_well() -> None:
    since = Span.parse("2017/..")
    assert describe_gap(since, "none_recorded", None).startswith("None recorded: the records cover the time since 2017")
    assert describe_gap(since, "recorded", None) == ""


def test_more_is_counted() -> None:
    part = Part(YEAR, "recorded", "", (), 1200)
    assert list(format_answer(Answer("Rain?", "recorded", (part,))))[-1] == "  and 1,200 more"


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
