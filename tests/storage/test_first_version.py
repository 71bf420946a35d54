"""An index that version 0.1.0 wrote, as its files were: opened, searched, written to, checked and backed up."""

from __future__ import annotations

import sqlite3
import tarfile
from pathlib import Path

import pytest

from epochal import Document, Index, Span
from epochal.storage.check import check

ARCHIVE = Path(__file__).parent / "data" / "index-0.1.0.tar.xz"


@pytest.fixture
def first(tmp_path: Path) -> Path:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "first"


def read(folder: Path) -> dict[str, Document]:
    with Index.open(folder) as index:
        return {document.id: document for document in index}


def test_its_documents_are_read_and_found(first: Path) -> None:
    with Index.open(first) as index:
        assert index.repairs == ("the derived files were of another version and were rebuilt",)
        assert index.search("Which museum closed in 2003?")[0].id == "museum"
        assert index.search("tunnel", during="2010")[0].id == "late"
        assert index.search("fee")[0].id == "fees-2"
        assert index.search("fee", as_of="2002")[0].id == "fees-1"
        assert [hit.id for hit in index.search("bridge", where={"kind": "news"})] == ["bridge"]
        assert "gone" not in index
        bridge = index.get("bridge")
        assert bridge == Document(
            "bridge",
            "The bridge was opened in May 1998.",
            title="Bridge",
            published=Span.parse("1998-05-20"),
            meta={"kind": "news", "n": 3},
        )
    assert check(first, repair=False).findings == ()


def test_check_says_what_is_of_another_version_and_rebuilds_it(first: Path) -> None:
    report = check(first, repair=False)
    assert [(finding.where, finding.what) for finding in report.findings] == [
        ("derived", "current.json is of another version")
    ]
    assert check(first).is_sound
    assert check(first, repair=False).findings == ()


def test_it_is_written_to_compacted_and_backed_up(first: Path, tmp_path: Path) -> None:
    before = read(first)
    with Index.open(first, write=True) as index:
        index.add([Document("new", "A harbour was built in 2015."), Document("museum", "The museum burnt in 2020.")])
        index.delete(["late"])
        index.compact()
        index.backup(tmp_path / "backup")
    for folder in (first, tmp_path / "backup"):
        found = read(folder)
        assert found.keys() == (before.keys() | {"new"}) - {"late"}
        assert found["museum"].text == "The museum burnt in 2020."
        assert check(folder, repair=False).findings == ()
    connection = sqlite3.connect(first / "epochal.db")
    assert connection.execute("SELECT count(*) FROM meta WHERE key = 'identity'").fetchone() == (1,)
    connection.close()


def test_its_damaged_documents_are_named(first: Path) -> None:
    connection = sqlite3.connect(first / "epochal.db")
    connection.execute("UPDATE documents SET text = 'The bridge was closed.' WHERE id = 'bridge'")
    connection.commit()
    connection.close()
    report = check(first)
    assert [finding.what for finding in report.findings if finding.where == "truth"][:1] == [
        "document 'bridge' is not what was stored"
    ]
    assert not report.is_sound
