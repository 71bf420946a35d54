"""`epochal audit`: report what is undated, stale, missing or duplicated in a collection."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epochal.cli.common import check_output, print_json

if TYPE_CHECKING:
    from epochal.audit.report import AuditReport
    from epochal.cli.rendering.terminal import Page

#: The exit code of --fail-on: neither a mistake in the call (2) nor a fault in Epochal (1).
FAILED: Final = 3
_STYLES: Final = {"note": "cyan", "warning": "yellow", "error": "bold red"}

_HELP = """examples:
  epochal audit news.jsonl
  epochal audit notes/ -o notes.html --md notes.md
  epochal audit news-index --now 2026-03-28 --json
  epochal audit laws.csv --fail-on error         for a pipeline: exits with 3 on an error

SOURCE is an index, or anything that epochal index reads. Checked: documents without dates, dates in the future or
implausible, dates that contradict titles, periods without documents, bad rows, near-duplicates, series without a clear
order, and whether outdated versions still rank first.
"""


def add_audit(commands: Any) -> None:
    """Add `epochal audit`."""
    parser = commands.add_parser(
        "audit",
        help="report what is undated, stale, missing or duplicated",
        description="Check a collection for problems that make searches by time go wrong, and say how to fix them.",
        epilog=_HELP,
    )
    parser.add_argument("source", metavar="SOURCE", help="an index, or a file or folder of documents")
    parser.add_argument("--now", metavar="DATE", help="the reference time; the clock unless given")
    parser.add_argument("--format", metavar="FORMAT", help="the format of SOURCE, if its name does not say")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("-o", "--out", metavar="REPORT.html", help="write the report as an HTML page with charts")
    parser.add_argument("--md", metavar="REPORT.md", help="write the report as Markdown")
    parser.add_argument(
        "--no-search", action="store_true", help="do not test whether outdated versions still rank first"
    )
    parser.add_argument(
        "--fail-on",
        choices=tuple(_STYLES),
        metavar="LEVEL",
        help=f"exit with {FAILED} when a finding is at least a note, a warning or an error",
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.audit.audit import audit
    from epochal.audit.report import Severity, format_html, format_markdown
    from epochal.reading.resolve import parse_time_option
    from epochal.times.axis import Grain
    from epochal.times.span import Span, SystemClock

    outputs = [(path, make) for path, make in ((arguments.out, format_html), (arguments.md, format_markdown)) if path]
    for path, _ in outputs:
        check_output(path)
    now = parse_time_option(arguments.now, "--now") or Span.unit(SystemClock().now().start, Grain.DAY)
    report = audit(arguments.source, now=now, search=not arguments.no_search, format=arguments.format)
    for path, make in outputs:
        Path(path).write_text(make(report), encoding="utf-8")
        print(f"{path}: written", file=sys.stderr)
    if arguments.json:
        print_json(report.to_dict())
    else:
        _show(report)
    limit = arguments.fail_on
    failed = limit is not None and report.worst is not None and report.worst >= Severity.named(limit)
    return FAILED if failed else 0


def _show(report: AuditReport) -> None:
    from epochal.cli.rendering.terminal import Page, clean

    page = Page()
    page.line((clean(report.source), "bold"))
    _show_timeline(page, report)
    for name, value in report.facts.items():
        text = value if isinstance(value, str) else f"{value:,}"
        page.line((f"  {name:32}", ""), (text, "bold"))
    for finding in report.findings:
        label = finding.severity.label
        page.line()
        page.print_labelled(label, [(f"{finding.count:,} {clean(finding.title)}", _STYLES[label])])
        for example in finding.examples:
            page.print_labelled("", [(f"{clean(example.id)}  ", "bold"), (clean(example.words), "dim")])
        page.print_labelled("", [(finding.advice, "")])
    if not report.findings:
        page.line()
        page.line(("nothing that needs attention", "green"))


def _show_timeline(page: Page, report: AuditReport) -> None:
    from epochal.cli.rendering.timeline import Timeline
    from epochal.times.span import Span

    periods = report.spread.periods
    if not periods:
        return
    whole = Span(periods[0].start, periods[-1].end, periods[0].grain)
    for row in Timeline(whole, periods, report.spread.counts).rows(page.width):
        page.line(*row)
