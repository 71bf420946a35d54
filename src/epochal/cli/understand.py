"""`epochal understand`: what a question asks of time."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from epochal.reading.questions.question import Understanding
    from epochal.times import Span

__all__ = ["add"]

_HELP = """examples:
  epochal understand "How have transaction fees changed since 2017?"
  epochal understand "who won last year" --now 2013-05-01 --json
  epochal understand --jsonl questions.jsonl --now 2013-05-01 > understood.jsonl

A row of JSON lines has its question under "text", "query" or "question", and may have its own "now". The rows of a file
are never read against this machine's clock: without --now and without "now" of their own they have no present, so that
the same file always gives the same answer.
"""
_TEXT_KEYS = ("text", "query", "question")


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["understand", "who won last year"]).text
    'who won last year'
    """
    parser = commands.add_parser(
        "understand",
        help="what a question asks of time",
        description="Read what a question asks of time: intent, class, recency need, constraints, periods, plan.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("text", metavar="TEXT", nargs="?", help="the question")
    parser.add_argument("--jsonl", metavar="IN", help="questions as JSON lines (- for stdin); one JSON a line")
    parser.add_argument("--now", metavar="DATE", help="the present; the clock's where TEXT is given and this is not")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.errors import EpochalError
    from epochal.reading.questions.understand import understand
    from epochal.times import Span, SystemClock

    if (arguments.text is None) == (arguments.jsonl is None):
        raise EpochalError("understand needs either TEXT or --jsonl IN; see epochal understand --help")
    now = None if arguments.now is None else Span.parse(arguments.now)
    if arguments.jsonl is not None:
        for text, present in _questions(arguments.jsonl, now):
            print(json.dumps(understand(text, present).to_dict(), ensure_ascii=False))
        return 0
    found = understand(arguments.text, SystemClock().now() if now is None else now)
    if arguments.json:
        print(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
    else:
        _show(found)
    return 0


def _questions(path: str, now: Span | None) -> Iterator[tuple[str, Span | None]]:
    from epochal.errors import EpochalError

    if path == "-":
        yield from _rows("standard input", sys.stdin, now)
        return
    try:
        with open(path, encoding="utf-8") as lines:
            yield from _rows(path, lines, now)
    except (OSError, UnicodeDecodeError) as error:
        raise EpochalError(f"{path} cannot be read as JSON lines: {error}") from error


def _rows(name: str, lines: TextIO, now: Span | None) -> Iterator[tuple[str, Span | None]]:
    from epochal.errors import EpochalError
    from epochal.times import Span

    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise EpochalError(f"{name}, line {number}: not JSON ({error.msg})") from error
        fields = row if isinstance(row, dict) else {}
        text = next((fields[key] for key in _TEXT_KEYS if isinstance(fields.get(key), str)), None)
        if text is None:
            raise EpochalError(f'{name}, line {number}: no question; a row needs "text", "query" or "question"')
        own = fields.get("now")
        yield text, now if own is None else Span.parse(str(own))


def _show(found: Understanding) -> None:
    half_life = "never stale" if found.half_life is None else f"half-life {_days(found.half_life)}"
    rows = [
        ("intent", f"{found.intent}, focus {found.temporal_focus}"),
        ("class", found.temporal_class),
        ("recency", f"{found.recency} ({half_life})"),
        ("reasoning", found.reasoning_class or "none"),
        ("topic", found.topic),
    ]
    rows += [
        ("constraint", f"{item.relation} {item.span.edtf()} ({item.span.describe()}), {item.axis}")
        for item in found.constraints
    ]
    rows += [("period", f"{item.edtf()} ({item.describe()})") for item in found.periods]
    rows.append(("across", "yes, the periods are set against each other" if found.cross_period else "no"))
    rows += [(f"step {step.number}", step.action) for step in found.plan]
    width = max(len(label) for label, _ in rows)
    for label, value in rows:
        print(f"{label:{width}}  {value}")


def _days(count: float) -> str:
    if count < 1:
        return f"{round(count * 24)} h"
    return f"{count:g} days" if count != 1 else "1 day"
