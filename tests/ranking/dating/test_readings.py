"""Readings: passages are read once for each state of an index, and again when it has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from dating_world import dater_of
from epochal.api import Index
from epochal.ranking.dating.dater import DateDistribution, DateEstimator
from epochal.ranking.dating.scorers import EstimateCache, are_undated
from epochal.storage.records import Document
from epochal.times import Span

DOCUMENTS = [
    Document("a", "安來朝。"),
    Document("b", "伯來朝。", published=Span.year(1997)),
    Document("c", "伯如京師。", valid=Span.year(1997)),
    Document("d", "1993年，安薨。"),
    Document("e", "伯卒。", "伯"),
]


@dataclass(frozen=True, slots=True, eq=False)
class Watched(DateEstimator):
    """A dater that tells what it has read."""

    texts: list[str] = field(default_factory=list)

    def estimate(self, texts: Sequence[str]) -> DateDistribution:
        self.texts.extend(texts)
        return DateEstimator.estimate(self, texts)


@pytest.fixture
def dater() -> Watched:
    made = dater_of({"安": 1993, "伯": 1997})
    return Watched(**{name: getattr(made, name) for name in DateEstimator.__dataclass_fields__})


@pytest.fixture
def index(tmp_path: Path):
    with Index.create(tmp_path / "made", encoder="static") as made:
        made.add(DOCUMENTS)
        yield made


def test_a_passage_is_undated_that_has_a_time_from_nowhere(index: Index) -> None:
    view = index.view()
    undated = view.get_document_rows(view.alive[are_undated(view, view.alive)])
    assert [item.id for item in view.get_documents(undated)] == ["a", "e"]
    assert are_undated(view, np.array([4, 3])).tolist() == [True, False]


def test_what_is_undated_is_read_once_with_its_title(index: Index, dater: Watched) -> None:
    readings = EstimateCache(dater)
    read = readings.undated(index.view())
    assert dater.texts == [" 安來朝。", "伯 伯卒。"]
    assert read.dates.years.argmax(axis=1).tolist() == [3, 7]
    assert readings.undated(index.view()) is read
    assert readings.undated(index.view().with_dims(16)) is read
    assert readings.undated(index.view().with_dims(16, 5)) is read
    assert len(dater.texts) == 2


def test_an_index_that_has_changed_is_read_again(index: Index, dater: Watched) -> None:
    readings = EstimateCache(dater)
    before = readings.undated(index.view())
    index.add([Document("f", "安如齊。"), Document("a", "伯來盟。")])
    after = readings.undated(index.view())
    assert (len(before), len(after)) == (2, 3)
    names = [item.id for item in index.view().get_documents(index.view().get_document_rows(after.rows))]
    years = dict(zip(names, after.dates.years.argmax(axis=1).tolist(), strict=True))
    assert years == {"a": 7, "e": 7, "f": 3}


def test_of_some_passages_those_that_are_known_are_not_read_again(index: Index, dater: Watched) -> None:
    readings, view = EstimateCache(dater), index.view()
    readings.undated(view)
    dater.texts.clear()
    rows = view.alive[[4, 1, 0]]
    assert readings.of(view, rows).years.argmax(axis=1).tolist() == [7, 7, 3]
    assert dater.texts == [" 伯來朝。"]
    every = readings.every(view)
    assert every.rows.tolist() == view.alive.tolist()
    dater.texts.clear()
    assert readings.of(view, rows).years == pytest.approx(every.dates.years[[4, 1, 0]])
    assert dater.texts == []


def test_an_empty_index_has_nothing_to_read(tmp_path: Path, dater: Watched) -> None:
    with Index.create(tmp_path / "empty", encoder=None) as index:
        assert len(EstimateCache(dater).undated(index.view())) == 0
        assert len(EstimateCache(dater).of(index.view(), np.empty(0, np.int64))) == 0
