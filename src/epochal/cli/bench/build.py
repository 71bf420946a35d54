"""`epochal bench build`: make a test set from published files, and write it as a BEIR folder with a manifest."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epochal.bench.builders.registry import Builder
    from epochal.cli.progress import Tell
    from epochal.index.records import Document

__all__ = ["add"]

_HELP = """examples:
  epochal bench build --list
  epochal bench build chunqiutr --from data/chunqiu -o chunqiutr
  epochal bench build zztj --from data/chunqiu -o zztj-none --set dates=none

The same files and switches give the same bytes. The manifest in the folder says what it was made from.
"""
_WRITING = 100  # of the bar goes to building, and as much to writing


def add(parts: Any) -> None:
    """Add the subcommand to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["build", "zztj", "--from", "data", "-o", "out", "--set", "dates=none"]).set
    ['dates=none']
    """
    parser = parts.add_parser(
        "build",
        help="make a test set from published files",
        description="Make a test set from published files, and write it as a BEIR folder with a manifest.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="a builder that --list shows")
    parser.add_argument("--from", dest="source", metavar="DIR", help="the folder with the published files")
    parser.add_argument("-o", "--out", metavar="OUT", help="the folder to write, which must be new or empty")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="a switch of the builder (may be repeated)"
    )
    parser.add_argument("--list", action="store_true", help="show the builders and their switches")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.errors import EpochalError

    if arguments.list:
        _show_builders(arguments.json)
        return 0
    missing = [
        name
        for name, value in (("NAME", arguments.name), ("--from DIR", arguments.source), ("-o OUT", arguments.out))
        if not value
    ]
    if missing:
        raise EpochalError(f"bench build lacks {' and '.join(missing)}; accepted: NAME --from DIR -o OUT, or --list")
    return _build(arguments.name, arguments.source, Path(arguments.out), arguments.set, arguments.json)


def _build(name: str, source: str, out: Path, given: Sequence[str], as_json: bool) -> int:
    from dataclasses import replace

    from epochal.bench.builders.registry import build, builder
    from epochal.bench.folder import write_folder
    from epochal.cli.opening import counted
    from epochal.cli.progress import progress_bar
    from epochal.errors import EpochalError

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise EpochalError(f"a test set cannot be written to {str(out)!r}, which is there; accepted: a new folder")
    switches = _switches(builder(name), given)
    with progress_bar(f"building {name}", 2 * _WRITING) as tell:
        made, manifest = build(name, source, tell=tell, **switches)
        documents = tuple(made.documents)
        made = replace(made, documents=_Told(documents, tell))
        told = write_folder(out, made, manifest)
    if as_json:
        print(json.dumps({"id": told.id, "files": told.counts(), "facts": told.facts}, ensure_ascii=False, indent=2))
        return 0
    for file, rows in told.counts().items():
        print(f"{out / file}: {counted(rows, 'row')}")
    _show_facts(told.facts, "")
    print(f"{out}: {told.id}, made by {told.made_by}", file=sys.stderr)
    return 0


class _Told:
    """Documents that move the bar as they are written."""

    def __init__(self, documents: Sequence[Document], tell: Tell) -> None:
        self._documents, self._tell = documents, tell

    def __iter__(self) -> Iterator[Document]:
        for number, document in enumerate(self._documents):
            if number % 100 == 0:
                self._tell(_WRITING + number * _WRITING // len(self._documents), "writing")
            yield document


def _switches(row: Builder, given: Sequence[str]) -> dict[str, Any]:
    from epochal.errors import EpochalError, UnknownNameError

    known = {switch.name: switch for switch in row.switches}
    found = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise EpochalError(f"--set {text!r} sets nothing; accepted: KEY=VALUE")
        if key not in known:
            raise UnknownNameError("switch", key, known)
        found[key] = known[key].read(value)
    return found


def _show_builders(as_json: bool) -> None:
    from dataclasses import asdict

    from epochal.bench.builders.registry import builder, builder_names

    rows = {name: builder(name) for name in builder_names()}
    if as_json:
        print(json.dumps({name: asdict(row) for name, row in rows.items()}, ensure_ascii=False, indent=2))
        return
    for name, row in rows.items():
        print(f"{name}: {row.help}")
        for switch in row.switches:
            value = str(switch.default).lower() if isinstance(switch.default, bool) else switch.default
            choices = f" ({', '.join(switch.choices)})" if switch.choices else ""
            print(f"  {switch.name}={value}  {switch.help}{choices}")


def _show_facts(facts: Any, indent: str) -> None:
    """Facts as indented lines; a pair of numbers is ours and what was published."""
    for name, value in facts.items():
        if isinstance(value, dict):
            print(f"{indent}{name}:")
            _show_facts(value, f"{indent}  ")
        elif isinstance(value, list) and len(value) == 2 and isinstance(value[0], int):
            published = "not published" if value[1] is None else f"published {value[1]:,}"
            print(f"{indent}{name}: {value[0]:,} ({published})")
        else:
            print(f"{indent}{name}: {value}")
