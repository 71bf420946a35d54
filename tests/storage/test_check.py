"""`check` finds what is wrong, names it, and mends what can be built anew."""

from __future__ import annotations

import sqlite3
import struct

import numpy as np
import pytest

from epochal.errors import StorageError
from epochal.storage.building import update_derived
from epochal.storage.check import check
from epochal.storage.columns import DerivedManifest, append_rows, read_manifest, write_manifest
from epochal.storage.records import Document, Entry
from epochal.storage.schema import WriterLock, connect
from epochal.storage.store import Store
from storage.whole import DIM, check_whole, entry


@pytest.fixture
def folder(tmp_path):
    with Store.create(tmp_path / "index", "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(30)])
        store.delete(["d3"])
    return tmp_path / "index"


def test_a_sound_index(folder):
    report = check(folder)
    assert (report.findings, report.is_sound, report.documents) == ((), True, 29)
    with Store.open(folder) as store:
        assert report.passages == store.view().passage_count


def test_what_is_no_index(tmp_path):
    with pytest.raises(StorageError, match="is not an index"):
        check(tmp_path)


@pytest.mark.parametrize("repair", [True, False])
def test_damaged_derived_files(folder, repair):
    victim = next((folder / "derived").glob("set-*/content.start.i8"))
    victim.write_bytes(victim.read_bytes()[:-1] + b"?")
    report = check(folder, repair=repair)
    assert [(f.where, f.what, f.mended) for f in report.findings] == [
        ("derived", "content.start.i8 is not what was written", repair)
    ]
    assert report.is_sound == repair
    assert bool(check(folder, repair=False).findings) != repair


def test_damaged_derived_files_while_another_writes(folder):
    lock = WriterLock(folder)
    lock.acquire()
    next((folder / "derived").glob("set-*/content.start.i8")).unlink()
    report = check(folder)
    lock.release()
    assert not report.is_sound
    assert "another writer has the index" in report.findings[-1].what


HARMS = {
    "document 'd5' is not what was stored": "UPDATE documents SET text = text || '!' WHERE id = 'd5'",
    "document 'd5' cannot be read": "UPDATE documents SET published = x'00' WHERE id = 'd5'",
    "document 'd5' cannot be read: E": "UPDATE documents SET meta = '' WHERE id = 'd5'",
    "document 'd5' died before it was born": "UPDATE documents SET died = 0 WHERE id = 'd5'",
    "has a passage from 0 to 100000, beyond its text": "UPDATE passages SET end_char = 100000 WHERE start_char = 0",
    "more of that kind": "UPDATE passages SET end_char = 100000",
    "which are no whole number of them": "UPDATE passages SET datings = x'00' WHERE start_char = 0",
    "has a dating beyond its passage": "UPDATE passages SET end_char = start_char WHERE length(datings) > 0",
    "has lost its row in documents": "DELETE FROM documents WHERE id = 'd5'",
    "passages belong to no document": "DELETE FROM documents WHERE id = 'd5'",
    "has no vector": "DELETE FROM vectors WHERE id = (SELECT max(id) FROM vectors)",
    "has lost its row in passages": "DELETE FROM passages WHERE id = (SELECT max(id) FROM passages)",
    "lacks a passage before": "DELETE FROM passages WHERE start_char = 0",
    "has 3 bytes, but must have 32": "UPDATE vectors SET vector = x'010203' WHERE id = (SELECT min(id) FROM vectors)",
    "holds a number that is not finite": "UPDATE vectors SET vector = :nan WHERE id = (SELECT min(id) FROM vectors)",
    "the next document would get the number 1": "UPDATE meta SET value = 1 WHERE key = 'next'",
    "documents have a generation after the last": "UPDATE meta SET value = 0 WHERE key = 'generation'",
}


@pytest.mark.parametrize("told", HARMS)
def test_a_truth_that_is_wrong(folder, told):
    connection = sqlite3.connect(folder / "epochal.db")
    nan = struct.pack(f"<{DIM}f", *[float("nan")] * DIM)
    changed = connection.execute(HARMS[told], {"nan": nan} if ":nan" in HARMS[told] else {})
    assert changed.rowcount
    connection.commit()
    connection.close()
    report = check(folder)
    assert any(told in finding.what for finding in report.findings if finding.where == "truth"), report.findings
    assert not report.is_sound


def test_a_broken_file(folder):
    written = bytearray((folder / "epochal.db").read_bytes())
    for place in range(3 * 8192, len(written), 1000):
        written[place] ^= 0xFF
    (folder / "epochal.db").write_bytes(written)
    with pytest.raises(StorageError, match=r"epochal\.db is damaged"):
        raise StorageError(check(folder).findings[0].what)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM fields WHERE seq = 5",
        "UPDATE fields SET value = 'other' WHERE seq = 5 AND name = 'n'",
        "INSERT INTO fields VALUES ('x', 1, 2)",
    ],
)
def test_a_table_of_metadata_that_is_wrong_is_filled_anew(tmp_path, damage):
    folder = tmp_path / "fields"
    with Store.create(folder) as store:
        store.add(
            [
                Entry(Document(f"d{n}", "Rain.", meta={"n": n, "on": n > 3, "tags": ["a", 1.5, "b" * 300]}), ())
                for n in range(9)
            ]
        )
        store.delete(["d8"])
    assert check(folder).findings == ()
    with sqlite3.connect(folder / "epochal.db") as connection:
        connection.execute(damage)
    connection.close()
    (finding,) = check(folder, repair=False).findings
    assert (finding.where, finding.mended) == ("derived", False)
    assert "the table of metadata values" in finding.what
    assert check(folder).is_sound
    assert check(folder).findings == ()


def test_derived_files_that_are_whole_but_wrong_are_built_again(folder):
    """Files whose checksums are right, and which say something else than the truth."""
    manifest = DerivedManifest.from_bytes(read_manifest(folder))
    connection = connect(folder)
    place = folder / "derived" / manifest.folder
    for name, values in (("vectors", np.zeros(DIM)), ("content.row", np.array([0]))):
        width = DIM if name == "vectors" else 1
        extent = manifest.columns[name]
        cut = type(extent)(0, 0)
        whole = np.fromfile(next(place.glob(f"{name}.*")), "<f4" if name == "vectors" else "<i4")
        manifest.columns[name] = append_rows(place, name, cut, np.concatenate([values, whole[width:]]))
    write_manifest(folder, manifest)
    report = check(folder)
    assert [finding for finding in report.findings if "other vectors" in finding.what]
    assert report.is_sound
    assert check(folder).findings == ()
    with Store.open(folder) as store:
        assert len(check_whole(store.view())) == 29
    assert (
        update_derived(folder, connection, DerivedManifest.from_bytes(read_manifest(folder)))[0].folder
        != manifest.folder
    )
    connection.close()
