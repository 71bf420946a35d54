from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.llm.chat import StructureError
from epochal.reading.tagger import tag
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.tempo.negatives import (
    FAULTS,
    Searches,
    find_fault,
    mine_negatives,
    plan_searches_by_model,
    plan_searches_by_rules,
)
from scripted_chats import Scripted

YEARS = [Span.year(2017), Span.year(2021)]


def test_searches_have_no_time_in_them():
    post = 'Why did the Bank of Spain raise fees in 2017?\n<p>In May 2019 the "old rate" of Banco Azul was gone.</p>'
    result = plan_searches_by_rules(post)
    assert result.entities_events == ("Bank of Spain", "old rate", "Banco Azul")
    assert not any(item.span for query in result.make_queries() for item in tag(query))
    assert "Bank of Spain old rate" in result.make_queries()
    assert len(result.llm_summary.split()) <= 32


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Why is it so?", ()),
        ("Rain fell on Ann Hay.", ("Ann Hay",)),
        ("Is the Treaty of Rome of 25 March 1957 in force?", ("Treaty of Rome",)),
        ("What did Ann do? Ann left.", ("Ann",)),
    ],
)
def test_names_are_reported_from_openings_and_dates(text, names):
    assert plan_searches_by_rules(text).entities_events == names


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Fees rose in 2003.", "wrong_period"),
        ("Fees rose in 2003 and will in 2030.", "wrong_period"),
        ("Fees rise in 2025 and in 2030.", "anachronistic"),
        ("Fees rose in May 2017.", "one_sided"),
        ("Fees rose.", "vague"),
        ("Fees rose in 2017, and in 2021.", None),
        ("Fees rose from 2010 to 2022.", None),
    ],
)
def test_faults(text, fault):
    assert find_fault(Document("a", text), YEARS) == fault


def test_a_question_without_periods_has_no_wrong_time():
    assert find_fault(Document("a", "In 2003."), []) is None
    with pytest.raises(EpochalError, match="the question names none; give its periods"):
        mine_negatives(Searches("fees"), lambda text, k: [], [])


def test_searches_take_turns_and_gold_is_never_a_negative():
    pages = {
        "fees": [Document("gold", "2003"), Document("a", "In 2003."), Document("b", "In 2004.")],
        "Ann": [Document("c", "Nothing."), Document("a", "In 2003."), Document("d", "In 2005.")],
    }
    requests: list[tuple[str, int]] = []

    def search(text, k):
        requests.append((text, k))
        return pages[text]

    result = mine_negatives(Searches("fees", ("Ann",)), search, YEARS, {"gold"}, most=3, depth=7)
    assert requests == [("fees", 7), ("Ann", 7)]
    assert [(item.document.id, item.fault, item.query, item.rank) for item in result] == [
        ("c", "vague", "Ann", 1),
        ("a", "wrong_period", "fees", 2),
        ("b", "wrong_period", "fees", 3),
    ]


@given(st.lists(st.integers(1990, 2030), max_size=12, unique=True), st.integers(1, 6))
def test_what_is_mined_has_a_fault_comes_once_and_is_no_more_than_asked_for(years, most):
    pages = [Document(str(year), f"In {year}.") for year in years]
    result = mine_negatives(Searches("x", ("y",)), lambda text, k: pages, YEARS[:1], most=most)
    assert len(result) == min(most, sum(year != 2017 for year in years))
    assert len({item.document.id for item in result}) == len(result)
    assert all(item.fault in FAULTS and item.document.id != "2017" for item in result)


def test_a_model_that_leaves_a_time_in_is_asked_again():
    bad = json.dumps({"llm_summary": "fees of banks in 2017", "entities_events": ["Banco Azul"]})
    good = json.dumps({"llm_summary": "fees of banks", "entities_events": ["Banco Azul", " Banco Azul", ""]})
    chat = Scripted([bad, good])
    assert plan_searches_by_model(chat, "Fees in 2017?") == Searches("fees of banks", ("Banco Azul",))
    assert "llm_summary states a time, '2017'" in chat.asked[1][0][-1].content
    with pytest.raises(StructureError, match="llm_summary is empty"):
        plan_searches_by_model(
            Scripted([bad, json.dumps({"llm_summary": " ", "entities_events": []})]), "Fees in 2017?"
        )


@pytest.mark.parametrize("wrong", [{"most": 0}, {"depth": 0}])
def test_numbers_are_from_one(wrong):
    with pytest.raises(EpochalError, match="accepted: 1 or more"):
        mine_negatives(Searches("x"), lambda text, k: [], YEARS, **wrong)
