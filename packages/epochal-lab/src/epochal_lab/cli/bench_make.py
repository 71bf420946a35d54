"""`epochal bench build`, `make` and `augment`: test sets from published files or own documents, and training rows."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epochal.cli.common import add_json_option, format_count, print_json, progress_bar
from epochal.errors import EpochalError, UnknownNameError
from epochal_lab.cli.model_options import add_data_options, add_model_options, open_model

if TYPE_CHECKING:
    from epochal.storage.records import Document
    from epochal_lab.datasets.augment.make import AugmentedRows
    from epochal_lab.datasets.builders import Builder
    from epochal_lab.datasets.records import BenchSet, ProgressCallback

_AUGMENT_HELP = """examples:
  epochal bench augment pages.jsonl -o train.jsonl --stats
  epochal bench augment pages.jsonl -o train.jsonl --several --hold-out tnp --hold-out timeqa
  epochal bench augment data/timeqa -o train.jsonl --from timeqa
  epochal bench augment pages.jsonl -o train.jsonl --from llm --url http://localhost:8080/v1 --model NAME

A row is a passage, its time expressions, questions that it answers and questions that it does not, each with its type
and Allen's relation of its time to that of the passage. Without a language model the relation is computed from what is
read in the question and in the passage. The same input and seed give the same rows.
"""


def add_augment(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "augment",
        help="make training rows from passages: questions that they answer, and questions that they do not",
        description="Make training rows for temporal encoders from passages: questions that state a time, that name an "
        "event, or that ask for a time, across Allen's relations.",
        epilog=_AUGMENT_HELP,
    )
    parser.add_argument("input", metavar="INPUT", help="documents, a folder of TimeQA, or rows, as --from says")
    parser.add_argument("-o", "--out", metavar="ROWS", required=True, help="the file to write, JSON lines")
    parser.add_argument(
        "--from",
        dest="kind",
        choices=("passages", "timeqa", "llm", "rows"),
        default="passages",
        help="what is made: rows of passages by templates, rows of TimeQA's facts, rows of passages by a language "
        "model, or rows that are there already, checked; passages unless given",
    )
    parser.add_argument("--several", action="store_true", help="keep paragraphs whole, with several time expressions")
    parser.add_argument("--dated", action="store_true", help="date texts that state no time by their publication")
    parser.add_argument("--most", type=int, metavar="N", help="at most so many rows")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="another number gives other questions")
    parser.add_argument(
        "--hold-out", metavar="DIR", action="append", default=[], help="a BEIR folder whose texts must not be used"
    )
    parser.add_argument("--shards-only", action="store_true", help="of TimeQA, only the shards and no annotated page")
    parser.add_argument("--format", metavar="FORMAT", help="what INPUT is, where its name does not tell")
    parser.add_argument("--stats", action="store_true", help="print counts of types, relations, expressions and words")
    add_json_option(parser)
    add_model_options(parser)
    parser.set_defaults(run=_run_augment)


def _run_augment(arguments: argparse.Namespace) -> int:
    from epochal_lab.datasets.augment.rows import count_rows, write_rows

    augmented = _augment_rows(arguments)
    if not augmented.rows:
        reasons = ", ".join(f"{reason} ({count:,})" for reason, count in sorted(augmented.dropped.items()))
        raise EpochalError(f"{arguments.input} gives no row: {reasons or 'nothing read'}")
    write_rows(arguments.out, augmented.rows)
    counts = count_rows(augmented.rows)
    to = sys.stderr if arguments.out == "-" else sys.stdout
    if arguments.json:
        record = {"statistics": counts.to_dict(), "dropped": augmented.dropped, "changed": augmented.changed}
        print(json.dumps(record, ensure_ascii=False, indent=2), file=to)
        return 0
    print(
        f"{arguments.out}: {counts.passages:,} passages with {counts.positives:,} questions that they answer and "
        f"{counts.negatives:,} that they do not",
        file=to,
    )
    for title, reasons_of in (("dropped", augmented.dropped), ("mended", augmented.changed)):
        for reason, count in sorted(reasons_of.items()):
            print(f"  {title}  {reason}: {count:,}", file=to)
    if arguments.stats:
        print(f"\n{counts.markdown()}", file=to)
    return 0


def _augment_rows(arguments: argparse.Namespace) -> AugmentedRows:
    from epochal_lab.datasets.augment import make
    from epochal_lab.datasets.augment.generate import SAMPLING

    if arguments.most is not None and arguments.most < 1:
        raise EpochalError(f"--most is {arguments.most}; accepted: 1 or more")
    several, most = arguments.several, arguments.most
    if arguments.kind == "rows":
        return make.from_rows(arguments.input, several=several, most=most)
    holdout = make.Holdout.from_sets(arguments.hold_out)
    if arguments.kind == "timeqa":
        pages = not arguments.shards_only
        return make.from_timeqa(arguments.input, seed=arguments.seed, most=most, holdout=holdout, pages=pages)
    chat = open_model(arguments, temperature=0.7, extra=SAMPLING) if arguments.kind == "llm" else None
    passages = list(
        make.read_passages(arguments.input, format=arguments.format, headed=arguments.dated, seed=arguments.seed)
    )
    with progress_bar("augmenting", most or len(passages)) as move_bar:
        if chat is None:
            return make.from_passages(
                passages, seed=arguments.seed, several=several, most=most, holdout=holdout, report_progress=move_bar
            )
        return make.from_chat(
            passages,
            chat,
            several=several,
            most=most,
            holdout=holdout,
            workers=arguments.workers,
            report_progress=move_bar,
        )


_BUILD_HELP = """examples:
  epochal bench build --list
  epochal bench build chunqiutr --from data/chunqiu -o chunqiutr
  epochal bench build zztj --from data/chunqiu -o zztj-none --set dates=none

