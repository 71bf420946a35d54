"""`epochal backup`: copy an index to a new folder, also while others read or write it.

`epochal check`: whether an index is sound, and mending it where it is not.

`epochal compact`: give back the room that deleted and replaced documents take.

`epochal delete`: take documents out of an index.

`epochal export`: write all documents of an index to a file.

`epochal import`: put back what `epochal export` wrote.

`epochal index`: put the documents of a file or a folder into an index.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from epochal.cli.common import add_ray_options, ingest_on_ray, ray_workers
from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.api import Index
    from epochal.cli.common import Ingested
    from epochal.ingest import SequenceReader
    from epochal.storage.check import Report

__all__ = [
    "add_backup",
    "add_check",
    "add_compact",
    "add_delete",
    "add_export",
    "add_import",
    "add_index",
    "report_record",
]


def add_backup(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "backup",
        help="copy an index to a new folder",
        description="Copy the present state of an index to a new folder, also while others use it.",
        epilog="example:\n  epochal backup news copies/news-2026-11-15",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.add_argument("to", metavar="TO", help="the folder of the copy, which must be new or empty")
    parser.set_defaults(run=_run_backup)


def _run_backup(arguments: argparse.Namespace) -> int:
    from epochal.cli.common import check_new, counted, opened
    from epochal.storage.store import Store

    with opened(arguments.index) as index:
        check_new(arguments.to)
        count = len(index)
        index.backup(arguments.to)
    Store.open(arguments.to).close()  # what is derived is built now, so that the copy is ready for use
    print(f"{arguments.to}: a copy of {counted(count, 'document')}")
    return 0


_CHECK_HELP = """example:
  epochal check news --repair

The exit code is 0 where the index is sound, or has been made so, and 1 where something is wrong that stays wrong.
"""


def add_check(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "check",
        help="whether an index is sound",
        description="Check every file of an index against the truth, and mend what is derived from it when asked to.",
        epilog=_CHECK_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.add_argument("--repair", action="store_true", help="build anew what is derived and wrong")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run_check)


def _run_check(arguments: argparse.Namespace) -> int:
    from epochal.cli.common import check_index, counted
    from epochal.storage.addresses import provider_of

    check_index(arguments.index)
    provider = provider_of(arguments.index)
    name = provider.shown(arguments.index)
    report = provider.check(arguments.index, repair=arguments.repair)
    if arguments.json:
        print(json.dumps(report_record(report), ensure_ascii=False, indent=2))
        return 0 if report.is_sound else 1
    for finding in report.findings:
        print(f"{'mended ' if finding.mended else 'problem'}  {finding.where:7}  {finding.what}")
    held = f"{counted(report.documents, 'document')}, {counted(report.passages, 'passage')}"
    print(f"{name}: {'sound' if report.is_sound else 'not sound'}; {held}")
    derived = any(finding.where == "derived" and not finding.mended for finding in report.findings)
    if derived and not arguments.repair:
        print(f"what is derived can be mended: epochal check {name} --repair")
    if any(finding.where == "truth" for finding in report.findings):
        print("what is wrong with the documents themselves cannot be mended; restore a backup, or index them anew")
    return 0 if report.is_sound else 1


def report_record(report: Report) -> dict[str, Any]:
    """A report as JSON has it; the keys are documented in docs/reference/json.md."""
    return {
        "path": report.path,
        "sound": report.is_sound,
        "documents": report.documents,
        "passages": report.passages,
        "findings": [{"where": item.where, "what": item.what, "mended": item.mended} for item in report.findings],
    }


def add_compact(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "compact",
        help="give back the room of deleted documents",
        description="Remove what deleted and replaced documents have left behind in an index.",
        epilog="example:\n  epochal compact news",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.set_defaults(run=_run_compact)


def _run_compact(arguments: argparse.Namespace) -> int:
    from epochal.cli.common import opened
    from epochal.storage.addresses import provider_of

    provider = provider_of(arguments.index)
    with opened(arguments.index, write=True) as index:
        before = provider.size(arguments.index)
        index.compact()
    print(f"{provider.shown(arguments.index)}: {before:,} bytes before, {provider.size(arguments.index):,} now")
    return 0


def add_delete(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "delete",
        help="take documents out of an index",
        description="Take the documents of some ids out of an index. Ids that are not there are passed over.",
        epilog="example:\n  epochal delete news 2011-03-11-1 2011-03-11-2",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.add_argument("ids", metavar="ID", nargs="+", help="the ids of the documents")
    parser.set_defaults(run=_run_delete)


def _run_delete(arguments: argparse.Namespace) -> int:
    from epochal.cli.common import counted, opened
    from epochal.storage.addresses import shown

    with opened(arguments.index, write=True) as index:
        count = index.delete(arguments.ids)
        held = len(index)
    absent = len(set(arguments.ids)) - count
    unknown = f", {counted(absent, 'id')} not there" if absent else ""
    told = f"{counted(count, 'document')} deleted{unknown}; it holds {counted(held, 'document')}"
    print(f"{shown(arguments.index)}: {told}")
    return 0


_EXPORT_HELP = """example:
  epochal export news -o news.jsonl.gz

