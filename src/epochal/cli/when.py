"""`epochal when`: one expression to spans, in any calendar, and back into the others."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epochal.times import Calendar, Reading, Span

__all__ = ["add"]

_HELP = """examples:
  epochal when "魯隱公元年十二月"
  epochal when "5 Thermidor II" --to gregorian --to julian
  epochal when 1752-09-02 --calendar civil/great-britain
  epochal when "last quarter" --now 2026-11-15 --json
"""


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["when", "44 BCE"]).expression
    '44 BCE'
    """
    parser = commands.add_parser(
        "when",
        help="one expression to a span, in any calendar, and back",
        description="Read one time expression in any calendar and show its span, and the span in other calendars.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "expression", metavar="EXPR", type=str.strip, help="EDTF, ISO 8601, words, or a date of any calendar"
    )
    parser.add_argument("--calendar", metavar="NAME", help="read EXPR in this calendar only; plain numbers then count")
    parser.add_argument("--to", metavar="NAME", action="append", help="show this calendar only (may be repeated)")
    parser.add_argument(
        "--table", metavar="FILE", action="append", default=[], help="a regnal table of your own (TOML)"
    )
    parser.add_argument("--now", metavar="DATE", help="the present, for expressions such as 'last year'")
    parser.add_argument("--tz", metavar="ZONE", default="UTC", help="the zone of times of day that state none")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.times import Span, SystemClock, resolve
    from epochal.times.calendars.regnal import RegnalCalendar
    from epochal.times.readings import reading_record

    zone = _zone(arguments.tz)
    now = SystemClock().now() if arguments.now is None else Span.parse(arguments.now, tz=zone)
    extra: list[Calendar] = [RegnalCalendar.load(file) for file in arguments.table]
    readings = resolve(arguments.expression, calendar=arguments.calendar, now=now, extra=extra, tz=zone)
    if arguments.json:
        record = {
            "text": arguments.expression,
            "now": now.edtf(),
            "readings": [reading_record(reading, now, arguments.to, extra) for reading in readings],
        }
        print(json.dumps(record, ensure_ascii=False, indent=2))
        return 0
    for place, reading in enumerate(readings):
        if place:
            print()
        _show(reading, now, arguments.to, extra)
    return 0


def _zone(name: str) -> Any:
    import datetime as dt
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    from epochal.errors import EpochalError

    if name.upper() == "UTC":
        return dt.timezone.utc
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise EpochalError(f"--tz {name!r} is not a time zone; accepted: names such as Europe/Paris, or UTC") from error


def _show(reading: Reading, now: Span, names: list[str] | None, extra: list[Calendar]) -> None:
    from epochal.times import renderings
    from epochal.times.readings import first_and_last_day, ordinal_of
    from epochal.times.relative import distance

    span = reading.span
    first, last = first_and_last_day(span)
    days = f"{first or '..'} to {last or '..'}" if first != last else f"{first}"
    if first and last and first != last:
        days += f" ({span.days:,} days)"
    grains = span.grain.label if span.grain == span.end_grain else f"{span.grain.label} to {span.end_grain.label}"
    certainty = span.certainty.label
    if span.end_certainty != span.certainty:
        certainty += f" to {span.end_certainty.label}"
    rows = [("EDTF", span.edtf()), ("days", days), ("grain", f"{grains}, {certainty}")]
    if ordinal := ordinal_of(reading, extra):
        rows.append(("key", f"{ordinal['key']} (place {ordinal['place']} on the ordinal axis)"))
    rows.append(("distance", distance(span, now)))
    rows += [(item.calendar, str(item)) for item in renderings(span, names, extra) if item.calendar != reading.calendar]
    width = max(len(label) for label, _ in rows)
    print(reading.text if reading.calendar == "gregorian" else f"{reading.text}  [{reading.calendar}]")
    for label, value in rows:
        print(f"  {label:{width}}  {value}")
