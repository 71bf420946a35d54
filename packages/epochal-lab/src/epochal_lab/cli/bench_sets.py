"""`epochal bench list`, `info`, `fetch` and `systems`: test sets, their cards and files, and the systems."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from epochal.cli.common import add_json_option, print_json
from epochal_lab.cli.model_options import add_data_options

if TYPE_CHECKING:
    from pathlib import Path

    from epochal.cli.rendering.terminal import Page
    from epochal_lab.datasets.records import SetCard
    from epochal_lab.datasets.sources import SetEntry
    from epochal_lab.systems.registry import SystemEntry

_INFO_HELP = """examples:
  epochal bench info tnp --data DATA
  epochal bench info tempo/history --data DATA --set exclusion=full --set split=reteco
  epochal bench info path/to/beir/folder

Without the files of the set, its card is shown, and how to come by them.
"""
_INDENT = 14
_MAX_COPIES = 10


def add_info(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "info",
        help="the card of a test set, and what its files hold",
        description="Show what one should know of a test set, what its files hold, and their sha256.",
        epilog=_INFO_HELP,
    )
    parser.add_argument("id", metavar="SET", help="an id that `epochal bench list` shows, or the path of a BEIR folder")
    add_data_options(parser)
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="a switch of the set (may be repeated)"
    )
    add_json_option(parser)
    parser.set_defaults(run=_run_info)


def _run_info(arguments: argparse.Namespace) -> int:
    from epochal_lab.datasets.cards import describe
    from epochal_lab.datasets.catalogue import entry, open_set
    from epochal_lab.datasets.sources import MissingSetError, data_folder

    row = entry(arguments.id, data_folder(arguments.data))
    settings = parse_switches(arguments.set)
    record: dict[str, Any] = {"id": row.id, "card": asdict(row.card), "switches": _list_switches(row, settings)}
    record |= {"said": None if row.sizes is None else {"documents": row.sizes[0], "questions": row.sizes[1]}}
    card: SetCard = row.card
    try:
        loaded = open_set(arguments.id, arguments.data, hub=arguments.hub, switches=settings)
    except MissingSetError as missing:
        record |= {"found": None, "missing": str(missing)}
    else:
        card = loaded.bench_set.card
        record |= {"card": asdict(card), "found": describe(loaded, row.pinned).to_dict(), "missing": None}
    if arguments.json:
        print_json(record)
        return 0
    from epochal.cli.rendering.terminal import Page

    _show(record, Page())
    return 0


def parse_switches(words: list[str]) -> dict[str, str]:
    """Switches that were given as KEY=VALUE."""
    from epochal.errors import EpochalError

    settings: dict[str, str] = {}
    for word in words:
        key, mark, value = word.partition("=")
        if not key or not mark:
            raise EpochalError(f"--set {word!r} is no switch; accepted: KEY=VALUE")
        settings[key] = value
    return settings


def _list_switches(row: SetEntry, settings: Mapping[str, str]) -> list[dict[str, Any]]:
    values = row.settings(settings)
    return [
        {"name": item.name, "value": values[item.name], "help": item.help, "choices": list(item.choices)}
        for item in row.switches
    ]


def _show(record: Mapping[str, Any], page: Page) -> None:
    from epochal.cli.rendering.terminal import clean

    card = record["card"]
    page.line((record["id"], "bold"), (f"  {clean(card['title'])}", ""))
    for label in ("description", "source", "licence", "language"):
        if card[label]:
            page.print_labelled(label, [(clean(card[label]), "")], indent=_INDENT)
    for note in card["notes"]:
        page.print_labelled("note", [(clean(note), "")], indent=_INDENT)
    for switch in record["switches"]:
        words = f" ({', '.join(switch['choices'])})" if switch["choices"] else ""
        value = str(switch["value"]).lower() if isinstance(switch["value"], bool) else switch["value"]
        page.print_labelled(
            "switch", [(f"{switch['name']}={value}", "cyan"), (f"  {switch['help']}{words}", "")], indent=_INDENT
        )
    if record["said"] is not None:
        times = record["said"]
        counts = f"{times['documents']:,} documents, {times['questions']:,} questions"
        page.print_labelled("said to have", [(counts, "")], indent=_INDENT)
    if record["found"] is None:
        page.print_labelled("not here", [(clean(record["missing"]), "yellow")], indent=_INDENT)
        return
    _show_found(record["found"], page)


def _show_found(found_times: Mapping[str, Any], page: Page) -> None:
    from epochal.cli.rendering.terminal import clean

    def row(label: str, words: str, style: str = "") -> None:
        page.print_labelled(label, [(clean(words), style)], indent=_INDENT)

    row(
        "documents",
        f"{found_times['documents']:,}, of which {found_times['dated_documents']:,} state a time of their own",
    )
    mean = found_times["judged"] / found_times["questions"] if found_times["questions"] else 0.0
    row("questions", f"{found_times['questions']:,}, with {mean:.2f} relevant documents each")
    row("splits", ", ".join(f"{name} {count:,}" for name, count in found_times["splits"].items()) or "none")
    if found_times["kinds"]:
        row("kinds", ", ".join(f"{name} {count:,}" for name, count in found_times["kinds"].items()))
    for key, words in (
        ("with_now", "questions say when they are asked"),
        ("with_periods", "questions name periods"),
        ("with_period_labels", "questions have labels of which document covers which period"),
        ("with_exclusions", "questions take documents out of their own ranking"),
    ):
        if found_times[key]:
            row("", f"{found_times[key]:,} {words}")
    for key, words in (
        ("unjudged", "questions have no relevant document"),
        ("unreachable", "relevant documents are not in the corpus"),
        ("damaged", "documents have another text than their id vouches for"),
    ):
        if found_times[key]:
            row("mind", f"{found_times[key]:,} {words}", "yellow")
    copies = found_times["copies"]
    row("copies", f"{copies['documents']:,} documents ({copies['share']:.1%}) repeat the text of another")
    gold: dict[str, list[Any]] = {}
    for item in copies["gold"]:
        gold.setdefault(item["document"], []).append(item)
    for document, items in list(gold.items())[:_MAX_COPIES]:
        subject = items[0]["question"] if len(items) == 1 else f"{len(items):,} questions"
        row("", f"{document} is gold for {subject}, but not its copies {', '.join(items[0]['copies'][:3])}")
    if len(gold) > _MAX_COPIES:
        row("", f"and {len(gold) - _MAX_COPIES:,} more gold documents with copies that are not gold")
    for name, value in found_times["facts"].items():
        if not isinstance(value, (dict, list)):
            row("", f"{name}: {value}")
    for file in found_times["files"]:
        page.line(
            (f"{'sha256':{_INDENT}}", "cyan"),
            (file["sha256"], "dim"),
            (f"  {clean(file['name'])}", ""),
            (f"  {file['state']}" if file["pinned"] else "", "red" if file["state"] == "differs" else "green"),
        )


_LIST_HELP = """examples:
  epochal bench list --data DATA
  epochal bench info tempo/bitcoin

