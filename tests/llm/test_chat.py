from __future__ import annotations

import pytest

from epochal.errors import EpochalError, UnknownNameError
from epochal.llm import Chat, Endpoint, LlmError, Message, RecordedChat, Replay
from epochal.llm.chat import NotRecordedError, StructureError


def test_errors_are_those_of_the_house():
    assert issubclass(LlmError, EpochalError)
    assert issubclass(NotRecordedError, LlmError)
    assert issubclass(StructureError, LlmError)


def test_a_role_is_one_of_three():
    with pytest.raises(UnknownNameError, match="no role is called 'wizard'; known: system, user, assistant"):
        Message("wizard", "Rain?")  # type: ignore[arg-type]


def test_what_claims_to_be_a_chat_is_one(tmp_path):
    endpoint = Endpoint("http://localhost:1/v1", "small-model")
    recorded = RecordedChat(endpoint, tmp_path / "calls.jsonl")
    recorded.recording.add("small-model", [Message("user", "Rain?")], False, "Yes.")
    for chat in (endpoint, recorded, Replay(tmp_path / "calls.jsonl")):
        assert isinstance(chat, Chat)
        assert chat.name == "small-model"
    assert not isinstance(object(), Chat)
