"""docs/cli.md names every option of the commands that work on indexes, and every key of their JSON."""

from __future__ import annotations

import argparse
import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from epochal.cli.check import report_record
from epochal.index.check import Finding, Report

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
COMMANDS = (
    *("demo", "index", "search", "answer", "run", "export", "import_", "delete", "compact", "backup", "check", "mcp"),
)


def first_cells(heading: str) -> list[str]:
    section = re.split(r"^#+ ", PAGE.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| `")]


def options(name: str) -> set[str]:
    parser = argparse.ArgumentParser()
    import_module(f"epochal.cli.{name}").add(parser.add_subparsers())
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    (own,) = commands.choices.values()
    return {", ".join(sorted(action.option_strings, key=len)) or str(action.metavar) for action in own._actions}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name):
    listed = {
        ", ".join(re.sub(r" [A-Z]+$", "", part.strip(" `")) for part in cell.split(","))
        for cell in first_cells(f"epochal {name.removesuffix('_')}")
    }
    assert listed == options(name)


def keys_of(record: dict, inside: tuple[str, ...], before: str = "") -> list[str]:
    """The keys of a record, and of those objects and lists in it that are documented key by key."""
    found = []
    for key, value in record.items():
        name = f"{before}{key}"
        found.append(name)
        if name in inside:
            found += keys_of(value[0], inside, f"{name}[].")
    return found


def test_every_key_of_the_json_of_search_is_documented(run, news):
    _, out, _ = run("search", news, "steel tariffs in 2003", "--now", "2026-11-15", "--json")
    inside = ("hits", "hits[].evidence", "applied")
    assert [cell.strip("`") for cell in first_cells("JSON of search")] == keys_of(json.loads(out), inside)


def test_every_key_of_the_json_of_answer_is_documented(run, news):
    _, out, _ = run("answer", news, "steel tariffs in 2003", "--now", "2026-11-15", "--json")
    inside = ("parts", "citations")
    assert [cell.strip("`") for cell in first_cells("JSON of answer")] == keys_of(json.loads(out), inside)


def test_every_key_of_the_json_of_check_is_documented():
    record = report_record(Report("news", 1, 1, (Finding("derived", "dead.i4 is missing", mended=True),)))
    assert [cell.strip("`") for cell in first_cells("JSON of check")] == keys_of(record, ("findings",))
