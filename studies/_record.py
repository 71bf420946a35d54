"""What the studies share: where their data is, how they time and compare, and the JSON file of a result."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

import epochal
from epochal_lab.metrics.significance import ConfidenceInterval, compare

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "studies" / "results"
#: Vectors and indexes that are kept from run to run.
CACHE_FOLDER = Path(tempfile.gettempdir()) / "epochal-studies"
VECTOR_CACHE = CACHE_FOLDER / "vectors.db"
Row = dict[str, Any]


def skip(reason: str) -> NoReturn:
    """End without a result where the data of a study is missing; that is no failure."""
    print(f"skipped: {reason}")
    raise SystemExit(0)


def get_quantiles(values: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    return float(np.median(values)), float(np.quantile(values, 0.95))


@contextmanager
def override_constants(module: ModuleType, **constants: Any) -> Iterator[None]:
    """Give constants of a module other values for as long as the context lasts."""
    before = {name: getattr(module, name) for name in constants}
    for name, value in constants.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def format_interval(interval: ConfidenceInterval) -> dict[str, float]:
    """A mean with its bounds, as results hold it."""
    return {"mean": round(interval.mean, 4), "low": round(interval.low, 4), "high": round(interval.high, 4)}


def compare_scores(ours: Mapping[str, float], theirs: Mapping[str, float], seed: int) -> dict[str, float]:
    """The mean difference of scores by question, with its bounds and its p-value."""
    comparison = compare(ours, theirs, seed=seed)
    return {**format_interval(comparison.difference), "p": round(comparison.p, 5)}


def describe_machine() -> str:
    """The machine and the versions that a result was made with."""
    python = f"Python {platform.python_version()}, numpy {np.__version__}, epochal {epochal.__version__}"
    return f"{platform.machine()}, {os.cpu_count()} cores, {python}"


def save(name: str, question: str, data: str, seed: int, rows: list[Row], **summary: Any) -> None:
    """Write studies/results/NAME.json, and print it."""
    record = {
        "question": question,
        "command": f"python studies/{name}.py",
        "data": data,
        "seed": seed,
        "date": dt.date.today().isoformat(),
        "machine": describe_machine(),
        **summary,
        "rows": rows,
    }
    text = json.dumps(record, indent=2, ensure_ascii=False)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
    print(text)
