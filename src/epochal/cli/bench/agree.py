"""`epochal bench agree`: how far two judges agree, by the judgements that each left in a file."""

from __future__ import annotations

import argparse
import json
import math
from typing import TYPE_CHECKING, Any

from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.bench.judges.agreement import Agreement
    from epochal.bench.metrics.significance import Interval

__all__ = ["add"]

_HELP = """a file of judgements has one JSON object a line:
  query, document   ids
  relevant          true, false, or null where the judge could not tell
  covers            the same for each period of the question
  scores            optional: a number for relevant, then one a period; AUROC compares those of A with the answers of B

example:
  epochal bench agree spans.jsonl model.jsonl
"""


def add(parts: Any) -> None:
    """Add the subcommand to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["agree", "a.jsonl", "b.jsonl"]).rounds
    1000
    """
    parser = parts.add_parser(
        "agree",
        help="how far two judges agree: kappa, AUROC, the table of answers",
        description="Compare two files of judgements: Cohen's kappa, the area under the ROC curve, who said what.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("first", metavar="A", help="judgements as JSON Lines, whose scores are looked at")
    parser.add_argument("second", metavar="B", help="the judgements that A is compared with")
    parser.add_argument("--rounds", type=int, default=1000, metavar="N", help="bootstrap samples of questions (1000)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="what the samples are drawn by (0)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.bench.judges.agreement import agree
    from epochal.bench.judges.files import read_judgements

    if arguments.rounds < 1 or arguments.seed < 0:
        told = f"--rounds {arguments.rounds} --seed {arguments.seed}"
        raise EpochalError(f"{told} cannot be drawn by; accepted: rounds from 1, a seed from 0")
    first, second = read_judgements(arguments.first), read_judgements(arguments.second)
    found = agree(first, second, rounds=arguments.rounds, seed=arguments.seed)
    if not found:
        raise EpochalError(f"{arguments.first} and {arguments.second} judge no question and document in common")
    if arguments.json:
        print(json.dumps({name: item.to_dict() for name, item in found.items()}, indent=2))
        return 0
    for name, item in found.items():
        print(_shown(name, item))
    return 0


def _shown(name: str, item: Agreement) -> str:
    width = max(len("B yes"), *(len(f"{count:,}") for count in (item.both, item.first, item.second, item.neither)))
    lines = [
        f"{name}: {item.compared:,} answers compared; {item.open:,} left open, {item.apart:,} judged by one alone",
        f"  {'':6}  {'B yes':>{width}}  {'B no':>{width}}",
        f"  A yes   {item.both:>{width},}  {item.first:>{width},}",
        f"  A no    {item.second:>{width},}  {item.neither:>{width},}",
        f"  kappa   {_figure(item.kappa, item.kappa_interval)}",
    ]
    if not math.isnan(item.area):
        lines.append(f"  AUROC   {_figure(item.area, item.area_interval)}")
    return "\n".join(lines)


def _figure(value: float, ends: Interval) -> str:
    if math.isnan(value):
        return "none: no answer differs"
    return f"{value:.3f}" + ("" if math.isnan(ends.low) else f"  (95 %: {ends.low:.3f} to {ends.high:.3f})")
