"""`epochal bench judge` and `agree`: judge the documents of a run, and compare two judges."""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import TYPE_CHECKING, Any, Final

from epochal.cli.common import add_json_option, check_output, print_json, progress_bar
from epochal.errors import EpochalError
from epochal_lab.cli.model_options import add_data_options, add_model_options, open_model

if TYPE_CHECKING:
    from epochal.llm.chat import Ledger
    from epochal_lab.datasets.records import BenchSet
    from epochal_lab.judges.agreement import Agreement
    from epochal_lab.judges.base import Judge, JudgeResult
    from epochal_lab.metrics.evaluation import Evaluation
    from epochal_lab.metrics.runs import Run
    from epochal_lab.metrics.significance import ConfidenceInterval

_JUDGE_HELP = """judges:
  spans  by the times that a document states near the words of the question; nothing is sent anywhere
  llm    TEMPO's: a language model decides for each document, and gives a reason

examples:
  epochal bench judge bm25.trec my-set -o bm25.judged.jsonl
  epochal bench judge bm25.trec tempo/law --judge llm --url http://localhost:8080/v1 --model NAME \\
      --record calls.jsonl -o bm25.judged.jsonl
  epochal eval bm25.trec my-set --verdicts bm25.judged.jsonl --measures TP@10 TR@10

The file has one judgement a line, with its reason; `epochal eval --verdicts` and `epochal bench agree` read it. An
answer that a judge fails to give is null, counted, and never a no. With --record an interrupted command goes on.
"""
#: TEMPO's measures that verdicts are for.
_MEASURES: Final = ("TP", "TR", "TC", "nDCG|FC")


def add_judge(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "judge",
        help="judge the documents that a run found: do they help with the time that is asked for",
        description="Judge the first documents of each question: whether they help with what the question asks of "
        "time, and which of its periods they cover. Writes the judgements, and prints TEMPO's measures.",
        epilog=_JUDGE_HELP,
    )
    parser.add_argument("run_file", metavar="RUN", help="a TREC run, such as `epochal run` writes")
    parser.add_argument("set", metavar="SET", help="an id that `epochal bench list` shows, or a BEIR folder")
    parser.add_argument("-o", "--out", metavar="FILE", required=True, help="the file of judgements, JSON Lines")
    parser.add_argument("--judge", metavar="NAME", default="spans", help="spans or llm; spans unless given")
    parser.add_argument("-k", type=int, default=10, metavar="N", help="documents per question; 10 unless given")
    parser.add_argument("--split", metavar="NAME", default="test", help="test unless given")
    parser.add_argument("--most", type=int, metavar="N", help="only the first so many questions of the run")
    parser.add_argument(
        "--add-periods", action="store_true", help="read the periods of comparisons from questions that have none"
    )
    parser.add_argument("--calibration", metavar="FILE", help="of the judge spans: weights of your own, as JSON")
    parser.add_argument("--window", type=int, default=6000, metavar="N", help="of the judge llm: characters per call")
    add_data_options(parser)
    add_json_option(parser)
    add_model_options(parser)
    parser.set_defaults(run=_run_judge)


def _run_judge(arguments: argparse.Namespace) -> int:
    from epochal.llm.chat import Ledger
    from epochal_lab.judges.base import judge_run, write_judgements

    for option, value in (("-k", arguments.k), ("--workers", arguments.workers), ("--most", arguments.most)):
        if value is not None and value < 1:
            raise EpochalError(f"{option} is {value}; accepted: 1 or more")
    check_output(arguments.out)
    run, bench_set = _read_inputs(arguments)
    ledger = Ledger()
    judge = _make_judge(arguments, bench_set, ledger)
    needed = {document for scores in run.values() for document in scores}
    documents = {document.id: document for document in bench_set.documents if document.id in needed}
    with progress_bar(f"judging by {judge.name}", len(bench_set.queries) * arguments.k) as move_bar:
        result = judge_run(
            judge,
            run,
            bench_set.queries,
            documents,
            k=arguments.k,
            workers=arguments.workers,
            report_progress=lambda done, total: move_bar(done, f"{done:,} of {total:,} documents"),
        )
    if ledger.total().replies:
        print(f"epochal: {ledger.describe()}", file=sys.stderr)
    first = next((item.reason for item in result.judgements if item.verdict.relevant is None), "")
    if result.judgements and all(item.verdict.relevant is None for item in result.judgements):
        count = f"{len(result.judgements):,} documents"
        print(
            f"epochal: {judge.name} judged none of {count}, and nothing was written; the first: {first}",
            file=sys.stderr,
        )
        return 1
    write_judgements(arguments.out, result.judgements)
    record = _to_record(arguments, judge, result, _measure(arguments.k, run, bench_set, result))
    if arguments.json:
        print_json(record)
    else:
        _show_record(record)
    if result.gaps:
        reason = f"; the first: {first}" if first else ""
        print(
            f"epochal: {result.gaps:,} of {len(result.judgements):,} documents lack an answer{reason}", file=sys.stderr
        )
    return 0


