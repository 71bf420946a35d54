"""What does a full temporal search cost, beside the same hybrid search without time on the same index?

    python studies/search_cost.py [--quick] [--cache FILE]

Makes the table of search cost in docs/results/speed.md. Reads current_events and timeqa from EPOCHAL_DATA. Vectors of
documents are cached; those of questions are computed in every search, as they are for a user. --quick takes a few news
items that come with the package, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _data import find_data
from _material import Question, make_questions, sample_news
from _record import VECTOR_CACHE, Row, get_quantiles, save

from epochal.api import Index
from epochal.encoders import CachedEncoder, Encoder, encoder
from epochal.storage.importers import read, read_queries
from epochal.storage.records import Document

SEED = 7
TARGET = 1.3
NEWS, QUESTIONS, ROUNDS = 20_000, 200, 3


class TimedEncoder:
    """An encoder that adds up the milliseconds that questions have taken since `reset`."""

    def __init__(self, within: Encoder) -> None:
        self.within, self.name, self.dim = within, within.name, within.dim
        self.ms = 0.0

    def reset(self) -> None:
        self.ms = 0.0

    def encode_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return self.within.encode_documents(texts)

    def encode_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        start = time.perf_counter()
        vectors = self.within.encode_queries(texts)
        self.ms += 1000 * (time.perf_counter() - start)
        return vectors


def time_search(index: Index, model: TimedEncoder, question: Question, *, timed: bool) -> Row:
    """Milliseconds by step of one search: those that the response reports, the encoder's, and the rest."""
    model.reset()
    start = time.perf_counter()
    response = index.search(question.text, time=timed, stopwatch=time.perf_counter)
    total = 1000 * (time.perf_counter() - start)
    steps = dict(response.timings)
    steps["gather"] -= model.ms
    return {"encode": model.ms, **steps, "explain": total - model.ms - sum(steps.values()), "total": total}


def measure(what: str, index: Index, model: TimedEncoder, questions: Sequence[Question], rounds: int) -> list[Row]:
    timings: dict[tuple[bool, bool], list[Row]] = {}
    for question in questions[: max(len(questions) // 4, 1)]:
        for timed in (True, False):
            time_search(index, model, question, timed=timed)  # warm
    for turn in range(rounds):
        for number, question in enumerate(questions):
            # The second search finds the texts of the first in memory, so they take turns.
            for timed in (True, False) if (turn + number) % 2 else (False, True):
                timings.setdefault((question.timed, timed), []).append(time_search(index, model, question, timed=timed))
    rows: list[Row] = []
    for of_time, name in ((True, "with a time"), (False, "without a time")):
        if (of_time, True) in timings:
            rows += compare(f"{what}: questions {name}", timings[of_time, True], timings[of_time, False], rounds)
    return rows


def compare(what: str, temporal: list[Row], plain: list[Row], rounds: int) -> list[Row]:
    (p50, p95), (plain50, plain95) = (
        get_quantiles([timing["total"] for timing in timings]) for timings in (temporal, plain)
    )
    (bare, _), (plain_bare, _) = (
        get_quantiles([timing["total"] - timing["encode"] for timing in timings]) for timings in (temporal, plain)
    )
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
            "temporal p50 ms": round(get_quantiles([timing[step] for timing in temporal])[0], 3),
            "plain p50 ms": round(get_quantiles([timing[step] for timing in plain])[0], 3),
        }
        for step in temporal[0]
        if step != "total"
    ]
    return [head, *steps]


def measure_corpus(
    what: str, documents: Iterable[Document], questions: Sequence[Question], cache: Path, rounds: int
) -> list[Row]:
    """Index with cached vectors; search with an encoder that caches nothing."""
    model = encoder()
    with tempfile.TemporaryDirectory() as folder:
        with Index.create(folder, encoder=CachedEncoder(model, cache)) as index:
            size = index.add(documents)
        timed = TimedEncoder(model)
        with Index.open(folder, encoder=timed) as index:
            return measure(f"{what} ({size:,} documents)", index, timed, questions, rounds)


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument(
        "--cache", type=Path, default=VECTOR_CACHE, help=f"keeps vectors of documents; {VECTOR_CACHE} unless given"
    )
    arguments = parser.parse_args(given)
    if arguments.quick:
        items = sample_news(60, quick=True)
        with tempfile.TemporaryDirectory() as folder:
            rows = measure_corpus("demo news", items, make_questions(items, 10, SEED), Path(folder) / "vectors.db", 1)
        print(json.dumps(rows, indent=2))
        return
    pages = find_data("timeqa/human_train_beir")
    items = sample_news(NEWS, quick=False)
    questions = [Question(query.text, True) for query in read_queries(pages)]
    rows = measure_corpus("current_events", items, make_questions(items, QUESTIONS, SEED), arguments.cache, ROUNDS)
    rows += measure_corpus(
        "timeqa", read(pages, format="beir"), questions[:: len(questions) // QUESTIONS], arguments.cache, ROUNDS
    )
    ratios = [row["ratio p50"] for row in rows if "ratio p50" in row]
    save(
        "search_cost",
        "latency of a temporal search with default settings / of the same search with time=False, on the same index",
        f"{len(items):,} evenly spaced items of current_events with their dates, and questions in their "
        f"words; timeqa/human_train_beir with every {len(questions) // QUESTIONS}th of its questions; "
        f"{ROUNDS} rounds, k 10, encoder {encoder().name}",
        SEED,
        rows,
        target=f"ratio p50 <= {TARGET}",
        reached=max(ratios) <= TARGET,
    )


if __name__ == "__main__":
    main()
