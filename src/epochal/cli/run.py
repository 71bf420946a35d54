"""`epochal run`: index a BEIR folder, answer all its questions, and write a TREC run."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from epochal.cli.search import add_search_options, parse_search_options
from epochal.engine.request import SearchOptions, option_names
from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.engine.index import Index
    from epochal.engine.request import SearchArguments
    from epochal.index.inputs import QueryRow, RunRow

__all__ = ["add"]

_HELP = """examples:
  epochal run scifact -o scifact.trec
  epochal run news -o news.trec --index news-index --now 2026-03-28 -k 1000

The folder has corpus.jsonl and queries.jsonl (each also with .gz). Rows of the corpus may carry published, valid and
series; questions may carry now, which goes before --now. The machine's clock is never read: the same folder gives the
same run. No document is hidden behind a copy or another version of it.
"""


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["run", "scifact", "-o", "scifact.trec"]).k
    100
    """
    parser = commands.add_parser(
        "run",
        help="answer all questions of a BEIR folder",
        description="Index a BEIR folder, answer all its questions, and write what was found as a TREC run.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", metavar="BEIR_DIR", help="a folder with corpus.jsonl and queries.jsonl")
    parser.add_argument("-o", "--out", metavar="RUN", required=True, help="the run to write, or - for the output")
    parser.add_argument(
        "--index", metavar="DIR", help="keep the index here, or use the one that is; else a passing one"
    )
    parser.add_argument("--encoder", metavar="NAME", help="what turns texts into vectors; none for none")
    add_search_options(parser, option_names("run"), {"now": "for questions that carry none"}, k=100)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import check_output, counted, ingest
    from epochal.index.inputs import read, read_queries, write_run
    from epochal.ranking.registry import scorer

    # Everything that can be wrong with the call is looked at before the long work starts.
    check_output(arguments.out)
    queries = read_queries(arguments.folder)
    for query in queries:
        if query.id.split() != [query.id]:
            raise EpochalError(
                f"the question {query.id!r} cannot stand in a TREC run; accepted: ids without whitespace"
            )
    options = parse_search_options(arguments)
    scorer(arguments.scorer)
    reading = read(arguments.folder, format="beir")
    with _index(arguments) as index:
        if options.dims is not None:
            index.view().nested(options.dims, options.shortlist)
        print(f"epochal: {ingest(index, reading, 'indexing')}", file=sys.stderr)
        count = write_run(arguments.out, _rows(index, queries, options))
    print(f"{arguments.out}: {counted(len(queries), 'question')}, {counted(count, 'row')}", file=sys.stderr)
    return 0


@contextmanager
def _index(arguments: argparse.Namespace) -> Iterator[Index]:
    from epochal.cli.opening import filled

    if arguments.index is not None:
        with filled(arguments.index, arguments.encoder) as index:
            yield index
        return
    with (
        tempfile.TemporaryDirectory(prefix="epochal-", ignore_cleanup_errors=True) as folder,
        filled(folder, arguments.encoder) as index,
    ):
        yield index


def _rows(index: Index, queries: list[QueryRow], options: SearchOptions) -> Iterator[RunRow]:
    from epochal.cli.progress import progress_bar
    from epochal.index.inputs.trec import ranked
    from epochal.ranking.registry import DEFAULT, scorer

    chosen = scorer(cast("str | None", options.scorer))
    given = {
        **options.to_dict(),
        "scorer": chosen,
        "collapse_versions": False,
        # A baseline is what its paper says, and no more.
        "promote_current_version": chosen.name == DEFAULT and options.time,
    }
    with progress_bar("searching", len(queries)) as tell:
        for done, query in enumerate(queries, 1):
            response = index.search(query.text, **cast("SearchArguments", {**given, "now": query.now or options.now}))
            yield from ranked(query.id, ((hit.id, hit.score) for hit in response))
            tell(done, f"{done:,} of {len(queries):,} questions")
