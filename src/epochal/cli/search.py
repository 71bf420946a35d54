"""`epochal search`: the documents that answer a question, from the time that it asks about."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.engine import Response
    from epochal.engine.index import Index

__all__ = ["add", "add_dims", "search"]

_HELP = """examples:
  epochal search news "Who won the Nobel Prize in Literature in 2016?"
  epochal search news "Who is the pope?" --as-of 2012
  epochal search news "earthquakes" --during 2011-03 --strict -k 5 --explain
  epochal search news "the latest mission to the Moon" --now 2026-03-28 --json
  epochal search news "earthquakes" --dims 64 --shortlist 500

Times are EDTF or ISO 8601 (2011-03, 1984~/2004-06) or words (March 2011, the 1990s, Meiji 10). Unless --strict is
given, --during, --before and --after move documents and leave none out.
"""


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["search", "news", "earthquakes", "-k", "5"]).k
    5
    """
    parser = commands.add_parser(
        "search",
        help="search an index",
        description="Find the documents of an index that answer a question, from the time that it asks about.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.add_argument("question", metavar="QUESTION", help="what is asked, in plain words")
    parser.add_argument(
        "--now", metavar="DATE", help="the present, for 'last year' and 'latest'; the clock's unless given"
    )
    parser.add_argument("--as-of", metavar="DATE", help="see only what was published by then")
    parser.add_argument("--valid-at", metavar="DATE", help="see only what holds then")
    parser.add_argument("--during", metavar="SPAN", help="prefer what lies in this time, or reaches into it")
    parser.add_argument("--before", metavar="SPAN", help="prefer what lies before this time")
    parser.add_argument("--after", metavar="SPAN", help="prefer what lies after this time")
    parser.add_argument("--relation", metavar="NAME", help="another relation to --during, such as contains or meets")
    parser.add_argument("--strict", action="store_true", help="leave out what --during, --before and --after exclude")
    parser.add_argument(
        "--undated", metavar="POLICY", default="neutral", help="documents without dates: neutral, exclude or penalise"
    )
    parser.add_argument("--no-time", action="store_true", help="read no time in the question: plain hybrid search")
    parser.add_argument("-k", type=int, default=10, metavar="N", help="how many hits; 10 unless given")
    parser.add_argument("--scorer", metavar="NAME", help="what ranks the hits; the default one unless given")
    add_dims(parser)
    parser.add_argument("--explain", action="store_true", help="show why each hit has its place")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def add_dims(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how much of the vectors a search compares.

    >>> parser = argparse.ArgumentParser()
    >>> add_dims(parser)
    >>> parser.parse_args(["--dims", "64", "--shortlist", "500"])
    Namespace(dims=64, shortlist=500)
    """
    parser.add_argument("--dims", type=int, metavar="M", help="compare the first M numbers of each vector alone")
    parser.add_argument(
        "--shortlist", type=int, metavar="N", help="rank the first N passages by --dims anew, by their whole vectors"
    )


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import opened

    with opened(arguments.index) as index:
        response = search(index, arguments)
        if arguments.json:
            print(json.dumps(response.to_dict(), ensure_ascii=False, indent=2))
            return 0
        from epochal.cli.rendering.answer import show_answer
        from epochal.cli.rendering.page import Page

        explained = len(response) if arguments.explain else 0
        show_answer(response, index.coverage, Page(), time=not arguments.no_time, explained=explained)
    return 0


def search(index: Index, arguments: argparse.Namespace) -> Response:
    """The response to what the command line asks.

    >>> import tempfile
    >>> from epochal.engine.index import Index
    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> asked = parser.parse_args(["search", "news", "rain last year", "--now", "1998"])
    >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
    ...     [span.edtf() for span in search(index, asked).understanding.periods]
    ['1997']
    """
    from epochal.times import SystemClock
    from epochal.times.asked import asked_time

    if arguments.relation is not None and arguments.during is None:
        raise EpochalError("--relation says how documents stand to the time of --during; give that too")
    now = asked_time(arguments.now, "--now") or SystemClock().now()
    return index.search(
        arguments.question,
        k=arguments.k,
        now=now,
        during=asked_time(arguments.during, "--during", now),
        before=asked_time(arguments.before, "--before", now),
        after=asked_time(arguments.after, "--after", now),
        as_of=asked_time(arguments.as_of, "--as-of", now),
        valid_at=asked_time(arguments.valid_at, "--valid-at", now),
        scorer=arguments.scorer,
        relation=arguments.relation,
        strict=arguments.strict,
        undated=arguments.undated,
        time=not arguments.no_time,
        dims=arguments.dims,
        shortlist=arguments.shortlist,
    )
