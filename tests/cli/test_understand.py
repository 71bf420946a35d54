"""`epochal understand`: the contract of its JSON, and one line for each mistake."""

from __future__ import annotations

import io
import json

import pytest

from epochal.cli import main


def run(capsys, *words):
    code = main(["understand", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_text_as_json(capsys):
    code, out, _ = run(capsys, "How have fees changed since 2017?", "--now", "2026-11-15", "--json")
    record = json.loads(out)
    assert code == 0
    assert list(record)[:6] == ["intent", "temporal_class", "recency", "constraints", "periods", "order"]
    assert list(record)[6:9] == ["as_of", "plan", "not_understood"]
    assert [period["span"] for period in record["periods"]] == ["2017", "2026"]
    assert record["constraints"][0]["relation"] == "since"
    assert record["constraints"][0]["evidence"]["text"] == "2017"
    assert record["cross_period"] is True


def test_text_for_people(capsys):
    code, out, _ = run(capsys, "Who ruled Egypt in 44 BCE?", "--now", "2026-11-15")
    assert code == 0
    assert "constraint  during -0043 (44 BCE), content\n" in out
    assert "recency     Never (never stale)\n" in out


def test_the_clock_serves_a_text_without_now(capsys):
    code, out, _ = run(capsys, "who won last year", "--json")
    assert code == 0
    assert json.loads(out)["constraints"]


def test_lines_of_json(capsys, tmp_path):
    rows = [
        {"text": "who won last year", "now": "2013-05-01"},
        {"query": "2013 nfl schedule", "class": "Future"},
        {"question": "What is a Merkle tree?"},
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    code, out, _ = run(capsys, "--jsonl", str(path), "--now", "2013-06-01", "--json")
    first, second, third = map(json.loads, out.splitlines())
    assert code == 0
    assert first["constraints"][0]["span"] == "2012"
    assert second["temporal_class"] == "future"
    assert third["is_temporal"] is False


def test_lines_are_never_read_against_the_clock(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO('{"text": "How have rents changed since 2017?"}\n'))
    code, out, _ = run(capsys, "--jsonl", "-")
    assert code == 0
    assert [period["span"] for period in json.loads(out)["periods"]] == ["2017", "2018/.."]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 1: not JSON"),
        ("[1]", 'line 1: no question; a row needs "text", "query" or "question"'),
        ('{"text": 3}', "line 1: no question"),
        ('{"text": "a", "now": "soonish"}', "'soonish' is not a time"),
    ],
)
def test_bad_rows_are_named(capsys, tmp_path, line, problem):
    path = tmp_path / "in.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    code, _, err = run(capsys, "--jsonl", str(path))
    assert code == 2
    assert problem in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "either TEXT or --jsonl IN"),
        (("a", "--jsonl", "b"), "either TEXT or --jsonl IN"),
        (("--jsonl", "no/such/file"), "cannot be read as JSON lines"),
        (("a", "--now", "soonish"), "'soonish' is not a time"),
    ],
)
def test_mistakes_are_one_line(capsys, words, problem):
    code, _, err = run(capsys, *words)
    assert code == 2
    assert problem in err
    assert err.count("\n") == 1
