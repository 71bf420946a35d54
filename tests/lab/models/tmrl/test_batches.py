"""Which questions are drawn for which passage, in which epoch."""

from __future__ import annotations

import numpy as np
import pytest

from epochal_lab.datasets.augment.rows import TemporalQuestion, TemporalRow
from epochal_lab.models.tmrl.batches import build_examples
from tmrl_world import small, tiny


def question(text: str) -> TemporalQuestion:
    return TemporalQuestion(text, (), "TemporalAnswer")


def made_examples(backbone, *rows: TemporalRow, seed: int = 1):
    return build_examples(backbone, list(rows), small(), seed=seed)


WORDS = "ann played for in who when did play the club of town".split()


def row(right: int, wrong: int, name: str = "p") -> TemporalRow:
    return TemporalRow(
        name, "ann .", (), tuple(map(question, WORDS[:right])), tuple(map(question, WORDS[right : right + wrong]))
    )


def test_positives_go_round_by_epoch_and_negatives_by_as_many_as_are_drawn():
    examples = made_examples(tiny(), row(3, 5))
    seen = [examples.draw(np.array([0]), epoch, 2).questions.tolist() for epoch in range(6)]
    assert [one[0] for one in seen] == [0, 1, 2, 0, 1, 2]
    assert [one[1:] for one in seen] == [[3, 4], [5, 6], [7, 3], [4, 5], [6, 7], [3, 4]]


def test_passages_with_few_or_no_negatives_have_fewer():
    examples = made_examples(tiny(), row(1, 3, "a"), row(2, 0, "b"), row(1, 1, "c"))
    sample = examples.draw(np.array([2, 1, 0]), 0, 2)
    assert sample.owner.tolist() == [0, 0, 1, 2, 2, 2]
    assert sample.targets.tolist() == [0, 2, 3]
    # Questions stand in the order: those that a, b and c answer, then those that they do not.
    assert sample.questions[sample.targets].tolist() == [3, 1, 0]
    assert set(sample.questions[1:2]) == {7}
    assert set(sample.questions[4:]) <= {4, 5, 6}


def test_negatives_are_ordered_by_the_seed():
    texts = [made_examples(tiny(), row(1, 8), seed=seed).questions.texts.row(1).tolist() for seed in range(6)]
    assert len({tuple(text) for text in texts}) > 1
    again = made_examples(tiny(), row(1, 8), seed=2).questions.texts.row(1).tolist()
    assert again == texts[2]


def test_what_comes_twice_counts_once_and_what_is_answered_is_no_negative():
    double = TemporalRow(
        "p",
        "ann .",
        (),
        (question("ann"), question("who"), question("ann")),
        (question("who"), question("club"), question("club")),
    )
    examples = made_examples(tiny(), double, TemporalRow("q", "who ?"))
    assert len(examples) == 1
    assert examples.positives.tolist() == [0, 2]
    assert examples.negatives.tolist() == [2, 3]


@pytest.mark.parametrize("epoch", [0, 1])
def test_every_passage_comes_once_in_an_epoch_and_batches_are_the_same_again(rows, epoch):
    examples = build_examples(tiny(), rows, small(), seed=1)
    first = [batch.passages.texts.ids.tolist() for batch in examples.batches(epoch, 5, 2, seed=4)]
    assert first == [batch.passages.texts.ids.tolist() for batch in examples.batches(epoch, 5, 2, seed=4)]
    assert sorted(len(batch) for batch in first) == [2, 5, 5]
    assert len({tuple(text) for batch in first for text in batch}) == len(rows)


def test_epochs_mix_passages_again(rows):
    examples = build_examples(tiny(), rows, small(), seed=1)
    results = [
        [batch.passages.texts.ids.tolist() for batch in examples.batches(epoch, 4, 2, seed=4)] for epoch in (0, 1)
    ]
    assert results[0] != results[1]


def test_passages_of_one_length_meet():
    rows = [TemporalRow(str(n), " ".join(["ann"] * n), (), (question("who"),)) for n in range(1, 41)]
    examples = made_examples(tiny(), *rows)
    spread = [
        int(batch.passages.texts.mask.sum(dim=1).max() - batch.passages.texts.mask.sum(dim=1).min())
        for batch in examples.batches(0, 10, 1, seed=1)
    ]
    assert spread == [9, 9, 9, 9]


def test_a_passage_shows_the_expression_that_its_question_is_about():
    double = TemporalRow(
        "p",
        "ann played in 1998 , in 2001 .",
        ("1998", "2001"),
        (
            TemporalQuestion("who in 2001 ?", ("2001",), anchor="2001"),
            TemporalQuestion("who in 1998 ?", ("1998",), anchor="1998"),
            TemporalQuestion("who in 2004 ?", ("2004",)),
            TemporalQuestion("who in 2007 ?", ("2007",), anchor="2007"),
        ),
    )
    result = {}
    for spans in ("anchored", "first"):
        examples = build_examples(tiny(), [double], small(spans=spans), seed=1)
        batches = [examples.batch(examples.draw(np.array([0]), epoch, 2)) for epoch in range(4)]
        result[spans] = [batch.passages.spans.tolist() for batch in batches]
    first, second = [[[4, 5]]], [[[7, 8]]]
    assert result == {"anchored": [second, first, first, first], "first": [first] * 4}
