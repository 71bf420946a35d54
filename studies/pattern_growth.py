"""Does any regular expression of the engine take more than linear time for a text of a megabyte?

    python studies/pattern_growth.py [--size 1000000] [--jobs 1] [--resume [--minutes 10]] [--quick]

Every pattern gets texts that repeat what it mentions itself, and what all patterns are tried with, before an end that
it cannot match (tests/patterns.py, which lists the patterns, too). A text that takes more than half a second is
compared with one of a quarter of its length: more than nine times as long is more than linear. Takes ten minutes of
one core. --quick takes texts of 4,000 characters and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from _portions import Portion, add_portion_options, describe_code, run_portions
from _record import ROOT, Row, save

sys.path.append(str(ROOT / "tests"))

from patterns import Used, find_growth, list_patterns, list_units

SIZE, SLOW = 1_000_000, 0.5
QUICK, QUICK_SLOW = 4_000, 0.03
#: Patterns of a portion.
PATTERNS = 8


def get_package(used: Used) -> str:
    """The package of the engine that a pattern is in."""
    return used.where.split()[0].split(".")[1]


def list_portions(size: int, slow: float) -> Iterator[Portion]:
    """A few patterns of a package each."""
    for package, found in groupby(sorted(list_patterns(), key=get_package), get_package):
        patterns = list(found)
        for first in range(0, len(patterns), PATTERNS):
            yield f"{package} {first}", partial(try_patterns, package, patterns[first : first + PATTERNS], size, slow)


def try_patterns(package: str, patterns: Sequence[Used], size: int, slow: float) -> list[Row]:
    """One row: how many patterns and texts were tried, and what took more than linear time."""
    found = [growth for used in patterns if (growth := find_growth(used, size, slow, ("",)))]
    texts = sum(len(list_units(used.pattern)) * len(used.methods) for used in patterns)
    slow_ones = [f"{item.where}.{item.method}: {item.text}" for item in found]
    return [{"package": package, "patterns": len(patterns), "texts": texts, "superlinear": slow_ones}]


def merge(rows: Sequence[Row]) -> list[Row]:
    """A row for each package."""
    merged = []
    for package, found in groupby(rows, lambda row: row["package"]):
        parts = list(found)
        names = [name for part in parts for name in part["superlinear"]]
        counts = {key: sum(part[key] for part in parts) for key in ("patterns", "texts")}
        merged.append({"package": package, **counts, "superlinear": len(names), "names": names})
    return merged


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=SIZE)
    add_portion_options(parser)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args(argv)
    if given.quick:
        rows = merge([row for _, work in list_portions(QUICK, QUICK_SLOW) for row in work()])
        print(json.dumps(rows))
        sys.exit(1 if any(row["superlinear"] for row in rows) else 0)
    run = f"{given.size} {describe_code((ROOT / 'packages' / 'epochal' / 'src').rglob('*.py'))}"
    found = run_portions(
        "pattern_growth",
        run,
        list_portions(given.size, SLOW),
        resume=given.resume,
        minutes=given.minutes,
        jobs=given.jobs,
    )
    if found is None:
        sys.exit(3)
    rows = merge(found.rows)
    save(
        "pattern_growth",
        "Does any regular expression of the engine take more than linear time for a text of a megabyte?",
        "texts that repeat what a pattern mentions, and signs, blanks, digits and letters",
        0,
        rows,
        command=f"python studies/pattern_growth.py --size {given.size}",
        size=given.size,
        patterns=sum(row["patterns"] for row in rows),
        texts=sum(row["texts"] for row in rows),
        superlinear=sum(row["superlinear"] for row in rows),
        machine=found.machine,
    )
    sys.exit(1 if any(row["superlinear"] for row in rows) else 0)


if __name__ == "__main__":
    main()
