"""Commands that serve an index: serve (HTTP and page) and mcp (tools for assistants)."""

from __future__ import annotations

import argparse
import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from epochal.cli.common import add_index_argument, check_index, open_index
from epochal.errors import EpochalError, MissingExtraError

if TYPE_CHECKING:
    from epochal.server.settings import Settings
    from epochal.times.span import Span

_MCP_HELP = """example, in an assistant's list of servers:
  {"mcpServers": {"news": {"command": "epochal", "args": ["mcp", "/path/to/news"]}}}
  {"mcpServers": {"memory": {"command": "epochal", "args": ["mcp", "/path/to/memory", "--memory", "me", "--writable"]}}}

The assistant starts the command and talks to it over standard input and output. The tools are search, explain,
understand, when, coverage and document. All are read-only; results go to the assistant and nowhere else.

With --memory they are recall and timeline, and with --writable remember and forget: the memory of one user.
"""


def add_mcp(commands: Any) -> None:
    """Add `epochal mcp`."""
    parser = commands.add_parser(
        "mcp",
        help="serve an index to an assistant over MCP",
        description="Serve an index, or a memory, to an assistant as tools, over MCP on standard input and output.",
        epilog=_MCP_HELP,
    )
    add_index_argument(parser)
    parser.add_argument("--now", metavar="DATE", help="the reference time; the clock at each question unless given")
    parser.add_argument(
        "--memory", metavar="USER", help="serve the folder as the memory of this user; create it if there is none"
    )
    parser.add_argument("--writable", action="store_true", help="let the assistant remember and forget (with --memory)")
    parser.set_defaults(run=_run_mcp)


def _run_mcp(arguments: argparse.Namespace) -> int:
    from epochal.integrations.mcp import make_server
    from epochal.search.request import parse_time

    now = parse_time(arguments.now, "--now")
    if arguments.memory is not None:
        return _serve_memory(arguments, now)
    if arguments.writable:
        raise EpochalError("--writable is for a memory: give --memory USER, or leave it out")
    with open_index(arguments.index) as index:
        make_server(index, now=now).run("stdio")
    return 0


def _serve_memory(arguments: argparse.Namespace, now: Span | None) -> int:
    from epochal.integrations.mcp_memory import make_memory_server
    from epochal.memory.memory import Memory

    if not arguments.writable:
        check_index(arguments.index)
    with Memory.open(arguments.index, arguments.memory) as memory:
        make_memory_server(memory, writable=arguments.writable, now=now).run("stdio")
    return 0


_SERVE_HELP = """examples:
  epochal serve news
  epochal serve news --port 9000 --workers 4
  EPOCHAL_TOKEN=... epochal serve news --writable
  epochal serve news --llm http://localhost:8000/v1 --model small-model

It listens on this machine only unless --host is given. It is read-only unless --writable is given, with a token of at
least 16 characters in the environment. Everybody may read unless EPOCHAL_READ_TOKEN is set. Ctrl-C stops it after the
running requests.
"""
_TOKEN = "EPOCHAL_TOKEN"
_READ_TOKEN = "EPOCHAL_READ_TOKEN"
#: More processes than this are started only where they are wanted: each has memory of its own.
_MOST_WORKERS = 8