def _read_inputs(arguments: argparse.Namespace) -> tuple[Run, BenchSet]:
    """The run, and the set with the questions that the run answers."""
    from epochal.storage.importers.beir import read_run
    from epochal_lab.judges.evidence import add_periods
    from epochal_lab.runs.tasks import SetLoader, Task

    rows = read_run(arguments.run_file)
    run = {query: {row.document: row.score for row in ranked} for query, ranked in rows.items()}
    bench_set = SetLoader(arguments.data, hub=arguments.hub).load(Task(arguments.set, "none", arguments.split))
    queries = [query for query in bench_set.queries if query.id in run][: arguments.most]
    if not queries:
        split = f"the split {arguments.split} of {arguments.set}"
        raise EpochalError(f"{arguments.run_file} answers no question of {split}; accepted: a run on that set")
    if arguments.add_periods:
        queries = [add_periods(query) for query in queries]
    return {query.id: run[query.id] for query in queries}, bench_set.with_queries(queries)


def _make_judge(arguments: argparse.Namespace, bench_set: BenchSet, ledger: Ledger) -> Judge:
    from epochal.errors import UnknownNameError
    from epochal_lab.judges.evidence import Background
    from epochal_lab.judges.llm import LlmJudge
    from epochal_lab.judges.spans import SpanJudge, read_calibration

    if arguments.judge == "llm":
        return LlmJudge(open_model(arguments, ledger), window=arguments.window)
    if arguments.judge != "spans":
        raise UnknownNameError("judge", arguments.judge, ("spans", "llm"))
    if arguments.url or arguments.gguf or arguments.replay:
        raise EpochalError("a language model is named, and the judge spans uses none; accepted: --judge llm")
    calibration = None if arguments.calibration is None else read_calibration(arguments.calibration)
    return SpanJudge(Background.of(bench_set.documents), calibration)


def _measure(k: int, run: Run, bench_set: BenchSet, result: JudgeResult) -> Evaluation:
    from dataclasses import replace

    from epochal_lab.metrics.evaluation import evaluate, missing_requirements, parse_measures

    # No measure of verdicts needs the documents, which take long to read.
    judgements = replace(bench_set, documents=()).judgements(result.verdicts)
    measures = parse_measures(" ".join(f"{name}@{k}" for name in _MEASURES))
    return evaluate(run, judgements, [item for item in measures if not missing_requirements(item, judgements)])


def _to_record(
    arguments: argparse.Namespace, judge: Judge, result: JudgeResult, evaluation: Evaluation
) -> dict[str, Any]:
    return {
        "run": arguments.run_file,
        "set": arguments.set,
        "split": arguments.split,
        "judge": judge.name,
        "k": arguments.k,
        "judgements": len(result.judgements),
        "relevant": sum(item.verdict.relevant is True for item in result.judgements),
        "gaps": result.gaps,
        "atemporal": list(result.atemporal),
        "measures": {
            str(outcome.measure): {
                "mean": None if math.isnan(outcome.average.mean) else outcome.average.mean,
                "questions": outcome.average.count,
                "undefined": outcome.average.undefined,
            }
            for outcome in evaluation.outcomes
        },
    }


def _show_record(record: dict[str, Any]) -> None:
    counts = f"{record['judgements']:,} documents judged, {record['relevant']:,} relevant, {record['gaps']:,} undecided"
    print(f"{record['judge']}: {counts}; {len(record['atemporal']):,} questions without time, not judged")
    for name, value in record["measures"].items():
        mean = "none" if value["mean"] is None else f"{value['mean']:.3f}"
        print(f"  {name:<12}{mean:>6}  of {value['questions']:,} questions")


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
