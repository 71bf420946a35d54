"""Derived files belong to one document database: swaps, restores, copies and rollbacks never mix two of them."""

from __future__ import annotations

import re
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from epochal.errors import IndexReplacedError, StorageError
from epochal.storage.check import check
from epochal.storage.columns import DerivedManifest, Extent, read_manifest, write_manifest
from epochal.storage.store import Store
from storage.whole import DIM, check_whole, entry


def make(folder: Path, name: str, writes: int = 1) -> Path:
    with Store.create(folder, "test", DIM) as store:
        for number in range(writes):
            store.add([entry(f"{name}{number}", 1)])
    return folder


def swap(live: Path, following: Path) -> Path:
    """What an operator does: the folder is moved away, and another takes its place."""
    old = live.with_name(f"{live.name}.old")
    live.rename(old)
    following.rename(live)
    return old


def read_ids(folder: Path) -> set[str]:
    """The documents that a new process finds; everything about each is compared with what was stored."""
    with Store.open(folder) as store:
        found = set(check_whole(store.view()))
        assert check(folder, repair=False).findings == ()
        return found


def read_identity(folder: Path) -> str:
    connection = sqlite3.connect(folder / "epochal.db")
    found = connection.execute("SELECT value FROM meta WHERE key = 'identity'").fetchone()
    connection.close()
    return found[0] if found else ""


def test_every_index_and_every_backup_has_an_identity_of_its_own(tmp_path):
    first, second = make(tmp_path / "first", "a"), make(tmp_path / "second", "a")
    with Store.open(first) as store:
        store.backup(tmp_path / "backup")
    identities = [read_identity(folder) for folder in (first, second, tmp_path / "backup")]
    assert all(len(identity) == 32 for identity in identities)
    assert len(set(identities)) == 3
    manifest = DerivedManifest.from_bytes(read_manifest(first))
    assert manifest is not None
    assert manifest.identity == identities[0]


@pytest.mark.parametrize("is_rebuilt", [False, True])
def test_a_reader_notices_that_its_folder_was_swapped(tmp_path, is_rebuilt):
    live, following = make(tmp_path / "live", "museum", 2), make(tmp_path / "next", "bridge", 2)
    if is_rebuilt:
        shutil.rmtree(following / "derived")
    with Store.open(live) as reader:
        before = reader.view()
        old = swap(live, following)
        assert set(check_whole(reader.view())) == {"bridge0", "bridge1"}
        assert set(check_whole(before)) == {"museum0", "museum1"}
        assert "was replaced by another" in reader.repairs[-1]
    assert read_ids(live) == {"bridge0", "bridge1"}
    assert read_ids(old) == {"museum0", "museum1"}


def test_a_reader_goes_on_while_its_folder_is_away(tmp_path):
    live, following = make(tmp_path / "live", "museum"), make(tmp_path / "next", "bridge")
    with Store.open(live) as reader:
        view = reader.view()
        live.rename(tmp_path / "away")
        assert reader.view() is view
        following.rename(live)
        assert set(check_whole(reader.view())) == {"bridge0"}


def test_a_reader_without_a_view_reports_that_its_folder_is_away(tmp_path):
    live = make(tmp_path / "live", "museum")
    with Store.open(live) as reader:
        live.rename(tmp_path / "away")
        with pytest.raises(StorageError, match="is not an index"):
            reader.view()


def test_a_swap_for_an_index_with_other_vectors_needs_a_new_reader(tmp_path):
    live = make(tmp_path / "live", "museum")
    Store.create(tmp_path / "next", "other", DIM + 1).close()
    with Store.open(live) as reader:
        swap(live, tmp_path / "next")
        with pytest.raises(IndexReplacedError, match="open it again"):
            reader.view()


