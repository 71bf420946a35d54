"""A full disk and a folder that cannot be written: one sentence, and everything that was stored is still there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from epochal.api import Index
from epochal.errors import StorageError
from epochal.storage.store import Store
from storage.whole import DIM, check_whole, entry


def mounted(*arguments: str) -> bool:
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mounted("-t", "tmpfs", "-o", "size=3m", "none", str(folder)):
        pytest.skip("a small disk can be made by the administrator of a Linux machine only")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path, spare: int) -> Path:
    """Fill the disk, but for some bytes."""
    ballast = folder / "ballast"
    state = os.statvfs(folder)
    ballast.write_bytes(b"\0" * max(state.f_bavail * state.f_bsize - spare, 0))
    return ballast


def added_until_full(store: Store) -> tuple[dict[str, int], str]:
    """What was stored until the disk was full, and what was said then."""
    stored: dict[str, int] = {}
    for number in range(100):
        ids = [f"b{number}-{place}" for place in range(20)]
        try:
            store.add([entry(id, 1) for id in ids])
        except StorageError as error:
            if "are stored, but" in str(error):
                stored.update(dict.fromkeys(ids, 1))
            return stored, str(error)
        stored.update(dict.fromkeys(ids, 1))
    raise AssertionError("the disk is larger than it should be")


@pytest.mark.parametrize("spare", [0, 20_000, 60_000, 100_000, 200_000, 300_000, 400_000, 600_000])
def test_a_full_disk(small_disk, spare):
    folder = small_disk / "index"
    with Store.create(folder, "test", DIM) as store:
        store.add([entry(f"a{number}", 1) for number in range(20)])
        old = check_whole(store.view())
        ballast = fill(small_disk, spare)
        stored, told = added_until_full(store)
        assert re.fullmatch(r"(20 documents are stored, but )?the index .*: the disk is full(; [a-z ]*)?", told)
        old.update(stored)
        assert old.items() >= check_whole(store.view()).items()
    with Store.open(folder) as store:  # which cannot be brought up to the truth, or just so
        assert old.items() >= check_whole(store.view()).items()
    ballast.unlink()
    with Store.open(folder) as store:
        assert check_whole(store.view()) == old
        store.add([entry("c1", 1)])
        assert check_whole(store.view()) == {**old, "c1": 1}


def test_a_full_disk_while_compacting(small_disk):
    folder = small_disk / "index"
    with Store.create(folder, "test", DIM) as store:
        store.add([entry(f"a{number}", 1) for number in range(300)])
        store.delete([f"a{number}" for number in range(100)])
        old = check_whole(store.view())
        ballast = fill(small_disk, 10_000)
        with pytest.raises(StorageError, match="the disk is full"):
            store.compact()
        assert check_whole(store.view()) == old
    ballast.unlink()
    with Store.open(folder) as store:
        store.compact()
        assert check_whole(store.view()) == old


def test_a_full_disk_while_making(small_disk):
    fill(small_disk, 0)
    with pytest.raises(StorageError, match="the disk is full"):
        Store.create(small_disk / "index", "test", DIM)


@pytest.mark.parametrize("name", ["append_rows", "write_manifest", "list_word_files"])
def test_derived_files_that_cannot_be_written(tmp_path, monkeypatch, name):
    """The same without a small disk: the truth is stored, the derived files are not."""

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with Store.create(tmp_path, "test", DIM) as store:
        store.add([entry("a1", 1)])
        with monkeypatch.context() as patched:
            patched.setattr(f"epochal.storage.building.{name}", fail)
            with pytest.raises(StorageError, match=r"1 documents are stored, but .* the disk is full"):
                store.add([entry("b1", 1)])
        assert check_whole(store.view()) == {"a1": 1}
        store.add([entry("c1", 1)])
        assert check_whole(store.view()) == {"a1": 1, "b1": 1, "c1": 1}


def test_a_truth_that_cannot_grow(tmp_path):
    with Store.create(tmp_path, "test", DIM) as store:
        store.add([entry("a1", 1)])
        connection = store._open_connection()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StorageError, match=r"cannot be written: the disk is full$"):
            store.add([entry(f"b{number}", 1) for number in range(500)])
        assert check_whole(store.view()) == {"a1": 1}
        connection.execute("PRAGMA max_page_count = 1000000")
        store.add([entry("c1", 1)])
        assert check_whole(store.view()) == {"a1": 1, "c1": 1}


@pytest.fixture
def frozen(tmp_path) -> Iterator[Path]:
    """An index on a disk that cannot be written."""
    folder = tmp_path / "index"
    with Store.create(folder, "test", DIM) as store:
        store.add([entry("a1", 1), entry("b1", 1)])
        store.delete(["b1"])
    where = tmp_path / "frozen"
    where.mkdir()
    path = str(where)
    if not mounted("--bind", str(folder), path):
        pytest.skip("a disk can be made read-only by the administrator of a Linux machine only")
    assert mounted("-o", "remount,bind,ro", path)
    yield where
    subprocess.run(["umount", "-l", path], check=True)


def test_a_folder_that_cannot_be_written_is_read(frozen):
    with Store.open(frozen) as store:
        assert store.repairs == []
        assert check_whole(store.view()) == {"a1": 1}
        for call in (lambda: store.add([entry("c1", 1)]), lambda: store.delete(["a1"]), store.compact):
            with pytest.raises(StorageError, match=r"the index '.*frozen' cannot be written: .*") as told:
                call()
            assert "\n" not in str(told.value)
        assert check_whole(store.view()) == {"a1": 1}
    with pytest.raises(StorageError, match="cannot be written"):
        Store.open(frozen, write=True)


def test_damage_in_a_folder_that_cannot_be_written_is_reported(frozen, tmp_path):
    next((tmp_path / "index" / "derived").glob("set-*/dead.i4")).write_bytes(b"")
    with pytest.raises(StorageError, match=r"rebuilt \(dead.i4 is cut short\), but the index .* cannot be written"):
        Store.open(frozen)


def test_an_index_cannot_be_made_below_a_file(tmp_path):
    (tmp_path / "file").write_text("text")
    with pytest.raises(StorageError, match="cannot be made: Not a directory"):
        Store.create(tmp_path / "file" / "index")
    with pytest.raises(StorageError, match="is not an index"):
        Store.open(tmp_path / "file" / "index")
    with Store.create(tmp_path / "index") as store, pytest.raises(StorageError, match="cannot be made: Not a dir"):
        store.backup(tmp_path / "file" / "copy")


def test_room_for_an_index_is_looked_for_before_the_work(tmp_path, monkeypatch):
    source = tmp_path / "news.jsonl"
    rain = "It rained all day, and the river rose. " * 250
    source.write_text("".join(f'{{"id": "{n}", "text": "Day {n}. {rain}"}}\n' for n in range(100)))
    usage = shutil.disk_usage(tmp_path)
    read_ids = []
    with Index.create(tmp_path / "index", encoder=None) as index:
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=10_000))
        with pytest.raises(
            StorageError, match=r"needs at least \d+ MB more for these documents, but the disk has 0 MB"
        ):
            index.add(source, progress=read_ids.append)
        assert (len(index), read_ids) == (0, [])
        # What only reading tells is added as far as it goes, and so are documents that are there already.
        assert index.add([{"id": "a", "text": "Rain."}]) == 1
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
        assert index.add(source) == 100
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=10_000))
        assert index.add(source).unchanged == 100
