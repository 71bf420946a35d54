"""`epochal bench run`: let systems answer the questions of test sets, and measure what they found."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.cli.on_ray import add_ray_options, ray_workers
from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.backends.ray import Workers
    from epochal.bench.metrics import Measure
    from epochal.bench.records import BenchSet
    from epochal.bench.running.results import Result
    from epochal.bench.running.runner import Asker
    from epochal.bench.running.tasks import Task
    from epochal.bench.systems.base import System

__all__ = ["add"]

_HELP = """examples:
  epochal bench run tnp --system epochal bm25 dense --data DATA -o out
  epochal bench run my-set --system "epochal(encoder=static)" -o out
  epochal bench run chunqiutr/traditional --protocol neg1_ne1_dq0 neg1_ne0_dq1 --system bm25 --data DATA -o out
  epochal bench run tempo/law/steps --variant step-only query+step query+all --hub -o out
  epochal bench run tnp --data DATA -o out --ray          the questions shared out over the cores of this machine

Into the folder go runs/ (TREC), results/ (JSON, what `epochal bench report` reads), values/ (each question) and stores/
(indexes and vectors, used again). Stopped, the same command goes on; finished, it shows what is there. A system that
cannot answer a set is named and left out, and the exit code is 2.
"""
#: What is measured of every set, and what more where a set tells enough.
_USUAL: Final = ("nDCG@10", "hit@1", "hit@5", "hit@10", "R@10", "R@100", "MRR@10")
_MORE: Final = ("TC@10", "nDCG|FC@10", "tnDCG@10")


def add(parts: Any) -> None:
    """Add the subcommand to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["run", "tnp", "--system", "bm25", "-o", "out"]).k
    100
    """
    parser = parts.add_parser(
        "run",
        help="measure systems on test sets",
        description="Let systems answer the questions of test sets, and measure what they found.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sets", metavar="SET", nargs="+", help="ids that `epochal bench list` shows, or BEIR folders")
    parser.add_argument("--system", metavar="NAME", nargs="+", default=["epochal"], help="epochal unless given")
    parser.add_argument("-o", "--out", metavar="DIR", required=True, help="the folder for runs and results")
    parser.add_argument("--split", metavar="NAME", nargs="+", default=["test"], help="test unless given")
    parser.add_argument(
        "--variant",
        metavar="NAME",
        nargs="+",
        default=["baseline"],
        help="how to ask: baseline, strip, temporal-only, normalized; for steps step-only, query+step, query+all",
    )
    parser.add_argument("--protocol", metavar="MODE", nargs="+", default=[""], help="modes such as neg1_ne1_dq0")
    parser.add_argument("--measures", metavar="NAME", nargs="+", help="such as nDCG@10; a usual choice unless given")
    parser.add_argument(
        "-k", type=int, default=100, metavar="N", help="how many documents a question; 100 unless given"
    )
    parser.add_argument("--data", metavar="DIR", help="the data folder; EPOCHAL_DATA unless given")
    parser.add_argument("--hub", action="store_true", help="fetch the files of TEMPO from the Hugging Face hub")
    add_ray_options(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.bench.metrics import parse_measures
    from epochal.bench.report.markdown import markdown
    from epochal.bench.report.tables import set_tables
    from epochal.bench.running.tasks import tasks_of
    from epochal.bench.systems.registry import system

    # What is wrong with a name is told before the work starts.
    systems = {made.name: made for made in map(system, arguments.system)}
    chosen = None if arguments.measures is None else parse_measures(" ".join(arguments.measures))
    ways = (arguments.split, arguments.variant, arguments.protocol, arguments.k)
    tasks = tasks_of(arguments.sets, systems, *ways)
    with ray_workers(arguments) as workers:
        asker = None if workers is None else _asker(arguments, workers)
        found, failed = _results(arguments, tasks, systems, chosen, asker)
    print(markdown(set_tables(found)), end="")
    return 2 if failed else 0


def _results(
    arguments: argparse.Namespace,
    tasks: Iterable[Task],
    systems: Mapping[str, System],
    chosen: tuple[Measure, ...] | None,
    asker: Asker | None,
) -> tuple[list[Result], int]:
    """The results of tasks, and how many could not be run."""
    from epochal.bench.running.runner import Runner
    from epochal.bench.running.shelf import Shelf
    from epochal.cli.progress import progress_bar
    from epochal.times.clock import stopwatch

    shelf, made, failed = Shelf(arguments.data, hub=arguments.hub), _made(), 0
    found: list[Result] = []
    for task in tasks:
        asked = shelf.of(task)
        measures = _usual(asked) if chosen is None else chosen
        with progress_bar(str(task), len(asked.queries)) as tell:

            def told(done: int, total: int, tell: Any = tell) -> None:
                tell(done, f"{done:,} of {total:,} questions")

            runner = Runner(Path(arguments.out), measures, stopwatch, made, told, asker)
            try:
                found.append(runner.run(task, asked, systems[task.system]))
            except EpochalError as error:
                # A system may not fit a set: one that counts ages, a set without a present. The others still do.
                print(f"epochal: {task} was left out: {error}", file=sys.stderr)
                failed += 1
                continue
        print(f"epochal: {task}: {found[-1].queries:,} questions measured", file=sys.stderr)
    return found, failed


def _asker(arguments: argparse.Namespace, workers: Workers) -> Asker:
    from epochal.backends.ray.asking import RayAsker

    return RayAsker(workers, arguments.data, arguments.hub)


def _usual(asked: BenchSet) -> tuple[Measure, ...]:
    """The usual measures, and those of time that the set tells enough for."""
    from epochal.bench.metrics import lacking, parse_measures

    judgements = asked.judgements()
    more = [measure for measure in parse_measures(" ".join(_MORE)) if not lacking(measure, judgements)]
    return (*parse_measures(" ".join(_USUAL)), *more)


def _made() -> dict[str, str]:
    """When and where: what a figure is worth depends on it."""
    from epochal.times.clock import SystemClock
    from epochal.version import __version__

    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return {"date": SystemClock().now().edtf()[:10], "machine": machine, "version": f"epochal {__version__}"}
