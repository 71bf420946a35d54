"""The command line: finds the command that was called and runs it.

Commands of one subject share a file. Each has a function that adds its parser; only the file of the command that is
called is imported. Other packages add commands by entry point.

Exit codes: 0 success, 1 a fault in Epochal, 2 a user's mistake (one line on stderr says what and how to fix it), 3 an
audit with findings that --fail-on names, 130 an interruption.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import io
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

import epochal
from epochal.errors import EpochalError
from epochal.lazy import entry_points
from epochal.regex import keep_compiled

__all__ = ["GROUP", "build_parser", "main"]

#: Entry point group of commands in other packages: functions that take argparse's subparsers and add a command.
GROUP: Final = "epochal.commands"
#: The commands of the distribution epochal-lab.
_LABORATORY: Final = ("bench", "eval", "eval-tags", "train")

#: The engine's commands in the order of the help, each with its file and the function that adds it.
_COMMANDS: Final = {
    "demo": ("demo", "add_demo"),
    "index": ("index", "add_index"),
    "search": ("search", "add_search"),
    "answer": ("search", "add_answer"),
    "trends": ("trends", "add_trends"),
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
    "tag": ("tag", "add_tag"),
    "understand": ("time", "add_understand"),
    "audit": ("audit", "add_audit"),
    "mcp": ("serve", "add_mcp"),
}

#: So many new objects start a collection of garbage: the modules and tables of a command are none.
_COLLECTED: Final = 50_000

_BCE = re.compile(r"-\d")


class _Formatter(argparse.HelpFormatter):
    """Wraps descriptions, and leaves examples of several lines as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    words: Sequence[str] = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": _Formatter, **settings})

    def error(self, message: str) -> NoReturn:
        from epochal.other_names import explain_usage

        explained = explain_usage(message, self.words)
        self.exit(2, f"{self.prog}: {explained}{'' if 'epochal' in explained else f'; see {self.prog} --help'}\n")


def build_parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Build a parser of the command that `words` name, or of all commands if they name none of the engine's."""
    parser = _Parser(prog="epochal", description="Temporal retrieval: the right document from the right time.")
    parser.words = words
    parser.add_argument("--version", action="version", version=f"epochal {epochal.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    first = words[0] if words else ""
    for name in (first,) if first in _COMMANDS else _COMMANDS:
        file, function = _COMMANDS[name]
        getattr(import_module(f"epochal.cli.{file}"), function)(commands)
    if first not in (*_COMMANDS, "--version"):
        _add_installed_commands(commands, first)
    return parser


def _add_installed_commands(commands: Any, called: str) -> None:
    """Add the named command of an installed package, or all; help lists the laboratory's even if it is missing."""
    points = {point.name: point for point in entry_points(group=GROUP) if point.name not in commands.choices}
    if called in _LABORATORY and called not in points:
        raise EpochalError(
            f"{called!r} is a command of the laboratory, which is not installed; to install it: pip install epochal-lab"
        )
    for name in (called,) if called in points else sorted({*points, *_LABORATORY}):
        if name in points:
            points[name].load()(commands)
        else:
            commands.add_parser(name, help="a command of the laboratory: pip install epochal-lab")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A character that the output cannot encode is escaped; the command still succeeds.
        sys.stdout.reconfigure(errors="backslashreplace")
    words = sys.argv[1:] if argv is None else argv
    gc.set_threshold(_COLLECTED)
    # At its end, Python looks for garbage in all that there is, which takes a sixth of a short command.
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
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
        # The reader has closed the pipe, as `head` does. Python would raise again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(words: Sequence[str]) -> int:
    try:
        # argparse takes -0043-03-15 for an option; a space before it makes it an argument.
        arguments = build_parser(words).parse_args([f" {word}" if _BCE.match(word) else word for word in words])
        code: int = arguments.run(arguments)
    finally:
        sys.stdout.flush()  # also after --help, which raises SystemExit
    keep_compiled()
    return code
