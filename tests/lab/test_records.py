from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery, BenchSet

SPLITS = ("train", "dev", "test")


def a_set(splits: list[str]) -> BenchSet:
    queries = tuple(
        BenchQuery(f"q{place}", "Who won?", periods=(Span.year(1990),), split=split)
        for place, split in enumerate(splits)
    )
    qrels = {query.id: {"d1": 1} for query in queries}
    covered = {query.id: (frozenset({"d1"}),) for query in queries}
    return BenchSet("own", (Document("d1", "Ann won."),), queries, qrels, covered)


@given(st.lists(st.sampled_from(SPLITS), max_size=12))
def test_the_splits_part_the_questions_and_their_judgements(splits):
    whole = a_set(splits)
    parts = [whole.select_split(name) for name in whole.splits]
    assert sorted(query.id for part in parts for query in part.queries) == sorted(query.id for query in whole.queries)
    assert {id: judged for part in parts for id, judged in part.qrels.items()} == dict(whole.qrels)
    for name, part in zip(whole.splits, parts, strict=True):
        assert {query.split for query in part.queries} == {name}
        assert set(part.qrels) == set(part.period_qrels) == {query.id for query in part.queries}
        assert part.documents is whole.documents


def test_splits_come_in_the_order_of_the_questions():
    assert a_set(["test", "dev", "test", "train"]).splits == ("test", "dev", "train")


def test_a_split_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(EpochalError, match="the set 'own' has no split 'dev'; it has: train, test"):
        a_set(["train", "test"]).select_split("dev")


def test_having_takes_questions_from_elsewhere_without_judging_them():
    other = BenchQuery("new", "Who lost?")
    made = a_set(["test"]).with_queries([other])
    assert made.queries == (other,)
    assert (dict(made.qrels), dict(made.period_qrels)) == ({}, {})


def test_records_cannot_be_changed():
    with pytest.raises(AttributeError):
        a_set(["test"]).queries[0].text = "Who lost?"
