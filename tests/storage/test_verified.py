"""Derived files that were verified before are not read again; those that have changed are."""

from __future__ import annotations

import os
import time

import pytest

from epochal.storage import store as stores
from epochal.storage.check import check
from epochal.storage.records import Document, Entry, Passage
from epochal.storage.store import Store

HOUR = 3600


@pytest.fixture
def folder(tmp_path):
    """An index whose files were last changed an hour ago."""
    path = tmp_path / "index"
    with Store.create(path) as store:
        store.add(
            [Entry(Document(f"d{number}", f"Rain fell {number} times."), (Passage(0, 17),)) for number in range(9)]
        )
    age(path)
    return path


def age(folder):
    for file in (folder / "derived").rglob("*"):
        if file.is_file():
            os.utime(file, (time.time() - HOUR, time.time() - HOUR))


@pytest.fixture
def verified(monkeypatch):
    """The names of the files whose checksums are computed."""
    names = []
    find_damage = stores.find_damage

    def record(path, extent, before=None, **options):
        names.append(path.name)
        return find_damage(path, extent, before, **options)

    monkeypatch.setattr(stores, "find_damage", record)
    return names


def open_and_search(folder):
    with Store.open(folder) as store:
        return store.view().search_words("rain", 20).rows.tolist(), store.repairs


def test_files_are_verified_once(folder, verified):
    first = open_and_search(folder)
    assert verified
    verified.clear()
    assert open_and_search(folder) == first == (list(range(9)), [])
    assert not verified


def test_a_file_that_was_just_written_is_verified_each_time(folder, verified):
    for file in (folder / "derived").rglob("*"):
        if file.is_file():
            os.utime(file)
    for _ in range(2):
        verified.clear()
        open_and_search(folder)
        assert verified


def test_a_file_that_has_changed_is_verified_and_mended(folder, verified):
    open_and_search(folder)
    (file,) = (folder / "derived").rglob("documents.seq.*")
    content = bytearray(file.read_bytes())
    content[0] ^= 1
    file.write_bytes(content)
    verified.clear()
    found, repairs = open_and_search(folder)
    assert file.name in verified
    assert found == list(range(9))
    assert len(repairs) == 1


def test_check_trusts_no_record(folder):
    open_and_search(folder)
    (file,) = (folder / "derived").rglob("documents.seq.*")
    times = file.stat()
    content = bytearray(file.read_bytes())
    content[0] ^= 1
    file.write_bytes(content)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # as where the disk fails
    (finding,) = check(folder, repair=False).findings
    assert file.name in str(finding)


@pytest.mark.parametrize("record", [b"", b"{", b"[]", b'{"a": 1}'])
def test_a_damaged_record_is_as_good_as_none(folder, verified, record):
    open_and_search(folder)
    (folder / "derived" / "verified.json").write_bytes(record)
    verified.clear()
    assert open_and_search(folder) == (list(range(9)), [])
    assert verified


def test_writes_are_verified_by_the_next_process(folder, verified):
    open_and_search(folder)
    with Store.open(folder, write=True) as store:
        store.add([Entry(Document("new", "Rain again."), (Passage(0, 11),))])
    verified.clear()
    found, repairs = open_and_search(folder)
    assert (sorted(found), repairs) == (list(range(10)), [])
    assert verified
