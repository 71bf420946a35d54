"""Answers over HTTP: as the library gives them, whole or as events, with a language model or without."""

from __future__ import annotations

import json
import threading

import pytest

from epochal import Index
from epochal.llm import LlmError
from epochal.server.document_schemas import AnswerModel
from epochal.server.settings import Model
from epochal.times import Span

ASKED = "What happened to steel tariffs in 2003?"


class Scripted:
    """A language model that says one thing, or fails."""

    name = "scripted"

    def __init__(self, reply: str | None) -> None:
        self.reply = reply
        self.asked: list[str] = []

    def complete(self, messages, *, json: bool = False) -> str:
        self.asked.append(messages[-1].content)
        if self.reply is None:
            raise LlmError("the endpoint http://10.0.0.7/v1 cannot be reached: key=hush")
        return self.reply


@pytest.fixture
def scripted(monkeypatch, opened):
    """A service whose language model is a script."""

    def made(reply: str | None):
        chat = Scripted(reply)
        monkeypatch.setattr(Model, "open", lambda self: chat)
        return opened(model=Model("http://localhost:1/v1", "scripted")), chat

    return made


def events(reply) -> list[tuple[str, dict]]:
    assert reply.headers["content-type"].startswith("text/event-stream")
    blocks = [block.split("\n") for block in reply.body.decode().split("\n\n") if block]
    return [(head.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for head, data in blocks]


def test_the_answer_is_that_of_the_library(client, never_changed):
    result = client.post("/api/v1/answer", {"question": ASKED, "k": 2}).json()
    AnswerModel.model_validate(result)
    with Index.open(never_changed) as index:
        expected = index.answer(ASKED, now=Span.parse("2026-11-15"), k=2).to_dict()
    assert result == json.loads(json.dumps(expected))
    assert result["citations"][0]["id"] == "lowered"
    assert result["model"] == ""


def test_as_of_is_passed_on(client):
    result = client.post("/api/v1/answer", {"question": "What does a transfer abroad cost?", "as_of": "2010"}).json()
    assert "fees-3" not in [item["id"] for item in result["citations"]]
    assert result["as_of"] == "2010"


def test_without_a_model_a_stream_is_one_event(client):
    whole = client.post("/api/v1/answer", {"question": ASKED}).json()
    assert events(client.post("/api/v1/answer", {"question": ASKED, "stream": True})) == [("answer", whole)]


def test_what_is_refused_is_no_stream(client):
    for record in (
        {"question": ""},
        {"question": ASKED, "now": "soonish", "stream": True},
        {"question": ASKED, "k": 0},
    ):
        reply = client.post("/api/v1/answer", record)
        assert (reply.status, reply.headers["content-type"]) == (422, "application/problem+json")


CLAIM = {"claims": [{"text": "Tariffs fell.", "citations": [{"number": 1, "quote": "fell last month"}]}], "missing": []}


def test_a_model_writes_after_the_timeline_is_reported(scripted):
    client, chat = scripted(json.dumps(CLAIM))
    (first, timeline), (second, answer) = events(client.post("/api/v1/answer", {"question": ASKED, "stream": True}))
    assert (first, second) == ("timeline", "answer")
    assert (timeline["model"], timeline["claims"]) == ("", [])
    assert answer["model"] == "scripted"
    assert timeline["citations"] == answer["citations"]
    assert len(chat.asked) == 1
    AnswerModel.model_validate(answer)
    assert client.get("/api/v1/info").json()["language_model"] == "scripted"


def test_a_model_that_fails_is_a_problem_without_its_secrets(scripted):
    client, _ = scripted(None)
    whole = client.post("/api/v1/answer", {"question": ASKED})
    assert (whole.status, whole.kind) == (502, "model-failed")
    (first, _), (second, problem) = events(client.post("/api/v1/answer", {"question": ASKED, "stream": True}))
    assert (first, second, problem["status"]) == ("timeline", "problem", 502)
    for text in (whole.body.decode(), json.dumps(problem)):
        assert "10.0.0.7" not in text
        assert "hush" not in text


def test_where_there_is_no_evidence_no_model_is_asked(scripted):
    client, chat = scripted(json.dumps(CLAIM))
    result = client.post("/api/v1/answer", {"question": "What happened in 1850?"}).json()
    assert (result["outcome"], chat.asked) == ("not_covered", [])


def test_models_by_name():
    assert Model("http://localhost:8080/v1", "small").open().name == "small"
    with pytest.raises(ValueError, match="is no language model"):
        Model("small")
    with pytest.raises(ValueError, match="a file holds one model"):
        Model("gguf:model.gguf", "small")


def test_answers_do_not_take_the_places_of_searches(monkeypatch, opened):
    begun, go = threading.Event(), threading.Event()

    class Slow(Scripted):
        def complete(self, messages, *, json: bool = False) -> str:
            begun.set()
            assert go.wait(60)
            return super().complete(messages, json=json)

    monkeypatch.setattr(Model, "open", lambda self: Slow(json.dumps(CLAIM)))
    client = opened(model=Model("http://localhost:1/v1", "scripted"), searches=1)
    query = client.begin(
        "POST",
        "/api/v1/answer",
        headers={"content-type": "application/json"},
        body=json.dumps({"question": ASKED}).encode(),
    )
    assert begun.wait(60)
    assert client.get("/api/v1/search", q=ASKED).status == 200
    go.set()
    assert query.result(60).status == 200
