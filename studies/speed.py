"""What do a cold command, a warm search and a document cost in CPU time, beside other engines on the same news?

    python studies/speed.py [--quick] [--sizes 10000,120000]

Makes the tables "Beside other engines" in docs/results/speed.md. Reads current_events from EPOCHAL_DATA. Everything is
CPU time of the process, user and system, since machines are shared, and what is compared takes turns: question by
question, and command by command. The other engines are given the words of a question and the days that it asks for;
Epochal reads the question, searches words, vectors and times, groups versions and says what it found. --quick takes a
few news items that come with the package, and writes nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from _material import sample_news
from _peers import PEERS, Days, Peer, to_days
from _record import Row, save

import epochal
from epochal.api import Index
from epochal.storage.records import Document
from epochal.times import Span

SEED = 11
SIZES = (10_000, 120_000)
QUESTIONS = 40
COLD = 5
NOW = "2026-11-17"
KINDS = ("no time", "year", "day", "compare")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its words without its times, and the days that it asks for."""

    kind: str
    text: str
    words: str
    days: tuple[Days, ...]


def make_questions(documents: Sequence[Document], count: int) -> list[Asked]:
    """Questions in words of dated documents, of each kind in turn."""
    rng = random.Random(SEED)
    questions = []
    dated = [item for item in documents if item.published is not None and len(item.text.split()) > 12]
    for number, document in enumerate(rng.choices(dated, k=count)):
        words = [word.strip(".,;:()\"'") for word in document.text.split()]
        long = [place for place, word in enumerate(words) if len(word) > 4 and word.isalpha()]
        topic = " ".join(words[place] for place in sorted(rng.sample(long, min(3, len(long))))) or "election"
        published = document.published or Span.year(2011)
        year, day = published.first_year or 2011, published.describe()
        kind = KINDS[number % len(KINDS)]
        first, second = Span.year(year), Span.year(year - 2)
        text, spans = {
            "no time": (f"What happened to {topic}?", ()),
            "year": (f"{topic} in {year}", (first,)),
            "day": (f"{topic} on {day}", (published,)),
            "compare": (f"Compare {topic} in {year - 2} and {year}", (second, first)),
        }[kind]
        questions.append(Asked(kind, text, topic, tuple(map(to_days, spans))))
    return questions


def measure_cpu(run: Callable[[], object]) -> float:
    """CPU seconds of this process, all its threads included."""
    start = time.process_time()
    run()
    return time.process_time() - start


def measure_folder(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


# ---------------------------------------------------------------- building


def build(folder: Path, documents: Sequence[Document]) -> tuple[dict[str, Peer | Index], list[Row]]:
    """Every engine over the documents, and what building it cost."""
    engines: dict[str, Peer | Index] = {}
    rows: list[Row] = []

    def add(name: str, make: Callable[[Path], Peer | Index]) -> None:
        place = folder / f"engine{len(engines)}"
        seconds = measure_cpu(lambda: engines.__setitem__(name, make(place)))
        rows.append(
            {
                "documents": len(documents),
                "engine": name,
                "us per document": round(1e6 * seconds / len(documents), 1),
                "bytes per document": round(measure_folder(place) / len(documents)),
            }
        )

    add("Epochal, words and times", lambda place: _build_epochal(place, documents, None))
    add("Epochal, words, vectors and times", lambda place: _build_epochal(place, documents, "static"))
    for name, (make, package) in PEERS.items():
        if importlib.util.find_spec(package) is None:
            print(f"without {package}, which is not installed")
            continue
        add(name, lambda place, make=make: make(place, documents))
    return engines, rows


def _build_epochal(folder: Path, documents: Sequence[Document], encoder: str | None) -> Index:
    index = Index.create(folder, encoder=encoder)
    index.add(documents)
    return index


# ---------------------------------------------------------------- warm searches


def measure_searches(engines: dict[str, Peer | Index], questions: Sequence[Asked], documents: int) -> list[Row]:
    """Median CPU milliseconds by kind of question: the engines take turns at each question."""
    spent: dict[tuple[str, str], list[float]] = {}

    def ask(engine: Peer | Index, asked: Asked) -> object:
        if isinstance(engine, Index):
            return engine.search(asked.text, now=NOW)
        return engine.search(asked.words, asked.days)

    half = len(questions) // 2
    for asked in questions[:half]:  # warm; other questions are measured, since an engine may remember these
        for engine in engines.values():
            ask(engine, asked)
    for number, asked in enumerate(questions[half:]):
        names = list(engines)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            taken = measure_cpu(partial(ask, engines[name], asked))
            spent.setdefault((asked.kind, name), []).append(1000 * taken)
    return [
        {
            "documents": documents,
            "kind": kind,
            "engine": name,
            "cpu ms": round(statistics.median(spent[kind, name]), 2),
            "ratio": round(statistics.median(spent[kind, name]) / statistics.median(spent[kind, _BASE]), 2),
        }
        for kind in KINDS
        for name in engines
    ]


_BASE = "Epochal, words, vectors and times"


# ---------------------------------------------------------------- cold commands


def measure_commands(index: Path, documents: int, rounds: int) -> list[Row]:
    """Median CPU seconds of commands that start a process each; they take turns."""
    engine = [sys.executable, "-m", "epochal"]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "epochal --help": [*engine, "--help"],
        'epochal when "last May"': [*engine, "when", "last May"],
        "epochal search": [*engine, "search", str(index), "earthquakes in Japan in 2011"],
    }
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            taken = measure_process(command)
            if turn:
                spent[name].append(taken)
    return [
        {"documents": documents, "command": name, "cpu s": round(statistics.median(times), 2)}
        for name, times in spent.items()
    ]


def measure_process(command: Sequence[str]) -> float:
    """CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_size(documents: Sequence[Document], count: int, rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        engines, rows = build(Path(folder), documents)
        rows += measure_searches(engines, make_questions(documents, count), len(documents))
        full = engines[_BASE]
        assert isinstance(full, Index)
        rows += measure_commands(Path(folder) / "engine1", len(documents), rounds)
        for engine in engines.values():
            if isinstance(engine, Index):
                engine.close()
    return rows


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of documents")
    arguments = parser.parse_args(given)
    if arguments.quick:
        print(json.dumps(measure_size(sample_news(60, quick=True), 8, 1), indent=2))
        return
    rows = []
    for size in map(int, arguments.sizes.split(",")):
        rows += measure_size(sample_news(size, quick=False), 4 * QUESTIONS, COLD)
    save(
        "speed",
        "What do a cold command, a warm search and a document cost in CPU time, beside other engines?",
        f"current_events, {arguments.sizes} items; encoder static; epochal {epochal.__version__}",
        SEED,
        rows,
    )


if __name__ == "__main__":
    main()
