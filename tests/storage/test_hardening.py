"""Files that others may read, creation by several processes at once, and damage that is named and never adopted."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import epochal
from costs import assert_linear
from epochal.errors import EpochalError, StorageError
from epochal.storage import columns
from epochal.storage.check import check
from epochal.storage.importers.html_pages import parse_html
from epochal.storage.schema import create
from epochal.storage.store import Store
from storage.whole import DIM, check_whole, entry


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Store.create(tmp_path / "index", "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(30)])
    return tmp_path / "index"


@pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")
def test_files_have_the_mode_that_new_files_have(folder):
    plain = folder / "plain"
    plain.touch()
    mode = stat.S_IMODE(plain.stat().st_mode)
    found = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.rglob("*") if file.is_file()}
    assert {name: oct(given) for name, given in found.items() if given & 0o444 != mode & 0o444} == {}


def change(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / "epochal.db")
    assert connection.execute(statement).rowcount == 1
    connection.commit()
    connection.close()


HARMS = {
    "the vectors of document 'd0' are not what was stored": (
        "UPDATE vectors SET vector = zeroblob(length(vector)) WHERE id = (SELECT min(id) FROM vectors)"
    ),
    "the passages and times of document 'd29' are not what was stored": (
        "UPDATE passages SET end_char = end_char - 1 WHERE id = (SELECT max(id) FROM passages)"
    ),
}


@pytest.mark.parametrize("finding", HARMS)
@pytest.mark.parametrize("is_derived_lost", [False, True])
def test_damage_of_a_row_is_named_and_never_adopted(folder, finding, is_derived_lost):
    change(folder, HARMS[finding])
    if is_derived_lost:
        (folder / "derived" / "current.json").unlink()
        with pytest.raises(StorageError, match="are not what was stored; restore a backup"):
            Store.open(folder)
    for _ in range(2):
        report = check(folder)
        assert finding in [item.what for item in report.findings if item.where == "truth"]
        assert not report.is_sound


def test_checksums_follow_what_is_stored(folder):
    with Store.open(folder, write=True) as store:
        store.add([entry("d3", 2)])
        store.delete(["d4"])
        store.compact()
        assert len(check_whole(store.view())) == 29
    assert check(folder).findings == ()
    change(folder, "DELETE FROM checksums WHERE seq = 1")  # a document of an earlier version
    assert check(folder).findings == ()


def test_one_of_several_creates_an_index(tmp_path):
    def attempt(number: int) -> bool:
        try:
            create(tmp_path / str(number // 4), "", 0)
        except StorageError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        created = list(pool.map(attempt, range(40)))
    assert [sum(created[low : low + 4]) for low in range(0, 40, 4)] == [1] * 10
    assert [file.name for file in (tmp_path / "0").iterdir()] == ["epochal.db"]


def test_who_comes_second_opens_what_the_first_created(tmp_path, monkeypatch):
    from epochal.storage.addresses import get_provider

    epochal.open(tmp_path / "index", encoder=None).close()
    provider = type(get_provider(tmp_path))
    answers = iter([False])
    real = provider.exists
    monkeypatch.setattr(provider, "exists", lambda self, path: next(answers, None) is None and real(self, path))
    with epochal.open(tmp_path / "index", encoder=None) as index:
        assert len(index) == 0


def test_lines_that_end_with_cr_alone_are_named(tmp_path):
    (tmp_path / "rows.csv").write_bytes(b"id,text\r1,one\r2,two\r")
    with (
        epochal.open(tmp_path / "index", encoder=None) as index,
        pytest.raises(EpochalError, match="end with CR alone"),
    ):
        index.add(tmp_path / "rows.csv")


def test_a_page_of_nested_elements_is_read_in_linear_time():
    def read(text: str) -> None:
        assert parse_html(text).text == "In 1998."

    # It took two hundred passes over all of it.
    assert_linear(read, lambda count: "<div>" * count + "In 1998.", 500, 8_000)


UNREADABLE = {
    "no generation": "DELETE FROM meta WHERE key = 'generation'",
    "another generation": "UPDATE meta SET value = 'x' WHERE key = 'generation'",
    "no next": "DELETE FROM meta WHERE key = 'next'",
    "no metadata": "UPDATE documents SET meta = '{' WHERE id = 'd5'",
    "no date": "UPDATE documents SET published = x'00' WHERE id = 'd5'",
    "no times": "UPDATE passages SET datings = x'00' WHERE id = (SELECT min(id) FROM passages)",
}


@pytest.mark.parametrize("harm", UNREADABLE)
@pytest.mark.parametrize("is_derived_lost", [False, True])
def test_whatever_cannot_be_read_is_one_kind_of_error(folder, harm, is_derived_lost):
    """Each part is read by itself, so that one error does not hide another."""
    change(folder, UNREADABLE[harm])
    if is_derived_lost:
        (folder / "derived" / "current.json").unlink()

    def open_and(read: Callable[[Store], object]) -> None:
        with Store.open(folder) as store:
            read(store)

    uses = {
        "read": lambda: open_and(lambda store: check_whole(store.view())),
        "add": lambda: open_and(lambda store: store.add([entry("new", 1)])),
        "compact": lambda: open_and(Store.compact),
        "check": lambda: check_soundness(folder),
    }
    failed = []
    for name, use in uses.items():
        try:
            use()
        except StorageError:
            failed.append(name)
    assert "check" in failed


def check_soundness(folder: Path) -> None:
    report = check(folder)
    if not report.is_sound:
        raise StorageError(report.findings[0].what)


def test_bytes_behind_a_file_of_words_are_noticed(folder):
    file = next(file for file in folder.glob("derived/set-*/words-*/*") if file.suffix == ".store")
    file.write_bytes(file.read_bytes() + b"more")
    with Store.open(folder) as store:
        assert "is longer than what was written" in store.repairs[0]
        assert len(check_whole(store.view())) == 30


def test_a_folder_in_place_of_the_list_of_files_is_replaced(folder):
    (folder / "derived" / "current.json").unlink()
    (folder / "derived" / "current.json").mkdir()
    with Store.open(folder) as store:
        assert "current.json is damaged" in store.repairs[0]
        assert len(check_whole(store.view())) == 30


def test_a_list_of_files_that_cannot_be_read_is_one_sentence(folder, monkeypatch):
    def refuse(path: str, *_: object, **__: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(columns, "open", refuse, raising=False)
    with pytest.raises(StorageError, match=r"cannot be read: derived/current\.json: Permission denied$"):
        Store.open(folder)


def cut_and_rebuild(folder: Path, name: str) -> None:
    with Store.open(folder) as store:
        view = store.view()
        (file,) = (folder / "derived" / "set-1").glob(name)
        os.truncate(file, 0)
        assert view.is_cut
        assert store.view() is not view
        assert "is cut short" in store.repairs[-1]
        assert len(check_whole(store.view())) == 30
        assert not store.view().is_cut


@pytest.mark.skipif(os.name == "nt", reason="files that are mapped cannot be cut there")
@pytest.mark.parametrize("name", ["content.start.i8", "vectors.f4"])
def test_files_that_are_cut_while_they_are_mapped_are_rebuilt(folder, name):
    """Reading beyond the end of a file that was mapped ends the process with SIGBUS."""
    cut_and_rebuild(folder, name)


@pytest.mark.skipif(os.name == "nt", reason="files that are mapped cannot be cut there")
@pytest.mark.parametrize("name", ["words-1/*.idx", "words-1/*.store"])
def test_files_of_words_that_are_cut_while_they_are_mapped_are_rebuilt(folder, tmp_path, name):
    """In a process of its own: for a moment after opening, a thread of tantivy reads these files, and may end it."""
    program = "import sys, pathlib; from storage.test_hardening import cut_and_rebuild as cut; "
    program += "cut(pathlib.Path(sys.argv[1]), sys.argv[2])"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for attempt in range(40):
        copy = shutil.copytree(folder, tmp_path / f"copy-{attempt}")
        status = subprocess.run(
            [sys.executable, "-c", program, str(copy), name], env=environment, check=False
        ).returncode
        if status != -signal.SIGBUS:
            break
    assert status == 0


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX only")
def test_a_path_that_is_not_utf8_is_named(tmp_path):
    with pytest.raises(StorageError, match="is not UTF-8"):
        Store.open(tmp_path / os.fsdecode(b"index-\xff"))
