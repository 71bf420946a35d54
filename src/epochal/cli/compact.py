"""`epochal compact`: give back the room that deleted and replaced documents take."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["compact", "news"]).index
    'news'
    """
    parser = commands.add_parser(
        "compact",
        help="give back the room of deleted documents",
        description="Remove what deleted and replaced documents have left behind in an index.",
        epilog="example:\n  epochal compact news",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import opened
    from epochal.index.addresses import provider_of

    provider = provider_of(arguments.index)
    with opened(arguments.index, write=True) as index:
        before = provider.size(arguments.index)
        index.compact()
    print(f"{provider.shown(arguments.index)}: {before:,} bytes before, {provider.size(arguments.index):,} now")
    return 0
