"""`epochal mcp`: an index as tools for an assistant, over MCP."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["add"]

_HELP = """example, as assistants want it in their list of servers:
  {"mcpServers": {"news": {"command": "epochal", "args": ["mcp", "/path/to/news"]}}}

The assistant starts the command, and speaks to it over standard input and output. The tools are search, explain,
understand, when, coverage and document; all of them only read, and nothing is sent anywhere but to the assistant.
"""


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["mcp", "news", "--now", "2026-03-28"]).now
    '2026-03-28'
    """
    parser = commands.add_parser(
        "mcp",
        help="serve an index to an assistant over MCP",
        description="Serve an index to an assistant as read-only tools, over MCP on standard input and output.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.add_argument("--now", metavar="DATE", help="the present; the clock's at each question unless given")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import opened
    from epochal.engine.request import parse_time
    from epochal.integrations.mcp import make_server

    now = parse_time(arguments.now, "--now")
    with opened(arguments.index) as index:
        make_server(index, now=now).run("stdio")
    return 0
