"""Submissions: written from any system, checked, and measured."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from epochal.cli import main
from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal_lab.datasets.folder import Manifest, write_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.runs.submissions import Card, check_submission, read_card, write_submission
from paths import ROOT

DOCUMENTS = (Document("d1", "Rain in May 1998."), Document("d2", "Snow in May 1999."))
SET = BenchSet(
    "own", DOCUMENTS, (BenchQuery("q1", "Rain?"), BenchQuery("q2", "Snow?")), {"q1": {"d1": 1}, "q2": {"d2": 1}}
)
CARD = Card("mine", "own", ("text",), ())


class Retriever:
    """As LangChain has them."""

    def invoke(self, query):
        return [SimpleNamespace(metadata={"id": "d1"}), SimpleNamespace(metadata={"id": "d2"})]


@pytest.mark.parametrize("kind", ["function", "retriever", "run"])
def test_any_system_becomes_a_submission(tmp_path, kind):
    (tmp_path / "own.trec").write_text("q1 Q0 d1 1 2 x\nq1 Q0 d2 2 1 x\nq2 Q0 d1 1 2 x\nq2 Q0 d2 2 1 x\n", "utf-8")
    system = {
        "function": lambda question, k, now: ["d1", "d2"],
        "retriever": Retriever(),
        "run": tmp_path / "own.trec",
    }[kind]
    report = check_submission(write_submission(tmp_path / "out", system, SET, CARD), SET)
    assert report.problems == ()
    assert report.measures["hit@1"] == 0.5
    assert read_card(tmp_path / "out") == CARD


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("q1 Q0 d9 1 2 x\n", "question 'q1': document 'd9' is not in the set"),
        ("q7 Q0 d1 1 2 x\nq1 Q0 d1 1 2 x\n", "1 questions are not of the set; the first: 'q7'"),
        ("q7 Q0 d1 1 2 x\n", "no question of the set is answered"),
    ],
)
def test_a_run_of_another_set_is_named(tmp_path, rows, problem):
    folder = write_submission(tmp_path / "out", lambda question, k, now: ["d1"], SET, CARD)
    (folder / "run.trec").write_text(rows, "utf-8")
    assert any(problem in text for text in check_submission(folder, SET).problems)


def test_a_question_without_documents_counts_and_is_remarked(tmp_path):
    folder = write_submission(
        tmp_path / "out", lambda question, k, now: ["d1"] if "Rain" in question else [], SET, CARD
    )
    report = check_submission(folder, SET)
    assert report.problems == ()
    assert report.remarks == ("1 questions have no document, and count 0; the first: 'q2'",)
    assert report.measures["hit@1"] == 0.5


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"system": " "}, "has no 'system'"),
        ({"information": []}, "'information' is 'empty'"),
        ({"information": ["intuition"]}, "'information' is 'intuition'; accepted: text, publication date"),
        ({"information": ["trained on this set"]}, "'trained_on' is empty; name the set there"),
        ({"information": "text"}, "is 'text'; accepted: a list of texts"),
        ({"colour": "red"}, "the card has 'colour'"),
    ],
)
def test_a_card_says_what_it_must(changes, problem):
    record = {"system": "mine", "set": "own", "information": ["text"], "trained_on": []} | changes
    with pytest.raises(EpochalError, match=problem):
        Card.from_dict(record)


def test_the_command_shows_the_row_or_what_is_wrong(tmp_path, capsys):
    write_folder(tmp_path / "own", SET, Manifest("own"))
    folder = write_submission(tmp_path / "out", lambda question, k, now: ["d1"], SET, CARD)
    words = ["bench", "submit-check", str(folder), "--set", str(tmp_path / "own")]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("mine on own: nDCG@10 0.500, hit@1 0.500")
    assert main([*words, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    page = (ROOT / "docs" / "reference" / "json.md").read_text("utf-8").split("\n## bench submit-check\n")[1]
    assert all(f"`{key}`" in page.split("\n## ")[0] for key in record)
    (folder / "run.trec").write_text("q1 Q0 d9 1 2 x\n", "utf-8")
    assert main(words) == 2
    assert "document 'd9' is not in the set" in capsys.readouterr().err
    (folder / "card.json").unlink()
    assert main(words) == 2
    assert "card.json" in capsys.readouterr().err


def test_a_checked_submission_gets_a_row_beside_the_baselines(tmp_path, capsys):
    own, out = str(tmp_path / "own"), str(tmp_path / "results")
    write_folder(own, SET, Manifest("own"))
    folder = write_submission(tmp_path / "mine", lambda question, k, now: ["d1"], SET, CARD)
    assert main(["bench", "submit-check", str(folder), "--set", own, "-o", out]) == 0
    assert main(["bench", "run", own, "--system", "bm25-plain", "--baselines", "-o", out]) == 0
    assert main(["bench", "report", str(tmp_path / "results" / "results")]) == 0
    page = capsys.readouterr().out.split("# Results")[1]
    rows = {line.split(" | ")[0]: line.split(" | ")[2] for line in page.splitlines() if line.startswith("| ")}
    assert rows.keys() >= {"| bm25-plain", "| mine", "| shortcut-newest", "| shortcut-year"}
    assert rows["| bm25-plain"] == "**1.000**"
    assert rows["| mine"] == ".500"
    assert "no ranking that reads no time was run here" not in page
