"""The study of CTD's runs: what it groups, averages and compares is what was measured after training."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

MEASURES = ("hit@1", "hit@5", "hit@10", "MRR@10", "nDCG@10")
FT: dict[str, Any] = {"multi_positive": False, "heads": "none", "bias": False, "context": "none"}
MULTI = FT | {"multi_positive": True}
CONTEXT = MULTI | {"heads": "levels", "context": "add"}


@pytest.fixture
def module(load_study) -> ModuleType:
    return load_study("ctd_retrieval")


def outcome(mode: str, search: str, values: Sequence[float], split: str = "test") -> dict[str, Any]:
    mean = sum(values) / len(values)
    message = {name: {"mean": mean, "low": mean, "high": mean} for name in MEASURES}
    return {
        "mode": mode,
        "search": search,
        "split": split,
        "families": {"all": {"questions": len(values), **message}},
        "questions": {f"q{n}": dict.fromkeys(MEASURES, value) for n, value in enumerate(values)},
    }


def folder(place: Path, settings: dict[str, Any], seed: int, outcomes: list[dict[str, Any]]) -> Path:
    place.mkdir()
    metrics = {"settings": settings, "run": {"settings": {"seed": seed}}, "outcomes": outcomes}
    (place / "metrics.json").write_text(json.dumps(metrics), encoding="utf-8")
    return place


def both(module: ModuleType, values: Sequence[float], searches: Sequence[str] = ("enc_only",)) -> list[dict[str, Any]]:
    return [outcome(mode, search, values) for mode in (module.HEADLINE, module.EVENTS) for search in searches]


def test_parts_are_what_the_settings_switch_on(module: ModuleType) -> None:
    assert module.describe_parts(FT) == ()
    assert module.describe_parts(CONTEXT | {"bias": True}) == ("multi_positive", "heads", "bias", "context")


def test_seeds_are_averaged_by_question_and_sets_compared_with_those_before(module: ModuleType, tmp_path: Path) -> None:
    searches = ("enc_only", "ctx", "ctx+bias")
    with_context = [*both(module, (0, 0, 0, 0), searches[:1]), *both(module, (1, 1, 1, 0), searches[1:])]
    folders = [
        folder(tmp_path / "a", FT, 1, [*both(module, (1, 0, 0, 0)), outcome(module.EVENTS, "enc_only", [9.0], "val")]),
        folder(tmp_path / "b", FT, 2, both(module, (1, 1, 0, 0))),
        folder(tmp_path / "c", MULTI, 2, both(module, (1, 1, 1, 0))),
        folder(tmp_path / "d", MULTI, 1, both(module, (1, 1, 0, 0))),
        folder(tmp_path / "e", CONTEXT, 1, with_context),
        folder(tmp_path / "f", CONTEXT, 2, with_context),
    ]
    rows = module.build_ablation(folders)
    assert [row["mode"] for row in rows] == [module.HEADLINE] * 3 + [module.EVENTS] * 3
    ft, multi, context = rows[:3]
    assert (ft["hit@1"], ft["against"], ft["count"]) == (0.375, [], 4)
    assert [(one["seed"], one["MRR@10"]) for one in multi["seeds"]] == [(1, 0.5), (2, 0.75)]
    assert multi["against"][0]["hit@1"]["mean"] == 0.25  # of 0, 0.5, 0.5 and 0
    assert (multi["against"][0]["hit@1"]["low"], multi["against"][0]["hit@1"]["high"]) == (0.0, 0.5)
    assert (context["search"], context["hit@1"]) == ("ctx", 0.75)
    assert [one["parts"] for one in context["against"]] == [[], ["multi_positive"]]


def test_sets_with_other_seeds_are_refused(module: ModuleType, tmp_path: Path) -> None:
    one = folder(tmp_path / "one", FT, 1, both(module, (1, 0)))
    two = folder(tmp_path / "two", MULTI, 2, both(module, (1, 0)))
    with pytest.raises(SystemExit, match=r"same seeds, and these were given: none: \[1\]; multi_positive: \[2\]"):
        module.build_ablation([one, two])
    with pytest.raises(SystemExit, match="one has the parts and the seed 1 of a folder before it"):
        module.build_ablation([one, one])


def test_all_modes_are_read_as_they_were_measured(module: ModuleType, tmp_path: Path) -> None:
    every = [outcome(mode, search, (1, 0)) for mode in module.MODES for search in ("enc_only", "ctx", "ctx+bias")]
    rows = module.read_modes(folder(tmp_path / "all", CONTEXT, 1, every))
    assert {(row["model"], row["search"]) for row in rows} == {("all", "enc_only"), ("all", "ctx")}
    assert [row["mode"] for row in rows if row["search"] == "ctx"] == list(module.MODES)
    with pytest.raises(SystemExit, match=r"few was not measured in neg0_ne0_dq1, .*; give it with --model"):
        module.read_modes(folder(tmp_path / "few", FT, 1, both(module, (1, 0))))
