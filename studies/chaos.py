"""Does an index survive kills, damaged files, full disks, and several creators at once?

    python studies/chaos.py [--kills 1000] [--corruptions 2000] [--races 1000] [--pages 1] [--seed 1] [--quick]
    python studies/chaos.py --jobs 16
    python studies/chaos.py --resume [--minutes 10]

Every trial runs in a process of its own and is compared with an index built anew. What is killed, and which byte is
changed, follows from the seed; where exactly a kill by time comes does not. Ends with status 1 where anything was lost,
wrong without notice, or an exception that is not Epochal's. --quick makes few trials and writes nothing. The work is
done in portions, by --jobs processes, and --resume does only those that no earlier run has done with the same seed and
the same code of the storage; with --minutes, it ends with status 3 after the portions that exceed them. Full disks need
the administrator of a Linux machine, and are left out elsewhere.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from _portions import Portion, add_portion_options, describe_code, run_portions, split
from _record import ROOT, Row, save

sys.path.append(str(ROOT / "tests"))

from _chaos_children import preload
from _chaos_damage import run_damage
from _chaos_disk import OPERATIONS as ON_DISK
from _chaos_disk import run_full_disk
from _chaos_kills import run_kills
from _chaos_races import PROCESSES, run_races

SEED = 1
#: Kills, corruptions and rounds of a portion; each portion of kills and of corruptions has a seed of its own.
KILLS, CORRUPTIONS, ROUNDS = 25, 50, 50


def list_portions(kills: int, corruptions: int, races: int, pages: int, seed: int) -> Iterator[Portion]:
    """The portions of a run; a part of size 0 is left out."""
    for number, size in enumerate(split(kills, KILLS)):
        yield f"kills {number} ({size})", partial(run_in_folder, run_kills, size, seed + number)
    for number, size in enumerate(split(corruptions, CORRUPTIONS)):
        yield f"damage {number} ({size})", partial(run_in_folder, run_damage, size, seed + number)
    for name in ON_DISK if pages else ():
        yield f"full disk {name} ({pages})", partial(run_in_folder, run_full_disk, name, pages)
    for number, size in enumerate(split(races, ROUNDS)):
        yield f"races {number} ({size})", partial(run_in_folder, run_races, size, PROCESSES)


def run_in_folder(run: Callable[..., list[Row]], *given: Any) -> list[Row]:
    """Run a portion in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="epochal-chaos-") as folder:
        return run(Path(folder) / "place", *given)


def describe_run(seed: int) -> str:
    """What a run is of: its seed, and the code of the storage and of the study."""
    storage = ROOT / "packages" / "epochal" / "src" / "epochal" / "storage"
    return f"{seed} {describe_code([*storage.glob('*.py'), *(ROOT / 'studies').glob('*chaos*.py')])}"


def merge(rows: Sequence[Row]) -> list[Row]:
    """One row for each operation and each kind of file, with the sums over all seeds."""
    merged: dict[tuple[str, str], Row] = {}
    for row in rows:
        key = row["part"], row.get("operation", row.get("file", ""))
        if key not in merged:
            merged[key] = dict(row)
            continue
        for name, value in row.items():
            if isinstance(value, int | list) and name != "processes":
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
    add_portion_options(parser)
    given = parser.parse_args(argv)
    preload()
    if given.quick:
        rows = merge([row for _, work in list_portions(11, 12, 4, 0, given.seed) for row in work()])
        print(json.dumps(rows))
    else:
        portions = list_portions(given.kills, given.corruptions, given.races, given.pages, given.seed)
        run = describe_run(given.seed)
        found = run_portions("chaos", run, portions, resume=given.resume, minutes=given.minutes, jobs=given.jobs)
        if found is None:
            sys.exit(3)
        rows = merge(found.rows)
        save(
            "chaos",
            "Does an index survive kills, damaged files, full disks, and several creators at once?",
            "made documents with passages, times and vectors that follow from their ids; the oracle is an index built "
            "anew",
            given.seed,
            rows,
            command=f"python studies/chaos.py --kills {given.kills} --corruptions {given.corruptions} "
            f"--races {given.races} --pages {given.pages} --seed {given.seed}",
            kills=add_up(rows, "kills", "killed"),
            corruptions=add_up(rows, "damage", "trials"),
            full_disks=add_up(rows, "full disk", "trials"),
            creation_rounds=add_up(rows, "creation", "rounds"),
            faults=sum(row["faults"] for row in rows),
            machine=found.machine,
        )
    sys.exit(1 if any(row["faults"] for row in rows) else 0)


if __name__ == "__main__":
    main()
