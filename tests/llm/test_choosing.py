from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal.llm.chat import Message
from epochal.llm.endpoint import Endpoint
from epochal.llm.recorded import RecordedChat, Recording, Replay
from epochal.llm.registry import DryRun, NotSentError, open_chat

URL = "http://localhost:1/v1"
RAIN = [Message("user", "Rain?")]


def test_nothing_is_asked_unless_it_is_named():
    with pytest.raises(EpochalError, match="no language model is named; accepted: an endpoint"):
        open_chat(model="small-model", key="RAIN_KEY")


def test_an_endpoint_needs_a_model():
    with pytest.raises(EpochalError, match="the endpoint http://localhost:1/v1 lacks the name of a model"):
        open_chat(url=URL)


def test_one_of_them_is_named(tmp_path):
    with pytest.raises(EpochalError, match="url and replay each name a language model; accepted: one of them"):
        open_chat(url=URL, model="small-model", replay=tmp_path / "calls.jsonl")
    with pytest.raises(EpochalError, match="a replayed recording is not recorded again"):
        open_chat(replay=tmp_path / "calls.jsonl", record=tmp_path / "calls.jsonl")


def test_settings_reach_the_endpoint():
    chat = open_chat(url=URL, model="small-model", key="RAIN_KEY", temperature=0.7, extra={"top_p": 0.8}, concurrency=2)
    assert isinstance(chat, Endpoint)
    assert (chat.key_variable, chat.concurrency, chat.temperature) == ("RAIN_KEY", 2, 0.7)
    assert chat.name == 'small-model {"temperature": 0.7, "top_p": 0.8}'


def test_a_recording_is_replayed_or_kept(tmp_path):
    path = tmp_path / "calls.jsonl"
    Recording(path).add("small-model", RAIN, False, "Yes.")
    assert isinstance(open_chat(replay=path), Replay)
    retained = open_chat(url=URL, model="small-model", record=path)
    assert isinstance(retained, RecordedChat)
    assert retained.complete(RAIN) == "Yes."


def test_a_dry_run_shows_only_what_is_not_recorded(tmp_path):
    path = tmp_path / "calls.jsonl"
    Recording(path).add("small-model", RAIN, False, "Yes.")
    output: list[str] = []
    chat = open_chat(url=URL, model="small-model", record=path, dry_run=output.append)
    assert chat.complete(RAIN) == "Yes."
    assert output == []
    with pytest.raises(NotSentError):
        chat.complete([Message("user", "Snow?")])
    assert len(output) == 1
    assert isinstance(open_chat(url=URL, model="small-model", dry_run=output.append), DryRun)


def test_a_model_in_a_file_is_read_at_once(tmp_path):
    with pytest.raises(EpochalError, match=r"no\.gguf: the model cannot be read"):
        open_chat(gguf=tmp_path / "no.gguf")
