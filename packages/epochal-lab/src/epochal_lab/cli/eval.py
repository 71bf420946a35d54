"""`epochal eval` and `eval-tags`: score runs against judgements, and taggers against gold TimeML."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.cli.common import add_json_option, print_json
from epochal.cli.rendering.terminal import Page, clean, measure_width, pad
from epochal.errors import EpochalError, InputError

if TYPE_CHECKING:
    from epochal_lab.datasets.records import BenchSet
    from epochal_lab.metrics.evaluation import Evaluation
    from epochal_lab.metrics.measure import Measure
    from epochal_lab.metrics.runs import Judgements, Run
    from epochal_lab.metrics.texts import AnnotatedText

#: Below this, a difference is marked as more than chance.
_ALPHA: Final = 0.05
_NONE: Final = "–"


def show_scores(record: Mapping[str, Any], page: Page) -> None:
    """Print what `epochal eval` found, which is given as its JSON has it."""
    runs = record["runs"]
    names = clean(runs[0]["run"]) if len(runs) == 1 else f"{len(runs)} runs"
    split = f", split {record['split']}" if record["split"] else ""
    page.line((f"{names} against {clean(record['qrels'])}{split}: {record['questions']:,} questions", "bold"))
    if record["against"] is not None:
        page.line((f"differences are from {clean(record['against'])}", ""))
    if len(runs) == 1:
        _show_one(runs[0], page)
    else:
        _show_several(runs, page)
    for line in _list_notes(runs):
        page.line((line, "dim"))
    questions = [
        [clean(run["run"]), measured["measure"], clean(query), format_number(value, 6)]
        for run in runs
        for measured in run["measures"]
        for query, value in measured.get("per_query", {}).items()
    ]
    if questions:
        page.line()
        _print(page, [["run", "measure", "question", "value"], *questions], [False, False, False, True])


def format_table(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    """Rows of cells as lines with the cells in columns, some of them to the right; the first row is the heading."""
    widths = [max(measure_width(row[column]) for row in rows) for column in range(len(right))]
    return [
        "  ".join(pad(cell, width, right=to) for cell, width, to in zip(row, widths, right, strict=True)).rstrip()
        for row in rows
    ]


def format_number(value: float | None, digits: int = 3) -> str:
    """A number with so many digits after the point, or a dash."""
    return _NONE if value is None else f"{value:.{digits}f}"


def _show_one(run: Mapping[str, Any], page: Page) -> None:
    rows = [["measure", "mean", "95 % interval", "questions"]]
    for measured in run["measures"]:
        rows.append([measured["measure"], *_format_mean(measured), f"{measured['questions']:,}"])
        rows += _list_kind_rows(measured)
    _print(page, rows, [False, True, False, True])


def _show_several(runs: Sequence[Mapping[str, Any]], page: Page) -> None:
    heads = ["mean", "95 % interval", "questions", "difference", "95 % interval", "p", "Holm's p", "compared"]
    rows = []
    for location, first in enumerate(runs[0]["measures"]):
        rows.append([first["measure"], *(heads if not location else [""] * len(heads))])
        for run in runs:
            measured = run["measures"][location]
            cells = [*_format_mean(measured), f"{measured['questions']:,}", *_format_comparison(measured["comparison"])]
            rows.append([f"  {clean(run['run'])}", *cells])
            rows += [[*row, *[""] * 5] for row in _list_kind_rows(measured, "    ")]
    _print(page, rows, [False, True, False, True, True, False, True, True, True])


def _print(page: Page, rows: Sequence[Sequence[str]], right: Sequence[bool]) -> None:
    for row, line in zip(rows, format_table(rows, right), strict=True):
        heading = row is rows[0] or not any(row[1:])
        page.line((line, "cyan" if heading else ""))


def _format_mean(measured: Mapping[str, Any]) -> list[str]:
    return [format_number(measured["mean"]), _format_interval(measured["low"], measured["high"], "")]


def _format_interval(low: float | None, high: float | None, sign: str) -> str:
    return "" if low is None or high is None else f"{low:{sign}.3f} to {high:{sign}.3f}"


def _list_kind_rows(measured: Mapping[str, Any], indent: str = "  ") -> list[list[str]]:
    return [
        [f"{indent}{clean(kind) or '(no kind)'}", format_number(average["mean"]), "", f"{average['questions']:,}"]
        for kind, average in measured["kinds"].items()
    ]


def _format_comparison(comparison: Mapping[str, Any] | None) -> list[str]:
    if comparison is None or comparison["difference"] is None:
        return [""] * 5
    mark = " *" if comparison["adjusted"] < _ALPHA else "  "
    return [
        f"{comparison['difference']:+.3f}",
        _format_interval(comparison["low"], comparison["high"], "+"),
        f"{comparison['p']:.4f}",
        f"{comparison['adjusted']:.4f}{mark}",
        f"{comparison['questions']:,}",
    ]


def _list_notes(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    if any(
        (comparison := item["comparison"]) and comparison["adjusted"] < _ALPHA
        for run in runs
        for item in run["measures"]
    ):
        lines.append(f"* more than chance: Holm's p below {_ALPHA}")
    for run in runs:
        before = f"{clean(run['run'])}: " if len(runs) > 1 else ""
        if run["unjudged"]:
            lines.append(
                f"{before}{_format_count(run['unjudged'], 'question')} of the run without judgements, left out"
            )
        for key, what, words in (
            ("unanswered", "question", "without an answer, counted as a miss"),
            ("undefined", "question", "for which there is no value, left out"),
            ("gaps", "document", "without what is needed to know"),
        ):
            counts: dict[int, list[str]] = {}
            for measured in run["measures"]:
                counts.setdefault(measured[key], []).append(measured["measure"])
            for count, names in counts.items():
                if count:
                    of = "" if len(names) == len(run["measures"]) else f"{', '.join(names)}: "
                    lines.append(f"{before}{of}{_format_count(count, what)} {words}")
    return lines


def _format_count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


_EVAL_HELP = """examples:
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


