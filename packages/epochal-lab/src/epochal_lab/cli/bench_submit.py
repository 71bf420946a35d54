"""`epochal bench submit-check`: whether a run with its card can enter the table, and its row there."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from epochal.cli.common import add_json_option, print_json
from epochal_lab.cli.model_options import add_data_options

_HELP = """a submission is a folder with two files:
  run.trec    question Q0 document rank score name, a line each
  card.json   system, set, information, trained_on; optional split, url, contact, notes

information is a list of what the system used beside the question: text, publication date, validity, order of records,
record type, reference time, language model, trained on this set.

examples:
  epochal bench submit-check mine --data DATA
  epochal bench submit-check mine --set my-set --json > row.json
  epochal bench submit-check mine --set my-set -o out && epochal bench report out/results

`write_submission` of epochal_lab.runs.submissions writes the folder for a function, a retriever or a run.
"""


def add_submit_check(parts: Any) -> None:
    """Add the subcommand to the parser."""
    parser = parts.add_parser(
        "submit-check",
        help="check a run with its card, and show its row of the table",
        description="Check a submission: the card, the questions and documents of the run, and its measures.",
        epilog=_HELP,
    )
    parser.add_argument("folder", metavar="DIR", help="the folder with run.trec and card.json")
    parser.add_argument("--set", metavar="SET", help="a BEIR folder or an id in place of the card's")
    parser.add_argument("-o", "--out", metavar="DIR", help="put its result among those of `epochal bench run`")
    add_data_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=_run_submit_check)


def _run_submit_check(arguments: argparse.Namespace) -> int:
    from epochal_lab.runs.submissions import check_submission, place_submission, read_card
    from epochal_lab.runs.tasks import SetLoader, Task

    card = read_card(arguments.folder)
    loader = SetLoader(arguments.data, hub=arguments.hub)
    task = Task(arguments.set or card.set, card.system, card.split)
    bench_set = loader.load(task)
    report = check_submission(arguments.folder, bench_set)
    if arguments.out is not None and not report.problems:
        place_submission(arguments.folder, arguments.out, task, bench_set)
    if arguments.json:
        print_json(report.to_dict())
    elif not report.problems:
        measures = ", ".join(f"{name} {value:.3f}" for name, value in report.measures.items())
        print(f"{card.system} on {card.set}: {measures} of {report.questions:,} questions")
        print(f"  used: {', '.join(card.information)}; trained on: {', '.join(card.trained_on) or 'nothing'}")
    for text in (*report.problems, *report.remarks):
        print(f"epochal: {text}", file=sys.stderr)
    return 2 if report.problems else 0
