"""`epochal bench judge` and `agree`: judge the documents of a run, and compare two judges."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from epochal.cli.common import add_json_option, check_output, print_json, progress_bar
from epochal.errors import EpochalError
from epochal_lab.cli.model_options import add_data_options, add_model_options, open_model

if TYPE_CHECKING:
    from epochal.llm.chat import Chat, Prices
    from epochal.storage.records import Document
    from epochal_lab.datasets.records import BenchSet
    from epochal_lab.judges.agreement import Agreement
    from epochal_lab.judges.base import Judge
    from epochal_lab.metrics.runs import Run
    from epochal_lab.metrics.significance import ConfidenceInterval
    from epochal_lab.runs.judged import JudgedRun

_JUDGE_HELP = """judges:
  spans  by the times that a document states near the words of the question; nothing is sent anywhere
  llm    TEMPO's: a language model decides for each document, and gives a reason

examples:
  epochal bench judge bm25.trec my-set -o bm25.judged.jsonl
  epochal bench judge out                                       every run that `epochal bench run ... -o out` made
  epochal bench judge bm25.trec tempo/law --judge llm --url http://localhost:8080/v1 --model NAME \\
      --record calls.jsonl --price 0.15 0.6 -o bm25.judged.jsonl
  epochal eval bm25.trec my-set --verdicts bm25.judged.jsonl --measures TP@10 TR@10

