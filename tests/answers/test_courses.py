"""Courses of events period by period, subjects side by side, and answers from some of the documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from epochal import Document, EpochalError, Index
from epochal.answers.evidence import find_subjects, make_plan
from epochal.times.span import Span

FEES = {2012: 3, 2013: 4, 2015: 6, 2017: 9}


@pytest.fixture
def index(tmp_path: Path) -> Index:
    made = Index.create(tmp_path / "index", encoder=None)
    for city in ("Berlin", "Paris"):
        made.add(
            Document(
                f"{city}-{year}",
                f"The dog fee of {city} is {fee} euros.",
                f"Dog fee of {city}",
                published=f"{year}-05-04",
                meta={"city": city, "year": year},
            )
            for year, fee in FEES.items()
        )
    made.add([Document(f"rain-{n}", f"It rained in the hills of region {n}.", published=2011 + n) for n in range(8)])
    return made


def list_windows(question: str) -> list[str]:
    return [window.span.edtf() for window in make_plan(question, Span.parse("2017-06-01")).windows]


YEARS = ["2014", "2015", "2016", "2017"]


@pytest.mark.parametrize(
    ("question", "windows"),
    [
        ("How did the fee change since 2014?", YEARS),
        ("What happened to the dog fee since 2014?", YEARS),
        ("What happened from 2014 to 2017 in Berlin?", YEARS),
        ("Timeline of the dog fee since 2014", YEARS),
        ("What happened between March and May 2015 in Berlin?", ["2015-03", "2015-04", "2015-05"]),
        ("How did the fee develop in the 1990s?", [f"{year}" for year in range(1990, 2000)]),
        # A question for one fact within a stretch is none for a course of events.
        ("Who was mayor of Berlin from 2014 to 2016?", ["2014/2016"]),
        ("Did the fee rise between 2014 and 2016?", ["2014", "2016"]),
        ("What happened in 2014?", ["2014"]),
    ],
)
def test_periods_of_a_course(question: str, windows: list[str]) -> None:
    assert list_windows(question) == windows


def test_empty_periods_are_named(index: Index) -> None:
    answer = index.answer("What happened to the dog fee of Berlin from 2015 to 2017?", now="2018-01-01")
    outcomes = {part.words: part.outcome for part in answer.parts}
    assert outcomes == {"2015": "recorded", "2016": "none_recorded", "2017": "recorded"}
    assert "None recorded: the records cover 2016" in answer.text
    # The neighbours of an empty period are the other periods.
    assert "nearest" not in answer.text


def test_over_the_years_goes_as_far_as_the_records_on_the_topic(index: Index) -> None:
    answer = index.answer("How did the dog fee of Berlin change over the years?", now="2020-01-01")
    assert [part.words for part in answer.parts] == ["2012", "2013", "2014", "2015", "2016", "2017"]
    assert [part.outcome for part in answer.parts].count("none_recorded") == 2
    unknown = index.answer("How did the zeppelin tax change over the years?", now="2020-01-01")
    assert [part.period for part in unknown.parts] == [None]


@pytest.mark.parametrize(
    ("topic", "subjects"),
    [
        ("Compare Berlin and Paris", ("Berlin", "Paris")),
        ("Berlin vs Paris fees", ("Berlin", "Paris")),
        ("What is the difference between the fees of Berlin, New York and Paris", ("Berlin", "New York", "Paris")),
        ("What did the Bank of England do", ()),
        ("Compare rents and wages", ()),
        ("Who was Ada Lovelace", ()),
    ],
)
def test_subjects(topic: str, subjects: tuple[str, ...]) -> None:
    assert find_subjects(topic) == subjects


def test_each_subject_is_covered_or_named_as_missing(index: Index) -> None:
    both = index.answer("Compare the dog fee of Berlin and Paris in 2015", now=None, k=1)
    assert {citation.id for citation in both.citations if citation.standing == "within"} >= {"Berlin-2015"}
    assert not [item for item in both.missing if "Paris" in item.sentence]
    one = index.answer("Compare the dog fee of Berlin and Rome in 2015", now=None)
    assert [item.sentence for item in one.missing if item.period is None] == ["No record mentions Rome."]
    assert "Missing: No record mentions Rome." in one.text


def test_where(index: Index) -> None:
    question = "What became of the dog fee in 2015?"
    assert {item.id for item in index.answer(question, now=None).citations if item.standing == "within"} == {
        "Berlin-2015",
        "Paris-2015",
    }
    answer = index.answer(question, now=None, where={"city": "Paris"})
    assert {item.id for item in answer.citations if item.standing == "within"} == {"Paris-2015"}
    assert index.answer("What is the dog fee?", now=None, where="city=Paris").citations[0].id.startswith("Paris")
    with pytest.raises(EpochalError, match="where"):
        index.answer(question, where={"city": {"~": 1}})
