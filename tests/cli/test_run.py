"""`epochal run`: a BEIR folder to a TREC run."""

from __future__ import annotations

import json

import pytest

from epochal.storage.importers import read_run

QUERIES = [
    {"_id": "q1", "text": "steel tariffs in 1998"},
    {"_id": "q2", "text": "steel tariffs last year", "now": "2004-05-01"},
]


@pytest.fixture
def beir(tmp_path, rows, write_rows):
    folder = tmp_path / "beir"
    folder.mkdir()
    write_rows(folder / "corpus.jsonl", [{"_id": row["id"], **row} for row in rows])
    write_rows(folder / "queries.jsonl", QUERIES)
    return folder


def test_a_run(run, beir, tmp_path):
    code, out, err = run("run", beir, "-o", tmp_path / "a.trec", "--encoder", "none")
    assert (code, out) == (0, "")
    assert err.splitlines()[0] == "epochal: 4 documents added"
    result = read_run(tmp_path / "a.trec")
    assert result["q1"][0].document == "raised"
    assert result["q2"][0].document in ("lowered", "zh")
    assert err.splitlines()[1] == f"{tmp_path / 'a.trec'}: 2 questions, {sum(map(len, result.values()))} rows"


def test_the_same_folder_gives_the_same_run(run, beir, tmp_path):
    for name in ("a.trec", "b.trec"):
        assert run("run", beir, "-o", tmp_path / name, "--encoder", "none")[0] == 0
    assert (tmp_path / "a.trec").read_bytes() == (tmp_path / "b.trec").read_bytes()


def test_to_the_output(run, beir):
    code, out, err = run("run", beir, "-o", "-", "--encoder", "none", "-k", "1")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["q1", "q2"]
    assert "2 questions, 2 rows" in err


def test_a_run_over_documents_with_some_metadata(run, beir, tmp_path, write_rows):
    corpus = [{"_id": f"c{n}", "text": "Copper prices rose.", "lang": "de" if n % 2 else "en"} for n in range(4)]
    write_rows(beir / "corpus.jsonl", corpus)
    write_rows(beir / "queries.jsonl", [{"_id": "q", "text": "copper prices"}])
    assert run("run", beir, "-o", tmp_path / "a.trec", "--encoder", "none", "--where", "lang=de")[0] == 0
    assert {row.document for row in read_run(tmp_path / "a.trec")["q"]} == {"c1", "c3"}


def test_copies_are_not_hidden(run, beir, tmp_path, write_rows):
    copies = [{"_id": f"c{number}", "text": "Copper prices rose sharply in the autumn."} for number in range(3)]
    write_rows(beir / "corpus.jsonl", copies)
    write_rows(beir / "queries.jsonl", [{"_id": "q", "text": "copper prices"}])
    assert run("run", beir, "-o", tmp_path / "a.trec", "--encoder", "none")[0] == 0
    assert {row.document for row in read_run(tmp_path / "a.trec")["q"]} == {"c0", "c1", "c2"}


def test_the_present_of_questions_without_one(run, beir, tmp_path, write_rows):
    write_rows(beir / "queries.jsonl", [{"_id": "q", "text": "steel tariffs last year"}])
    first = {}
    for now in ("1999", "2004"):
        assert run("run", beir, "-o", tmp_path / now, "--encoder", "none", "--now", now)[0] == 0
        first[now] = read_run(tmp_path / now)["q"][0].document
    assert first["1999"] == "raised"
    assert first["2004"] != "raised"


def test_an_index_can_be_kept_and_used_again(run, beir, tmp_path):
    retained = tmp_path / "kept"
    run("run", beir, "-o", tmp_path / "a.trec", "--encoder", "none", "--index", retained)
    _, _, err = run("run", beir, "-o", tmp_path / "b.trec", "--index", retained)
    assert err.splitlines()[0] == "epochal: 0 documents added, 4 unchanged"
    assert (tmp_path / "a.trec").read_bytes() == (tmp_path / "b.trec").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{beir}"], "the following arguments are required: -o/--out"),
        (["{beir}", "-o", "{beir}"], "it is a folder; name a file in it"),
        (["{beir}", "-o", "none/a.trec"], "cannot write none/a.trec: the folder none does not exist"),
        (["none", "-o", "a.trec"], "none: cannot be read: No such file or directory"),
        (["{empty}", "-o", "a.trec"], "holds no queries.jsonl; accepted: a BEIR folder"),
        (["{beir}", "-o", "a.trec", "-k", "0"], "k must be from 1 to 10,000, but is 0"),
        (["{beir}", "-o", "a.trec", "--now", "soonish"], "--now: 'soonish' is not a time"),
        (["{beir}", "-o", "a.trec", "--encoder", "best"], "no encoder is called 'best'"),
        (["{beir}", "-o", "a.trec", "--scorer", "best"], "no scorer is called 'best'"),
    ],
)
def test_mistakes_are_found_before_the_work(complaint, beir, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert message in complaint("run", *(word.format(beir=beir, empty=tmp_path / "empty") for word in words))
    assert not (tmp_path / "a.trec").exists()


def test_an_id_that_no_run_can_hold(complaint, beir, tmp_path, write_rows):
    write_rows(beir / "queries.jsonl", [{"_id": "q 1", "text": "steel"}])
    assert "the question 'q 1' cannot be written to a TREC run" in complaint("run", beir, "-o", tmp_path / "a.trec")


def test_a_folder_without_a_corpus(complaint, beir, tmp_path):
    (beir / "corpus.jsonl").unlink()
    assert "is no BEIR folder; accepted" in complaint("run", beir, "-o", tmp_path / "a.trec", "--encoder", "none")


def test_a_document_with_a_blank_is_refused_before_the_work(run, complaint, beir, tmp_path, write_rows):
    write_rows(beir / "corpus.jsonl", [{"_id": "c 1", "text": "Steel tariffs rose."}])
    call = ("run", beir, "-o", tmp_path / "a.trec", "--encoder", "none", "--index", tmp_path / "index")
    assert "the document 'c 1' cannot be written to a TREC run" in complaint(*call)
    assert not (tmp_path / "index").exists()
    assert run("run", beir, "-o", tmp_path / "a.jsonl", "--encoder", "none", "--format", "jsonl")[0] == 0
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert {row["document"] for row in rows} == {"c 1"}
    assert list(rows[0]) == ["query", "document", "rank", "score"]
    assert "no format of a run is called 'csv'" in complaint("run", beir, "-o", "-", "--format", "csv")
