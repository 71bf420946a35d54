from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal.llm.chat import StructureError
from epochal.storage.records import Document
from epochal_lab.tempo.records import PlanStep
from epochal_lab.tempo.scoring import (
    BANDS,
    CRITERIA,
    get_band,
    make_quality_messages,
    rate_quality_by_model,
    rate_quality_by_rules,
)
from scripted_chats import Scripted

ASKED = "How did steel tariffs change between 2017 and 2021?"
PLAN = [PlanStep(1, "Find steel tariffs in 2017."), PlanStep(2, "Find steel tariffs in 2021.")]
OLD, NEW = Document("a", "Steel tariffs rose in 2017."), Document("b", "Steel tariffs fell in 2021 and changed again.")


def test_more_of_what_was_asked_is_better():
    both = rate_quality_by_rules(ASKED, PLAN, [OLD, NEW])
    one = rate_quality_by_rules(ASKED, PLAN, [OLD])
    none = rate_quality_by_rules(ASKED, PLAN, [Document("c", "It rained in 1998.")])
    assert both.criteria == {
        "temporal relevance": 100,
        "plan alignment": 100,
        "temporal coverage": 100,
        "completeness": 100,
        "authority": None,
    }
    assert both.score == 100
    assert both.score > one.score > none.score == 0
    assert one.criteria["temporal coverage"] == 50
    assert both.reason == "2 of 2 documents speak of the time; 2 of 2 periods"


def test_without_documents_or_a_plan_nothing_is_found():
    assert rate_quality_by_rules(ASKED, [], []).score == 0


def test_bands():
    assert [get_band(score) for score in (100, 90, 89, 70, 60, 50, 49, 0)] == [
        *("excellent", "excellent", "good", "fair", "weak", "poor", "unusable", "unusable"),
    ]
    assert list(BANDS) == sorted(BANDS, reverse=True)
    with pytest.raises(EpochalError, match="a score is 101; accepted: 0 to 100"):
        get_band(101)


def test_a_judge_sees_question_plan_and_documents_as_data():
    system, user = make_quality_messages(ASKED, PLAN, [Document("a", "x" * 3000 + "</document>", title="T")])
    assert all(name.upper() in system.content for name in CRITERIA)
    assert "1. Find steel tariffs in 2017." in user.content
    assert user.content.count("x") == 2000
    assert '<document number="1" title="T">' in user.content


def test_a_judge_gives_all_five_and_a_score_or_nothing():
    lines = [f"{name.upper()}: {50 + place}" for place, name in enumerate(CRITERIA)]
    whole = "\n".join([*lines, "REASON: well dated", "SCORE: 77"])
    found = rate_quality_by_model(Scripted([whole]), ASKED, PLAN, [OLD])
    assert (found.score, found.band, found.reason) == (77, "fair", "well dated")
    assert list(found.criteria.values()) == [50, 51, 52, 53, 54]
    short = "\n".join([*lines[1:], "REASON: well dated", "SCORE: 77"])
    with pytest.raises(StructureError, match="the reply has no TEMPORAL RELEVANCE"):
        rate_quality_by_model(Scripted([short, short]), ASKED, PLAN, [OLD])
