"""Does an index survive kills, damaged files, full disks, and several creators at once?

    python studies/chaos.py [--kills 1000] [--corruptions 2000] [--races 1000] [--pages 1] [--seed 1] [--quick]

Every trial runs in a process of its own and is compared with an index built anew. What is
killed, and which byte is changed, follows from the seed; where exactly a kill by time comes does not. Ends with status
1 where anything was lost, wrong without notice, or an exception that is not Epochal's. --quick makes few trials and
writes nothing. Full disks need the administrator of a Linux machine, and are left out elsewhere.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from _record import ROOT, Row, save

sys.path.append(str(ROOT / "tests"))

from _chaos_children import preload
from _chaos_damage import run_damage
from _chaos_disk import run_full_disks
from _chaos_kills import run_kills
from _chaos_races import PROCESSES, run_races

SEED = 1


#: Kills and corruptions of one seed; the next ones have the next seed.
KILLS, CORRUPTIONS = 125, 250


def run_all(kills: int, corruptions: int, races: int, pages: int, seed: int) -> list[Row]:
    """All parts, each of the size given; a part of size 0 is left out."""
    preload()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="epochal-chaos-") as folder:
        place = Path(folder)
        for number, size in enumerate(split(kills, KILLS)):
            rows += run_kills(place / f"kills-{number}", size, seed + number)
        for number, size in enumerate(split(corruptions, CORRUPTIONS)):
            rows += run_damage(place / f"damage-{number}", size, seed + number)
        rows += run_full_disks(place / "disk", pages) if pages else []
        rows += run_races(place / "races", races, PROCESSES) if races else []
    return merge(rows)


def split(total: int, size: int) -> list[int]:
    """A number as a sum of numbers that are not greater than `size`."""
    return [min(size, total - done) for done in range(0, total, size)]


def merge(rows: Sequence[Row]) -> list[Row]:
    """One row for each operation and each kind of file, with the sums over all seeds."""
    merged: dict[tuple[str, str], Row] = {}
    for row in rows:
        key = row["part"], row.get("operation", row.get("file", ""))
        if key not in merged:
            merged[key] = dict(row)
            continue
        for name, value in row.items():
            if isinstance(value, int | list):
                merged[key][name] += value
    return list(merged.values())


def add_up(rows: Sequence[Row], part: str, column: str) -> int:
    """The sum of a column over the rows of a part."""
    return sum(row.get(column, 0) for row in rows if row["part"] == part)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--corruptions", type=int, default=2000)
    parser.add_argument("--races", type=int, default=1000, help="rounds in which several processes create one index")
    parser.add_argument("--pages", type=int, default=1, help="pages by which the room on a full disk grows")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args(argv)
    if given.quick:
        rows = run_all(11, 12, 4, 0, given.seed)
        print(json.dumps(rows))
    else:
        rows = run_all(given.kills, given.corruptions, given.races, given.pages, given.seed)
        save(
            "chaos",
            "Does an index survive kills, damaged files, full disks, and several creators at once?",
            "made documents with passages, times and vectors that follow from their ids; the oracle is an index built "
            "anew",
            given.seed,
            rows,
            kills=add_up(rows, "kills", "killed"),
            corruptions=add_up(rows, "damage", "trials"),
            full_disks=add_up(rows, "full disk", "trials"),
            creation_rounds=add_up(rows, "creation", "rounds"),
            faults=sum(row["faults"] for row in rows),
        )
    sys.exit(1 if any(row["faults"] for row in rows) else 0)


if __name__ == "__main__":
    main()
