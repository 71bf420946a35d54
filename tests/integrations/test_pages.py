"""The tables of docs/integrations.md and docs/mcp.md are what the code gives."""

from __future__ import annotations

import re
from pathlib import Path

import anyio
from mcp import Client

from epochal.integrations.asking import ask, hit_record
from epochal.integrations.mcp import make_server

ROOT = Path(__file__).parents[2]


def rows(page: str, heading: str) -> list[list[str]]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")
    ]


def test_every_key_of_a_hit_is_documented(index):
    response = ask(index, "What did the bank do to its rate in 2003?")
    assert [row[0].strip("`") for row in rows("integrations.md", "What all have in common")] == list(
        hit_record(response[0], response)
    )


def test_every_tool_and_argument_is_documented(index):
    async def listed():
        async with Client(make_server(index)) as client:
            return (await client.list_tools()).tools

    assert {row[0].strip("`"): re.findall(r"`(\w+)`", row[1]) for row in rows("mcp.md", "Tools")} == {
        tool.name: list(tool.input_schema["properties"]) for tool in anyio.run(listed)
    }


def test_every_example_is_named_on_the_page():
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    assert all(f"`{path.name}`" in page for path in (ROOT / "examples").glob("*.py"))
