"""Commands that query an index: search, answer, and run (all queries of a BEIR folder)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, cast

from epochal.cli.common import (
    add_index_argument,
    add_json_option,
    check_output,
    format_count,
    ingest,
    open_for_adding,
    open_index,
    print_json,
    progress_bar,
)
from epochal.errors import EpochalError, UnknownNameError
from epochal.search.request import OPTIONS, SearchArguments, SearchOptions, list_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from epochal.api import Index
    from epochal.llm.chat import Chat
    from epochal.search.request import SearchArguments
    from epochal.search.response import Response
    from epochal.storage.importers.beir import QueryRow, RunRow
    from epochal.times.span import Span

#: The note on --now of a command that reads the clock.
CLOCK: Final[Mapping[str, str]] = {"now": "the clock's unless given"}
_DEFAULTS: Final = {item.name: item.default for item in fields(SearchOptions)}

_SEARCH_HELP = """examples:
  epochal search news "Who won the Nobel Prize in Literature in 2016?"
  epochal search news "Who is the pope?" --as-of 2012
  epochal search news "earthquakes" --during 2011-03 --strict -k 5 --explain
  epochal search news "the latest mission to the Moon" --now 2026-03-28 --json
  epochal search news "earthquakes" --dims 64 --shortlist 500

Times are EDTF or ISO 8601 (2011-03, 1984~/2004-06) or words (March 2011, the 1990s, Meiji 10). --during, --before and
--after change the order; with --strict they also exclude documents.
"""


def add_search(commands: Any) -> None:
    """Add `epochal search`."""
    parser = commands.add_parser(
        "search",
        help="search an index",
        description="Find the documents that answer a question, from the time that it asks about.",
        epilog=_SEARCH_HELP,
    )
    add_index_argument(parser)
    parser.add_argument("question", metavar="QUESTION", help="the question, in plain words")
    add_search_options(parser, list_options("search"))
    parser.add_argument("--explain", action="store_true", help="show why each hit has its rank")
    add_json_option(parser)
    parser.set_defaults(run=_run_search)


def spell_flag(name: str) -> str:
    """An option's name as the command line writes it."""
    dashed = name.replace("_", "-")
    return "-k" if name == "k" else f"--no-{dashed}" if _DEFAULTS[name] is True else f"--{dashed}"


def add_search_options(
    parser: argparse.ArgumentParser, names: Iterable[str], notes: Mapping[str, str] = CLOCK, **defaults: Any
) -> None:
    """Add options of a search to a command; `defaults` go before the usual ones, `notes` end the help of an option."""
    for name in names:
        option, default = OPTIONS[name], defaults.get(name, _DEFAULTS[name])
        flag, text = spell_flag(name), option.describe(spell_flag).replace("%", "%%")
        text += f"; {notes[name]}" if name in notes else ""
        if option.kind == "flag":
            if default:
                text = f"do not {text}"
            parser.add_argument(flag, dest=name, action="store_false" if default else "store_true", help=text)
        elif option.kind == "where":
            parser.add_argument(
                flag, dest=name, action="append", metavar=option.metavar, help=f"{text}; may be repeated"
            )
        elif option.kind == "share":
            parser.add_argument(flag, dest=name, type=float, default=default, metavar=option.metavar, help=text)
        elif option.kind == "number":
            text += "" if default is None else f"; {default} unless given"
            parser.add_argument(flag, dest=name, type=int, default=default, metavar=option.metavar, help=text)
        else:
            parser.add_argument(flag, dest=name, default=default, metavar=option.metavar, help=text)


def parse_search_options(arguments: argparse.Namespace, now: Span | None = None) -> SearchOptions:
    """Parse the search options of a command line; `now` is the reference time if it gives none."""
    values = {name: value for name, value in vars(arguments).items() if name in OPTIONS}
    return SearchOptions.parse(values, now, spell=spell_flag)


def _run_search(arguments: argparse.Namespace) -> int:

    with open_index(arguments.index) as index:
        response = search(index, arguments)
        if arguments.json:
            print_json(response.to_dict())
            return 0
        from epochal.cli.rendering.response import show_response
        from epochal.cli.rendering.terminal import Page

        explained = len(response) if arguments.explain else 0
        show_response(response, index.coverage, Page(), time=arguments.time, explained=explained)
    return 0


