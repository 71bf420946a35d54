"""Which times a turn states: durations that count from when it is said, and parts of a year beside that year."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from epochal import Span
from epochal.memory import Memory
from epochal.memory.stated import read_ranges
from epochal.memory.turns import read_happenings

SAID = Span.parse("2023-08-14")


@pytest.mark.parametrize(
    ("text", "time", "status"),
    [
        ("I went there a few weeks ago.", "2023-W30~", "happened"),
        ("I started several years ago.", "2020~", "happened"),
        ("We did it a year and a half ago.", "2022-02", "happened"),
        ("It's been two months since I joined the gym.", "2023-06", "happened"),
        ("I've been playing for just under a year now.", "2022/..", "happened"),
        ("We have been married 5 years.", "2018/..", "happened"),
        ("Seven years now, and I still paint.", "2016/..", "happened"),
        ("I've been training there for the past two months.", "2023-06/..", "happened"),
        ("I'm starting in two months.", "2023-10", "planned"),
        ("The wedding is in a few weeks.", "2023-W36~", "planned"),
        ("Later this year I'm opening a shop.", "2023", "planned"),
        ("I started last year in March.", "2022-03", "happened"),
        ("We went to Japan two summers ago.", "2021-22", "happened"),
        ("A month back I started gardening.", "2023-07", "happened"),
        ("We went camping two weekends ago.", "2023-08-05/2023-08-06", "happened"),
        ("I signed up a week or two ago.", "2023-W32~", "happened"),
        ("For the past few weeks I've been painting.", "2023-W30~/..", "happened"),
        ("This time last year I was in Rome.", "2022-08~", "happened"),
    ],
)
def test_a_duration_states_a_time(text: str, time: str, status: str) -> None:
    assert [(item.span.edtf(), item.status) for item in read_happenings(text, SAID)] == [(time, status)]


@pytest.mark.parametrize(
    "text",
    [
        "I learned it in two weeks.",
        "I stayed there for two weeks.",
        "She is the happiest she's been in years.",
        "That's the best game I've seen in five years.",
        "It was the first time in two years.",
        "We had been married for five years.",
        "It's been two weeks since we last talked.",
        "We meet once a month.",
        "My son is 5 years old.",
        "This is a project I finished in two months.",
        "Two years of hard work!",
        "I'm training for two months before the race.",
    ],
)
def test_how_long_something_takes_is_no_time(text: str) -> None:
    assert read_happenings(text, SAID) == ()


def remember(folder: Path, *texts: tuple[str, str]) -> Memory:
    memory = Memory.open(folder / "memory", encoder="static")
    memory.remember_many(
        {"id": f"t{number}", "text": text, "at": at, "speaker": "Ana", "session": at}
        for number, (at, text) in enumerate(texts)
    )
    return memory


def recall(memory: Memory, question: str) -> Any:
    with memory:
        return memory.recall(question, now="2023-12-31")


def test_what_still_lasts_began_then(tmp_path: Path) -> None:
    memory = remember(
        tmp_path, ("2023-12-06", "My cat sleeps."), ("2023-12-06", "I've been playing the violin for four months now.")
    )
    assert recall(memory, "When did Ana start to play the violin?").times[0].span == Span.parse("2023-08")


def test_irregular_forms_are_the_same_word(tmp_path: Path) -> None:
    memory = remember(tmp_path, ("2023-05-01", "We swam with Kim."), ("2023-05-02", "We sat with Kim."))
    recalled = recall(memory, "Where did Ana swim with Kim?")
    assert recalled[0].id == "t0"
    assert not recalled.unknown_words


def test_a_turn_that_states_another_time_is_not_from_when_it_was_said(tmp_path: Path) -> None:
    memory = remember(
        tmp_path,
        ("2023-07-20", "We saw stars when camping last year, and had a camping fire."),
        ("2023-07-21", "We went camping last weekend with friends of ours."),
    )
    recalled = recall(memory, "When did Ana go camping in July?")
    assert recalled.times[0].span == Span.parse("2023-07-15/2023-07-16")


def test_a_plan_is_not_when_it_happened(tmp_path: Path) -> None:
    memory = remember(
        tmp_path,
        ("2023-06-01", "Next week I will visit the glass museum with my aunt."),
        ("2023-06-20", "We visited the glass museum yesterday."),
    )
    with memory:
        happened = memory.recall("When did Ana visit the glass museum?", now="2023-12-31")
        planned = memory.recall("When did Ana plan to visit the glass museum?", now="2023-12-31")
    assert happened.times[0].span == Span.parse("2023-06-19")
    assert planned.times[0].span == Span.parse("2023-W23")


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("We met on Christmas Eve.", ["2022-12-24"]),
        ("We had Thanksgiving dinner at home.", ["2022-11-24"]),
        ("I bought presents for Christmas.", ["2023-12-25"]),
        ("She said she would come tomorrow.", ["2023-08-18"]),
        ("I have an exam on Monday.", ["2023-08-21"]),
        ("I had an exam on Monday.", ["2023-08-14"]),
        ("I have a friend who came on Monday.", ["2023-08-14"]),
        ("We saw it the other day.", []),
        ("Two days later I retired.", []),
        ("In May we met. That weekend we swam.", ["2023-05", "2023-05-06/2023-05-07"]),
        ("We met a decade ago.", ["2013~"]),
    ],
)
def test_the_verb_says_which_day_and_some_words_say_none(text: str, times: list[str]) -> None:
    assert [item.span.edtf() for item in read_ranges(text, Span.parse("2023-08-17"))] == times
