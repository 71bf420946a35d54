"""What rows of any origin must be, and what is said of those that are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal_lab.datasets.augment.chunks import Splitter
from epochal_lab.datasets.augment.rows import TemporalQuestion, TemporalRow
from epochal_lab.datasets.augment.templates import RowMaker
from epochal_lab.datasets.augment.validation import Validator

GOOD = TemporalQuestion("Who left Leeds in 1998?", ("1998",), "Explicit", "Equals")
BAD = TemporalQuestion("Who left Leeds in 2001?", ("2001",), "Explicit", "After")
ROW = TemporalRow("p1", "Ann Hay left Leeds in 1998.", ("1998",), (GOOD,), (BAD,))


def with_question(question: TemporalQuestion) -> TemporalRow:
    return replace(ROW, positives=(GOOD, question))


def test_a_good_row_stays_as_it_is():
    validator = Validator()
    assert validator.row(ROW) == ROW
    assert not validator.dropped
    assert not validator.changed


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (replace(ROW, temporal=()), "row: no expression"),
        (replace(ROW, temporal=("1998", "Leeds")), "row: several expressions"),
        (replace(ROW, temporal=("1999",)), "row: expression not in the passage"),
        (replace(ROW, positives=()), "row: no positives left"),
        (replace(ROW, negatives=()), "row: no negatives left"),
    ],
)
def test_rows_that_are_dropped(row, reason):
    validator = Validator()
    assert validator.row(row) is None
    assert validator.dropped[reason] == 1


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (GOOD, "question: repeated"),
        (replace(GOOD, text="who left Leeds in 1998"), "question: repeated"),
        (TemporalQuestion("Who left in 1998?", (), "Explicit", "Equals"), "question: not exactly one expression"),
        (TemporalQuestion("Who left in 1998?", ("1998", "in"), "Explicit"), "question: not exactly one expression"),
        (TemporalQuestion("Who left in 1998?", ("1999",), "Explicit"), "question: expression not in the question"),
        (TemporalQuestion("Who left in 1998?", ("1998",)), "question: no type"),
        (
            TemporalQuestion("Who left last year?", ("last year",), "Explicit", "Before"),
            "question: relative expression",
        ),
        (TemporalQuestion("Who is now in Leeds?", ("now",), "Explicit", "After"), "question: relative expression"),
        (
            TemporalQuestion("Who left Leeds?", ("Leeds",), "Explicit", "After"),
            "question: no date in an explicit question",
        ),
        (TemporalQuestion("Who left?", (), "TemporalAnswer", "Empty"), "question: asks for no time"),
        (
            TemporalQuestion("When in 1998 did Ann leave?", (), "TemporalAnswer", "Empty"),
            "question: asks for a time and states one",
        ),
        (
            TemporalQuestion("Who left Leeds before 1990?", ("before 1990",), "Explicit", "Before"),
            "question: answered by the passage, but at another time",
        ),
    ],
)
def test_questions_that_are_dropped(question, reason):
    validator = Validator()
    result = validator.row(with_question(question))
    assert result == ROW
    assert validator.dropped == {reason: 1}


@pytest.mark.parametrize(
    ("question", "mended", "reason"),
    [
        (
            TemporalQuestion("Who left by May 1998?", ("May 1998",), "Implicit", "During"),
            TemporalQuestion("Who left by May 1998?", ("May 1998",), "Explicit", "During"),
            "implicit question with a date",
        ),
        (
            TemporalQuestion("When did Ann leave?", ("Ann",), "Implicit", "During"),
            TemporalQuestion("When did Ann leave?", (), "TemporalAnswer", "Empty"),
            "implicit question that asks for a time",
        ),
        (
            TemporalQuestion("When did Ann leave?", ("When",), "TemporalAnswer", "Equals"),
            TemporalQuestion("When did Ann leave?", (), "TemporalAnswer", "Empty"),
            "temporal answer with a time",
        ),
        (
            TemporalQuestion("Who left in the 1990s?", ("the 1990s",), "Explicit", "During"),
            TemporalQuestion("Who left in the 1990s?", ("the 1990s",), "Explicit", "Contains"),
            "relation corrected",
        ),
    ],
)
def test_questions_that_are_mended(question, mended, reason):
    validator = Validator()
    result = validator.row(with_question(question))
    assert result is not None
    assert result.positives == (GOOD, mended)
    assert validator.changed[reason] == 1


def test_an_event_that_is_known_is_checked_and_another_stays():
    war = TemporalQuestion("Who left during World War II?", ("World War II",), "Implicit", "After")
    feast = TemporalQuestion("Who left during the feast of Hay?", ("the feast of Hay",), "Implicit", "Contains")
    validator = Validator()
    result = validator.row(replace(ROW, negatives=(BAD, war, feast)))
    assert result is not None
    assert [question.relation for question in result.negatives] == ["After", "Before", "Contains"]
    assert validator.changed == {"relation corrected": 1, "relation not checked": 1}


def test_without_the_check_claims_stay():
    claimed = replace(ROW, positives=(replace(GOOD, relation="Before"),))
    assert Validator(check=False).row(claimed) == claimed


def test_rows_need_two_questions_with_a_time():
    asking = TemporalQuestion("When did Ann leave?", (), "TemporalAnswer", "Empty")
    validator = Validator()
    assert validator.row(replace(ROW, negatives=(asking,))) is None
    assert validator.dropped == {"row: fewer than two explicit or implicit questions": 1}


def test_a_passage_that_comes_again_is_dropped():
    validator = Validator()
    assert list(validator.rows([ROW, replace(ROW, id="p2")])) == [ROW]
    assert validator.dropped == {"row: passage repeated": 1}


def test_several_expressions_are_checked_against_the_one_that_is_named():
    row = TemporalRow(
        "p1",
        "Ann came in 1998 and left in 2004.",
        ("1998", "2004"),
        (TemporalQuestion("Who left in 2004?", ("2004",), "Explicit", "Before", "2004"),),
        (TemporalQuestion("Who left in 2001?", ("2001",), "Explicit", "After", "1998"),),
    )
    result = Validator(several=True).row(row)
    assert result is not None
    assert [question.relation for question in result.questions] == ["Equals", "After"]


@pytest.mark.parametrize("several", [False, True])
def test_rows_by_templates_need_no_mending(passages, several):
    splitter = Splitter(several=several)
    chunks = [chunk for item in passages for chunk in splitter.chunks(item.text, item.id)]
    rows = list(RowMaker(chunks, seed=3).rows())
    validator = Validator(several=several)
    assert list(validator.rows(rows)) == rows
    assert not validator.dropped
    assert not validator.changed
