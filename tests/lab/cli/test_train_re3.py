"""`epochal train re3`: from folders of questions to a model that searches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

NAMES = ("Anna", "Bert", "Carl", "Dora", "Emil", "Fred")


@pytest.fixture
def prizes(tmp_path: Path) -> Path:
    """A BEIR folder: who got the prize of each year."""
    folder = tmp_path / "prizes"
    (folder / "qrels").mkdir(parents=True)
    documents, queries = [], []
    qrels: dict[str, list[str]] = {"train": [], "dev": []}
    for year in range(1900, 1924):
        text = f"The prize of {year} went to {NAMES[year % 6]}."
        documents.append({"_id": f"d{year}", "text": text, "published": f"{year}-12-10"})
        queries.append({"_id": f"q{year}", "text": f"Who got the prize in {year}?", "now": "1950-01-01"})
        qrels["dev" if year % 3 == 0 else "train"].append(f"q{year}\td{year}\t1")
    for name, rows in (("corpus", documents), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for split, lines in qrels.items():
        (folder / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(lines) + "\n")
    return folder


def train(run, prizes: Path, out: Path, *words: object) -> tuple[int, str, str]:
    small = ("--set", "hidden=4", "--set", "width=4", "--epochs", "2", "--device", "cpu", "--encoder", "static")
    return run("train", "re3", "--from", prizes, "-o", out, *small, *words)


def test_a_trained_model_searches(run, prizes, tmp_path):
    out, retained = tmp_path / "model", tmp_path / "kept"
    code, output, message = train(
        run, prizes, out, "--index", retained / "index", "--pools", retained / "pools", "--most", "10"
    )
    assert code == 0, message
    assert output.startswith(f"{out}: hit@1 ")
    assert "beside the gate: plain 0" in output
    config = json.loads((out / "config.json").read_text())
    assert config["encoder"].startswith("static-")
    assert config["settings"]["hidden"] == 4
    assert config["facts"]["questions"] == 10
    card = (out / "card.md").read_text()
    assert "10 questions to train on, 8 to choose by" in card
    assert sorted(path.name for path in (retained / "pools").iterdir()) == ["prizes-dev.npz", "prizes-train.npz"]
    index = retained / "index" / "prizes"
    for name in (f"re3:{out}", f"gate+re3:{out}"):
        code, output, message = run("search", index, "Who got the prize in 1909?", "--scorer", name, "--json")
        assert code == 0, message
    # What was kept is used again, and gives the same model.
    again = tmp_path / "again"
    code, _, message = train(run, prizes, again, "--index", retained / "index", "--pools", retained / "pools")
    assert code == 0, message
    assert "no documents added" in message or "0 documents added" in message or "unchanged" in message
    assert (again / "model.safetensors").read_bytes() == (out / "model.safetensors").read_bytes()


def test_the_papers_model(run, prizes, tmp_path):
    code, _, message = train(run, prizes, tmp_path / "model", "--parity", "--set", "gate=off")
    assert code == 0, message
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    assert config["settings"]["encoding"] == "base3"
    assert config["settings"]["gate"] == "off"
    assert config["facts"]["timestamp_dropout"] == 0.0


def test_complaints(complaint, prizes, tmp_path):
    here = ("train", "re3", "--from", prizes, "-o", tmp_path / "model", "--encoder", "static")
    assert "--set gate names no value" in complaint(*here, "--set", "gate")
    assert "accepted: off, scalar, query" in complaint(*here, "--set", "gate=open")
    assert "no setting 'speed'" in complaint(*here, "--set", "speed=9")
    assert "test.tsv" in complaint(*here, "--train-split", "test")
    (prizes / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq9999\td1900\t1\n")
    assert "has an answer in qrels/dev.tsv" in complaint(*here)