The file has one judgement a line, with its reason; `epochal eval --verdicts` and `epochal bench agree` read it. An
answer that a judge fails to give is null, counted, and never a no. With --record an interrupted command goes on, and
what is recorded is not sent again. Of a folder, judgements go to its folder judged/, and the table has the mean of sets
and that of all questions.
"""


def add_judge(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "judge",
        help="judge the documents that a run found: do they help with the time that is asked for",
        description="Judge the first documents of each question: whether they help with what the question asks of "
        "time, and which of its periods they cover. Writes the judgements, and prints TEMPO's measures.",
        epilog=_JUDGE_HELP,
    )
    parser.add_argument("run_file", metavar="RUN", help="a TREC run, or the folder that `epochal bench run` wrote to")
    parser.add_argument(
        "set", metavar="SET", nargs="?", help="of a TREC run: an id that `epochal bench list` shows, or a BEIR folder"
    )
    parser.add_argument(
        "-o", "--out", metavar="FILE", help="the file of judgements, JSON Lines; of a folder: RUN/judged unless given"
    )
    parser.add_argument("--judge", metavar="NAME", default="spans", help="spans or llm; spans unless given")
    parser.add_argument("-k", type=int, default=10, metavar="N", help="documents per question; 10 unless given")
    parser.add_argument("--split", metavar="NAME", default="test", help="of a TREC run: the split; test unless given")
    parser.add_argument("--system", metavar="NAME", nargs="+", help="of a folder: only the runs of these systems")
    parser.add_argument("--most", type=int, metavar="N", help="only the first so many questions of a run")
    parser.add_argument(
        "--add-periods", action="store_true", help="read the periods of comparisons from questions that have none"
    )
    parser.add_argument("--calibration", metavar="FILE", help="of the judge spans: weights of your own, as JSON")
    parser.add_argument("--window", type=int, default=6000, metavar="N", help="of the judge llm: characters per call")
    parser.add_argument(
        "--price",
        metavar=("IN", "OUT"),
        nargs=2,
        type=float,
        help="of a million tokens sent and received, for the cost",
    )
    parser.add_argument("--dry-run", action="store_true", help="show how much would be sent, and send nothing")
    parser.add_argument(
        "--agree", metavar="FILE", help="of a TREC run: judgements to compare with, as `epochal bench agree` does"
    )
    add_data_options(parser)
    add_json_option(parser)
    add_model_options(parser)
    parser.set_defaults(run=_run_judge)


class _Target(NamedTuple):
    """A run to judge: its set and its system, and the file for the judgements."""

    system: str
    run: Run
    bench_set: BenchSet
    documents: dict[str, Document]
    out: str


def _run_judge(arguments: argparse.Namespace) -> int:
    from epochal.llm.chat import Ledger, Prices
    from epochal_lab.runs.judged import format_judged_table

    for option, value in (("-k", arguments.k), ("--workers", arguments.workers), ("--most", arguments.most)):
        if value is not None and value < 1:
            raise EpochalError(f"{option} is {value}; accepted: 1 or more")
    prices = None if arguments.price is None else Prices(*arguments.price)
    whole_folder = Path(arguments.run_file).is_dir()
    ledger, judged, chat = Ledger(), [], None
    if arguments.judge == "llm":
        chat = open_model(arguments, ledger, dry_run=_ignore if arguments.dry_run else None)
    for target in _list_targets(arguments) if whole_folder else [_read_target(arguments)]:
        judge = _make_judge(arguments, target.bench_set, chat)
        if chat is not None:
            _report_estimate(arguments, target, prices)
        if arguments.dry_run:
            continue
        found = _judge_target(arguments, judge, target)
        if found is None:
            return 1
        judged.append(found)
    if ledger.total().replies:
        cost = "" if prices is None else f"; cost {prices.of(ledger.total()):.2f}"
        print(f"epochal: {ledger.describe()}{cost}", file=sys.stderr)
    if arguments.dry_run:
        return 0
    if arguments.json:
        print_json(_to_records(arguments, judged, whole_folder))
    elif whole_folder:
        print(format_judged_table(judged))
    else:
        _show_record(judged[0].to_dict())
    if arguments.agree is not None and not arguments.json:
        _show_agreement(arguments.out, arguments.agree)
    return 0


def _ignore(_text: str) -> None:
    """Takes what a dry run would send."""


def _read_target(arguments: argparse.Namespace) -> _Target:
    """The run of a TREC file, and the set with the questions that it answers."""
    from epochal_lab.runs.tasks import SetLoader, Task

    if arguments.set is None:
        raise EpochalError(f"{arguments.run_file} is judged on no set; accepted: epochal bench judge RUN SET -o FILE")
    if arguments.out is None:
        raise EpochalError("no file for the judgements is named; accepted: -o FILE")
    check_output(arguments.out)
    bench_set = SetLoader(arguments.data, hub=arguments.hub).load(Task(arguments.set, "none", arguments.split))
    split = f"the split {arguments.split} of {arguments.set}"
    return _make_target(arguments, arguments.run_file, arguments.run_file, bench_set, arguments.out, split)


def _list_targets(arguments: argparse.Namespace) -> Iterator[_Target]:
    """The runs of a folder that `epochal bench run` wrote to, each with its set."""
    from epochal_lab.runs.tasks import SetLoader, read_results
    from epochal_lab.systems.registry import make_system

    if arguments.set is not None or arguments.agree is not None:
        raise EpochalError(f"{arguments.run_file} is a folder of runs; accepted: no SET and no --agree")
    folder = Path(arguments.run_file)
    wanted = None if arguments.system is None else {make_system(name).name for name in arguments.system}
    results = read_results([folder / "results"]) if (folder / "results").is_dir() else []
    tasks = [result.task for result in results if wanted is None or result.task.system in wanted]
    if not tasks:
        raise EpochalError(f"{folder} holds no result of such a system; make some with: epochal bench run -o {folder}")
    place = folder / "judged" if arguments.out is None else Path(arguments.out)
    place.mkdir(parents=True, exist_ok=True)
    sets = SetLoader(arguments.data, hub=arguments.hub)
    for task in sorted(tasks, key=lambda task: (task.set, task.split, task.variant, task.protocol)):
        bench_set = sets.load(task)
        run_file, out = folder / "runs" / f"{task.slug}.trec", place / f"{task.slug}.jsonl"
        yield _make_target(arguments, task.system, str(run_file), bench_set, str(out), task.set)


def _make_target(
    arguments: argparse.Namespace, system: str, run_file: str, bench_set: BenchSet, out: str, described: str
) -> _Target:
    from epochal.storage.importers.beir import read_run
    from epochal_lab.judges.evidence import add_periods

    rows = read_run(run_file)
    run = {query: {row.document: row.score for row in ranked} for query, ranked in rows.items()}
    queries = [query for query in bench_set.queries if query.id in run][: arguments.most]
    if not queries:
        raise EpochalError(f"{run_file} answers no question of {described}; accepted: a run on that set")
    if arguments.add_periods:
        queries = [add_periods(query) for query in queries]
    selected = {query.id: run[query.id] for query in queries}
    needed = {document for scores in selected.values() for document in scores}
    documents = {document.id: document for document in bench_set.documents if document.id in needed}
    return _Target(system, selected, bench_set.with_queries(queries), documents, out)


def _make_judge(arguments: argparse.Namespace, bench_set: BenchSet, chat: Chat | None) -> Judge:
    from epochal.errors import UnknownNameError
    from epochal_lab.judges.evidence import Background
    from epochal_lab.judges.llm import LlmJudge
    from epochal_lab.judges.spans import SpanJudge, read_calibration

    if chat is not None:
        return LlmJudge(chat, window=arguments.window)
    if arguments.judge != "spans":
        raise UnknownNameError("judge", arguments.judge, ("spans", "llm"))
    if arguments.url or arguments.gguf or arguments.replay:
        raise EpochalError("a language model is named, and the judge spans uses none; accepted: --judge llm")
    if arguments.dry_run:
        raise EpochalError("--dry-run shows what is sent to a model; accepted: with --judge llm")
    calibration = None if arguments.calibration is None else read_calibration(arguments.calibration)
    return SpanJudge(Background.of(bench_set.documents), calibration)


def _report_estimate(arguments: argparse.Namespace, target: _Target, prices: Prices | None) -> None:
    """Say before anything is sent how much that is at most: what is recorded is not sent again."""
    from epochal_lab.judges.base import list_pairs
    from epochal_lab.judges.llm import estimate_usage

    pairs = list_pairs(target.run, target.bench_set.queries, target.documents, arguments.k)
    usage = estimate_usage(pairs, arguments.window)
    cost = "" if prices is None else f", cost about {prices.of(usage):.2f}"
    print(
        f"epochal: {target.bench_set.id} {target.system}: at most {usage.replies:,} calls, about "
        f"{usage.prompt_tokens:,} tokens sent and {usage.completion_tokens:,} received{cost}",
        file=sys.stderr,
    )


def _judge_target(arguments: argparse.Namespace, judge: Judge, target: _Target) -> JudgedRun | None:
    """Judge a run, and write its judgements; None where the judge decided nothing at all."""
    from epochal_lab.judges.base import judge_run, write_judgements
    from epochal_lab.runs.judged import measure_judged

    with progress_bar(f"judging by {judge.name}", len(target.run) * arguments.k) as move_bar:
        result = judge_run(
            judge,
            target.run,
            target.bench_set.queries,
            target.documents,
            k=arguments.k,
            workers=arguments.workers,
            report_progress=lambda done, total: move_bar(done, f"{done:,} of {total:,} documents"),
        )
    count = len(result.judgements)
    first = next((item.reason for item in result.judgements if item.verdict.relevant is None), "")
    if result.judgements and all(item.verdict.relevant is None for item in result.judgements):
        problem = f"{judge.name} judged none of {count:,} documents, and nothing was written; the first: {first}"
        print(f"epochal: {problem}", file=sys.stderr)
        return None
    write_judgements(target.out, result.judgements)
    if result.gaps:
        reason = f"; the first: {first}" if first else ""
        print(f"epochal: {result.gaps:,} of {count:,} documents lack an answer{reason}", file=sys.stderr)
    return measure_judged(target.system, arguments.k, target.run, target.bench_set, judge.name, result)


def _to_records(arguments: argparse.Namespace, judged: list[JudgedRun], whole_folder: bool) -> dict[str, Any]:
    from epochal_lab.runs.judged import average_judged

    if not whole_folder:
        record = judged[0].to_dict()
        del record["system"]
        return {"run": arguments.run_file, "set": arguments.set, "split": arguments.split} | (
            record | {"set": arguments.set}
        )
    return {"runs": [item.to_dict() for item in judged], "averages": average_judged(judged)}


def _show_record(record: dict[str, Any]) -> None:
    counts = f"{record['judgements']:,} documents judged, {record['relevant']:,} relevant, {record['gaps']:,} undecided"
    print(f"{record['judge']}: {counts}; {len(record['atemporal']):,} questions without time, not judged")
    for name, value in record["measures"].items():
        mean = "none" if value["mean"] is None else f"{value['mean']:.3f}"
        by_question = value.get("mean_by_question")
        more = "" if by_question is None else f"; {by_question:.3f} by question"
        print(f"  {name:<12}{mean:>6}  of {value['questions']:,} questions{more}")


_AGREE_HELP = """a file of judgements has one JSON object a line:
  query, document   ids
  relevant          true, false, or null where the judge could not tell
  covers            the same for each period of the question
  scores            optional: a number for relevant, then one a period; AUROC compares those of A with the answers of B

