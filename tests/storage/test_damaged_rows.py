"""Damaged rows of the document database are replaced from a backup, and only by what was stored."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from epochal.errors import StorageError
from epochal.storage.check import check
from epochal.storage.store import Store
from storage.whole import DIM, check_whole, entry

HARMS = {
    "text": "UPDATE documents SET text = replace(text, 'd5', 'x5') WHERE id = 'd5'",
    "metadata": "UPDATE documents SET meta = '{' WHERE id = 'd5'",
    "hash": "UPDATE documents SET hash = x'00' WHERE id = 'd5'",
    "passages": "UPDATE passages SET datings = x'' WHERE length(datings) AND document = "
    "(SELECT document FROM passages WHERE length(datings) LIMIT 1)",
    "a passage": "DELETE FROM passages WHERE id = (SELECT min(id) FROM passages)",
    "vectors": "UPDATE vectors SET vector = zeroblob(length(vector)) WHERE id = (SELECT min(id) FROM vectors)",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Store.create(tmp_path / "index", "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(12)])
        store.add([entry("d3", 2)])
        store.backup(tmp_path / "backup")
        store.add([entry("d4", 2), entry("late", 1)])
        store.delete(["d6"])
    return tmp_path / "index"


def harm(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / "epochal.db")
    assert connection.execute(statement).rowcount
    connection.commit()
    connection.close()


@pytest.mark.parametrize("kind", HARMS)
@pytest.mark.parametrize("is_derived_lost", [False, True])
def test_a_damaged_row_is_replaced(folder, tmp_path, kind, is_derived_lost):
    with Store.open(folder) as store:
        expected = check_whole(store.view())
    harm(folder, HARMS[kind])
    if is_derived_lost:
        (folder / "derived" / "current.json").unlink()
    assert not check(folder).is_sound
    report = check(folder, backup=tmp_path / "backup")
    assert report.is_sound, report.findings
    assert "was damaged and was replaced" in report.findings[0].what
    assert check(folder).findings == ()
    with Store.open(folder) as store:
        assert check_whole(store.view()) == expected


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE documents SET text = text || '!' WHERE id = 'late'",
        "UPDATE documents SET text = text || '!' WHERE id = 'd4' AND born = 3",
    ],
)
def test_a_row_that_the_backup_does_not_hold_is_named(folder, tmp_path, statement):
    harm(folder, statement)
    report = check(folder, backup=tmp_path / "backup")
    assert not report.is_sound
    assert "does not hold what was stored" in report.findings[0].what


def test_a_backup_of_another_index_replaces_nothing(folder, tmp_path):
    with Store.create(tmp_path / "other", "test", DIM) as other:
        other.add([entry(f"e{number}", 1) for number in range(12)])
    harm(folder, HARMS["text"])
    assert not check(folder, backup=tmp_path / "other").is_sound


def test_a_damaged_backup_replaces_nothing(folder, tmp_path):
    for place in (folder, tmp_path / "backup"):
        harm(place, HARMS["text"])
    assert not check(folder, backup=tmp_path / "backup").is_sound


def test_what_is_no_backup_is_named(folder, tmp_path):
    with pytest.raises(StorageError, match="is not an index"):
        check(folder, backup=tmp_path)
    with pytest.raises(StorageError, match="is the index itself"):
        check(folder, backup=folder)
    assert check(folder, backup=tmp_path / "backup").findings == ()
