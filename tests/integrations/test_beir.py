"""The shapes that BEIR and MTEB call a retriever with."""

from __future__ import annotations

import inspect
import os
import tempfile

import pytest

from epochal.errors import EpochalError
from epochal.integrations.beir import EpochalSearch

CORPUS = {
    "rise": {"title": "", "text": "The bank raised its rate in May 1998."},
    "cut": {"title": "A cut", "text": "The bank cut its rate last month.", "published": "2003-07-02"},
    "note": {"title": "", "text": "The rate of the bank is what lenders pay."},
    "empty": {"title": "", "text": " "},
}
ROWS = [{"id": key, **row} for key, row in CORPUS.items()]
QUERIES = {"q1998": "What did the bank do to its rate in 1998?", "q2003": "What did the bank do to its rate in 2003?"}


@pytest.fixture
def model():
    with EpochalSearch(encoder=None) as result:
        yield result


def best(scores: dict[str, float]) -> str:
    return max(scores, key=scores.get)


def test_as_beir_calls_it(model):
    """`EvaluateRetrieval.retrieve` of beir 2.2: corpus, queries, top_k and the name of a score function, by place."""
    run = model.search(CORPUS, QUERIES, 2, "cos_sim")
    assert {query: best(scores) for query, scores in run.items()} == {"q1998": "rise", "q2003": "cut"}
    assert all(len(scores) == 2 and all(type(score) is float for score in scores.values()) for scores in run.values())


def test_as_mteb_calls_it(model):
    """`SearchProtocol` of mteb 2.26: all by name."""
    record = {"task_metadata": None, "hf_split": "test", "hf_subset": "default", "encode_kwargs": {}, "num_proc": None}
    model.index(corpus=ROWS, **record)
    queries = [{"id": key, "text": text} for key, text in QUERIES.items()]
    run = model.search(queries=queries, top_k=2, top_ranked=None, **record)
    assert run == model.search(CORPUS, QUERIES, 2)
    assert model.search(queries, top_k=2, **record) == run


def test_its_signatures_hold_all_that_mteb_passes():
    taken = inspect.signature(EpochalSearch.search)
    named = ("task_metadata", "hf_split", "hf_subset", "top_k", "encode_kwargs", "top_ranked", "num_proc")
    taken.bind(None, queries=[], **dict.fromkeys(named))
    inspect.signature(EpochalSearch.index).bind(
        None, [], **dict.fromkeys(("task_metadata", "hf_split", "hf_subset", "encode_kwargs", "num_proc"))
    )
    assert isinstance(inspect.getattr_static(EpochalSearch, "mteb_model_meta"), property)


def test_only_listed_documents_are_ranked_again(model):
    model.index(ROWS)
    run = model.search(queries=QUERIES, top_k=10, top_ranked={"q2003": ["note", "rise"]})
    assert set(run["q2003"]) == {"note", "rise"}
    assert set(run["q1998"]) == {"rise", "cut", "note"}


def test_dates_and_presents_are_read(model):
    rows = [
        {"id": "old", "text": "The bank is open.", "date": "1998-03-01"},
        {"id": "new", "text": "The bank is open.", "date": "2003-03-01"},
    ]
    model.index(rows)
    requests = [
        {"id": year, "text": "Was the bank open last year?", "now": now}
        for year, now in (("1998", "1999"), ("2003", "2004"))
    ]
    assert {query: best(scores) for query, scores in model.search(queries=requests, top_k=2).items()} == {
        "1998": "old",
        "2003": "new",
    }


def test_wishes_are_those_of_a_search():
    with EpochalSearch(encoder=None, during="1998", strict=True) as model:
        assert set(model.search(CORPUS, {"q": "bank rate"}, 10)["q"]) == {"rise"}


def test_equal_documents_are_all_answered(model):
    corpus = {str(number): {"text": "The bank raised its rate in May 1998."} for number in range(3)}
    assert set(model.search(corpus, {"q": "rate in 1998"}, 10)["q"]) == {"0", "1", "2"}


def test_a_bad_date_is_an_error(model):
    with pytest.raises(EpochalError, match="'2003-02-30'"):
        model.index([{"id": "a", "text": "Rain.", "published": "2003-02-30"}])


def test_without_a_corpus_it_says_so(model):
    with pytest.raises(EpochalError, match="there is no corpus to search"):
        model.search(queries=QUERIES, top_k=1)


def test_it_leaves_no_folder_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with EpochalSearch(encoder=None) as model:
        model.index(ROWS)
        model.index(ROWS)
        assert len(os.listdir(tmp_path)) == 1
    assert os.listdir(tmp_path) == []


def test_a_card_needs_mteb(model, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mteb", None)
    with pytest.raises(EpochalError, match="pip install mteb"):
        _ = model.mteb_model_meta