def search(index: Index, arguments: argparse.Namespace) -> Response:
    """Run the search that a command line asks for."""
    from epochal.times.span import SystemClock

    options = parse_search_options(arguments, SystemClock().now())
    return index.search(arguments.question, **cast("SearchArguments", options.to_dict()))


_ANSWER_HELP = """examples:
  epochal answer news "What happened at Fukushima in March 2011?"
  epochal answer news "Compare the missions to the Moon of 2008 with those of 2023" --json
  epochal answer terms "What may be refunded?" --as-of 2019
  epochal answer news "Who is the pope?" --llm http://localhost:8080/v1 --model small-model
  epochal answer news "Who is the pope?" --llm http://localhost:8080/v1 --model small-model --dry-run

Without --llm the answer is a timeline of quotes, and nothing is sent anywhere. With it the evidence is sent to that
model only; --dry-run shows what would be sent.
"""
_ACCEPTED = "the address of an endpoint such as http://localhost:8080/v1, gguf:FILE or replay:FILE"


def add_answer(commands: Any) -> None:
    """Add `epochal answer`."""
    parser = commands.add_parser(
        "answer",
        help="answer a question from an index, with citations",
        description="Answer a question from the documents of an index: what they say about the times it asks for, with "
        "dates and quotes, and what is missing.",
        epilog=_ANSWER_HELP,
    )
    add_index_argument(parser)
    parser.add_argument("question", metavar="QUESTION", help="the question, in plain words")
    add_search_options(parser, list_options("answer"))
    parser.add_argument(
        "--llm", metavar="WHICH", help="the language model: the URL of an endpoint, gguf:FILE or replay:FILE"
    )
    parser.add_argument("--model", metavar="NAME", help="the model of the endpoint")
    parser.add_argument("--key", metavar="VARIABLE", help="the environment variable with the key of the endpoint")
    parser.add_argument("--record", metavar="FILE", help="store the replies of the model in FILE, and reuse them")
    parser.add_argument("--dry-run", action="store_true", help="show what would be sent, and send nothing")
    add_json_option(parser)
    parser.set_defaults(run=_run_answer)


def _run_answer(arguments: argparse.Namespace) -> int:
    from epochal.answers.answering import answer
    from epochal.llm.registry import NotSentError
    from epochal.times.span import SystemClock

    options = parse_search_options(arguments, SystemClock().now())
    chat = None if arguments.llm is None else open_named_chat(arguments, print)
    with open_index(arguments.index) as index:
        try:
            result = answer(
                index,
                arguments.question,
                now=options.now,
                as_of=options.as_of,
                k=options.k,
                where=options.where,
                llm=chat,
            )
        except NotSentError:
            return 0  # --dry-run has shown what would be sent
    if arguments.dry_run:
        why = "no language model is named (--llm)" if chat is None else "there is no evidence to answer from"
        print(f"nothing would be sent: {why}")
        return 0
    if arguments.json:
        print_json(result.to_dict())
        return 0
    from epochal.cli.rendering.answer import show_answer
    from epochal.cli.rendering.terminal import Page

    show_answer(result, Page())
    return 0


def open_named_chat(arguments: argparse.Namespace, show: Callable[[str], object]) -> Chat:
    """Open the language model of `--llm` and its options; with `--dry-run`, `show` gets what would be sent."""
    from epochal.llm.registry import open_chat

    kind, colon, path = str(arguments.llm).partition(":")
    if colon and kind in ("http", "https"):
        kind, path = "url", arguments.llm
    elif not colon or kind not in ("gguf", "replay"):
        raise EpochalError(f"--llm {arguments.llm!r} is no language model; accepted: {_ACCEPTED}")
    if kind == "gguf" and arguments.model is not None:
        raise EpochalError(f"--model {arguments.model!r} is for an endpoint or a recording; a file holds one model")
    named = {kind: path, **({} if arguments.model is None else {"model": arguments.model})}
    return open_chat(**named, key=arguments.key, record=arguments.record, dry_run=show if arguments.dry_run else None)


