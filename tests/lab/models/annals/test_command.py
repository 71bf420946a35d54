"""The command line, from texts to an encoder."""

from __future__ import annotations

import json

import pytest

from epochal.cli import main
from epochal.encoders.registry import encoder
from epochal_lab.models.annals.passages import read_passages
from epochal_lab.models.annals.vocabulary import Vocabulary

SMALL = ["--layers", "1", "--width", "16", "--heads", "2", "--device", "cpu", "--batch-size", "8"]


def run(*words: object) -> int:
    return main(["train", "annals-encoder", *map(str, words)])


def test_from_texts_to_vectors(tmp_path, passages, capsys):
    (tmp_path / "a.txt").write_text("\n".join(passages), encoding="utf-8")
    rows = [{"text": passages[0], "metadata": {"split": "test"}}, {"text": passages[1], "metadata": {"split": "train"}}]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = tmp_path / "passages.txt.xz"
    pytest.importorskip("opencc")
    held = ["--exclude", tmp_path / "corpus.jsonl", "--exclude-where", "split=val,test"]
    assert run("--from", tmp_path / "a.txt", "--prepare", result, *held) == 0
    whole = "".join(read_passages(result))
    assert passages[0] not in whole
    assert passages[1] in whole
    assert "characters" in capsys.readouterr().out
    words = tmp_path / "passages_vocabulary"
    out = tmp_path / "model"
    steps = ["--max-steps", "3", "--contrastive", "2", "--contrastive-batch", "4", "--half"]
    assert run("--from", result, "--vocabulary", words, "-o", out, *steps, *SMALL) == 0
    assert {"config.json", "card.md", "masked_log.jsonl", "spans_log.jsonl", "vocab.txt"} <= {
        p.name for p in out.iterdir()
    }
    assert Vocabulary.load(out) == Vocabulary.load(words)
    pytest.importorskip("onnx")
    assert run("--from", out, "--export", tmp_path / "small") == 0
    assert encoder(f"annals:{tmp_path / 'small'}").encode_queries(["春"]).shape == (1, 16)


def test_a_limit_of_time_becomes_one_of_steps(tmp_path, passages, capsys, monkeypatch):
    from epochal_lab.models.annals import tasks as pace

    monkeypatch.setattr(pace, "count_fitting_steps", lambda task, settings, seconds: 2)
    (tmp_path / "p.txt").write_text("\n".join(passages), encoding="utf-8")
    assert run("--from", tmp_path / "p.txt", "-o", tmp_path / "m", "--max-seconds", "60", *SMALL) == 0
    record = json.loads((tmp_path / "m" / "masked_run.json").read_text(encoding="utf-8"))
    assert (record["steps"], record["stopped"]) == (2, "steps")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--from", "a"], "give one of --prepare"),
        (["--from", "a", "-o", "b", "--prepare", "c"], "give one of --prepare"),
        (["--from", "a", "b", "--export", "c"], "--export takes one folder"),
        (["--from", "no.txt", "-o", "b"], "no.txt: the passages cannot be read"),
        (["--from", "no.txt", "--prepare", "b"], "no.txt: there is no such file"),
        (["--from", __file__.replace(".py", ""), "--export", "c"], "there is no model here"),
    ],
)
def test_mistakes(words, problem, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(*words) == 2
    assert problem in capsys.readouterr().err


def test_a_condition_without_a_value(tmp_path, passages, capsys):
    (tmp_path / "a.txt").write_text(passages[0], encoding="utf-8")
    (tmp_path / "c.jsonl").write_text("", encoding="utf-8")
    words = ["--prepare", tmp_path / "p.txt", "--exclude", tmp_path / "c.jsonl", "--exclude-where", "split"]
    assert run("--from", tmp_path / "a.txt", *words) == 2
    assert "--exclude-where is 'split'; accepted: FIELD=VALUE" in capsys.readouterr().err
