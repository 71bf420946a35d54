"""Commands that fill and maintain an index: index, export, import, delete, compact, backup and check."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from epochal.cli.common import (
    IngestResult,
    add_index_argument,
    add_json_option,
    add_ray_options,
    check_index,
    check_new,
    check_output,
    connect_workers,
    format_count,
    get_encoder_name,
    ingest,
    ingest_on_ray,
    open_for_adding,
    open_index,
    print_json,
)
from epochal.cli.vectors import add_vector_options, check_vector_options, run_vectors, start_in_background
from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.api import Index
    from epochal.ingest import SequenceReader
    from epochal.storage.check import CheckReport


def add_backup(commands: Any) -> None:
    """Add `epochal backup`."""
    parser = commands.add_parser(
        "backup",
        help="copy an index to a new folder",
        description="Copy the current state of an index to a new folder, even while it is in use.",
        epilog="example:\n  epochal backup news copies/news-2026-11-15",
    )
    add_index_argument(parser)
    parser.add_argument("to", metavar="TO", help="the folder of the copy; new or empty")
    parser.set_defaults(run=_run_backup)


def _run_backup(arguments: argparse.Namespace) -> int:
    from epochal.storage.store import Store

    with open_index(arguments.index) as index:
        check_new(arguments.to)
        count = len(index)
        index.backup(arguments.to)
    Store.open(arguments.to).close()  # builds the derived files now, so that the copy is ready for use
    print(f"{arguments.to}: a copy of {format_count(count, 'document')}")
    return 0


_CHECK_HELP = """example:
  epochal check news --repair
  epochal check news --repair --from backups/monday

The exit code is 0 if the index is sound or was repaired, and 1 if a problem remains.
"""


def add_check(commands: Any) -> None:
    """Add `epochal check`."""
    parser = commands.add_parser(
        "check",
        help="check an index, and repair it",
        description="Check every file of an index against its document database; --repair rebuilds derived files.",
        epilog=_CHECK_HELP,
    )
    add_index_argument(parser)
    parser.add_argument(
        "--repair", action="store_true", help="rebuild derived files that are wrong, and accept missing writes as lost"
    )
    parser.add_argument(
        "--from",
        dest="backup",
        metavar="BACKUP",
        help="with --repair: replace damaged documents by those of a backup, where it holds what was stored",
    )
    add_json_option(parser)
    parser.set_defaults(run=_run_check)


def _run_check(arguments: argparse.Namespace) -> int:
    import epochal.api  # noqa: F401 - offers the encoders by which vectors are made again
    from epochal.storage.addresses import get_provider

    check_index(arguments.index)
    provider = get_provider(arguments.index)
    name = provider.shown(arguments.index)
    report = provider.check(arguments.index, repair=arguments.repair, backup=_check_backup(arguments))
    if arguments.json:
        print_json(make_check_record(report))
        return 0 if report.is_sound else 1
    for finding in report.findings:
        print(f"{'mended ' if finding.mended else 'problem'}  {finding.where:7}  {finding.what}")
    held = f"{format_count(report.documents, 'document')}, {format_count(report.passages, 'passage')}"
    print(f"{name}: {'sound' if report.is_sound else 'not sound'}; {held}")
    if report.pending:
        vectors = f"vectors of {format_count(report.pending, 'passage')} are not made yet"
        print(f"{vectors}; where no process in the background makes them: epochal index {name} --vectors")
    derived = any(finding.where == "derived" and not finding.mended for finding in report.findings)
    if derived and not arguments.repair:
        print(f"derived files can be rebuilt: epochal check {name} --repair")
    if not arguments.repair and any(finding.where == "writes" for finding in report.findings):
        print(f"missing writes can be accepted as lost: epochal check {name} --repair")
    if any(finding.where == "truth" and not finding.mended for finding in report.findings):
        print(
            f"damaged documents can be replaced: epochal check {name} --repair --from BACKUP; or restore a backup, or "
            f"index them again"
        )
    return 0 if report.is_sound else 1


def _check_backup(arguments: argparse.Namespace) -> str | None:
    from epochal.storage.addresses import is_address

    backup: str | None = arguments.backup
    if backup is not None and not arguments.repair:
        raise EpochalError("--from replaces damaged documents, so it needs --repair")
    if backup is not None and is_address(backup):
        raise EpochalError("--from takes a folder, as `epochal backup` writes it")
    return backup


def make_check_record(report: CheckReport) -> dict[str, Any]:
    """The report as JSON; docs/reference/json.md documents the keys."""
    return {
        "path": report.path,
        "sound": report.is_sound,
        "documents": report.documents,
        "passages": report.passages,
        "pending": report.pending,
        "findings": [{"where": item.where, "what": item.what, "mended": item.mended} for item in report.findings],
    }


def add_compact(commands: Any) -> None:
    """Add `epochal compact`."""
    parser = commands.add_parser(
        "compact",
        help="free the space of deleted documents",
        description="Free the space that deleted and replaced documents take in an index.",
        epilog="example:\n  epochal compact news",
    )
    add_index_argument(parser)
    parser.add_argument(
        "--erase", action="store_true", help="write all files anew, so that none has the words of what was deleted"
    )
    parser.set_defaults(run=_run_compact)


def _run_compact(arguments: argparse.Namespace) -> int:
    from epochal.storage.addresses import get_provider

    provider = get_provider(arguments.index)
    with open_index(arguments.index, write=True) as index:
        before = provider.size(arguments.index)
        index.compact(erase=arguments.erase)
    print(f"{provider.shown(arguments.index)}: {before:,} bytes before, {provider.size(arguments.index):,} now")
    return 0


def add_delete(commands: Any) -> None:
    """Add `epochal delete`."""
    parser = commands.add_parser(
        "delete",
        help="delete documents from an index",
        description="Delete documents from an index by their ids. Unknown ids are ignored.",
        epilog="example:\n  epochal delete news 2011-03-11-1 2011-03-11-2",
    )
    add_index_argument(parser)
    parser.add_argument("ids", metavar="ID", nargs="+", help="the ids of the documents")
    parser.set_defaults(run=_run_delete)


def _run_delete(arguments: argparse.Namespace) -> int:
    from epochal.storage.addresses import shown

    with open_index(arguments.index, write=True) as index:
        count = index.delete(arguments.ids)
        held = len(index)
    absent = len(set(arguments.ids)) - count
    unknown = f", {format_count(absent, 'id')} not there" if absent else ""
    message = f"{format_count(count, 'document')} deleted{unknown}; it holds {format_count(held, 'document')}"
    print(f"{shown(arguments.index)}: {message}")
    return 0


_EXPORT_HELP = """example:
  epochal export news -o news.jsonl.gz

