"""How many documents a second do one and two Ray workers index, beside a single process, and what limits them?

    python studies/ray_ingest.py [--quick] [--workers 1 2] [--ray ADDRESS]

Makes the table of Ray in docs/results/backends.md. Reads current_events from EPOCHAL_DATA. Ray is started once, on this
machine unless an address is given, and its workers have loaded everything before anything is timed; starting them is
reported separately. --quick takes some of the news that come with the package, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from _data import find_data
from _material import NEWS_FILE, sample_news
from _record import Row, save
from search_cost import SEED

from epochal.api import Index
from epochal.backends.ray import RayWorkers, connected, load
from epochal.backends.ray.loading import Work, describe_encoder, read_packages
from epochal.backends.ray.sources import list_parts
from epochal.storage.importers import read
from epochal.storage.importers.export import export

#: By encoder the number of documents and of rounds: with the small encoder most of the time goes into storing.
SIZES = {"minilm": (2_000, 1), "static": (20_000, 3)}
#: Enough parts to keep every worker busy to the end.
PARTS = 40


def time_alone(source: Path, encoder: str) -> float:
    with tempfile.TemporaryDirectory() as folder, Index.create(f"{folder}/index", encoder=encoder) as index:
        start = time.perf_counter()
        index.add(read(source))
        return time.perf_counter() - start


def time_on_ray(source: Path, encoder: str, workers: RayWorkers) -> float:
    with tempfile.TemporaryDirectory() as folder, Index.create(f"{folder}/index", encoder=encoder) as index:
        start = time.perf_counter()
        load(index, source, workers, part_bytes=max(source.stat().st_size // PARTS, 1))
        return time.perf_counter() - start


def time_stages(source: Path, encoder: str) -> tuple[float, float]:
    """Seconds of preparing, which workers do, and of storing, which only one process can do."""
    with tempfile.TemporaryDirectory() as folder, Index.create(f"{folder}/index", encoder=encoder) as index:
        work = Work(recipe=describe_encoder(index))
        start = time.perf_counter()
        items = [item for part in list_parts(source) for package in read_packages(part, work) for item in package.items]
        middle = time.perf_counter()
        index.add_entries(item.entry for item in items if item.entry is not None)
        return middle - start, time.perf_counter() - middle


def measure(source: Path, count: int, encoder: str, rounds: int, counts: Sequence[int]) -> list[Row]:
    for workers in counts:
        time_on_ray(source, encoder, RayWorkers(workers))
    alone = statistics.median(time_alone(source, encoder) for _ in range(rounds))
    prepared, stored = time_stages(source, encoder)
    rows: list[Row] = [
        {
            "encoder": encoder,
            "documents": count,
            "workers": "none",
            "documents/s": round(count / alone, 1),
            "preparing alone documents/s": round(count / prepared, 1),
            "storing alone documents/s": round(count / stored, 1),
        }
    ]
    first = 0.0
    for workers in counts:
        took = statistics.median(time_on_ray(source, encoder, RayWorkers(workers)) for _ in range(rounds))
        first = first or took * workers
        bound = max(prepared / workers, stored)
        rows.append(
            {
                "encoder": encoder,
                "documents": count,
                "workers": workers,
                "documents/s": round(count / took, 1),
                "speed-up over none": round(alone / took, 2),
                "efficiency": round(first / (took * workers), 2),
                "bound documents/s": round(count / bound, 1),
                "bound by": "storing" if stored >= prepared / workers else "preparing",
            }
        )
    return rows


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], metavar="N", help="1 and 2 unless given")
    parser.add_argument("--ray", default="local", metavar="ADDRESS", help="a cluster that is running")
    arguments = parser.parse_args(given)
    quick = arguments.quick
    if not quick:
        find_data(NEWS_FILE)
    rows: list[Row] = []
    start = time.perf_counter()
    with connected(arguments.ray, max(arguments.workers)), tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter() - start
        for encoder, (size, rounds) in SIZES.items():
            if quick and encoder != "static":
                continue
            documents = sample_news(60 if quick else size, quick)
            source = Path(folder) / f"{encoder}.jsonl"
            export(documents, source)
            rows += measure(source, len(documents), encoder, 1 if quick else rounds, arguments.workers)
            print(json.dumps(rows[-1]), file=sys.stderr)
    if quick:
        print(json.dumps(rows, indent=2))
        return
    save(
        "ray_ingest",
        "documents a second that Ray workers index, beside one process without Ray; efficiency is the speed a worker "
        "beside that of the fewest workers; the bound is what the slower of preparing (shared out) and storing (one "
        "process) allows when each has a core for itself",
        "evenly spaced items of current_events as JSON Lines, into an embedded index; medians",
        SEED,
        rows,
        started_s=round(started, 1),
    )


if __name__ == "__main__":
    main()
