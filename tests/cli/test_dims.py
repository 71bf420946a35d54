"""`--dims` and `--shortlist` of `epochal index`, `search` and `run`."""

from __future__ import annotations

import json

import pytest

from epochal.api import Index
from epochal.storage.importers import read_run

NOW = ("--now", "2026-11-15")


@pytest.fixture
def made(run, rows_file, tmp_path):
    """An index with vectors of 256 dimensions."""
    assert run("index", tmp_path / "made", "--from", rows_file, "--encoder", "static")[0] == 0
    return tmp_path / "made"


@pytest.fixture
def beir(tmp_path, rows, write_rows):
    folder = tmp_path / "beir"
    folder.mkdir()
    write_rows(folder / "corpus.jsonl", [{"_id": row["id"], **row} for row in rows])
    write_rows(folder / "queries.jsonl", [{"_id": "q", "text": "steel tariffs in 1998"}])
    return folder


def found(run, *words):
    code, out, _ = run("search", *words, *NOW, "--json")
    assert code == 0
    answer = json.loads(out)
    return [(hit["id"], hit["score"]) for hit in answer["hits"]], [item["sentence"] for item in answer["applied"]]


def test_an_index_of_the_first_numbers_answers_as_a_search_by_them(run, made, rows_file, tmp_path):
    code, out, _ = run("index", tmp_path / "short", "--from", rows_file, "--encoder", "static", "--dims", "64")
    assert code == 0
    assert out.endswith("it holds 4 documents (encoder static, 64 dimensions per vector)\n")
    hits, message = found(run, made, "duties on metal", "--dims", "64")
    stored, _ = found(run, tmp_path / "short", "duties on metal")
    assert [name for name, _ in hits] == [name for name, _ in stored]
    # The vectors of a whole index of this encoder are kept in 8 bits, those of some dimensions as they are.
    assert [score for _, score in hits] == pytest.approx([score for _, score in stored], abs=0.01)
    assert hits != found(run, made, "duties on metal")[0]
    note = "(the encoder was not trained to be truncated there)"
    assert message == [f"compares vectors by their first 64 of 256 dimensions {note}"]
    with Index.open(tmp_path / "short") as index:
        assert index.view().dim == 64


def test_more_can_be_added_to_what_was_cut(run, rows_file, tmp_path):
    words = ("index", tmp_path / "short", "--from", rows_file)
    run(*words, "--encoder", "static", "--dims", "64")
    for more in ((), ("--dims", "64"), ("--encoder", "static")):
        code, out, _ = run(*words, *more)
        assert (code, out.partition("(")[2]) == (0, "encoder static, 64 dimensions per vector)\n")


def test_a_shortlist_with_room_for_all_changes_nothing(run, made):
    hits, message = found(run, made, "duties on metal", "--dims", "8", "--shortlist", "50")
    assert hits == found(run, made, "duties on metal")[0]
    assert message[0].startswith("finds 50 passages by the first 8 of 256 dimensions, reranks them by all")


def test_a_person_reads_what_was_compared(run, made):
    _, out, _ = run("search", made, "steel", *NOW, "--dims", "64")
    assert "applied     compares vectors by their first 64 of 256 dimensions" in out


def test_a_run(run, beir, tmp_path):
    words = ("run", beir, "--encoder", "static", "--scorer", "dense", "--no-time")
    runs = {}
    for name, more in (("all", ()), ("cut", ("--dims", "8")), ("both", ("--dims", "8", "--shortlist", "9"))):
        assert run(*words, "-o", tmp_path / name, *more)[0] == 0
        runs[name] = [(row.document, row.score) for row in read_run(tmp_path / name)["q"]]
    assert runs["cut"] != runs["all"] == runs["both"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["search", "{made}", "q", "--dims", "0"], "--dims must be a whole number from 1 or None, but is 0"),
        (["search", "{made}", "q", "--dims", "257"], "dims must be from 1 to 256, the length of the index's vectors"),
        (["search", "{made}", "q", "--dims", "few"], "argument --dims: invalid int value: 'few'"),
        (
            ["search", "{made}", "q", "--shortlist", "9"],
            "--shortlist 9 reranks passages",
        ),
        (["search", "{news}", "q", "--dims", "64"], "dims is 64, but this index was made without an encoder"),
        (["run", "{beir}", "-o", "x", "--encoder", "static", "--dims", "257"], "dims must be from 1 to 256"),
        (["run", "{beir}", "-o", "x", "--encoder", "none", "--dims", "64"], "made without an encoder; leave out dims"),
        (["run", "{beir}", "-o", "x", "--shortlist", "9"], "give --dims too"),
        (["index", "new", "--from", "{rows}", "--encoder", "static", "--dims", "257"], "dims must be from 1 to 256"),
        (["index", "new", "--from", "{rows}", "--encoder", "static", "--dims", "0"], "but is 0"),
        (["index", "new", "--from", "{rows}", "--encoder", "none", "--dims", "64"], "there are no vectors; leave out"),
        (
            ["index", "{made}", "--from", "{rows}", "--dims", "64"],
            "was made with 256 dimensions per vector, not 64; leave",
        ),
        (["index", "{news}", "--from", "{rows}", "--dims", "64"], "was made with 0 dimensions per vector, not 64"),
    ],
)
def test_mistakes(complaint, made, news, beir, rows_file, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    paths = {"made": made, "news": news, "beir": beir, "rows": rows_file}
    assert message in complaint(*(word.format(**paths) for word in words))
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "x").exists()
