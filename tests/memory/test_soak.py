"""A memory that is killed again and again loses nothing that it acknowledged."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from epochal.memory import Memory

PROGRAM = """
import sys
from epochal.memory import Memory

memory = Memory.open(sys.argv[1], encoder="static")
run, number = sys.argv[2], 0
while True:
    id = memory.remember(f"In run {run} I saw bird number {number} yesterday.", at="2023-05-08", id=f"{run}-{number}")
    print(id, flush=True)
    number += 1
    if number % 50 == 0:
        memory.recall("Which bird?", now="2023-06-01", k=3)
"""


@pytest.mark.slow
def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    chance = random.Random(27)
    acknowledged: list[str] = []
    for run in range(6):
        command = [sys.executable, "-c", PROGRAM, os.fspath(tmp_path / "memory"), str(run)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(chance.randint(20, 300)):
                acknowledged.append(process.stdout.readline().strip())
            process.kill()
    with Memory.open(tmp_path / "memory") as memory:
        stored = {turn.id for turn in memory}
        assert set(acknowledged) <= stored
        last = acknowledged[-1]
        run, number = last.split("-")
        recalled = memory.recall(f"Which bird was number {number} in run {run}?", now="2023-06-01", k=50)
        assert last in recalled.ids
