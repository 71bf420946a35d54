"""The command line: one file a command, put together here.

A command is a module with `add(commands)`, which adds its parser and names the function that runs it. Exit codes: 0 for
success, 2 for a mistake of the user's (one line on stderr says what and how to mend it), 1 for a fault of ours, 3 for
an audit that found what it was told to fail on, 130 for an interruption.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from epochal.errors import EpochalError
from epochal.version import __version__

__all__ = ["main"]

_BCE = re.compile(r"-\d")


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    from epochal.cli import (
        answer,
        audit,
        backup,
        bench,
        calendars,
        check,
        compact,
        delete,
        demo,
        eval_tags,
        export,
        import_,
        index,
        mcp,
        run,
        search,
        serve,
        tag,
        train,
        understand,
        when,
    )
    from epochal.cli import eval as eval_

    parser = _Parser(prog="epochal", description="Temporal retrieval: the right document from the right time.")
    parser.add_argument("--version", action="version", version=f"epochal {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    searching = (index, search, answer, run, export, import_, delete, compact, backup, check, serve, train)
    for command in (demo, *searching, when, calendars, tag, eval_tags, understand, audit, eval_, bench, mcp):
        command.add(commands)
    return parser


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
        arguments = _parser().parse_args([f" {word}" if _BCE.match(word) else word for word in words])
        code: int = arguments.run(arguments)
    finally:
        sys.stdout.flush()  # also what --help printed before it leaves
    return code
