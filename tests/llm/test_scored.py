from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.llm.chat import LlmError, Message, StructureError
from epochal_lab.tempo.scoring import HUNDRED, TENS, ScoredReply, ask_score, describe_form, read_score
from scripted_chats import Scripted

ASKED = [Message("user", "How good is it?")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("REASON: both dates\nSCORE: 80", "both dates"),
        ("reason: both dates\nscore: 80", "both dates"),
        ("**REASON:** both dates\n\n**SCORE:** 80", "both dates"),
        ("REASON:\nboth\ndates\nSCORE: 80/100", "both dates"),
        ("  REASON: note: both: dates  \n  SCORE: 80.  \n", "note: both: dates"),
        ("SCORE: 80\nREASON: both dates", "both dates"),
    ],
)
def test_the_form_is_read(text, reason):
    assert read_score(text, TENS) == ScoredReply(reason, 80)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("80", "the reply says '80' outside of its lines"),
        ("SCORE: 80", "the reply has no REASON"),
        ("REASON:\nSCORE: 80", "the reply has no REASON"),
        ("REASON: good", "the reply has no SCORE"),
        ("REASON: good\nSCORE: about 80", "SCORE is about 80; accepted: 0, 10"),
        ("REASON: good\nSCORE: 85", "SCORE is 85; accepted: 0, 10"),
        ("REASON: good\nSCORE: 110", "SCORE is 110; accepted: 0, 10"),
        ("REASON: good\nSCORE: -10", "SCORE is -10; accepted"),
        ("REASON: good\nSCORE: 80 or 90", "SCORE is 80 or 90; accepted"),
        ("REASON: good\nSCORE:", "SCORE is empty; accepted"),
        ("REASON: good\nSCORE: 80\nSCORE: 20", "the reply has SCORE twice"),
        ("REASON: good\nSCORE: 8.5", "SCORE is 8.5; accepted"),
        ("REASON: good\nSCORE: " + "9" * 6000, "SCORE is 9999"),
        ("Sure!\nREASON: good\nSCORE: 80", "the reply says 'Sure!' outside of its lines"),
    ],
)
def test_another_form_is_not_read(text, problem):
    with pytest.raises(EpochalError, match=problem):
        read_score(text, TENS)


def test_parts_are_read_by_their_names_and_all_are_needed():
    text = "TEMPORAL COVERAGE: 70\nAUTHORITY: 55\nREASON: so so\nSCORE: 60"
    assert read_score(text, HUNDRED, ("temporal coverage", "authority")).parts == {
        "temporal coverage": 70,
        "authority": 55,
    }
    with pytest.raises(EpochalError, match="the reply has no COMPLETENESS"):
        read_score(text, HUNDRED, ("temporal coverage", "authority", "completeness"))


@given(st.integers(0, 100), st.text("abc def", min_size=1).filter(str.strip))
def test_what_is_written_in_the_form_is_read_back(score, reason):
    result = read_score(f"REASON: {reason}\nSCORE: {score}")
    assert (result.score, result.reason) == (score, reason.strip())


def test_a_reply_is_mended_once():
    chat = Scripted(["80, I think", "REASON: dated\nSCORE: 80"])
    assert ask_score(chat, ASKED, TENS).score == 80
    (_, (again, as_json)) = chat.asked
    assert not as_json
    assert [message.role for message in again] == ["user", "assistant", "user"]
    assert describe_form(TENS) in again[-1].content


def test_a_reply_that_stays_wrong_is_a_failure_with_both_replies():
    with pytest.raises(StructureError, match="scripted did not give the reason and score asked for") as caught:
        ask_score(Scripted(["80", "eighty"]), ASKED)
    assert caught.value.replies == ("80", "eighty")


def test_a_failure_of_the_model_is_its_own():
    def fail(_):
        raise LlmError("no reply")

    with pytest.raises(LlmError, match="no reply"):
        ask_score(Scripted(fail), ASKED)
