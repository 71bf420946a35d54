"""`epochal bench`: test sets for retrieval in time, and what systems reach on them."""

from __future__ import annotations

import importlib
from typing import Any, Final

__all__ = ["add"]

#: The modules of this folder, one a subcommand, in the order in which help shows them.
_COMMANDS: Final[tuple[str, ...]] = (
    "list_",
    "info",
    "build",
    "make",
    "augment",
    "run",
    "rag",
    "systems",
    "report",
    "examples",
    "agree",
)


def add(commands: Any) -> None:
    """Add the command with its subcommands to the parser.

    >>> import argparse
    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    """
    parser = commands.add_parser(
        "bench",
        help="test sets for retrieval in time: list, build, make, run, report",
        description="Test sets for retrieval in time, and what systems reach on them.",
    )
    parts = parser.add_subparsers(title="subcommands", required=True, metavar="SUBCOMMAND")
    for name in _COMMANDS:
        importlib.import_module(f"epochal.cli.bench.{name}").add(parts)
