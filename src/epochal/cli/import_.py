"""`epochal import`: put back what `epochal export` wrote."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["add"]

_HELP = """example:
  epochal import copy --from news.jsonl

The file is one that `epochal export` wrote, and is read strictly: the first row that is wrong ends the import. What was
added before it stays, and an import that is run again passes it over.
"""


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["import", "copy", "--from", "news.jsonl"]).index
    'copy'
    """
    parser = commands.add_parser(
        "import",
        help="put exported documents into an index",
        description="Put documents that were exported into an index, which is made where it is missing.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index; new, or one made before")
    parser.add_argument("--from", dest="source", metavar="FILE", required=True, help="what `epochal export` wrote")
    parser.add_argument("--encoder", metavar="NAME", help="what turns texts into vectors, for a new index")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import counted, encoder_of, filled, ingest
    from epochal.index.addresses import shown
    from epochal.index.inputs import read

    reading = read(arguments.source, strict=True)
    with filled(arguments.index, arguments.encoder) as index:
        done = ingest(index, reading, "importing")
        held = f"it holds {counted(len(index), 'document')} (encoder {encoder_of(index)})"
        print(f"{shown(arguments.index)}: {done}; {held}")
    return 0
