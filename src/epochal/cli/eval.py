"""`epochal eval`: what runs are worth, against judgements, with how sure one can be of it."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.errors import EpochalError, InputError

if TYPE_CHECKING:
    from epochal.bench.metrics import Evaluation, Judgements, Measure, Run
    from epochal.bench.records import BenchSet

__all__ = ["add", "comparable"]

_HELP = """examples:
  epochal eval bm25.trec qrels/test.tsv
  epochal eval bm25.trec scifact --measures nDCG@10 R@100 "MFG@5(unit=days, clip=true)"
  epochal eval bm25.trec dense.trec epochal.trec my-test-set --by-kind --json

QRELS is a file of judgements (BEIR's or TREC's), or the folder of a test set, which also brings periods, times and
kinds of questions. Several runs are each compared with the first, or with --against.
"""

#: What is measured where nothing else is asked for.
_USUAL: Final = "nDCG@10 R@10 R@100 MRR@10 hit@1 AP"
_WITH_PERIOD_LABELS: Final = "TC@10 nDCG|FC@10"
_WITH_TIMES: Final = "tnDCG@10"


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> told = parser.parse_args(["eval", "a.trec", "b.trec", "qrels.tsv", "--measures", "nDCG@10", "R@100"])
    >>> told.runs, told.qrels, told.measures
    (['a.trec', 'b.trec'], 'qrels.tsv', ['nDCG@10', 'R@100'])
    """
    parser = commands.add_parser(
        "eval",
        help="measure TREC runs against judgements",
        description="Measure TREC runs against judgements, with confidence intervals, and compare them.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="a TREC run; several are compared")
    parser.add_argument("qrels", metavar="QRELS", help="a file of judgements, or the folder of a test set")
    parser.add_argument(
        "--measures", metavar="MEASURE", nargs="+", action="extend", help="what to measure, such as nDCG@10 R@100"
    )
    parser.add_argument("--against", metavar="RUN", help="compare with this run; with the first unless given")
    parser.add_argument("--set", metavar="FOLDER", help="a test set with periods, times and kinds for QRELS, a file")
    parser.add_argument("--split", metavar="NAME", help="the split of the test set; test, where there is one")
    parser.add_argument("--verdicts", metavar="FILE", help="verdicts of a judge, as JSON lines, for TP, TR and TC")
    parser.add_argument(
        "--by-kind", metavar="QUERIES", nargs="?", const="", help="means by kind; QUERIES has kinds, else the test set"
    )
    parser.add_argument("--per-query", action="store_true", help="show the value for each question too")
    parser.add_argument(
        "--resamples", type=int, default=2000, metavar="N", help="draws for intervals and p; 2,000 unless given"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.bench.metrics import evaluate, lacking

    if arguments.resamples < 1:
        raise EpochalError(f"--resamples is {arguments.resamples}; accepted: 1 or more")
    names = list(dict.fromkeys([*([arguments.against] if arguments.against else []), *arguments.runs]))
    known = _known(arguments)
    measures = _measures(arguments.measures, known)
    judgements = _judgements(known, measures, arguments.verdicts)
    for measure in measures:
        if missing := lacking(measure, judgements):
            place = arguments.set or arguments.qrels
            raise EpochalError(f"{measure} needs {' and '.join(missing)}, which {place} does not have")
    runs = {name: _read(name) for name in names}
    evaluations = {name: evaluate(run, judgements, measures) for name, run in runs.items()}
    told = comparable(
        evaluations,
        known.kinds if arguments.by_kind is not None else {},
        resamples=arguments.resamples,
        per_query=arguments.per_query,
    )
    told = {"qrels": arguments.qrels, "split": known.split, "questions": len(judgements.query_ids), **told}
    if arguments.json:
        print(json.dumps(told, ensure_ascii=False, indent=2, allow_nan=False))
        return 0
    from epochal.cli.rendering.page import Page
    from epochal.cli.rendering.scores import show_scores

    show_scores(told, Page())
    return 0


@dataclass(frozen=True, slots=True)
class _Known:
    """What the arguments bring beside the runs: judgements from a file, or a set."""

    qrels: Mapping[str, Mapping[str, int]]
    made: BenchSet | None
    split: str | None
    kinds: Mapping[str, str]


def _known(arguments: argparse.Namespace) -> _Known:
    from epochal.bench.folder import read_folder
    from epochal.index.inputs import read_qrels

    is_folder = Path(arguments.qrels).is_dir()
    if is_folder and arguments.set is not None:
        raise EpochalError(f"{arguments.qrels} is a test set, and so is --set; accepted: one of them")
    folder = arguments.qrels if is_folder else arguments.set
    if not is_folder and arguments.split is not None:
        raise EpochalError(f"--split names a split of a test set, and {arguments.qrels} is a file of one; leave it out")
    made = None if folder is None else read_folder(folder)
    split = arguments.split
    if is_folder and made is not None:
        if split is None and "test" in made.splits and len(made.splits) > 1:
            split = "test"
        made = made if split is None else made.of_split(split)
        qrels = made.qrels
    else:
        qrels = read_qrels(arguments.qrels)
        if made is not None:
            made = replace(made.having(query for query in made.queries if query.id in qrels), qrels=qrels)
    kinds = {} if made is None else {query.id: query.kind for query in made.queries}
    if arguments.by_kind:
        kinds = _kinds(Path(arguments.by_kind))
    elif arguments.by_kind is not None and made is None:
        raise EpochalError("--by-kind needs kinds of questions; give it a queries.jsonl, or a test set as QRELS")
    return _Known(qrels, made, split, kinds)


def _kinds(path: Path) -> dict[str, str]:
    from epochal.index.inputs.jsonl import json_rows
    from epochal.index.inputs.rows import Meter

    kinds: dict[str, str] = {}
    for row in json_rows(path / "queries.jsonl" if path.is_dir() else path, str(path), Meter(0)):
        id = next((row.values[key] for key in ("_id", "id") if row.values.get(key)), None)
        if row.problem is not None or not isinstance(id, str):
            raise InputError(str(path), row.line, row.problem or "the row has no id; accepted: a text under '_id'")
        kinds[id] = str(row.values.get("kind") or "")
    return kinds


def _measures(asked: Sequence[str] | None, known: _Known) -> tuple[Measure, ...]:
    from epochal.bench.metrics import parse_measures
    from epochal.bench.metrics.base import stated_times

    if asked is not None:
        # Joined, so that parameters may have spaces between them also where nobody put quotes around a measure.
        found = parse_measures(" ".join(asked))
        if not found:
            raise EpochalError("--measures names none; accepted: measures such as nDCG@10 R@100")
        return tuple(dict.fromkeys(found))
    usual = _USUAL
    if known.made is not None and known.made.period_qrels:
        usual += f" {_WITH_PERIOD_LABELS}"
    if (
        known.made is not None
        and any(query.periods for query in known.made.queries)
        and any(stated_times(document) for document in known.made.documents)
    ):
        usual += f" {_WITH_TIMES}"
    return parse_measures(usual)


def _judgements(known: _Known, measures: Sequence[Measure], verdicts_file: str | None) -> Judgements:
    from epochal.bench.judges.files import read_judgements, verdicts_of
    from epochal.bench.metrics import Judgements

    verdicts = {} if verdicts_file is None else verdicts_of(read_judgements(verdicts_file))
    if known.made is None:
        return Judgements(known.qrels, verdicts=verdicts)
    asks_times = any(need in ("content", "published") for measure in measures for need in measure.needs)
    # Going through the documents takes long, and most measures ask nothing of their times.
    made = known.made if asks_times else replace(known.made, documents=())
    return made.judgements(verdicts)


def _read(path: str) -> Run:
    from epochal.index.inputs import read_run

    return {query: {row.document: row.score for row in rows} for query, rows in read_run(path).items()}


def comparable(
    evaluations: Mapping[str, Evaluation], kinds: Mapping[str, str], *, resamples: int = 2000, per_query: bool = False
) -> dict[str, Any]:
    """Evaluations of runs by name as JSON values; each run but the first is compared with the first.

    >>> from epochal.bench.metrics import Judgements, evaluate, parse_measures
    >>> judged = Judgements({"q1": {"d1": 1}, "q2": {"d2": 1}})
    >>> runs = {"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}}
    >>> told = comparable({name: evaluate(run, judged, parse_measures("R@1")) for name, run in runs.items()}, {})
    >>> told["runs"][1]["measures"][0]["comparison"]["difference"]
    0.5
    """
    from epochal.bench.metrics import breakdown
    from epochal.bench.metrics.significance import bootstrap_mean, compare_all

    first, *others = evaluations
    runs = []
    comparisons = {
        str(outcome.measure): compare_all(
            {name: evaluations[name][outcome.measure].values for name in others}, outcome.values, resamples=resamples
        )
        for outcome in evaluations[first].outcomes
    }
    for name, evaluation in evaluations.items():
        measured = []
        for outcome in evaluation.outcomes:
            interval = bootstrap_mean(outcome.values.values(), resamples=resamples)
            record: dict[str, Any] = {
                "measure": str(outcome.measure),
                "mean": _number(outcome.average.mean),
                "low": _number(interval.low),
                "high": _number(interval.high),
                "questions": outcome.average.count,
                "undefined": outcome.average.undefined,
                "unanswered": outcome.unanswered,
                "gaps": outcome.gaps,
                "higher_is_better": outcome.measure.higher_is_better,
                "comparison": None,
                "kinds": {
                    kind: {"mean": _number(found.mean), "questions": found.count, "undefined": found.undefined}
                    for kind, found in (breakdown(outcome.values, kinds) if kinds else {}).items()
                },
            }
            if (told := comparisons[str(outcome.measure)].get(name)) is not None:
                record["comparison"] = {
                    "difference": _number(told.difference.mean),
                    "low": _number(told.difference.low),
                    "high": _number(told.difference.high),
                    "p": told.p,
                    "adjusted": told.adjusted,
                    "questions": told.queries,
                }
            if per_query:
                record["per_query"] = {query: _number(value) for query, value in outcome.values.items()}
            measured.append(record)
        runs.append({"run": name, "unjudged": evaluation.unjudged, "measures": measured})
    return {"against": first if others else None, "runs": runs}


def _number(value: float) -> float | None:
    """JSON has no nan."""
    return None if math.isnan(value) else float(value)
