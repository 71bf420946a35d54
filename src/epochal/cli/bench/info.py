"""`epochal bench info`: the card of a test set, what its files hold, and whether they are the files one thinks."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epochal.bench.records import Card
    from epochal.bench.sets.base import SetEntry
    from epochal.cli.rendering.page import Page

__all__ = ["add", "switches_of"]

_HELP = """examples:
  epochal bench info tnp --data DATA
  epochal bench info tempo/history --data DATA --set exclusion=full --set split=reteco
  epochal bench info path/to/beir/folder

Without the files of the set, its card is shown, and how to come by them.
"""
_INDENT = 14
_MOST_COPIES = 10


def add(parts: Any) -> None:
    """Add the subcommand to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["info", "tnp", "--set", "split=reteco"]).set
    ['split=reteco']
    """
    parser = parts.add_parser(
        "info",
        help="the card of a test set, and what its files hold",
        description="Show what one should know of a test set, what its files hold, and their sha256.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("id", metavar="SET", help="an id that `epochal bench list` shows, or the path of a BEIR folder")
    parser.add_argument("--data", metavar="DIR", help="the data folder; EPOCHAL_DATA unless given")
    parser.add_argument("--hub", action="store_true", help="fetch the files of TEMPO from the Hugging Face hub")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="a switch of the set (may be repeated)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.bench.sets.base import SetNotThereError, data_folder
    from epochal.bench.sets.facts import describe
    from epochal.bench.sets.registry import entry, open_set

    row = entry(arguments.id, data_folder(arguments.data))
    given = switches_of(arguments.set)
    record: dict[str, Any] = {"id": row.id, "card": asdict(row.card), "switches": _switches(row, given)}
    record |= {"said": None if row.sizes is None else {"documents": row.sizes[0], "questions": row.sizes[1]}}
    card: Card = row.card
    try:
        loaded = open_set(arguments.id, arguments.data, hub=arguments.hub, switches=given)
    except SetNotThereError as missing:
        record |= {"found": None, "missing": str(missing)}
    else:
        card = loaded.made.card
        record |= {"card": asdict(card), "found": describe(loaded, row.pinned).to_dict(), "missing": None}
    if arguments.json:
        print(json.dumps(record, ensure_ascii=False, indent=2))
        return 0
    from epochal.cli.rendering.page import Page

    _show(record, Page())
    return 0


def switches_of(words: list[str]) -> dict[str, str]:
    """Switches that were given as KEY=VALUE.

    >>> switches_of(["split"])
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: --set 'split' is no switch; accepted: KEY=VALUE
    """
    from epochal.errors import EpochalError

    given: dict[str, str] = {}
    for word in words:
        key, mark, value = word.partition("=")
        if not key or not mark:
            raise EpochalError(f"--set {word!r} is no switch; accepted: KEY=VALUE")
        given[key] = value
    return given


def _switches(row: SetEntry, given: Mapping[str, str]) -> list[dict[str, Any]]:
    values = row.settings(given)
    return [
        {"name": item.name, "value": values[item.name], "help": item.help, "choices": list(item.choices)}
        for item in row.switches
    ]


def _show(record: Mapping[str, Any], page: Page) -> None:
    from epochal.cli.rendering.columns import clean

    card = record["card"]
    page.line((record["id"], "bold"), (f"  {clean(card['title'])}", ""))
    for label in ("description", "source", "licence", "language"):
        if card[label]:
            page.labelled(label, [(clean(card[label]), "")], indent=_INDENT)
    for note in card["notes"]:
        page.labelled("note", [(clean(note), "")], indent=_INDENT)
    for switch in record["switches"]:
        words = f" ({', '.join(switch['choices'])})" if switch["choices"] else ""
        value = str(switch["value"]).lower() if isinstance(switch["value"], bool) else switch["value"]
        page.labelled(
            "switch", [(f"{switch['name']}={value}", "cyan"), (f"  {switch['help']}{words}", "")], indent=_INDENT
        )
    if record["said"] is not None:
        said = record["said"]
        told = f"{said['documents']:,} documents, {said['questions']:,} questions"
        page.labelled("said to have", [(told, "")], indent=_INDENT)
    if record["found"] is None:
        page.labelled("not here", [(clean(record["missing"]), "yellow")], indent=_INDENT)
        return
    _show_found(record["found"], page)


def _show_found(found: Mapping[str, Any], page: Page) -> None:
    from epochal.cli.rendering.columns import clean

    def row(label: str, words: str, style: str = "") -> None:
        page.labelled(label, [(clean(words), style)], indent=_INDENT)

    row("documents", f"{found['documents']:,}, of which {found['dated_documents']:,} state a time of their own")
    mean = found["judged"] / found["questions"] if found["questions"] else 0.0
    row("questions", f"{found['questions']:,}, with {mean:.2f} relevant documents each")
    row("splits", ", ".join(f"{name} {count:,}" for name, count in found["splits"].items()) or "none")
    if found["kinds"]:
        row("kinds", ", ".join(f"{name} {count:,}" for name, count in found["kinds"].items()))
    for key, words in (
        ("with_now", "questions say when they are asked"),
        ("with_periods", "questions name periods"),
        ("with_period_labels", "questions have labels of which document covers which period"),
        ("with_exclusions", "questions take documents out of their own ranking"),
    ):
        if found[key]:
            row("", f"{found[key]:,} {words}")
    for key, words in (
        ("unjudged", "questions have no relevant document"),
        ("unreachable", "relevant documents are not in the corpus"),
        ("damaged", "documents have another text than their id vouches for"),
    ):
        if found[key]:
            row("mind", f"{found[key]:,} {words}", "yellow")
    copies = found["copies"]
    row("copies", f"{copies['documents']:,} documents ({copies['share']:.1%}) repeat the text of another")
    gold: dict[str, list[Any]] = {}
    for item in copies["gold"]:
        gold.setdefault(item["document"], []).append(item)
    for document, items in list(gold.items())[:_MOST_COPIES]:
        asked = items[0]["question"] if len(items) == 1 else f"{len(items):,} questions"
        row("", f"{document} is gold for {asked}, but not its copies {', '.join(items[0]['copies'][:3])}")
    if len(gold) > _MOST_COPIES:
        row("", f"and {len(gold) - _MOST_COPIES:,} more gold documents with copies that are not gold")
    for name, value in found["facts"].items():
        if not isinstance(value, (dict, list)):
            row("", f"{name}: {value}")
    for file in found["files"]:
        page.line(
            (f"{'sha256':{_INDENT}}", "cyan"),
            (file["sha256"], "dim"),
            (f"  {clean(file['name'])}", ""),
            (f"  {file['state']}" if file["pinned"] else "", "red" if file["state"] == "differs" else "green"),
        )
