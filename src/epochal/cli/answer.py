"""`epochal answer`: what an index says to a question, time by time, cited and quoted; and what it does not say."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from epochal.cli.search import add_search_options, parse_search_options
from epochal.engine.request import option_names
from epochal.errors import EpochalError

if TYPE_CHECKING:
    from collections.abc import Callable

    from epochal.llm import Chat

__all__ = ["add", "named_chat"]

_HELP = """examples:
  epochal answer news "What happened at Fukushima in March 2011?"
  epochal answer news "Compare the missions to the Moon of 2008 with those of 2023" --json
  epochal answer terms "What may be refunded?" --as-of 2019
  epochal answer news "Who is the pope?" --llm http://localhost:8080/v1 --model small-model
  epochal answer news "Who is the pope?" --llm http://localhost:8080/v1 --model small-model --dry-run

Without --llm the answer is a timeline of quotes, made here. With it the evidence is sent to the model named, and to
nobody else; what would be sent, --dry-run shows.
"""
_ACCEPTED = "the address of an endpoint such as http://localhost:8080/v1, gguf:FILE or replay:FILE"


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["answer", "news", "Who is the pope?", "--as-of", "2012"]).as_of
    '2012'
    """
    parser = commands.add_parser(
        "answer",
        help="answer a question from an index, with citations",
        description="Answer a question from the documents of an index: what they say of the times that it asks about, "
        "with dates and quotes, and what they lack.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.add_argument("question", metavar="QUESTION", help="what is asked, in plain words")
    add_search_options(parser, option_names("answer"))
    parser.add_argument("--llm", metavar="WHICH", help="a language model: an endpoint's URL, gguf:FILE or replay:FILE")
    parser.add_argument("--model", metavar="NAME", help="the model that the endpoint is to use")
    parser.add_argument("--key", metavar="VARIABLE", help="the environment variable that holds the endpoint's key")
    parser.add_argument("--record", metavar="FILE", help="keep the model's replies there, and ask for none twice")
    parser.add_argument("--dry-run", action="store_true", help="show what would be sent, and send nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.answers import answer
    from epochal.cli.opening import opened
    from epochal.llm.dry import NotSentError
    from epochal.times import SystemClock

    options = parse_search_options(arguments, SystemClock().now())
    chat = None if arguments.llm is None else named_chat(arguments, print)
    with opened(arguments.index) as index:
        try:
            made = answer(index, arguments.question, now=options.now, as_of=options.as_of, k=options.k, llm=chat)
        except NotSentError:
            return 0  # what would have been sent is shown
    if arguments.dry_run:
        why = "no language model is named (--llm)" if chat is None else "there is no evidence to answer from"
        print(f"nothing would be sent: {why}")
        return 0
    if arguments.json:
        print(json.dumps(made.to_dict(), ensure_ascii=False, indent=2))
        return 0
    from epochal.cli.rendering.cited import show_cited
    from epochal.cli.rendering.page import Page

    show_cited(made, Page())
    return 0


def named_chat(arguments: argparse.Namespace, show: Callable[[str], object]) -> Chat:
    """The language model that `--llm` and its options name; with `--dry-run`, what would be sent goes to `show`.

    >>> asked = argparse.Namespace(llm="http://localhost:8080/v1", model="small", key=None, record=None, dry_run=False)
    >>> named_chat(asked, print).name
    'small'
    >>> asked.llm = "small-model"
    >>> named_chat(asked, print)
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: --llm 'small-model' is no language model; accepted: the address of an endpoint such as
    http://localhost:8080/v1, gguf:FILE or replay:FILE
    """
    from epochal.llm import open_chat

    kind, mark, place = str(arguments.llm).partition(":")
    if mark and kind in ("http", "https"):
        kind, place = "url", arguments.llm
    elif not mark or kind not in ("gguf", "replay"):
        raise EpochalError(f"--llm {arguments.llm!r} is no language model; accepted: {_ACCEPTED}")
    if kind == "gguf" and arguments.model is not None:
        raise EpochalError(f"--model {arguments.model!r} is for an endpoint or a recording; a file holds one model")
    named = {kind: place, **({} if arguments.model is None else {"model": arguments.model})}
    return open_chat(**named, key=arguments.key, record=arguments.record, dry_run=show if arguments.dry_run else None)
