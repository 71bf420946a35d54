from __future__ import annotations

import json
from pathlib import Path

import pytest

from epochal.cli import main
from epochal_lab.runs.report import html_page
from epochal_lab.runs.tables import (
    Line,
    Table,
    breakdown_tables,
    domain_tables,
    find_published,
    format_figure,
    format_markdown,
    markdown_page,
    set_tables,
)
from epochal_lab.runs.tasks import Result, Task, Value, write_result


def result(set_id: str, system: str, ndcg: float, coverage: float | None = None, **more: str) -> Result:
    parts = {"kind": {"point": {"nDCG@10": Value(ndcg, 6)}, "window": {"nDCG@10": Value(ndcg / 2, 4)}}}
    measures = {"nDCG@10": Value(ndcg, 10), "TC@10": Value(coverage, 10 if coverage is not None else 0, gaps=3)}
    task = Task(set_id, system, **more)
    return Result(
        task, 100, 10, measures, parts, {"p50": 5.0 if system == "bm25" else 9.0}, {}, {}, {"date": "2026-01-02"}
    )


OURS = [result("re2bench/rec", "bm25", 0.4, 0.5), result("re2bench/rec", "epochal", 0.9, 1.0)]


def test_papers_come_below_our_own_rows() -> None:
    (table,) = set_tables([result("tnp", "bm25", 0.4)])
    assert table.lines[0].source == ""
    assert table.lines[1].system == "BM25"
    assert table.lines[1].values["nDCG@10"] == 0.3458
    assert table.lines[1].source == "TMRL, Table 1"


def test_a_measure_that_no_system_has_is_no_column() -> None:
    (table,) = set_tables([result("own", "bm25", 0.4)])
    assert table.columns == ("nDCG@10", "p50 ms")
    assert "bm25: 3 gaps in TC@10" in table.notes


def test_the_best_is_the_greatest_but_of_times_and_distances() -> None:
    table = Table("x", (), (Line("a", {"MFG@5": 2.0, "R@1": 0.5}), Line("b", {"MFG@5": 1.0, "R@1": 0.4}, "paper")))
    assert table.best("MFG@5") == 2.0  # what a paper prints is not ours to be proud of
    assert table.best("nDCG@10") is None


def test_protocols_and_variants_have_tables_of_their_own() -> None:
    tables = set_tables(
        [
            result("chunqiutr/traditional", "bm25", 0.4, protocol="neg1_ne1_dq0"),
            result("chunqiutr/traditional", "bm25", 0.1, protocol="neg1_ne0_dq1"),
        ]
    )
    assert [table.title for table in tables] == [
        "chunqiutr/traditional, test, neg1_ne1_dq0",
        "chunqiutr/traditional, test, neg1_ne0_dq1",
    ]
    assert {line.source for line in tables[0].lines} == {"", "ChunQiuTR, Table 1"}
    assert [line.system for line in tables[1].lines] == ["bm25", "CTD-Qwen", "BM25"]


def test_parts_of_a_set() -> None:
    (table,) = breakdown_tables(OURS, "kind", "nDCG@10")
    assert table.columns == ("point (6)", "window (4)")
    assert table.lines[1].values == {"point (6)": 0.9, "window (4)": 0.45}
    assert breakdown_tables(OURS, "granularity", "nDCG@10") == []


def test_a_mean_of_domains_needs_all_of_them() -> None:
    whole = [result("tempo/law", "a", 0.4), result("tempo/iota", "a", 0.2), result("tempo/law", "b", 0.9)]
    (table,) = domain_tables(whole, "tempo/", ["nDCG@10"])
    assert table.lines[0].values["mean of domains"] == pytest.approx(0.3)
    assert table.lines[1].values["mean of domains"] is None
    assert any(line.source == "TEMPO, Table 3" for line in table.lines)


def test_published_figures_are_shares_and_name_their_table() -> None:
    for name in ("tempo", "tnp", "re2bench/rel", "re2bench/hyb", "chunqiutr", "zztj/qi"):
        rows = find_published(name) + find_published(name, protocol="neg1_ne1_dq0")
        assert rows
        for row in rows:
            assert row.table.startswith("Table")
            assert all(0 <= value <= 1 for key, value in row.measures.items() if not key.startswith(("TimeVar", "MFG")))
    law = [row for row in find_published("tempo/law") if row.table == "Table 3"]
    assert {row.system: row.measures["nDCG@10"] for row in law}["SFR"] == 0.408
    (timed,) = [row for row in find_published("tempo/law") if (row.table, row.system) == ("Tables 7-10", "DiVeR")]
    assert timed.measures == {"TP@10": 0.658, "TR@10": 0.43, "TC@10": 0.792, "nDCG|FC@10": 0.486}
    assert find_published("tempo", variant="strip")[0].measures == {"nDCG@10": 0.104}
    lost = {row.system: row.measures["nDCG@10 lost"] for row in find_published("tempo/iota", "strip")[:12]}
    assert (lost["BM25"], lost["ReasonIR"]) == (-0.075, 0.089)
    assert find_published("tempo/hsm", "reformulated by Qwen-32B")
    answers = {row.system: row.measures["answer score"] for row in find_published("tempo/hsm", kind="rag")}
    assert answers == {"no documents": 0.695, "gold documents": 0.742, "BM25": 0.666, "DiVeR": 0.709, "BGE": 0.692}
    gate = [row for row in find_published("re2bench/hyb", kind="ablation") if row.table == "Table 6"]
    assert [row.measures["hit@1"] for row in gate] == [0.268, 0.742]


@pytest.mark.parametrize(("value", "text"), [(0.0, ".000"), (0.0004, ".000"), (0.99999, "1.000"), (99.0, "99.00")])
def test_figures(value: float, text: str) -> None:
    assert format_figure(value) == text


def test_a_bar_in_a_name_does_not_break_the_table() -> None:
    text = format_markdown([Table("x", ("nDCG|FC@10",), (Line("a|b", {"nDCG|FC@10": 0.5}),))])
    assert "| system | nDCG\\|FC@10 |" in text
    assert "| a\\|b | **.500** |" in text


def test_pages_hold_every_table() -> None:
    page = markdown_page(OURS, "Ours")
    assert page.startswith("# Ours")
    assert "### re2bench/rec, test\n" in page
    assert "by kind" in page
    assert "- Re3: *Re3: Learning to Balance" in page


def test_html_is_whole_and_fetches_nothing() -> None:
    pytest.importorskip("matplotlib")
    page = html_page(OURS)
    assert page.count("<svg") == 3
    assert page == html_page(OURS)
    assert "src=" not in page
    assert "<link" not in page


def test_the_command_writes_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for item in OURS:
        write_result(tmp_path, item)
    assert main(["bench", "report", str(tmp_path)]) == 0
    assert "| epochal | **.900** |" in capsys.readouterr().out
    pytest.importorskip("matplotlib")
    assert main(["bench", "report", str(tmp_path), "-o", str(tmp_path / "r.html")]) == 0
    assert "<strong>.900</strong>" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_mistakes_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "report", str(tmp_path)]) == 2
    assert "holds no result" in capsys.readouterr().err
    (tmp_path / "x.json").write_text(json.dumps({"task": 1}))
    assert main(["bench", "report", str(tmp_path)]) == 2
    assert "is no result of" in capsys.readouterr().err
