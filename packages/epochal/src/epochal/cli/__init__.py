"""The command line. Commands of one subject share a file; they are put together here.

A command is a function that adds its parser to the others and names the function that runs it. Only the file of the
command that is called is loaded. Other packages offer commands by entry point.

Exit codes: 0 for success, 2 for a mistake of the user's (one line on stderr says what and how to mend it), 1 for a
fault of ours, 3 for an audit that found what it was told to fail on, 130 for an interruption.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

import epochal
from epochal.errors import EpochalError

__all__ = ["GROUP", "main"]

#: Where installed packages offer commands: an entry point is a function like those below.
GROUP: Final = "epochal.commands"
#: The commands that come with the distribution epochal-lab.
_LABORATORY: Final = ("bench", "eval", "eval-tags", "train")

#: The engine's commands in the order of the help, each with the file and the function that add it.
_COMMANDS: Final = {
    "demo": ("demo", "add"),
    "index": ("index", "add_index"),
    "search": ("search", "add_search"),
    "answer": ("search", "add_answer"),
    "run": ("search", "add_run"),
    "export": ("index", "add_export"),
    "import": ("index", "add_import"),
    "delete": ("index", "add_delete"),
    "compact": ("index", "add_compact"),
    "backup": ("index", "add_backup"),
    "check": ("index", "add_check"),
    "serve": ("serve", "add_serve"),
    "when": ("time", "add_when"),
    "calendars": ("time", "add_calendars"),
    "tag": ("tag", "add"),
    "understand": ("time", "add_understand"),
    "audit": ("audit", "add"),
    "mcp": ("serve", "add_mcp"),
}

_BCE = re.compile(r"-\d")


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def _build_parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Build a parser of the command that `words` name, or of all commands where they name none of the engine's."""
    parser = _Parser(prog="epochal", description="Temporal retrieval: the right document from the right time.")
    parser.add_argument("--version", action="version", version=f"epochal {epochal.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    first = words[0] if words else ""
    for name in (first,) if first in _COMMANDS else _COMMANDS:
        file, function = _COMMANDS[name]
        getattr(import_module(f"epochal.cli.{file}"), function)(commands)
    if first not in (*_COMMANDS, "--version"):
        _add_installed_commands(commands, first)
    return parser


def _add_installed_commands(commands: Any, named: str) -> None:
    """Add the named command of an installed package, or all; help lists the laboratory's also where it is missing."""
    from importlib.metadata import entry_points

    points = {point.name: point for point in entry_points(group=GROUP) if point.name not in commands.choices}
    if named in _LABORATORY and named not in points:
        raise EpochalError(
            f"{named!r} is a command of the laboratory, which is not installed; to install it: pip install epochal-lab"
        )
    for name in (named,) if named in points else sorted({*points, *_LABORATORY}):
        if name in points:
            points[name].load()(commands)
        else:
            commands.add_parser(name, help="a command of the laboratory: pip install epochal-lab")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Where the output cannot hold a character, its escape is better than no answer.
        sys.stdout.reconfigure(errors="backslashreplace")
    words = sys.argv[1:] if argv is None else argv
    try:
        return _run(words)
    except EpochalError as error:
        print(f"epochal: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "epochal: interrupted; what was stored until then stays, and the command can be run again", file=sys.stderr
        )
        return 130
    except BrokenPipeError:
        # The reader went away, as `head` does. Python would complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(words: Sequence[str]) -> int:
    try:
        # argparse takes -0043-03-15 for an option; with a space before it, it is a year before our era.
        arguments = _build_parser(words).parse_args([f" {word}" if _BCE.match(word) else word for word in words])
        code: int = arguments.run(arguments)
    finally:
        sys.stdout.flush()  # also what --help printed before it leaves
    return code
