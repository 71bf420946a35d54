"""`epochal export`: write all documents of an index to a file."""

from __future__ import annotations

import argparse
import sys
from typing import Any

__all__ = ["add"]

_HELP = """example:
  epochal export news -o news.jsonl.gz

Nothing is lost: `epochal import` makes an index of equal documents from the file.
"""


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["export", "news", "-o", "news.jsonl"]).out
    'news.jsonl'
    """
    parser = commands.add_parser(
        "export",
        help="write the documents of an index to a file",
        description="Write all documents of an index to a file: JSON Lines or Parquet, as its name tells.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.add_argument(
        "-o", "--out", metavar="OUT", required=True, help="a .jsonl, .jsonl.gz or .parquet file, or - for the output"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import check_output, counted, opened
    from epochal.index.exchange import export

    check_output(arguments.out)
    with opened(arguments.index) as index:
        count = export(index.documents(), arguments.out)
    print(f"{arguments.out}: {counted(count, 'document')}", file=sys.stderr)
    return 0
