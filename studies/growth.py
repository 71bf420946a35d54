"""How do the time to index, the disk, the memory, the time to open and the time to search grow with the documents?

    python studies/growth.py [--quick] [--sizes 10000 100000 1000000] [--plot]

Makes the table and the picture of growth in docs/results/speed.md. Reads current_events from EPOCHAL_DATA. Each size is
indexed in one process and searched in another, so that the memory of one is not counted for the other. --plot only
redraws studies/results/growth.png from growth.json. --quick takes the news that come with the package, in small sizes,
and writes nothing.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from _data import find_data
from _material import NEWS_FILE, make_questions, read_news, sample_news
from _record import RESULTS, Row, get_quantiles, save, skip
from search_cost import ROUNDS, SEED

from epochal.api import Index
from epochal.encoders import encoder
from epochal.reading.questions import understand
from epochal.storage.records import Document
from epochal.times import Span

SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (120,)
ENCODER = "static"
QUESTIONS = 100
FIRST_DAY, LAST_DAY = dt.date(1900, 1, 1), dt.date(2025, 12, 31)
STATUS = Path("/proc/self/status")
#: The panels of the picture: a column of the rows, and its title.
PANELS = (
    ("index s", "index everything, s"),
    ("disk MB", "on disk, MB"),
    ("search memory MB", "memory to search, MB"),
    ("open ms", "open, ms"),
    ("temporal p50 ms", "temporal search, median ms"),
    ("plain p50 ms", "the same without time, median ms"),
)


def repeat_news(quick: bool) -> Iterator[Document]:
    """The news again and again; read from the file each time, so that no list of them counts as memory of the index."""
    while True:
        yield from sample_news(60, quick=True) if quick else read_news()


def make_documents(size: int, quick: bool) -> Iterator[Document]:
    """News texts again and again, each time with another date: no two texts are equal, so each is encoded."""
    rng = random.Random(SEED)
    days = (LAST_DAY - FIRST_DAY).days
    for number, item in enumerate(islice(repeat_news(quick), size)):
        day = FIRST_DAY + dt.timedelta(days=rng.randint(0, days))
        text = f"{day.day} {day:%B %Y}, item {number}. {item.text}"
        yield Document(f"news-{number}", text, published=Span.of(day))


# ---------------------------------------------------------------- stages, each in its own process


def read_memory_mb(name: str) -> float:
    """A line of the process's status (VmRSS, VmHWM, RssAnon), in megabytes."""
    line = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024


def load_encoder() -> None:
    """Load the encoder, with its table, the tagger and the question reader: they cost the same at any size."""
    encoder(ENCODER).encode_queries([understand("Who won in 1998?").topic])


def build(folder: Path, size: int, quick: bool) -> Row:
    load_encoder()
    before = read_memory_mb("VmRSS")
    with Index.create(folder, encoder=ENCODER) as index:
        start = time.perf_counter()
        index.add(make_documents(size, quick))
        seconds = time.perf_counter() - start
    return {
        "documents": size,
        "index s": round(seconds, 2),
        "documents/s": round(size / seconds),
        "index memory MB": round(read_memory_mb("VmHWM") - before, 1),
    }


def search(folder: Path, size: int, quick: bool) -> Row:
    questions = make_questions(list(islice(make_documents(size, quick), 2_000)), 10 if quick else QUESTIONS, SEED)
    load_encoder()
    before, private_before = read_memory_mb("VmRSS"), read_memory_mb("RssAnon")
    start = time.perf_counter()
    with Index.open(folder) as index:
        len(index)
        opened = time.perf_counter()
        index.search(questions[0].text)
        first = time.perf_counter()
        took: dict[bool, list[float]] = {True: [], False: []}
        for turn in range(1 if quick else ROUNDS):
            for number, question in enumerate(questions):
                for timed in (True, False) if (turn + number) % 2 else (False, True):
                    began = time.perf_counter()
                    index.search(question.text, time=timed)
                    took[timed].append(1000 * (time.perf_counter() - began))
        (p50, p95), (plain50, plain95) = get_quantiles(took[True]), get_quantiles(took[False])
        return {
            "open ms": round(1000 * (opened - start), 1),
            "first search ms": round(1000 * (first - opened), 1),
            "temporal p50 ms": round(p50, 2),
            "temporal p95 ms": round(p95, 2),
            "plain p50 ms": round(plain50, 2),
            "plain p95 ms": round(plain95, 2),
            "ratio p50": round(p50 / plain50, 3),
            "search memory MB": round(read_memory_mb("VmRSS") - before, 1),
            "of it private MB": round(read_memory_mb("RssAnon") - private_before, 1),
        }


