"""The gate: TEMPO's four cases, and what its substrings took for time and years that its pattern could not see."""

from __future__ import annotations

import pytest

from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.judges.evidence import add_periods, is_marked_temporal, read_temporal_needs

NOW = Span.parse("2026-11-15")


def gate(text: str, **known):
    return read_temporal_needs(BenchQuery("q", text, now=NOW, **known))


@pytest.mark.parametrize(
    ("text", "focus", "cross"),
    [
        ("How have transaction fees changed since 2017?", "change_over_time", True),
        ("What is the definition of a Merkle tree?", "none", False),
        ("Who was the president of the United States in 1920?", "specific_time", False),
        ("What is the recent evolution of the Lightning Network?", "change_over_time", True),
    ],
)
def test_the_four_cases_of_the_meta_evaluation(text, focus, cross):
    result = gate(text)
    assert (result.focus, result.cross_period) == (focus, cross)
    assert result.temporal is (focus != "none")


@pytest.mark.parametrize(
    "text",
    [
        "I know how hashing works, but what is a nonce?",
        "Since it is free, how do I install it?",
        "Is the protocol unchanged by trending topics?",
        "Where do I find snow boots?",
        "What does 'presentation layer' mean?",
    ],
)
def test_pieces_of_words_are_no_time(text):
    result = gate(text)
    assert not result.cross_period
    assert result.periods == ()
    assert not result.temporal


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("How did tolls in 1850 differ from those in 1790?", ["1790", "1850"]),
        ("How did Roman taxes differ in 44 BCE and in 14 CE?", ["-0043", "0014"]),
        ("How did prices change from the 1840s to the 1890s?", ["184X", "189X"]),
        ("How did rents in 1990 compare with those of 2010 and of 1970?", ["1970", "1990", "2010"]),
    ],
)
def test_periods_are_in_the_order_of_time_whatever_their_century(text, periods):
    result = gate(text)
    assert result.cross_period
    assert [span.edtf() for span in result.periods] == periods
    assert add_periods(BenchQuery("q", text, now=NOW)).periods == result.periods


def test_what_a_set_says_goes_first():
    periods = (Span.year(2003), Span.year(1998))
    known = gate("What is a Merkle tree?", periods=periods)
    assert known.temporal
    assert known.cross_period
    assert known.periods == periods
    assert gate("What is a Merkle tree?", periods=periods[:1]).cross_period is False
    assert gate("What is a Merkle tree?", periods=periods[:1]).focus == "specific_time"


def test_the_annotation_of_tempo_is_heard():
    guidance = {
        "is_temporal_query": True,
        "temporal_reasoning_class_primary": "trends_changes_and_cross_period",
        "key_time_anchors": ["present day", "the 1990s", "1848", "no time at all"],
    }
    for given in (guidance, {"query_guidance": guidance}):
        result = gate("Where did they live?", annotations=given)
        assert result.temporal
        assert result.cross_period
        assert [span.edtf() for span in result.periods][:2] == ["1848", "199X"]
    assert gate("What is a Merkle tree?", annotations={"is_temporal_query": False}).temporal is False
    assert not is_marked_temporal(BenchQuery("q", "Who?", annotations={"is_temporal_query": "yes"}))


def test_one_anchor_alone_does_not_make_periods():
    annotations = {"temporal_reasoning_class_primary": "trends_changes_and_cross_period", "key_time_anchors": ["1848"]}
    assert gate("Where did they live?", annotations=annotations).periods == ()


def test_html_is_read_as_text():
    text = 'How have fees changed since 2017?\n<p>See <a href="https://x.org/1999/03">this</a> &amp; that</p>'
    assert [span.edtf() for span in gate(text).periods] == ["2017", "2026"]


def test_periods_are_not_made_up_for_questions_within_one():
    query = BenchQuery("q", "Who was president in 1920?", now=NOW)
    assert add_periods(query) is query
    known = BenchQuery("q", "How have fees changed since 2017?", periods=(Span.year(1900),))
    assert add_periods(known) is known