def test_a_reader_whose_folder_was_swapped_writes_to_the_new_one(tmp_path):
    live, following = make(tmp_path / "live", "museum"), make(tmp_path / "next", "bridge")
    with Store.open(live) as store:
        old = swap(live, following)
        store.add([entry("late", 1)])
    assert read_ids(live) == {"bridge0", "late"}
    assert read_ids(old) == {"museum0"}


def end_bulk(writer: Store) -> None:
    with writer.bulk():
        pass


CHANGES: dict[str, Callable[[Store], object]] = {
    "add": lambda writer: writer.add([entry("lost", 1)]),
    "delete": lambda writer: writer.delete(["museum0"]),
    "compact": Store.compact,
    "bulk": end_bulk,
    "view": Store.view,
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_writer_whose_folder_was_swapped_is_refused(tmp_path, change):
    live, following = make(tmp_path / "live", "museum"), make(tmp_path / "next", "bridge")
    with Store.open(live, write=True) as writer:
        writer.add([entry("museum1", 1)])
        old = swap(live, following)
        with pytest.raises(IndexReplacedError, match="open it again"):
            CHANGES[change](writer)
    assert read_ids(live) == {"bridge0"}
    assert read_ids(old) == {"museum0", "museum1"}


def test_a_swap_in_the_middle_of_a_bulk_write(tmp_path):
    live, following = make(tmp_path / "live", "museum"), make(tmp_path / "next", "bridge")
    with Store.open(live, write=True) as writer, pytest.raises(IndexReplacedError), writer.bulk():  # noqa: PT012
        writer.add([entry("museum1", 1)])
        old = swap(live, following)
    assert read_ids(live) == {"bridge0"}
    assert read_ids(old) == {"museum0", "museum1"}


def restore(backup: Path, live: Path) -> None:
    shutil.copyfile(backup / "epochal.db", live / "restored")
    for log in ("epochal.db-wal", "epochal.db-shm"):  # SQLite would apply the log to whatever file is there
        (live / log).unlink(missing_ok=True)
    (live / "restored").replace(live / "epochal.db")


@pytest.mark.parametrize("copied", ["backup", "file"])
@pytest.mark.parametrize("mended", ["open", "check"])
def test_a_restored_database_beside_newer_derived_files(tmp_path, copied, mended):
    live = make(tmp_path / "live", "museum", 2)
    if copied == "backup":
        with Store.open(live) as store:
            store.backup(tmp_path / "backup")
    else:
        (tmp_path / "backup").mkdir()
        shutil.copyfile(live / "epochal.db", tmp_path / "backup" / "epochal.db")
    with Store.open(live, write=True) as store:
        for number in range(2, 5):
            store.add([entry(f"museum{number}", 1)])
    restore(tmp_path / "backup", live)
    if mended == "check":
        assert check(live, repair=False).findings
        assert check(live).is_sound
        assert check(live).findings == ()
    else:
        with Store.open(live) as store:
            assert "rebuilt" in store.repairs[-1]
            # A copy of the file, unlike a backup, is the same index: its later writes are missing.
            assert ("were acknowledged" in store.repairs[0]) == (copied == "file")
        assert [finding.where for finding in check(live).findings] == ["writes"] * (copied == "file")
    assert read_ids(live) == {"museum0", "museum1"}
    with Store.open(live, write=True) as store:
        for number in range(3):
            store.add([entry(f"bridge{number}", 1)])
    assert read_ids(live) == {"museum0", "museum1", "bridge0", "bridge1", "bridge2"}


@pytest.mark.parametrize("mended", ["open", "check"])
def test_writes_that_a_damaged_log_lost_are_reported(tmp_path, mended):
    """SQLite reads a log up to the first damaged page, and is silent about the rest."""
    live = make(tmp_path / "live", "museum", 2)
    with Store.open(live, write=True) as store:
        for number in range(2, 5):
            store.add([entry(f"museum{number}", 1)])
        copy = tmp_path / "copy"
        shutil.copytree(live, copy)
    log = bytearray((copy / "epochal.db-wal").read_bytes())
    log[len(log) // 2] ^= 1
    (copy / "epochal.db-wal").write_bytes(log)
    reported = r"[1-3] writes are missing.*restored.*log"
    if mended == "check":
        found = check(copy, repair=False).findings
        assert [finding.where for finding in found] == ["writes", "derived"]
        assert all(re.search(reported, finding.what) for finding in found)
    with Store.open(copy) as store:
        assert re.search(reported, store.repairs[0])
        assert {"museum0", "museum1"} <= set(check_whole(store.view()))


def test_a_reader_notices_that_its_database_was_restored(tmp_path):
    live = make(tmp_path / "live", "museum", 2)
    with Store.open(live) as reader:
        reader.backup(tmp_path / "backup")
        with Store.open(live, write=True) as writer:
            writer.add([entry("late", 1)])
        assert set(check_whole(reader.view())) == {"museum0", "museum1", "late"}
        restore(tmp_path / "backup", live)
        assert set(check_whole(reader.view())) == {"museum0", "museum1"}


@pytest.mark.parametrize("further", [0, 1, 3])
def test_two_copies_that_went_different_ways(tmp_path, further):
    """A copy has the identity of its original; each write marks the way it went."""
    first = make(tmp_path / "first", "a", 2)
    second = tmp_path / "second"
    shutil.copytree(first, second)
    assert read_ids(second) == {"a0", "a1"}
    for folder, name, writes in ((first, "first", 1), (second, "second", 1 + further)):
        with Store.open(folder, write=True) as store:
            for number in range(writes):
                store.add([entry(f"{name}{number}", 1)])
    shutil.rmtree(second / "derived")
    shutil.copytree(first / "derived", second / "derived")
    assert read_ids(second) == {"a0", "a1", *(f"second{number}" for number in range(1 + further))}


def test_an_index_of_an_earlier_version_gets_an_identity_with_its_next_write(tmp_path):
    folder = make(tmp_path / "index", "a", 2)
    forget_identity(folder)
    assert read_ids(folder) == {"a0", "a1"}
    with Store.open(folder) as reader, Store.open(folder, write=True) as writer:
        assert reader.view().document_count == 2
        writer.add([entry("b", 1)])
        assert set(check_whole(reader.view())) == {"a0", "a1", "b"}
        assert reader.repairs == writer.repairs == []
    manifest = DerivedManifest.from_bytes(read_manifest(folder))
    assert manifest is not None
    assert manifest.identity == read_identity(folder) != ""


def forget_identity(folder: Path) -> None:
    """Make the files what an earlier version wrote."""
    connection = sqlite3.connect(folder / "epochal.db")
    connection.execute("DELETE FROM meta WHERE key = 'identity'")
    connection.execute("DROP TABLE history")
    connection.commit()
    connection.close()
    with Store.open(folder, write=True) as store:
        assert store.repairs


def test_word_files_that_cannot_be_opened_are_rebuilt(tmp_path):
    """Files that are what was written, but of a version of tantivy that this one cannot read."""
    folder = make(tmp_path / "index", "a", 2)
    harm_words(folder)
    found = check(folder, repair=False)
    assert not found.is_sound
    with Store.open(folder) as store:
        assert set(check_whole(store.view())) == {"a0", "a1"}
        assert "rebuilt" in store.repairs[-1]
    harm_words(folder)
    report = check(folder)
    assert report.is_sound
    assert len(report.findings) == 1
    assert read_ids(folder) == {"a0", "a1"}


def harm_words(folder: Path) -> None:
    manifest = DerivedManifest.from_bytes(read_manifest(folder))
    assert manifest is not None
    meta = folder / "derived" / manifest.folder / manifest.words / "meta.json"
    data = meta.read_bytes().replace(b'"segments"', b'"sectors!"')
    meta.write_bytes(data)
    extents = {**manifest.word_files, "meta.json": Extent(len(data), zlib.crc32(data))}
    write_manifest(folder, replace(manifest, word_files=extents))