Nothing is lost: `epochal import` restores equal documents from the file.
"""


def add_export(commands: Any) -> None:
    """Add `epochal export`."""
    parser = commands.add_parser(
        "export",
        help="write the documents of an index to a file",
        description="Write all documents of an index to a file: JSON Lines or Parquet, by its name.",
        epilog=_EXPORT_HELP,
    )
    add_index_argument(parser)
    parser.add_argument(
        "-o", "--out", metavar="OUT", required=True, help="a .jsonl, .jsonl.gz or .parquet file, or - for the output"
    )
    parser.set_defaults(run=_run_export)


def _run_export(arguments: argparse.Namespace) -> int:
    from epochal.storage.importers.export import export

    check_output(arguments.out)
    with open_index(arguments.index) as index:
        count = export(index.documents(), arguments.out)
    print(f"{arguments.out}: {format_count(count, 'document')}", file=sys.stderr)
    return 0


_IMPORT_HELP = """example:
  epochal import copy --from news.jsonl

The file is one that `epochal export` wrote, and is read strictly: the import stops at the first bad row. What was added
before it stays, and is skipped when the import is run again.
"""


def add_import(commands: Any) -> None:
    """Add `epochal import`."""
    parser = commands.add_parser(
        "import",
        help="add exported documents to an index",
        description="Add exported documents to an index, which is created if it does not exist.",
        epilog=_IMPORT_HELP,
    )
    add_index_argument(parser, "; new or existing")
    parser.add_argument(
        "--from", dest="source", metavar="FILE", required=True, help="a file that `epochal export` wrote"
    )
    parser.add_argument("--encoder", metavar="NAME", help="the encoder of a new index")
    parser.set_defaults(run=_run_import)


def _run_import(arguments: argparse.Namespace) -> int:
    from epochal.storage.addresses import shown
    from epochal.storage.importers.read import read

    reading = read(arguments.source, strict=True)
    with open_for_adding(arguments.index, arguments.encoder) as index:
        done = ingest(index, reading, "importing")
        held = f"it holds {format_count(len(index), 'document')} (encoder {get_encoder_name(index)})"
        print(f"{shown(arguments.index)}: {done}; {held}")
    return 0


_INDEX_HELP = """sources:
  rows (.jsonl, .ndjson, .csv, .tsv, each also with .gz; .json, .parquet) with id and text, and optional title,
  published, valid and series; a BEIR folder with corpus.jsonl; a folder of .md, .rst, .txt, .html or .eml files, or of
  files with rows; .mbox files; RSS and Atom feeds; .pdf files; with --history, a folder of a Git repository

examples:
  epochal index news --from news.jsonl
  epochal index notes --from notes/ --encoder static
  epochal index mail --from export.csv --map id=Message,text=Body,published=Sent
  epochal index docs --from docs/ --history         every committed version of each text file
  epochal index annals --from annals.jsonl --sequence lu --start 魯隱公元年 --encoder none
  epochal index news --from more.jsonl        adds to it; unchanged documents are skipped
  epochal index news --from news.jsonl --fast       search works before the vectors are made
  epochal index news --from "s3://news/*.parquet" --ray 10.0.0.1:6379
