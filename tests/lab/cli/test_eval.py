from __future__ import annotations

import json
from pathlib import Path

import pytest

from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.folder import Manifest, write_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet

QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\nq3\td3\t2\n"
GOOD = (
    "q1 Q0 d1 1 3 good\nq1 Q0 d9 2 2 good\nq2 Q0 d2 1 3 good\nq3 Q0 d9 1 3 good\nq3 Q0 d3 2 1 good\nq8 Q0 d1 1 1 good\n"
)
POOR = "q1 Q0 d9 1 3 poor\nq1 Q0 d1 2 2 poor\nq2 Q0 d9 1 3 poor\n"
QUERIES = "".join(
    json.dumps({"_id": id, "text": "?", **kind}) + "\n"
    for id, kind in (("q1", {"kind": "point"}), ("q2", {"kind": "window"}), ("q3", {}))
)


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    texts = {"qrels.tsv": QRELS, "good.trec": GOOD, "poor.trec": POOR, "queries.jsonl": QUERIES}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(files) -> Path:
    documents = [
        Document(f"d{year}", f"Of {year}.", published=Span.year(year + 1), meta={"times": [str(year)]})
        for year in (1998, 2003, 2010)
    ]
    queries = [
        BenchQuery("q1", "1998 or 2003?", periods=(Span.year(1998), Span.year(2003)), kind="comparison"),
        BenchQuery("q2", "2010?", periods=(Span.year(2010),), kind="point"),
        BenchQuery("t1", "1998?", split="train"),
    ]
    covered = {"q1": (frozenset({"d1998"}), frozenset({"d2003"})), "q2": (frozenset({"d2010"}),)}
    qrels = {"q1": {"d1998": 1, "d2003": 1}, "q2": {"d2010": 1}, "t1": {"d1998": 1}}
    write_folder(files / "made", BenchSet("own", documents, tuple(queries), qrels, covered), Manifest("own"))
    run = "q1 Q0 d1998 1 2 a\nq1 Q0 d2010 2 1 a\nq2 Q0 d2010 1 1 a\n"
    (files / "run.trec").write_text(run, encoding="utf-8")
    return files / "made"


def measured(out: str, run: int = 0) -> dict[str, dict]:
    return {item["measure"]: item for item in json.loads(out)["runs"][run]["measures"]}


def test_one_run(run, files):
    code, out, err = run("eval", "good.trec", "qrels.tsv", "--measures", "nDCG@10", "R@100", "hit@1")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "good.trec against qrels.tsv: 3 questions",
        "measure   mean  95 % interval   questions",
        "nDCG@10  0.877  0.631 to 1.000          3",
        "R@100    1.000  1.000 to 1.000          3",
        "hit@1    0.667  0.000 to 1.000          3",
        "1 question of the run without judgements, left out",
    ]


def test_the_usual_measures(run, files):
    _, out, _ = run("eval", "good.trec", "qrels.tsv", "--json")
    assert list(measured(out)) == ["nDCG@10", "R@10", "R@100", "MRR@10", "hit@1", "AP"]


@pytest.mark.parametrize(
    "words", [("nDCG@10", "R@100"), ("nDCG@10,R@100",), ("nDCG@10 R@100",), ("nDCG@10", "--measures", "R@100")]
)
def test_measures_may_be_given_in_any_way(run, files, words):
    _, out, _ = run("eval", "good.trec", "qrels.tsv", "--json", "--measures", *words)
    assert list(measured(out)) == ["nDCG@10", "R@100"]


