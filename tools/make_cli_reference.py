"""Writes the options of every command into docs/reference/cli/epochal-COMMAND.md, below what is written there by hand.

    python tools/make_cli_reference.py

Everything below the mark of a page is made from the parser of its command. A test checks that the pages are current.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from epochal.cli import build_parser

PAGES = Path(__file__).parents[1] / "docs" / "reference" / "cli"
MARK = "<!-- Made by tools/make_cli_reference.py -->"


def collect_commands() -> dict[str, argparse.ArgumentParser]:
    """The parsers of all commands by their names, those of the laboratory included."""
    return _get_subcommands(build_parser(()))


def make_page(name: str, parser: argparse.ArgumentParser, text: str) -> str:
    """A page whose part below the mark describes a parser; above it, `text` is kept, or the description."""
    head = text.partition(MARK)[0].strip() or f"# epochal {name}\n\n{parser.description}"
    return f"{head}\n\n{MARK}\n\n{_describe(parser, f'epochal {name}', '##')}"


def _describe(parser: argparse.ArgumentParser, call: str, level: str) -> str:
    """Usage, options and examples of a command, or of each of its subcommands."""
    subcommands = _get_subcommands(parser)
    if subcommands:
        parts = [
            f"{level} {call.removeprefix('epochal ')} {name}\n\n{child.description or ''}\n\n"
            f"{_describe(child, f'{call} {name}', level + '#')}"
            for name, child in subcommands.items()
        ]
        return "\n".join(parts)
    actions = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]
    needed = [_show(action) for action in actions if action.required]
    optional = len(actions) > len(needed)
    usage = " ".join([call, *needed, *(["[options]"] if optional else [])])
    rows = [f"| `{_show(action, every=True)}` | {_escape(action)} |" for action in actions]
    text = f"```text\n{usage}\n```\n\n| argument | meaning |\n|---|---|\n" + "\n".join(rows) + "\n"
    if parser.epilog:
        text += f"\n```text\n{parser.epilog.strip()}\n```\n"
    return text


def _show(action: argparse.Action, *, every: bool = False) -> str:
    """An argument as it is typed, with all its names or its longest."""
    value = action.metavar if isinstance(action.metavar, str) else (action.dest or "").upper()
    if not action.option_strings:
        return f"{value}..." if action.nargs in ("+", "*") else value
    names = action.option_strings if every else [max(action.option_strings, key=len)]
    takes_value = action.nargs != 0 and not isinstance(action, argparse.BooleanOptionalAction)
    several = "..." if action.nargs in ("+", "*") else ""
    shown = f" {value}{several}" if takes_value else ""
    return ", ".join(names) + (f" [{value}]" if action.nargs == "?" else shown)


def _escape(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%").replace("|", "\\|").replace("<", "&lt;")


def _get_subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def main() -> None:
    """Write all pages."""
    PAGES.mkdir(exist_ok=True)
    for name, parser in collect_commands().items():
        page = PAGES / f"epochal-{name}.md"
        page.write_text(make_page(name, parser, page.read_text("utf-8") if page.exists() else ""), encoding="utf-8")
        print(page)


if __name__ == "__main__":
    main()
