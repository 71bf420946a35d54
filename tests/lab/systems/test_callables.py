from __future__ import annotations

from types import SimpleNamespace

import pytest

from epochal.errors import EpochalError
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.systems.base import CallableSystem, System, call_retriever, read_hits
from tiny_models import DOCUMENTS, ranked


class Found(list):
    outcome = "none_recorded"


class Retriever:
    """As LangChain has them: documents with metadata, an id of their own besides."""

    def invoke(self, query):
        metadata = [{"id": "d2"}, {"_id": "d1", "source": "x"}, {"doc_id": 7}, {}]
        return [SimpleNamespace(id=f"own-{position}", metadata=part) for position, part in enumerate(metadata)]


def test_a_function_gets_the_question_how_many_and_when():
    seen = []

    def search(question, k, now):
        seen.append((question, k, now))
        return [("d1", 0.5), ("d2", 0.9), ("d1", 0.1)]

    query = BenchQuery("q", "Rain?", now=Span.year(2003))
    assert call_retriever(search, query, 5).hits == (("d2", 0.9), ("d1", 0.5))
    assert seen == [("Rain?", 5, Span.year(2003))]


def test_a_retriever_of_langchain(tmp_path):
    result = CallableSystem("chain", Retriever())
    assert isinstance(result, System)
    assert ranked(result, tmp_path, "rain").hits == (("d2", 0.0), ("d1", -1.0), ("7", -2.0), ("own-3", -3.0))
    assert ranked(result, tmp_path, "rain", k=1).hits == (("d2", 0.0),)


def test_an_outcome_is_reported():
    assert call_retriever(lambda question, k, now: Found(), BenchQuery("q", "Rain?"), 5).facts == {
        "outcome": "none_recorded"
    }
    assert call_retriever(lambda question, k, now: [], BenchQuery("q", "Rain?"), 5).facts == {}


def test_it_can_prepare_itself(tmp_path):
    held = []
    result = CallableSystem(
        "own", lambda question, k, now: held[:k], lambda documents, folder: held.extend(d.id for d in documents)
    )
    assert [id for id, _ in ranked(result, tmp_path, "rain", k=2).hits] == [document.id for document in DOCUMENTS[:2]]


@pytest.mark.parametrize(
    "item",
    [
        "d1",
        ("d1", 2.0),
        {"id": "d1"},
        {"metadata": {"doc_id": "d1"}},
        SimpleNamespace(id="d1", score=3.0),
        (SimpleNamespace(id="d1"), 4),
    ],
)
def test_forms_of_a_hit(item):
    assert [id for id, _ in read_hits([item])] == ["d1"]


def test_mistakes_are_named():
    for item in (None, 3, {}, SimpleNamespace(metadata={})):
        with pytest.raises(EpochalError, match="accepted: ids, pairs of an id and a score, documents with an id"):
            read_hits([item])
    with pytest.raises(EpochalError, match=r"^str cannot be queried; accepted: a function"):
        call_retriever("name", BenchQuery("q", "Rain?"), 5)
