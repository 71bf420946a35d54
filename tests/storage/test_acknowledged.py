"""Acknowledged writes that SQLite's log has lost are reported until somebody accepts the loss."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from epochal.cli import main
from epochal.errors import StorageError
from epochal.storage.acknowledged import RECORD
from epochal.storage.check import check
from epochal.storage.store import Store
from storage.whole import DIM, check_whole, entry

LOST = "3 writes are missing that were acknowledged (generations 3 to 5, 6 documents added)"


def make_without_log(folder: Path, *, keeps_derived: bool = True) -> Path:
    """An index of five acknowledged writes, the last three of which lay in the log, which is gone."""
    with Store.create(folder / "live", "test", DIM) as store:
        store.add([entry("a", 1)])
        store.add([entry("b", 1)])
    with Store.open(folder / "live", write=True) as store:
        for number in range(3):
            store.add([entry(f"{number}-first", 1), entry(f"{number}-second", 1)])
        shutil.copytree(folder / "live", folder / "copy")
    for file in (folder / "copy").glob("epochal.db-*"):
        file.unlink()
    if not keeps_derived:
        shutil.rmtree(folder / "copy" / "derived")
    return folder / "copy"


def list_losses(folder: Path) -> list[str]:
    """What a process that opens the index reports about lost writes."""
    with Store.open(folder) as store:
        return [sentence for sentence in store.repairs if "were acknowledged" in sentence]


def find_losses(folder: Path, *, repair: bool) -> list[bool]:
    """For each loss that `check` finds, whether it is accepted now."""
    report = check(folder, repair=repair)
    return [item.mended for item in report.findings if item.where == "writes" and LOST in item.what]


@pytest.mark.parametrize("keeps_derived", [True, False])
def test_lost_writes_are_reported_with_every_opening_and_check(tmp_path, keeps_derived):
    folder = make_without_log(tmp_path, keeps_derived=keeps_derived)
    for _ in range(2):
        (sentence,) = list_losses(folder)
        assert LOST in sentence
        assert find_losses(folder, repair=False) == [False]
    with Store.open(folder) as store:
        assert set(check_whole(store.view())) == {"a", "b"}


def test_later_writes_do_not_hide_a_loss(tmp_path):
    folder = make_without_log(tmp_path)
    for number in range(5):  # beyond the generation that was lost
        with Store.open(folder, write=True) as store:
            store.add([entry(f"new{number}", 1)])
    assert len(list_losses(folder)) == 1
    assert find_losses(folder, repair=False) == [False]


def test_derived_files_know_of_a_loss_where_the_record_is_gone(tmp_path):
    folder = make_without_log(tmp_path)
    (folder / RECORD).unlink()
    for _ in range(2):
        (sentence,) = list_losses(folder)
        assert "3 writes are missing" in sentence


def test_check_accepts_a_loss(tmp_path):
    folder = make_without_log(tmp_path)
    assert find_losses(folder, repair=True) == [True]
    assert list_losses(folder) == []
    assert check(folder, repair=False).findings == ()
    with Store.open(folder, write=True) as store:
        store.add([entry("later", 1)])
    assert check(folder, repair=False).findings == ()


def test_a_loss_is_not_accepted_while_another_writes(tmp_path):
    folder = make_without_log(tmp_path)
    with Store.open(folder, write=True):
        assert find_losses(folder, repair=True) == [False]
    assert find_losses(folder, repair=True) == [True]


def test_the_command_reports_a_loss_and_accepts_it(tmp_path, capsys):
    folder = make_without_log(tmp_path)
    assert main(["check", str(folder)]) == 1
    shown = capsys.readouterr().out
    assert LOST in shown
    assert "damaged documents" not in shown
    assert main(["check", str(folder), "--repair"]) == 0
    assert main(["check", str(folder)]) == 0


def test_two_losses_are_both_reported(tmp_path):
    folder = make_without_log(tmp_path)
    with Store.open(folder, write=True) as store:
        store.add([entry("new", 1)])
    with Store.open(folder, write=True) as store:
        store.add([entry("newer", 1)])
        shutil.copytree(folder, tmp_path / "second")
    for file in (tmp_path / "second").glob("epochal.db-*"):
        file.unlink()
    assert len(list_losses(tmp_path / "second")) == 2


def test_a_restored_backup_is_no_loss(tmp_path):
    folder = tmp_path / "live"
    with Store.create(folder, "test", DIM) as store:
        store.add([entry("a", 1)])
        store.backup(tmp_path / "backup")
        store.add([entry("b", 1)])
    shutil.copyfile(tmp_path / "backup" / "epochal.db", folder / "epochal.db")
    assert list_losses(folder) == []
    assert check(folder).is_sound
    assert check(folder, repair=False).findings == ()


def test_a_folder_that_was_copied_and_put_back_is_no_loss(tmp_path):
    folder = tmp_path / "live"
    with Store.create(folder, "test", DIM) as store:
        store.add([entry("a", 1)])
    shutil.copytree(folder, tmp_path / "copy")
    with Store.open(folder, write=True) as store:
        store.add([entry("b", 1)])
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "copy", folder)
    assert list_losses(folder) == []
    assert check(folder, repair=False).findings == ()


@pytest.mark.parametrize("content", [b"", b"nonsense", b'{"generation": 7}\n00000000\n', None])
def test_a_damaged_record_is_found_and_replaced(tmp_path, content):
    folder = tmp_path / "index"
    with Store.create(folder, "test", DIM) as store:
        store.add([entry("a", 1)])
    (folder / RECORD).unlink()
    if content is None:
        (folder / RECORD).mkdir()
    else:
        (folder / RECORD).write_bytes(content)
    assert list_losses(folder) == []
    (finding,) = check(folder, repair=False).findings
    assert (finding.where, finding.mended, finding.what) == ("derived", False, f"{RECORD} is damaged")
    assert check(folder).is_sound
    assert check(folder, repair=False).findings == ()


def test_an_index_of_an_earlier_version_gets_a_record_with_its_next_write(tmp_path):
    folder = tmp_path / "index"
    with Store.create(folder, "test", DIM) as store:
        store.add([entry("a", 1)])
    (folder / RECORD).unlink()
    assert check(folder, repair=False).findings == ()
    with Store.open(folder) as store:
        store.add([entry("b", 1)])
    assert (folder / RECORD).exists()


def test_a_write_whose_record_cannot_be_written_is_still_acknowledged(tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError("no space left")

    folder = tmp_path / "index"
    with Store.create(folder, "test", DIM) as store:
        store.add([entry("a", 1)])
        monkeypatch.setattr("epochal.storage.acknowledged.os.replace", fail)
        with pytest.raises(StorageError, match="1 documents are stored"):  # derived files cannot be written either
            store.add([entry("b", 1)])
    monkeypatch.undo()
    with Store.open(folder) as store:
        assert set(check_whole(store.view())) == {"a", "b"}
    assert check(folder, repair=False).is_sound


def measure_log(folder: Path) -> int:
    log = folder / "epochal.db-wal"
    return log.stat().st_size if log.exists() else 0


def test_the_log_is_merged_at_the_end_of_a_large_batch_and_of_writing(tmp_path):
    folder = tmp_path / "index"
    Store.create(folder, "test", DIM).close()
    with Store.open(folder) as reader:  # with another process, closing does not merge the log by itself
        with Store.open(folder, write=True) as writer:
            with writer.bulk():
                writer.add([entry(f"d{number}", 1) for number in range(1500)])
                assert measure_log(folder) > 1 << 20
            assert measure_log(folder) == 0
            writer.add([entry("last", 1)])
            assert measure_log(folder) > 0
        assert measure_log(folder) == 0
        assert reader.view().document_count == 1501
