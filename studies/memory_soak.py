"""Does a memory lose a turn that it acknowledged, however often its process is killed?

A process remembers one turn after another, prints the id of each that was acknowledged, and recalls now and then; it is
killed (SIGKILL) at chance moments and started again, until there are `--turns`. After each kill the memory is opened,
and every acknowledged id must be there; at the end `epochal check` must find nothing wrong. The memory is in the folder
for temporary files (TMPDIR): most of the time goes into writing each turn through to the disk, and a kill takes nothing
from a folder in main memory either.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _record import Row, save

from epochal.memory import Memory
from epochal.storage.check import check

SEED = 27
TURNS = 100_000
KILLS = 40
PROGRAM = """
import sys
from epochal.memory import Memory

memory = Memory.open(sys.argv[1], encoder="static")
run, number = sys.argv[2], 0
while True:
    id = memory.remember(f"In run {run} I saw bird number {number} yesterday.", at="2023-05-08", id=f"{run}-{number}")
    print(id, flush=True)
    number += 1
    if number % 500 == 0:
        memory.recall("Which bird did I see?", now="2023-06-01", k=3)
"""


def remember_until_killed(folder: Path, run: int, count: int) -> list[str]:
    """Start the process, read so many acknowledgements, kill it, and return all that it printed."""
    command = [sys.executable, "-c", PROGRAM, os.fspath(folder), str(run)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ids = [process.stdout.readline() for _ in range(count)]
        process.kill()
        ids += process.stdout.readlines()
    return [id.strip() for id in ids if id.endswith("\n")]


def soak(folder: Path, turns: int, kills: int) -> list[Row]:
    """Kill a memory again and again while it grows to so many turns."""
    chance = random.Random(SEED)
    acknowledged: set[str] = set()
    shares = [chance.uniform(0.5, 1.5) for _ in range(kills)]
    lost: set[str] = set()
    start = time.perf_counter()
    for run, share in enumerate(shares):
        acknowledged.update(remember_until_killed(folder, run, max(1, round(turns * share / sum(shares)))))
        with Memory.open(folder, encoder="static") as memory:
            lost |= acknowledged - {turn.id for turn in memory}
        print(f"kill {run + 1} of {kills}: {len(acknowledged):,} acknowledged, {len(lost)} lost", flush=True)
    with Memory.open(folder, encoder="static") as memory:
        stored = len(memory)
    problems = check(folder, repair=False).findings
    return [
        {
            "kills": kills,
            "acknowledged": len(acknowledged),
            "stored": stored,
            "lost": len(lost),
            "problems": len(problems),
            "minutes": round((time.perf_counter() - start) / 60, 1),
        }
    ]


def main() -> None:
    """Run the soak, and write its result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--kills", type=int, default=KILLS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = soak(Path(folder) / "memory", given.turns, given.kills)
    save("memory_soak", "Does a killed memory lose a turn that it acknowledged?", "made turns", SEED, rows)


if __name__ == "__main__":
    main()
