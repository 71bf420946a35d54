"""Rows by templates: their labels are compared here with what plain numbers say, by code that labels nothing."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from epochal_lab.datasets.augment.chunks import Splitter, read_stated_times
from epochal_lab.datasets.augment.rows import EMPTY, TemporalRow
from epochal_lab.datasets.augment.templates import RowMaker, normalise_text

APART = {"Before", "After", "Meets", "MetBy"}


def made(passages, seed: int = 1, **options: object) -> list[TemporalRow]:
    splitter = Splitter(**options)
    chunks = [chunk for item in passages for chunk in splitter.chunks(item.text, item.id, item.title)]
    return list(RowMaker(chunks, seed=seed).rows())


def slow_relation(one: tuple[int, int], other: tuple[int, int]) -> str:
    """Allen's definitions, one after the other, on whole numbers."""
    (a, b), (c, d) = one, other
    if b < c:
        return "Before"
    if b == c:
        return "Meets"
    if a > d:
        return "After"
    if a == d:
        return "MetBy"
    if (a, b) == (c, d):
        return "Equals"
    if a == c:
        return "Starts" if b < d else "StartedBy"
    if b == d:
        return "Finishes" if a > c else "FinishedBy"
    if a > c and b < d:
        return "During"
    if a < c and b > d:
        return "Contains"
    return "Overlaps" if a < c else "OverlappedBy"


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_relation_is_that_of_the_numbers(passages, seed, several):
    checked = 0
    for row in made(passages, seed, several=several):
        stated_times = {stated_time.text: stated_time for stated_time in read_stated_times(row.passage).stated_times}
        for question in row.questions:
            if question.relation == EMPTY:
                continue
            (query,) = read_stated_times(question.text, implicit=True).stated_times
            message = stated_times[question.anchor or row.temporal[0]]
            pair = [(stated_time.span.start, stated_time.span.end) for stated_time in (query, message)]
            assert slow_relation(*pair) == question.relation, question
            checked += 1
    assert checked > 60


def test_years_are_what_their_digits_say(passages):
    """The relation of plain years, from the digits and the calendar of Python alone."""
    checked = 0
    for row in made([item for item in passages if "1867" in item.text]):
        base = (dt.date(1867, 1, 1).toordinal(), dt.date(1868, 1, 1).toordinal())
        for question in row.questions:
            if not question.temporal or not re.fullmatch(r"(from \d{4} to )?\d{4}", question.temporal[0]):
                continue
            years = [int(year) for year in re.findall(r"\d{4}", question.temporal[0])]
            requests = (dt.date(years[0], 1, 1).toordinal(), dt.date(years[-1] + 1, 1, 1).toordinal())
            assert slow_relation(requests, base) == question.relation, question
            checked += 1
    assert checked


@pytest.mark.parametrize("several", [False, True])
def test_what_is_answered_shares_time_and_the_rest_does_not(passages, several):
    for row in made(passages, several=several):
        assert all(question.relation not in APART for question in row.positives)
        stated_times = read_stated_times(row.passage).stated_times
        for question in row.negatives:
            if question.relation in APART:
                (query,) = read_stated_times(question.text, implicit=True).stated_times
                assert not any(query.span.overlaps(stated_time.span) for stated_time in stated_times), question


def test_expressions_are_in_the_texts_word_for_word(passages):
    for row in made(passages):
        assert all(text in row.passage for text in row.temporal)
        for question in row.questions:
            assert len(question.temporal) == (question.relation != EMPTY)
            assert all(text in question.text for text in question.temporal)


def test_types_are_those_of_the_words(passages):
    result = set()
    for row in made(passages):
        for question in row.questions:
            result.add(question.type)
            if question.type == "Implicit":
                assert not read_stated_times(question.text).stated_times, question
            if question.type == "Explicit":
                assert read_stated_times(question.text).stated_times, question
    assert result == {"Explicit", "Implicit", "TemporalAnswer"}


def test_no_question_comes_twice(passages):
    for seed in range(4):
        texts = [
            normalise_text(question.text) for row in made([*passages, *passages], seed) for question in row.questions
        ]
        assert len(texts) == len(set(texts))


def test_a_passage_that_comes_again_is_left_out(passages):
    again = [type(item)(f"{item.id}b", item.text) for item in passages]
    assert len(made([*passages, *again])) == len(made(passages))


def test_other_peoples_questions_name_nobody_of_the_passage(passages):
    other = 0
    for row in made(passages):
        for question in row.negatives:
            if question.relation in APART or question.relation == EMPTY:
                continue
            other += 1
            names = set(re.findall(r"\b[A-Z][a-z]+", question.text[1:].replace(question.temporal[0], "")))
            assert names, question
            assert not names & set(re.findall(r"\w+", row.passage)), question
    assert other


def test_the_same_seed_gives_the_same_rows_and_another_gives_others(passages):
    assert made(passages, 5) == made(passages, 5) != made(passages, 6)


def test_a_chunk_does_not_change_with_what_is_said_of_nobody_else(passages):
    """Which times are drawn depends on the chunk alone; only questions about others may change."""
    alone, beside = made(passages[:3], 5), made(passages[:3] + passages[4:5], 5)
    assert [row.positives for row in alone] == [row.positives for row in beside[:3]]


def test_reasons_are_counted(passages):
    text = "Once it was dark in 1998."
    chunks = Splitter().chunks(text, "p")
    maker = RowMaker(chunks, seed=1)
    assert list(maker.rows()) == []
    assert maker.dropped["no topic"] == 1


def test_counts_of_questions_can_be_asked_for(passages):
    chunks = [chunk for item in passages for chunk in Splitter().chunks(item.text, item.id)]
    for row in RowMaker(chunks, seed=1, positives=3, negatives=2).rows():
        assert len(row.positives) <= 3
        assert len(row.negatives) <= 2


def test_most_of_the_relations_come_up(passages):
    result = {question.relation for seed in range(6) for row in made(passages, seed) for question in row.questions}
    assert len(result) >= 12