def add_serve(commands: Any) -> None:
    """Add `epochal serve`."""
    parser = commands.add_parser(
        "serve",
        help="serve an index over HTTP, with a web page",
        description="Serve an index over HTTP: a JSON API, and a web page with a timeline.",
        epilog=_SERVE_HELP,
    )
    add_index_argument(parser)
    parser.add_argument(
        "--host", metavar="HOST", default="127.0.0.1", help="address to listen on; 127.0.0.1 unless given"
    )
    parser.add_argument(
        "--port", metavar="PORT", type=int, default=8080, help="port; 8080 unless given, 0 for any free one"
    )
    parser.add_argument(
        "--workers",
        metavar="N",
        type=int,
        help=f"number of processes; unless given, one per core up to {_MOST_WORKERS}, "
        "and 1 with --writable or with a language model in the process",
    )
    parser.add_argument("--writable", action="store_true", help="allow adding and deleting documents, with a token")
    parser.add_argument(
        "--token-env",
        metavar="NAME",
        default=_TOKEN,
        help=f"environment variable with the token; {_TOKEN} unless given",
    )
    parser.add_argument(
        "--read-token-env",
        metavar="NAME",
        default=_READ_TOKEN,
        help=f"environment variable with a token that reading needs, too; {_READ_TOKEN} unless given",
    )
    parser.add_argument(
        "--cors",
        metavar="ORIGIN",
        action="append",
        default=[],
        help="a site whose pages may send requests (repeatable)",
    )
    parser.add_argument(
        "--frame",
        metavar="ORIGIN",
        action="append",
        default=[],
        help="a site whose pages may show /embed in a frame (repeatable)",
    )
    parser.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="another host name that it answers to; * for any",
    )
    parser.add_argument(
        "--searches", metavar="N", type=int, default=2, help="searches at once per process; 2 unless given"
    )
    parser.add_argument(
        "--seconds", metavar="S", type=float, default=10.0, help="time limit of a request; 10 unless given"
    )
    parser.add_argument(
        "--llm", metavar="WHICH", help="language model of answers: the URL of an endpoint, gguf:FILE, replay:FILE"
    )
    parser.add_argument("--model", metavar="NAME", help="the model of the endpoint")
    parser.add_argument("--key", metavar="VARIABLE", help="the environment variable with the key of the endpoint")
    parser.add_argument("--reports", metavar="DIR", help="results to show: the output folder of `epochal bench run`")
    parser.add_argument("--data", metavar="DIR", help="the folder of their test sets; EPOCHAL_DATA unless given")
    parser.add_argument("--log-questions", action="store_true", help="write questions to the log")
    parser.set_defaults(run=_run_serve)


def _run_serve(arguments: argparse.Namespace) -> int:
    from epochal.storage.addresses import shown

    check_index(arguments.index)
    for package in ("fastapi", "pydantic", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtraError("serving an index", package, "serve")
    variables = (arguments.token_env, arguments.read_token_env)
    settings = make_settings(arguments, *(os.environ.get(name, "") for name in variables))
    from epochal.server.app import serve

    mode = "documents can be changed with the token" if settings.writable else "read-only"
    mode += ", read with a token" * bool(settings.read_token)
    return serve(settings, started=lambda address: print(f"{shown(arguments.index)}: {address} ({mode})", flush=True))


def make_settings(arguments: argparse.Namespace, token: str, read_token: str = "") -> Settings:
    """Make the settings of a service from the command line and its tokens."""
    from epochal.server.settings import Model, Settings

    if arguments.writable and not token:
        raise EpochalError(f"--writable needs a token of 16 characters or more in the variable {arguments.token_env}")
    return Settings(
        folder=arguments.index,
        host=arguments.host,
        port=arguments.port,
        workers=_count_workers(arguments),
        writable=arguments.writable,
        token=token if arguments.writable else "",
        read_token=read_token,
        cors=tuple(arguments.cors),
        frames=tuple(arguments.frame),
        hosts=tuple(arguments.allow_host),
        searches=arguments.searches,
        seconds=arguments.seconds,
        log_questions=arguments.log_questions,
        reports=arguments.reports,
        data=arguments.data,
        model=None if arguments.llm is None else Model(arguments.llm, arguments.model, arguments.key),
    )


def _count_workers(arguments: argparse.Namespace) -> int:
    """The processes of a service: one per core, since each searches on one.

    A service that writes keeps its writer open in one process, and a language model of its own is loaded once.
    """
    if arguments.workers is not None:
        return int(arguments.workers)
    if arguments.writable or (arguments.llm or "").startswith("gguf:"):
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _MOST_WORKERS)
