"""Commands that read time: when (one expression), calendars, and understand (a question)."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from epochal.cli.common import add_fiscal_option, add_json_option, print_json

if TYPE_CHECKING:
    from epochal.reading.questions.question import Understanding
    from epochal.times.calendars.base import Calendar
    from epochal.times.span import Span
    from epochal.times.when import Interpretation


def add_calendars(commands: Any) -> None:
    """Add `epochal calendars`."""
    parser = commands.add_parser(
        "calendars",
        help="list the calendars, or check a table of your own",
        description="List every calendar with its range and an example, or check a regnal table of your own.",
    )
    parser.add_argument("--check", metavar="FILE", help="check a regnal table (TOML) and list its calendar only")
    parser.add_argument("--places", action="store_true", help="list the civil calendars of places too")
    add_json_option(parser)
    parser.set_defaults(run=_run_calendars)


def _run_calendars(arguments: argparse.Namespace) -> int:
    from epochal.times.calendars.registry import calendars
    from epochal.times.calendars.regnal import RegnalCalendar

    if arguments.check:
        selected: list[Calendar] = [RegnalCalendar.load(arguments.check)]
    else:
        selected = [item for name, item in calendars().items() if arguments.places or not name.startswith("civil/")]
    records = [_make_calendar_record(item) for item in selected]
    if arguments.json:
        print_json(records)
        return 0
    width = max(len(record["name"]) for record in records)
    for record in records:
        print(f"{record['name']:{width}}  {record['title']}")
        print(f"{'':{width}}  {record['range']}; as in {record['example']!r}")
    if not arguments.places and not arguments.check:
        count = sum(name.startswith("civil/") for name in calendars())
        print(f"and {count} civil calendars of places, Julian and then Gregorian: epochal calendars --places")
    return 0


def _make_calendar_record(item: Calendar) -> dict[str, str]:
    from epochal.times.axis import DAY
    from epochal.times.words import format_year

    coverage = item.coverage
    years = [format_year(year) for year in (coverage.first_year, coverage.last_year) if year is not None]
    # An example as near to 1970 as the calendar reaches: the last day before that, or its first.
    day = max(coverage.start // DAY, min(0, (coverage.end - 1) // DAY))
    dates = item.dates(day)
    return {
        "name": item.name,
        "title": item.title,
        "range": " to ".join(years),
        "example": item.format(dates[0]) if dates else "",
    }


_UNDERSTAND_HELP = """examples:
  epochal understand "How have transaction fees changed since 2017?"
  epochal understand "who won last year" --now 2013-05-01 --json
  epochal understand --jsonl questions.jsonl --now 2013-05-01 > understood.jsonl

A row has its question under "text", "query" or "question", and may have its own "now". The clock is not read for rows:
without --now and "now" they have no reference time, so that the same file always gives the same output.
"""
_TEXT_KEYS = ("text", "query", "question")


def add_understand(commands: Any) -> None:
    """Add `epochal understand`."""
    parser = commands.add_parser(
        "understand",
        help="analyse what a question asks about time",
        description="Analyse what a question asks about time: intent, class, recency need, constraints, periods, plan.",
        epilog=_UNDERSTAND_HELP,
    )
    parser.add_argument("text", metavar="TEXT", nargs="?", help="the question")
    parser.add_argument(
        "--jsonl", metavar="IN", help="questions as JSON lines (- for stdin); prints one JSON object per line"
    )
    parser.add_argument("--now", metavar="DATE", help="the reference time; for TEXT the clock unless given")
    add_fiscal_option(parser)
    add_json_option(parser)
    parser.set_defaults(run=_run_understand)


def _run_understand(arguments: argparse.Namespace) -> int:
    from epochal.errors import EpochalError
    from epochal.reading.fiscal import use_fiscal_calendar
    from epochal.reading.questions.understand import understand
    from epochal.times.span import Span, SystemClock

    if (arguments.text is None) == (arguments.jsonl is None):
        raise EpochalError("understand needs either TEXT or --jsonl IN; see epochal understand --help")
    now = None if arguments.now is None else Span.parse(arguments.now)
    with use_fiscal_calendar(arguments.fiscal_year_start):
        if arguments.jsonl is not None:
            for text, present in _read_questions(arguments.jsonl, now):
                print(json.dumps(understand(text, present).to_dict(), ensure_ascii=False))
            return 0
        understanding = understand(arguments.text, SystemClock().now() if now is None else now)
    if arguments.json:
        print_json(understanding.to_dict())
    else:
        _print_understanding(understanding)
    return 0


def _read_questions(path: str, now: Span | None) -> Iterator[tuple[str, Span | None]]:
    from epochal.errors import EpochalError

    if path == "-":
        yield from _read_rows("standard input", sys.stdin, now)
        return
    try:
        with open(path, encoding="utf-8") as lines:
            yield from _read_rows(path, lines, now)
    except (OSError, UnicodeDecodeError) as error:
        raise EpochalError(f"{path} cannot be read as JSON lines: {error}") from error


def _read_rows(name: str, lines: TextIO, now: Span | None) -> Iterator[tuple[str, Span | None]]:
    from epochal.errors import EpochalError
    from epochal.times.span import Span

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


def _print_understanding(understanding: Understanding) -> None:
    half_life = (
        "never stale" if understanding.half_life is None else f"half-life {_format_days(understanding.half_life)}"
    )
    rows = [
        ("intent", f"{understanding.intent}, focus {understanding.temporal_focus}"),
        ("class", understanding.temporal_class),
        ("recency", f"{understanding.recency} ({half_life})"),
        ("reasoning", understanding.reasoning_class or "none"),
        ("topic", understanding.topic),
    ]
    rows += [
        ("constraint", f"{item.relation} {item.span.edtf()} ({item.span.describe()}), {item.axis}")
        for item in understanding.constraints
    ]
    rows += [("period", f"{item.edtf()} ({item.describe()})") for item in understanding.periods]
    if understanding.order is not None:
        order = understanding.order
        position = f"{order.kind}, {order.n}{' from the end' if order.from_end else ''}"
        rows.append(("order", position if order.anchor is None else f"{position}, from {order.anchor.edtf()}"))
    if understanding.as_of is not None:
        rows.append(("as of", f"{understanding.as_of.edtf()} ({understanding.as_of.describe()})"))
    if understanding.answer_kind != "other":
        rows.append(("answer", understanding.answer_kind.replace("_", " ")))
    rows += [("not used", words) for words in understanding.not_understood]
    rows.append(("across", "yes, the periods are set against each other" if understanding.cross_period else "no"))
    rows += [(f"step {step.number}", step.action) for step in understanding.plan]
    width = max(len(label) for label, _ in rows)
    for label, value in rows:
        print(f"{label:{width}}  {value}")


def _format_days(count: float) -> str:
    if count < 1:
        return f"{round(count * 24)} h"
    return f"{count:g} days" if count != 1 else "1 day"


_WHEN_HELP = """examples:
  epochal when "魯隱公元年十二月"
  epochal when "5 Thermidor II" --to gregorian --to julian
  epochal when 1752-09-02 --calendar civil/great-britain
  epochal when "last quarter" --now 2026-11-15 --json
