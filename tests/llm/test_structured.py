from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, MissingExtraError
from epochal.llm.chat import LlmError, Message, StructureError
from epochal.llm.structured import ask, find_problem, parse_object, validate
from scripted_chats import Scripted


@dataclass(frozen=True)
class Verdict:
    verdict: int
    reason: str

    def __post_init__(self) -> None:
        if self.verdict not in (0, 1):
            raise ValueError(f"verdict is {self.verdict}; accepted: 0, 1")


@dataclass(frozen=True)
class Part:
    kind: Literal["rain", "snow"]
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError(f"share is {self.share:g}; accepted: numbers from 0 to 1")


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...] = ()
    flags: list[bool] = field(default_factory=list)
    first: Part | None = None


GOOD = '{"verdict": 1, "reason": "dated"}'
ASKED = [Message("user", "Does it help?")]


def test_a_good_reply_is_asked_for_once():
    chat = Scripted([GOOD])
    assert ask(chat, ASKED, Verdict) == Verdict(1, "dated")
    assert chat.asked == [(tuple(ASKED), True)]


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("Yes, it does.", "not JSON"),
        ("", "not JSON"),
        ('{"verdict": 1, "reason": "da', "not JSON"),
        ('{"verdict": 1}', "has no 'reason'"),
        ('{"verdict": 2, "reason": ""}', "verdict is 2; accepted: 0, 1"),
        ('{"verdict": true, "reason": ""}', "verdict is true; accepted: integer"),
        ('{"verdict": "1", "reason": ""}', 'verdict is "1"; accepted: integer'),
        ('{"verdict": 1.0, "reason": ""}', "verdict is 1.0; accepted: integer"),
        ('{"verdict": 0, "verdict": 1, "reason": ""}', "'verdict' is said twice"),
        ('{"verdict": NaN, "reason": ""}', "NaN is no JSON"),
        ('[{"verdict": 1, "reason": ""}]', "accepted: one JSON object"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_reply_is_asked_for_once_more_and_then_reported(reply, problem):
    mended = Scripted([reply, GOOD])
    assert ask(mended, ASKED, Verdict).verdict == 1
    again = mended.asked[1][0]
    assert [message.role for message in again] == ["user", "assistant", "user"]
    assert again[1].content == reply
    assert problem in again[2].content
    schema = json.loads(again[2].content.partition("fits this schema: ")[2])
    assert schema["required"] == ["verdict", "reason"]
    assert schema["properties"]["verdict"] == {"type": "integer"}
    chat = Scripted([reply, reply, GOOD])
    with pytest.raises(StructureError) as caught:
        ask(chat, ASKED, Verdict)
    assert problem in str(caught.value)
    assert caught.value.replies == (reply, reply)
    assert len(chat.asked) == 2


def test_a_failure_of_the_chat_is_its_own():
    def fail(_):
        raise LlmError("no line")

    with pytest.raises(LlmError, match=r"^no line$"):
        ask(Scripted(fail), ASKED, Verdict)


@pytest.mark.parametrize("fenced", ["```json\n{}\n```", "```\n{}\n```", "  ```JSON\n{}\n```\n"])
def test_a_fence_around_the_whole_reply_is_taken_off(fenced):
    assert parse_object(fenced) == {}


def test_text_around_a_fence_is_not_taken_off():
    with pytest.raises(EpochalError, match="not JSON"):
        parse_object("Here it is:\n```json\n{}\n```")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"parts": {}}, "parts is {}; accepted: array"),
        ({"parts": [1]}, "parts[0] is 1; accepted: object"),
        ({"parts": [{"kind": "rain"}, {}]}, "parts[1] has no 'kind'"),
        ({"parts": [{"kind": "hail"}]}, "parts[0].kind is \"hail\"; accepted: 'rain' or 'snow'"),
        ({"parts": [{"kind": "rain", "share": True}]}, "parts[0].share is true; accepted: number"),
        ({"parts": [{"kind": "rain", "share": 1.2}]}, "parts[0].share is 1.2; accepted: numbers from 0 to 1"),
        ({"flags": [True, 1]}, "flags[1] is 1; accepted: boolean"),
        ({"flags": "x" * 100}, f'flags is "{"x" * 36}...; accepted: array'),
        ({"parts": [{"kind": "rain", "share": 0}, {"kind": "snow", "share": 1}]}, None),
        ({"others": 1}, None),
    ],
)
def test_what_is_wrong_is_named(value, problem):
    assert find_problem(value, Whole) == problem


def test_values_are_as_the_contract_has_them():
    result = validate({"parts": [{"kind": "rain", "share": 1}], "flags": [True], "first": None}, Whole)
    assert result == Whole((Part("rain", 1.0),), [True])


@pytest.mark.parametrize("contract", [{"type": "object"}, None])
def test_a_contract_is_a_class(contract: Any):
    with pytest.raises(EpochalError, match="accepted: a dataclass"):
        ask(Scripted([GOOD]), ASKED, contract)


def test_what_fits_and_is_still_wrong_is_asked_for_again():
    chat = Scripted(['{"verdict": 1, "reason": ""}', '{"verdict": 0, "reason": ""}'])
    result = ask(chat, ASKED, Verdict, lambda reply: "verdict is too kind" if reply.verdict else None)
    assert result == Verdict(0, "")
    assert "verdict is too kind" in chat.asked[1][0][-1].content


def test_without_pydantic_the_extra_is_named_and_nothing_is_sent(monkeypatch):
    monkeypatch.setattr("epochal.llm.structured._ADAPTERS", {})
    monkeypatch.setitem(sys.modules, "pydantic", None)
    chat = Scripted([GOOD])
    with pytest.raises(MissingExtraError, match=r"epochal\[llm\]"):
        ask(chat, ASKED, Verdict)
    assert chat.asked == []


@given(st.dictionaries(st.text(), st.integers() | st.booleans() | st.text() | st.lists(st.integers())))
def test_what_json_writes_is_read(value):
    assert parse_object(json.dumps(value)) == value
