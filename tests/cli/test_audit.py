"""`epochal audit`: what is shown, written and returned."""

from __future__ import annotations

import json

import pytest


def test_shown(run, rows_file):
    code, out, err = run("audit", rows_file, "--now", "2026-11-15")
    assert (code, err) == (0, "")
    assert "documents                       4" in out
    assert "error" not in out
    assert "1 documents without any date (25.0%)" in out
    assert "alloy" in out


def test_json_and_pages(run, rows_file, tmp_path):
    page, notes = tmp_path / "report.html", tmp_path / "report.md"
    code, out, err = run("audit", rows_file, "--now", "2026-11-15", "--json", "-o", page, "--md", notes, "--no-search")
    assert code == 0
    record = json.loads(out)
    assert record["facts"]["documents"] == 4
    assert record["findings"][0]["code"] == "undated"
    assert err == f"{page}: written\n{notes}: written\n"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert notes.read_text(encoding="utf-8").startswith("# Audit of ")


@pytest.mark.parametrize(("level", "code"), [("note", 3), ("warning", 3), ("error", 0)])
def test_fail_on(run, rows_file, level, code):
    assert run("audit", rows_file, "--now", "2026-11-15", "--no-search", "--fail-on", level)[0] == code


def test_an_index(run, news):
    code, out, _ = run("audit", news, "--now", "2026-11-15")
    assert code == 0
    assert "documents                       4" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.jsonl"], "there is no such file or folder"),
        (["{rows}", "--now", "someday"], "--now"),
        (["{rows}", "-o", "none/report.html"], "the folder none does not exist"),
        (["{rows}", "--fail-on", "fatal"], "invalid choice: 'fatal'"),
    ],
)
def test_mistakes(complaint, rows_file, words, message):
    assert message in complaint("audit", *(word.format(rows=rows_file) for word in words))
