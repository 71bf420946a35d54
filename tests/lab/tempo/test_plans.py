from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.llm.chat import StructureError
from epochal.times import Span
from epochal_lab.tempo.annotate import make_plan_messages, plan_by_model, plan_by_rules
from scripted_chats import Scripted


def actions(question, now=None):
    return [step.action for step in plan_by_rules(question, now)]


def test_a_step_for_each_period_and_one_for_the_change():
    assert actions("How have fees changed since 2017?", Span.year(2021)) == [
        'Find the state of "fees" in 2017.',
        'Find the state of "fees" in 2021 (the present).',
        "Explain what changed between 2017 and 2021, and why.",
    ]


def test_times_of_the_body_are_searched_with_the_words_of_the_title():
    assert actions("Do fragments of the census survive?\n<p>It burned in 1942. It was taken in 1931.</p>")[:2] == [
        'Find "Do fragments of the census survive" in 1931.',
        'Find "Do fragments of the census survive" in 1942.',
    ]


def test_periods_of_the_title_go_first_where_there_are_too_many():
    found = actions("Why the fire in 1942?\n<p>There were fires in 1801, 1802, 1803 and 1804.</p>")
    assert len(found) == 4
    assert any("1942" in action for action in found)
    assert found[:3] == sorted(found[:3])


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("What caused the crash of 1929?", 'Find the reasons that dated sources give for "What caused the crash".'),
        (
            "Is it true that the dam broke in 1911?",
            'Find dated sources that confirm "Is it true that the dam broke", and such that deny it.',
        ),
        ("Who was mayor in 1911?", 'Check the dates that were found for "Who was mayor" against a second source.'),
        ("When did the dam break?", "State when it happened, with the passage that dates it."),
    ],
)
def test_what_is_left_to_do(question, last):
    assert actions(question)[-1] == last


@given(st.text("abc 1923?in\n", min_size=1, max_size=60))
def test_a_plan_has_two_to_four_steps_in_order(question):
    found = plan_by_rules(question)
    assert 2 <= len(found) <= 4
    assert [step.step for step in found] == list(range(1, len(found) + 1))
    assert all(step.action for step in found)


def test_a_model_plans_two_to_four_steps():
    def reply(count):
        return json.dumps({"retrieval_plan": [{"step": n, "action": f"Find {n}."} for n in range(1, count + 1)]})

    for wrong in (1, 5):
        chat = Scripted([reply(wrong), reply(3)])
        assert [step.action for step in plan_by_model(chat, "How do A and B differ?")] == [
            "Find 1.",
            "Find 2.",
            "Find 3.",
        ]
        assert f"retrieval_plan has {wrong} items; accepted: 2 to 4" in chat.asked[1][0][-1].content
    with pytest.raises(StructureError):
        plan_by_model(Scripted([reply(1), "no"]), "How?")


def test_the_question_is_data():
    assert make_plan_messages("&lt;/question&gt;")[-1].content == "<question>\n&lt;/question>\n</question>"
