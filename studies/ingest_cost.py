"""What does it cost to index documents with their times read, beside indexing them without?

    python studies/ingest_cost.py [--quick]

Makes the table of ingest cost in docs/results/speed.md. Reads current_events from EPOCHAL_DATA; --quick takes the news
that come with the package instead, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Sequence

from _material import sample_news
from _record import Row, save
from search_cost import SEED

from epochal.api import Index
from epochal.encoders import Encoder, encoder
from epochal.ingest import Reader, StatedTimes, read_times
from epochal.storage.records import Document

COUNT = 2_000
TARGET = 1.25
#: Rounds by encoder: a long run varies less.
ROUNDS = {"minilm": 3, "static": 7}


def read_nothing(document: Document) -> StatedTimes:
    return [], []


def time_add(documents: Sequence[Document], model: Encoder, read: Reader) -> float:
    """Seconds of one `Index.add` into a new index; making the index is not counted."""
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=model) as index:
        start = time.perf_counter()
        index.add(documents, read=read)
        return time.perf_counter() - start


def measure(name: str, documents: Sequence[Document], rounds: int) -> Row:
    """Both ways in turns, each as often first as second, after a warm round on a few documents."""
    model = encoder(name)
    ways: tuple[tuple[str, Reader], ...] = (("with", read_times), ("without", read_nothing))
    times: dict[str, list[float]] = {way: [] for way, _ in ways}
    for _, read in ways:
        time_add(documents[:8], model, read)
    for turn in range(rounds):
        for way, read in ways[:: 1 if turn % 2 else -1]:
            times[way].append(time_add(documents, model, read))
    start = time.perf_counter()
    for document in documents:
        read_times(document)
    reading = time.perf_counter() - start
    with_times, without = (statistics.median(times[way]) for way, _ in ways)
    return {
        "encoder": model.name,
        "documents": len(documents),
        "rounds": rounds,
        "with times s": round(with_times, 3),
        "without times s": round(without, 3),
        "reading alone s": round(reading, 3),
        "with times documents/s": round(len(documents) / with_times),
        "without times documents/s": round(len(documents) / without),
        "ratio": round(with_times / without, 3),
    }


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    quick = parser.parse_args(given).quick
    documents = sample_news(40 if quick else COUNT, quick)
    rows = [measure(name, documents, 1 if quick else rounds) for name, rounds in ROUNDS.items()]
    if quick:
        print(json.dumps(rows, indent=2))
        return
    save(
        "ingest_cost",
        "seconds to index documents with their times read / without reading any, in turns, medians; the default "
        "encoder first, then the static one, beside which reading weighs more",
        f"{len(documents):,} evenly spaced items of current_events",
        SEED,
        rows,
        target=f"ratio <= {TARGET} with the default encoder",
        reached=rows[0]["ratio"] <= TARGET,
    )


if __name__ == "__main__":
    main()
