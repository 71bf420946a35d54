"""Figures that README and docs state are those of the committed results."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from readme_figures import FIGURES
from readme_figures.learned import ctd_ablation_lines, ctd_mode_lines, ctd_second_line, re3_backbone_lines
from readme_figures.tmrl import tmrl_page_lines

ROOT = Path(__file__).parent.parent


def test_every_result_is_of_the_machine_named():
    measured = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Measured\n", 1)[1].split("\n## ", 1)[0]
    for path in (ROOT / "benchmarks" / "results").glob("*.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        machine = result["machine"].rpartition(", epochal")[0]
        assert f"on {result['date']}, on {machine}." in measured, path.name


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_the_figures_are_those_of_the_results(name):
    measured = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Measured\n", 1)[1].split("\n## ", 1)[0]
    path = ROOT / "benchmarks" / "results" / f"{name}.json"
    if not path.exists():
        assert path.name not in measured, f"README has figures of {path.name}, which does not exist"
        return
    assert f"(benchmarks/results/{path.name})" in measured, f"README does not name {path.name}"
    lines = FIGURES[name](json.loads(path.read_text(encoding="utf-8")))
    missing = [line for line in lines if line not in measured]
    assert not missing, f"by {path.name}, README should have:\n" + "\n".join(missing)


def test_the_figures_of_ctd_are_those_of_its_logs():
    page = (ROOT / "docs" / "ctd.md").read_text(encoding="utf-8")
    names = {
        "ft": "FT baseline",
        "tempdate": "TempDate",
        "tempdate-smooth": "TempDate-Smooth",
        "official": "CTD, official",
        "improved": "CTD, improved",
        "improved-time3": "CTD, improved, time weight 3",
    }
    for folder, name in names.items():
        printed = (ROOT / "benchmarks" / "results" / "logs" / "ctd" / folder / "printed.txt").read_text(
            encoding="utf-8"
        )
        told = dict(re.findall(r"^test (\S+ \S+): hit@1 0(\.\d{4})", printed, re.MULTILINE))
        for search in {key.split()[1] for key in told}:
            shown = [f"{float(told[f'{mode} {search}']):.3f}"[1:] for mode in ("neg1_ne1_dq0", "neg1_ne0_dq1")]
            assert f"| {name} | {search} | {shown[0]} | {shown[1]} |" in page


def test_the_figures_of_ctd_are_those_of_its_results():
    page = (ROOT / "docs" / "ctd.md").read_text(encoding="utf-8")
    result = json.loads((ROOT / "benchmarks" / "results" / "ctd_retrieval.json").read_text(encoding="utf-8"))
    lines = [*ctd_ablation_lines(result), *ctd_mode_lines(result), ctd_second_line(result)]
    missing = [line for line in lines if line not in page]
    assert not missing, "by ctd_retrieval.json, docs/ctd.md should have:\n" + "\n".join(missing)


def test_the_tables_of_tmrl_are_those_of_its_results():
    page = (ROOT / "docs" / "tmrl.md").read_text(encoding="utf-8")
    lines = page.split("\n## What was measured, and what was not\n", 1)[1].splitlines()
    below = [*lines[1:], ""]
    shown = [
        line
        for line, following in zip(lines, below, strict=True)
        if line.startswith("|") and not line.startswith("|---") and not following.startswith("|---")
    ]
    names = ("retrieval", "reasons", "shares", "speed", "loader")
    results = (ROOT / "benchmarks" / "results" / f"tmrl_{name}.json" for name in names)
    assert shown == tmrl_page_lines(*(json.loads(path.read_text(encoding="utf-8")) for path in results))


def test_every_result_has_its_figures_checked():
    assert {path.stem for path in (ROOT / "benchmarks" / "results").glob("*.json")} <= set(FIGURES)


def test_the_page_of_results_is_what_its_command_makes():
    """`epochal bench report benchmarks/results/bench --notes benchmarks/results/bench/notes.md -o docs/results.md`."""
    from epochal.bench.report.page import markdown_page
    from epochal.bench.running.results import read_results

    folder = ROOT / "benchmarks" / "results" / "bench"
    made = markdown_page(read_results([folder]), notes=(folder / "notes.md").read_text(encoding="utf-8"))
    assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == made


def test_the_backbones_of_re3_are_those_of_its_results():
    page = (ROOT / "docs" / "re3.md").read_text(encoding="utf-8")
    result = json.loads((ROOT / "benchmarks" / "results" / "re3_retrieval.json").read_text(encoding="utf-8"))
    lines = re3_backbone_lines(result)
    assert len(lines) == 8
    assert not [line for line in lines if line not in page]
