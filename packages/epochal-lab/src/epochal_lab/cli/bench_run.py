"""`epochal bench run`, `report` and `examples`: run systems on test sets, and report the results."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.cli.common import add_ray_options, connect_workers, progress_bar
from epochal.errors import EpochalError
from epochal_lab.cli.model_options import add_data_options

if TYPE_CHECKING:
    from epochal.backends.ray.cluster import RayWorkers
    from epochal_lab.datasets.records import BenchSet
    from epochal_lab.metrics.measure import Measure
    from epochal_lab.runs.runner import QueryRunner
    from epochal_lab.runs.tasks import Result, Task
    from epochal_lab.systems.base import System

_EXAMPLES_HELP = """examples:
  epochal bench examples tnp --system epochal --data DATA -o out
  epochal bench examples my-set --system bm25 -o out --measure hit@1 -n 20

Looks at a run that `epochal bench run` made with the same arguments. In a time line, = is what was asked for, * what is
relevant and was not among the first five, # what was found, with its place.
"""


def add_examples(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "examples",
        help="the questions that a system answered worst",
        description="Show the questions that a system answered worst, with time lines of what was asked and found.",
        epilog=_EXAMPLES_HELP,
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
    add_data_options(parser, hub=False)
    parser.set_defaults(run=_run_examples)


def _run_examples(arguments: argparse.Namespace) -> int:
    from epochal.storage.importers.beir import read_run
    from epochal_lab.runs.report import worst_examples
    from epochal_lab.runs.tasks import SetLoader, Task
    from epochal_lab.systems.registry import make_system

    name = make_system(arguments.system).name
    task = Task(arguments.id, name, arguments.split, arguments.variant, arguments.protocol, arguments.k)
    values_file = Path(arguments.out) / "values" / f"{task.slug}.json"
    if not values_file.is_file():
        raise EpochalError(f"{arguments.out} has no run of {task}; make it with: epochal bench run")
    values = json.loads(values_file.read_text(encoding="utf-8"))
    if arguments.measure not in values:
        raise EpochalError(f"{arguments.measure} was not measured of {task}; accepted: {', '.join(values)}")
    ranking_run = read_run(Path(arguments.out) / "runs" / f"{task.slug}.trec")
    run = {query: {row.document: row.score for row in rows} for query, rows in ranking_run.items()}
    known = {id: math.nan if value is None else value for id, value in values[arguments.measure].items()}
    for example in worst_examples(SetLoader(arguments.data).load(task), run, known, arguments.count):
        print(example.format_markdown())
    return 0


_REPORT_HELP = """examples:
  epochal bench report out/results -o results.md
  epochal bench report out/results -o results.html

Rows in italics are the figures that papers print, with the table that they stand in. HTML comes with plots, for which
the extra `bench` is needed.
"""


def add_report(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "report",
        help="tables of results beside the papers' figures",
        description="Write tables of results, beside the figures that papers print.",
        epilog=_REPORT_HELP,
    )
    parser.add_argument(
        "results", metavar="RESULTS", nargs="+", help="results of `epochal bench run`, or folders of them"
    )
    parser.add_argument("-o", "--out", metavar="FILE", default="-", help="a .md or .html file; the output unless given")
    parser.add_argument("--notes", metavar="FILE", help="Markdown to put before the tables of a Markdown report")
    parser.add_argument("--title", metavar="TEXT", default="Results", help="the heading")
    parser.set_defaults(run=_run_report)


def _run_report(arguments: argparse.Namespace) -> int:
    from epochal.files import write_atomically
    from epochal_lab.runs.report import html_page
    from epochal_lab.runs.tables import markdown_page
    from epochal_lab.runs.tasks import read_results

    results = read_results(map(Path, arguments.results))
    if not results:
        raise EpochalError(f"{', '.join(arguments.results)} holds no result; make some with: epochal bench run")
    if arguments.out.lower().endswith((".html", ".htm")):
        if arguments.notes is not None:
            raise EpochalError(f"--notes go into Markdown, and {arguments.out} is HTML; leave them out")
        page = html_page(results, arguments.title)
    else:
        page = markdown_page(results, arguments.title, _read_notes(arguments.notes))
    with write_atomically(arguments.out) as file:
        file.write(page.encode())
    return 0


def _read_notes(path: str | None) -> str:
    if path is None:
        return ""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise EpochalError(f"the notes {path} cannot be read: {reason}") from None


_RUN_HELP = """examples:
  epochal bench run tnp --system epochal bm25 dense --data DATA -o out
  epochal bench run my-set --system "epochal(encoder=static)" -o out
  epochal bench run chunqiutr/traditional --protocol neg1_ne1_dq0 neg1_ne0_dq1 --system bm25 --data DATA -o out
  epochal bench run my-set --baselines -o out              plain BM25 and what reads no time beside it
  epochal bench run tempo/law/steps --variant step-only query+step query+all --hub -o out
  epochal bench run tnp --data DATA -o out --ray          the questions shared out over the cores of this machine

