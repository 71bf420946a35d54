from __future__ import annotations

import io

from epochal.cli.rendering.terminal import Page
from epochal_lab.cli.eval import format_table, show_scores

MEASURED = {
    "measure": "nDCG|FC@10",
    "mean": None,
    "low": None,
    "high": None,
    "questions": 0,
    "undefined": 3,
    "unanswered": 0,
    "gaps": 2,
    "comparison": None,
    "kinds": {"point": {"mean": None, "questions": 0, "undefined": 3}},
}


def shown(*runs: dict) -> list[str]:
    told = {"qrels": "q.tsv", "split": "test", "questions": 3, "against": "a" if len(runs) > 1 else None, "runs": runs}
    page = io.StringIO()
    show_scores(told, Page(page))
    return page.getvalue().splitlines()


def run(name: str, **measured: object) -> dict:
    return {"run": name, "unjudged": 0, "measures": [MEASURED | measured]}


def test_what_has_no_value_is_a_dash():
    assert shown(run("a\x1b[1m")) == [
        "a [1m against q.tsv, split test: 3 questions",
        "measure     mean  95 % interval  questions",
        "nDCG|FC@10     –                         0",
        "  point        –                         0",
        "3 questions for which there is no value, left out",
        "2 documents without what is needed to know",
    ]


def test_a_comparison_without_shared_questions_is_left_empty():
    nothing = {"difference": None, "low": None, "high": None, "p": 1.0, "adjusted": 1.0, "questions": 0}
    lines = shown(run("a"), run("b", comparison=nothing))
    assert lines[5].split() == ["b", "–", "0"]


def test_a_star_marks_what_is_more_than_chance():
    found = {"difference": -0.25, "low": -0.5, "high": -0.125, "p": 0.01, "adjusted": 0.02, "questions": 3}
    values = {"mean": 0.5, "low": 0.25, "high": 0.75, "questions": 3, "undefined": 0, "gaps": 0, "kinds": {}}
    lines = shown(run("a", **values), run("b", **values, comparison=found))
    row = ["b", "0.500", "0.250", "to", "0.750", "3", "-0.250", "-0.500", "to", "-0.125", "0.0100", "0.0200", "*", "3"]
    assert lines[4].split() == row
    assert lines[5:] == ["* more than chance: Holm's p below 0.05"]


def test_wide_characters_keep_the_columns():
    assert format_table([["run", "mean"], ["魯", "0.5"]], [False, True]) == ["run  mean", "魯    0.5"]
