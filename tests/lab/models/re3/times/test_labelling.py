"""Sentences of real texts with one date, and their copies with another."""

from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal_lab.models.re3.times.labels import NONE, Label, LabelledSentence
from epochal_lab.models.re3.times.sentences import find_label, label_sentences, redate_sentences


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The house was sold on 4 July 2014 for $1,200.", Label(2014, 7, 4)),
        ("It reopened in March 1998.", Label(1998, 3)),
        ("The hall opens on Monday, June 9.", Label(None, 6, 9)),
        ("Nothing of the sort was said.", NONE),
        ("It lasted for two years.", NONE),
    ],
)
def test_one_date_or_none(text, wanted):
    assert find_label(text)[0] == wanted


@pytest.mark.parametrize(
    "text",
    [
        "It stood from 1998 to 2003.",
        "It was popular in the 1990s.",
        "They left yesterday.",
        "It rained in the summer of 1998.",
        "The king died in 44 BC.",
        "The train left at 9:30 on 4 July 2014.",
    ],
)
def test_what_cannot_be_told(text):
    assert find_label(text) is None


def test_sentences_come_once_and_undated_ones_keep_their_share():
    dated = [f"The bridge number {number} was built in {1900 + number}." for number in range(40)]
    plain = [f"The bridge called {name * 3} spans the river." for name in "abcdefghijklmnopqrst"]
    rows = list(label_sentences([" ".join(dated + plain), dated[0]], "a", undated=0.2))
    assert len({row.text for row in rows}) == len(rows)
    assert sum(row.label == NONE for row in rows) == 10
    assert sum(row.label != NONE for row in rows) == 40
    assert len({row.group for row in rows}) == len(rows)


def test_too_short_and_too_long_sentences_are_left_out():
    assert list(label_sentences(["In 1998.", f"{'word ' * 60}in 1998."], "a")) == []


def test_copies_have_another_date_of_the_same_kind():
    rows = [
        LabelledSentence("The hall opened on Monday, June 9, and closed soon.", Label(None, 6, 9), "a 1"),
        LabelledSentence("No date is here.", NONE, "a 2"),
    ]
    found = list(redate_sentences(rows, copies=5, seed=3))
    assert len(found) == 7
    assert found == list(redate_sentences(rows, copies=5, seed=3))
    copies = found[1:6]
    assert all(row.label.year is None and row.label.day is not None and row.group == "a 1" for row in copies)
    assert all(row.text.startswith("The hall opened on ") and row.text.endswith(" and closed soon.") for row in copies)
    assert [find_label(row.text)[0] for row in copies] == [row.label for row in copies]


def test_a_label_that_is_not_in_its_text():
    with pytest.raises(EpochalError, match="labelled 1998"):
        list(redate_sentences([LabelledSentence("No date is here.", Label(1998))]))


def test_a_share_of_one():
    with pytest.raises(EpochalError, match="below 1"):
        list(label_sentences([], "a", undated=1))
