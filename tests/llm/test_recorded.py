from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import InputError
from epochal.llm.chat import LlmError, Message, NotRecordedError
from epochal.llm.recorded import RecordedChat, Recording, Replay, hash_call
from scripted_chats import FailingChat, Scripted

RAIN = [Message("user", "Rain?")]


def number(messages):
    return f"reply to {messages[-1].content}"


def test_a_call_is_made_once_and_replayed_without_the_chat(tmp_path):
    chat = Scripted(number)
    recorded = RecordedChat(chat, tmp_path / "a" / "calls.jsonl")
    assert [recorded.complete(RAIN, json=True) for _ in range(3)] == ["reply to Rain?"] * 3
    assert len(chat.asked) == 1
    assert chat.asked[0][1] is True
    assert Replay(tmp_path / "a" / "calls.jsonl").complete(RAIN, json=True) == "reply to Rain?"


def test_what_differs_is_another_call(tmp_path):
    recorded = RecordedChat(Scripted(number), tmp_path / "calls.jsonl")
    recorded.complete(RAIN)
    replay = Replay(tmp_path / "calls.jsonl")
    for messages, as_json in ((RAIN, True), ([Message("system", "Rain?")], False), ([*RAIN, *RAIN], False)):
        with pytest.raises(NotRecordedError, match="holds no reply of scripted to 'Rain\\?'"):
            replay.complete(messages, json=as_json)
    with pytest.raises(NotRecordedError):
        Replay(tmp_path / "calls.jsonl", "another").complete(RAIN)


def test_failures_are_not_kept(tmp_path):
    recorded = RecordedChat(FailingChat(Scripted(number), every=2), tmp_path / "calls.jsonl")
    recorded.complete(RAIN)
    with pytest.raises(LlmError, match="call 2 failed"):
        recorded.complete([Message("user", "Snow?")])
    assert recorded.complete([Message("user", "Snow?")]) == "reply to Snow?"
    assert len(Recording(tmp_path / "calls.jsonl")) == 2


def test_an_unfinished_line_is_no_part_of_a_recording_and_goes_with_the_next_call(tmp_path):
    path = tmp_path / "calls.jsonl"
    recorded = RecordedChat(Scripted(number), path)
    recorded.complete(RAIN)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    again = RecordedChat(Scripted(number), path)
    assert len(again.recording) == 1
    again.complete([Message("user", "Snow?")])
    assert path.read_bytes().startswith(whole)
    assert [json.loads(line)["reply"] for line in path.read_text().splitlines()] == ["reply to Rain?", "reply to Snow?"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "the line is no recorded call"),
        ('{"key": "a"}', "the line is no recorded call"),
        ("7", "the line is no recorded call"),
        (json.dumps({"key": "", "model": "a", "json": False, "messages": [], "reply": 1}), "no text"),
        (json.dumps({"key": "", "model": "a", "json": False, "messages": [], "reply": ""}), "the line was changed"),
        (
            json.dumps(
                {"key": "", "model": "a", "json": False, "messages": [{"role": "x", "content": ""}], "reply": ""}
            ),
            "no role is called 'x'",
        ),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path, line, problem):
    path = tmp_path / "calls.jsonl"
    RecordedChat(Scripted(number), path).complete(RAIN)
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(InputError, match=f"calls.jsonl, line 2: .*{problem}") as caught:
        Recording(path)
    assert "\n" not in str(caught.value)


def test_a_reply_that_was_edited_with_its_question_is_seen(tmp_path):
    path = tmp_path / "calls.jsonl"
    RecordedChat(Scripted(number), path).complete(RAIN)
    path.write_text(path.read_text().replace("Rain?", "Snow?"))
    with pytest.raises(InputError, match="its key is not that of its call"):
        Replay(path)


def test_a_replay_needs_a_recording_and_a_name_where_there_are_several(tmp_path):
    with pytest.raises(LlmError, match="there is no recording"):
        Replay(tmp_path / "none.jsonl")
    path = tmp_path / "calls.jsonl"
    for name in ("a", "b"):
        RecordedChat(Scripted(number, name), path).complete(RAIN)
    with pytest.raises(LlmError, match="is of 2 models; name one of them: a, b"):
        Replay(path)
    assert Replay(path, "b").complete(RAIN) == "reply to Rain?"


def test_a_folder_is_no_recording(tmp_path):
    with pytest.raises(LlmError, match="cannot be read"):
        Recording(tmp_path)


def test_threads_and_other_recorders_lose_no_call(tmp_path):
    path = tmp_path / "calls.jsonl"
    recorders = [RecordedChat(Scripted(number), path) for _ in range(2)]

    def work(start: int) -> None:
        for at in range(start, 200, 4):
            recorders[start % 2].complete([Message("user", str(at))])

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    replay = Replay(path)
    assert [replay.complete([Message("user", str(at))]) for at in range(200)] == [f"reply to {at}" for at in range(200)]


def test_two_threads_with_one_call_hear_the_same(tmp_path):
    replies = iter(range(1000))
    recorded = RecordedChat(Scripted(lambda _: str(next(replies))), tmp_path / "calls.jsonl")
    heard: list[str] = []
    threads = [threading.Thread(target=lambda: heard.append(recorded.complete(RAIN))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(heard)) == 1
    assert Replay(tmp_path / "calls.jsonl").complete(RAIN) == heard[0]


KILLED = """
import sys
from epochal.llm.chat import Message
from epochal.llm.recorded import Recording
kept = Recording(sys.argv[1])
for at in range(10**9):
    kept.add("a", [Message("user", str(at))], False, "x" * 5000)
    print(at, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9")
def test_what_was_recorded_before_a_kill_is_there(tmp_path):
    path = tmp_path / "calls.jsonl"
    with subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        message = [int(process.stdout.readline()) for _ in range(50)]
        process.send_signal(signal.SIGKILL)
    retained = Recording(path)
    assert len(retained) >= 50
    assert all(retained.find("a", [Message("user", str(at))], False) == "x" * 5000 for at in message)


@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), st.text())), st.booleans(), st.text())
def test_any_text_can_be_recorded(tmp_path_factory, message, as_json, reply):
    path = tmp_path_factory.mktemp("any") / "calls.jsonl"
    messages = [Message(role, content) for role, content in message]
    Recording(path).add("a", messages, as_json, reply)
    assert Recording(path).find("a", messages, as_json) == reply


def test_half_a_character_has_a_key(tmp_path):
    messages = [Message("user", "\ud800")]
    Recording(tmp_path / "calls.jsonl").add("a", messages, False, "\ud800")
    assert Recording(tmp_path / "calls.jsonl").find("a", messages, False) == "\ud800"


def test_keys_do_not_run_together():
    assert hash_call("a", [Message("user", "bc")], False) != hash_call("ab", [Message("user", "c")], False)
    two = [Message("user", "a"), Message("user", "b")]
    assert hash_call("x", two, False) != hash_call("x", [Message("user", "ab")], False)
