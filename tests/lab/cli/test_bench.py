"""`epochal bench list` and `epochal bench info`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from epochal.storage.records import Document
from epochal_lab.datasets.catalogue import entries
from epochal_lab.datasets.folder import Manifest, write_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.datasets.sources import VARIABLE
from tempo_files import DOCUMENTS, EXAMPLES, IDS, NESTED, write_jsonl


@pytest.fixture(autouse=True)
def _no_data_folder(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture
def data(tmp_path) -> Path:
    """A data folder with SciFact in BEIR's form, and one domain of TEMPO."""
    bench_set = BenchSet("any", (Document("d1", "Cells."),), (BenchQuery("q1", "Do cells grow?"),), {"q1": {"d1": 1}})
    write_folder(tmp_path / "data" / "scifact", bench_set, Manifest("any"))
    (tmp_path / "data" / "scifact" / "manifest.json").unlink()
    for config, rows in (("documents", DOCUMENTS), ("examples", EXAMPLES), ("steps", NESTED)):
        write_jsonl(tmp_path / "data" / "tempo" / config / "law.jsonl", rows)
    return tmp_path / "data"


def test_the_list_names_every_set_and_which_are_here(run, data):
    code, out, err = run("bench", "list", "--data", data)
    assert (code, err) == (0, "")
    lines = {line.split()[0]: line for line in out.splitlines()[1:]}
    assert list(lines) == list(entries())
    here = {id for id, line in lines.items() if " yes " in line}
    assert here == {"scifact", "tempo/law", "tempo/law/steps"}
    assert "356,493" in lines["tempo/history"]


def test_the_list_without_a_data_folder_says_so(run, monkeypatch, data):
    _, out, _ = run("bench", "list")
    assert out.endswith("no data folder: name one with --data or EPOCHAL_DATA\n")
    assert " yes " not in out
    monkeypatch.setenv(VARIABLE, str(data))
    _, out, _ = run("bench", "list")
    assert " yes " in out
    assert "no data folder" not in out


def test_the_list_as_json(run, data, documented_keys):
    _, out, _ = run("bench", "list", "--data", data, "--json")
    records = json.loads(out)
    assert [record["id"] for record in records] == list(entries())
    (law,) = (record for record in records if record["id"] == "tempo/law")
    assert (law["questions"], law["documents"], law["here"]) == (35, 43288, True)
    assert documented_keys("bench list") == list(law)


def test_the_card_of_a_set_with_its_files(run, data):
    code, out, err = run("bench", "info", "tempo/law", "--data", data, "--set", "exclusion=full")
    assert (code, err) == (0, "")
    assert out.startswith("tempo/law  TEMPO, law\n")
    words = " ".join(out.split())
    for part in (
        "licence CC BY 4.0; texts from Stack Exchange (CC BY-SA) and the web",
        "switch exclusion=full take each",
        "switch passages=false annotations",
        "said to have 43,288 documents, 35 questions",
        "documents 5, of which 0 state a time of their own",
        "questions 3, with 1.33 relevant documents each",
        "kinds trends_changes_and_cross_period 1, other 2",
        "2 questions name periods",
        "copies 1 documents (20.0%) repeat the text of another",
        f"{IDS[0]} is gold for 10_1, but not its copies {IDS[3]}",
        "Read in mode full: mined negatives stay in the ranking",
        "anchors that name no time: 1",
    ):
        assert part in words
    assert re.search(r"^sha256 +[0-9a-f]{64}  steps/law\.jsonl$", out, re.MULTILINE)


def test_a_file_that_is_not_the_pinned_one_is_marked(run, data):
    _, out, _ = run("bench", "info", "scifact", "--data", data)
    assert re.search(r"^sha256 +[0-9a-f]{64}  queries\.jsonl  differs$", out, re.MULTILINE)


def test_the_card_without_the_files_says_how_to_come_by_them(run, tmp_path):
    code, out, _ = run("bench", "info", "tnp", "--data", tmp_path)
    assert code == 0
    words = " ".join(out.split())
    assert "note Solvable by rule" in words
    assert f"not here the set 'tnp' is not in {tmp_path} (looked for tnp); get the test files" in words
    assert "sha256" not in out


@pytest.mark.parametrize("id", ["tempo/law", "tnp"])
def test_the_card_as_json(run, data, id, documented_keys):
    _, out, _ = run("bench", "info", id, "--data", data, "--json")
    record = json.loads(out)
    assert (record["missing"] is None) == (record["found"] is not None) == (id == "tempo/law")
    expected = [name for name in documented_keys("bench info") if "." not in name]
    assert list(record) == expected
    if record["found"]:
        inside = [name.removeprefix("found.") for name in documented_keys("bench info") if name.startswith("found.")]
        assert list(record["found"]) == inside


def test_many_copies_are_counted(run, tmp_path):
    documents = tuple(Document(f"d{position}", f"Text {position % 12}.") for position in range(24))
    queries = (BenchQuery("q1", "Which?"), BenchQuery("q2", "What?"))
    qrels = {"q1": {f"d{position}": 1 for position in range(12)}, "q2": {"d0": 1, "gone": 1}}
    write_folder(tmp_path / "own", BenchSet("own", documents, queries, qrels), Manifest("own", facts={"list": [1]}))
    _, out, _ = run("bench", "info", tmp_path / "own")
    words = " ".join(out.split())
    assert "copies 12 documents (50.0%) repeat the text of another" in words
    assert "d0 is gold for 2 questions, but not its copies d12" in words
    assert "and 2 more gold documents with copies that are not gold" in words
    assert "mind 1 relevant documents are not in the corpus" in words
    assert "list" not in words


def test_any_beir_folder(run, data):
    code, out, _ = run("bench", "info", data / "scifact")
    assert code == 0
    assert "questions     1, with 1.00 relevant documents each" in out


def test_mistakes_are_one_line(complaint, data, tmp_path):
    assert "no set is called 'chess'; known: tempo/DOMAIN" in complaint("bench", "info", "chess")
    assert "exclusion is 'some'; accepted: excl, full" in complaint(
        "bench", "info", "tempo/law", "--data", data, "--set", "exclusion=some"
    )
    assert "--set 'exclusion' is no switch; accepted: KEY=VALUE" in complaint(
        "bench", "info", "tempo/law", "--set", "exclusion"
    )
    assert "no switch of 'tempo/law' is called 'data'" in complaint("bench", "info", "tempo/law", "--set", "data=x")
    assert "the data folder" in complaint("bench", "list", "--data", tmp_path / "gone")
    assert "accepted with hub: tempo/DOMAIN" in complaint("bench", "info", "tnp", "--hub")
    (data / "tempo" / "examples" / "law.jsonl").write_text("[]\n", encoding="utf-8")
    assert "law.jsonl, line 1: the row is a list" in complaint("bench", "info", "tempo/law", "--data", data)
