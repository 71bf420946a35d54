"""TEMPO's rewritings of a question, on hand-made signals and through `understand`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.reading.questions.topic import keep_times, normalise, strip_times
from epochal.reading.questions.understand import understand
from epochal.times import Span

NOW = Span.parse("2026-11-15")


@pytest.mark.parametrize(
    ("text", "signals", "want"),
    [
        ("How have fees changed since 2017?", ["since 2017"], "How have fees changed?"),
        ("How have fees changed since 2017?", ["SINCE 2017", "2017"], "How have fees changed?"),
        ("I know it now", ["now"], "I know it"),
        ("who was president in 1920", [], "who was president"),
        ("the late 1990s boom", [], "boom"),
        ("art of the 5th century BC in Athens", [], "art in Athens"),
        ("On 3 May 1998, it rained", [], "it rained"),
        ("events of 44 BCE", [], "events"),
        ("the war (1939-45) in Europe", [], "the war in Europe"),
        ("a 2000-year-old tree", [], "a 2000-year-old tree"),
        ("it costs $1999 or 1,500 euros", [], "it costs $1999 or 1,500 euros"),
        ("2020年3月武汉发生了什么", [], "武汉发生了什么"),
        ("nothing about time", [], "nothing about time"),
        ("", ["since"], ""),
    ],
)
def test_strip(text, signals, want):
    assert strip_times(text, signals) == want


@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=4))
def test_strip_never_fails_and_never_grows(text, signals):
    assert len(strip_times(text, signals)) <= len(text)


def test_temporal_only_drops_repeats():
    assert keep_times(["1920"], ["the war"], ["1920", "The War", "during the war", " "]) == (
        "1920; the war; during the war"
    )
    assert keep_times([]) == ""


def test_normalized_has_the_shape_of_the_paper():
    assert normalise("q", "timeline", ["2017", "2026"]) == "q\n\nTEMPORAL_INTENT=timeline; ANCHORS=[2017, 2026]"
    assert normalise("q", "none", []) == "q\n\nTEMPORAL_INTENT=none; ANCHORS=[]"


def test_variants_of_an_understanding():
    variants = dict(understand("How have fees changed since 2017?", NOW).variants)
    assert variants == {
        "strip": "How have fees changed?",
        "temporal_only": "2017; 2026; since 2017",
        "normalized": "How have fees changed since 2017?\n\nTEMPORAL_INTENT=timeline; ANCHORS=[2017, 2026]",
    }


def test_a_question_without_time_keeps_its_words():
    variants = dict(understand("What is a Merkle tree?", NOW).variants)
    assert variants["strip"] == "What is a Merkle tree?"
    assert variants["temporal_only"] == ""


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Compare unemployment in 1930 and in 1935", "Compare unemployment"),
        ("Compare unemployment in 2019 with 2024", "Compare unemployment"),
        ("What was the population of Rome in 44 BC and in 1066?", "What was the population of Rome?"),
        ("What did the Romans do before and after 44 BC?", "What did the Romans do?"),
        ("What happened in about 1850?", "What happened?"),
        ("What was it like in the 1960s compared to today?", "What was it like?"),
        ("What was he looking for in 2008?", "What was he looking for?"),
        ("What is it made of?", "What is it made of?"),
        ("Is the future of nuclear power bright?", "Is the future of nuclear power bright?"),
        ("中国在2008年和2022年举办了什么？", "中国举办了什么？"),
    ],
)
def test_strip_leaves_no_stubs(text, want):
    assert dict(understand(text, NOW).variants)["strip"] == want
    assert understand(text, NOW).topic == want.rstrip("?？")
