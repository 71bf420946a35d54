"""Every command that takes the folder of an index takes the address of one; and the service does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epochal.api import Index
from epochal.cli import main
from epochal.server.state import IndexReader, IndexWriter
from epochal.storage.records import Document

ROWS = [
    {
        "id": "raised",
        "title": "Steel tariffs",
        "text": "Tariffs on steel were raised in May 1998.",
        "published": "1998-05-20",
    },
    {"id": "lowered", "text": "Tariffs on steel fell last month.", "published": "2003-07-02", "meta": {"a": 1}},
    {"id": "alloy", "text": "Steel is an alloy of iron and carbon."},
]


@pytest.fixture
def secret(address: str) -> str:
    """An address with a password, which the server does not ask for and nobody must be shown."""
    return address.replace("postgres:@", "postgres:hunter2@")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    def call(*words: object) -> tuple[int, str, str]:
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        assert "hunter2" not in out + err
        return code, out, err

    return call


def test_the_life_of_an_index(run, secret: str, tmp_path: Path) -> None:
    source = tmp_path / "news.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    assert run("search", secret, "tariffs")[0] == 2
    code, out, _ = run("index", secret, "--from", source, "--encoder", "static")
    assert code == 0
    assert "3 documents added; it holds 3 documents (encoder static)" in out
    assert "postgres:***@" in out
    code, out, _ = run("index", secret, "--from", source)
    assert "0 documents added, 3 unchanged" in out
    code, out, _ = run("search", secret, "What happened to steel tariffs in 2003?", "--json")
    assert (code, json.loads(out)["hits"][0]["id"]) == (0, "lowered")
    assert "1998-05" in run("answer", secret, "What became of steel tariffs in 1998?")[1]
    assert run("export", secret, "-o", tmp_path / "out.jsonl")[0] == 0
    exported = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in exported] == ["raised", "lowered", "alloy"]
    assert "1 document deleted, 1 id not there; it holds 2 documents" in run("delete", secret, "raised", "nobody")[1]
    before, now = (
        int(word.replace(",", "")) for word in run("compact", secret)[1].rsplit(": ", 1)[1].split() if word[0].isdigit()
    )
    assert now < before
    assert run("check", secret)[1].endswith(": sound; 2 documents, 2 passages\n")
    assert "a copy of 2 documents" in run("backup", secret, tmp_path / "copy")[1]
    with Index.open(tmp_path / "copy") as copy:
        assert copy.search("steel tariffs in 2003")[0].id == "lowered"
        assert copy.get("lowered").meta == {"a": 1}


def test_the_wrong_encoder_and_an_index_of_bad_rows(run, secret: str, tmp_path: Path) -> None:
    source = tmp_path / "bad.jsonl"
    source.write_text("{}\n", encoding="utf-8")
    code, _, err = run("index", secret, "--from", source, "--encoder", "none")
    assert code != 0
    assert "no row that can be read" in err
    code, _, err = run("search", secret, "x")
    assert "holds no index; make one with: epochal index postgresql://postgres:***@" in err  # what was made is gone
    source.write_text(json.dumps(ROWS[2]), encoding="utf-8")
    assert run("index", secret, "--from", source, "--encoder", "none")[0] == 0
    code, _, err = run("index", secret, "--from", source, "--encoder", "static")
    assert "was made with the encoder 'none', not 'static'" in err


def test_damage_is_found_and_mended(run, secret: str, postgres_server) -> None:
    with Index.create(secret, encoder=None) as index:
        index.add([Document(f"d{number}", f"Rain fell in {1990 + number}.") for number in range(5)])
        space = index.view().space
    postgres_server.execute("UPDATE epochal.postings SET counts = rows WHERE space = %s AND token = 'rain'", (space,))
    postgres_server.execute("UPDATE epochal.passages SET length = 1 WHERE space = %s AND row = 2", (space,))
    code, out, _ = run("check", secret)
    assert code == 1
    assert "problem  derived  the postings of the passages 0 to 4 are wrong" in out
    assert "--repair" in out
    assert "hunter2" not in out
    code, out, _ = run("check", secret, "--repair")
    assert (code, "mended   derived" in out) == (0, True)
    assert run("check", secret)[0] == 0
    postgres_server.execute(
        "UPDATE epochal.documents SET text = 'Snow fell in 1991.' WHERE space = %s AND row = 1", (space,)
    )
    code, out, _ = run("check", secret)
    assert (code, "problem  truth    document 'd1' is not what was stored" in out) == (1, True)
    postgres_server.execute("DELETE FROM epochal.passages WHERE space = %s AND row = 4", (space,))
    code, out, _ = run("check", secret, "--repair")
    assert (code, "1 passages are missing" in out, "mended   " in out) == (1, True, False)


def test_the_service_reads_and_writes(address: str) -> None:
    Index.create(address, encoder=None).close()
    reader = IndexReader(address)
    for alone in (True, False):
        writer = IndexWriter(address, lambda: None, alone=alone, wait=lambda _: None)
        added, generation = writer.add([Document(f"p{alone}", "Rain in 1998.")])
        assert (added, reader.view().generation) == (1, generation)
        writer.close()
    assert reader.view().document_count == 2
    reader.close()


def test_no_such_server(run, tmp_path: Path) -> None:
    code, _, err = run("search", f"postgresql:///x?host={tmp_path}", "rain")
    assert code == 2
    assert "cannot be reached" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("mysql://localhost/x", "is no address of an index"),
        ("postgresql:///x?namespace=", "the namespace in"),
        ("postgresql:///x?statement_timeout=soon", "statement_timeout in"),
        ("postgresql:///x?pool=1000", "accepted: a number from 1 to 100"),
        ("postgresql:///x?search=fast", "must be auto or exact"),
    ],
)
def test_addresses_that_are_none(run, wrong: str, why: str) -> None:
    code, _, err = run("search", wrong, "rain")
    assert code == 2
    assert why in err


def test_an_audit_of_a_server(run, secret: str) -> None:
    with Index.create(secret, encoder=None) as index:
        index.add([Document(row["id"], row["text"]) for row in ROWS])
    code, out, _ = run("audit", secret, "--json", "--now", "2026-11-15")
    assert code == 0
    assert '"documents": 3' in out
