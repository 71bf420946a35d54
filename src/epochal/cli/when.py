"""`epochal when`: one expression to spans, in any calendar, and back into the others."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epochal.times import Calendar, Reading, Span

__all__ = ["add", "reading_record"]

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


def reading_record(reading: Reading, now: Span, names: list[str] | None, extra: list[Calendar]) -> dict[str, Any]:
    """A reading as JSON has it; the keys are documented in docs/cli.md.

    >>> from epochal.times import Span, resolve
    >>> record = reading_record(resolve("Meiji 10")[0], Span.year(2026), ["gregorian"], [])
    >>> record["edtf"], record["calendar"], record["date"]["year"], record["in"]["gregorian"]["first"]
    ('1877', 'nengo', 10, ['1877'])
    """
    from epochal.times import renderings
    from epochal.times.axis import OPEN_END, OPEN_START
    from epochal.times.relative import distance

    span = reading.span
    first, last = _first_and_last_day(span)
    date = reading.date
    return {
        "calendar": reading.calendar,
        "text": reading.text,
        "words": span.describe(),
        "edtf": span.edtf(),
        "start": None if span.start == OPEN_START else span.start,
        "end": None if span.end == OPEN_END else span.end,
        "first_day": first,
        "last_day": last,
        "first_year": span.first_year,
        "last_year": span.last_year,
        "grain": span.grain.label,
        "end_grain": span.end_grain.label,
        "certainty": span.certainty.label,
        "end_certainty": span.end_certainty.label,
        "distance": distance(span, now),
        "date": None
        if date is None
        else {
            "era": date.era,
            "year": date.year,
            "season": date.season or None,
            "month": date.month,
            "leap": date.leap,
            "day": date.day,
            "sexagenary": date.sexagenary or None,
        },
        "ordinal": _ordinal(reading, extra),
        "in": {
            item.calendar: {"first": list(item.first), "last": list(item.last)}
            for item in renderings(span, names, extra)
        },
    }


def _ordinal(reading: Reading, extra: list[Calendar]) -> dict[str, Any] | None:
    """The key and place of a month in a calendar that has an ordinal axis."""
    from epochal.errors import TimeRangeError
    from epochal.times.calendars import calendars
    from epochal.times.calendars.regnal import RegnalCalendar

    item = ({other.name: other for other in extra} | calendars()).get(reading.calendar)
    if not isinstance(item, RegnalCalendar) or not item.table.ordinal or reading.date is None:
        return None
    try:
        return {"key": item.key(reading.date), "place": item.ordinal(reading.date)}
    except TimeRangeError:
        return None  # years and seasons, and the two years that the axis leaves out, have no key


def _first_and_last_day(span: Span) -> tuple[str | None, str | None]:
    from epochal.times import OPEN_END, OPEN_START, Grain, Span

    first = None if span.start == OPEN_START else Span.unit(span.start, Grain.DAY).edtf()
    last = None if span.end == OPEN_END else Span.unit(span.end - 1, Grain.DAY).edtf()
    return first, last


def _show(reading: Reading, now: Span, names: list[str] | None, extra: list[Calendar]) -> None:
    from epochal.times import renderings
    from epochal.times.relative import distance

    span = reading.span
    first, last = _first_and_last_day(span)
    days = f"{first or '..'} to {last or '..'}" if first != last else f"{first}"
    if first and last and first != last:
        days += f" ({span.days:,} days)"
    grains = span.grain.label if span.grain == span.end_grain else f"{span.grain.label} to {span.end_grain.label}"
    certainty = span.certainty.label
    if span.end_certainty != span.certainty:
        certainty += f" to {span.end_certainty.label}"
    rows = [("EDTF", span.edtf()), ("days", days), ("grain", f"{grains}, {certainty}")]
    if ordinal := _ordinal(reading, extra):
        rows.append(("key", f"{ordinal['key']} (place {ordinal['place']} on the ordinal axis)"))
    rows.append(("distance", distance(span, now)))
    rows += [(item.calendar, str(item)) for item in renderings(span, names, extra) if item.calendar != reading.calendar]
    width = max(len(label) for label, _ in rows)
    print(reading.text if reading.calendar == "gregorian" else f"{reading.text}  [{reading.calendar}]")
    for label, value in rows:
        print(f"  {label:{width}}  {value}")
