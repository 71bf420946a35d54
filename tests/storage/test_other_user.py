"""An index is read by a user who may not write it; whatever would write is one sentence."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import epochal
from epochal import Document, Index
from epochal.cli import main
from epochal.errors import StorageError

pytestmark = pytest.mark.skipif(
    not hasattr(os, "setresuid") or os.getuid() != 0, reason="another user can be had by the administrator only"
)
NOBODY = 65_534
QUESTIONS = ("bridge on 5 May 1995", "ferry")


@pytest.fixture
def folder(monkeypatch) -> Iterator[Path]:
    """An index that everybody may read; folders of pytest are private."""
    monkeypatch.setenv("EPOCHAL_CACHE", "")
    place = Path(tempfile.mkdtemp(prefix="epochal-shared-"))
    place.chmod(0o755)
    mask = os.umask(0o022)
    try:
        with Index.create(place / "index", encoder=None) as index:
            index.add(
                Document(f"d{day}", f"The bridge of day {day} was opened on {day} May 1995.") for day in range(1, 9)
            )
            index.delete("d3")
        with Index.open(place / "index") as index:
            for question in QUESTIONS:  # what it imports and loads may lie where the other user cannot read
                index.search(question)
        yield place / "index"
    finally:
        os.umask(mask)
        shutil.rmtree(place)


@contextmanager
def another_user() -> Iterator[None]:
    """Be a user who owns nothing, for as long as the context lasts."""
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@contextmanager
def owner() -> Iterator[None]:
    """Be the owner again."""
    os.setresuid(0, 0, 0)
    try:
        yield
    finally:
        os.setresuid(NOBODY, NOBODY, 0)


def list_files(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*")}


@pytest.mark.parametrize("is_written", [False, True], ids=["nobody writes", "the owner writes"])
def test_another_user_reads_and_sees_later_writes(folder, is_written):
    first = Index.open(folder, write=True) if is_written else None
    with another_user(), Index.open(folder) as index:
        assert (len(index), index.search(QUESTIONS[0])[0].id, index.repairs) == (7, "d5", ())
        with owner(), first or Index.open(folder, write=True) as writer:
            writer.add([Document("late", "A ferry sank in 1977.")])
            writer.delete("d5")
        assert (len(index), index.search(QUESTIONS[1])[0].id, "d5" in index) == (7, "late", False)


def test_what_would_write_is_one_sentence_and_changes_nothing(folder, capsys):
    (folder.parent / "more.jsonl").write_text('{"id": "x", "text": "Rain fell on 3 May 1999."}\n')
    source = str(folder.parent / "more.jsonl")
    commands = [["index", "--from", source], ["delete", "d1"], ["compact"], ["import", "--from", source]]
    shutil.copytree(folder, folder.parent / "own")
    for name, *words in [*commands, ["check", "--repair"]]:
        assert main([name, str(folder.parent / "own"), *words]) == 0
    capsys.readouterr()
    before = list_files(folder)
    with another_user():
        with Index.open(folder) as index:
            calls: list[Callable[[], object]] = [
                lambda: index.add([Document("n", "new")]),
                lambda: index.delete("d1"),
                index.compact,
                lambda: Index.open(folder, write=True),
                lambda: Index.create(folder / "inside", encoder=None),
                lambda: epochal.open(folder.parent / "beside", encoder=None),
            ]
            for call in calls:
                with pytest.raises(
                    StorageError, match=r"cannot be (written: it may only be read|made: Permission denied)$"
                ):
                    call()
            assert index.search(QUESTIONS[0])[0].id == "d5"
        for name, *words in commands:
            assert main([name, str(folder), *words]) == 2
            lines = capsys.readouterr().err.splitlines()
            assert lines == [f"epochal: the index {str(folder)!r} cannot be written: it may only be read"]
        assert main(["check", str(folder), "--repair"]) == 0
    assert list_files(folder) == before


def test_an_index_that_another_user_may_not_read_is_one_sentence(folder):
    for path in (folder / "epochal.db", folder):
        path.chmod(0o700)
        with another_user(), pytest.raises(StorageError) as caught:
            Index.open(folder)
        assert str(folder) in str(caught.value)
        assert "\n" not in str(caught.value)
