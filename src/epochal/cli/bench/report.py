"""`epochal bench report`: tables of results beside the papers' figures, as Markdown or HTML."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError

__all__ = ["add"]

_HELP = """examples:
  epochal bench report out/results -o results.md
  epochal bench report out/results -o results.html

Rows in italics are the figures that papers print, with the table that they stand in. HTML comes with plots, for which
the extra `bench` is needed.
"""


def add(parts: Any) -> None:
    """Add the subcommand to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["report", "out/results"]).out
    '-'
    """
    parser = parts.add_parser(
        "report",
        help="tables of results beside the papers' figures",
        description="Write tables of results, beside the figures that papers print.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "results", metavar="RESULTS", nargs="+", help="results of `epochal bench run`, or folders of them"
    )
    parser.add_argument("-o", "--out", metavar="FILE", default="-", help="a .md or .html file; the output unless given")
    parser.add_argument("--notes", metavar="FILE", help="Markdown that stands before the tables of a Markdown report")
    parser.add_argument("--title", metavar="TEXT", default="Results", help="the heading")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.bench.report.html import html_page
    from epochal.bench.report.page import markdown_page
    from epochal.bench.running.results import read_results
    from epochal.files import write_atomically

    results = read_results(map(Path, arguments.results))
    if not results:
        raise EpochalError(f"{', '.join(arguments.results)} holds no result; make some with: epochal bench run")
    if arguments.out.lower().endswith((".html", ".htm")):
        if arguments.notes is not None:
            raise EpochalError(f"--notes go into Markdown, and {arguments.out} is HTML; leave them out")
        page = html_page(results, arguments.title)
    else:
        page = markdown_page(results, arguments.title, _notes(arguments.notes))
    with write_atomically(arguments.out) as file:
        file.write(page.encode())
    return 0


def _notes(path: str | None) -> str:
    if path is None:
        return ""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise EpochalError(f"the notes {path} cannot be read: {reason}") from None
