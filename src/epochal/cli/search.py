"""`epochal search`: the documents that answer a question, from the time that it asks about."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, cast

from epochal.engine.request import OPTIONS, SearchArguments, SearchOptions, option_names

if TYPE_CHECKING:
    from epochal.engine import Response
    from epochal.engine.index import Index
    from epochal.times import Span

__all__ = ["CLOCK", "add", "add_search_options", "parse_search_options", "search", "spell_flag"]

#: The present of a command that asks the machine's clock for it.
CLOCK: Final[Mapping[str, str]] = {"now": "the clock's unless given"}
_DEFAULTS: Final = {item.name: item.default for item in fields(SearchOptions)}

_HELP = """examples:
  epochal search news "Who won the Nobel Prize in Literature in 2016?"
  epochal search news "Who is the pope?" --as-of 2012
  epochal search news "earthquakes" --during 2011-03 --strict -k 5 --explain
  epochal search news "the latest mission to the Moon" --now 2026-03-28 --json
  epochal search news "earthquakes" --dims 64 --shortlist 500

Times are EDTF or ISO 8601 (2011-03, 1984~/2004-06) or words (March 2011, the 1990s, Meiji 10). Unless --strict is
given, --during, --before and --after change the order and leave no document out.
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
    add_search_options(parser, option_names("search"))
    parser.add_argument("--explain", action="store_true", help="show why each hit has its place")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def spell_flag(name: str) -> str:
    """An option's name as the command line writes it.

    >>> spell_flag("as_of"), spell_flag("k"), spell_flag("time")
    ('--as-of', '-k', '--no-time')
    """
    dashed = name.replace("_", "-")
    return "-k" if name == "k" else f"--no-{dashed}" if _DEFAULTS[name] is True else f"--{dashed}"


def add_search_options(
    parser: argparse.ArgumentParser, names: Iterable[str], notes: Mapping[str, str] = CLOCK, **defaults: Any
) -> None:
    """Add options of a search to a command; `defaults` go before the usual ones, `notes` end the help of an option.

    >>> parser = argparse.ArgumentParser()
    >>> add_search_options(parser, ["k", "as_of", "time"], k=100)
    >>> parser.parse_args(["--as-of", "2012", "--no-time"])
    Namespace(k=100, as_of='2012', time=False)
    """
    for name in names:
        option, default = OPTIONS[name], defaults.get(name, _DEFAULTS[name])
        flag, text = spell_flag(name), option.describe(spell_flag).replace("%", "%%")
        text += f"; {notes[name]}" if name in notes else ""
        if option.kind == "flag":
            if default:
                text = f"do not {text}"
            parser.add_argument(flag, dest=name, action="store_false" if default else "store_true", help=text)
        elif option.kind == "number":
            text += "" if default is None else f"; {default} unless given"
            parser.add_argument(flag, dest=name, type=int, default=default, metavar=option.metavar, help=text)
        else:
            parser.add_argument(flag, dest=name, default=default, metavar=option.metavar, help=text)


def parse_search_options(arguments: argparse.Namespace, now: Span | None = None) -> SearchOptions:
    """The options that a command line gives; `now` is the present where it gives none.

    >>> parser = argparse.ArgumentParser()
    >>> add_search_options(parser, ["during"])
    >>> parse_search_options(parser.parse_args(["--during", "March 2011"])).during.edtf()
    '2011-03'
    """
    given = {name: value for name, value in vars(arguments).items() if name in OPTIONS}
    return SearchOptions.parse(given, now, spell=spell_flag)


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
        show_answer(response, index.coverage, Page(), time=arguments.time, explained=explained)
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

    options = parse_search_options(arguments, SystemClock().now())
    return index.search(arguments.question, **cast("SearchArguments", options.to_dict()))
