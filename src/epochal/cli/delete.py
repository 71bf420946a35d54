"""`epochal delete`: take documents out of an index."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["delete", "news", "p1", "p2"]).ids
    ['p1', 'p2']
    """
    parser = commands.add_parser(
        "delete",
        help="take documents out of an index",
        description="Take the documents of some ids out of an index. Ids that are not there are passed over.",
        epilog="example:\n  epochal delete news 2011-03-11-1 2011-03-11-2",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.add_argument("ids", metavar="ID", nargs="+", help="the ids of the documents")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import counted, opened
    from epochal.index.addresses import shown

    with opened(arguments.index, write=True) as index:
        count = index.delete(arguments.ids)
        held = len(index)
    absent = len(set(arguments.ids)) - count
    unknown = f", {counted(absent, 'id')} not there" if absent else ""
    told = f"{counted(count, 'document')} deleted{unknown}; it holds {counted(held, 'document')}"
    print(f"{shown(arguments.index)}: {told}")
    return 0