"""


def add_index(commands: Any) -> None:
    """Add `epochal index`."""
    parser = commands.add_parser(
        "index",
        help="add documents to an index",
        description="Add the documents of a file or a folder to an index, which is created if it does not exist. "
        "An interrupted run can be repeated.",
        epilog=_INDEX_HELP,
    )
    add_index_argument(parser, "; new or existing")
    parser.add_argument("given", metavar="SOURCE", nargs="?", help="the file or folder to read; the same as --from")
    parser.add_argument("--from", dest="source", metavar="SOURCE", help="the file or folder to read")
    parser.add_argument(
        "--encoder", metavar="NAME", help="the encoder of a new index; minilm unless given, none for no vectors"
    )
    parser.add_argument("--dims", type=int, metavar="M", help="store only the first M dimensions of each vector")
    parser.add_argument("--format", metavar="FORMAT", help="the format of SOURCE, if its name does not say")
    parser.add_argument(
        "--map",
        metavar="FIELDS",
        help="names of fields in SOURCE, such as published=Date,text=Body; capitals do not matter for the usual names",
    )
    parser.add_argument(
        "--dates-from",
        metavar="WHERE",
        default="text",
        help="where files of text without front matter have their date: text (first lines, name, path; the default) or "
        "none",
    )
    parser.add_argument(
        "--day-first",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether 05/04/2020 is a day in April; learnt from other dates of SOURCE unless given",
    )
    parser.add_argument(
        "--history",
        action="store_true",
        help="read the committed versions of the text files of SOURCE, which is in a Git repository: the versions of a "
        "file are a series, dated by their commits",
    )
    parser.add_argument("--strict", action="store_true", help="stop at the first bad row instead of skipping it")
    parser.add_argument("--id-from-row", action="store_true", help="make ids from file and line for rows without one")
    parser.add_argument(
        "--sequence",
        metavar="CALENDAR",
        help="the documents are annals or a diary in order: each carries over what its date leaves out; "
        "gregorian, or the name of a regnal calendar",
    )
    parser.add_argument("--start", metavar="DATE", help="the date on which --sequence starts, in its calendar")
    add_vector_options(parser)
    add_ray_options(parser)
    parser.set_defaults(run=_run_index)


def _run_index(arguments: argparse.Namespace) -> int:
    from epochal.encoders.wrappers import PrefixEncoder
    from epochal.storage.addresses import shown
    from epochal.storage.protocol import list_pending

    check_vector_options(arguments)
    if arguments.vectors:
        return run_vectors(arguments)
    if (arguments.given is None) == (arguments.source is None):
        raise EpochalError("index takes one file or folder: epochal index DIR --from SOURCE")
    arguments.source = arguments.source or arguments.given
    if arguments.history:
        if arguments.format not in (None, "git"):
            raise EpochalError(
                f"--history goes with a Git repository, not with --format {arguments.format}; leave out one"
            )
        arguments.format = "git"
    # Errors of the source are found before anything is created or started.
    fill = _prepare_ray(arguments) if arguments.ray is not None else _prepare_local(arguments)
    with (
        connect_workers(arguments) as workers,
        open_for_adding(arguments.index, arguments.encoder, arguments.dims) as index,
    ):
        done = fill(index, workers)
        vectors = f"encoder {get_encoder_name(index)}"
        if isinstance(index.encoder, PrefixEncoder):
            vectors += f", {index.encoder.dim} dimensions per vector"
        print(f"{shown(arguments.index)}: {done}; it holds {format_count(len(index), 'document')} ({vectors})")
        pending = len(list_pending(index.view())) if arguments.fast else 0
    if pending:
        start_in_background(arguments.index, pending)
    return 0


def _prepare_local(arguments: argparse.Namespace) -> Callable[[Index, Any], IngestResult]:
    from epochal.storage.importers.read import read

    reader = _make_sequence_reader(arguments)
    reading = read(
        arguments.source,
        format=arguments.format,
        strict=arguments.strict,
        make_ids=arguments.id_from_row,
        fields=parse_field_map(arguments.map),
        day_first=arguments.day_first,
        dates_from=arguments.dates_from,
    )
    return lambda index, _: ingest(index, reading, "indexing", reader, fast=arguments.fast)


def parse_field_map(text: str | None) -> dict[str, str] | None:
    """The names of fields that --map gives, such as published=Date,text=Body."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    if not pairs or any(not part.strip() or not name.strip() for part, _, name in pairs):
        raise EpochalError(f"--map {text!r} is no list of fields; accepted: pairs such as published=Date,text=Body")
    return {part.strip(): name.strip() for part, _, name in pairs}


def _prepare_ray(arguments: argparse.Namespace) -> Callable[[Index, Any], IngestResult]:
    from epochal.backends.ray.sources import list_parts

    if arguments.sequence is not None or arguments.start is not None:
        raise EpochalError(
            "a --sequence must be read in order, which parallel workers cannot do; leave out --ray, or --sequence"
        )
    list_parts(arguments.source, arguments.format)
    return lambda index, workers: ingest_on_ray(index, arguments, workers)


def _make_sequence_reader(arguments: argparse.Namespace) -> SequenceReader | None:
    """Make the reader of documents in order; None to read each document by itself."""
    from epochal.ingest import SequenceReader

    if arguments.sequence is None:
        if arguments.start is not None:
            raise EpochalError("--start goes with --sequence CALENDAR, which was not given")
        return None
    return SequenceReader.named(arguments.sequence, arguments.start)
