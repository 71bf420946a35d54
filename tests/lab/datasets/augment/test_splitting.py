"""Passages to chunks of one time expression."""

from __future__ import annotations

import pytest

from epochal_lab.datasets.augment.chunks import Splitter, normalise


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
    found = splitter.chunks("Ann sat here in 1998 and again in 2004. Bob left Hull for good in 2001.", "p")
    assert [chunk.text for chunk in found] == ["Bob left Hull for good in 2001."]
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


def test_long_stretches_without_a_time_are_cut():
    text = "It rained on them. " * 80 + "Ann Hay left the team in 1998."
    (chunk,) = Splitter(longest=40).chunks(text, "p")
    assert len(chunk.text.split()) <= 40
    assert chunk.stated_time.text == "1998"


def test_a_chunk_is_read_by_itself():
    """What a sentence leans on is gone with the sentence before it."""
    found = Splitter().chunks("Ann joined the team in 1998. Two years later she left the team.", "p")
    assert [chunk.text for chunk in found] == ["Ann joined the team in 1998."]


def test_chunks_are_numbered_and_titled():
    found = Splitter().chunks("Ann joined the team in 1998. She left the team in 2001.", "p7", "Ann Hay")
    assert [(chunk.id, chunk.source, chunk.title) for chunk in found] == [
        ("p7#0", "p7", "Ann Hay"),
        ("p7#1", "p7", "Ann Hay"),
    ]
