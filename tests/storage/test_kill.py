"""Nothing that was acknowledged is lost, and nothing is half there, however often a writer is killed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from epochal.storage.store import Store
from storage.whole import DIM, check_whole

WRITER = Path(__file__).with_name("busy_writer.py")
Docs = dict[str, "int | None"]


def killed_writer(folder: Path, seed: int, acks: int, delay: float) -> tuple[list[Docs], tuple[str, Docs] | None]:
    """Runs a writer and kills it some time after a number of acknowledgements; what it acknowledged, and began."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(WRITER.parents[1]), *sys.path])}
    command = [sys.executable, str(WRITER), str(folder), str(seed), "1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stdout is not None
        lines = []
        while sum(line[0] == "!" for line in lines) < acks:
            line = child.stdout.readline()
            assert line, child.stderr.read()
            lines.append(line)
        try:
            child.wait(timeout=delay)  # lets the writer get some way into the next write
        except subprocess.TimeoutExpired:
            child.kill()
        lines += [line for line in child.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    done, begun = [], None
    for line in lines:
        what, docs = json.loads(line[1:])
        if line[0] == "!":
            done.append(docs)
            begun = None if what != "add" or begun is None or begun[0] != "bulk" else begun
        else:
            begun = (what, docs)
    return done, begun


def applied(state: dict[str, int], docs: Docs) -> dict[str, int]:
    merged = {**state, **docs}
    return {id: version for id, version in merged.items() if version is not None}


def hammer(folder: Path, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    Store.create(folder, "test", DIM).close()
    state: dict[str, int] = {}
    for number in range(kills):
        done, begun = killed_writer(folder, seed + number, rng.randint(0, 6), rng.choice([0, 0.005, 0.02, 0.05, 0.1]))
        for docs in done:
            state = applied(state, docs)
        with Store.open(folder) as store:
            seen = check_whole(store.view())
        possible = [state]
        if begun is not None and begun[0] == "bulk":  # each document was a write of its own
            for id, version in begun[1].items():
                possible.append(applied(possible[-1], {id: version}))
        elif begun is not None:
            possible.append(applied(state, begun[1]))
        assert seen in possible, f"after kill {number}"
        state = seen


def test_nothing_is_lost_by_kills(tmp_path):
    hammer(tmp_path / "index", 6, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 11_000, 1000))
def test_nothing_is_lost_by_many_kills(tmp_path, seed):
    hammer(tmp_path / "index", 20, seed)
