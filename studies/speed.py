"""What do a cold search, a warm search and a document cost, beside other engines on the same documents?

    python studies/speed.py [--quick] [--sizes 10000,120000,1000000] [--plot]

Makes the tables "Beside other engines" in docs/results/speed.md, and docs/images/speed.svg. Reads
current_events from EPOCHAL_DATA; above its number of items they are repeated, each opened by another day, as growth.py
does it. CPU time is that of the process and its threads, user and system, since machines are shared; what is compared
takes turns: question by question, and process by process. Each index is built in one process, and each engine's memory
and cold search are measured in processes of their own. The other engines are given the words of a question and the days
that it asks for; Epochal reads the question, searches words, vectors and times, groups versions and says what it found.
--quick takes a few news items that come with the package, and writes nothing. --plot only redraws the picture.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import growth
from _data import find_data
from _material import NEWS_FILE, sample_news
from _peers import PEERS, Days, Peer, to_days
from _record import RESULTS, ROOT, Row, save

import epochal
from epochal.api import Index
from epochal.storage.records import Document
from epochal.times import Span

SEED = 11
SIZES = (10_000, 120_000, 1_000_000)
#: Above so many documents the news are repeated.
NEWS = 120_000
QUESTIONS = 40
COLD = 5
NOW = "2026-11-17"
KINDS = ("no time", "year", "day", "compare")
PICTURE = ROOT / "docs" / "images" / "speed.svg"
_BASE = "Epochal, words, vectors and times"
#: Epochal's indexes by name, and the encoder of each.
OURS = {"Epochal, words and times": None, _BASE: "static"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its words without its times, and the days that it asks for."""

    kind: str
    text: str
    words: str
    days: tuple[Days, ...]


def read_documents(size: int, quick: bool) -> list[Document]:
    if quick or size <= NEWS:
        return sample_news(size, quick)
    return list(growth.make_documents(size, quick=False))


def make_questions(documents: Sequence[Document], count: int) -> list[Asked]:
    """Questions in words of dated documents, of each kind in turn."""
    rng = random.Random(SEED)
    questions = []
    dated = [item for item in documents if item.published is not None and len(item.text.split()) > 12]
    for number, document in enumerate(rng.choices(dated, k=count)):
        words = [word.strip(".,;:()\"'") for word in document.text.split()]
        if document.text.startswith(f"{document.published.describe()}, item" if document.published else "\n"):
            words = words[5:]  # the day that was put before it
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


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of CPU, of the process and its threads, and on the clock."""

    cpu: float
    wall: float

    @classmethod
    def measure(cls, run: Callable[[], object]) -> Cost:
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        return cls(time.process_time() - cpu, time.perf_counter() - wall)

    @classmethod
    def measure_process(cls, command: Sequence[str]) -> Cost:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        run_command(command)
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
        return cls(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def run_command(command: Sequence[str]) -> str:
    """What a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


# ---------------------------------------------------------------- engines


class Epochal:
    """Epochal, which reads the question itself."""

    def __init__(self, folder: Path) -> None:
        self.index = Index.open(folder)

    @staticmethod
    def build(folder: Path, documents: Sequence[Document], encoder: str | None) -> None:
        with Index.create(folder, encoder=encoder) as index:
            index.add(documents)


def list_engines() -> list[str]:
    """The engines that are installed."""
    found = [name for name, (_, package) in PEERS.items() if importlib.util.find_spec(package) is not None]
    for name in PEERS.keys() - set(found):
        print(f"without {name}, which is not installed", file=sys.stderr)
    return [*OURS, *found]


def open_engine(name: str, folder: Path) -> Epochal | Peer:
    return Epochal(folder) if name in OURS else PEERS[name][0](folder)


def ask(engine: Epochal | Peer, asked: Asked) -> object:
    if isinstance(engine, Epochal):
        return engine.index.search(asked.text, now=NOW)
    return engine.search(asked.words, asked.days)


# ---------------------------------------------------------------- stages, each in its own process


