"""Quotes: word for word, at their place, and never too long."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epochal.answers.evidence import find_excerpt, find_quote
from epochal.ranking.terms import Terms
from epochal.search.response import Evidence, Hit
from epochal.storage.records import Document
from epochal.times import Span

NONE = Terms((), np.empty(0), np.empty(0))
TEXTS = st.text(st.sampled_from("ab .\n。!三月"), min_size=1, max_size=900).filter(str.strip)


def hit_of(text: str, start: int = 0, end: int | None = None) -> Hit:
    return Hit(Document("a", text), 1.0, {}, text[start:end], start)


def told_at(text: str, start: int, end: int) -> Evidence:
    return Evidence(Span.year(1998), text[start:end], start, end, "", 1.0, 1.0)


def test_the_sentence_with_the_date_is_quoted() -> None:
    text = "It rained all day. The bank raised its rate in May 1998. Nobody knew why it did so."
    start, end = find_quote(hit_of(text), told_at(text, 47, 55), NONE)
    assert text[start:end] == "The bank raised its rate in May 1998."


def test_a_passage_further_in_is_quoted_at_its_place() -> None:
    text = "Nothing of note happened here. The bank raised its rate in May 1998."
    start, end = find_quote(hit_of(text, 31), told_at(text, 59, 67), NONE)
    assert text[start:end] == "The bank raised its rate in May 1998."


def test_without_a_date_the_sentence_nearest_the_topic_is_quoted() -> None:
    text = "It rained all day. The bank raised its rate. Nobody knew why it did so."
    terms = Terms(("bank", "rate"), np.ones(2), np.ones(2))
    start, end = find_quote(hit_of(text), None, terms)
    assert text[start:end] == "The bank raised its rate."


def test_a_short_sentence_takes_the_next_with_it() -> None:
    text = "13. Rain. The mast broke in the night."
    start, end = find_quote(hit_of(text), None, NONE)
    assert text[start:end].startswith("13. Rain.")
    assert "mast" in text[start:end]


@given(TEXTS, st.integers(0, 899))
def test_a_quote_is_a_part_of_its_text(text: str, place: int) -> None:
    place = min(place, len(text) - 1)
    hit = hit_of(text)
    start, end = find_quote(hit, told_at(text, place, place + 1), NONE)
    assert 0 <= start <= end <= len(text)
    assert end - start <= 300
    low, high = find_excerpt(hit, start, end)
    assert low <= start <= end <= high
    assert high - low <= 1_200


def test_a_long_sentence_is_cut_between_words_around_its_date() -> None:
    text = "word " * 200 + "in May 1998 " + "more " * 200
    at = text.index("May")
    start, end = find_quote(hit_of(text), told_at(text, at, at + 8), NONE)
    quote = text[start:end]
    assert "May 1998" in quote
    assert len(quote) <= 300
    assert set(quote.split()) <= {"word", "in", "May", "1998", "more"}
