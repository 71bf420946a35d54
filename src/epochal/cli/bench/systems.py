"""`epochal bench systems`: what can be measured, by name."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from epochal.bench.systems.registry import Listed

__all__ = ["add", "system_record"]

_HELP = """examples:
  epochal bench systems
  epochal bench run tnp --system "bge(path=./bge-large-en-v1.5, setup=corrected)" bm25-official --data DATA -o out

A name takes settings in parentheses. Models come from the Hugging Face hub, or from a folder that path names.
"""
_KINDS: Final = {
    "engine": "Epochal and its baselines",
    "words": "counting words as the papers did",
    "dense": "one vector a text",
    "sparse": "weights on words",
    "late": "one vector a token",
    "pqr": "questions that a language model asks",
    "rerank": "another system's first documents in another order",
    "run": "what was found elsewhere",
    "installed": "offered by installed packages",
}


def add(parts: Any) -> None:
    """Add the subcommand to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["systems", "--json"]).json
    True
    """
    parser = parts.add_parser(
        "systems",
        help="the systems that can be measured",
        description="List the systems that `epochal bench run` knows by name.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.bench.systems.registry import systems

    listed = list(systems().values())
    if arguments.json:
        print(json.dumps([system_record(item) for item in listed], ensure_ascii=False, indent=2))
        return 0
    from epochal.cli.rendering.page import Page

    page = Page()
    width = max(len(item.name) for item in listed)
    for kind, title in _KINDS.items():
        rows = [item for item in listed if item.kind == kind]
        if rows:
            page.line((title, "bold"))
        for item in rows:
            page.line((f"  {item.name:{width}}", "cyan"), (f"  {item.line}", ""))
    return 0


def system_record(item: Listed) -> dict[str, Any]:
    """A system as JSON has it; the keys are documented in docs/reference/json.md.

    >>> from epochal.bench.systems.registry import systems
    >>> system_record(systems()["bge"])["model"]
    'BAAI/bge-large-en-v1.5'
    """
    return {
        "name": item.name,
        "kind": item.kind,
        "line": item.line,
        "paper": item.paper,
        "model": item.model,
        "setups": list(item.setups),
        "note": item.note,
    }