def add_eval(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "eval",
        help="measure TREC runs against judgements",
        description="Measure TREC runs against judgements, with confidence intervals, and compare them.",
        epilog=_EVAL_HELP,
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
    add_json_option(parser)
    parser.set_defaults(run=_run_eval)


def _run_eval(arguments: argparse.Namespace) -> int:
    from epochal_lab.metrics.evaluation import evaluate, missing_requirements

    if arguments.resamples < 1:
        raise EpochalError(f"--resamples is {arguments.resamples}; accepted: 1 or more")
    names = list(dict.fromkeys([*([arguments.against] if arguments.against else []), *arguments.runs]))
    reference = _read_reference(arguments)
    measures = _select_measures(arguments.measures, reference)
    judgements = _build_judgements(reference, measures, arguments.verdicts)
    for measure in measures:
        if missing := missing_requirements(measure, judgements):
            location = arguments.set or arguments.qrels
            raise EpochalError(f"{measure} needs {' and '.join(missing)}, which {location} does not have")
    runs = {name: _read(name) for name in names}
    evaluations = {name: evaluate(run, judgements, measures) for name, run in runs.items()}
    record = build_comparison(
        evaluations,
        reference.kinds if arguments.by_kind is not None else {},
        resamples=arguments.resamples,
        per_query=arguments.per_query,
    )
    record = {"qrels": arguments.qrels, "split": reference.split, "questions": len(judgements.query_ids), **record}
    if arguments.json:
        print_json(record)
        return 0
    from epochal.cli.rendering.terminal import Page

    show_scores(record, Page())
    return 0


@dataclass(frozen=True, slots=True)
class _Reference:
    """What the arguments bring beside the runs: judgements from a file, or a set."""

    qrels: Mapping[str, Mapping[str, int]]
    bench_set: BenchSet | None
    split: str | None
    kinds: Mapping[str, str]


def _read_reference(arguments: argparse.Namespace) -> _Reference:
    from epochal.storage.importers.beir import read_qrels
    from epochal_lab.datasets.folder import read_folder

    is_folder = Path(arguments.qrels).is_dir()
    if is_folder and arguments.set is not None:
        raise EpochalError(f"{arguments.qrels} is a test set, and so is --set; accepted: one of them")
    folder = arguments.qrels if is_folder else arguments.set
    if not is_folder and arguments.split is not None:
        raise EpochalError(f"--split names a split of a test set, and {arguments.qrels} is a file of one; leave it out")
    bench_set = None if folder is None else read_folder(folder)
    split = arguments.split
    if is_folder and bench_set is not None:
        if split is None and "test" in bench_set.splits and len(bench_set.splits) > 1:
            split = "test"
        bench_set = bench_set if split is None else bench_set.select_split(split)
        qrels = bench_set.qrels
    else:
        qrels = read_qrels(arguments.qrels)
        if bench_set is not None:
            bench_set = replace(
                bench_set.with_queries(query for query in bench_set.queries if query.id in qrels), qrels=qrels
            )
    kinds = {} if bench_set is None else {query.id: query.kind for query in bench_set.queries}
    if arguments.by_kind:
        kinds = _read_kinds(Path(arguments.by_kind))
    elif arguments.by_kind is not None and bench_set is None:
        raise EpochalError("--by-kind needs kinds of questions; give it a queries.jsonl, or a test set as QRELS")
    return _Reference(qrels, bench_set, split, kinds)


def _read_kinds(path: Path) -> dict[str, str]:
    from epochal.storage.importers.rows import Meter, json_rows

    kinds: dict[str, str] = {}
    for row in json_rows(path / "queries.jsonl" if path.is_dir() else path, str(path), Meter(0)):
        id = next((row.values[key] for key in ("_id", "id") if row.values.get(key)), None)
        if row.problem is not None or not isinstance(id, str):
            raise InputError(str(path), row.line, row.problem or "the row has no id; accepted: a text under '_id'")
        kinds[id] = str(row.values.get("kind") or "")
    return kinds


def _select_measures(names: Sequence[str] | None, reference: _Reference) -> tuple[Measure, ...]:
    from epochal_lab.metrics.evaluation import parse_measures
    from epochal_lab.metrics.runs import stated_times

    if names is not None:
        # Joined, so that parameters may have spaces between them also where nobody put quotes around a measure.
        measures = parse_measures(" ".join(names))
        if not measures:
            raise EpochalError("--measures names none; accepted: measures such as nDCG@10 R@100")
        return tuple(dict.fromkeys(measures))
    usual = _USUAL
    if reference.bench_set is not None and reference.bench_set.period_qrels:
        usual += f" {_WITH_PERIOD_LABELS}"
    if (
        reference.bench_set is not None
        and any(query.periods for query in reference.bench_set.queries)
        and any(stated_times(document) for document in reference.bench_set.documents)
    ):
        usual += f" {_WITH_TIMES}"
    return parse_measures(usual)


def _build_judgements(reference: _Reference, measures: Sequence[Measure], verdicts_file: str | None) -> Judgements:
    from epochal_lab.judges.base import group_verdicts, read_judgements
    from epochal_lab.metrics.runs import Judgements

    verdicts = {} if verdicts_file is None else group_verdicts(read_judgements(verdicts_file))
    if reference.bench_set is None:
        return Judgements(reference.qrels, verdicts=verdicts)
    asks_times = any(need in ("content", "published") for measure in measures for need in measure.needs)
    # Going through the documents takes long, and most measures ask nothing of their times.
    bench_set = reference.bench_set if asks_times else replace(reference.bench_set, documents=())
    return bench_set.judgements(verdicts)


def _read(path: str) -> Run:
    from epochal.storage.importers.beir import read_run

    return {query: {row.document: row.score for row in rows} for query, rows in read_run(path).items()}


def build_comparison(
    evaluations: Mapping[str, Evaluation], kinds: Mapping[str, str], *, resamples: int = 2000, per_query: bool = False
) -> dict[str, Any]:
    """Evaluations of runs by name as JSON values; each run but the first is compared with the first."""
    from epochal_lab.metrics.evaluation import average_by_kind
    from epochal_lab.metrics.significance import bootstrap_mean, compare_all

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
                "mean": _replace_nan(outcome.average.mean),
                "low": _replace_nan(interval.low),
                "high": _replace_nan(interval.high),
                "questions": outcome.average.count,
                "undefined": outcome.average.undefined,
                "unanswered": outcome.unanswered,
                "gaps": outcome.gaps,
                "higher_is_better": outcome.measure.higher_is_better,
                "comparison": None,
                "kinds": {
                    kind: {
                        "mean": _replace_nan(average.mean),
                        "questions": average.count,
                        "undefined": average.undefined,
                    }
                    for kind, average in (average_by_kind(outcome.values, kinds) if kinds else {}).items()
                },
            }
            if (comparison := comparisons[str(outcome.measure)].get(name)) is not None:
                record["comparison"] = {
                    "difference": _replace_nan(comparison.difference.mean),
                    "low": _replace_nan(comparison.difference.low),
                    "high": _replace_nan(comparison.difference.high),
                    "p": comparison.p,
                    "adjusted": comparison.adjusted,
                    "questions": comparison.queries,
                }
            if per_query:
                record["per_query"] = {query: _replace_nan(value) for query, value in outcome.values.items()}
            measured.append(record)
        runs.append({"run": name, "unjudged": evaluation.unjudged, "measures": measured})
    return {"against": first if others else None, "runs": runs}


