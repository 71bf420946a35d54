"""`epochal bench agree` and `rag`: agreement of two judges, and answers measured as a benchmark."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epochal.errors import EpochalError

if TYPE_CHECKING:
    from collections.abc import Callable

    from epochal.llm.chat import Chat, Ledger
    from epochal_lab.datasets.records import BenchSet
    from epochal_lab.judges.agreement import Agreement
    from epochal_lab.metrics.significance import Interval
    from epochal_lab.rag.contexts import Context, Grader, RagProtocol, Writer
    from epochal_lab.rag.task import RagResult

__all__ = ["add_agree", "add_rag"]


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
        description="Compare two files of judgements: Cohen's kappa, the area under the ROC curve, who said what.",
        epilog=_AGREE_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("first", metavar="A", help="judgements as JSON Lines, whose scores are looked at")
    parser.add_argument("second", metavar="B", help="the judgements that A is compared with")
    parser.add_argument("--rounds", type=int, default=1000, metavar="N", help="bootstrap samples of questions (1000)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="what the samples are drawn by (0)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run_agree)


def _run_agree(arguments: argparse.Namespace) -> int:
    from epochal_lab.judges.agreement import measure_agreement
    from epochal_lab.judges.base import read_judgements

    if arguments.rounds < 1 or arguments.seed < 0:
        told = f"--rounds {arguments.rounds} --seed {arguments.seed}"
        raise EpochalError(f"{told} cannot be drawn by; accepted: rounds from 1, a seed from 0")
    first, second = read_judgements(arguments.first), read_judgements(arguments.second)
    found = measure_agreement(first, second, rounds=arguments.rounds, seed=arguments.seed)
    if not found:
        raise EpochalError(f"{arguments.first} and {arguments.second} judge no question and document in common")
    if arguments.json:
        print(json.dumps({name: item.to_dict() for name, item in found.items()}, indent=2))
        return 0
    for name, item in found.items():
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
        f"  kappa   {_figure(item.kappa, item.kappa_interval)}",
    ]
    if not math.isnan(item.area):
        lines.append(f"  AUROC   {_figure(item.area, item.area_interval)}")
    return "\n".join(lines)


def _figure(value: float, ends: Interval) -> str:
    if math.isnan(value):
        return "none: no answer differs"
    return f"{value:.3f}" + ("" if math.isnan(ends.low) else f"  (95 %: {ends.low:.3f} to {ends.high:.3f})")


_RAG_HELP = """examples:
  epochal bench rag my-set --context none oracle bm25 epochal --abstain -o out
  epochal bench rag tempo/law --url http://localhost:8080/v1 --model NAME --record calls.jsonl --hub -o out
  epochal bench rag my-set --protocol tmrl --gguf model.gguf -o out
  epochal bench rag my-set --url http://localhost:8080/v1 --model NAME --dry-run -o out

