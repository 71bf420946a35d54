"""What does a full temporal search cost, beside the same hybrid search without time on the same index?

    python studies/search_cost.py [--quick] [--cache FILE]

Reads current_events, timeqa of EPOCHAL_DATA. Vectors of documents are kept in --cache; the vectors of questions are
computed anew in every search, as they are for a user. --quick takes the news that come with the package instead, asks
them little, and writes nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from _data import find_data
from _record import save

from epochal.api import Index
from epochal.cli.demo import open_corpus
from epochal.encoders import CachedEncoder, Encoder, encoder
from epochal.storage.importers import read, read_queries
from epochal.storage.records import Document
from epochal.times import Span

CACHE = Path(tempfile.gettempdir()) / "epochal-benchmarks" / "vectors.db"
SEED = 7
TARGET = 1.3
NEWS, ASKED, ROUNDS = 20_000, 200, 3
MONTHS = "January February March April May June July August September October November December".split()
#: How a question of our own asks for the time of the document that its words are taken from.
TIMES = (
    "on {day} {month} {year}",
    "in {month} {year}",
    "in {year}",
    "between {before} and {after}",
)
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    timed: bool


class Timed:
    """An encoder that knows how many milliseconds the questions since `reset` have taken."""

    def __init__(self, within: Encoder) -> None:
        self.within, self.name, self.dim = within, within.name, within.dim
        self.ms = 0.0

    def reset(self) -> None:
        self.ms = 0.0

    def encode_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return self.within.encode_documents(texts)

    def encode_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        start = time.perf_counter()
        found = self.within.encode_queries(texts)
        self.ms += 1000 * (time.perf_counter() - start)
        return found


# ---------------------------------------------------------------- material


def news_file() -> Path:
    return find_data("current_events/events.jsonl.gz")


def all_news() -> Iterator[Document]:
    """The items of current_events, each with the day it was reported on."""
    with gzip.open(news_file(), "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            yield Document(f"news-{number}", row["text"], published=Span.parse(row["date"]))


def news(count: int, quick: bool) -> list[Document]:
    """Evenly spaced news items of current_events; with `quick`, the first of those that come with the package."""
    if quick:
        with open_corpus() as path:
            return list(islice(read(path), count))
    found = list(all_news())
    return found[:: max(len(found) // count, 1)][:count]


def questions_on(documents: Sequence[Document], count: int, seed: int) -> list[Question]:
    """Questions in words of the documents: one in five without a time, the others with that of the document."""
    rng = random.Random(seed)
    found: list[Question] = []
    for number, document in enumerate(rng.choices(documents, k=count)):
        words = [word.strip(".,;:()\"'") for word in document.text.split()]
        long = [place for place, word in enumerate(words) if len(word) > 4]
        chosen = " ".join(words[place] for place in sorted(rng.sample(long, min(4, len(long)))))
        kind = number % (len(TIMES) + 1)
        if kind == len(TIMES) or document.published is None:
            found.append(Question(f"What was reported of {chosen}?", False))
            continue
        year, month, day = document.published.edtf().split("-")
        when = TIMES[kind].format(
            day=int(day), month=MONTHS[int(month) - 1], year=year, before=int(year) - 1, after=int(year) + 1
        )
        found.append(Question(f"What was reported of {chosen} {when}?", True))
    return found


# ---------------------------------------------------------------- measuring


def quantiles(values: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    return float(np.median(values)), float(np.quantile(values, 0.95))


def ask(index: Index, own: Timed, question: Question, *, timed: bool) -> Row:
    """Milliseconds by step of one search: those that the response tells, the encoder's, and what is left."""
    own.reset()
    start = time.perf_counter()
    response = index.search(question.text, time=timed, stopwatch=time.perf_counter)
    total = 1000 * (time.perf_counter() - start)
    steps = dict(response.timings)
    steps["gather"] -= own.ms
    return {"encode": own.ms, **steps, "explain": total - own.ms - sum(steps.values()), "total": total}


