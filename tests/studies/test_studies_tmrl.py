"""The benchmarks of TMRL: what is compared with what, over which seeds, and what batches are counted."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from epochal_lab.datasets.augment.rows import TemporalRow

WITHOUT_TIME = "tmrl alpha=0 beta=0.1 gamma=0.1 t=64"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, load_study):
    """A study by its name, and what it would save."""
    saved: dict[str, Any] = {}

    def loaded(name: str):
        module = load_study(name)
        monkeypatch.setattr(
            module, "save", lambda *message, **more: saved.update(rows=message[4], data=message[2], **more)
        )
        return module, saved

    return loaded


def write_part(folder: Path, model: str, seed: int, values: list[float], rows: str = "train") -> None:
    """A part with two questions of TNP and of SciFact, by vectors of 64 numbers."""
    measured = {
        "documents": 9,
        "questions": 2,
        "dims": {"64": {}},
        "ids": ["a", "b"],
        "per_question": {"nDCG@10": {"64": values}, "R@100": {"64": [1.0, 1.0]}},
    }
    part = {
        "backbone": "minilm",
        "rows": rows,
        "model": model,
        "seed": seed,
        "settings": {"recompute": seed == 43},
        "runs": {} if model == "zero-shot" else {model: {"steps": 250, "best_step": 150}},
        "sets": {"tnp": measured, "scifact": measured},
    }
    with gzip.open(folder / f"{rows}.{model}.{seed}.json.gz", "wt", encoding="utf-8") as file:
        json.dump(part, file)


def make_beir(folder: Path) -> Path:
    """A set of the passages of a little world, with one question."""
    from tmrl_world import YEARS, make_rows

    beir = folder / "teams"
    (beir / "qrels").mkdir(parents=True)
    rows = make_rows()
    beir.joinpath("corpus.jsonl").write_text(
        "\n".join(json.dumps({"_id": row.id, "text": row.passage}) for row in rows)
    )
    beir.joinpath("queries.jsonl").write_text(json.dumps({"_id": "q", "text": f"who played in {YEARS[0]} ?"}))
    beir.joinpath("qrels", "test.tsv").write_text(f"query-id\tcorpus-id\tscore\nq\t{rows[0].id}\t1\n")
    return beir


def training_words(folder: Path, only: list[str], rows: Sequence[TemporalRow] | None = None) -> list[str]:
    """How a benchmark is asked to train models on a little world for one epoch."""
    from epochal_lab.datasets.augment.rows import write_rows
    from tmrl_world import make_rows, tiny

    for name in ("train.jsonl", "dev.jsonl"):
        write_rows(folder / name, make_rows() if rows is None else rows)
    tiny().save(folder / "tiny")
    words = ["--only", *only, "--rows", str(folder / "train.jsonl"), "--dev", str(folder / "dev.jsonl")]
    words += ["--sets", str(make_beir(folder)), "--backbone", str(folder / "tiny"), "--seeds", "7", "--epochs", "1"]
    return [*words, "--precision", "fp32"]


def test_models_are_compared_over_the_seeds_that_both_have(load, tmp_path):
    module, saved = load("tmrl_retrieval")
    write_part(tmp_path, "tmrl", 42, [0.5, 0.7])
    write_part(tmp_path, "tmrl", 43, [0.1, 0.1])
    write_part(tmp_path, "lora-mrl", 42, [0.4, 0.4])
    write_part(tmp_path, WITHOUT_TIME, 42, [0.6, 0.6])
    write_part(tmp_path, "zero-shot", 42, [0.2, 0.4])
    write_part(tmp_path, "tmrl", 42, [0.3, 0.5], rows="several_train")
    module.collect_results([tmp_path])
    by = {(row["rows"], row["model"], row["set"]): row for row in saved["rows"]}
    ours = by["train", "tmrl", "tnp"]
    assert (ours["seeds"], ours["nDCG@10 by seed"]) == (2, {"42": 0.6, "43": 0.1})
    assert ours["nDCG@10"]["mean"] == 0.35
    assert ours["beyond lora-mrl"]["mean"] == 0.2
    assert ours["beyond alpha=0"]["mean"] == 0.0
    assert "beyond zero-shot" not in ours
    assert by["train", WITHOUT_TIME, "tnp"]["beyond tmrl"]["mean"] == 0.0
    assert "beyond alpha=0" not in by["train", WITHOUT_TIME, "tnp"]
    assert by["train", "tmrl", "scifact"]["beyond zero-shot"]["mean"] == 0.05
    assert by["several_train", "tmrl", "scifact"]["beyond zero-shot"]["mean"] == 0.1
    assert "beyond lora-mrl" not in by["several_train", "tmrl", "tnp"]
    assert saved["sets"]["tnp"] == {"documents": 9, "questions": 2}
    assert [run["seed"] for run in saved["runs"] if run["recompute"]] == [43]
    assert sorted((run["model"], run["seed"], run["best_step"]) for run in saved["runs"] if run["rows"] == "train") == [
        ("lora-mrl", 42, 150),
        ("tmrl", 42, 150),
        ("tmrl", 43, 150),
        (WITHOUT_TIME, 42, 150),
    ]


def test_a_seed_does_not_count_twice(load, tmp_path):
    module, _ = load("tmrl_retrieval")
    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
        write_part(folder, "tmrl", 42, [0.5, 0.7])
    with pytest.raises(SystemExit, match="a second part of tmrl with seed 42"):
        module.collect_results([tmp_path / "one", tmp_path / "other"])


def test_a_result_keeps_what_no_part_is_of(load, monkeypatch, tmp_path):
    """Models that were measured again take the place of what was there of them; others stay where they are."""
    module, saved = load("tmrl_retrieval")
    monkeypatch.setattr(module, "RESULTS", tmp_path)
    before = [
        {"backbone": "minilm", "rows": "train", "model": model, "set": "tnp", "seeds": 9} for model in ("tmrl", "lora")
    ]
    tmp_path.joinpath("tmrl_retrieval.json").write_text(json.dumps({"rows": before, "runs": before}))
    write_part(tmp_path, "tmrl", 42, [0.5, 0.7])
    write_part(tmp_path, "tsm", 42, [0.5, 0.9])
    module.main(["--parts", str(tmp_path), "--keep"])
    assert [(row["model"], row["set"], row["seeds"]) for row in saved["rows"]] == [
        ("tmrl", "tnp", 1),
        ("tmrl", "scifact", 1),
        ("lora", "tnp", 9),
        ("tsm", "tnp", 1),
        ("tsm", "scifact", 1),
    ]
    assert [run["model"] for run in saved["runs"]] == ["tmrl", "lora", "tsm"]
    module.main(["--parts", str(tmp_path)])
    assert {row["model"] for row in saved["rows"]} == {"tmrl", "tsm"}


def test_reasons_are_beside_lora_on_all_questions(load, tmp_path):
    module, saved = load("tmrl_reasons")
    write_part(tmp_path, "lora-mrl", 42, [0.4, 0.4])
    write_part(tmp_path, "lora-mrl", 42, [0.3, 0.4], rows="specified_train")
    write_part(tmp_path, "tsm", 42, [0.5, 0.7])
    write_part(tmp_path, "zero-shot", 42, [0.2, 0.4])
    module.main(["--parts", str(tmp_path)])
    by = {(row["rows"], row["model"], row["set"]): row for row in saved["rows"]}
    assert by["train", "tsm", "tnp"]["beyond lora-mrl"]["mean"] == 0.2
    assert by["specified_train", "lora-mrl", "tnp"]["beyond lora-mrl"]["mean"] == -0.05
    assert "beyond lora-mrl" not in by["train", "lora-mrl", "tnp"]
    assert by["train", "lora-mrl", "scifact"]["beyond zero-shot"]["mean"] == 0.1
    assert not [name for name in by["train", "zero-shot", "scifact"] if name.startswith("beyond")]


def test_what_is_trained_has_settings_of_its_own(load, tmp_path):
    """A plan changes what a method has by default, of its loss and of its training; the part tells both."""
    pytest.importorskip("torch")
    module, _ = load("tmrl_reasons")
    words = training_words(tmp_path, ["lora-mrl", "lora-mrl batch=64"])
    module.main([*words, "--train", str(tmp_path / "parts")])
    whole, small = (
        json.loads(gzip.decompress((tmp_path / "parts" / f"tiny.train.{name}.7.json.gz").read_bytes()))
        for name in ("lora-mrl", "lora-mrl_batch=64")
    )
    assert (whole["training"]["batch_size"], small["training"]["batch_size"]) == (256, 64)
    assert whole["settings"] == small["settings"]


def test_mixtures_of_adapters(load, monkeypatch, tmp_path):
    """Two halves of an adapter are the whole of it; the result tells the shares; mistakes are told."""
    pytest.importorskip("torch")
    from epochal_lab.models.tmrl.adapter import save_adapter
    from epochal_lab.models.tmrl.network import build_network
    from epochal_lab.models.tmrl.settings import TMRLSettings
    from tmrl_world import tiny

    module, saved = load("tmrl_shares")
    monkeypatch.setattr("epochal_lab.models.tmrl.running.load_bundled_backbone", tiny)
    settings = TMRLSettings.from_name("lora-mrl")
    network = build_network(tiny(), settings)
    for name, parameter in network.named_parameters():
        if name.endswith(".up"):
            parameter.data += 1.0
    save_adapter(tmp_path / "one", network.reader, settings, {"seed": 7})
    beir = make_beir(tmp_path)
    words = ["--adapters", f"one={tmp_path / 'one'}", f"two={tmp_path / 'one'}", "--sets", str(beir)]
    words += ["--precision", "fp32", "--train", str(tmp_path / "parts")]
    module.main([*words, "--mixtures", "one 1", "one .5, two .5", "one 0"])
    module.main(["--parts", str(tmp_path / "parts")])
    assert saved["mixtures"] == {
        "one 0": {"one": 0.0},
        "one .5, two .5": {"one": 0.5, "two": 0.5},
        "one 1": {"one": 1.0},
    }
    parts = {
        part["model"]: part["sets"]["teams"]["dims"]
        for part in (json.loads(gzip.decompress(path.read_bytes())) for path in (tmp_path / "parts").iterdir())
    }
    assert parts["one 1"] == parts["one .5, two .5"]
    for wrong, message in (
        ("one", "'one' is no name and share"),
        ("three .5", "no adapter is called 'three'; known: one, two"),
    ):
        with pytest.raises(SystemExit, match=message):
            module.main([*words, "--mixtures", wrong])


def test_the_models_of_tsm_can_be_trained_apart(load, tmp_path):
    """Each specifier's by itself, and merged then, they are what one run makes of them all."""
    pytest.importorskip("torch")
    from epochal_lab.datasets.augment.rows import TemporalQuestion
    from tmrl_world import make_rows

    module, _ = load("tmrl_retrieval")
    rows = [
        replace(row, positives=(row.positives[0], TemporalQuestion(row.positives[0].text.replace(" in ", " after "))))
        for row in make_rows()
    ]
    words = [*training_words(tmp_path, ["tsm"], rows), "--train"]
    module.main([*words, str(tmp_path / "one")])
    for specifier in ("after", "in"):
        module.main([*words, str(tmp_path / "two"), "--runs", str(tmp_path / "runs"), "--specifiers", specifier])
        assert not list((tmp_path / "two").iterdir())
    module.main([*words, str(tmp_path / "two"), "--runs", str(tmp_path / "runs")])
    one, two = (
        json.loads(gzip.decompress((tmp_path / name / "tiny.train.tsm.7.json.gz").read_bytes()))
        for name in ("one", "two")
    )
    assert sorted(two["runs"]) == ["after", "in"]
    assert one["sets"] == two["sets"]
    assert [run["held out"] for run in one["runs"].values()] == [run["held out"] for run in two["runs"].values()]
    with pytest.raises(SystemExit):
        module.main([*words, str(tmp_path / "two"), "--specifiers", "in"])
    with pytest.raises(SystemExit, match="no row has the specifier 'near'; accepted: after, in"):
        module.main([*words, str(tmp_path / "two"), "--runs", str(tmp_path / "runs"), "--specifiers", "near"])


def test_it_is_skipped_without_its_data(load, tmp_path):
    with pytest.raises(SystemExit) as caught:
        load("tmrl_retrieval")[0].collect_results([tmp_path])
    assert caught.value.code == 0
