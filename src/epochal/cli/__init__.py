"""The command line: one file a command, put together here.

A command is a module with `add(commands)`, which adds its parser and names the function that runs it. Other packages
offer commands by entry point; those are loaded only when the command line does not start with a command of the engine.

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
from typing import Any, Final, NoReturn

from epochal.errors import EpochalError
from epochal.version import __version__

__all__ = ["GROUP", "main"]

#: Where installed packages offer commands: an entry point is a function `add(commands)`, as the engine's modules have.
GROUP: Final = "epochal.commands"
#: The commands that come with the distribution epochal-lab.
_LABORATORY: Final = ("bench", "eval", "eval-tags", "train")

_BCE = re.compile(r"-\d")


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def _build_parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser with the engine's commands, and those of other packages if `words` start with none of the engine's."""
    from epochal.cli import (
        answer,
        audit,
        backup,
        calendars,
        check,
        compact,
        delete,
        demo,
        export,
        import_,
        index,
        mcp,
        run,
        search,
        serve,
        tag,
        understand,
        when,
    )

    parser = _Parser(prog="epochal", description="Temporal retrieval: the right document from the right time.")
    parser.add_argument("--version", action="version", version=f"epochal {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    searching = (index, search, answer, run, export, import_, delete, compact, backup, check, serve)
    for command in (demo, *searching, when, calendars, tag, understand, audit, mcp):
        command.add(commands)
    first = words[0] if words else ""
    if first not in (*commands.choices, "--version"):
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
    """Run one command and return its exit code.

    >>> main(["when", "44 BCE", "--now", "2026-11-15", "--to", "julian"])
    44 BCE
      EDTF      -0043
      days      -0043-01-01 to -0043-12-31 (365 days)
      grain     year, certain
      distance  2,068 years ago
      julian    from 44 BCE (Julian) to 43 BCE (Julian)
    0
    """
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