example:
  epochal bench agree spans.jsonl model.jsonl
"""


def add_agree(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "agree",
        help="how far two judges agree: kappa, AUROC, the table of answers",
        description="Compare two files of judgements: Cohen's kappa, the area under the ROC curve, a table of answers.",
        epilog=_AGREE_HELP,
    )
    parser.add_argument("first", metavar="A", help="judgements as JSON Lines, whose scores are looked at")
    parser.add_argument("second", metavar="B", help="the judgements that A is compared with")
    parser.add_argument("--rounds", type=int, default=1000, metavar="N", help="bootstrap samples of questions (1000)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="what the samples are drawn by (0)")
    add_json_option(parser)
    parser.set_defaults(run=_run_agree)


def _run_agree(arguments: argparse.Namespace) -> int:
    from epochal_lab.judges.agreement import measure_agreement
    from epochal_lab.judges.base import read_judgements

    if arguments.rounds < 1 or arguments.seed < 0:
        options = f"--rounds {arguments.rounds} --seed {arguments.seed}"
        raise EpochalError(f"{options} is no bootstrap; accepted: rounds from 1, a seed from 0")
    first, second = read_judgements(arguments.first), read_judgements(arguments.second)
    agreements = measure_agreement(first, second, rounds=arguments.rounds, seed=arguments.seed)
    if not agreements:
        raise EpochalError(f"{arguments.first} and {arguments.second} judge no question and document in common")
    if arguments.json:
        print(json.dumps({name: item.to_dict() for name, item in agreements.items()}, indent=2))
        return 0
    for name, item in agreements.items():
        print(_format_agreement(name, item))
    return 0


def _show_agreement(ours: str, theirs: str) -> None:
    from epochal_lab.judges.agreement import measure_agreement
    from epochal_lab.judges.base import read_judgements

    agreements = measure_agreement(read_judgements(ours), read_judgements(theirs))
    if not agreements:
        raise EpochalError(f"{ours} and {theirs} judge no question and document in common")
    print(f"A is {ours}, B is {theirs}")
    for name, item in agreements.items():
        print(_format_agreement(name, item))


def _format_agreement(name: str, item: Agreement) -> str:
    width = max(len("B yes"), *(len(f"{count:,}") for count in (item.both, item.first, item.second, item.neither)))
    lines = [
        f"{name}: {item.compared:,} answers compared; {item.undecided:,} left open, "
        f"{item.unpaired:,} judged by one alone",
        f"  {'':6}  {'B yes':>{width}}  {'B no':>{width}}",
        f"  A yes   {item.both:>{width},}  {item.first:>{width},}",
        f"  A no    {item.second:>{width},}  {item.neither:>{width},}",
        f"  kappa   {_format_figure(item.kappa, item.kappa_interval)}",
    ]
    if not math.isnan(item.area):
        lines.append(f"  AUROC   {_format_figure(item.area, item.area_interval)}")
    return "\n".join(lines)


def _format_figure(value: float, interval: ConfidenceInterval) -> str:
    if math.isnan(value):
        return "none: no answer differs"
    return f"{value:.3f}" + ("" if math.isnan(interval.low) else f"  (95 %: {interval.low:.3f} to {interval.high:.3f})")
