"""`epochal check`: whether an index is sound, and mending it where it is not."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epochal.index.check import Report

__all__ = ["add", "report_record"]

_HELP = """example:
  epochal check news --repair

The exit code is 0 where the index is sound, or has been made so, and 1 where something is wrong that stays wrong.
"""


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["check", "news", "--repair"]).repair
    True
    """
    parser = commands.add_parser(
        "check",
        help="whether an index is sound",
        description="Check every file of an index against the truth, and mend what is derived from it when asked to.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("index", metavar="DIR", help="the folder of the index")
    parser.add_argument("--repair", action="store_true", help="build anew what is derived and wrong")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.cli.opening import check_index, counted
    from epochal.index.addresses import provider_of

    check_index(arguments.index)
    provider = provider_of(arguments.index)
    name = provider.shown(arguments.index)
    report = provider.check(arguments.index, repair=arguments.repair)
    if arguments.json:
        print(json.dumps(report_record(report), ensure_ascii=False, indent=2))
        return 0 if report.is_sound else 1
    for finding in report.findings:
        print(f"{'mended ' if finding.mended else 'problem'}  {finding.where:7}  {finding.what}")
    held = f"{counted(report.documents, 'document')}, {counted(report.passages, 'passage')}"
    print(f"{name}: {'sound' if report.is_sound else 'not sound'}; {held}")
    derived = any(finding.where == "derived" and not finding.mended for finding in report.findings)
    if derived and not arguments.repair:
        print(f"what is derived can be mended: epochal check {name} --repair")
    if any(finding.where == "truth" for finding in report.findings):
        print("what is wrong with the documents themselves cannot be mended; restore a backup, or index them anew")
    return 0 if report.is_sound else 1


def report_record(report: Report) -> dict[str, Any]:
    """A report as JSON has it; the keys are documented in docs/reference/json.md.

    >>> from epochal.index.check import Report
    >>> report_record(Report("news", documents=2, passages=3, findings=()))
    {'path': 'news', 'sound': True, 'documents': 2, 'passages': 3, 'findings': []}
    """
    return {
        "path": report.path,
        "sound": report.is_sound,
        "documents": report.documents,
        "passages": report.passages,
        "findings": [{"where": item.where, "what": item.what, "mended": item.mended} for item in report.findings],
    }