def _replace_nan(value: float) -> float | None:
    """JSON has no nan."""
    return None if math.isnan(value) else float(value)


_EVAL_TAGS_HELP = """counted as TempEval-3 does, over all documents together:
  relaxed  gold and system expressions that overlap, paired one to one
  strict   pairs with the same extent
  value    pairs with the same value
  type     pairs of the same kind

example:
  epochal tag gold/ -o system/ && epochal eval-tags gold/ system/ --errors 20
"""


def add_eval_tags(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "eval-tags",
        help="score TimeML against gold TimeML",
        description="Score the TIMEX3 of TimeML files against gold ones: precision, recall and F1, whole and by kind.",
        epilog=_EVAL_TAGS_HELP,
    )
    parser.add_argument("gold", metavar="GOLD", help="a TimeML file, or a folder of .tml files")
    parser.add_argument("system", metavar="SYSTEM", help="the same, tagged by a system; files are matched by name")
    parser.add_argument("--errors", type=int, default=0, metavar="N", help="list the first N mistakes of each sort")
    add_json_option(parser)
    parser.set_defaults(run=_run_eval_tags)


def _run_eval_tags(arguments: argparse.Namespace) -> int:
    from epochal_lab.metrics.texts import ERROR_CLASSES, score_tags

    if arguments.errors < 0:
        raise EpochalError(f"--errors is {arguments.errors}; accepted: 0 or more")
    matched, unscored = _pair_files(Path(arguments.gold), Path(arguments.system))
    scores = score_tags(
        [_read_annotated(gold) for gold, _ in matched], [_read_annotated(system) for _, system in matched]
    )
    mistakes = [
        item
        for what in ERROR_CLASSES
        for item in [mistake for mistake in scores.mistakes if mistake.what == what][: arguments.errors]
    ]
    if arguments.json:
        record = scores.record() | {"unscored": unscored, "errors": [item.record() for item in mistakes]}
        print_json(record)
        return 0
    print(f"{scores.documents} document{'' if scores.documents == 1 else 's'}")
    print(scores.table())
    if unscored:
        print(f"not scored, for want of gold: {_join_names(unscored)}")
    for item in mistakes:
        print(item)
    return 0


