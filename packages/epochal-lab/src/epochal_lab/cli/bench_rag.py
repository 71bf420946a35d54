"""`epochal bench rag`: answers measured as a benchmark."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epochal.cli.common import add_json_option, progress_bar
from epochal.errors import EpochalError
from epochal_lab.cli.model_options import add_data_options, add_model_options, open_model

if TYPE_CHECKING:
    from epochal.llm.chat import Ledger
    from epochal_lab.datasets.records import BenchSet
    from epochal_lab.rag.contexts import Grader, RagContext, RagProtocol, Writer
    from epochal_lab.rag.task import RagResult
    from epochal_lab.runs.tasks import SetLoader

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
    add_data_options(parser)
    add_model_options(parser)
    parser.add_argument("--judge-url", metavar="URL", help="the endpoint that grades; --url unless given")
    parser.add_argument("--judge-model", metavar="NAME", help="the model that grades; --model unless given")
    parser.add_argument("--judge-key", metavar="VARIABLE", help="the variable with its key; --key unless given")
    parser.add_argument("--judge-by-rules", action="store_true", help="grade by rules, whoever answers")
    parser.add_argument("--dry-run", action="store_true", help="show what would be sent, and send nothing")
    add_json_option(parser)
    parser.set_defaults(run=_run_rag)


def _run_rag(arguments: argparse.Namespace) -> int:
    from epochal.llm.chat import Ledger
    from epochal_lab.rag.contexts import collect_documents, get_protocol
    from epochal_lab.rag.task import answer_all, format_rag_table, write_rag_result
    from epochal_lab.runs.tasks import SetLoader

    if arguments.most is not None and arguments.most < 1:
        raise EpochalError(f"--most is {arguments.most}; accepted: 1 or more")
    protocol, ledger = get_protocol(arguments.protocol), Ledger()
    if arguments.dry_run and not (arguments.url or arguments.gguf or arguments.judge_url):
        raise EpochalError("--dry-run shows what is sent to a model; accepted: with --url URL --model NAME, or --gguf")
    writer, grader = _make_writer(arguments, protocol, ledger), _make_grader(arguments, protocol, ledger)
    sets, results = SetLoader(arguments.data, hub=arguments.hub), []
    for name in arguments.sets:
        bench_set, contexts = _prepare_contexts(arguments, name, sets, protocol)
        documents = collect_documents(bench_set, contexts)
        for context in contexts:
            with progress_bar(f"{bench_set.id} {context.name}", len(bench_set.queries)) as move_bar:

                def report(done: int, total: int, move_bar: Any = move_bar) -> None:
                    move_bar(done, f"{done:,} of {total:,} questions")

                result = answer_all(
                    bench_set,
                    context,
                    documents,
                    writer,
                    grader,
                    protocol=protocol.name,
                    workers=1 if arguments.dry_run else arguments.workers,
                    report_progress=report,
                )
            results.append(result)
            if not arguments.dry_run:
                write_rag_result(Path(arguments.out) / "rag" / _make_file_name(result), result)
    if arguments.dry_run:
        print("epochal: this was a dry run: nothing was sent, and no answer was written", file=sys.stderr)
        return 0
    if arguments.json:
        print(json.dumps([_to_record(result, protocol) for result in results], ensure_ascii=False))
    else:
        print(format_rag_table(results, protocol.measures))
        if protocol.measures == ("score",):
            print("".join(format_published(result.set for result in results)), end="")
    for result in results:
        if result.gaps:
            first = next(item.problem for item in result.answered if item.is_gap)
            gaps = f"{result.gaps:,} of {len(result.answered):,} questions have no measure; the first: {first}"
            print(f"epochal: {result.set} {result.context}: {gaps}", file=sys.stderr)
    if ledger.total().replies:
        print(f"epochal: {ledger.describe()}", file=sys.stderr)
    return 0


def format_published(sets: Iterable[str]) -> list[str]:
    """The rows that papers print of the answers to the questions of sets, for the table with one score."""
    from epochal_lab.runs.tables import find_published

    rows = [row for name in dict.fromkeys(sets) for row in find_published(name.partition("(")[0], kind="rag")]
    scores = [100 * row.measures["answer score"] for row in rows]
    return [
        f"| {row.set} | *{row.system} ({row.name}, {row.table})* | | | | | *{score:.1f}* | |\n"
        for row, score in zip(rows, scores, strict=True)
    ]


def _prepare_contexts(
    arguments: argparse.Namespace, name: str, sets: SetLoader, protocol: RagProtocol
) -> tuple[BenchSet, list[RagContext]]:
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

    bench_set = sets.load(Task(name, "none", arguments.split))
    if arguments.most is not None:
        bench_set = bench_set.with_queries(bench_set.queries[: arguments.most])
    contexts: list[RagContext] = []
    for spec in dict.fromkeys(arguments.context):
        if spec == "none":
            contexts.append(make_empty_context())
            continue
        if spec == "oracle":
            context = make_oracle_context(bench_set.qrels, protocol.top)
        else:
            system = make_system(spec)
            task = Task(name, system.name, arguments.split, k=max(protocol.top, 10))
            Runner(Path(arguments.out), parse_measures("nDCG@10 R@10")).run(task, bench_set, system)
            rows = read_run(Path(arguments.out) / "runs" / f"{task.slug}.trec")
            rankings = {query: [row.document for row in ranked] for query, ranked in rows.items()}
            context = make_ranking_context(system.name, rankings, protocol.top)
        contexts += [context, make_abstaining_context(context)] if arguments.abstain else [context]
    return bench_set, contexts


def _make_writer(arguments: argparse.Namespace, protocol: RagProtocol, ledger: Ledger) -> Writer:
    from epochal_lab.rag.contexts import ModelWriter, RuleWriter

    if not (arguments.url or arguments.gguf or arguments.replay):
        return RuleWriter()
    temperature = 0.0 if arguments.gguf else protocol.temperature
    chat = open_model(
        arguments, ledger, temperature=temperature, extra=protocol.extra, dry_run=print if arguments.dry_run else None
    )
    return ModelWriter(chat, protocol)


def _make_grader(arguments: argparse.Namespace, protocol: RagProtocol, ledger: Ledger) -> Grader:
    from epochal_lab.rag.contexts import ModelGrader, RuleGrader, WordGrader

    if protocol.name == "tmrl":
        return WordGrader()
    if arguments.judge_by_rules or not (arguments.judge_url or arguments.url or arguments.gguf or arguments.replay):
        return RuleGrader()
    # An endpoint of its own gets no key but its own.
    changed = {"model": arguments.judge_model or arguments.model, "key": arguments.judge_key or arguments.key}
    if arguments.judge_url:
        changed |= {"url": arguments.judge_url, "key": arguments.judge_key, "gguf": None, "replay": None}
    options = argparse.Namespace(**{**vars(arguments), **changed})
    return ModelGrader(open_model(options, ledger, dry_run=print if arguments.dry_run else None))


def _make_file_name(result: RagResult) -> str:
    parts = (result.set, result.protocol, result.context, result.writer)
    return ".".join(_UNSAFE.sub("-", part).strip("-") for part in parts)[:150] + ".json"


def _to_record(result: RagResult, protocol: RagProtocol) -> dict[str, Any]:
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
        "measures": {name: result.mean(name) for name in protocol.measures},
        "measures_from_documents": {name: result.mean(name, passed_only=True) for name in protocol.measures},
    }
