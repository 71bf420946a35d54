"""Evidence: each time by itself, how documents stand to it, and what lies near."""

from __future__ import annotations

import pytest

from epochal.answers.evidence import PeriodEvidence, collect_evidence, is_carried_over, make_plan
from epochal.api import Index
from epochal.ingest import SequenceReader
from epochal.storage.records import Document
from epochal.times import CalendarDate, Span

from .conftest import Filler, paper


def found(index: Index, question: str, **wishes: object) -> list[PeriodEvidence]:
    now = wishes.pop("now", None)
    return collect_evidence(index, make_plan(question, now), **wishes)


def standings(one: PeriodEvidence) -> list[tuple[str, str]]:
    return [(item.hit.id, item.standing) for item in one.items]


def test_a_time_is_answered_by_its_own_records(bank: Index) -> None:
    (one,) = found(bank, "What did the bank do to its rate in 2003?")
    assert one.outcome == "recorded"
    assert standings(one)[0] == ("rate-2003", "within")
    assert all(standing == "near" for _, standing in standings(one)[1:])


@pytest.mark.parametrize(
    ("question", "outcome"),
    [
        ("What did the bank do to its rate in 2005?", "none_recorded"),
        ("What did the bank do to its rate in 1850?", "not_covered"),
        ("What did the bank do to its rate in 2031?", "not_covered"),
        ("What will a transfer abroad cost in 2031?", "not_covered"),
        ("What did the bank do to its rate?", "no_window"),
    ],
)
def test_silence_is_reported_from_not_knowing(bank: Index, question: str, outcome: str) -> None:
    (one,) = found(bank, question)
    assert one.outcome == outcome
    assert "within" not in dict(standings(one)).values()


def test_each_period_has_an_outcome_of_its_own(bank: Index) -> None:
    parts = found(bank, "Compare the rate of the bank in 1998 with those of 2005 and 2031")
    assert [part.outcome for part in parts] == ["recorded", "none_recorded", "not_covered"]


def test_what_is_older_and_still_holds_is_in_force(bank: Index) -> None:
    for question, id in (
        ("What did a transfer abroad cost in 2005?", "fees-1"),
        ("How much of a deposit was insured in 2005?", "law-1"),
        ("How much of a deposit is insured in 2031?", "law-2"),
    ):
        (one,) = found(bank, question)
        assert standings(one)[0] == (id, "in_force")
        assert one.outcome == "recorded"


def test_of_what_was_published_by_then_nothing_newer_is_seen(bank: Index) -> None:
    (one,) = found(bank, "What did a transfer abroad cost in 2009?", as_of=Span.parse("2008"))
    assert standings(one)[0] == ("fees-1", "in_force")
    assert "fees-2" not in dict(standings(one))


def test_what_is_dated_more_vaguely_is_no_record_of_the_time(filled: Filler) -> None:
    index = filled([paper("a", "In the summer of 1998 the mill burned."), paper("b", "The mill rose in May 1997.")])
    (one,) = found(index, "What happened to the mill in July 1998?")
    assert standings(one)[0] == ("a", "vague")
    assert one.outcome == "none_recorded"


def test_what_the_time_holds_in_other_words_comes_behind(filled: Filler) -> None:
    index = filled([paper("rye", "Rye was dear.", "1998-05-02"), paper("mill", "The mill burned.", "1998-05-03")])
    (one,) = found(index, "What happened to the mill in May 1998?")
    assert standings(one) == [("mill", "within"), ("rye", "other")]


def test_a_question_for_whatever_there_is_gets_all_of_it(filled: Filler) -> None:
    days = [paper(f"d{day}", f"Entry {day}: calm.", f"1998-05-{day:02d}") for day in range(1, 29)]
    (one,) = found(filled(days), "What happened in May 1998?", k=5)
    assert len(one.items) == 28
    (topical,) = found(filled(days), "Was it calm in May 1998?", k=5)
    assert len(topical.items) == 5
    assert topical.more == 23


def test_when_something_appeared_is_not_what_it_mentions(filled: Filler) -> None:
    index = filled([paper("a", "The mill burned in 1998.", "2003-05-02"), paper("b", "The mill burned in 2003.")])
    (one,) = found(index, "What do documents published in 2003 say about the mill?")
    assert standings(one) == [("a", "within"), ("b", "near")]


def test_records_without_a_date_of_their_own_come_before_other_neighbours(filled: Filler) -> None:
    texts = ["元年春王正月。", "三月，公及邾儀父盟于蔑。", "公子益師卒。", "夏四月，大雩。"]
    annals = [Document(f"line {number}", text) for number, text in enumerate(texts, 1)]
    index = filled(annals, SequenceReader("lu", CalendarDate("lu", 1, era="魯隱公")))
    (one,) = found(index, "魯隱公元年五月發生了什麼事？")
    assert one.outcome == "not_covered"
    assert standings(one)[0] == ("line 3", "near")
    told = one.items[0].evidence
    assert told is not None
    assert is_carried_over(told)
    (month,) = found(index, "魯隱公元年三月有沒有記事？")
    assert {id for id, standing in standings(month) if standing == "within"} == {"line 2", "line 3"}


def test_without_a_time_the_best_on_the_topic_are_given(bank: Index) -> None:
    (one,) = found(bank, "What does a transfer abroad cost?")
    assert standings(one) == [("fees-3", "topic")]
    assert one.items[0].hit.folded == ("fees-2", "fees-1")
