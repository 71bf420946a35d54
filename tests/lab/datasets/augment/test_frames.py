"""Chunks to questions with a gap for the time."""

from __future__ import annotations

import pytest

from epochal_lab.datasets.augment.chunks import Splitter
from epochal_lab.datasets.augment.frames import Frame, build_frames, find_names, strip_interrogative, strip_title
from epochal_lab.datasets.making.names import NameFinder


def frames(text: str, title: str = "") -> list[str]:
    (chunk,) = Splitter().chunks(text, "p", title)
    return [frame.text for frame in build_frames(chunk, NameFinder())]


@pytest.mark.parametrize(
    ("text", "title", "asked"),
    [
        ("Ann Hay played for Leeds United in May 1998.", "", "Which team did Ann Hay play for {t}?"),
        ("He won the cup of Leeds in May 1998.", "Max Hay", "What did Max Hay win {t}?"),
        ("She married Bob Ray in Leeds in May 1998.", "Ann Hay", "Who did Ann Hay marry {t}?"),
        ("The mill of Malton was sold to Ann in 1998.", "", "What was sold to Ann {t}?"),
        ("The mill of Malton was sold to Ann in 1998.", "", "When was the mill of Malton sold to Ann?"),
        (
            "From 1987 to 1995 Cora Lee was the mayor of Selby.",
            "",
            "During which years was Cora Lee the mayor of Selby?",
        ),
        ("Ann Hay left the town of Selby on 4 May 1998.", "", "On what date did Ann Hay leave the town of Selby?"),
        ("The head of the firm was Ann Hay in 1998.", "", "Who was the head of the firm {t}?"),
        ("He was made to go by Bob Ray in 1998.", "", "What happened to Bob Ray {t}?"),
    ],
)
def test_what_is_asked(text, title, asked):
    assert asked in frames(text, title)


def test_no_frame_says_the_time_of_the_chunk():
    assert not any("1998" in text for text in frames("Ann Hay played for Leeds United in May 1998."))


def test_a_time_can_come_first():
    frame = Frame("Who won the cup {t}?")
    assert frame.fill_template("in May 1998", first=True) == "In May 1998, who won the cup?"
    assert Frame("Bob won what {t}?").fill_template("in 1998", first=True) == "Bob won what in 1998?"


def test_names_are_told_from_other_capitals():
    finder = NameFinder()
    finder.show("The then mayor sat. Then he left. They saw the early light, and in early light left.")
    text = "Then the Prime Minister met Ann Hay in Leeds. In Early May 1998 French ships and Ann Hay left Hull."
    (chunk,) = Splitter().chunks(text, "p")
    assert find_names(chunk, finder) == ["Ann Hay", "Leeds", "Hull"]


def test_notes_of_titles_are_left_out():
    assert strip_title("Westin &amp; Sons (company)") == "Westin & Sons"


@pytest.mark.parametrize(
    "text", ["When did it end?", "In what year was it?", "Which years did it last?", "How long ago?"]
)
def test_questions_for_a_time_are_known(text):
    assert strip_interrogative(text) is not None


@pytest.mark.parametrize("text", ["Who left in 1998?", "What did Ann win?", "Whenever it was, who left?"])
def test_other_questions_ask_for_none(text):
    assert strip_interrogative(text) is None
