"""How good are extractive timelines made with the reader, by the dates they choose and what they say of each?

    python studies/timelines.py

Reads timelines/t17_corpus.jsonl.gz and timelines/timelines.jsonl.gz from the data folder (EPOCHAL_DATA): Timeline17,
dated news of eight topics, with reference timelines of several newsrooms. Each timeline is made for a reference: as
many dates as the reference has, between its first and its last, and for each date as many sentences as the reference
has on average. Dates are chosen by how often they count:

    published   articles of the day
    mentioned   sentences that state the day, by the reader, with the date of the article as the reference time
    both        the sum of the two, each as a share

The sentence of a date is the first of an article of that day, or of those that state the day the one that shares most
words with the others. No word, weight or constant was chosen on these references.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from _data import find_data
from _record import Row, save

from epochal.reading.tagger import tag
from epochal.times import Grain, Span
from epochal_lab.metrics.timelines import (
    Timeline,
    average_overlaps,
    compare_dates,
    measure_agree_rouge,
    measure_concat_rouge,
)

_WORD = re.compile(r"[^\W\d_]{3,}")
MOST_SENTENCES = 40
WAYS = ("published", "mentioned", "both")


class Statement(NamedTuple):
    """A sentence about a day: the first of an article, or one that states the day."""

    day: str
    sentence: str
    stated: bool


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def read_statements(article: dict[str, Any]) -> Iterator[Statement]:
    """The days of an article: that of its publication, with its first sentence, and those that its sentences state."""
    published = Span.parse(article["date"])
    sentences = [line.strip() for line in article["text"].split("\n") if len(line.split()) > 5][:MOST_SENTENCES]
    if sentences:
        yield Statement(article["date"], sentences[0], False)
    for sentence in sentences:
        days = {
            item.span.edtf()
            for item in tag(sentence, published)
            if item.span is not None and not item.span.is_open and item.span.grain == Grain.DAY
        }
        for day in sorted(days):
            if re.fullmatch(r"\d{4}-\d\d-\d\d", day):
                yield Statement(day, sentence, True)


def make_timeline(statements: list[Statement], reference: Timeline, way: str) -> dict[str, list[str]]:
    """As many dates as the reference has, between its first and its last, each with its most central sentences."""
    first, last = min(reference), max(reference)
    inside = [item for item in statements if first <= item.day <= last]
    published = Counter(item.day for item in inside if not item.stated)
    mentioned = Counter(item.day for item in inside if item.stated)
    weights: Counter[str] = Counter()
    for name, counts in (("published", published), ("mentioned", mentioned)):
        if way in (name, "both"):
            total = max(1, sum(counts.values()))
            weights.update({day: count / total for day, count in counts.items()})  # type: ignore[arg-type]
    chosen = sorted(weights, key=lambda day: (-weights[day], day))[: len(reference)]
    per_date = max(1, round(sum(map(len, reference.values())) / len(reference)))
    sentences: dict[str, list[str]] = defaultdict(list)
    for item in inside:
        if item.day in weights and (item.stated or way == "published"):
            sentences[item.day].append(item.sentence)
    for item in inside:
        if not sentences[item.day]:
            sentences[item.day].append(item.sentence)
    return {day: choose_central(sentences[day], per_date) for day in chosen}


def choose_central(sentences: list[str], count: int) -> list[str]:
    """The sentences that share most words with the others, on average over their own words."""
    frequency = Counter(word for text in sentences for word in set(_WORD.findall(text.lower())))

    def rate(text: str) -> float:
        words = set(_WORD.findall(text.lower()))
        return sum(frequency[word] for word in words) / (len(words) + 5)

    return sorted(dict.fromkeys(sentences), key=lambda text: -rate(text))[:count]


def read_references() -> dict[tuple[str, str], dict[str, list[str]]]:
    """The reference timelines of Timeline17 by topic and newsroom."""
    references: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(dict)
    for row in read_rows(find_data("timelines/timelines.jsonl.gz")):
        if row["set"] == "t17":
            references[row["topic"], row["timeline"]][row["date"]] = row["sentences"]
    return references


def main() -> None:
    statements: dict[str, list[Statement]] = defaultdict(list)
    for article in read_rows(find_data("timelines/t17_corpus.jsonl.gz")):
        statements[article["topic"]] += read_statements(article)
    references = {key: value for key, value in read_references().items() if key[0] in statements}
    rows: list[Row] = []
    for way in WAYS:
        made = {key: make_timeline(statements[key[0]], value, way) for key, value in references.items()}
        scores = {
            "date F1": [compare_dates(made[key], value) for key, value in references.items()],
            "concat ROUGE-1": [measure_concat_rouge(made[key], value, 1) for key, value in references.items()],
            "concat ROUGE-2": [measure_concat_rouge(made[key], value, 2) for key, value in references.items()],
            "agree ROUGE-1": [measure_agree_rouge(made[key], value, 1) for key, value in references.items()],
            "agree ROUGE-2": [measure_agree_rouge(made[key], value, 2) for key, value in references.items()],
        }
        row: Row = {"dates by": way, "timelines": len(references)}
        rows.append(row | {name: round(average_overlaps(values).f1, 4) for name, values in scores.items()})
    save(
        "timelines",
        "How good are extractive timelines made with the reader?",
        "Timeline17: dated news of eight topics, reference timelines of newsrooms",
        0,
        rows,
    )


if __name__ == "__main__":
    main()
