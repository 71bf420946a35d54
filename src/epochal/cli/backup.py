"""`epochal backup`: copy an index to a new folder, also while others read or write it."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["backup", "news", "copy"]).to
    'copy'
    """
    parser = commands.add_parser(
        "backup",
        help="copy an index to a new folder",
        description="Copy the present state of an index to a new folder, also while others use it.",
        epilog="example:\n  epochal backup news copies/news-2026-11-15",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.add_argument("to", metavar="TO", help="the folder of the copy, which must be new or empty")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import check_new, counted, opened
    from epochal.index.store import Store

    with opened(arguments.index) as index:
        check_new(arguments.to)
        count = len(index)
        index.backup(arguments.to)
    Store.open(arguments.to).close()  # what is derived is built now, so that the copy is ready for use
    print(f"{arguments.to}: a copy of {counted(count, 'document')}")
    return 0
