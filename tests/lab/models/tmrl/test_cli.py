"""`epochal train tmrl` from rows to a folder, without what only a search needs."""

from __future__ import annotations

import builtins
import json
from pathlib import Path

import pytest

from epochal.cli import main
from epochal_lab.datasets.augment.rows import TemporalRow, write_rows
from epochal_lab.models.backbone import load_backbone
from tmrl_world import tiny

ABSENT = {"tantivy", "faiss", "convertdate", "rich", "onnxruntime", "peft", "sentence_transformers"}


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a machine for training need not have cannot be imported by the package."""
    real = builtins.__import__

    def without(name, globals=None, *more, **named):
        if name.partition(".")[0] in ABSENT and str((globals or {}).get("__name__", "")).startswith("epochal"):
            raise ModuleNotFoundError(name)
        return real(name, globals, *more, **named)

    monkeypatch.setattr(builtins, "__import__", without)


@pytest.fixture
def given(rows: list[TemporalRow], tmp_path: Path) -> list[str]:
    write_rows(tmp_path / "rows.jsonl", rows)
    tiny().save(tmp_path / "tiny")
    file = str(tmp_path / "rows.jsonl")
    small = ["--set", "temporal_dims=4", "--set", "top_k=2", "--dims", "4", "8"]
    how = ["--epochs", "1", "--batch-size", "6", "--device", "cpu", "--seed", "1"]
    return ["--rows", file, "--dev", file, "--backbone", str(tmp_path / "tiny"), *small, *how]


@pytest.mark.usefixtures("bare")
def test_tmrl_from_rows_to_a_folder(given, beir, tmp_path, capsys):
    out = tmp_path / "out"
    code = main(["train", "tmrl", *given, "--evaluate", str(beir), "--merged", "-o", str(out)])
    assert code == 0
    assert {path.name for path in out.iterdir()} == {"adapter", "model", "metrics.json", "run"}
    record = json.loads((out / "metrics.json").read_text())
    assert record["settings"]["method"] == "tmrl"
    assert list(record["runs"]) == ["tmrl"]
    (outcome,) = record["outcomes"]
    assert list(outcome["dims"]) == ["4", "8", "16"]
    assert len(outcome["per_question"]["nDCG@10"]["16"]) == 12
    output = capsys.readouterr().out
    assert f"{beir.name} nDCG@10: 4 " in output
    assert f"{beir.name} R@100: 4 1.0000" in output
    card = (out / "run" / "card.md").read_text()
    assert "| temporal_dims | 4 |" in card
    assert load_backbone(out / "model").pooling == "mean"


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("method", "left"),
    [("lora", {"adapter"}), ("m-adaptor", {"model"}), ("tsm", {"model"}), ("tempretriever-fs", {"text", "time"})],
)
def test_baselines_from_rows_to_a_folder(method, left, given, beir, tmp_path):
    out = tmp_path / "out"
    code = main(["train", "tmrl", *given, "--method", method, "--forgetting", str(beir), "-o", str(out)])
    assert code == 0
    assert left <= {path.name for path in out.iterdir()}
    record = json.loads((out / "metrics.json").read_text())
    # A set that has nothing to do with time is read by the encoder of texts alone, of 16 numbers.
    assert list(record["outcomes"][0]["dims"]) == ["4", "8", "16"]


def test_zero_shot_trains_nothing(given, beir, tmp_path):
    out = tmp_path / "out"
    position = given.index("--backbone")
    named = ["--method", "zero-shot", *given[position : position + 2], "--device", "cpu"]
    code = main(["train", "tmrl", *named, "--evaluate", str(beir), "-o", str(out)])
    assert code == 0
    assert [path.name for path in out.iterdir()] == ["metrics.json"]
    assert json.loads((out / "metrics.json").read_text())["runs"] == {}


def test_a_router_and_its_questions(given, tmp_path, capsys):
    (tmp_path / "plain.jsonl").write_text('{"_id": "1", "text": "the club"}\n{"_id": "2", "text": "town ?"}\n')
    routed = [*given, "--method", "ts-retriever", "--set", "router=true"]
    assert main(["train", "tmrl", *routed, "--plain", str(tmp_path / "plain.jsonl"), "-o", str(tmp_path / "out")]) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"questions", "router.safetensors"}
    assert main(["train", "tmrl", *routed, "-o", str(tmp_path / "other")]) == 2
    assert "the router needs questions that ask of no time" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--set", "speed=3"], "--set is 'speed=3'"),
        (["--set", "spans=last"], "spans is 'last'"),
        (["--dims", "0"], "one of dims is 0"),
        (["--set", "temporal_dims=99"], "temporal_dims is 99; accepted: 1 to 16"),
        (["--dev", "no.jsonl"], "no.jsonl: cannot be read"),
    ],
)
def test_mistakes_are_reported(more, message, given, tmp_path, capsys):
    assert main(["train", "tmrl", *given, *more, "-o", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err


def test_without_rows_there_is_nothing_to_train_on(tmp_path, capsys):
    assert main(["train", "tmrl", "--backbone", "minilm", "-o", str(tmp_path)]) == 2
    assert "the method 'tmrl' is trained, but --rows is not given" in capsys.readouterr().err