_RUN_HELP = """examples:
  epochal run scifact -o scifact.trec
  epochal run news -o news.trec --index news-index --now 2026-03-28 -k 1000

The folder has corpus.jsonl and queries.jsonl (each also with .gz). Rows of the corpus may have published, valid and
series; queries may have now, which overrides --now. The clock is never read: the same folder gives the same run.
Versions and near-duplicates are not collapsed.
"""


def add_run(commands: Any) -> None:
    """Add `epochal run`."""
    parser = commands.add_parser(
        "run",
        help="answer all queries of a BEIR folder",
        description="Index a BEIR folder, answer all its queries, and write the hits as a TREC run.",
        epilog=_RUN_HELP,
    )
    parser.add_argument("folder", metavar="BEIR_DIR", help="a folder with corpus.jsonl and queries.jsonl")
    parser.add_argument("-o", "--out", metavar="RUN", required=True, help="the run to write, or - for stdout")
    parser.add_argument(
        "--index", metavar="DIR", help="the folder of the index, new or existing; a temporary one unless given"
    )
    parser.add_argument("--encoder", metavar="NAME", help="the encoder; none for no vectors")
    parser.add_argument("--format", metavar="FORMAT", default="trec", help="trec or jsonl; trec unless given")
    add_search_options(parser, list_options("run"), {"now": "for queries that have none"}, k=100)
    parser.set_defaults(run=_run_run)


def _run_run(arguments: argparse.Namespace) -> int:
    from epochal.ranking.registry import load_scorer
    from epochal.storage.importers.beir import RUN_FORMATS, read_queries, write_run
    from epochal.storage.importers.read import read

    # Every mistake in the call is found before the long work starts.
    check_output(arguments.out)
    if arguments.format not in RUN_FORMATS:
        raise UnknownNameError("format of a run", arguments.format, RUN_FORMATS)
    queries = read_queries(arguments.folder)
    if arguments.format == "trec":
        _check_run_ids("question", (query.id for query in queries))
        _check_run_ids("document", (document.id for document in read(arguments.folder, format="beir")))
    options = parse_search_options(arguments)
    load_scorer(arguments.scorer)
    reading = read(arguments.folder, format="beir")
    with _open_run_index(arguments) as index:
        if options.dims is not None:
            index.view().with_dims(options.dims, options.shortlist)
        print(f"epochal: {ingest(index, reading, 'indexing')}", file=sys.stderr)
        count = write_run(arguments.out, _search_queries(index, queries, options), arguments.format)
    print(f"{arguments.out}: {format_count(len(queries), 'question')}, {format_count(count, 'row')}", file=sys.stderr)
    return 0


def _check_run_ids(what: str, ids: Iterable[str]) -> None:
    """Raise an error for an id that no TREC run can have, before the long work starts."""
    for id in ids:
        if id.split() != [id]:
            accepted = "ids without whitespace, or --format jsonl"
            raise EpochalError(f"the {what} {id!r} cannot be written to a TREC run; accepted: {accepted}")


@contextmanager
def _open_run_index(arguments: argparse.Namespace) -> Iterator[Index]:
    if arguments.index is not None:
        with open_for_adding(arguments.index, arguments.encoder) as index:
            yield index
        return
    import tempfile

    with (
        tempfile.TemporaryDirectory(prefix="epochal-", ignore_cleanup_errors=True) as folder,
        open_for_adding(folder, arguments.encoder) as index,
    ):
        yield index


def _search_queries(index: Index, queries: list[QueryRow], options: SearchOptions) -> Iterator[RunRow]:
    from epochal.ranking.registry import DEFAULT, load_scorer
    from epochal.storage.importers.beir import ranked

    ranker = load_scorer(cast("str | None", options.scorer))
    query_options = {
        **options.to_dict(),
        "scorer": ranker,
        "collapse_versions": False,
        # A baseline ranks as its paper says, and by nothing else.
        "promote_current_version": ranker.name == DEFAULT and options.time,
    }
    with progress_bar("searching", len(queries)) as report_progress:
        for done, query in enumerate(queries, 1):
            response = index.search(
                query.text, **cast("SearchArguments", {**query_options, "now": query.now or options.now})
            )
            yield from ranked(query.id, ((hit.id, hit.score) for hit in response))
            report_progress(done, f"{done:,} of {len(queries):,} questions")
