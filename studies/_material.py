"""Documents and questions that several studies use: news, their questions, and collections without labels.

Current events: Wikipedia's Portal:Current events (CC BY-SA). Terms: Open Terms Archive (ODC-By). Forecasts: US National
Weather Service, public domain. All are read from the data folder (EPOCHAL_DATA); the first news items also come with
the package.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from _data import find_data
from _record import Row

from epochal.cli.demo import open_corpus
from epochal.storage.importers import read
from epochal.storage.records import Document
from epochal.times import Span
from epochal.times.words import MONTHS

NEWS_FILE = "current_events/events.jsonl.gz"
#: How a question asks for the time of the document that its words are taken from.
TIMES = (
    "on {day} {month} {year}",
    "in {month} {year}",
    "in {year}",
    "between {before} and {after}",
)
#: Collections take every 15th news item, 5 versions of a forecast, and the first 60 days of forecasts.
EVERY = 15
VERSIONS = 5
DAYS = 60


def read_rows(name: str) -> Iterator[Row]:
    """The rows of a gzipped JSON Lines file in the data folder."""
    with gzip.open(find_data(name), "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


# ---------------------------------------------------------------- news and questions about them


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    timed: bool


def read_news() -> Iterator[Document]:
    """The items of current_events, each published on the day that it was reported."""
    for number, row in enumerate(read_rows(NEWS_FILE)):
        yield Document(f"news-{number}", row["text"], published=Span.parse(row["date"]))


def sample_news(count: int, quick: bool) -> list[Document]:
    """Evenly spaced items of current_events; with `quick`, the first of those that come with the package."""
    if quick:
        with open_corpus() as path:
            return list(islice(read(path), count))
    items = list(read_news())
    return items[:: max(len(items) // count, 1)][:count]


def make_questions(documents: Sequence[Document], count: int, seed: int) -> list[Question]:
    """Questions in words of the documents: one in five without a time, the others with that of the document."""
    rng = random.Random(seed)
    questions: list[Question] = []
    for number, document in enumerate(rng.choices(documents, k=count)):
        words = [word.strip(".,;:()\"'") for word in document.text.split()]
        long = [position for position, word in enumerate(words) if len(word) > 4]
        topic = " ".join(words[position] for position in sorted(rng.sample(long, min(4, len(long)))))
        kind = number % (len(TIMES) + 1)
        if kind == len(TIMES) or document.published is None:
            questions.append(Question(f"What was reported of {topic}?", False))
            continue
        year, month, day = document.published.edtf().split("-")
        when = TIMES[kind].format(
            day=int(day), month=MONTHS[int(month) - 1], year=year, before=int(year) - 1, after=int(year) + 1
        )
        questions.append(Question(f"What was reported of {topic} {when}?", True))
    return questions


# ---------------------------------------------------------------- collections without labels


def read_terms() -> list[Document]:
    """Every version of every document; those of one document are a series."""
    return [
        Document(
            f"{row['doc']}@{row['version']}",
            row["text"],
            f"{row['service']}: {row['type']}",
            Span.parse(row["date"]),
            series=row["doc"],
        )
        for row in read_rows("terms/versions.jsonl.gz")
    ]


def read_forecasts() -> list[Document]:
    """Forecasts for the daytime of the first days: a series for each city and day, versions evenly spaced."""
    series: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in read_rows("forecasts/nws_2021.jsonl.gz"):
        if row["part"] == "day":
            series[row["city"], row["target_date"]].append(row)
    days = sorted({day for _, day in series})[:DAYS]
    documents = []
    for (city, day), versions in sorted(series.items()):
        if day not in days:
            continue
        versions.sort(key=lambda row: row["fetched_at"])
        name = city.replace("-", " ").title()
        for number, row in enumerate(versions[:: max(1, len(versions) // VERSIONS)][:VERSIONS]):
            documents.append(
                Document(
                    f"{city}/{day}@{number}",
                    row["detailedForecast"],
                    f"Forecast for {name} on {Span.parse(day).describe()}",
                    Span.parse(row["fetched_at"].partition(".")[0].partition("+")[0]),
                    series=f"{city}/{day}",
                )
            )
    return documents


def read_current_events() -> list[Document]:
    """Evenly spaced news items."""
    return [
        Document(f"ce-{number}", row["text"], published=Span.parse(row["date"]), meta={"category": row["category"]})
        for number, row in enumerate(read_rows(NEWS_FILE))
        if number % EVERY == 0
    ]


COLLECTIONS = {"terms": read_terms, "forecasts": read_forecasts, "current_events": read_current_events}