"""


def add_when(commands: Any) -> None:
    """Add `epochal when`."""
    parser = commands.add_parser(
        "when",
        help="convert one time expression, in any calendar",
        description="Read one time expression in any calendar, and show its span in this and other calendars.",
        epilog=_WHEN_HELP,
    )
    parser.add_argument(
        "expression", metavar="EXPR", type=str.strip, help="EDTF, ISO 8601, words, or a date of any calendar"
    )
    parser.add_argument(
        "--calendar", metavar="NAME", help="read EXPR in this calendar only; plain numbers are then accepted"
    )
    parser.add_argument("--to", metavar="NAME", action="append", help="show this calendar only (repeatable)")
    parser.add_argument(
        "--table", metavar="FILE", action="append", default=[], help="a regnal table of your own (TOML)"
    )
    parser.add_argument(
        "--now", metavar="DATE", help="the reference time of expressions such as 'last year'; the clock unless given"
    )
    parser.add_argument(
        "--tz", metavar="ZONE", default="UTC", help="the time zone of times without one; UTC unless given"
    )
    add_json_option(parser)
    parser.set_defaults(run=_run_when)


def _run_when(arguments: argparse.Namespace) -> int:
    from epochal.reading.resolve import resolve
    from epochal.times.calendars.regnal import RegnalCalendar
    from epochal.times.span import Span, SystemClock
    from epochal.times.when import interpretation_to_dict

    zone = _parse_zone(arguments.tz)
    now = SystemClock().now() if arguments.now is None else Span.parse(arguments.now, tz=zone)
    extra: list[Calendar] = [RegnalCalendar.load(file) for file in arguments.table]
    readings = resolve(arguments.expression, calendar=arguments.calendar, now=now, extra=extra, tz=zone)
    if arguments.json:
        record = {
            "text": arguments.expression,
            "now": now.edtf(),
            "readings": [interpretation_to_dict(reading, now, arguments.to, extra) for reading in readings],
        }
        print_json(record)
        return 0
    for position, reading in enumerate(readings):
        if position:
            print()
        _print_time(reading, now, arguments.to, extra)
    return 0


def _parse_zone(name: str) -> Any:
    import datetime as dt
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    from epochal.errors import EpochalError

    if name.upper() == "UTC":
        return dt.timezone.utc
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise EpochalError(f"--tz {name!r} is not a time zone; accepted: names such as Europe/Paris, or UTC") from error


def _print_time(reading: Interpretation, now: Span, names: list[str] | None, extra: list[Calendar]) -> None:
    from epochal.times.when import find_ordinal, format_day_bounds, render_span
    from epochal.times.words import describe_distance

    span = reading.span
    first, last = format_day_bounds(span)
    days = f"{first or '..'} to {last or '..'}" if first != last else f"{first}"
    if first and last and first != last:
        days += f" ({span.days:,} days)"
    grains = span.grain.label if span.grain == span.end_grain else f"{span.grain.label} to {span.end_grain.label}"
    certainty = span.certainty.label
    if span.end_certainty != span.certainty:
        certainty += f" to {span.end_certainty.label}"
    rows = [("EDTF", span.edtf()), ("days", days), ("grain", f"{grains}, {certainty}")]
    if ordinal := find_ordinal(reading, extra):
        rows.append(("key", f"{ordinal['key']} (place {ordinal['place']} on the ordinal axis)"))
    rows.append(("distance", describe_distance(span, now)))
    rows += [
        (item.calendar, str(item)) for item in render_span(span, names, extra) if item.calendar != reading.calendar
    ]
    width = max(len(label) for label, _ in rows)
    print(reading.text if reading.calendar == "gregorian" else f"{reading.text}  [{reading.calendar}]")
    for label, value in rows:
        print(f"  {label:{width}}  {value}")
