"""Each call to the file system, SQLite and tantivy fails once: the result is one sentence, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tantivy

from epochal.errors import EpochalError
from epochal.storage.check import check
from epochal.storage.store import Store
from storage.whole import DIM, check_whole, entry

OPERATIONS: dict[str, Callable[[Path], object]] = {
    "open": lambda folder: Store.open(folder).close(),
    "read": lambda folder: use(folder, lambda store: check_whole(store.view())),
    "add": lambda folder: use(folder, lambda store: store.add([entry("new", 1)])),
    "delete": lambda folder: use(folder, lambda store: store.delete(["d1"])),
    "compact": lambda folder: use(folder, Store.compact),
    "backup": lambda folder: use(folder, lambda store: store.backup(folder.parent / "copy")),
    "check": check,
}
#: Where each call is, its name, and what it raises.
CALLS: dict[str, tuple[Any, str, Exception]] = {
    "read a file": (Path, "read_bytes", OSError(5, "Input/output error")),
    "open a file": (Path, "open", OSError(24, "Too many open files")),
    "write a file": (Path, "write_bytes", OSError(28, "No space left on device")),
    "rename": (os, "replace", PermissionError(13, "Permission denied")),
    "link": (os, "link", FileExistsError(17, "File exists")),
    "make a folder": (Path, "mkdir", PermissionError(13, "Permission denied")),
    "map": (np, "memmap", OSError(12, "Cannot allocate memory")),
    "connect": (sqlite3, "connect", sqlite3.OperationalError("unable to open database file")),
    "open words": (tantivy, "Index", ValueError("Schema error")),
}


def use(folder: Path, change: Callable[[Store], object]) -> None:
    with Store.open(folder) as store:
        change(store)


def run(operation: Callable[[Path], object], folder: Path) -> str:
    """What an operation is refused with; empty if it succeeds."""
    try:
        operation(folder)
    except EpochalError as error:
        return str(error)
    return ""


def fail_once(monkeypatch: pytest.MonkeyPatch, call: str, number: int) -> list[int]:
    """Let the call of that number fail; the list counts the calls."""
    place, name, error = CALLS[call]
    real, counted = getattr(place, name), [0]

    def make(call: Callable[..., Any]) -> Callable[..., Any]:
        def maybe_fail(*arguments: Any, **options: Any) -> Any:
            counted[0] += 1
            if counted[0] == number:
                raise error
            return call(*arguments, **options)

        return maybe_fail

    replaced = make(real)
    if place is tantivy:
        replaced.open = make(real.open)  # type: ignore[attr-defined]
    monkeypatch.setattr(place, name, replaced)
    return counted


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("boundary") / "index"
    with Store.create(folder, "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(4)])
        store.delete(["d3"])
    return folder


@pytest.mark.parametrize(
    "operation",
    [name if name in ("add", "read") else pytest.param(name, marks=pytest.mark.slow) for name in OPERATIONS],
)
@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_fails_once(original, tmp_path, monkeypatch, call, operation):
    accepted = [{"d0": 1, "d1": 1, "d2": 1}, {"d0": 1, "d1": 1, "d2": 1, "new": 1}, {"d0": 1, "d2": 1}]
    for number in range(1, 30):
        place = tmp_path / str(number)
        shutil.copytree(original, place / "index")
        with monkeypatch.context() as patched:
            counted = fail_once(patched, call, number)
            message = run(OPERATIONS[operation], place / "index")
        assert "\n" not in message
        with Store.open(place / "index") as store:
            assert check_whole(store.view()) in accepted
        shutil.rmtree(place)
        if counted[0] < number:
            break
