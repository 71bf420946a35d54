"""`epochal bench examples`: the questions that a system answered worst, with time lines."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError

__all__ = ["add"]

_HELP = """examples:
  epochal bench examples tnp --system epochal --data DATA -o out
  epochal bench examples my-set --system bm25 -o out --measure hit@1 -n 20

Looks at a run that `epochal bench run` made with the same arguments. In a time line, = is what was asked for, * what is
relevant and was not among the first five, # what was found, with its place.
"""


def add(parts: Any) -> None:
    """Add the subcommand to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["examples", "tnp", "-o", "out"]).count
    5
    """
    parser = parts.add_parser(
        "examples",
        help="the questions that a system answered worst",
        description="Show the questions that a system answered worst, with time lines of what was asked and found.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("id", metavar="SET", help="a set that was run")
    parser.add_argument("--system", metavar="NAME", default="epochal", help="epochal unless given")
    parser.add_argument(
        "-o", "--out", metavar="DIR", required=True, help="the folder that `epochal bench run` wrote to"
    )
    parser.add_argument("--split", metavar="NAME", default="test", help="test unless given")
    parser.add_argument("--variant", metavar="NAME", default="baseline", help="baseline unless given")
    parser.add_argument("--protocol", metavar="MODE", default="", help="a mode such as neg1_ne1_dq0")
    parser.add_argument("--measure", metavar="NAME", default="nDCG@10", help="worst by this; nDCG@10 unless given")
    parser.add_argument("-n", "--count", type=int, default=5, metavar="N", help="how many; 5 unless given")
    parser.add_argument("-k", type=int, default=100, metavar="N", help="as the run was made; 100 unless given")
    parser.add_argument("--data", metavar="DIR", help="the data folder; EPOCHAL_DATA unless given")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.bench.report.examples import worst_examples
    from epochal.bench.running.shelf import Shelf
    from epochal.bench.running.tasks import Task
    from epochal.bench.systems.registry import system
    from epochal.index.inputs import read_run

    name = system(arguments.system).name
    task = Task(arguments.id, name, arguments.split, arguments.variant, arguments.protocol, arguments.k)
    values_file = Path(arguments.out) / "values" / f"{task.slug}.json"
    if not values_file.is_file():
        raise EpochalError(f"{arguments.out} has no run of {task}; make it with: epochal bench run")
    values = json.loads(values_file.read_text(encoding="utf-8"))
    if arguments.measure not in values:
        raise EpochalError(f"{arguments.measure} was not measured of {task}; accepted: {', '.join(values)}")
    found = read_run(Path(arguments.out) / "runs" / f"{task.slug}.trec")
    run = {query: {row.document: row.score for row in rows} for query, rows in found.items()}
    known = {id: math.nan if value is None else value for id, value in values[arguments.measure].items()}
    for example in worst_examples(Shelf(arguments.data).of(task), run, known, arguments.count):
        print(example.markdown())
    return 0
