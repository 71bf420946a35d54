from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.tempo.records import (
    check_covered,
    clean_question,
    describe_period,
    get_content_words,
    get_first_words,
    get_mentioned_times,
    get_title,
)

POST = "Why was &quot;superfest&quot; unsuccessful?\n<p>See <a href='x'>this</a>.</p>\n\n<p>If a < b in 2 > 1.</p>\n"


def test_a_post_becomes_lines_of_text():
    assert clean_question(POST) == 'Why was "superfest" unsuccessful?\nSee this .\nIf a < b in 2 > 1.'
    assert get_title(POST) == 'Why was "superfest" unsuccessful?'
    assert get_title("Only this?") == "Only this?"


@given(st.text(st.characters(blacklist_characters="<>&")))
def test_plain_text_stays_but_for_its_spaces(text):
    assert clean_question(text).split() == text.split()


@given(st.text("ab .\n", max_size=80), st.integers(1, 12))
def test_first_words_are_the_first_and_no_more(text, most):
    found = get_first_words(text, most).split()
    assert len(found) <= most
    assert found == text.split()[: len(found)]
    assert found or not text.split()


def test_small_words_say_nothing_whatever_their_stem():
    assert get_content_words("Why was this because his only question, during any of these?") == frozenset()
    assert get_content_words("隱公元年 war") >= {"war"}


def test_periods_are_named_as_nouns():
    assert [describe_period(Span.parse(text)) for text in ("1998-03", "../1990", "2004/2006")] == [
        "March 1998",
        "the time until 1990",
        "the time from 2004 to 2006",
    ]


def test_a_document_without_a_date_in_it_speaks_of_its_own():
    dated = Span.parse("2020-05-01")
    assert get_mentioned_times(Document("a", "Nothing new.", published=dated)) == (dated,)
    assert get_mentioned_times(Document("a", "In 1998.", published=dated)) == (Span.year(1998),)
    assert get_mentioned_times(Document("a", "Nothing.", title="The 1850s")) == (Span.parse("185X"),)
    assert get_mentioned_times(Document("a", "Since 1998.")) == ()  # up to no end: it speaks of no time in particular


def test_cover():
    assert check_covered([], [Span.year(1998)]) == ()
    assert check_covered([Span.parse("1990/1999")], [Span.parse("1998-05-03")]) == (True,)
    assert check_covered([Span.year(1998)], []) == (False,)
