"""`epochal delete`, `compact`, `backup` and `check`: looking after an index."""

from __future__ import annotations

import json
import sqlite3

import pytest

from epochal.api import Index
from epochal.cli.index import make_check_record
from epochal.storage.check import CheckFinding, CheckReport


def test_delete(run, news):
    code, out, _ = run("delete", news, "raised", "nobody")
    assert (code, out) == (0, f"{news}: 1 document deleted, 1 id not there; it holds 3 documents\n")
    code, out, _ = run("delete", news, "raised")
    assert (code, out) == (0, f"{news}: 0 documents deleted, 1 id not there; it holds 3 documents\n")


def test_compact(run, news):
    run("delete", news, "raised", "lowered", "zh")
    code, out, _ = run("compact", news)
    assert code == 0
    before, now = (int(word.replace(",", "")) for word in out.split() if word[0].isdigit())
    assert now < before
    with Index.open(news) as index:
        assert [document.id for document in index.documents()] == ["alloy"]


def test_backup(run, news, tmp_path):
    code, out, _ = run("backup", news, tmp_path / "copy")
    assert (code, out) == (0, f"{tmp_path / 'copy'}: a copy of 4 documents\n")
    code, out, _ = run("check", tmp_path / "copy")
    assert (code, out) == (0, f"{tmp_path / 'copy'}: sound; 4 documents, 4 passages\n")


def test_a_damaged_index_is_found_and_mended(run, news):
    (news / "derived" / "current.json").unlink()
    code, out, _ = run("check", news)
    assert code == 1
    assert "problem  derived" in out
    assert f"epochal check {news} --repair" in out
    code, out, _ = run("check", news, "--repair")
    assert code == 0
    assert "mended   derived" in out
    assert run("check", news)[:2] == (0, f"{news}: sound; 4 documents, 4 passages\n")


def test_check_as_json(run, news):
    code, out, err = run("check", news, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "path": str(news),
        "sound": True,
        "documents": 4,
        "passages": 4,
        "pending": 0,
        "findings": [],
    }
    (news / "derived" / "current.json").unlink()
    code, out, _ = run("check", news, "--json")
    record = json.loads(out)
    assert (code, record["sound"]) == (1, False)
    assert list(record["findings"][0]) == ["where", "what", "mended"]


def test_a_fault_in_the_truth_stays_one(run, news, monkeypatch):
    wrong = CheckReport(str(news), 4, 4, (CheckFinding("truth", "document 'p1' is not what was stored"),))
    monkeypatch.setattr("epochal.storage.check.check", lambda *_, **__: wrong)
    code, out, _ = run("check", news, "--repair")
    assert code == 1
    assert "restore a backup, or index them again" in out
    assert make_check_record(wrong)["sound"] is False


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["delete", "nowhere", "a"], "nowhere does not exist"),
        (["delete", "{news}"], "the following arguments are required: ID"),
        (["compact", "nowhere"], "nowhere does not exist"),
        (["check", "nowhere"], "nowhere does not exist"),
        (["check", "."], ". is not an index"),
        (["backup", "nowhere", "copy"], "nowhere does not exist"),
        (["backup", "{news}", "{news}"], "is a folder with other things in it"),
        (["backup", "{news}", "news.jsonl"], "news.jsonl is a file"),
    ],
)
def test_mistakes(complaint, news, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    assert message in complaint(*(word.format(news=news) for word in words))


def test_damaged_documents_are_replaced_from_a_backup(run, news, tmp_path):
    run("backup", news, tmp_path / "copy")
    connection = sqlite3.connect(news / "epochal.db")
    connection.execute("UPDATE documents SET title = title || '!' WHERE seq = 1")
    connection.commit()
    connection.close()
    code, out, _ = run("check", news, "--repair")
    assert (code, "--repair --from BACKUP" in out) == (1, True)
    assert run("check", news, "--from", tmp_path / "copy")[0] == 2
    code, out, _ = run("check", news, "--repair", "--from", tmp_path / "copy")
    assert code == 0
    assert out.startswith("mended   truth    document ")
    assert run("check", news)[:2] == (0, f"{news}: sound; 4 documents, 4 passages\n")
