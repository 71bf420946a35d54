"""What texts say of time, as labels are taken from it."""

from __future__ import annotations

import pytest

from epochal.times import Span
from epochal_lab.datasets.augment.chunks import Splitter, normalise, read_stated_times, relate_spans, shares_time
from epochal_lab.datasets.augment.rows import RELATIONS


@pytest.mark.parametrize(
    ("text", "message", "edtf"),
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
def test_a_question_says_one_time(text, message, edtf):
    stated_time = read_stated_times(text).only
    assert (stated_time.text, stated_time.span.edtf()) == (message, edtf)
    assert text[stated_time.start_char : stated_time.end_char] == message


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
    query = {
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
    query["OverlappedBy"] = "1998-07/1999"
    assert {name: relate_spans(Span.parse(text), base) for name, text in query.items()} == {
        name: name for name in query
    }
    assert set(query) | {"Empty"} == set(RELATIONS)
    apart = {name for name, text in query.items() if not shares_time(Span.parse(text), base)}
    assert apart == {"Before", "After", "Meets", "MetBy"}


def chunks(text: str, **options: object) -> list[str]:
    return [chunk.text for chunk in Splitter(**options).chunks(text, "p")]


@pytest.mark.parametrize(
    ("tokenised", "plain"),
    [
        ("He left Washington , D.C. . Then he sat .", "He left Washington, D.C. Then he sat."),
        ("Ann ( ; born 1902 ) left .", "Ann (born 1902) left."),
        ("It cost 3 , 4 or 5 % more .", "It cost 3, 4 or 5% more."),
        ("two\n lines", "two lines"),
    ],
)
def test_tokens_are_joined(tokenised, plain):
    assert normalise(tokenised) == plain


def test_sentences_join_until_a_second_time_comes():
    text = "It was cold. Ann joined the team in 1998. She was young. She left it in 2001. Then it rained."
    assert chunks(text) == [
        "It was cold. Ann joined the team in 1998. She was young.",
        "She left it in 2001. Then it rained.",
    ]


def test_a_sentence_with_two_times_is_dropped_and_counted():
    splitter = Splitter()
    result = splitter.chunks("Ann sat here in 1998 and again in 2004. Bob left Hull for good in 2001.", "p")
    assert [chunk.text for chunk in result] == ["Bob left Hull for good in 2001."]
    assert splitter.dropped == {"several times": 1}


def test_a_range_is_one_time():
    (chunk,) = Splitter().chunks("From 1987 to 1995 Cora Lee was the mayor.", "p")
    assert chunk.stated_time.span.edtf() == "1987/1995"


def test_several_keeps_the_paragraph():
    (chunk,) = Splitter(several=True).chunks("Ann sat here in 1998. She came again in 2004.", "p")
    assert [stated_time.text for stated_time in chunk.stated_times] == ["1998", "2004"]


def test_several_parts_paragraphs_at_blank_lines():
    text = "Ann sat here quietly in 1998.\n\nBob came here quietly in 2004."
    assert len(Splitter(several=True).chunks(text, "p")) == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Left in 1998.", "too short"),
        ("Ann Hay left the team of Leeds.", "no time"),
        ("Ann Hay left the team of Leeds in 4400 BC, it says.", "far time"),
        ("Two years later Ann Hay left the team of Leeds.", "no time"),
    ],
)
def test_what_makes_no_chunk_is_counted(text, reason):
    splitter = Splitter()
    assert splitter.chunks(text, "p") == []
    assert splitter.dropped == {reason: 1}


def test_long_runs_without_a_time_are_cut():
    text = "It rained on them. " * 80 + "Ann Hay left the team in 1998."
    (chunk,) = Splitter(longest=40).chunks(text, "p")
    assert len(chunk.text.split()) <= 40
    assert chunk.stated_time.text == "1998"


def test_a_chunk_is_read_by_itself():
    """What a sentence leans on is gone with the sentence before it."""
    result = Splitter().chunks("Ann joined the team in 1998. Two years later she left the team.", "p")
    assert [chunk.text for chunk in result] == ["Ann joined the team in 1998."]


def test_chunks_are_numbered_and_titled():
    result = Splitter().chunks("Ann joined the team in 1998. She left the team in 2001.", "p7", "Ann Hay")
    assert [(chunk.id, chunk.source, chunk.title) for chunk in result] == [
        ("p7#0", "p7", "Ann Hay"),
        ("p7#1", "p7", "Ann Hay"),
    ]
