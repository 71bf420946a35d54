"""`epochal calendars`: which calendars there are, and whether a table of your own is sound."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epochal.times import Calendar

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["calendars", "--json"]).json
    True
    """
    parser = commands.add_parser(
        "calendars",
        help="list the calendars, or check a table of your own",
        description="List every calendar with its range and an example, or check a regnal table of your own.",
    )
    parser.add_argument("--check", metavar="FILE", help="check a regnal table (TOML) and list its calendar only")
    parser.add_argument("--places", action="store_true", help="list the civil calendars of places too")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.times.calendars import calendars
    from epochal.times.calendars.regnal import RegnalCalendar

    if arguments.check:
        shown: list[Calendar] = [RegnalCalendar.load(arguments.check)]
    else:
        shown = [item for name, item in calendars().items() if arguments.places or not name.startswith("civil/")]
    records = [_record(item) for item in shown]
    if arguments.json:
        print(json.dumps(records, ensure_ascii=False, indent=2))
        return 0
    width = max(len(record["name"]) for record in records)
    for record in records:
        print(f"{record['name']:{width}}  {record['title']}")
        print(f"{'':{width}}  {record['range']}; as in {record['example']!r}")
    if not arguments.places and not arguments.check:
        places = sum(name.startswith("civil/") for name in calendars())
        print(f"and {places} civil calendars of places, Julian and then Gregorian: epochal calendars --places")
    return 0


def _record(item: Calendar) -> dict[str, str]:
    from epochal.times.axis import DAY
    from epochal.times.words import year_words

    coverage = item.coverage
    years = [year_words(year) for year in (coverage.first_year, coverage.last_year) if year is not None]
    # An example as near to 1970 as the calendar reaches: the last day before that, or its first.
    day = max(coverage.start // DAY, min(0, (coverage.end - 1) // DAY))
    dates = item.dates(day)
    return {
        "name": item.name,
        "title": item.title,
        "range": " to ".join(years),
        "example": item.format(dates[0]) if dates else "",
    }
