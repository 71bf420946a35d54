"""`epochal index`: what is read and stored, what is said of bad rows, and going on after an interruption."""

from __future__ import annotations

import json

import pytest

from epochal.api import Index
from epochal.cli.common import _ProgressLines


def test_documents_are_stored_and_counted(run, rows_file, tmp_path):
    code, out, err = run("index", tmp_path / "new", "--from", rows_file, "--encoder", "none")
    assert (code, err) == (0, "")
    assert out == f"{tmp_path / 'new'}: 4 documents added; it holds 4 documents (encoder none)\n"
    with Index.open(tmp_path / "new") as index:
        assert [document.id for document in index.documents()] == ["raised", "lowered", "zh", "alloy"]


def test_a_second_run_passes_over_what_is_there(run, news, rows_file):
    with rows_file.open("a", encoding="utf-8") as file:
        file.write('{"id": "new", "text": "More steel."}\n')
    code, out, _ = run("index", news, "--from", rows_file)
    assert code == 0
    assert "1 document added, 4 unchanged; it holds 5 documents" in out


def test_bad_rows_are_named_and_counted(run, rows_file, tmp_path):
    with rows_file.open("a", encoding="utf-8") as file:
        file.write('{"id": "bad", "text": "x", "published": "2003-02-30"}\n{"text": "no id"}\n')
    code, out, err = run("index", tmp_path / "new", "--from", rows_file, "--encoder", "none")
    assert code == 0
    assert "5 documents added, 1 bad row passed over, 1 date not read" in out
    first, second = err.splitlines()
    assert first.startswith(f"epochal: {rows_file}, line 6: the row has no id")
    assert second.startswith(f"epochal: {rows_file}, line 5: the date under 'published' cannot be read")


def test_of_many_bad_rows_the_first_are_named(run, tmp_path, rows_file):
    with rows_file.open("a", encoding="utf-8") as file:
        file.write('{"text": "no id"}\n' * 30)
    _, _, err = run("index", tmp_path / "new", "--from", rows_file, "--encoder", "none")
    assert err.splitlines()[-1] == "epochal: and 10 more bad rows"


@pytest.mark.parametrize(("options", "advised"), [((), True), (("--sequence", "gregorian"), False)])
def test_a_field_for_dates_is_advised_unless_a_sequence_dates_the_texts(run, tmp_path, options, advised):
    source = tmp_path / "diary.jsonl"
    source.write_text(
        '{"id": "a", "text": "May 4, 1998. Rain."}\n{"id": "b", "text": "May 5. Sun."}\n', encoding="utf-8"
    )
    _, _, err = run("index", tmp_path / "new", "--from", source, "--encoder", "none", *options)
    assert "2 of 2 documents have no date of publication" in err
    assert ("--map published=NAME" in err) == advised


