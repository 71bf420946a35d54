"""Many calls at once against a server that fails now and then: nothing is lost, nothing is sent twice without need."""

from __future__ import annotations

import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from epochal.llm.chat import Ledger, LlmError, Message
from epochal.llm.endpoint import Endpoint, Retries
from epochal.llm.recorded import RecordedChat, Replay
from epochal.llm.structured import ask
from openai_server import Answer, Server, make_reply


@dataclass(frozen=True)
class Verdict:
    verdict: int


LIMIT = 3
WORKERS = 12
#: What the first try of every so many-th question meets; the second goes well, but for those that never do.
KINDS = ("well", "too many", "fault", "cut", "garbled", "hopeless", "refused")
FAILURES: dict[str, Answer] = {
    "too many": (429, {"Retry-After": "2"}, b"{}"),
    "fault": (500, {}, b""),
    "cut": (200, {"Content-Length": "5000"}, b'{"choices"'),
    "garbled": (200, {}, b"<html>busy</html>"),
    "hopeless": (503, {}, b""),
    "refused": (400, {}, b"no"),
}
QUESTIONS = [f"question {number} {KINDS[number % len(KINDS)]}" for number in range(42)]


class Watched:
    """The places of an endpoint, watched: who has asked for one, and how many have one at once."""

    def __init__(self, places: threading.BoundedSemaphore) -> None:
        self.most = 0
        self._places = places
        self._requests = self._inside = 0
        self._changed = threading.Condition()

    def __enter__(self) -> None:
        with self._changed:
            self._requests += 1
            self._changed.notify_all()
        self._places.acquire()
        with self._changed:
            self._inside += 1
            self.most = max(self.most, self._inside)

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._inside -= 1
        self._places.release()

    def wait_for(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self._requests >= count, timeout=120)


class Troubled:
    """Answers by the kind that a question names; the first calls wait until as many as allowed are there, and until
    `crowd`, where a test sets one, has come: all others that could send something if nothing held them back.
    """

    def __init__(self, at_once: int) -> None:
        self.tries: Counter[str] = Counter()
        self.crowd = lambda: None
        self._lock = threading.Lock()
        self._full = threading.Barrier(at_once)
        self._early = at_once

    def __call__(self, body: dict[str, Any]) -> Answer:
        text = body["messages"][-1]["content"]
        kind = text.split(" ", 2)[2]
        with self._lock:
            self.tries[text] += 1
            first = self.tries[text] == 1
            waits, self._early = self._early > 0, self._early - 1
        if waits:
            self._full.wait(120)  # breaks, and so fails, where fewer come at once
            self.crowd()
        if kind in ("hopeless", "refused") or (first and kind != "well"):
            return FAILURES[kind]
        return make_reply(f"reply to {text}", usage={"prompt_tokens": 5, "completion_tokens": 3})


@pytest.fixture
def troubled():
    answer = Troubled(LIMIT)
    server = Server(answer)
    yield answer, server
    server.close()


def complete_or_error(chat, text: str) -> str | LlmError:
    try:
        return chat.complete([Message("user", text)])
    except LlmError as error:
        return error


