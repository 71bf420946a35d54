"""`epochal train re3-times`: labelling texts, and training on what was labelled."""

from __future__ import annotations

import gzip
import json

import pytest

from epochal.cli import main
from epochal_lab.models.backbone import Backbone
from epochal_lab.models.re3.times.labels import NONE, read_rows
from epochal_lab.models.re3.times.model import TimeExtractor

TEXTS = [
    {"text": "The old bridge was rebuilt in 1998. It spans the quiet river below the town."},
    {"question": "Who owned the bridge in March 2003, and what did it cost?"},
    {"text": "The measured bridge was painted on 4 July 2014."},
]


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(map(json.dumps, TEXTS)), encoding="utf-8")
    return path


@pytest.fixture
def measured(tmp_path):
    folder = tmp_path / "measured"
    folder.mkdir()
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "Was it painted?"}\n', encoding="utf-8")
    row = {"_id": "d", "title": "", "text": "The measured bridge was painted on 4 July 2014. It shone."}
    (folder / "corpus.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return folder


def test_labelling(texts, measured, tmp_path, capsys):
    out = tmp_path / "labelled.jsonl.gz"
    words = ["train", "re3-times", "--label", str(texts), "--templates", "5", "--without", str(measured)]
    assert main([*words, "-o", str(out)]) == 0
    assert "10 labelled sentences" in capsys.readouterr().out
    rows = list(read_rows(out))
    assert [str(rows[position].label) for position in (0, 2, 3)] == ["1998", "", "2003-03"]
    assert rows[1].text.startswith("The old bridge was rebuilt in ")
    assert rows[1].group == rows[0].group
    assert not any("painted" in row.text for row in rows)
    before = out.read_bytes()
    assert gzip.decompress(before).count(b"\n") == 10
    assert main([*words, "-o", str(out)]) == 0
    assert out.read_bytes() == before


def test_training(tmp_path, capsys):
    labelled, backbone, out = tmp_path / "labelled.jsonl", tmp_path / "backbone", tmp_path / "times"
    assert main(["train", "re3-times", "--templates", "200", "-o", str(labelled)]) == 0
    Backbone.tiny(["in", "on", *map(str, range(1900, 2030))], layers=1, width=16).save(backbone)
    words = ["train", "re3-times", "--from", str(labelled), "--backbone", str(backbone), "--device", "cpu"]
    assert main([*words, "--rows", "40", "--max-steps", "3", "--batch-size", "8", "-o", str(out)]) == 0
    assert "exact" in capsys.readouterr().out
    assert {"config.json", "model.safetensors", "backbone", "card.md", "log.jsonl"} <= {
        path.name for path in out.iterdir()
    }
    assert "40" in (out / "card.md").read_text(encoding="utf-8")
    assert len(TimeExtractor.load(out).labels(["In 1998.", "Nothing."])) == 2


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "either --label or --templates"),
        (["--templates", "2", "--from", "a"], "either --label or --templates"),
        (["--from", "a"], "--backbone DIR"),
        (["--from", "no.jsonl", "--backbone", "b"], "cannot read the labelled sentences of no.jsonl"),
        (["--label", "no.jsonl"], "no.jsonl"),
    ],
)
def test_mistakes_are_reported_in_a_line(words, problem, tmp_path, capsys):
    assert main(["train", "re3-times", *words, "-o", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert problem in message
    assert message.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_row_without_a_text(tmp_path, capsys):
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "In 1998 it was rebuilt by all."}\n{"body": "x"}\n', encoding="utf-8")
    assert main(["train", "re3-times", "--label", str(path), "-o", str(tmp_path / "out.jsonl")]) == 2
    assert "line 2: the row has no text" in capsys.readouterr().err


def test_templates_alone_have_no_texts(tmp_path):
    out = tmp_path / "a.jsonl"
    assert main(["train", "re3-times", "--templates", "100", "--seed", "1", "-o", str(out)]) == 0
    rows = list(read_rows(out))
    assert len(rows) == 100
    assert any(row.label == NONE for row in rows)