def test_ids_from_rows(run, tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("text,date\nRain.,1998-03\n", encoding="utf-8")
    assert run("index", tmp_path / "new", "--from", source, "--encoder", "none", "--id-from-row")[0] == 0
    with Index.open(tmp_path / "new") as index:
        (document,) = index.documents()
    assert document.published.edtf() == "1998-03"


def test_a_folder_of_notes(run, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "one.md").write_text("---\ndate: 1998-03-15\n---\n# Rain\n\nIt rained.\n", encoding="utf-8")
    code, out, _ = run("index", tmp_path / "new", "--from", notes, "--encoder", "none")
    assert code == 0
    assert "1 document added" in out


def test_an_interruption_keeps_what_was_stored(run, rows_file, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Index, "add", interrupted)
    code, out, err = run("index", tmp_path / "new", "--from", rows_file, "--encoder", "none")
    assert (code, out) == (130, "")
    assert err == "epochal: interrupted; what was stored until then stays, and the command can be run again\n"
    monkeypatch.undo()
    assert run("index", tmp_path / "new", "--from", rows_file)[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["index", "new"], "index takes one file or folder"),
        (["index", "new", "--from", "none.jsonl"], "none.jsonl: there is no such file or folder"),
        (
            ["index", "new", "--from", "{rows}", "--encoder", "word2vec"],
            "no encoder is called 'word2vec'; known: minilm",
        ),
        (["index", "new", "--from", "{rows}", "--format", "doc"], "no format is called 'doc'; known: jsonl, json, csv"),
        (
            ["index", "{news}", "--from", "{rows}", "--encoder", "static"],
            "was made with the encoder 'none', not 'static'",
        ),
        (["index", "{rows}", "--from", "{rows}"], "is a file; name a new folder for the index"),
        (["index", "{other}", "--from", "{rows}"], "is a folder with other things in it; name a new one"),
        (["index", "{rows}/new", "--from", "{rows}"], "cannot be made: Not a directory"),
        (["index", "new", "--from", "{empty}"], "is empty; accepted: at least one document"),
        (["index", "new", "--from", "{other}"], "holds nothing that can be read; accepted: a file that ends in .jsonl"),
    ],
)
def test_mistakes(complaint, news, rows_file, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    other, empty = tmp_path / "other", tmp_path / "empty.jsonl"
    other.mkdir()
    (other / "a.bin").write_bytes(b"\0")
    empty.write_bytes(b"")
    paths = {"rows": rows_file, "news": news, "other": other, "empty": empty}
    assert message in complaint(*(word.format(**paths) for word in words))
    assert not (tmp_path / "new").exists()


def test_strict_stops_at_the_first_bad_row(complaint, rows_file, tmp_path):
    with rows_file.open("a", encoding="utf-8") as file:
        file.write("{\n")
    message = complaint("index", tmp_path / "new", "--from", rows_file, "--encoder", "none", "--strict")
    assert f"{rows_file}, line 5: " in message


def test_nothing_but_bad_rows_is_a_mistake(run, tmp_path):
    source = tmp_path / "bad.jsonl"
    source.write_text('{"text": "no id"}\n', encoding="utf-8")
    code, out, err = run("index", tmp_path / "new", "--from", source, "--encoder", "none")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == f"epochal: {source} has no row that can be read, of 1; nothing was added"


@pytest.mark.parametrize("existed", [False, True])
def test_rows_that_are_all_bad_leave_no_index_behind(run, tmp_path, existed):
    source, folder = tmp_path / "bad.jsonl", tmp_path / "new"
    source.write_text("not json\n", encoding="utf-8")
    if existed:
        folder.mkdir()
    code, out, err = run("index", folder, "--from", source, "--encoder", "none")
    assert (code, out) == (2, "")
    assert "nothing was added" in err
    assert folder.exists() is existed
    assert not existed or not list(folder.iterdir())


def test_fields_are_mapped_and_metadata_filter(run, complaint, tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("Key,Words,Sent,Lang\na,Rain.,14.05.2024,en\nb,Rain again.,15.05.2024,de\n", encoding="utf-8")
    call = ("index", tmp_path / "new", "--from", source, "--encoder", "none")
    assert run(*call, "--map", "id=Key,text=Words,published=Sent")[0] == 0
    code, out, _ = run("search", tmp_path / "new", "rain", "--where", "Lang=de", "--json")
    (hit,) = json.loads(out)["hits"]
    assert (code, hit["id"], hit["document"]["published"]) == (0, "b", "2024-05-15")
    assert hit["times"][0]["provenance"] == "published"
    assert "--map 'id' is no list of fields" in complaint(*call, "--map", "id")
    assert "--where" in complaint("search", tmp_path / "new", "rain", "--where", "=x")


def test_files_are_dated_by_their_text(run, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\nPublished: 4 May 2020\n")
    (notes / "b.md").write_text("# B\n\nNothing.\n")
    code, _, err = run("index", tmp_path / "new", "--from", notes, "--encoder", "none")
    assert (code, err.splitlines()) == (
        0,
        [
            "epochal: 1 document dated by text, file name or path, such as",
            "epochal:   a.md: 2020-05-04 from “Published: 4 May 2020”",
        ],
    )
    code, _, err = run("index", tmp_path / "other", "--from", notes, "--encoder", "none", "--dates-from", "none")
    assert "2 of 2 documents have no date of publication" in err


def test_progress_is_lines_without_a_terminal(capsys):
    seconds = iter([0.0, 1.0, 12.0, 13.0, 20.0])
    lines = _ProgressLines("indexing", 1000, lambda: next(seconds))
    for done in (100, 500, 600, 800):
        lines(done, f"{done} documents")
    assert capsys.readouterr().err.splitlines() == [
        "epochal: indexing: 50 %, 500 documents, about 12 s left",
        "epochal: indexing: 80 %, 800 documents, about 5 s left",
    ]