def measure(what: str, index: Index, own: Timed, asked: Sequence[Question], rounds: int) -> list[Row]:
    laps: dict[tuple[bool, bool], list[Row]] = {}
    for question in asked[: max(len(asked) // 4, 1)]:
        for timed in (True, False):
            ask(index, own, question, timed=timed)  # warm
    for turn in range(rounds):
        for number, question in enumerate(asked):
            # Whoever goes second finds the texts of the first in memory, so they take turns.
            for timed in (True, False) if (turn + number) % 2 else (False, True):
                laps.setdefault((question.timed, timed), []).append(ask(index, own, question, timed=timed))
    rows: list[Row] = []
    for of_time, name in ((True, "with a time"), (False, "without a time")):
        if (of_time, True) in laps:
            rows += compare(f"{what}: questions {name}", laps[of_time, True], laps[of_time, False], rounds)
    return rows


def compare(what: str, temporal: list[Row], plain: list[Row], rounds: int) -> list[Row]:
    (p50, p95), (plain50, plain95) = (quantiles([lap["total"] for lap in laps]) for laps in (temporal, plain))
    (bare, _), (plain_bare, _) = (quantiles([lap["total"] - lap["encode"] for lap in x]) for x in (temporal, plain))
    head = {
        "what": what,
        "questions": len(temporal) // rounds,
        "temporal p50 ms": round(p50, 2),
        "temporal p95 ms": round(p95, 2),
        "plain p50 ms": round(plain50, 2),
        "plain p95 ms": round(plain95, 2),
        "ratio p50": round(p50 / plain50, 3),
        "ratio p95": round(p95 / plain95, 3),
        "ratio p50 without encoding": round(bare / plain_bare, 3),
    }
    steps = [
        {
            "what": what,
            "step": step,
            "temporal p50 ms": round(quantiles([lap[step] for lap in temporal])[0], 3),
            "plain p50 ms": round(quantiles([lap[step] for lap in plain])[0], 3),
        }
        for step in temporal[0]
        if step != "total"
    ]
    return [head, *steps]


def on_corpus(
    what: str, documents: Iterable[Document], asked: Sequence[Question], cache: Path, rounds: int
) -> list[Row]:
    """Index with remembered vectors; search with an encoder that remembers nothing."""
    model = encoder()
    with tempfile.TemporaryDirectory() as folder:
        with Index.create(folder, encoder=CachedEncoder(model, cache)) as index:
            size = index.add(documents)
        own = Timed(model)
        with Index.open(folder, encoder=own) as index:
            return measure(f"{what} ({size:,} documents)", index, own, asked, rounds)


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"keeps vectors of documents; {CACHE} unless given")
    arguments = parser.parse_args(given)
    if arguments.quick:
        items = news(60, quick=True)
        with tempfile.TemporaryDirectory() as folder:
            rows = on_corpus("demo news", items, questions_on(items, 10, SEED), Path(folder) / "vectors.db", 1)
        print(json.dumps(rows, indent=2))
        return
    pages = find_data("timeqa/human_train_beir")
    items = news(NEWS, quick=False)
    asked = [Question(query.text, True) for query in read_queries(pages)]
    rows = on_corpus("current_events", items, questions_on(items, ASKED, SEED), arguments.cache, ROUNDS)
    rows += on_corpus("timeqa", read(pages, format="beir"), asked[:: len(asked) // ASKED], arguments.cache, ROUNDS)
    ratios = [row["ratio p50"] for row in rows if "ratio p50" in row]
    save(
        "search_cost",
        "latency of a temporal search with default settings / of the same search with time=False, on the same index",
        f"{len(items):,} evenly spaced items of current_events with their dates, and questions in their "
        f"words; timeqa/human_train_beir with every {len(asked) // ASKED}th of its questions; "
        f"{ROUNDS} rounds, k 10, encoder {encoder().name}",
        SEED,
        rows,
        target=f"ratio p50 <= {TARGET}",
        reached=max(ratios) <= TARGET,
    )


if __name__ == "__main__":
    main()