STAGES = {"build": build, "search": search}


# ---------------------------------------------------------------- the whole


def run_stage(stage: str, folder: Path, size: int, quick: bool) -> Row:
    command = [sys.executable, __file__, "--stage", stage, "--folder", str(folder), "--sizes", str(size)]
    if quick:
        command.append("--quick")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the stage {stage} of {size:,} documents failed:\n{done.stderr}")
    row: Row = json.loads(done.stdout)
    return row


def measure_disk_mb(folder: Path) -> float:
    """The size of the files of a folder; hard links to one file count once."""
    files = {(stat.st_dev, stat.st_ino): stat.st_size for stat in (p.stat() for p in folder.rglob("*") if p.is_file())}
    return sum(files.values()) / 1e6


def measure(size: int, quick: bool) -> Row:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "index"
        row = run_stage("build", folder, size, quick)
        disk = round(measure_disk_mb(folder), 1)
        return {**row, "disk MB": disk, **run_stage("search", folder, size, quick)}


def plot(rows: Sequence[Row], path: Path) -> None:
    """Every column over the number of documents, both on scales of powers of ten."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(9.6, 5.4), layout="constrained")
    sizes = [row["documents"] for row in rows]
    for panel, (column, title) in zip(axes.flat, PANELS, strict=True):
        values = [row[column] for row in rows]
        panel.loglog(sizes, values, marker="o", color="#2563a8")
        for size, value in zip(sizes, values, strict=True):
            panel.annotate(f"{value:,.4g}", (size, value), (-6, 4), textcoords="offset points", ha="right", fontsize=8)
        panel.set_title(title, fontsize=10, loc="left")
        panel.margins(0.25, 0.25)
        panel.grid(color="#eceff2")
        panel.spines[["top", "right"]].set_visible(False)
    for panel in axes[-1]:
        panel.set_xlabel("documents")
    figure.savefig(path, dpi=150, metadata={"Software": None})
    plt.close(figure)


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", help="how many documents to grow to")
    parser.add_argument("--plot", action="store_true", help="draw the picture of the result that is there")
    parser.add_argument("--stage", choices=STAGES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    picture = RESULTS / "growth.png"
    if not STATUS.exists():
        skip(f"memory is read in {STATUS}, which only Linux has")
    if arguments.plot:
        plot(json.loads((RESULTS / "growth.json").read_text(encoding="utf-8"))["rows"], picture)
        return
    if arguments.stage:
        print(json.dumps(STAGES[arguments.stage](arguments.folder, arguments.sizes[0], arguments.quick)))
        return
    if not arguments.quick:
        find_data(NEWS_FILE)
    rows: list[Row] = []
    for size in arguments.sizes or (QUICK_SIZES if arguments.quick else SIZES):
        rows.append(measure(size, arguments.quick))
        print(json.dumps(rows[-1]), file=sys.stderr)
    if arguments.quick:
        print(json.dumps(rows, indent=2))
        return
    save(
        "growth",
        "what an index costs to make, to keep, to open and to search, as it grows; and a temporal search beside the "
        "same one with time=False",
        f"texts of current_events again and again, each time opened by another random day of {FIRST_DAY} "
        f"to {LAST_DAY}, on which it is published; questions in their words; encoder {encoder(ENCODER).name}, k 10; "
        f"memory is what the process has beyond imports and models, mapped files included",
        SEED,
        rows,
        picture=f"studies/results/{picture.name}",
    )
    plot(rows, picture)


if __name__ == "__main__":
    main()
