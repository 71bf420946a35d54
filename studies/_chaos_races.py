"""Several processes open an index that is not there yet: one of them creates it, and all of them open it."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from _chaos_children import Child, Ended, Report

import epochal
from epochal.storage import schema
from epochal.storage.schema import connect, read_state

PROCESSES = 4


def run_round(folder: Path, count: int) -> list[Ended]:
    """Let some processes open an index at the same moment; each reports whether it created it, and which it is."""
    gate, opener = os.pipe()
    place_file = schema.place_file

    def work(report: Report) -> None:
        os.close(opener)

        def place(temporary: Path, target: Path) -> None:
            place_file(temporary, target)
            report("created")

        schema.place_file = place
        os.read(gate, 1)  # returns when the parent opens the gate
        with epochal.open(folder, encoder=None) as index:
            report(len(index))
        connection = connect(folder)
        report(read_state(connection).identity)
        connection.close()

    children = [Child(work) for _ in range(count)]
    os.close(gate)
    os.close(opener)
    return [child.wait() for child in children]


def judge_round(ended: list[Ended]) -> str:
    """What was wrong with a round; empty if nothing was."""
    if failed := [item for item in ended if item.how != "done"]:
        return f"{len(failed)} of {len(ended)} failed: {failed[0].how} {failed[0].message}"
    created = sum("created" in item.reports for item in ended)
    if created != 1:
        return f"{created} processes created the index"
    if len({item.reports[-1] for item in ended}) != 1 or {item.reports[-2] for item in ended} != {0}:
        return f"the processes opened different indexes: {[item.reports for item in ended]}"
    return ""


def run_races(place: Path, rounds: int, processes: int = PROCESSES) -> list[dict[str, Any]]:
    """So many rounds; how many were as they should be."""
    problems: Counter[str] = Counter()
    place.mkdir(parents=True)
    for number in range(rounds):
        folder = place / f"index-{number}"
        problems[judge_round(run_round(folder, processes))] += 1
        shutil.rmtree(folder, ignore_errors=True)
    faults = rounds - problems.pop("", 0)
    return [
        {
            "part": "creation",
            "rounds": rounds,
            "processes": processes,
            "faults": faults,
            "messages": [f"{count} times: {text}"[-1000:] for text, count in problems.most_common(5)],
        }
    ]
