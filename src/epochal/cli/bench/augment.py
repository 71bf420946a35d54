"""`epochal bench augment`: training rows from passages, with questions that they answer and questions they do not."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.bench.augment.make import Made
    from epochal.bench.augment.sources import HeldOut
    from epochal.llm.chat import Chat

__all__ = ["add"]

_HELP = """examples:
  epochal bench augment pages.jsonl -o train.jsonl --stats
  epochal bench augment pages.jsonl -o train.jsonl --several --hold-out tnp --hold-out timeqa
  epochal bench augment data/timeqa -o train.jsonl --from timeqa
  epochal bench augment pages.jsonl -o train.jsonl --from llm --url http://localhost:8080/v1 --model NAME

A row is a passage, its time expressions, questions that it answers and questions that it does not, each with its type
and Allen's relation of its time to that of the passage. Without a language model the relation is computed from what is
read in the question and in the passage. The same input and seed give the same rows.
"""


def add(parts: Any) -> None:
    """Add the subcommand to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["augment", "pages.jsonl", "-o", "train.jsonl"]).kind
    'passages'
    """
    parser = parts.add_parser(
        "augment",
        help="make training rows from passages: questions that they answer, and questions that they do not",
        description="Make training rows for temporal encoders from passages: questions that state a time, that name an "
        "event, or that ask for a time, across Allen's relations.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("input", metavar="INPUT", help="documents, a folder of TimeQA, or rows, as --from says")
    parser.add_argument("-o", "--out", metavar="ROWS", required=True, help="the file to write, JSON lines")
    parser.add_argument(
        "--from",
        dest="kind",
        choices=("passages", "timeqa", "llm", "rows"),
        default="passages",
        help="what is made: rows of passages by templates, rows of TimeQA's facts, rows of passages by a language "
        "model, or rows that are there already, checked; passages unless given",
    )
    parser.add_argument("--several", action="store_true", help="keep paragraphs whole, with several time expressions")
    parser.add_argument("--dated", action="store_true", help="date texts that state no time by their publication")
    parser.add_argument("--most", type=int, metavar="N", help="at most so many rows")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="another number gives other questions")
    parser.add_argument(
        "--hold-out", metavar="DIR", action="append", default=[], help="a BEIR folder whose texts must not be used"
    )
    parser.add_argument("--shards-only", action="store_true", help="of TimeQA, only the shards and no annotated page")
    parser.add_argument("--format", metavar="FORMAT", help="what INPUT is, where its name does not tell")
    parser.add_argument("--url", metavar="URL", help="the endpoint of the language model, up to /v1")
    parser.add_argument("--model", metavar="NAME", help="the language model")
    parser.add_argument("--key", metavar="VARIABLE", help="the environment variable that holds the endpoint's key")
    parser.add_argument("--record", metavar="FILE", help="keep the model's replies, and ask for none that is kept")
    parser.add_argument("--workers", type=int, default=4, metavar="N", help="calls at once; 4 unless given")
    parser.add_argument("--stats", action="store_true", help="print counts of types, relations, expressions and words")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.bench.augment.statistics import count_rows
    from epochal.models.tmrl.rows import write_rows

    made = _made(arguments)
    if not made.rows:
        reasons = ", ".join(f"{reason} ({count:,})" for reason, count in sorted(made.dropped.items())) or "nothing read"
        raise EpochalError(f"{arguments.input} gives no row: {reasons}")
    write_rows(arguments.out, made.rows)
    counts = count_rows(made.rows)
    to = sys.stderr if arguments.out == "-" else sys.stdout
    if arguments.json:
        told = {"statistics": counts.to_dict(), "dropped": made.dropped, "changed": made.changed}
        print(json.dumps(told, ensure_ascii=False, indent=2), file=to)
        return 0
    print(
        f"{arguments.out}: {counts.passages:,} passages with {counts.positives:,} questions that they answer and "
        f"{counts.negatives:,} that they do not",
        file=to,
    )
    for title, reasons_of in (("dropped", made.dropped), ("mended", made.changed)):
        for reason, count in sorted(reasons_of.items()):
            print(f"  {title}  {reason}: {count:,}", file=to)
    if arguments.stats:
        print(f"\n{counts.markdown()}", file=to)
    return 0


def _made(arguments: argparse.Namespace) -> Made:
    from epochal.bench.augment import make
    from epochal.bench.augment.sources import passages_of
    from epochal.cli.progress import progress_bar

    if arguments.most is not None and arguments.most < 1:
        raise EpochalError(f"--most is {arguments.most}; accepted: 1 or more")
    several, most = arguments.several, arguments.most
    if arguments.kind == "rows":
        return make.from_rows(arguments.input, several=several, most=most)
    held = _held_out(arguments)
    if arguments.kind == "timeqa":
        pages = not arguments.shards_only
        return make.from_timeqa(arguments.input, seed=arguments.seed, most=most, held_out=held, pages=pages)
    chat = _chat(arguments) if arguments.kind == "llm" else None
    passages = list(passages_of(arguments.input, format=arguments.format, headed=arguments.dated, seed=arguments.seed))
    with progress_bar("augmenting", most or len(passages)) as tell:
        if chat is None:
            return make.from_passages(
                passages, seed=arguments.seed, several=several, most=most, held_out=held, tell=tell
            )
        return make.from_chat(
            passages, chat, several=several, most=most, held_out=held, workers=arguments.workers, tell=tell
        )


def _held_out(arguments: argparse.Namespace) -> HeldOut:
    from epochal.bench.augment.sources import HeldOut

    return HeldOut.of_sets(arguments.hold_out)


def _chat(arguments: argparse.Namespace) -> Chat:
    from epochal.bench.augment.prompts import SAMPLING
    from epochal.llm import Endpoint, Recorded

    missing = [name for name, value in (("--url URL", arguments.url), ("--model NAME", arguments.model)) if not value]
    if missing:
        raise EpochalError(f"--from llm lacks {' and '.join(missing)}; accepted: --url URL --model NAME")
    chat = Endpoint(arguments.url, arguments.model, arguments.key, timeout=300.0, temperature=0.7, extra=SAMPLING)
    return Recorded(chat, arguments.record) if arguments.record else chat
