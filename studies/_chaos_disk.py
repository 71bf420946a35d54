"""A disk that is full at every page that an operation writes: it is refused in one sentence, and nothing is lost.

The disk is one in memory; the administrator of a Linux machine can make it. The room that is left grows by a page from
trial to trial until the operation succeeds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from _chaos_children import Ended, Report, Work, run_child
from _chaos_kills import check_files
from _chaos_oracle import State, WrongError

from epochal.storage.store import Store
from storage.whole import DIM, entry

SIZE: Final = 24 << 20
#: Room left by the first trial, and by how much it grows.
PAGE: Final = 4096
ADDED: Final = {f"n{number}": 7 for number in range(12)}


@contextmanager
def mount_small_disk(folder: Path) -> Iterator[bool]:
    """A small disk at a folder; False where there can be none."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", str(folder)]
    is_possible = sys.platform == "linux" and os.geteuid() == 0
    if not is_possible or subprocess.run(command, capture_output=True, check=False).returncode:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path, spare: int) -> Path:
    """Fill the disk, but for some bytes."""
    ballast = folder / "ballast"
    found = os.statvfs(folder)
    ballast.write_bytes(b"\0" * max(found.f_bavail * found.f_bsize - spare, 0))
    return ballast


def add(folder: Path) -> Work:
    """Store documents."""
    return _write(folder, lambda store: store.add([entry(id, version) for id, version in ADDED.items()]))


def delete(folder: Path) -> Work:
    """Delete documents."""
    return _write(folder, lambda store: store.delete(["d0", "d1"]))


def compact(folder: Path) -> Work:
    """Remove deleted rows."""
    return _write(folder, Store.compact)


def rebuild(folder: Path) -> Work:
    """Rebuild derived files."""
    shutil.rmtree(folder / "derived")

    def work(report: Report) -> None:
        Store.open(folder).close()
        report("written")

    return work


def backup(folder: Path) -> Work:
    """Copy the database."""
    return _write(folder, lambda store: store.backup(folder.parent / "copy"))


def create(folder: Path) -> Work:
    """Make another index."""

    def work(report: Report) -> None:
        Store.create(folder.parent / "created", "test", DIM).close()
        report("written")

    return work


def _write(folder: Path, change: Callable[[Store], object]) -> Work:
    def work(report: Report) -> None:
        with Store.open(folder, write=True) as store:
            change(store)
            report("written")

    return work


def _delete_from(state: State) -> State:
    return {id: version for id, version in state.items() if id not in ("d0", "d1")}


#: Each operation, and what it makes of the documents.
OPERATIONS: Final[dict[str, tuple[Callable[[Path], Work], Callable[[State], State]]]] = {
    "add": (add, lambda state: {**state, **ADDED}),
    "delete": (delete, _delete_from),
    "compact": (compact, dict),
    "rebuild": (rebuild, dict),
    "backup": (backup, dict),
    "create": (create, dict),
}


def judge(ended: Ended, disk: Path, before: State, after: State) -> str:
    """What is wrong with an operation on a full disk, once there is room again; empty if nothing is."""
    if ended.how not in ("done", "refused"):
        return f"{ended.how}: {ended.message}"
    if "\n" in ended.message:
        return f"several lines: {ended.message}"
    try:
        found = check_files(disk / "index")
        if ended.how == "done" or "are stored, but" in ended.message or "are deleted, but" in ended.message:
            accepted = [after]
        else:
            accepted = [before, after]
        if found not in accepted:
            return f"{found} is none of {accepted}"
        if (disk / "copy" / "epochal.db").exists() and check_files(disk / "copy") != before:
            return "the backup is not what was copied"
        if (disk / "created" / "epochal.db").exists() and check_files(disk / "created"):
            return "the new index is not empty"
    except WrongError as error:
        return str(error)
    return ""


def run_full_disk(place: Path, name: str, step: int) -> list[dict[str, Any]]:
    """An operation with ever more room, `step` pages at a time; [] where no small disk can be made."""
    disk, original = place / "disk", place / "original"
    place.mkdir(parents=True)
    state = {f"d{number}": 1 for number in range(25)}

    def build(report: Report) -> None:
        with Store.create(original, "test", DIM) as store:
            store.add([entry(id, version) for id, version in {**state, "gone": 1}.items()])
            store.delete(["gone"])

    run_child(build)
    with mount_small_disk(disk) as is_mounted:
        return [_run_operation(name, disk, original, state, step)] if is_mounted else []


def _run_operation(name: str, disk: Path, original: Path, state: State, step: int) -> dict[str, Any]:
    prepare, change = OPERATIONS[name]
    messages, trials, refused, spare = [], 0, 0, 0
    while True:
        for old in disk.iterdir():
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        shutil.copytree(original, disk / "index")
        work = prepare(disk / "index")
        ballast = fill(disk, spare)
        ended = run_child(work)
        ballast.unlink()
        trials += 1
        refused += ended.how == "refused"
        if problem := judge(ended, disk, state, change(state)):
            messages.append(f"{spare} bytes left: {problem}"[-1500:])
        if (ended.how == "done" and not problem) or spare > SIZE // 2:
            break
        spare += step * PAGE
    return {
        "part": "full disk",
        "operation": name,
        "trials": trials,
        "refused": refused,
        "faults": len(messages),
        "messages": messages[:5],
    }