Any BEIR folder is a set too: its path is its id.
"""


def add_list(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "list",
        help="the test sets that there are",
        description="List the test sets with the sizes that they are said to have, and which are in the data folder.",
        epilog=_LIST_HELP,
    )
    add_data_options(parser, hub=False)
    add_json_option(parser)
    parser.set_defaults(run=_run_list)


def _run_list(arguments: argparse.Namespace) -> int:
    from epochal_lab.datasets.catalogue import entries
    from epochal_lab.datasets.sources import data_folder

    data = data_folder(arguments.data)
    records = [list_record(row, data) for row in entries(data).values()]
    if arguments.json:
        print_json(records)
        return 0
    from epochal.cli.rendering.terminal import Page

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
    """A set as JSON has it; the keys are documented in docs/reference/json.md."""
    from epochal_lab.datasets.catalogue import is_available

    documents, questions = row.sizes or (None, None)
    return {
        "id": row.id,
        "title": row.card.title,
        "language": row.card.language,
        "licence": row.card.licence,
        "questions": questions,
        "documents": documents,
        "here": is_available(row, data),
    }


_FETCH_HELP = """examples:
  epochal bench fetch --list
  epochal bench fetch tnp --data DATA
  epochal bench fetch re2bench/rel --dry-run

Files that are there are verified. Where a file cannot be downloaded, one sentence says what to do; exit code 2.
"""


def add_fetch(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "fetch",
        help="download a public set into the data folder, or verify it",
        description="Download a public set that the studies measure on, and compare its files with the measured ones.",
        epilog=_FETCH_HELP,
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="a public set; without it they are listed")
    parser.add_argument("--list", action="store_true", help="list the public sets with sources and licences")
    parser.add_argument("--data", metavar="DIR", help="the data folder, created if missing; EPOCHAL_DATA unless given")
    parser.add_argument("--dry-run", action="store_true", help="verify what is there, and download nothing")
    parser.set_defaults(run=_run_fetch)


def _run_fetch(arguments: argparse.Namespace) -> int:
    import os
    from pathlib import Path

    from epochal.cli.rendering.terminal import Page
    from epochal.errors import EpochalError
    from epochal_lab.datasets import fetch
    from epochal_lab.datasets.sources import VARIABLE

    page = Page()
    if arguments.list or arguments.name is None:
        for item in fetch.PUBLIC_SETS.values():
            page.line((item.name, "bold"), (f"  {item.title}", ""))
            page.print_labelled("from", [(item.source, "")], indent=_INDENT)
            page.print_labelled("licence", [(item.licence, "")], indent=_INDENT)
        return 0
    public_set = fetch.find_public_set(arguments.name)
    folder = arguments.data or os.environ.get(VARIABLE, "")
    if not folder:
        raise EpochalError(f"fetch needs a data folder; name one with --data or {VARIABLE}")
    page.line((public_set.name, "bold"), (f"  {public_set.title}; licence: {public_set.licence}", ""))
    failed = 0
    for result in fetch.fetch_set(public_set, Path(folder), dry_run=arguments.dry_run):
        if result.ok:
            page.line((f"{result.state:{_INDENT}}", "cyan"), (result.name, ""))
            if result.message:
                page.print_labelled("", [(result.message, "dim")], indent=_INDENT)
        else:
            failed += 1
            print(f"epochal: {public_set.name}/{result.name}: {result.message}", file=sys.stderr)
    return 2 if failed else 0


_SYSTEMS_HELP = """examples:
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
    "shortcut": "rankings that read no time, to audit sets by",
    "installed": "offered by installed packages",
}


def add_systems(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "systems",
        help="the systems that can be measured",
        description="List the systems that `epochal bench run` knows by name.",
        epilog=_SYSTEMS_HELP,
    )
    add_json_option(parser)
    parser.set_defaults(run=_run_systems)


def _run_systems(arguments: argparse.Namespace) -> int:
    from epochal_lab.systems.registry import list_systems

    listed = list(list_systems().values())
    if arguments.json:
        print_json([system_record(item) for item in listed])
        return 0
    from epochal.cli.rendering.terminal import Page

    page = Page()
    width = max(len(item.name) for item in listed)
    for kind, title in _KINDS.items():
        rows = [item for item in listed if item.kind == kind]
        if rows:
            page.line((title, "bold"))
        for item in rows:
            page.line((f"  {item.name:{width}}", "cyan"), (f"  {item.line}", ""))
    return 0


def system_record(item: SystemEntry) -> dict[str, Any]:
    """A system as JSON has it; the keys are documented in docs/reference/json.md."""
    return {
        "name": item.name,
        "kind": item.kind,
        "line": item.line,
        "paper": item.paper,
        "model": item.model,
        "setups": list(item.setups),
        "note": item.note,
    }
