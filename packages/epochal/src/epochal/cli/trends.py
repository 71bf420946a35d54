"""The command that counts topics over time: trends."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from epochal.cli.common import add_index_argument, add_json_option, open_index, print_json
from epochal.cli.search import add_search_options, parse_search_options

if TYPE_CHECKING:
    from epochal.search.trends import Trend

_HELP = """examples:
  epochal trends news earthquake pope
  epochal trends news "hurricane Katrina" --by month --during 2005
  epochal trends annals army drought --by lu
  epochal trends news earthquake --csv > earthquakes.csv

Documents count that pass the relevance floor, as the total of a search counts them. Where more than 5,000 documents
have all words of a topic, these count instead, and a note says so.
"""


def add_trends(commands: Any) -> None:
    """Add `epochal trends`."""
    parser = commands.add_parser(
        "trends",
        help="count topics over time",
        description="Count the documents on each topic by year, month or reign.",
        epilog=_HELP,
    )
    add_index_argument(parser)
    parser.add_argument("topics", metavar="TOPIC", nargs="+", help="a topic, in plain words")
    parser.add_argument(
        "--by",
        metavar="UNIT",
        default="year",
        help="month, year, or a regnal calendar such as lu or british; year unless given",
    )
    parser.add_argument("--during", dest="within", metavar="SPAN", help="count within this time only")
    add_search_options(parser, ["where", "now", "as_of", "valid_at"])
    parser.add_argument("--csv", action="store_true", help="print CSV, a row for each topic and period")
    add_json_option(parser)
    parser.set_defaults(run=_run_trends)


def _run_trends(arguments: argparse.Namespace) -> int:
    from epochal.search.request import parse_time
    from epochal.times.span import SystemClock

    options = parse_search_options(arguments, SystemClock().now())
    with open_index(arguments.index) as index:
        found = index.trends(
            arguments.topics,
            by=arguments.by,
            during=parse_time(arguments.within, "--during", options.now),
            where=options.where,
            now=options.now,
            as_of=options.as_of,
            valid_at=options.valid_at,
        )
    if arguments.json:
        print_json([trend.to_dict() for trend in found])
    elif arguments.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(["topic", "period", "name", "count"])
        writer.writerows(row.values() for trend in found for row in trend.to_dicts())
    else:
        for line in _draw_table(found):
            print(line)
    return 0


def _draw_table(trends: Sequence[Trend]) -> Iterator[str]:
    """A line for each period that has documents, a column for each topic, and what there is to know of the counts."""
    rows = [["", *(trend.topic for trend in trends)], *_list_periods(trends), *_sum_up(trends)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for first, *others in rows:
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()
    for trend in trends:
        if trend.counted == "words":
            yield f"{trend.topic}: too many documents to score; counted are those that have all of its words"
        elif trend.is_lower_bound:
            yield f"{trend.topic}: likely more; counted are the documents that were scored"


def _list_periods(trends: Sequence[Trend]) -> Iterator[list[str]]:
    periods, names = trends[0].periods, trends[0].names
    for place, period in enumerate(periods):
        counts = [trend.counts[place] for trend in trends]
        if any(counts):
            words = period.describe()
            yield [f"{names[place]} ({words})" if names else words, *(f"{count:,}" for count in counts)]


def _sum_up(trends: Sequence[Trend]) -> Iterator[list[str]]:
    if any(trend.undated for trend in trends):
        yield ["without a time", *(f"{trend.undated:,}" for trend in trends)]
    yield ["at any time", *(f"{trend.total:,}" for trend in trends)]
