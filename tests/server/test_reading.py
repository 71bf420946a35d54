"""Understanding, tagging and `when` over HTTP tell what the command line tells."""

from __future__ import annotations

import json

import pytest

from epochal.cli import main
from epochal.reading.questions import understand
from epochal.reading.tagger import tag
from epochal.server.search_schemas import TagModel, UnderstandingModel, WhenModel
from epochal.times import Span

NOW = Span.parse("2026-11-15")


def test_understanding_is_that_of_the_library(client):
    result = client.get("/api/v1/understand", q="How have fees changed since 2017?", now="2020")
    UnderstandingModel.model_validate(result.json())
    window = understand("How have fees changed since 2017?", Span.year(2020)).to_dict()
    assert result.json() == json.loads(json.dumps(window))


def test_the_clock_is_the_present_of_a_question(client):
    (period,) = client.get("/api/v1/understand", q="who won last year").json()["periods"]
    assert period["span"] == "2025"


def test_a_text_is_tagged_in_the_address_and_in_a_body(client):
    text = "Sold in early May 1998, bought two years later. 去年5月."
    result = client.get("/api/v1/tag", text=text, dct="1999-06-02").json()
    TagModel.model_validate(result)
    assert result == client.post("/api/v1/tag", {"text": text, "dct": "1999-06-02"}).json()
    assert result["expressions"] == [item.to_dict() for item in tag(text, Span.parse("1999-06-02"))]


def test_events_and_language_are_passed_on(client):
    without = client.post("/api/v1/tag", {"text": "after the Korean War"}).json()
    named = client.post("/api/v1/tag", {"text": "after the Korean War", "events": True}).json()
    assert len(named["expressions"]) > len(without["expressions"])
    assert client.post("/api/v1/tag", {"text": "去年5月 and 1998", "lang": "zh"}).status == 200
    assert client.post("/api/v1/tag", {"text": "x", "lang": "klingon"}).status == 422


@pytest.mark.parametrize(
    "text", ["Meiji 10", "魯隱公元年十二月", "44 BCE", "永和元年", "1984~/2004-06", "2001/..", "last year"]
)
def test_when_tells_what_the_command_tells(client, capsys, text):
    result = client.get("/api/v1/when", expr=text, now="2026-11-15").json()
    WhenModel.model_validate(result)
    assert main(["when", text, "--now", "2026-11-15", "--json"]) == 0
    assert result == json.loads(capsys.readouterr().out)


def test_when_takes_a_calendar(client):
    (matches,) = client.get("/api/v1/when", expr="1752-09-02", calendar="julian").json()["readings"]
    assert matches["edtf"] == "1752-09-13"
    assert "no calendar is called" in client.get("/api/v1/when", expr="1752", calendar="../x").json()["detail"]


@pytest.mark.parametrize("path", ["/api/v1/understand", "/api/v1/tag", "/api/v1/when"])
def test_what_is_missing_is_named(client, path):
    reply = client.get(path)
    assert reply.status == 422
    assert reply.json()["errors"][0]["problem"] == "Field required"


def test_words_that_are_no_time_are_refused(client):
    reply = client.get("/api/v1/when", expr="soonish")
    assert (reply.status, "'soonish' is not a time" in reply.json()["detail"]) == (422, True)


def test_expressions_are_those_of_the_command(client, capsys, tmp_path):
    (tmp_path / "text.txt").write_text("in 1998", encoding="utf-8")
    assert main(["tag", str(tmp_path / "text.txt")]) == 0
    assert client.get("/api/v1/tag", text="in 1998").json()["expressions"] == [json.loads(capsys.readouterr().out)]
