"""`epochal train ctd` from folder to folder, without what only a search needs."""

from __future__ import annotations

import builtins
import json
from pathlib import Path

import pytest

from epochal.cli import main
from epochal_lab.models.backbone import Backbone
from epochal_lab.models.ctd.model import CTD

ABSENT = {"tantivy", "faiss", "convertdate", "rich", "onnxruntime"}


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a machine for training need not have cannot be imported by the package."""
    real = builtins.__import__

    def without(name, globals=None, *more, **named):
        if name.partition(".")[0] in ABSENT and str((globals or {}).get("__name__", "")).startswith("epochal"):
            raise ModuleNotFoundError(name)
        return real(name, globals, *more, **named)

    monkeypatch.setattr(builtins, "__import__", without)


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("settings", ["improved", "official", "ft"])
def test_from_folder_to_folder(settings: str, folder: Path, backbone: Backbone, tmp_path: Path, capsys) -> None:
    backbone.save(tmp_path / "bert")
    out = tmp_path / "out"
    given = ["--from", str(folder), "--backbone", str(tmp_path / "bert"), "--settings", settings, "-o", str(out)]
    code = main(["train", "ctd", *given, "--epochs", "1", "--batch-size", "16", "--device", "cpu", "--seed", "1"])
    assert code == 0
    assert {"model.safetensors", "config.json", "backbone", "card.md", "metrics.json", "runs", "qrels", "run"} <= {
        path.name for path in out.iterdir()
    }
    record = json.loads((out / "metrics.json").read_text())
    searches = {"ft": ["enc_only"], "improved": ["enc_only", "ctx"]}.get(settings, ["enc_only", "ctx", "ctx+bias"])
    assert {one["search"] for one in record["outcomes"]} == set(searches)
    assert {(one["split"], one["mode"]) for one in record["outcomes"]} == {
        (split, mode) for split in ("val", "test") for mode in ("neg1_ne0_dq1", "neg1_ne1_dq0")
    }
    assert len(list((out / "runs").iterdir())) == 4 * len(searches)
    assert CTD.load(out).settings.heads == record["settings"]["heads"]
    assert "test neg1_ne0_dq1" in capsys.readouterr().out
    run, judged = out / "runs" / "test.neg1_ne0_dq1.enc_only.trec", out / "qrels" / "test.neg1_ne0_dq1.tsv"
    assert main(["eval", str(run), str(judged), "--measures", "nDCG@10", "--json"]) == 0
    (test,) = (
        one
        for one in record["outcomes"]
        if (one["split"], one["mode"], one["search"]) == ("test", "neg1_ne0_dq1", "enc_only")
    )
    (measured,) = json.loads(capsys.readouterr().out)["runs"][0]["measures"]
    assert test["families"]["all"]["nDCG@10"]["mean"] == pytest.approx(measured["mean"], abs=1e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--set", "speed=3"], "--set is 'speed=3'"),
        (["--set", "bias"], "--set is 'bias'"),
        (["--set", "context=sum"], "context is 'sum'"),
        (["--search", "fast"], "the mode of search is 'fast'"),
        (["--evaluate", "all"], "'all' is no mode"),
        (["--select", "neg1_ne0_dq0"], "asks for placeholders"),
    ],
)
def test_mistakes_are_reported(given: list[str], message: str, folder: Path, capsys) -> None:
    assert main(["train", "ctd", "--from", str(folder), "--backbone", "none", "-o", "out", *given]) == 2
    assert message in capsys.readouterr().err
