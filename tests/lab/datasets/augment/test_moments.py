"""What texts say of time, as labels are taken from it."""

from __future__ import annotations

import pytest

from epochal.times import Span
from epochal_lab.datasets.augment.chunks import read_stated_times, relate_spans, shares_time
from epochal_lab.datasets.augment.rows import RELATIONS


@pytest.mark.parametrize(
    ("text", "said", "edtf"),
    [
        ("Who left in 1998?", "1998", "1998"),
        ("Who left from May 1998 to 2001?", "from May 1998 to 2001", "1998-05/2001"),
        ("Who left between 1998 and 2001?", "between 1998 and 2001", "1998/2001"),
        ("Who left before 1998?", "before 1998", "../1997"),
        ("Who left after May 1998?", "after May 1998", "1998-06/.."),
        ("Who left since 1998?", "since 1998", "1998/.."),
        ("Who left until 1998?", "until 1998", "../1998"),
        ("Who left in early 1998?", "early 1998", "1998-01~/1998-04~"),
        ("Who left in the late 1990s?", "the late 1990s", "1997~/1999~"),
        ("Who left on 4 May 1998?", "4 May 1998", "1998-05-04"),
    ],
)
def test_a_question_says_one_time(text, said, edtf):
    stated_time = read_stated_times(text).only
    assert (stated_time.text, stated_time.span.edtf()) == (said, edtf)
    assert text[stated_time.start_char : stated_time.end_char] == said


@pytest.mark.parametrize("text", ["Who left in 1998 or in 2001?", "Who sat for two years in 1998?", "Who left?"])
def test_more_or_less_than_one_time_is_not_one(text):
    assert read_stated_times(text).only is None


def test_named_events_count_only_when_asked_for():
    text = "Who left before World War II?"
    assert read_stated_times(text).stated_times == ()
    (stated_time,) = read_stated_times(text, implicit=True).stated_times
    assert (stated_time.text, stated_time.named, stated_time.span.end) == (
        "before World War II",
        True,
        Span.day(1939, 9, 1).start,
    )


def test_a_date_is_not_named_by_an_event():
    assert not read_stated_times("Who left in 1998?", implicit=True).stated_times[0].named


@pytest.mark.parametrize(
    ("text", "absolute"), [("In 1998 she left.", True), ("In the 19th century they left.", True), ("1990-95", True)]
)
def test_absolute_words_name_a_year(text, absolute):
    assert read_stated_times(text).stated_times[0].absolute is absolute


def test_words_that_lean_on_others_are_relative():
    first, second = read_stated_times("She came in 1998, and left two years later.").stated_times
    assert (first.absolute, second.absolute) == (True, False)


def test_every_relation_has_its_name():
    base = Span.parse("1998-03/1998-08")
    asked = {
        "Before": "1997",
        "Meets": "1998-01/1998-02",
        "Overlaps": "1998-01/1998-04",
        "Starts": "1998-03",
        "During": "1998-05",
        "Finishes": "1998-08",
        "FinishedBy": "1998-01/1998-08",
        "Equals": "1998-03/1998-08",
        "StartedBy": "1998-03/1998-12",
        "Contains": "1998",
        "OverlappedBy": "1998-08/1999",
        "MetBy": "1998-09",
        "After": "1999",
    }
    asked["OverlappedBy"] = "1998-07/1999"
    assert {name: relate_spans(Span.parse(text), base) for name, text in asked.items()} == {
        name: name for name in asked
    }
    assert set(asked) | {"Empty"} == set(RELATIONS)
    apart = {name for name, text in asked.items() if not shares_time(Span.parse(text), base)}
    assert apart == {"Before", "After", "Meets", "MetBy"}
