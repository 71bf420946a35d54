"""`epochal bench list`: the test sets that there are, and which of them can be read here."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from epochal.bench.sets.base import SetEntry

__all__ = ["add", "list_record"]

_HELP = """examples:
  epochal bench list --data DATA
  epochal bench info tempo/bitcoin

Any BEIR folder is a set too: its path is its id.
"""


def add(parts: Any) -> None:
    """Add the subcommand to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["list", "--json"]).json
    True
    """
    parser = parts.add_parser(
        "list",
        help="the test sets that there are",
        description="List the test sets with the sizes that they are said to have, and which are in the data folder.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", metavar="DIR", help="the data folder; EPOCHAL_DATA unless given")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.bench.sets.base import data_folder
    from epochal.bench.sets.registry import entries

    data = data_folder(arguments.data)
    records = [list_record(row, data) for row in entries(data).values()]
    if arguments.json:
        print(json.dumps(records, ensure_ascii=False, indent=2))
        return 0
    from epochal.cli.rendering.page import Page

    page = Page()
    width = max(len(record["id"]) for record in records)
    page.line((f"{'id':{width}}  questions  documents  here  title", "bold"))
    for record in records:
        questions, documents = ("" if record[key] is None else f"{record[key]:,}" for key in ("questions", "documents"))
        page.line(
            (f"{record['id']:{width}}", "cyan"),
            (f"  {questions:>9}  {documents:>9}  {'yes' if record['here'] else 'no':4}  {record['title']}", ""),
        )
    if data is None:
        page.line(("no data folder: name one with --data or EPOCHAL_DATA", "dim"))
    return 0


def list_record(row: SetEntry, data: Path | None) -> dict[str, Any]:
    """A set as JSON has it; the keys are documented in docs/reference/json.md.

    >>> from epochal.bench.sets.registry import entry
    >>> record = list_record(entry("scifact"), None)
    >>> record["id"], record["questions"], record["here"]
    ('scifact', 300, False)
    """
    from epochal.bench.sets.registry import is_here

    documents, questions = row.sizes or (None, None)
    return {
        "id": row.id,
        "title": row.card.title,
        "language": row.card.language,
        "licence": row.card.licence,
        "questions": questions,
        "documents": documents,
        "here": is_here(row, data),
    }