def test_trec_qrels_are_read_too(run, files):
    (files / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n", encoding="utf-8")
    _, out, _ = run("eval", "good.trec", "qrels.txt", "--json", "--measures", "R@1")
    assert measured(out)["R@1"]["mean"] == 1.0


def test_ties_are_broken_by_rank(run, files):
    (files / "tied.trec").write_text("q1 Q0 d9 2 1 a\nq1 Q0 d1 1 1 a\n", encoding="utf-8")
    (files / "one.tsv").write_text("q1\td1\t1\n", encoding="utf-8")
    _, out, _ = run("eval", "tied.trec", "one.tsv", "--json", "--measures", "hit@1")
    assert measured(out)["hit@1"]["mean"] == 1.0


def test_runs_are_compared_with_the_first(run, files):
    _, out, _ = run("eval", "poor.trec", "good.trec", "qrels.tsv", "--json", "--measures", "MRR@10")
    record = json.loads(out)
    assert record["against"] == "poor.trec"
    assert measured(out, 0)["MRR@10"]["comparison"] is None
    assert measured(out, 0)["MRR@10"]["unanswered"] == 1
    compared = measured(out, 1)["MRR@10"]["comparison"]
    assert compared["difference"] == pytest.approx((1 + 1 + 0.5) / 3 - 0.5 / 3)
    assert compared["questions"] == 3
    assert compared["p"] == 0.25  # of the eight ways to give three gains signs, two are as far from 0
    assert compared["low"] <= compared["difference"] <= compared["high"]


def test_runs_are_compared_with_another(run, files):
    _, out, _ = run("eval", "good.trec", "qrels.tsv", "--against", "poor.trec", "--measures", "hit@1")
    lines = out.splitlines()
    assert lines[:2] == ["2 runs against qrels.tsv: 3 questions", "differences are from poor.trec"]
    assert lines[3].split() == ["poor.trec", "0.000", "0.000", "to", "0.000", "3"]
    assert lines[4].split()[:7] == ["good.trec", "0.667", "0.000", "to", "1.000", "3", "+0.667"]
    assert "poor.trec: 1 question without an answer, counted as a miss" in lines


def test_several_runs_are_corrected_together(run, files):
    (files / "same.trec").write_text(GOOD, encoding="utf-8")
    _, out, _ = run("eval", "poor.trec", "good.trec", "same.trec", "qrels.tsv", "--json", "--measures", "MRR@10")
    for position in (1, 2):
        compared = measured(out, position)["MRR@10"]["comparison"]
        assert (compared["p"], compared["adjusted"]) == (0.25, 0.5)


def test_kinds_from_a_file_of_questions(run, files):
    _, out, _ = run("eval", "good.trec", "qrels.tsv", "--json", "--measures", "hit@1", "--by-kind", "queries.jsonl")
    assert measured(out)["hit@1"]["kinds"] == {
        "": {"mean": 0.0, "questions": 1, "undefined": 0},
        "point": {"mean": 1.0, "questions": 1, "undefined": 0},
        "window": {"mean": 1.0, "questions": 1, "undefined": 0},
    }
    _, out, _ = run("eval", "good.trec", "qrels.tsv", "--measures", "hit@1", "--by-kind", "queries.jsonl")
    assert [line.split() for line in out.splitlines()[3:6]] == [
        ["(no", "kind)", "0.000", "1"],
        ["point", "1.000", "1"],
        ["window", "1.000", "1"],
    ]


def test_a_value_for_each_question(run, files):
    _, out, _ = run("eval", "good.trec", "qrels.tsv", "--json", "--measures", "hit@1", "--per-query")
    assert measured(out)["hit@1"]["per_query"] == {"q1": 1.0, "q2": 1.0, "q3": 0.0}
    _, out, _ = run("eval", "good.trec", "qrels.tsv", "--measures", "hit@1", "--per-query")
    assert out.splitlines()[-5:] == [
        "",
        "run        measure  question     value",
        "good.trec  hit@1    q1        1.000000",
        "good.trec  hit@1    q2        1.000000",
        "good.trec  hit@1    q3        0.000000",
    ]


def test_a_test_set_brings_periods_times_and_kinds(run, folder):
    _, out, _ = run("eval", "run.trec", folder, "--json", "--by-kind")
    record = json.loads(out)
    assert (record["split"], record["questions"]) == ("test", 2)
    result = measured(out)
    assert list(result)[-3:] == ["TC@10", "nDCG|FC@10", "tnDCG@10"]
    assert result["TC@10"]["mean"] == 0.75
    assert result["TC@10"]["kinds"]["comparison"]["mean"] == 0.5
    assert (result["nDCG|FC@10"]["mean"], result["nDCG|FC@10"]["undefined"]) == (1.0, 1)


def test_another_split(run, folder):
    _, out, _ = run("eval", "run.trec", folder, "--split", "train", "--measures", "R@5", "--json")
    assert json.loads(out)["questions"] == 1
    assert measured(out)["R@5"]["unanswered"] == 1


def test_times_of_documents(run, folder):
    _, out, _ = run("eval", "run.trec", folder, "--measures", "TimeVar@5 MFG@5(unit=years, clip=true)", "--json")
    result = measured(out)
    assert result["TimeVar@5"]["mean"] == pytest.approx((0 + 7**2) / 2 / 2, rel=0.01)
    assert result["MFG@5(unit=years, clip=true)"]["mean"] == pytest.approx(5 / 2 / 2, rel=0.01)


def test_a_file_of_judgements_with_the_times_of_a_set(run, folder):
    _, out, _ = run("eval", "run.trec", folder / "qrels" / "test.tsv", "--set", folder, "--measures", "TC@5", "--json")
    assert measured(out)["TC@5"]["mean"] == 0.75
    assert json.loads(out)["questions"] == 2


def test_verdicts_of_a_judge(run, files):
    rows = [
        {"query": "q1", "document": "d1", "relevant": True, "covers": [True, False]},
        {"query": "q1", "document": "d9", "relevant": None, "covers": [None, True]},
    ]
    (files / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    words = ("--measures", "TP@2 TR@2 TC@2", "--verdicts", "judged.jsonl")
    _, out, _ = run("eval", "good.trec", "qrels.tsv", "--json", *words)
    result = measured(out)
    assert [result[name]["mean"] for name in ("TP@2", "TR@2", "TC@2")] == [1.0, 1.0, 1.0]
    assert [result[name]["gaps"] for name in ("TP@2", "TR@2", "TC@2")] == [1, 1, 1]
    assert result["TP@2"]["undefined"] == 2
    _, out, _ = run("eval", "good.trec", "qrels.tsv", *words)
    assert out.splitlines()[-2:] == [
        "2 questions for which there is no value, left out",
        "1 document without what is needed to know",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("good.trec",), "epochal eval: the following arguments are required: QRELS"),
        (("none.trec", "qrels.tsv"), "epochal: none.trec: cannot be read: No such file or directory"),
        (("good.trec", "none.tsv"), "epochal: none.tsv: cannot be read: No such file or directory"),
        (("qrels.tsv", "qrels.tsv"), "epochal: qrels.tsv, line 1: the row has 3 columns"),
        (("good.trec", "qrels.tsv", "--measures", "fame@5"), "epochal: no measure is called 'fame'; known: nDCG, R"),
        (("good.trec", "qrels.tsv", "--measures", " "), "epochal: --measures names none"),
        (("good.trec", "qrels.tsv", "--measures", "TC@5"), "epochal: TC@5 needs period labels or verdicts on periods"),
        (("good.trec", "qrels.tsv", "--measures", "TP@5"), "epochal: TP@5 needs verdicts of a judge, which qrels.tsv"),
        (("good.trec", "qrels.tsv", "--by-kind"), "epochal: --by-kind needs kinds of questions"),
        (("good.trec", "qrels.tsv", "--by-kind", "good.trec"), "epochal: good.trec, line 1: the row is not JSON"),
        (("good.trec", "qrels.tsv", "--split", "dev"), "epochal: --split names a split of a test set"),
        (("good.trec", "qrels.tsv", "--resamples", "0"), "epochal: --resamples is 0; accepted: 1 or more"),
        (("good.trec", "made", "--set", "made"), "epochal: made is a test set, and so is --set"),
        (("good.trec", "made", "--split", "dev"), "epochal: the set 'own' has no split 'dev'; it has: test, train"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_in_one_line(complaint, folder, words, message):
    assert complaint("eval", *words).startswith(message)


def test_every_key_of_the_json_is_documented(run, files, documented_keys):
    words = ("--json", "--measures", "hit@1", "--by-kind", "queries.jsonl", "--per-query")
    _, out, _ = run("eval", "poor.trec", "good.trec", "qrels.tsv", *words)
    record = json.loads(out)
    output = record["runs"][1]
    measure = output["measures"][0]
    keys = [*record, *(f"runs[].{key}" for key in output), *(f"runs[].measures[].{key}" for key in measure)]
    keys += [f"runs[].measures[].comparison.{key}" for key in measure["comparison"]]
    keys += [f"runs[].measures[].kinds.KIND.{key}" for key in measure["kinds"]["point"]]
    assert sorted(documented_keys("eval")) == sorted(keys)