def _pair_files(gold: Path, system: Path) -> tuple[list[tuple[Path, Path]], list[str]]:
    """Gold files with the system's, and the names of system files that have no gold."""
    for path in (gold, system):
        if not path.exists():
            raise EpochalError(f"{path} does not exist; accepted: a TimeML file or a folder of .tml files")
    if gold.is_dir() != system.is_dir():
        raise EpochalError(f"of {gold} and {system} one is a folder; accepted: two files or two folders")
    if not gold.is_dir():
        return [(gold, system)], []
    gold_files = sorted(gold.glob("*.tml"))
    if not gold_files:
        raise EpochalError(f"the folder {gold} has no .tml files")
    missing = [file.name for file in gold_files if not (system / file.name).is_file()]
    if missing:
        raise EpochalError(f"{len(missing)} of {len(gold_files)} files are missing in {system}: {_join_names(missing)}")
    names = {file.name for file in gold_files}
    return [(file, system / file.name) for file in gold_files], sorted(
        file.name for file in system.glob("*.tml") if file.name not in names
    )


def _join_names(names: list[str], most: int = 10) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _read_annotated(file: Path) -> AnnotatedText:
    from epochal.reading.timeml import read_timeml
    from epochal_lab.metrics.texts import AnnotatedText

    try:
        document = read_timeml(file.read_bytes())
    except OSError as error:
        raise EpochalError(f"cannot read {file}: {error.strerror}") from error
    except EpochalError as error:
        raise EpochalError(f"{file}: {error}") from error
    return AnnotatedText(file.name, document.text, document.gold)
