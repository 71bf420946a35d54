from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.rag.contexts import (
    RagContext,
    collect_documents,
    make_abstaining_context,
    make_oracle_context,
    make_ranking_context,
    select_covering,
)

ASKED = BenchQuery("q1", "How did fees differ between 2017 and 2021?")
YEARS = st.lists(st.integers(2014, 2024), max_size=6, unique=True)


def page(year: int) -> Document:
    return Document(str(year), f"Fees of {year}.")


@given(YEARS)
def test_what_covers_is_passed_on_in_its_order_or_nothing_is(years):
    matches = [document.id for document in select_covering(ASKED, [page(year) for year in years])]
    if {2017, 2021} <= set(years):
        assert matches == [str(year) for year in years if year in (2017, 2021)]
    else:
        assert matches == []


@given(YEARS)
def test_what_requires_no_period_keeps_everything(years):
    pages = tuple(page(year) for year in years)
    assert select_covering(BenchQuery("q2", "What is a Merkle tree?"), pages) == pages


def test_periods_of_the_set_go_before_those_of_the_words():
    message = BenchQuery("q1", "Which fees?", periods=(Span.year(2018),))
    assert [document.id for document in select_covering(message, [page(2017), page(2018)])] == ["2018"]


def test_publication_dates_a_document_that_states_no_time():
    news = Document("n", "Fees went up.", published=Span.parse("2018-04-01"))
    message = BenchQuery("q1", "Which fees?", periods=(Span.year(2018),))
    assert select_covering(message, [news]) == (news,)


def test_the_gold_is_ordered_and_cut_and_what_is_judged_irrelevant_is_none_of_it():
    assert make_oracle_context({"q1": {"a": 1, "b": 0, "c": 2, "d": 1}}, 2).get_ids("q1") == ("c", "a")


def test_a_ranking_is_cut():
    context = make_ranking_context("bm25", {"q1": ["a", "b", "c"]}, 2)
    assert context.get_ids("q1") == ("a", "b")
    assert context.get_ids("q2") == ()
    assert make_abstaining_context(context).abstains
    assert make_abstaining_context(context).ids == context.ids


def test_documents_are_read_once_and_only_those_that_are_wanted():
    gone_through = 0

    class Corpus:
        def __iter__(self):
            nonlocal gone_through
            gone_through += 1
            return iter([page(2017), page(2018)])

    bench_set = BenchSet("own", Corpus(), (ASKED,), {})
    contexts = [RagContext("a", {"q1": ("2018",), "gone": ("1",)}), RagContext("none")]
    assert set(collect_documents(bench_set, contexts)) == {"2018"}
    assert gone_through == 1
    assert collect_documents(bench_set, [RagContext("none")]) == {}
    assert gone_through == 1
    with pytest.raises(
        EpochalError, match="the set 'own' has no document '9', which a question is to be answered from"
    ):
        collect_documents(bench_set, [RagContext("a", {"q1": ("9",)})])
