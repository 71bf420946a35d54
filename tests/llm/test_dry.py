from __future__ import annotations

import pytest

from epochal.llm.chat import Chat, LlmError, Message
from epochal.llm.endpoint import Endpoint
from epochal.llm.recorded import RecordedChat
from epochal.llm.registry import DryRun, NotSentError
from openai_server import Server, make_reply
from scripted_chats import Scripted

RAIN = [Message("user", "Rain?")]


def test_nothing_is_sent_and_everything_is_shown(monkeypatch):
    monkeypatch.setenv("RAIN_KEY", "s3cret")
    server = Server(lambda _: make_reply("Yes."))
    output: list[str] = []
    try:
        dry = DryRun(Endpoint(server.url, "small-model", "RAIN_KEY"), output.append)
        assert isinstance(dry, Chat)
        with pytest.raises(NotSentError, match="nothing was sent to small-model: this is a dry run"):
            dry.complete(RAIN, json=True)
    finally:
        server.close()
    assert server.calls == []
    assert "Rain?" in output[0]
    assert '"json_object"' in output[0]
    assert "s3cret" not in output[0]


def test_a_key_that_is_not_set_does_not_hinder_a_dry_run(monkeypatch):
    monkeypatch.delenv("RAIN_KEY", raising=False)
    with pytest.raises(NotSentError):
        DryRun(Endpoint("http://localhost:1/v1", "small-model", "RAIN_KEY"), lambda _: None).complete(RAIN)


def test_what_is_recorded_need_not_be_sent(tmp_path):
    path = tmp_path / "calls.jsonl"
    RecordedChat(Scripted(["Yes."], "small-model"), path).complete(RAIN)
    output: list[str] = []
    again = RecordedChat(DryRun(Scripted([], "small-model"), output.append), path)
    assert again.complete(RAIN) == "Yes."
    assert output == []
    with pytest.raises(LlmError):
        again.complete([Message("user", "Snow?")])
    assert output == ['{"model": "small-model", "messages": [{"role": "user", "content": "Snow?"}]}']
    assert len(path.read_text().splitlines()) == 1
