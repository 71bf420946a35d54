"""`epochal bench make`: a test set from one's own documents, without labels."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from epochal.errors import EpochalError

__all__ = ["add"]

_HELP = """examples:
  epochal bench make news.jsonl -o news-test
  epochal bench make news-index -o news-test --per-kind 100 --seed 7
  epochal bench make laws.csv -o laws-test --kinds latest as_of --now 2026-03-28

SOURCE is an index, or anything that epochal index reads. The folder is in BEIR's form, with times and kinds beside;
epochal run and epochal bench run answer its questions. The same documents and seed give the same set. The machine's
clock is not read: without --now, questions are asked on the day of the last publication.
"""


def add(parts: Any) -> None:
    """Add the subcommand to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["make", "news.jsonl", "-o", "news-test"]).seed
    0
    """
    parser = parts.add_parser(
        "make",
        help="make a test set from your own documents, without labels",
        description="Make a temporal test set from documents without labels: points, windows, before and after, latest "
        "and past versions, comparisons, and questions to which nothing is recorded.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", metavar="SOURCE", help="an index, or a file or folder of documents")
    parser.add_argument("-o", "--out", metavar="DIR", required=True, help="the folder to write, new or empty")
    parser.add_argument("--now", metavar="DATE", help="when the questions are asked")
    parser.add_argument("--per-kind", type=int, default=50, metavar="N", help="questions of each kind; 50 unless given")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="another number gives other questions")
    parser.add_argument("--kinds", nargs="+", metavar="KIND", help="only these kinds")
    parser.add_argument("--format", metavar="FORMAT", help="what SOURCE is, where its name does not tell")
    parser.set_defaults(run=_run)


def _check_new(path: str) -> None:
    """Complain now of a folder that cannot be written to, rather than after the work."""
    place = Path(path)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise EpochalError(f"a test set cannot be written to {path!r}, which is there; accepted: a new folder")


def _run(arguments: argparse.Namespace) -> int:
    from epochal.bench.folder import write_folder
    from epochal.bench.making.make import KINDS, make
    from epochal.cli.opening import counted
    from epochal.times.asked import asked_time

    _check_new(arguments.out)
    made, manifest = make(
        arguments.source,
        now=asked_time(arguments.now, "--now"),
        per_kind=arguments.per_kind,
        seed=arguments.seed,
        kinds=tuple(arguments.kinds or KINDS),
        format=arguments.format,
    )
    write_folder(arguments.out, made, manifest)
    told = ", ".join(f"{count} {kind}" for kind, count in manifest.facts["questions"].items())
    documents = counted(manifest.facts["documents"], "document")
    print(f"{arguments.out}: {counted(len(made.queries), 'question')} about {documents} ({told})")
    missing = [kind for kind in arguments.kinds or KINDS if kind not in manifest.facts["questions"]]
    if missing:
        print(f"  none of the kinds {', '.join(missing)}: these documents give no clear question of them")
    return 0
