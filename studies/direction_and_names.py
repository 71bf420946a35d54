"""Do weekdays of forecasts lie on the right day, and how many times of changelogs lie inside identifiers?

    python studies/direction_and_names.py             both; writes the result
    python studies/direction_and_names.py --show 40   and shows mistakes

A forecast is read as its heading and text ("Friday: Rain, mainly before noon"), with the day on which it was fetched as
the date of the text; the first time must be the day that the service gives. An expression lies inside an identifier
where letters or digits that are no part of a date touch it: `CVE-2021-3711`, `issue_2019`, `v2.11.2023`.

Makes the table of direction and names in docs/results/reading.md. Reads forecasts and changelogs from EPOCHAL_DATA.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _data import find_data
from _record import Row, save

from epochal.errors import EpochalError
from epochal.reading import tag
from epochal.times import Span

SAMPLE = 3_000
_WEEKDAY = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?: Night)?")
#: What may touch a date in digits without making it part of a name: the other end of a range, a clock, marks of text.
_PLAIN = re.compile(r"[-–—/.,:;()\[\]{}<>\"'`*_=!?|+~]*(?:\d{1,4}[-–/.:]?)*[a-z]{0,2}[-–—/.,:;()\[\]{}<>\"'`*_=!?|+~]*")


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def measure_forecasts(show: int) -> Row:
    """The share of forecasts whose weekday is read as its day, of an even sample of those headed by a weekday."""
    rows = [row for row in read_lines(find_data("forecasts") / "nws_2021.jsonl.gz") if _WEEKDAY.fullmatch(row["name"])]
    sample = rows[:: max(1, len(rows) // SAMPLE)][:SAMPLE]
    right = 0
    for row in sample:
        text = f"{row['name']}: {row['detailedForecast']}"
        found = tag(text, now=Span.parse(row["fetched_at"][:10]))
        day = found[0].value[:10] if found else ""
        right += day == row["start"][:10]
        if day != row["start"][:10] and show:
            print(f"  {row['fetched_at'][:10]}: {text[:60]!r} is {row['start'][:10]}, found {day}")
            show -= 1
    return {"measure": "weekdays of forecasts on the right day", "of": len(sample), "share": right / len(sample)}


def is_inside_name(text: str, start: int, end: int) -> bool:
    """Whether the characters `[start, end)` are part of a longer token that is no date.

    >>> is_inside_name("see CVE-2021-3711 here", 8, 12), is_inside_name("on 2021-03-04.", 3, 7)
    (True, False)
    """
    first = max(text.rfind(mark, 0, start) for mark in " \n\t") + 1
    last = min((place for mark in " \n\t" if (place := text.find(mark, end)) >= 0), default=len(text))
    before, after = text[first:start], text[end:last]
    return _PLAIN.fullmatch(before) is None or _PLAIN.fullmatch(after) is None


def read_date(text: str | None) -> Span | None:
    """The date of a section; some have none, and one has a month that does not exist."""
    try:
        return Span.parse(text) if text else None
    except EpochalError:
        return None


def measure_changelogs(show: int) -> Row:
    """The share of the times of changelogs that lie inside identifiers."""
    count = inside = 0
    for row in read_lines(find_data("changelogs") / "pypi.jsonl.gz"):
        text = row["text"]
        for item in tag(text, now=read_date(row.get("published"))):
            if item.kind not in ("DATE", "TIME"):
                continue
            count += 1
            if is_inside_name(text, item.start_char, item.end_char):
                inside += 1
                if show:
                    print(f"  {text[max(0, item.start_char - 25) : item.end_char + 25]!r}: {item.value}")
                    show -= 1
    return {"measure": "times of changelogs inside identifiers", "of": count, "share": inside / count}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="show N mistakes of each")
    arguments = parser.parse_args()
    rows = [measure(arguments.show) for measure in (measure_forecasts, measure_changelogs)]
    save(
        "direction_and_names",
        "Do weekdays of forecasts lie on the right day, and how many times of changelogs lie inside identifiers?",
        "forecasts (National Weather Service, 2021), changelogs of 21 Python packages",
        0,
        rows,
    )


if __name__ == "__main__":
    main()
