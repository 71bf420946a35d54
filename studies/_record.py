"""What the benchmarks share: a fair stopwatch, bounds as they are told, and the JSON that a result is kept in."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

import epochal
from epochal_lab.metrics.significance import Interval, compare

RESULTS = Path(__file__).parent / "results"


def side_by_side(runs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median seconds of each, taken in turns, so that a change of the machine's pace hits all alike."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()  # warm
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def bounds(told: Interval) -> dict[str, float]:
    """A mean with its bounds, as results hold it."""
    return {"mean": round(told.mean, 4), "low": round(told.low, 4), "high": round(told.high, 4)}


def difference(ours: Mapping[str, float], theirs: Mapping[str, float], seed: int) -> dict[str, float]:
    """How far values by question are beyond others, with bounds, and how likely that is by chance."""
    found = compare(ours, theirs, seed=seed)
    return {**bounds(found.difference), "p": round(found.p, 5)}


def skip(reason: str) -> NoReturn:
    """End without a result where the data of a benchmark is not at hand; that is no failure."""
    print(f"skipped: {reason}")
    raise SystemExit(0)


def save(name: str, question: str, data: str, seed: int, rows: list[dict[str, Any]], **summary: Any) -> None:
    """Write studies/results/NAME.json and show it."""
    record = {
        "question": question,
        "command": f"python studies/{name}.py",
        "data": data,
        "seed": seed,
        "date": dt.date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"numpy {np.__version__}, epochal {epochal.__version__}",
        **summary,
        "rows": rows,
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(record, indent=2, ensure_ascii=False))
