"""The three collections that `epochal bench make` and `epochal audit` are shown on, as documents.

Terms: Open Terms Archive (ODC-By). Forecasts: US National Weather Service, public domain. Current events: Wikipedia's
Portal:Current events (CC BY-SA). All are read from EPOCHAL_DATA, and nothing of them is kept.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from _data import find_data

from epochal.storage.records import Document
from epochal.times import Span

#: Of the news, every how manieth item; of a forecast, how many of its versions; and the first days that are forecast.
EVERY = 15
VERSIONS = 5
DAYS = 60


def rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(find_data(name), "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def terms() -> list[Document]:
    """Every version of every document; those of one document are a series."""
    return [
        Document(
            f"{row['doc']}@{row['version']}",
            row["text"],
            f"{row['service']}: {row['type']}",
            Span.parse(row["date"]),
            series=row["doc"],
        )
        for row in rows("terms/versions.jsonl.gz")
    ]


def forecasts() -> list[Document]:
    """What was forecast for the daytime of the first days, a series for each city and day, versions evenly chosen."""
    chains: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows("forecasts/nws_2021.jsonl.gz"):
        if row["part"] == "day":
            chains[row["city"], row["target_date"]].append(row)
    days = sorted({day for _, day in chains})[:DAYS]
    made = []
    for (city, day), versions in sorted(chains.items()):
        if day not in days:
            continue
        versions.sort(key=lambda row: row["fetched_at"])
        kept = versions[:: max(1, len(versions) // VERSIONS)][:VERSIONS]
        name = city.replace("-", " ").title()
        for number, row in enumerate(kept):
            made.append(
                Document(
                    f"{city}/{day}@{number}",
                    row["detailedForecast"],
                    f"Forecast for {name} on {Span.parse(day).describe()}",
                    Span.parse(row["fetched_at"].partition(".")[0].partition("+")[0]),
                    series=f"{city}/{day}",
                )
            )
    return made


def current_events() -> list[Document]:
    """Every fifteenth item of the news."""
    return [
        Document(f"ce-{number}", row["text"], published=Span.parse(row["date"]), meta={"category": row["category"]})
        for number, row in enumerate(rows("current_events/events.jsonl.gz"))
        if number % EVERY == 0
    ]


COLLECTIONS = {"terms": terms, "forecasts": forecasts, "current_events": current_events}
