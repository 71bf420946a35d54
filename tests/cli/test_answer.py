"""`epochal answer`: what it prints, its JSON, what it sends and to whom, and one line for each mistake."""

from __future__ import annotations

import json

import pytest

NOW = ("--now", "2026-11-15")
ASKED = "What happened to steel tariffs in 2003?"


def record(run, *words) -> dict:
    code, out, err = run("answer", *words, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_what_a_person_reads(run, news):
    code, out, err = run("answer", news, ASKED, *NOW)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"question    {ASKED}"
    assert lines[1] == "seen        Asked on 15 November 2026; the newest record it could see is of 3 July 2003."
    assert lines[3] == "2003"
    assert lines[4] == "  2003-06     Tariffs on steel fell last month. [1]"
    assert "  [1: Lower tariffs, 2003-06] lowered" in lines
    assert "\x1b" not in out


def test_json_is_the_answer(run, news):
    result = record(run, news, ASKED, *NOW)
    assert result["outcome"] == "recorded"
    assert result["now"] == "2026-11-15"
    assert result["citations"][0]["id"] == "lowered"
    assert result["model"] == ""


def test_as_of(run, news):
    result = record(run, news, "steel tariffs", *NOW, "--as-of", "2001")
    assert result["as_of"] == "2001"
    assert [item["id"] for item in result["citations"]] == ["raised"]


def test_a_time_that_is_not_covered(run, news):
    code, out, _ = run("answer", news, "What happened to steel tariffs in 1850?", *NOW)
    assert code == 0
    assert "Not covered: the records, which reach from May 1998 to July 2003, have none of 1850." in out


def test_nothing_is_found(run, news):
    _, out, _ = run("answer", news, "zebras", *NOW)
    assert "No document was found." in out


def test_a_dry_run_shows_what_would_be_sent_and_sends_nothing(run, news):
    there = ("--llm", "http://127.0.0.1:9/v1", "--model", "small-model", "--key", "NO_SUCH_KEY")
    code, out, err = run("answer", news, ASKED, *NOW, *there, "--dry-run")
    assert (code, err) == (0, "")
    assert out.startswith("POST http://127.0.0.1:9/v1/chat/completions")
    assert "Tariffs on steel fell last month." in out
    assert "Tariffs on steel were raised" not in out, "what is of another time is not sent"
    code, out, err = run("answer", news, "tariffs in 1850", *NOW, *there, "--dry-run")
    assert (code, out, err) == (0, "nothing would be sent: there is no evidence to answer from\n", "")
    code, out, _ = run("answer", news, ASKED, *NOW, "--dry-run")
    assert (code, out) == (0, "nothing would be sent: no language model is named (--llm)\n")


def recorded(tmp_path, news, reply: dict):
    """A recording of a model that was asked this."""
    from epochal.answers import answer
    from epochal.api import Index
    from epochal.llm import RecordedChat
    from scripted_chats import Scripted

    path = tmp_path / "calls.jsonl"
    with Index.open(news) as index:
        answer(index, ASKED, now="2026-11-15", llm=RecordedChat(Scripted([json.dumps(reply)]), path))
    return path


def test_a_recording_is_replayed(run, tmp_path, news):
    report = {"text": "Tariffs fell in June 2003.", "citations": [{"number": 1, "quote": "Tariffs on steel fell"}]}
    wrong = {"text": "They rose.", "citations": [{"number": 1, "quote": "Tariffs rose"}]}
    path = recorded(tmp_path, news, {"claims": [report, wrong], "missing": ["By how much."]})
    code, out, err = run("answer", news, ASKED, *NOW, "--llm", f"replay:{path}")
    assert (code, err) == (0, "")
    assert "written by  scripted" in out
    assert "Tariffs fell in June 2003. [1]" in out
    assert "“Tariffs on steel fell” [1]" in out
    assert "missing     By how much." in out
    assert "left out    They rose. (no citation of it holds up)" in out
    result = record(run, news, ASKED, *NOW, "--llm", f"replay:{path}", "--model", "scripted")
    assert [item["text"] for item in result["claims"]] == ["Tariffs fell in June 2003."]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--llm", "small-model"), "--llm 'small-model' is no language model; accepted: the address of an endpoint"),
        (("--llm", "ftp://host/v1"), "--llm 'ftp://host/v1' is no language model"),
        (("--llm", "http://127.0.0.1:9/v1"), "lacks the name of a model"),
        (("--llm", "replay:no/such.jsonl"), "there is no recording no/such.jsonl"),
        (("--llm", "gguf:no.gguf", "--model", "m"), "a file holds one model"),
        (("--as-of", "soonish"), "--as-of"),
        (("-k", "0"), "k must be from 1"),
    ],
)
def test_mistakes(complaint, news, words, message):
    assert message in complaint("answer", news, ASKED, *NOW, *words)


def test_an_index_that_is_not_there(complaint, tmp_path):
    assert "make an index with" in complaint("answer", tmp_path / "none", ASKED)
