"""`epochal index`: put the documents of a file or a folder into an index."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.engine.sequence import SequenceReader

__all__ = ["add"]

_HELP = """what is read:
  rows (.jsonl, .ndjson, .csv, .tsv, each also with .gz; .parquet) with an id, a text, and maybe title, published,
  valid and series; a BEIR folder with corpus.jsonl; a folder of .md or .txt files, or of such rows

examples:
  epochal index news --from news.jsonl
  epochal index notes --from notes/ --encoder static
  epochal index annals --from annals.jsonl --sequence lu --start 魯隱公元年 --encoder none
  epochal index news --from more.jsonl        adds to it; documents that have not changed are passed over
"""


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["index", "news", "--from", "news.jsonl"]).source
    'news.jsonl'
    """
    parser = commands.add_parser(
        "index",
        help="put documents into an index",
        description="Put the documents of a file or a folder into an index, which is made where it is missing. "
        "An interrupted run can simply be run again.",
        epilog=_HELP,
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
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import counted, encoder_of, filled, ingest
    from epochal.encoders.nested import PrefixEncoder
    from epochal.index.inputs import read

    reader = _reader(arguments)
    reading = read(arguments.source, format=arguments.format, strict=arguments.strict, make_ids=arguments.id_from_row)
    with filled(arguments.index, arguments.encoder, arguments.dims) as index:
        done = ingest(index, reading, "indexing", reader)
        vectors = f"encoder {encoder_of(index)}"
        if isinstance(index.encoder, PrefixEncoder):
            vectors += f", {index.encoder.dim} numbers a vector"
        print(f"{arguments.index}: {done}; it holds {counted(len(index), 'document')} ({vectors})")
    return 0


def _reader(arguments: argparse.Namespace) -> SequenceReader | None:
    """What reads the times of documents in order; None to read each by itself."""
    from epochal.engine.sequence import SequenceReader

    if arguments.sequence is None:
        if arguments.start is not None:
            raise EpochalError("--start goes with --sequence CALENDAR, which was not given")
        return None
    return SequenceReader.named(arguments.sequence, arguments.start)
