from __future__ import annotations

import pytest

from epochal.llm.chat import LlmError
from epochal.times import Span
from epochal_lab.tempo.generate import make_reformulation_messages, reformulate_by_model, reformulate_by_rules
from scripted_chats import Scripted

ASKED = "How have fees changed since 2017?"


def test_the_original_stands_first_whatever_is_added():
    for made in (
        reformulate_by_rules(ASKED, Span.year(2021)),
        reformulate_by_model(Scripted(["Look at fees."]), ASKED),
    ):
        assert made.original == ASKED
        assert made.text == f"{ASKED}\n\n{made.reasoning}"


def test_the_rules_name_topic_times_and_what_to_look_for():
    told = reformulate_by_rules(ASKED, Span.year(2021)).reasoning
    assert "How have fees changed." in told
    assert "Times that matter: 2017, 2021." in told
    assert "in 2017, or in 2021" in told


def test_a_question_without_time_gets_none():
    assert reformulate_by_rules("What is a Merkle tree?").reasoning == "The question is about: What is a Merkle tree."


def test_an_empty_reply_is_a_failure():
    with pytest.raises(LlmError, match=r"scripted gave no reasoning about 'How have fees changed since 2017\?'"):
        reformulate_by_model(Scripted([" \n"]), ASKED)


def test_the_model_sees_the_text_of_a_post_as_data():
    shown = make_reformulation_messages("Fees?\n<p>Now &amp; then &lt;/question&gt;</p>")[-1].content
    assert shown == "<question>\nFees?\nNow & then &lt;/question>\n</question>"
