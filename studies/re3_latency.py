"""What does ranking with Re3 cost, by the number of candidates, beside the default gate on the same pools?

    python studies/re3_latency.py [--quick]

Forecasts that are made up here, each for a place and a day, issued over several days; questions ask for one of them.
The pool of a question is cut to its best candidates by meaning. All scorers take turns on each pool, in numpy on one
core, in one run; parameters are drawn by chance, for what they are does not change the cost. --quick takes few
documents, and writes nothing.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import tempfile
import time
from collections.abc import Sequence

import numpy as np
from _record import save

from epochal.api import Index
from epochal.ranking.pool import Pool, Scorer, get_windows
from epochal.ranking.scorer import WeightedScorer
from epochal.reading.questions import understand
from epochal.search.candidates import collect_candidates
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.models.re3.model import NumpyNetwork, Re3Model, get_shapes
from epochal_lab.models.re3.scorer import GateRe3, Re3
from epochal_lab.models.re3.settings import Re3Settings

SEED = 7
SIZES = (10, 30, 50, 100, 300, 1_000)
PLACES = ("Hilo", "Miami", "Boston", "Omaha", "Tulsa", "Reno", "Fargo", "Salem", "Laredo", "Duluth")
SKIES = ("clear sky", "light rain", "heavy rain", "snow", "fog", "strong wind")
FIRST = dt.date(2014, 5, 1)


def build_forecasts(days: int, issues: int) -> list[Document]:
    random = np.random.default_rng(SEED)
    matches = []
    for day in range(days):
        target = FIRST + dt.timedelta(days=day)
        for town in PLACES:
            for lead in range(issues):
                issued = target - dt.timedelta(days=lead)
                weather = f"{random.choice(SKIES)}, {random.integers(-5, 35)} degrees."
                text = f"{town}, {target.day} {target:%B %Y}: {weather}"
                matches.append(Document(f"{town}-{target}-{lead}", text, published=Span.parse(issued.isoformat())))
    return matches


def build_model(settings: Re3Settings, dim: int) -> Re3Model:
    random = np.random.default_rng(SEED)
    sample = {name: random.normal(size=shape) / 8 for name, shape in get_shapes(settings, dim).items()}
    tensors = {name: value.astype(np.float32) for name, value in sample.items()}
    return Re3Model(NumpyNetwork(settings, dim, tensors), "", {"plain": 1.0, "timed": 1.0})


def collect_pools(index: Index, count: int, most: int) -> list[Pool]:
    results = []
    for number in range(count):
        day = FIRST + dt.timedelta(days=number)
        question = f"What will the weather be like in {PLACES[number % len(PLACES)]} on {day.day} {day:%B %Y}?"
        query = understand(question, None)
        results.append(
            collect_candidates(index.view(), index.encoder, question, query, None, get_windows(query), None, most)
        )
    return results


def measure_scorers(scorers: dict[str, Scorer], requests: Sequence[Pool], size: int, rounds: int) -> dict[str, object]:
    """Return the milliseconds of each scorer over pools of one size, measured in turns: median and 95th percentile."""
    took: dict[str, list[float]] = {name: [] for name in scorers}
    cut = [pool.at(np.sort(np.argsort(-pool.semantic, kind="stable")[:size])) for pool in requests]
    for turn in range(rounds + 1):
        for pool in cut:
            for name, result in scorers.items():
                start = time.perf_counter()
                result.score(pool)
                if turn:
                    took[name].append(1000 * (time.perf_counter() - start))
    row: dict[str, object] = {"candidates": int(np.median([len(pool) for pool in cut]))}
    for name, values in took.items():
        row[f"{name} p50 ms"] = round(float(np.median(values)), 3)
        row[f"{name} p95 ms"] = round(float(np.percentile(values, 95)), 3)
    return row


def build_rows(days: int, issues: int, sizes: Sequence[int], count: int, rounds: int) -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder="static") as index:
        index.add(build_forecasts(days, issues))
        dim = index.view().dim
        improved = Re3(build_model(Re3Settings.improved(), dim))
        scorers: dict[str, Scorer] = {
            "gate": WeightedScorer(),
            "Re3 parity": Re3(build_model(Re3Settings.parity(depth=None), dim)),
            "Re3 improved": improved,
            "gate + Re3": GateRe3(improved),
        }
        query = collect_pools(index, count, max(sizes))
        return [measure_scorers(scorers, query, size, rounds) for size in sizes]


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    arguments = parser.parse_args(given)
    if arguments.quick:
        print(json.dumps(build_rows(4, 2, SIZES[:2], 2, 1), indent=2))
        return
    rows = build_rows(60, 5, SIZES, 20, 5)
    save(
        "re3_latency",
        "milliseconds to score a pool by the number of its candidates: Re3 in numpy, the default gate, both together",
        "3,000 forecasts that were made up, 20 questions, 5 rounds each; vectors of 256 numbers (static)",
        SEED,
        rows,
    )


if __name__ == "__main__":
    main()
