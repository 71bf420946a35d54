"""Questions for when are answered by the time that a text states; courses of events period by period."""

from __future__ import annotations

from pathlib import Path

import pytest

from epochal import Document, Index
from epochal.times import Span


@pytest.fixture
def index(tmp_path: Path) -> Index:
    made = Index.create(tmp_path / "index", encoder="static")
    made.add(
        [
            Document("c", "Caesar was born in 100 BC and killed in 44 BC.", published=1999),
            Document("e", "Caesar was killed on 15 March 44 BC by senators.", published=2001),
            Document("x", "Caesar was killed, says a new book.", published="2005-04-01"),
            Document("o1", "The outbreak began in Guinea.", published="2014-03-01"),
            Document("o2", "The outbreak peaked in Liberia.", published="2015-02-01"),
            Document("o3", "The outbreak ended.", published="2016-01-14"),
        ]
    )
    return made


def test_the_stated_time_answers_and_agreeing_texts_are_grouped(index: Index) -> None:
    answer = index.answer("When was Caesar killed?", now="2022")
    (time,) = answer.times
    assert (time.span, time.is_stated) == (Span.parse("-0043-03-15"), True)
    assert {answer.citation(number).id for number in time.numbers} == {"c", "e"}
    assert "When: 15 March 44 BCE" in str(answer)
    assert answer.to_dict()["times"][0]["is_stated"]


def test_of_two_times_in_a_sentence_the_nearer_counts(index: Index) -> None:
    assert index.answer("When was Caesar born?", now="2022").times[0].span == Span.year(-99)


def test_publication_is_only_when_something_was_reported(index: Index) -> None:
    answer = index.answer("When did the outbreak peak?", now="2022")
    assert [(time.span.edtf(), time.is_stated) for time in answer.times] == [("2015-02-01", False)]
    assert "No text states when. Reported on 1 February 2015" in str(answer)


def test_another_time_is_offered_only_where_its_words_answer_as_well(tmp_path: Path) -> None:
    with Index.create(tmp_path / "bank", encoder=None) as index:
        index.add(
            [
                Document("1", "The bank raised its rate to 5 percent on 12 May 2003."),
                Document("2", "The bank cut its rate to 4 percent on 3 June 2004."),
                Document("3", "The bank raised its rate again in March 2006 to 4.5 percent."),
                Document("4", "The bank lowered its key rate in October 2008."),
            ]
        )
        answer = index.answer("When did the bank raise its rate?", now="2022")
        assert {time.span.edtf() for time in answer.times} == {"2003-05-12", "2006-03"}
        answer = index.answer("When did the bank cut its rate?", now="2022")
        assert [time.span.edtf() for time in answer.times] == ["2004-06-03"]


def test_of_several_times_that_are_stated_equally_well_the_last_comes_first(tmp_path: Path) -> None:
    with Index.create(tmp_path / "cups", encoder=None) as index:
        index.add(Document(str(year), f"The Riders won the Grey Cup: {year}.") for year in (1989, 2013, 1966, 2007))
        answer = index.answer("When did the Riders win the Grey Cup?", now="2022")
        assert [time.span.edtf() for time in answer.times] == ["2013", "2007", "1989", "1966"]


def test_other_questions_have_no_times(index: Index) -> None:
    assert index.answer("Who killed Caesar?", now="2022").times == ()


@pytest.mark.parametrize(
    ("question", "periods"),
    [
        ("How did the outbreak develop from 2014 to 2017?", ["2014", "2015", "2016", "2017"]),
        ("How did the outbreak change since 2014?", [str(year) for year in range(2014, 2023)]),
        ("How did the outbreak develop from March 2014 to June 2014?", ["2014-03", "2014-04", "2014-05", "2014-06"]),
        ("How did the outbreak develop from 1950 to 2016?", ["195X", "196X", "197X", "198X", "199X", "200X", "201X"]),
    ],
)
def test_a_course_of_events_is_followed_period_by_period(index: Index, question: str, periods: list[str]) -> None:
    answer = index.answer(question, now="2022-02-01")
    assert [part.period.edtf() for part in answer.parts if part.period is not None] == periods


def test_an_unknown_topic_is_said_and_nothing_is_quoted(index: Index) -> None:
    answer = index.answer("When did Airbnb go public?", now="2022")
    assert (answer.outcome, answer.citations, answer.times) == ("topic_unknown", (), ())
    assert "Topic unknown" in str(answer)
    assert len(repr(answer)) < 120