Without a language model the answers are quotes, by rules, and nothing is sent anywhere. With --abstain each context has
a second row: only documents that cover the periods that a question requires are passed on, or none. Into the folder go
rag/ (JSON, each question with its documents, answer and measures) and what `epochal bench run` writes for the systems.
"""
_UNSAFE = re.compile(r"[^0-9A-Za-z._+-]+")


def add_rag(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "rag",
        help="measure answers from nothing, from the gold, and from what systems find",
        description="Let questions be answered from nothing, from the relevant documents and from what systems find, "
        "and measure the answers as TEMPO or TMRL do.",
        epilog=_RAG_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sets", metavar="SET", nargs="+", help="ids that `epochal bench list` shows, or BEIR folders")
    parser.add_argument("-o", "--out", metavar="DIR", required=True, help="the folder for runs and results")
    parser.add_argument("--protocol", metavar="NAME", default="tempo", help="tempo or tmrl; tempo unless given")
    parser.add_argument(
        "--context",
        metavar="NAME",
        nargs="+",
        default=["none", "oracle", "bm25", "epochal"],
        help="none, oracle, or systems that `epochal bench systems` lists; none, oracle, bm25, epochal unless given",
    )
    parser.add_argument("--abstain", action="store_true", help="also pass on only what covers the required periods")
    parser.add_argument("--split", metavar="NAME", default="test", help="test unless given")
    parser.add_argument("--most", type=int, metavar="N", help="only the first so many questions of a set")
    parser.add_argument("--data", metavar="DIR", help="the data folder; EPOCHAL_DATA unless given")
    parser.add_argument("--hub", action="store_true", help="fetch the files of TEMPO from the Hugging Face hub")
    parser.add_argument("--url", metavar="URL", help="the endpoint of the language model, up to /v1")
    parser.add_argument("--model", metavar="NAME", help="the language model")
    parser.add_argument("--key", metavar="VARIABLE", help="the environment variable that holds the endpoint's key")
    parser.add_argument("--gguf", metavar="FILE", help="a model on this machine; needs the extra llm")
    parser.add_argument("--replay", metavar="FILE", help="answer from a recording; nothing is sent")
    parser.add_argument("--record", metavar="FILE", help="keep the replies, and ask for none that is kept")
    parser.add_argument("--judge-url", metavar="URL", help="the endpoint that grades; --url unless given")
    parser.add_argument("--judge-model", metavar="NAME", help="the model that grades; --model unless given")
    parser.add_argument("--judge-key", metavar="VARIABLE", help="the variable with its key; --key unless given")
    parser.add_argument("--judge-by-rules", action="store_true", help="grade by rules, whoever answers")
    parser.add_argument("--workers", type=int, default=4, metavar="N", help="calls at once; 4 unless given")
    parser.add_argument("--dry-run", action="store_true", help="show what would be sent, and send nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run_rag)


def _run_rag(arguments: argparse.Namespace) -> int:
    from epochal.cli.common import progress_bar
    from epochal.llm.chat import Ledger
    from epochal_lab.rag.contexts import collect_documents, get_protocol
    from epochal_lab.rag.task import answer_all, format_rag_table, write_rag_result
    from epochal_lab.runs.tasks import SetLoader

    if arguments.most is not None and arguments.most < 1:
        raise EpochalError(f"--most is {arguments.most}; accepted: 1 or more")
    way, ledger = get_protocol(arguments.protocol), Ledger()
    if arguments.dry_run and not (arguments.url or arguments.gguf or arguments.judge_url):
        raise EpochalError("--dry-run shows what is sent to a model; accepted: with --url URL --model NAME, or --gguf")
    writer, grader = _writer(arguments, way, ledger), _grader(arguments, way, ledger)
    sets, found = SetLoader(arguments.data, hub=arguments.hub), []
    for name in arguments.sets:
        made, contexts = _contexts(arguments, name, sets, way)
        documents = collect_documents(made, contexts)
        for context in contexts:
            with progress_bar(f"{made.id} {context.name}", len(made.queries)) as tell:

                def told(done: int, total: int, tell: Any = tell) -> None:
                    tell(done, f"{done:,} of {total:,} questions")

                result = answer_all(
                    made,
                    context,
                    documents,
                    writer,
                    grader,
                    protocol=way.name,
                    workers=1 if arguments.dry_run else arguments.workers,
                    report_progress=told,
                )
            found.append(result)
            if not arguments.dry_run:
                write_rag_result(Path(arguments.out) / "rag" / _file(result), result)
    if arguments.dry_run:
        print("epochal: this was a dry run: nothing was sent, and no answer was written", file=sys.stderr)
        return 0
    if arguments.json:
        print(json.dumps([_record(result, way) for result in found], ensure_ascii=False))
    else:
        print(format_rag_table(found, way.measures))
    _print_results(found, ledger)
    return 0


def _print_results(found: list[RagResult], ledger: Ledger) -> None:
    for result in found:
        if result.gaps:
            first = next(item.problem for item in result.answered if item.is_gap)
            told = f"{result.gaps:,} of {len(result.answered):,} questions have no measure; the first: {first}"
            print(f"epochal: {result.set} {result.context}: {told}", file=sys.stderr)
    if ledger.total().replies:
        print(f"epochal: {ledger.describe()}", file=sys.stderr)


def _contexts(arguments: argparse.Namespace, name: str, sets: Any, way: RagProtocol) -> tuple[BenchSet, list[Context]]:
    from epochal.storage.importers.beir import read_run
    from epochal_lab.metrics.evaluation import parse_measures
    from epochal_lab.rag.contexts import (
        make_abstaining_context,
        make_empty_context,
        make_oracle_context,
        make_ranking_context,
    )
    from epochal_lab.runs.runner import Runner
    from epochal_lab.runs.tasks import Task
    from epochal_lab.systems.registry import make_system

    made: BenchSet = sets.load(Task(name, "none", arguments.split))
    if arguments.most is not None:
        made = made.with_queries(made.queries[: arguments.most])
    contexts: list[Context] = []
    for spec in dict.fromkeys(arguments.context):
        if spec == "none":
            contexts.append(make_empty_context())
            continue
        if spec == "oracle":
            chosen = make_oracle_context(made.qrels, way.top)
        else:
            asked = make_system(spec)
            task = Task(name, asked.name, arguments.split, k=max(way.top, 10))
            runner = Runner(Path(arguments.out), parse_measures("nDCG@10 R@10"))
            runner.run(task, made, asked)
            rows = read_run(Path(arguments.out) / "runs" / f"{task.slug}.trec")
            rankings = {query: [row.document for row in ranked] for query, ranked in rows.items()}
            chosen = make_ranking_context(asked.name, rankings, way.top)
        contexts += [chosen, make_abstaining_context(chosen)] if arguments.abstain else [chosen]
    return made, contexts


def _writer(arguments: argparse.Namespace, way: RagProtocol, ledger: Ledger) -> Writer:
    from epochal_lab.rag.contexts import ModelWriter, RuleWriter

    if not (arguments.url or arguments.gguf or arguments.replay):
        return RuleWriter()
    return ModelWriter(_chat(arguments, way, ledger, arguments.url, arguments.model, arguments.key), way)


def _grader(arguments: argparse.Namespace, way: RagProtocol, ledger: Ledger) -> Grader:
    from epochal_lab.rag.contexts import ModelGrader, RuleGrader, WordGrader

    if way.name == "tmrl":
        return WordGrader()
    model = arguments.judge_model or arguments.model
    url = arguments.judge_url or arguments.url
    if arguments.judge_by_rules or not (url or arguments.gguf or arguments.replay):
        return RuleGrader()
    key = arguments.judge_key or (arguments.key if not arguments.judge_url else None)
    return ModelGrader(_chat(arguments, None, ledger, url, model, key))


def _chat(
    arguments: argparse.Namespace,
    way: RagProtocol | None,
    ledger: Ledger,
    url: str | None,
    model: str | None,
    key: str | None,
) -> Chat:
    from epochal.llm.registry import open_chat

    show: Callable[[str], object] | None = print if arguments.dry_run else None
    return open_chat(
        url=url,
        model=model,
        key=key,
        gguf=None if url else arguments.gguf,
        replay=None if url else arguments.replay,
        record=arguments.record,
        dry_run=show,
        temperature=way.temperature if way is not None and not arguments.gguf else 0.0,
        extra=way.extra if way is not None else {},
        timeout=300.0,
        concurrency=arguments.workers,
        ledger=ledger,
    )


def _file(result: RagResult) -> str:
    parts = (result.set, result.protocol, result.context, result.writer)
    return ".".join(_UNSAFE.sub("-", part).strip("-") for part in parts)[:150] + ".json"


def _record(result: RagResult, way: RagProtocol) -> dict[str, Any]:
    return {
        "set": result.set,
        "protocol": result.protocol,
        "context": result.context,
        "writer": result.writer,
        "grader": result.grader,
        "questions": len(result.answered),
        "without_reference": result.unmeasured,
        "gaps": result.gaps,
        "from_documents": result.passed,
        "withheld": sum(item.withheld for item in result.answered),
        "measures": {name: result.mean(name) for name in way.measures},
        "measures_from_documents": {name: result.mean(name, passed_only=True) for name in way.measures},
    }
