from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.llm.chat import LlmError, Message, StructureError
from epochal_lab.tempo.replies import HUNDRED, TENS, ScoredReply, ask_score, describe_form, read_score
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
        ("80", "the reply has no SCORE"),
        ("The answer deserves 80 of 100 points.", "the reply has no SCORE"),
        ("SCORE: 80", "the reply has no REASON"),
        ("REASON:\nSCORE: 80", "the reply has no REASON"),
        ("REASON: good", "the reply has no SCORE"),
        ("REASON: good\nSCORE: about 80", "SCORE is about 80; accepted: 0, 10"),
        ("REASON: good\nSCORE: 4", "SCORE is 4; accepted: 0, 10"),
        ("REASON: good\nSCORE: 6/5", "SCORE is 6/5; accepted: 0, 10"),
        ("REASON: good\nSCORE: 80-90", "SCORE is 80-90; accepted"),
        ('{"reason": "good", "score": true}', "SCORE is empty; accepted"),
        ("REASON: good\nSCORE: 110", "SCORE is 110; accepted: 0, 10"),
        ("REASON: good\nSCORE: -10", "SCORE is -10; accepted"),
        ("REASON: good\nSCORE: 80 or 90", "SCORE is 80 or 90; accepted"),
        ("REASON: good\nSCORE:", "SCORE is empty; accepted"),
        ("REASON: good\nSCORE: 80\nSCORE: 20", "the reply has SCORE twice"),
        ("REASON: good\nSCORE: 8.5", "SCORE is 8.5; accepted"),
        ("REASON: good\nSCORE: " + "9" * 6000, "SCORE is 9999"),
    ],
)
def test_another_form_is_not_read(text, problem):
    with pytest.raises(EpochalError, match=problem):
        read_score(text, TENS)


#: Replies as language models send them, and what they mean.
REPLIES = [
    ("Sure! Here is my assessment:\n\nREASON: both dates\nSCORE: 80", 80),
    ("```\nREASON: both dates\nSCORE: 80\n```", 80),
    ("```text\nREASON: both dates\nSCORE: 80\n```\nLet me know if you need more detail.", 80),
    ("REASON: both dates\nSCORE: 80\n\nI hope this helps!", 80),
    ("<think>\nMaybe SCORE: 20? No.\n</think>\nREASON: both dates\nSCORE: 80", 80),
    ('{"reason": "both dates", "score": 80}', 80),
    ('```json\n{"score": 80, "reason": "both dates"}\n```', 80),
    ('Here it is: {"rationale": "both dates", "rating": "4/5"}', 80),
    ("REASON: both dates\nSCORE: 80/100", 80),
    ("REASON: both dates\nSCORE: 80 / 100.", 80),
    ("REASON: both dates\nSCORE: 80 out of 100", 80),
    ("REASON: both dates\nSCORE: 80%", 80),
    ("REASON: both dates\nSCORE: 8/10", 80),
    ("REASON: both dates\nSCORE: 4 out of 5", 80),
    ("REASON: both dates\nSCORE: **80**", 80),
    ("REASON: both dates\n**Final Score:** 80/100", 80),
    ("REASON: both dates\nScore (0-100): 80", 80),
    ("REASON: both dates\nScore (1-5): 4", 70),  # three quarters of the scale
    ("REASON: both dates\nScore: 5 on a scale of 1 to 5", 100),
    ("REASON: both dates\nScore (1-5): 1", 0),
    ("- **Explanation**: both dates\n- **Rating**: 4/5", 80),
    ("1. Reasoning: both dates\n2. Score = 80", 80),
    ("REASON: both dates\nSCORE: 80 - the month is missing", 80),
    ("REASON: both dates\nSCORE: 80 (the month is missing)", 80),
    ("both dates\n\nScore: 80", 80),
    ("REASON: both dates\nSCORE: 80\n\nFinal score: 80", 80),
    ("REASON: both dates\nSCORE: 85", 80),
    ("REASON: both dates\nSCORE: 88", 90),
    ("REASON: both dates\nSCORE: 0", 0),
    ("REASON: both dates\nSCORE: 80.0", 80),
]


@pytest.mark.parametrize(("text", "score"), REPLIES)
def test_replies_of_real_models_are_read(text, score):
    assert read_score(text, TENS) == ScoredReply("both dates", score)


def test_two_different_scores_are_none():
    with pytest.raises(EpochalError, match="the reply has SCORE twice"):
        read_score("REASON: good\nSCORE: 80\nFinal score: 60", TENS)


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
