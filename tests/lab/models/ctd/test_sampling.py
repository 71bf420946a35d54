"""What is drawn: answers and hard negatives of the training split alone, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from epochal.errors import EpochalError
from epochal.ranking.dating.months import MonthAxis, Months
from epochal_lab.models.ctd.data import Collection, CTDQuestion, CTDRecord, Sampler


def test_nothing_held_out_is_ever_drawn(collection: Collection) -> None:
    sampler = Sampler(collection, "train", pool=16, seed=1)
    for epoch in range(5):
        for batch in sampler.batches(epoch, 8, 2):
            assert {collection.questions[row].split for row in batch.questions} == {"train"}
            assert {collection.records[row].split for row in (*batch.positives, *batch.negatives)} == {"train"}
            assert {collection.records[row].type for row in batch.negatives} == {"neg_comment"}
            assert {collection.records[row].type for row in batch.positives} <= {"event", "no_event"}
            assert len(batch.negatives) == 16
            for question, right in zip(batch.questions, batch.positives, strict=True):
                assert right in collection.questions[question].answers


def test_an_epoch_asks_every_question_once(collection: Collection) -> None:
    sampler = Sampler(collection, "train", pool=16, seed=1)
    requests = [row for batch in sampler.batches(0, 8, 1) for row in batch.questions.tolist()]
    assert len(requests) == len(set(requests)) == len(sampler.questions) == 48
    assert sampler.count_batches(7) == 6  # the rest is dropped


def test_the_same_seed_draws_the_same(collection: Collection) -> None:
    first, second, other = (Sampler(collection, "train", 4, seed).batches(3, 8, 2) for seed in (1, 1, 2))
    assert all(np.array_equal(a.negatives, b.negatives) for a, b in zip(first, second, strict=True))
    assert any(not np.array_equal(a.questions, b.questions) for a, b in zip(first, other, strict=True))


def test_commentaries_on_the_months_asked_for_come_first() -> None:
    records = [CTDRecord("e", "x", "event", "train", Months(50, 50))]
    records += [CTDRecord(f"c{number}", "x", "neg_comment", "train", Months(number, number)) for number in range(100)]
    question = CTDQuestion("q", "?", "train", Months(40, 59), (0,), "window", False)
    result = Collection("own", MonthAxis.lu(), tuple(records), (question,))
    (batch,) = Sampler(result, "train", pool=16, seed=0).batches(0, 1, 16)
    assert all(40 <= result.first[row] <= 59 for row in batch.negatives)
    assert len(set(batch.negatives.tolist())) == 16
    point = Collection(
        "own", MonthAxis.lu(), result.records, (CTDQuestion("q", "?", "train", Months(50, 50), (0,), "point", False),)
    )
    (batch,) = Sampler(point, "train", pool=16, seed=0).batches(0, 1, 16)
    assert 51 in batch.negatives  # the one of its own month, and others to fill the pool


def test_without_commentaries_neighbouring_months_are_hard() -> None:
    records = tuple(CTDRecord(f"r{number}", "x", "event", "train", Months(number, number)) for number in range(24))
    questions = (CTDQuestion("q", "?", "train", Months(12, 12), (12,), "point", False),)
    result = Collection("own", MonthAxis.gregorian(2000, 2001), records, questions)
    sample = {
        row
        for epoch in range(30)
        for batch in Sampler(result, "train", 16, 0).batches(epoch, 1, 3)
        for row in batch.negatives.tolist()
    }
    assert sample == set(range(6, 19)) - {12}


def test_mistakes_are_reported(collection: Collection) -> None:
    with pytest.raises(EpochalError, match="no question of the split 'dev'"):
        Sampler(collection, "dev", 16, 0)
    with pytest.raises(EpochalError, match="a batch of 99 questions"):
        Sampler(collection, "train", 16, 0).batches(0, 99, 1)