Into the folder go runs/ (TREC), results/ (JSON, what `epochal bench report` reads), values/ (each question) and stores/
(indexes and vectors, used again). Stopped, the same command goes on; finished, it shows what is there. A system that
cannot answer a set is named and left out, and the exit code is 2.
"""
#: What is measured of every set, and what more where a set tells enough.
_USUAL: Final = ("nDCG@10", "hit@1", "hit@5", "hit@10", "R@10", "R@100", "MRR@10")
_MORE: Final = ("TC@10", "nDCG|FC@10", "tnDCG@10")


def add_run(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "run",
        help="measure systems on test sets",
        description="Let systems answer the questions of test sets, and measure what they found.",
        epilog=_RUN_HELP,
    )
    parser.add_argument("sets", metavar="SET", nargs="+", help="ids that `epochal bench list` shows, or BEIR folders")
    parser.add_argument("--system", metavar="NAME", nargs="+", default=["epochal"], help="epochal unless given")
    parser.add_argument(
        "--baselines", action="store_true", help="run plain BM25, the year match and the newest-first ranking, too"
    )
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
    add_data_options(parser)
    add_ray_options(parser)
    parser.set_defaults(run=_run_run)


def _run_run(arguments: argparse.Namespace) -> int:
    from epochal_lab.metrics.evaluation import parse_measures
    from epochal_lab.runs.tables import breakdown_tables, family_tables, format_markdown, set_tables
    from epochal_lab.runs.tasks import expand_tasks
    from epochal_lab.systems.registry import BASELINES, make_system

    # A wrong name is an error before the work starts.
    names = [*arguments.system, *(BASELINES if arguments.baselines else ())]
    systems = {system.name: system for system in map(make_system, names)}
    measures = None if arguments.measures is None else parse_measures(" ".join(arguments.measures))
    ways = (arguments.split, arguments.variant, arguments.protocol, arguments.k)
    tasks = expand_tasks(arguments.sets, systems, *ways)
    with connect_workers(arguments) as workers:
        query_runner = None if workers is None else _make_query_runner(arguments, workers)
        results, failed = _run_tasks(arguments, tasks, systems, measures, query_runner)
    tables = [*set_tables(results), *breakdown_tables(results, "averaging", "nDCG@10"), *family_tables(results)]
    print(format_markdown(tables), end="")
    return 2 if failed else 0


def _run_tasks(
    arguments: argparse.Namespace,
    tasks: Iterable[Task],
    systems: Mapping[str, System],
    selected: tuple[Measure, ...] | None,
    query_runner: QueryRunner | None,
) -> tuple[list[Result], int]:
    """The results of tasks, and how many could not be run."""
    from epochal.times.span import stopwatch
    from epochal_lab.runs.runner import Runner
    from epochal_lab.runs.tasks import SetLoader

    sets, environment, failed = SetLoader(arguments.data, hub=arguments.hub), _describe_environment(), 0
    results: list[Result] = []
    for task in tasks:
        bench_set = sets.load(task)
        measures = _choose_measures(bench_set) if selected is None else selected
        with progress_bar(str(task), len(bench_set.queries)) as move_bar:

            def report(done: int, total: int, move_bar: Any = move_bar) -> None:
                move_bar(done, f"{done:,} of {total:,} questions")

            runner = Runner(Path(arguments.out), measures, stopwatch, environment, report, query_runner)
            try:
                results.append(runner.run(task, bench_set, systems[task.system]))
            except EpochalError as error:
                # A system may not fit a set: one that counts ages, a set without a present. The others still do.
                print(f"epochal: {task} was left out: {error}", file=sys.stderr)
                failed += 1
                continue
        print(f"epochal: {task}: {results[-1].queries:,} questions measured", file=sys.stderr)
    return results, failed


def _make_query_runner(arguments: argparse.Namespace, workers: RayWorkers) -> QueryRunner:
    from epochal_lab.runs.ray import RayQueryRunner

    return RayQueryRunner(workers, arguments.data, arguments.hub)


def _choose_measures(bench_set: BenchSet) -> tuple[Measure, ...]:
    """The usual measures, and those of time that the set tells enough for."""
    from epochal_lab.metrics.evaluation import missing_requirements, parse_measures

    judgements = bench_set.judgements()
    more = [measure for measure in parse_measures(" ".join(_MORE)) if not missing_requirements(measure, judgements)]
    return (*parse_measures(" ".join(_USUAL)), *more)


def _describe_environment() -> dict[str, str]:
    """When and where: what a figure is worth depends on it."""
    from epochal.times.span import SystemClock
    from epochal.version import __version__

    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return {"date": SystemClock().now().edtf()[:10], "machine": machine, "version": f"epochal {__version__}"}
