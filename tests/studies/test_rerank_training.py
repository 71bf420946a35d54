"""A small run of tools/train_rerank.py on the CPU, and the study that reads what it wrote."""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from epochal.encoders.cross import CrossEncoder
from epochal.times import Span

torch = pytest.importorskip("torch")
TOOLS = Path(__file__).resolve().parents[2] / "tools"
YEARS = [[Span.year(1916).start, Span.year(1920).end, "1916 to 1920"]]
TEXTS = ("Ann Hay owned the mill from 1916 to 1920.", "Ben Roe owned it until 1915.", "The mill burnt down.", "Rain.")


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.syspath_prepend(str(TOOLS.parent / "studies"))
    yield importlib.import_module("train_rerank")
    for name in ("train_rerank", "rerank_groups", "rerank_network", "rerank"):
        sys.modules.pop(name, None)


def write_lines(path, rows):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def describe_hits(right):
    return [
        {"id": str(at), "s": 3.0 - at, "title": "", "text": text, "t": [], "pub": None, "g": int(at == right)}
        for at, text in enumerate(TEXTS)
    ]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "train").mkdir()
    passages = [{"set": "wiki", "title": "", "text": text, "t": []} for text in TEXTS]
    write_lines(tmp_path / "train" / "passages.jsonl.gz", passages)
    question = {"set": "wiki", "k": "row", "q": "Who owned the mill?", "w": YEARS, "pos": [0], "neg": [1, 2]}
    sides = {"qp": [["Who owned it?", []]], "qn": [["Who burnt it?", []]]}
    write_lines(tmp_path / "train" / "questions.jsonl.gz", [question, {"set": "wiki", "k": "reverse", "p": 0, **sides}])
    for name in ("timeqa", "wiki", "news", "scifact", "terms"):
        row = {"id": "/wiki/Mill#P127@0~0", "q": "Who owned the mill?", "w": YEARS, "gold": 1, "hits": describe_hits(0)}
        write_lines(tmp_path / f"train_{name}.jsonl.gz", [row])
    # A page of each half of TimeQA.
    for name in ("timeqa", "scifact", "tnp", "tdbench", "locomo", "changelogs"):
        rows = [
            {"id": f"/wiki/{page}#P127@0", "q": "Who owned the mill?", "w": YEARS, "gold": 1, "hits": describe_hits(1)}
            for page in "abcd"
        ]
        write_lines(tmp_path / f"eval_{name}.jsonl.gz", rows)
    return tmp_path


def test_runs_are_trained_scored_and_saved(tool, folder, monkeypatch, tmp_path):
    runs, output = tmp_path / "runs.json", tmp_path / "out"
    first = {"name": "first", "rank": 0, "epochs": 1, "size": 3, "lr": 1e-4, "choices": False, "human": 1}
    cut = {"name": "cut", "rank": 2, "init": "first", "teachers": ["first"], "epochs": 0.5, "size": 3, "human": 1}
    soup = {"name": "soup", "rank": 2, "soup": {"first": 0.5, "cut": 0.5}, "epochs": 0, "folds": 2, "keep": True}
    runs.write_text(json.dumps([first, cut, soup]), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["train", str(folder), str(runs), "-o", str(output), "--workers", "1"])
    tool.main()

    lines = list(sys.modules["rerank"].read_lines(output / "scores.jsonl.gz"))
    assert [line["cfg"]["name"] for line in lines] == ["first", "cut", "soup"]
    names = {key.partition("\t")[0] for key in lines[2]["scores"]}
    assert names == {"timeqa", "timeqa-folds", "scifact", "tnp", "tdbench", "locomo", "changelogs"}
    # What is saved is what the package reads, and it scores a pair alike in eight bits.
    place = tmp_path / "adapter"
    place.mkdir()
    (output / "soup.safetensors").rename(place / "adapter.safetensors")
    card = {"kind": "cross-encoder", "rank": 2, "alpha": 4.0, "weight": 0.5}
    (place / "adapter.json").write_text(json.dumps(card), encoding="utf-8")
    study = sys.modules["rerank"]
    pairs = [study.write_pair("Who owned the mill?", YEARS, hit) for hit in describe_hits(1)]
    found = CrossEncoder(place).score(pairs[0][0], [text for _, text in pairs])
    expected = np.array(lines[2]["scores"]["scifact\t/wiki/a#P127@0"])
    assert np.abs(found - expected).max() < 0.25


def test_pages_that_are_held_out_or_left_out_are_in_no_group(tool):
    groups, study = importlib.import_module("rerank_groups"), importlib.import_module("rerank")
    hits = [{**hit, "z": 0.0} for hit in describe_hits(0)]
    pages = [f"/wiki/{number}" for number in range(40)]
    rows = [{"id": f"{page}#P1@0~0", "q": page, "w": [], "gold": 1, "hits": hits} for page in pages]
    material = groups.Material([], [], {"timeqa": rows})
    run = {**tool.DEFAULTS, "constructed": 0, "human": 1, "folds": 3}

    def find_pages(fold, **more):
        drawn = groups.draw_groups(material, {**run, **more}, fold, tool.random.Random(1))
        return {group[0][0] for group in drawn}

    assert find_pages(None, choices=False) == set(pages)
    assert find_pages(None) == {page for page in pages if study.find_part(page) != study.CHOICES}
    assert find_pages(1) == {page for page in pages if study.find_fold(page, 3) != 1}
    assert find_pages(None, without=["timeqa"]) == set()
