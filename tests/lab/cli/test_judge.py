"""`epochal bench judge`: judgements of a run by rules, by an endpoint and from a recording."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from epochal.cli import main
from epochal.storage.records import Document
from epochal_lab.datasets.folder import Manifest, write_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.judges import read_judgements
from openai_server import Answer, Server, make_reply

DOCUMENTS = (
    Document("d1", "In 1850 the tolls of the bridge were doubled."),
    Document("d2", "Tolls on the bridge were abolished in 1990."),
    Document("d3", "A Merkle tree is a tree of hashes."),
)
QUERIES = (
    BenchQuery("q1", "How did the tolls of the bridge differ in 1850 and in 1990?"),
    BenchQuery("q2", "What is a Merkle tree?"),
    BenchQuery("q3", "Who built the bridge in 1840?"),
)
RUN = "q1 Q0 d3 1 9 x\nq1 Q0 d1 2 8 x\nq1 Q0 d2 3 7 x\nq2 Q0 d3 1 5 x\n"


@pytest.fixture
def inputs(tmp_path: Path) -> tuple[str, str]:
    qrels = {"q1": {"d1": 1, "d2": 1}, "q2": {"d3": 1}, "q3": {"d1": 0}}
    write_folder(tmp_path / "set", BenchSet("own", DOCUMENTS, QUERIES, qrels), Manifest("own"))
    (tmp_path / "run.trec").write_text(RUN, encoding="utf-8")
    return str(tmp_path / "run.trec"), str(tmp_path / "set")


def reply(body: dict[str, Any]) -> Answer:
    """Finds the years of the periods in the document, and a question about a tree atemporal."""
    query, _, text = body["messages"][-1]["content"].partition("<document>")
    if not text:
        temporal = "tree" not in query
        result = {"has_temporal_intent": temporal, "temporal_keywords": [], "temporal_focus": "change_over_time"}
        return make_reply(json.dumps(result))
    years = [line.split()[-1] in text for line in query.splitlines() if line.startswith("Period")]
    result = {"verdict": int("bridge" in text), "reason": "by its dates", "temporal_contribution": "", "covers": years}
    if not years:
        del result["covers"]
    return make_reply(json.dumps(result))


@pytest.fixture
def server():
    started = Server(reply)
    yield started
    started.close()


def test_by_spans_no_model_is_needed(inputs, tmp_path, run):
    out = tmp_path / "judged.jsonl"
    code, text, err = run("bench", "judge", *inputs, "-o", out, "--add-periods")
    assert (code, err) == (0, "")
    assert "3 documents judged, 2 relevant, 0 undecided; 1 questions without time, not judged" in text
    judged = {item.document: item.verdict.covers for item in read_judgements(out)}
    assert judged == {"d3": (False, False), "d1": (True, False), "d2": (False, True)}
    # Ranks 2 and 3 are relevant: mean precision (1/2 + 2/3) / 2; both periods are covered.
    assert [line.split()[:2] for line in text.splitlines()[1:]] == [
        ["TP@10", "0.583"],
        ["TR@10", "0.200"],
        ["TC@10", "1.000"],
        ["nDCG|FC@10", "0.693"],
        ["nDCG@10", "0.847"],
    ]


@pytest.fixture
def folder(inputs, tmp_path, run) -> Path:
    """Runs of two systems on two sets, as `epochal bench run` makes them."""
    queries = (BenchQuery("q8", "What were the tolls of the bridge in 1990?"),)
    write_folder(tmp_path / "other", BenchSet("other", DOCUMENTS, queries, {"q8": {"d2": 1}}), Manifest("other"))
    systems = ("--system", "bm25", "epochal(encoder=none)")
    assert run("bench", "run", inputs[1], tmp_path / "other", *systems, "-o", tmp_path / "out")[0] == 0
    return tmp_path / "out"


def test_all_runs_of_a_folder_are_judged_and_averaged_twice(folder, run):
    code, text, _ = run("bench", "judge", folder, "--add-periods", "--json")
    record = json.loads(text)
    assert code == 0
    assert [Path(item["set"]).name for item in record["runs"]] == ["other", "other", "own", "own"]
    assert len(list((folder / "judged").glob("*.jsonl"))) == 4
    # One question of the first set and two of the second are about time; the third finds nothing from 1840.
    precision = record["averages"]["bm25"]["TP@10"]
    own = {item["set"]: item["measures"]["TP@10"]["mean"] for item in record["runs"] if item["system"] == "bm25"}
    assert precision["macro"] == pytest.approx(sum(own.values()) / 2)
    assert precision["pooled"] == pytest.approx((own["other"] + 2 * own["own"]) / 3)
    code, text, _ = run("bench", "judge", folder, "--add-periods", "--system", "bm25")
    rows = [line.split(" | ") for line in text.splitlines()[2:]]
    assert [row[1] for row in rows] == ["bm25"] * 4
    assert [row[0] for row in rows[-2:]] == ["| mean of 2 sets", "| all questions"]


def test_systems_are_compared_on_the_questions_that_all_of_them_cover(folder, run):
    _, text, _ = run("bench", "judge", folder, "--add-periods")
    head = text.splitlines()[0].replace(r"\|", "/").split(" | ")
    assert head[-3:] == ["nDCG/FC@10", "nDCG/FC@10, common", "nDCG@10 |"]


def test_the_cost_is_shown_before_and_after(inputs, tmp_path, run, server):
    out = tmp_path / "judged.jsonl"
    model = ("--judge", "llm", "--url", server.url, "--model", "small-model", "--price", "100", "200")
    code, text, err = run("bench", "judge", *inputs, "-o", out, *model, "--dry-run")
    assert (code, text, server.calls, out.exists()) == (0, "", [], False)
    assert "at most 6 calls, about " in err
    assert "cost about 0." in err
    code, _, err = run("bench", "judge", *inputs, "-o", out, *model)
    assert code == 0
    assert "cost about" in err.splitlines()[0]
    assert "; cost 0." in err.splitlines()[1]


def test_judges_are_compared_in_the_same_command(inputs, tmp_path, run):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    run("bench", "judge", *inputs, "-o", first, "--add-periods")
    code, text, _ = run("bench", "judge", *inputs, "-o", second, "--add-periods", "--agree", first)
    assert code == 0
    assert "relevant: 3 answers compared" in text
    assert "  kappa   1.000" in text


def test_the_depth_cuts_the_run(inputs, tmp_path, run):
    out = tmp_path / "judged.jsonl"
    assert run("bench", "judge", *inputs, "-o", out, "-k", "2")[0] == 0
    assert [item.document for item in read_judgements(out)] == ["d3", "d1"]


def test_an_endpoint_judges_and_a_recording_gives_the_same(inputs, tmp_path, run, server):
    first, again, calls = tmp_path / "first.jsonl", tmp_path / "again.jsonl", tmp_path / "calls.jsonl"
    words = ("bench", "judge", *inputs, "--judge", "llm", "--add-periods", "--json")
    model = ("--url", server.url, "--model", "small-model", "--record", calls)
    code, text, err = run(*words, *model, "-o", first)
    assert code == 0
    assert "5 replies" in err
    record = json.loads(text)
    assert (record["judgements"], record["relevant"], record["gaps"]) == (3, 2, 0)
    assert record["atemporal"] == ["q2"]
    assert record["measures"]["TC@10"] == {"mean": 1.0, "questions": 1, "undefined": 1}
    sent = len(server.calls)
    code, replayed, _ = run(*words, "--replay", calls, "-o", again)
    assert code == 0
    assert json.loads(replayed)["measures"] == record["measures"]
    assert [item.verdict for item in read_judgements(again)] == [item.verdict for item in read_judgements(first)]
    assert len(server.calls) == sent


def test_missing_answers_are_reported_and_not_counted_as_no(inputs, tmp_path, run):
    broken = Server(lambda body: make_reply("no") if "Merkle tree is" in str(body) else reply(body))
    try:
        model = ("--judge", "llm", "--url", broken.url, "--model", "small-model")
        code, text, err = run("bench", "judge", *inputs, "-o", tmp_path / "judged.jsonl", *model)
    finally:
        broken.close()
    assert code == 0
    assert "3 documents judged, 2 relevant, 1 undecided" in text
    assert "1 of 3 documents lack an answer; the first: no verdict: " in err
    assert "TP@10" in text


def test_a_model_that_never_replies_is_a_fault(inputs, tmp_path, run):
    broken = Server(lambda _: (400, {}, b"no such model"))
    try:
        model = ("--judge", "llm", "--url", broken.url, "--model", "small-model")
        code, text, err = run("bench", "judge", *inputs, "-o", tmp_path / "judged.jsonl", *model)
    finally:
        broken.close()
    assert (code, text) == (1, "")
    assert "small-model judged none of 4 documents, and nothing was written; the first: no intent: " in err
    assert "no such model" in err
    assert err.count("\n") == 2  # the estimate, and the fault
    assert not (tmp_path / "judged.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--judge", "jury"], "no judge is called 'jury'; known: spans, llm"),
        (["--judge", "llm"], "no language model is named; accepted: an endpoint"),
        (["--judge", "llm", "--replay", "no.jsonl"], "there is no recording no.jsonl"),
        (["--judge", "llm", "--replay", "{run}", "--window", "9"], "accepted: "),
        (["--url", "http://localhost:1/v1"], "the judge spans uses none; accepted: --judge llm"),
        (["--calibration", "no.json"], "no.json"),
        (["-k", "0"], "-k is 0; accepted: 1 or more"),
        (["--workers", "0"], "--workers is 0; accepted: 1 or more"),
        (["--most", "0"], "--most is 0; accepted: 1 or more"),
        (["--split", "dev"], "has no split 'dev'; it has: test"),
        (["--dry-run"], "--dry-run shows what is sent to a model; accepted: with --judge llm"),
        (["--judge", "llm", "--replay", "{run}", "--price", "-1", "2"], "accepted: from 0"),
        (["-o", "no/such/folder/out.jsonl"], "cannot write no/such/folder/out.jsonl"),
    ],
)
def test_mistakes_are_one_line(inputs, tmp_path, complaint, words, problem):
    given = [word.format(run=inputs[0]) for word in words]
    assert problem in complaint("bench", "judge", *inputs, "-o", tmp_path / "judged.jsonl", *given)


def test_a_folder_without_runs_and_a_run_without_a_set_are_named(inputs, tmp_path, complaint):
    assert "holds no result of such a system" in complaint("bench", "judge", tmp_path)
    assert "is judged on no set" in complaint("bench", "judge", inputs[0], "-o", tmp_path / "x.jsonl")
    assert "no file for the judgements is named" in complaint("bench", "judge", *inputs)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("other Q0 d1 1 9 x\n", "answers no question of the split test"),
        ("q1 Q0 d9 1 9 x\n", "the run has document 'd9' for question 'q1', which is not in the set"),
    ],
)
def test_a_run_of_another_set_is_refused(inputs, tmp_path, complaint, rows, problem):
    (tmp_path / "other.trec").write_text(rows, encoding="utf-8")
    assert problem in complaint("bench", "judge", tmp_path / "other.trec", inputs[1], "-o", tmp_path / "judged.jsonl")


def test_every_key_is_documented(inputs, tmp_path, capsys, documented_keys):
    assert main(["bench", "judge", *inputs, "-o", str(tmp_path / "judged.jsonl"), "--json"]) == 0
    assert documented_keys("bench judge") == list(json.loads(capsys.readouterr().out))


def test_verdicts_serve_eval(inputs, tmp_path, run):
    out = tmp_path / "judged.jsonl"
    assert run("bench", "judge", *inputs, "-o", out)[0] == 0
    code, text, _ = run("eval", *inputs, "--verdicts", out, "--measures", "TR@10", "--json")
    assert code == 0
    assert json.loads(text)["runs"][0]["measures"][0]["mean"] == pytest.approx(0.2)
