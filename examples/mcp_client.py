"""What an assistant sees of `epochal mcp DIR`: its tools, and their answers. Needs: pip install 'epochal[mcp]'."""

import sys
import tempfile

import anyio
from mcp import Client, StdioServerParameters

from epochal import Index
from epochal.cli.demo import NOW, open_corpus
from epochal.storage.importers import read


async def main(folder: str) -> None:
    """Start the server on an index, as an assistant would, and call its tools."""
    command = StdioServerParameters(command=sys.executable, args=["-m", "epochal", "mcp", folder, "--now", NOW])
    async with Client(command) as client:
        print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))

        asked = {"question": "Who won the Nobel Prize in Literature in 2016?", "k": 1}
        found = (await client.call_tool("search", asked)).structured_content
        print(found["outcome"], found["hits"][0]["published"], found["hits"][0]["passage"])

        spread = (await client.call_tool("coverage", {"span": "2010/2014", "most": 10})).structured_content
        print({item["period"]: item["documents"] for item in spread["periods"]})

        silent = (await client.call_tool("search", {"question": "What happened in July 2014?"})).structured_content
        print(silent["outcome"], "-", silent["meaning"])


with tempfile.TemporaryDirectory() as folder:
    with open_corpus() as news, Index.create(folder, encoder="static") as index:
        index.add(read(news))
    anyio.run(main, folder)