The same files and switches give the same bytes. The manifest in the folder says what it was made from.
"""
_WRITING = 100  # of the bar goes to building, and as much to writing


def add_build(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "build",
        help="make a test set from published files",
        description="Make a test set from published files, and write it as a BEIR folder with a manifest.",
        epilog=_BUILD_HELP,
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="a builder that --list shows")
    parser.add_argument("--from", dest="source", metavar="DIR", help="the folder with the published files")
    parser.add_argument("-o", "--out", metavar="OUT", help="the folder to write, which must be new or empty")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="a switch of the builder (may be repeated)"
    )
    parser.add_argument("--list", action="store_true", help="show the builders and their switches")
    add_json_option(parser)
    parser.set_defaults(run=_run_build)


def _run_build(arguments: argparse.Namespace) -> int:
    if arguments.list:
        _show_builders(arguments.json)
        return 0
    missing = [
        name
        for name, value in (("NAME", arguments.name), ("--from DIR", arguments.source), ("-o OUT", arguments.out))
        if not value
    ]
    if missing:
        raise EpochalError(f"bench build lacks {' and '.join(missing)}; accepted: NAME --from DIR -o OUT, or --list")
    return _build(arguments.name, arguments.source, Path(arguments.out), arguments.set, arguments.json)


def _build(name: str, source: str, out: Path, settings: Sequence[str], as_json: bool) -> int:
    from dataclasses import replace

    from epochal_lab.datasets.builders import build, builder
    from epochal_lab.datasets.folder import check_new_folder, write_folder

    check_new_folder(out)
    switches = _parse_switches(builder(name), settings)
    with progress_bar(f"building {name}", 2 * _WRITING) as move_bar:
        bench_set, manifest = build(name, source, report_progress=move_bar, **switches)
        documents = _ProgressDocuments(tuple(bench_set.documents), move_bar)
        written = write_folder(out, replace(bench_set, documents=documents), manifest)
    if as_json:
        print(
            json.dumps(
                {"id": written.id, "files": written.counts(), "facts": written.facts}, ensure_ascii=False, indent=2
            )
        )
        return 0
    for file, rows in written.counts().items():
        print(f"{out / file}: {format_count(rows, 'row')}")
    _show_facts(written.facts, "")
    _show_audit(bench_set)
    print(f"{out}: {written.id}, made by {written.made_by}", file=sys.stderr)
    return 0


class _ProgressDocuments:
    """Documents that move the bar as they are written."""

    def __init__(self, documents: Sequence[Document], move_bar: ProgressCallback) -> None:
        self._documents, self._move_bar = documents, move_bar

    def __iter__(self) -> Iterator[Document]:
        for number, document in enumerate(self._documents):
            if number % 100 == 0:
                self._move_bar(_WRITING + number * _WRITING // len(self._documents), "writing")
            yield document


def _parse_switches(row: Builder, settings: Sequence[str]) -> dict[str, Any]:
    known = {switch.name: switch for switch in row.switches}
    values = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals:
            raise EpochalError(f"--set {text!r} sets nothing; accepted: KEY=VALUE")
        if key not in known:
            raise UnknownNameError("switch", key, known)
        values[key] = known[key].parse(value)
    return values


def _show_builders(as_json: bool) -> None:
    from dataclasses import asdict

    from epochal_lab.datasets.builders import builder, builder_names

    rows = {name: builder(name) for name in builder_names()}
    if as_json:
        print_json({name: asdict(row) for name, row in rows.items()})
        return
    for name, row in rows.items():
        print(f"{name}: {row.help}")
        for switch in row.switches:
            value = str(switch.default).lower() if isinstance(switch.default, bool) else switch.default
            choices = f" ({', '.join(switch.choices)})" if switch.choices else ""
            print(f"  {switch.name}={value}  {switch.help}{choices}")


def _show_facts(facts: Any, indent: str) -> None:
    """Facts as indented lines; a pair of numbers is ours and what was published."""
    for name, value in facts.items():
        if isinstance(value, dict):
            print(f"{indent}{name}:")
            _show_facts(value, f"{indent}  ")
        elif isinstance(value, list) and len(value) == 2 and isinstance(value[0], int):
            published = "not published" if value[1] is None else f"published {value[1]:,}"
            print(f"{indent}{name}: {value[0]:,} ({published})")
        else:
            print(f"{indent}{name}: {value}")


_MAKE_HELP = """examples:
  epochal bench make news.jsonl -o news-test
  epochal bench make news-index -o news-test --per-kind 100 --seed 7
  epochal bench make laws.csv -o laws-test --kinds latest as_of --now 2026-03-28

