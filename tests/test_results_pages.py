"""The committed pages of docs/results are what tools/make_results.py writes."""

from __future__ import annotations

import importlib.util
import json
import re

import pytest

from paths import ROOT


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("make_results", ROOT / "tools" / "make_results.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_pages_are_up_to_date(maker, capsys):
    status = maker.main(["--check"])
    assert status == 0, capsys.readouterr().err


def test_every_result_is_shown_on_some_page(maker):
    shown = {name for path in maker.TEMPLATES.glob("*.md") for name in maker.used_files(path.read_text("utf-8"))}
    assert {path.stem for path in maker.RESULTS.glob("*.json")} == shown


def test_recall_is_never_labelled_as_hits(maker):
    """A file whose R@10 is a hit rate (it has no hit@10) gets the header hit@10; its recall keeps R@10."""
    columns = ["hit@10 || R@10 | .3f | hit@10", "recall@10 || R@10 | .3f | R@10"]
    old = [{"R@10": 0.767, "recall@10": 0.451}]
    new = [{"hit@10": 0.767, "R@10": 0.451}]
    for rows in (old, new):
        assert maker.build_columns(rows, {"columns": columns}) == (["hit@10", "R@10"], [["0.767", "0.451"]])


def test_a_pivot_has_a_column_for_each_value(maker):
    rows = [
        {"system": "bm25", "set": "a", "hit@1": {"mean": 0.5, "low": 0.4, "high": 0.6}},
        {"system": "bm25", "set": "b", "hit@1": {"mean": 0.7, "low": 0.6, "high": 0.8}},
        {"system": "dense", "set": "b", "hit@1": {"mean": 0.1, "low": 0.0, "high": 0.2}},
    ]
    spec = {"by": ["system"], "across": "set", "value": "hit@1 | bounds", "names": {"bm25": "BM25"}}
    headers, cells = maker.build_pivot(rows, spec)
    assert headers == ["system", "a", "b"]
    assert cells == [["BM25", "0.500 [0.400, 0.600]", "0.700 [0.600, 0.800]"], ["dense", "–", "0.100 [0.000, 0.200]"]]


def test_rows_follow_the_order_of_the_template(maker):
    rows = [{"set": "b", "n": 1}, {"set": "a", "n": 2}, {"set": "c", "n": 3}]
    assert [row["n"] for row in maker.select_rows(rows, {"where": {"set": ["a", "b"]}})] == [2, 1]


def test_a_figure_that_is_not_there_is_an_error(maker):
    with pytest.raises(SystemExit, match="nothing at 'no such key'"):
        maker.fill_figure("growth > no such key")


def test_no_placeholder_is_left(maker):
    for path in maker.PAGES.glob("*.md"):
        assert not re.search(r"\{\{|```table", path.read_text(encoding="utf-8")), path.name


def test_every_page_says_what_was_tuned_on_what(maker):
    """By the files beside the weights: a corpus that training adds there is on every page."""
    trained = json.loads((maker.WEIGHTS / "relevance-training.json").read_text(encoding="utf-8"))["corpora"]
    for path in maker.PAGES.glob("*.md"):
        if path.name != "index.md":
            section = path.read_text(encoding="utf-8").partition("## What was tuned on what")[2]
            assert all(row.get("left_out", row.get("corpus")) in section for row in trained), path.name
