"""`epochal index`: put the documents of a file or a folder into an index."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from epochal.cli.on_ray import add_ray_options, ingest_on_ray, ray_workers
from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.cli.opening import Ingested
    from epochal.engine.index import Index
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
  epochal index news --from "s3://news/*.parquet" --ray 10.0.0.1:6379
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
    add_ray_options(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import counted, encoder_of, filled
    from epochal.encoders.nested import PrefixEncoder
    from epochal.index.addresses import shown

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
    from epochal.cli.opening import ingest
    from epochal.index.inputs import read

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
    from epochal.engine.sequence import SequenceReader

    if arguments.sequence is None:
        if arguments.start is not None:
            raise EpochalError("--start goes with --sequence CALENDAR, which was not given")
        return None
    return SequenceReader.named(arguments.sequence, arguments.start)
