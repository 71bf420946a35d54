"""Odd paths, and files of an index that are something else than they should be: one sentence, or they are mended."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from epochal import Document, Index
from epochal.errors import StorageError
from epochal.storage.check import check


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add([Document(f"d{number}", f"Museum {number} opened in {1990 + number}.") for number in range(4)])
    return tmp_path / "index"


def use(folder: Path) -> int:
    """Search, add, and search again."""
    with Index.open(folder, write=True) as index:
        assert index.search("museum 1993")[0].id == "d3"
        index.add([Document("new", "A museum opened in 2020.")])
        assert index.search("museum 2020")[0].id == "new"
        return len(index)


PATHS = {"long": "z" * 300, "longer": "z" * 5000, "nul": "a\0b", "half": "/tmp/\ud800", "bytes": "/tmp/\udcff"}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_paths_that_no_folder_has(path: str) -> None:
    for attempt in (Index.open, check, lambda path: Index.create(path, encoder=None)):
        with pytest.raises(StorageError, match=r"cannot be (made|opened)|is not UTF-8|character NUL|holds no file"):
            attempt(path)


@pytest.mark.parametrize("name", ["a\nb", "x?mode=memory&cache=shared#", "%00", "' OR 1=1;--"])
def test_paths_that_mean_something_elsewhere(folder: Path, name: str) -> None:
    assert use(folder.rename(folder.parent / name)) == 5


def replace(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink(missing_ok=True)
    make(path)


@pytest.mark.parametrize("name", ["writer.lock", "mender.lock"])
def test_a_lock_that_holds_something_is_emptied(folder: Path, name: str) -> None:
    """It let nobody write, said that the documents were damaged, and `check` found nothing."""
    replace(folder / name, lambda path: path.write_bytes(b"garbage" * 1000))
    assert use(folder) == 5
    assert (folder / name).stat().st_size == 0


def test_a_lock_that_is_held_is_not_emptied(folder: Path) -> None:
    with Index.open(folder, write=True) as index:
        index.add([Document("a", "rain")])
        with pytest.raises(StorageError, match="another writer"), Index.open(folder, write=True) as other:
            other.add([Document("b", "rain")])


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_lock_that_is_no_file_is_named(folder: Path, make: Callable[[Path], object]) -> None:
    replace(folder / "writer.lock", make)
    with pytest.raises(StorageError, match=r"writer\.lock is no file; remove it"):
        use(folder)


RECORDS = {"derived/current.json": os.mkfifo, "derived/verified.json": lambda path: path.write_text("[" * 100_000)}


@pytest.mark.parametrize("name", RECORDS)
def test_records_that_never_end_or_are_nested_without_end(folder: Path, name: str) -> None:
    replace(folder / name, RECORDS[name])
    assert use(folder) == 5
    assert check(folder).is_sound


@pytest.mark.parametrize("number", [10**30, -1, 2**63 - 1])
def test_a_write_of_a_number_that_none_has(folder: Path, number: int) -> None:
    connection = sqlite3.connect(folder / "epochal.db")
    connection.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (str(number),))
    connection.commit()
    connection.close()
    for attempt in (use, check):
        with pytest.raises(StorageError, match="its last write has the number"):
            attempt(folder)


@pytest.mark.parametrize("meta", ["[3]", "3", "null", '"a"', "{", "[[1, 2, 3]]"])
def test_metadata_that_are_no_table_of_names_are_named(folder: Path, meta: str) -> None:
    connection = sqlite3.connect(folder / "epochal.db")
    connection.execute("UPDATE documents SET meta = ? WHERE id = 'd2'", (meta,))
    connection.commit()
    connection.close()
    report = check(folder)
    assert not report.is_sound
    assert any("'d2'" in finding.what and finding.where == "truth" for finding in report.findings)