def test_no_record_is_lost_and_no_more_calls_than_allowed_are_under_way(tmp_path, troubled):
    answer, server = troubled
    waits: list[float] = []
    ledger = Ledger()
    endpoint = Endpoint(
        server.url,
        "small-model",
        timeout=120.0,
        retries=Retries(most=2),
        concurrency=LIMIT,
        ledger=ledger,
        sleep=waits.append,
    )
    watched = Watched(endpoint._places)
    object.__setattr__(endpoint, "_places", watched)
    answer.crowd = lambda: watched.wait_for(WORKERS)
    path = tmp_path / "calls.jsonl"
    recorded = RecordedChat(endpoint, path)
    with ThreadPoolExecutor(WORKERS) as pool:
        result = dict(zip(QUESTIONS, pool.map(lambda text: complete_or_error(recorded, text), QUESTIONS), strict=True))

    assert watched.most == server.most_at_once == LIMIT
    good = [text for text in QUESTIONS if not text.endswith(("hopeless", "refused"))]
    assert {text: reply for text, reply in result.items() if isinstance(reply, str)} == {
        text: f"reply to {text}" for text in good
    }
    for text in set(QUESTIONS) - set(good):
        expected = "gave no reply in 3 tries: status 503" if "hopeless" in text else "refuses the call: status 400, no"
        assert expected in str(result[text])

    tries = {"well": 1, "hopeless": 3, "refused": 1}
    assert answer.tries == {text: tries.get(text.split(" ", 2)[2], 2) for text in QUESTIONS}
    used = ledger.total()
    assert (used.replies, used.failures, used.retries) == (30, 12, 4 * 6 + 2 * 6)
    assert (used.prompt_tokens, used.completion_tokens) == (150, 90)
    assert len(waits) == used.retries
    assert sum(wait == 2.0 for wait in waits) == 6  # as long as the server asked

    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert sorted(line["messages"][0]["content"] for line in lines) == sorted(good)
    replay = Replay(path)
    assert [replay.complete([Message("user", text)]) for text in good] == [f"reply to {text}" for text in good]


def test_a_second_run_asks_only_for_what_is_missing(tmp_path, troubled):
    answer, server = troubled
    endpoint = Endpoint(server.url, "small-model", retries=Retries(most=1), concurrency=LIMIT, sleep=lambda _: None)
    for _ in range(2):
        with ThreadPoolExecutor(LIMIT) as pool:
            list(
                pool.map(
                    lambda text: complete_or_error(RecordedChat(endpoint, tmp_path / "calls.jsonl"), text),
                    QUESTIONS[:14],
                )
            )
    again = {text: count for text, count in answer.tries.items() if text.endswith(("hopeless", "refused"))}
    assert set(again.values()) == {4, 2}  # two tries in each run, and one
    assert all(count <= 2 for text, count in answer.tries.items() if text not in again)


def test_slow_replies_are_asked_for_again_and_recorded_once(tmp_path):
    tries: Counter[str] = Counter()
    lock = threading.Lock()

    def slow_at_first(body: dict[str, Any]) -> Answer:
        text = body["messages"][-1]["content"]
        with lock:
            tries[text] += 1
            late = tries[text] == 1 and text.endswith(("0", "5"))
        if late:
            server.released.wait(120)
        return make_reply(f"reply to {text}")

    server = Server(slow_at_first)
    try:
        retries = Retries(most=100)  # also sound replies may be late on a busy machine
        endpoint = Endpoint(
            server.url, "small-model", timeout=0.5, retries=retries, concurrency=4, sleep=lambda _: None
        )
        recorded = RecordedChat(endpoint, tmp_path / "calls.jsonl")
        texts = [f"question {number}" for number in range(10)]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda text: complete_or_error(recorded, text), texts)) == [
                f"reply to {text}" for text in texts
            ]
    finally:
        server.close()
    assert min(tries["question 0"], tries["question 5"]) >= 2
    assert len((tmp_path / "calls.jsonl").read_text().splitlines()) == 10


def test_a_reply_of_the_wrong_form_is_mended_over_http_and_both_calls_are_kept(tmp_path):

    def forgetful(body: dict[str, Any]) -> Answer:
        assert body["response_format"] == {"type": "json_object"}
        return make_reply("Yes, it does." if len(body["messages"]) == 1 else '{"verdict": 1}')

    server = Server(forgetful)
    try:
        recorded = RecordedChat(Endpoint(server.url, "small-model"), tmp_path / "calls.jsonl")
        assert ask(recorded, [Message("user", "Does it help?")], Verdict) == Verdict(1)
    finally:
        server.close()
    assert ask(Replay(tmp_path / "calls.jsonl"), [Message("user", "Does it help?")], Verdict) == Verdict(1)
    assert len((tmp_path / "calls.jsonl").read_text().splitlines()) == 2