SOURCE is an index, or anything that epochal index reads. The folder is in BEIR's form, with times and kinds beside;
epochal run and epochal bench run answer its questions. The same documents and seed give the same set. The machine's
clock is not read: without --now, questions are asked on the day of the last publication.
"""


def add_make(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "make",
        help="make a test set from your own documents, without labels",
        description="Make a temporal test set from documents without labels: points, windows, before and after, latest "
        "and past versions, comparisons, and questions to which nothing is recorded.",
        epilog=_MAKE_HELP,
    )
    parser.add_argument("source", metavar="SOURCE", help="an index, or a file or folder of documents")
    parser.add_argument("-o", "--out", metavar="DIR", required=True, help="the folder to write, new or empty")
    parser.add_argument("--now", metavar="DATE", help="when the questions are asked")
    parser.add_argument("--per-kind", type=int, default=50, metavar="N", help="questions of each kind; 50 unless given")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="another number gives other questions")
    parser.add_argument("--kinds", nargs="+", metavar="KIND", help="only these kinds")
    parser.add_argument("--format", metavar="FORMAT", help="what SOURCE is, where its name does not tell")
    parser.set_defaults(run=_run_make)


_AUDIT_HELP = """examples:
  epochal bench audit tnp re2bench/rel --data DATA
  epochal bench audit "re2bench/rel(times=relative)" --data DATA --most 300
  epochal bench audit my-set

hit@1 of rankings that read no time, over the documents on the topic of each question: those that have the number of its
time literally (year), the newest, the longest, the first of the corpus, and one at random; and of BM25 on the whole
question. `epochal bench build` and `make` print the same.
"""


def add_audit(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "audit",
        help="what shortcuts that read no time reach on a test set",
        description="Measure what rankings that read no time reach on test sets.",
        epilog=_AUDIT_HELP,
    )
    parser.add_argument("sets", metavar="SET", nargs="+", help="ids that `epochal bench list` shows, or BEIR folders")
    parser.add_argument("--split", metavar="NAME", default="test", help="test unless given")
    parser.add_argument("--protocol", metavar="MODE", default="", help="a mode such as undated50")
    parser.add_argument("--most", type=int, metavar="N", help="so many questions of each set, spread over all of them")
    add_data_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=_run_audit)


def _run_audit(arguments: argparse.Namespace) -> int:
    from dataclasses import replace

    from epochal_lab.runs.shortcuts import audit_shortcuts, format_audit_table
    from epochal_lab.runs.tasks import SetLoader, Task

    loader = SetLoader(arguments.data, hub=arguments.hub)
    audits = []
    for name in arguments.sets:
        bench_set = loader.load(Task(name, "none", arguments.split, protocol=arguments.protocol))
        audits.append(replace(audit_shortcuts(bench_set, arguments.most), set=name))
    if arguments.json:
        print_json([audit.to_dict() for audit in audits])
        return 0
    print(format_audit_table(audits))
    for audit in audits:
        for warning in audit.warnings:
            print(f"epochal: {audit.set}: {warning}", file=sys.stderr)
    return 0


#: Questions of a new set that are audited.
_AUDITED = 200


def _show_audit(bench_set: BenchSet) -> None:
    """Print what shortcuts reach on a set that was just made, unless no question of it has an answer."""
    from epochal_lab.runs.shortcuts import audit_shortcuts

    if not any(grade > 0 for judged in bench_set.qrels.values() for grade in judged.values()):
        return
    audit = audit_shortcuts(bench_set, _AUDITED)
    figures = ", ".join(f"{name.removeprefix('shortcut-')} {value:.3f}" for name, value in audit.hits.items())
    print(f"shortcuts, hit@1 of {audit.questions:,} questions: {figures}")
    for warning in audit.warnings:
        print(f"epochal: {warning}", file=sys.stderr)


def _run_make(arguments: argparse.Namespace) -> int:
    from epochal.reading.resolve import parse_time_option
    from epochal_lab.datasets.folder import check_new_folder, write_folder
    from epochal_lab.datasets.making.make import KINDS, make

    check_new_folder(Path(arguments.out))
    bench_set, manifest = make(
        arguments.source,
        now=parse_time_option(arguments.now, "--now"),
        per_kind=arguments.per_kind,
        seed=arguments.seed,
        kinds=tuple(arguments.kinds or KINDS),
        format=arguments.format,
    )
    write_folder(arguments.out, bench_set, manifest)
    counts = ", ".join(f"{count} {kind}" for kind, count in manifest.facts["questions"].items())
    documents = format_count(manifest.facts["documents"], "document")
    print(f"{arguments.out}: {format_count(len(bench_set.queries), 'question')} about {documents} ({counts})")
    for kind, reason in manifest.facts["missing"].items():
        print(f"  none of the kind {kind}: {reason}")
    _show_audit(bench_set)
    return 0