def build(name: str, folder: Path, size: int, quick: bool) -> Row:
    """Build an index, and what that cost."""
    documents = read_documents(size, quick)
    if name in OURS:
        cost = Cost.measure(lambda: Epochal.build(folder, documents, OURS[name]))
    else:
        cost = Cost.measure(lambda: PEERS[name][0].build(folder, documents))
    return {
        "documents": size,
        "engine": name,
        "us per document": round(1e6 * cost.cpu / size, 1),
        "wall us per document": round(1e6 * cost.wall / size, 1),
        "bytes per document": round(1e6 * growth.measure_disk_mb(folder) / size),
    }


def measure_memory(name: str, folder: Path, size: int, quick: bool) -> Row:
    """The memory of a process that has searched, beyond what Python and the study take."""
    questions = make_questions(read_sample(size, quick), 8 if quick else QUESTIONS)
    before = growth.read_memory_mb("VmRSS"), growth.read_memory_mb("RssAnon")
    engine = open_engine(name, folder)
    for asked in questions:
        ask(engine, asked)
    resident, private = growth.read_memory_mb("VmRSS") - before[0], growth.read_memory_mb("RssAnon") - before[1]
    return {"memory MB": round(resident), "of it private MB": round(private)}


def read_sample(size: int, quick: bool) -> list[Document]:
    """Documents to make questions from."""
    return read_documents(size, quick) if size <= NEWS else list(islice(growth.make_documents(size, quick), NEWS))


STAGES = {"build": build, "memory": measure_memory}


def run_stage(stage: str, name: str, folder: Path, size: int, quick: bool) -> Row:
    command = [sys.executable, __file__, "--stage", stage, "--engine", name, "--folder", str(folder)]
    row: Row = json.loads(run_command([*command, "--sizes", str(size), *(["--quick"] if quick else [])]))
    return row


# ---------------------------------------------------------------- warm and cold searches


def measure_searches(folders: dict[str, Path], questions: Sequence[Asked], size: int) -> list[Row]:
    """Median milliseconds by kind of question: the engines take turns at each question."""
    engines = {name: open_engine(name, folder) for name, folder in folders.items()}
    spent: dict[tuple[str, str], list[Cost]] = {}
    half = len(questions) // 2
    for asked in questions[:half]:  # warm; other questions are measured, since an engine may remember these
        for engine in engines.values():
            ask(engine, asked)
    for number, asked in enumerate(questions[half:]):
        names = list(engines)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            cost = Cost.measure(lambda: ask(engines[name], asked))  # noqa: B023 - called at once
            spent.setdefault((asked.kind, name), []).append(cost)
    for engine in engines.values():
        if isinstance(engine, Epochal):
            engine.index.close()
    medians = {key: statistics.median(cost.cpu for cost in costs) for key, costs in spent.items()}
    return [
        {
            "documents": size,
            "kind": kind,
            "engine": name,
            "cpu ms": round(1000 * medians[kind, name], 2),
            "wall ms": round(1000 * statistics.median(cost.wall for cost in spent[kind, name]), 2),
            "ratio": round(medians[kind, name] / medians[kind, _BASE], 2),
        }
        for kind in KINDS
        for name in engines
    ]


def measure_cold(folders: dict[str, Path], size: int, rounds: int, quick: bool) -> list[Row]:
    """Median seconds of processes that open an index and search once, and of Epochal's commands; they take turns."""
    engine = [sys.executable, "-m", "epochal"]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "epochal --help": [*engine, "--help"],
        'epochal when "last May"': [*engine, "when", "last May"],
        "epochal search": [*engine, "search", str(folders[_BASE]), "earthquakes in Japan in 2011"],
    }
    spent: dict[str, list[Cost]] = {}
    for turn in range(rounds + 1):
        costs = {name: Cost.measure_process(command) for name, command in commands.items()}
        for name, folder in folders.items():
            if name not in OURS:
                script = _OPEN_AND_SEARCH.format(kind=PEERS[name][0].__name__)
                command = [sys.executable, "-c", script, str(Path(__file__).parent), str(folder)]
                costs[f"search: {name}"] = Cost.measure_process(command)
        for name, cost in costs.items():
            if turn:  # the first finds files that nobody has read yet
                spent.setdefault(name, []).append(cost)
    return [
        {
            "documents": size,
            "command": name,
            "cpu s": round(statistics.median(cost.cpu for cost in costs), 2),
            "wall s": round(statistics.median(cost.wall for cost in costs), 2),
        }
        for name, costs in spent.items()
    ]


