"""`epochal export`: all documents of an index to a file."""

from __future__ import annotations

import json

import pytest


def test_rows(run, news, tmp_path):
    target = tmp_path / "all.jsonl"
    code, out, err = run("export", news, "-o", target)
    assert (code, out, err) == (0, "", f"{target}: 4 documents\n")
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["raised", "lowered", "zh", "alloy"]
    assert rows[2]["title"] == "鋼鐵關稅"


def test_to_the_output(run, news):
    code, out, err = run("export", news, "-o", "-")
    assert (code, err) == (0, "-: 4 documents\n")
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["raised", "lowered", "zh", "alloy"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere", "-o", "a.jsonl"], "nowhere does not exist"),
        (["{news}"], "the following arguments are required: -o/--out"),
        (["{news}", "-o", "a.pdf"], "documents cannot be exported to 'a.pdf'; accepted: a name that ends in .jsonl"),
        (["{news}", "-o", "."], "cannot write .: it is a folder; name a file in it"),
        (["{news}", "-o", "none/a.jsonl"], "the folder none does not exist"),
    ],
)
def test_mistakes(complaint, news, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    assert message in complaint("export", *(word.format(news=news) for word in words))
