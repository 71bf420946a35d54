from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.llm.chat import LlmError, Message, StructureError
from epochal.llm.structured import ask, find_problem, parse_object
from scripted_chats import Scripted

VERDICT = {
    "type": "object",
    "properties": {"verdict": {"type": "integer", "enum": [0, 1]}, "reason": {"type": "string"}},
    "required": ["verdict", "reason"],
}
GOOD = '{"verdict": 1, "reason": "dated"}'
ASKED = [Message("user", "Does it help?")]


def test_a_good_reply_is_asked_for_once():
    chat = Scripted([GOOD])
    assert ask(chat, ASKED, VERDICT) == {"verdict": 1, "reason": "dated"}
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
        ('{"verdict": 0, "verdict": 1, "reason": ""}', "'verdict' is said twice"),
        ('{"verdict": NaN, "reason": ""}', "NaN is no JSON"),
        ('[{"verdict": 1, "reason": ""}]', "accepted: one JSON object"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_reply_is_asked_for_once_more_and_then_reported(reply, problem):
    mended = Scripted([reply, GOOD])
    assert ask(mended, ASKED, VERDICT)["verdict"] == 1
    again = mended.asked[1][0]
    assert [message.role for message in again] == ["user", "assistant", "user"]
    assert again[1].content == reply
    assert problem in again[2].content
    chat = Scripted([reply, reply, GOOD])
    with pytest.raises(StructureError) as caught:
        ask(chat, ASKED, VERDICT)
    assert problem in str(caught.value)
    assert caught.value.replies == (reply, reply)
    assert len(chat.asked) == 2


def test_a_failure_of_the_chat_is_its_own():
    def fail(_):
        raise LlmError("no line")

    with pytest.raises(LlmError, match=r"^no line$"):
        ask(Scripted(fail), ASKED, VERDICT)


@pytest.mark.parametrize("fenced", ["```json\n{}\n```", "```\n{}\n```", "  ```JSON\n{}\n```\n"])
def test_a_fence_around_the_whole_reply_is_taken_off(fenced):
    assert parse_object(fenced) == {}


def test_text_around_a_fence_is_not_taken_off():
    with pytest.raises(EpochalError, match="not JSON"):
        parse_object("Here it is:\n```json\n{}\n```")


@pytest.mark.parametrize(
    ("value", "schema", "problem"),
    [
        ([1, 2], {"type": "array", "maxItems": 1}, "the reply has 2 items; accepted: 0 to 1"),
        ([], {"type": "array", "minItems": 1}, "the reply has 0 items; accepted: 1 or more"),
        ([1], {"type": "array", "minItems": 2, "maxItems": 2}, "the reply has 1 items; accepted: 2"),
        (
            {"a": {"b": 1}},
            {"properties": {"a": {"properties": {"b": {"type": "string"}}}}},
            "a.b is 1; accepted: string",
        ),
        (1, {"enum": [True]}, "the reply is 1; accepted: true"),
        (1.5, {"type": "integer"}, "the reply is 1.5; accepted: integer"),
        ("x" * 100, {"type": "number"}, f'the reply is "{"x" * 36}...; accepted: number'),
    ],
)
def test_what_is_wrong_is_named(value, schema, problem):
    assert find_problem(value, schema) == problem


def test_a_schema_says_nothing_that_is_not_checked():
    with pytest.raises(EpochalError, match="a schema has 'format'"):
        find_problem("a", {"type": "string", "format": "date"})


@pytest.mark.parametrize(
    ("value", "schema", "problem"),
    [
        (1.2, {"minimum": 0, "maximum": 1}, "the reply is 1.2; accepted: numbers from 0 to 1"),
        (-1, {"minimum": 0}, "the reply is -1; accepted: numbers from 0"),
        (0, {"minimum": 0, "maximum": 1}, None),
        (1, {"minimum": 0, "maximum": 1}, None),
        ("199", {"pattern": r"\d{4}"}, r'the reply is "199"; accepted: texts such as match \d{4}'),
        ("19981", {"pattern": r"\d{4}"}, r'the reply is "19981"; accepted: texts such as match \d{4}'),
        ("1998", {"pattern": r"\d{4}"}, None),
    ],
)
def test_bounds_and_patterns(value, schema, problem):
    assert find_problem(value, schema) == problem


def test_what_fits_and_is_still_wrong_is_asked_for_again():
    chat = Scripted(['{"verdict": 1}', '{"verdict": 0}'])
    kind = {"type": "object", "required": ["verdict"]}
    found = ask(chat, [Message("user", "?")], kind, lambda told: "verdict is too kind" if told["verdict"] else None)
    assert found == {"verdict": 0}
    assert "verdict is too kind" in chat.asked[1][0][-1].content


@given(st.dictionaries(st.text(), st.integers() | st.booleans() | st.text() | st.lists(st.integers())))
def test_what_json_writes_is_read(value):
    assert parse_object(json.dumps(value)) == value
    assert find_problem(value, {"type": "object"}) is None