Nothing is lost: `epochal import` makes an index of equal documents from the file.
"""


def add_export(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "export",
        help="write the documents of an index to a file",
        description="Write all documents of an index to a file: JSON Lines or Parquet, as its name tells.",
        epilog=_EXPORT_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.add_argument(
        "-o", "--out", metavar="OUT", required=True, help="a .jsonl, .jsonl.gz or .parquet file, or - for the output"
    )
    parser.set_defaults(run=_run_export)


def _run_export(arguments: argparse.Namespace) -> int:
    from epochal.cli.common import check_output, counted, opened
    from epochal.storage.importers.export import export

    check_output(arguments.out)
    with opened(arguments.index) as index:
        count = export(index.documents(), arguments.out)
    print(f"{arguments.out}: {counted(count, 'document')}", file=sys.stderr)
    return 0


_IMPORT_HELP = """example:
  epochal import copy --from news.jsonl

The file is one that `epochal export` wrote, and is read strictly: the first row that is wrong ends the import. What was
added before it stays, and an import that is run again passes it over.
"""


def add_import(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "import",
        help="put exported documents into an index",
        description="Put documents that were exported into an index, which is made where it is missing.",
        epilog=_IMPORT_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index; new, or one made before")
    parser.add_argument("--from", dest="source", metavar="FILE", required=True, help="what `epochal export` wrote")
    parser.add_argument("--encoder", metavar="NAME", help="what turns texts into vectors, for a new index")
    parser.set_defaults(run=_run_import)


def _run_import(arguments: argparse.Namespace) -> int:
    from epochal.cli.common import counted, encoder_of, filled, ingest
    from epochal.storage.addresses import shown
    from epochal.storage.importers.read import read

    reading = read(arguments.source, strict=True)
    with filled(arguments.index, arguments.encoder) as index:
        done = ingest(index, reading, "importing")
        held = f"it holds {counted(len(index), 'document')} (encoder {encoder_of(index)})"
        print(f"{shown(arguments.index)}: {done}; {held}")
    return 0


_INDEX_HELP = """what is read:
  rows (.jsonl, .ndjson, .csv, .tsv, each also with .gz; .parquet) with an id, a text, and maybe title, published,
  valid and series; a BEIR folder with corpus.jsonl; a folder of .md or .txt files, or of such rows

examples:
  epochal index news --from news.jsonl
  epochal index notes --from notes/ --encoder static
  epochal index annals --from annals.jsonl --sequence lu --start 魯隱公元年 --encoder none
  epochal index news --from more.jsonl        adds to it; documents that have not changed are passed over
  epochal index news --from "s3://news/*.parquet" --ray 10.0.0.1:6379
"""


def add_index(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "index",
        help="put documents into an index",
        description="Put the documents of a file or a folder into an index, which is made where it is missing. "
        "An interrupted run can simply be run again.",
        epilog=_INDEX_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index; new, or one made before")
    parser.add_argument("--from", dest="source", metavar="SOURCE", required=True, help="the file or folder to read")
    parser.add_argument(
        "--encoder", metavar="NAME", help="what turns texts into vectors; minilm unless given, none for none"
    )
    parser.add_argument("--dims", type=int, metavar="M", help="store only the first M numbers of each vector")
    parser.add_argument("--format", metavar="FORMAT", help="what SOURCE is, where its name does not tell")
    parser.add_argument("--strict", action="store_true", help="stop at the first bad row, instead of passing it over")
    parser.add_argument(
        "--id-from-row", action="store_true", help="give rows without an id one made of the file and the line"
    )
    parser.add_argument(
        "--sequence",
        metavar="CALENDAR",
        help="the documents are annals or a diary in order: each inherits the parts of its date that it leaves out; "
        "gregorian, or the name of a regnal calendar",
    )
    parser.add_argument("--start", metavar="DATE", help="the date at which a --sequence starts, in its calendar")
    add_ray_options(parser)
    parser.set_defaults(run=_run_index)


def _run_index(arguments: argparse.Namespace) -> int:
    from epochal.cli.common import counted, encoder_of, filled
    from epochal.encoders.wrappers import PrefixEncoder
    from epochal.storage.addresses import shown

    # What is wrong with the source is told before anything is made or started.
    fill = _on_ray(arguments) if arguments.ray is not None else _alone(arguments)
    with ray_workers(arguments) as workers, filled(arguments.index, arguments.encoder, arguments.dims) as index:
        done = fill(index, workers)
        vectors = f"encoder {encoder_of(index)}"
        if isinstance(index.encoder, PrefixEncoder):
            vectors += f", {index.encoder.dim} numbers a vector"
        print(f"{shown(arguments.index)}: {done}; it holds {counted(len(index), 'document')} ({vectors})")
    return 0


def _alone(arguments: argparse.Namespace) -> Callable[[Index, Any], Ingested]:
    from epochal.cli.common import ingest
    from epochal.storage.importers.read import read

    reader = _reader(arguments)
    reading = read(arguments.source, format=arguments.format, strict=arguments.strict, make_ids=arguments.id_from_row)
    return lambda index, _: ingest(index, reading, "indexing", reader)


def _on_ray(arguments: argparse.Namespace) -> Callable[[Index, Any], Ingested]:
    from epochal.backends.ray.sources import parts_of

    if arguments.sequence is not None or arguments.start is not None:
        raise EpochalError(
            "a --sequence is read in its order, which workers side by side cannot; leave out --ray, or the sequence"
        )
    parts_of(arguments.source, arguments.format)
    return lambda index, workers: ingest_on_ray(index, arguments, workers)


def _reader(arguments: argparse.Namespace) -> SequenceReader | None:
    """What reads the times of documents in order; None to read each by itself."""
    from epochal.ingest import SequenceReader

    if arguments.sequence is None:
        if arguments.start is not None:
            raise EpochalError("--start goes with --sequence CALENDAR, which was not given")
        return None
    return SequenceReader.named(arguments.sequence, arguments.start)
