"""An index that several processes create at once: one of them does, and all of them can open it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from epochal.errors import IndexLockedError
from epochal.storage.schema import WriterLock, create
from epochal.storage.store import Derived, Store

SCRIPT = """
import sys, epochal
from epochal.storage import schema
place_file = schema.place_file
def place(temporary, folder):
    place_file(temporary, folder)
    print("created", flush=True)
schema.place_file = place
import epochal.api
for number in range(int(sys.argv[2])):
    print("ready", flush=True)
    sys.stdin.readline()
    with epochal.open(f"{sys.argv[1]}/{number}", encoder=None) as index:
        print(len(index), flush=True)
"""


def start(folder: Path, rounds: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SCRIPT, str(folder), str(rounds)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def test_one_of_several_processes_creates_an_index_and_all_open_it(tmp_path):
    rounds = 8
    processes = [start(tmp_path, rounds) for _ in range(3)]
    created = []
    for _ in range(rounds):
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        lines = []
        for process in processes:
            lines.append(process.stdout.readline())
            if lines[-1] == "created\n":
                lines.append(process.stdout.readline())
        created.append(lines.count("created\n"))
        assert lines.count("0\n") == 3, lines
    for process in processes:
        process.communicate()
    assert created == [1] * rounds


def test_whoever_opens_a_new_index_waits_for_the_writer_that_builds_its_files(tmp_path, monkeypatch):
    """The writer has its lock, but there are no derived files yet."""
    create(tmp_path / "index", "", 0)
    arrived = threading.Event()
    repair, build = Derived.repair, Derived._repair

    def arrive(self: Derived, connection: sqlite3.Connection, lock: WriterLock) -> None:
        if threading.current_thread() is not threading.main_thread():
            arrived.set()
        repair(self, connection, lock)

    def build_late(self: Derived, connection: sqlite3.Connection) -> None:
        assert arrived.wait(60)
        build(self, connection)

    monkeypatch.setattr(Derived, "repair", arrive)
    monkeypatch.setattr(Derived, "_repair", build_late)
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(lambda: Store.open(tmp_path / "index").close())
        with Store.open(tmp_path / "index", write=True):
            reader.result()
            with pytest.raises(IndexLockedError):
                Store.open(tmp_path / "index", write=True)
