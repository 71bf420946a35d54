from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from epochal.cli import main
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.cli.bench_rag import format_published
from epochal_lab.datasets.folder import Manifest, write_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet
from openai_server import Answer, Server, make_reply

DOCUMENTS = (
    Document("d1", "Tariffs on steel were raised in May 1998."),
    Document("d2", "Tariffs on steel were lowered in 2003."),
)
QUERIES = (
    BenchQuery(
        "q1", "What happened to steel tariffs in 2003?", None, (Span.year(2003),), annotations={"answer": "lowered"}
    ),
    BenchQuery(
        "q2", "What happened to steel tariffs in 1990?", None, (Span.year(1990),), annotations={"answer": "nothing"}
    ),
)
CONTEXTS = ["--context", "none", "oracle", "bm25", "--abstain"]


@pytest.fixture
def made(tmp_path: Path) -> str:
    qrels = {"q1": {"d2": 1}, "q2": {"d1": 0}}
    write_folder(tmp_path / "set", BenchSet("own", DOCUMENTS, QUERIES, qrels), Manifest("own"))
    return str(tmp_path / "set")


def lowered(body: dict[str, Any]) -> Answer:
    text = body["messages"][-1]["content"]
    reply = "lowered" if "were lowered" in text else "unknown"
    if "<reference>" in text:
        reply = "REASON: compared\nSCORE: " + (
            "100" if "<answer>\nlowered" in text and "lowered\n</ref" in text else "0"
        )
    return make_reply(reply, usage={"prompt_tokens": 10, "completion_tokens": 2})


@pytest.fixture
def server():
    started = Server(lowered)
    yield started
    started.close()


def test_by_rules_nothing_is_needed(made, tmp_path, capsys):
    assert main(["bench", "rag", made, "-o", str(tmp_path / "out"), *CONTEXTS]) == 0
    message = capsys.readouterr()
    rows = {line.split(" | ")[1]: line for line in message.out.splitlines()[2:]}
    assert list(rows) == [
        "none",
        "oracle",
        "oracle, covering or nothing",
        "bm25",
        "bm25, covering or nothing",
    ]
    assert rows["none"].endswith("| 2 | 0 | 0 | 0 | 0.0 | – |")
    assert rows["bm25"].endswith("| 2 | 0 | 2 | 0 | 50.0 | 50.0 |")
    assert rows["bm25, covering or nothing"].endswith("| 2 | 0 | 1 | 1 | 50.0 | 100.0 |")
    assert len(list((tmp_path / "out" / "rag").glob("*.json"))) == 5


def test_an_endpoint_answers_and_grades_and_a_recording_gives_the_same(made, tmp_path, capsys, server):
    calls = tmp_path / "calls.jsonl"
    model = ["--url", server.url, "--model", "small-model", "--record", str(calls)]
    assert main(["bench", "rag", made, "-o", str(tmp_path / "out"), *CONTEXTS, *model]) == 0
    first = capsys.readouterr()
    assert "| oracle | 2 | 0 | 1 | 0 | 50.0 | 100.0 |" in first.out
    assert "replies, 0 retries, 0 failures" in first.err
    assert "tokens sent" in first.err
    query = len(server.calls)
    assert query == len(calls.read_text().splitlines())  # nothing was asked twice
    replay = ["--replay", str(calls)]
    assert main(["bench", "rag", made, "-o", str(tmp_path / "again"), *CONTEXTS, *replay]) == 0
    assert capsys.readouterr().out == first.out
    assert len(server.calls) == query


def test_published_answers_of_a_set_come_below_ours():
    lines = format_published(["tempo/law", "tempo/law", "own"])
    assert len(lines) == 5
    assert lines[1] == "| tempo/law | *gold documents (TEMPO, Table 43)* | | | | | *83.1* | |\n"


def test_tmrl_asks_for_short_answers_with_its_settings(made, tmp_path, capsys, server):
    model = ["--url", server.url, "--model", "small-model", "--protocol", "tmrl", "--json"]
    assert main(["bench", "rag", made, "-o", str(tmp_path / "out"), "--context", "oracle", *model]) == 0
    (message,) = json.loads(capsys.readouterr().out)
    assert message["measures"] == {"f1": 50.0, "em": 50.0}
    assert message["measures_from_documents"] == {"f1": 100.0, "em": 100.0}
    assert (message["questions"], message["from_documents"], message["gaps"]) == (2, 1, 0)
    assert all(call["temperature"] == 0.7 and call["seed"] == 42 for call in server.calls)
    assert len(server.calls) == 2  # words are compared without a judge


def test_a_dry_run_sends_nothing_and_writes_no_answer(made, tmp_path, capsys, server, monkeypatch):
    monkeypatch.setenv("RAIN_KEY", "s3cret")
    model = ["--url", server.url, "--model", "small-model", "--key", "RAIN_KEY", "--dry-run"]
    assert main(["bench", "rag", made, "-o", str(tmp_path / "out"), "--context", "oracle", *model]) == 0
    message = capsys.readouterr()
    assert server.calls == []
    assert message.out.count(f"POST {server.url}/chat/completions") == 2
    assert "(the key in RAIN_KEY)" in message.out
    assert "Tariffs on steel were lowered in 2003." in message.out
    assert "s3cret" not in message.out + message.err
    assert "nothing was sent" in message.err
    assert not (tmp_path / "out" / "rag").exists()


def test_gaps_are_reported(made, tmp_path, capsys):
    broken = Server(lambda _: (400, {}, b"no such model"))
    try:
        model = ["--url", broken.url, "--model", "small-model", "--judge-by-rules", "--most", "1"]
        assert main(["bench", "rag", made, "-o", str(tmp_path / "out"), "--context", "none", *model]) == 0
    finally:
        broken.close()
    message = capsys.readouterr()
    assert "| none | 1 | 1 | 0 | 0 | – | – |" in message.out
    assert "1 of 1 questions have no measure; the first: " in message.err
    assert "no such model" in message.err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--protocol", "squad"], "no protocol is called 'squad'; known: tempo, tmrl"),
        (["--most", "0"], "--most is 0; accepted: 1 or more"),
        (["--dry-run"], "--dry-run shows what is sent to a model"),
        (["--url", "http://localhost:1/v1"], "lacks the name of a model"),
        (["--gguf", "no.gguf"], "no.gguf: the model cannot be read"),
        (["--replay", "no.jsonl"], "there is no recording no.jsonl"),
        (["--context", "no-such-system"], "no system is called 'no-such-system'"),
    ],
)
def test_mistakes_are_one_line(made, tmp_path, capsys, words, problem):
    assert main(["bench", "rag", made, "-o", str(tmp_path / "out"), *words]) == 2
    message = capsys.readouterr().err
    assert problem in message
    assert message.count("\n") == 1


def test_every_key_is_documented(made, tmp_path, capsys, documented_keys):
    assert main(["bench", "rag", made, "-o", str(tmp_path / "out"), "--context", "oracle", "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert documented_keys("bench rag") == list(record)