#: A cold search of another engine, for the days of 2011, in a process that imports nothing of the study but its peers.
_OPEN_AND_SEARCH = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from _peers import {kind}
{kind}(Path(sys.argv[2])).search("earthquakes Japan", [(14975, 15339)])
"""


def measure_size(size: int, rounds: int, quick: bool) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as temporary:
        folders = {name: Path(temporary) / f"engine{number}" for number, name in enumerate(list_engines())}
        for name, folder in folders.items():
            row = run_stage("build", name, folder, size, quick)
            rows.append({**row, **run_stage("memory", name, folder, size, quick)})
            print(json.dumps(rows[-1]), file=sys.stderr)
        questions = make_questions(read_sample(size, quick), 8 if quick else 4 * QUESTIONS)
        rows += measure_searches(folders, questions, size)
        rows += measure_cold(folders, size, rounds, quick)
    return rows


# ---------------------------------------------------------------- the picture


def plot(rows: Sequence[Row], path: Path) -> None:
    """CPU milliseconds of a warm search over the number of documents, a panel for each kind of question."""
    import matplotlib

    matplotlib.use("svg")
    # Letters as text, which takes less; and the same names in every run.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "speed"})
    import matplotlib.pyplot as plt

    warm = [row for row in rows if "kind" in row]
    names = list(dict.fromkeys(row["engine"] for row in warm))
    figure, axes = plt.subplots(1, len(KINDS), figsize=(11, 3.4), layout="constrained", sharey=True)
    for panel, kind in zip(axes.flat, KINDS, strict=True):
        for name in names:
            line = [row for row in warm if (row["engine"], row["kind"]) == (name, kind)]
            style = {"color": "#2563a8", "linewidth": 2.5} if name == _BASE else {"linewidth": 1}
            panel.loglog([row["documents"] for row in line], [row["cpu ms"] for row in line], marker="o", **style)
        panel.set_title(kind, fontsize=10, loc="left")
        panel.set_xlabel("documents")
        panel.grid(color="#eceff2")
        panel.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("CPU ms of a warm search")
    figure.legend(names, loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of documents")
    parser.add_argument("--plot", action="store_true", help="draw the picture of the result that is there")
    parser.add_argument("--stage", choices=STAGES, help=argparse.SUPPRESS)
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    sizes = [60] if arguments.quick else [int(size) for size in arguments.sizes.split(",")]
    if arguments.plot:
        plot(json.loads((RESULTS / "speed.json").read_text(encoding="utf-8"))["rows"], PICTURE)
        return
    if arguments.stage:
        print(json.dumps(STAGES[arguments.stage](arguments.engine, arguments.folder, sizes[0], arguments.quick)))
        return
    if arguments.quick:
        print(json.dumps(measure_size(60, 1, quick=True), indent=2))
        return
    find_data(NEWS_FILE)
    rows = [row for size in sizes for row in measure_size(size, COLD, quick=False)]
    save(
        "speed",
        "What do a cold search, a warm search and a document cost in time, memory and on disk, beside other engines?",
        f"current_events, {arguments.sizes} items, repeated above {NEWS:,} with another day before each; encoder "
        f"static; epochal {epochal.__version__}",
        SEED,
        rows,
        picture=PICTURE.relative_to(ROOT).as_posix(),
    )
    plot(rows, PICTURE)


if __name__ == "__main__":
    main()
