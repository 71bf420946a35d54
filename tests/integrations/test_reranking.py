"""Texts of others in the order of time."""

from __future__ import annotations

import pytest

from epochal import EpochalError
from epochal.integrations.common import Candidate, rerank

CHANCELLORS = [
    Candidate("Merkel is sworn in as chancellor.", 0.93, {"date": "2005-11-22", "obj": object()}),
    Candidate("Scholz is sworn in as chancellor.", 0.91, {"date": "2021-12-08"}),
    Candidate("Schröder is sworn in as chancellor.", 0.90, {"date": "1998-10-27"}),
    Candidate("A chancellor is sworn in by parliament.", 0.85),
]


def places(question, candidates=CHANCELLORS, wishes=None, **more):
    return [position for position, _ in rerank(question, candidates, wishes, **more)]


def test_no_time_no_difference():
    result = rerank("Who is sworn in as chancellor?", CHANCELLORS)
    assert result == [(position, candidate.score) for position, candidate in enumerate(CHANCELLORS)]


def test_the_time_of_a_question_moves_and_leaves_none_out():
    result = places("Who was sworn in as chancellor in 1998?")
    assert result[0] == 2
    assert sorted(result) == [0, 1, 2, 3]


def test_the_present_counts():
    assert places("Who was sworn in as chancellor last year?", wishes={"now": "2022-06-01"})[0] == 1


def test_the_latest_comes_first_and_texts_without_shared_words_stay():
    strange = [*CHANCELLORS, Candidate("Zzz qqq.", 0.1)]
    result = places("Who is the latest chancellor?", strange, {"now": "2022-01-01"})
    assert result[0] == 1
    assert sorted(result) == [0, 1, 2, 3, 4]


def test_a_strict_filter_leaves_out():
    assert places("chancellor", wishes={"during": "2000/2010", "strict": True}) == [0]
    assert places("chancellor", wishes={"as_of": "2006"}) == [0, 2]


def test_undated_ones_can_be_excluded():
    assert 3 not in places("chancellor in 1998", wishes={"undated": "exclude"})


def test_incoming_scores_decide_among_texts_of_one_time():
    same = [Candidate("The bank was open in 2003.", score) for score in (0.2, 0.9, 0.5)]
    assert places("the bank in 2003", same) == [1, 2, 0]


def test_negative_scores_and_no_scores_keep_their_order():
    texts = [f"The bank was open in 2003, {word}." for word in ("one", "two", "three")]
    assert places("the bank in 2003", [Candidate(t, s) for t, s in zip(texts, (-1.0, -3.0, -9.0), strict=True)]) == [
        *(0, 1, 2)
    ]
    assert places("the bank in 2003", [Candidate(text) for text in texts]) == [0, 1, 2]


def test_equal_texts_are_no_copies_to_hide():
    assert sorted(places("the bank in 2003", [Candidate("The bank in 2003.", 0.5)] * 3)) == [0, 1, 2]


def test_blank_texts_come_last_unless_filtered():
    blank = [Candidate("  ", 0.9), Candidate("The bank in 2003.", 0.1)]
    assert places("the bank in 2003", blank) == [1, 0]
    assert places("the bank", blank, {"during": "2003", "strict": True}) == [1]


def test_a_date_under_a_key_of_ones_own():
    dated = [
        Candidate("The bank.", 0.5, {"date": "2003", "seen": "1998"}),
        Candidate("The bank.", 0.5, {"date": "1998", "seen": "2003"}),
    ]
    assert places("the bank in 2003", dated)[0] == 0
    assert places("the bank in 2003", dated, date_key="seen")[0] == 1


def test_a_date_that_cannot_be_read_is_an_error_that_names_the_text():
    with pytest.raises(EpochalError, match=r"text 2 of 2: .*'date'.*date_key"):
        rerank("the bank in 2003", [Candidate("The bank."), Candidate("The bank.", None, {"date": "soonish"})])


def test_nothing_gives_nothing():
    assert rerank("the bank in 2003", []) == []
