"""What would a billion documents take? A model fitted to measured points, and a simulation of questions over shards.

    python studies/scale_model.py [--quick] [--sizes 10000 100000 1000000] [--postgres URL] [--points FILE]

Measures stores of the given sizes, each filled in one process and searched in another (reads EPOCHAL_DATA, as
growth.py does), fits what a store costs, and simulates shards from ten thousand documents to a billion. With --postgres
the same is measured in a server, in namespaces of its own. With --points nothing is measured: the points of an earlier
run, or of growth.json, are fitted and simulated anew. Writes studies/results/scale_model.json and
docs/images/scale.svg; tools/make_results.py makes the tables. --quick takes small sizes, simulates little, and writes
nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path

import growth
import numpy as np
from _record import RESULTS, save, skip
from _scale_simulation import Curves, Layout, Line, Point, Row, World, curves, plan, simulated
from search_cost import ROUNDS, SEED, news_file, questions_on

from epochal.api import Index
from epochal.storage.addresses import provider_of

DOCS = Path(__file__).parents[1] / "docs"
PICTURE = DOCS / "images" / "scale.svg"
SIZES, QUICK_SIZES = (10_000, 100_000, 1_000_000), (60, 120)
STEPS = tuple(10**power for power in range(4, 10))
FANS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

# ---------------------------------------------------------------- points, each in processes of its own


def fill(place: str, size: int, quick: bool) -> Row:
    if provider_of(place).exists(place):  # a server keeps what an earlier run has left
        provider_of(place).remove(place)
    with Index.create(place, encoder=growth.loaded()) as index:
        start = time.perf_counter()
        index.add(growth.documents(size, quick))
        return {"documents/s": size / (time.perf_counter() - start)}


def ask(place: str, size: int, quick: bool) -> Row:
    asked = questions_on(list(islice(growth.documents(size, quick), 2_000)), 10 if quick else growth.ASKED, SEED)
    model = growth.loaded()
    before = growth.memory_mb("VmRSS")
    with Index.open(place, encoder=model) as index:
        index.search(asked[0].text)
        took = []
        for _ in range(1 if quick else ROUNDS):
            for question in asked:
                start = time.perf_counter()
                index.search(question.text)
                took.append(1000 * (time.perf_counter() - start))
        return {"samples": [round(ms, 3) for ms in took], "memory MB": growth.memory_mb("VmRSS") - before}


STAGES = {"fill": fill, "ask": ask}


def in_process(stage: str, place: str, size: int, quick: bool) -> Row:
    command = [sys.executable, __file__, "--stage", stage, "--place", place, "--sizes", str(size)]
    done = subprocess.run([*command, *(["--quick"] if quick else [])], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the stage {stage} of {size:,} documents failed:\n{done.stderr}")
    row: Row = json.loads(done.stdout)
    return row


def measured(size: int, quick: bool, postgres: str | None = None) -> Point:
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/index"
        if postgres is not None:
            place = f"{postgres}{'&' if '?' in postgres else '?'}namespace=scale{size}"
        made = in_process("fill", place, size, quick)
        found = in_process("ask", place, size, quick)
        p50, p95 = (float(np.quantile(found["samples"], part)) for part in (0.5, 0.95))
        # What a server keeps on its disk is the server's to tell; of a folder we can see it.
        disk = 0.0 if postgres is not None else growth.disk_mb(Path(place))
        return Point(
            size,
            round(p50, 2),
            round(p95, 2),
            round(found["memory MB"], 1),
            round(disk, 1),
            round(made["documents/s"]),
            tuple(found["samples"]),
        )


def points_of(path: Path) -> list[Point]:
    """The points of an earlier run of this benchmark, or the rows of growth.json, which keep two quantiles."""
    told = json.loads(path.read_text(encoding="utf-8"))
    if "points" in told:
        return [Point(**{**row, "samples": tuple(row["samples"])}) for row in told["points"]]
    return [
        Point(
            row["documents"],
            row["temporal p50 ms"],
            row["temporal p95 ms"],
            row["search memory MB"],
            row["disk MB"],
            row["documents/s"],
        )
        for row in told["rows"]
    ]


# ---------------------------------------------------------------- what is made of them


def fans(known: Curves, world: World, quick: bool) -> list[Row]:
    """A million documents a shard, and ever more shards: what the slowest of them does to a question."""
    rows = []
    for shards in FANS[:4] if quick else FANS:
        layout = Layout(10**6 * shards, shards)
        row: Row = {"shards": shards}
        for name, item in (("one replica", layout), ("hedged", replace(layout, replicas=2, hedge=2.0))):
            times = simulated(item, known, world)
            row[f"{name} p50 ms"], row[f"{name} p99 ms"] = (round(float(np.quantile(times, q)), 1) for q in (0.5, 0.99))
        rows.append(row)
    return rows


def line_row(name: str, line: Line) -> Row:
    return {
        "of a store": name,
        "fixed": round(line.fixed, 3),
        "a million documents": round(line.slope * 1e6, 3),
        "worst deviation": round(line.worst, 3),
    }


def draw(points: Sequence[Point], known: Curves, fan_rows: Sequence[Row], rows: Sequence[Row], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    sys.path.insert(0, str(DOCS))
    from make_figures import BLUE, GREEN, ORANGE, STYLE

    sys.path.remove(str(DOCS))
    with plt.rc_context(STYLE):
        figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.2, 3.3), layout="constrained")
        sizes = np.geomspace(points[0].documents, points[-1].documents, 60)
        left.loglog(sizes, [known.latency.at(size) for size in sizes], color=BLUE, label="fitted")
        for name, colour in (("p50", BLUE), ("p95", ORANGE)):
            values = [getattr(point, name) for point in points]
            left.loglog([point.documents for point in points], values, "o", color=colour, label=name)
        left.set(title="One store, measured", xlabel="documents", ylabel="ms a question")
        fan = [row["shards"] for row in fan_rows]
        for name, style in (("one replica", "-"), ("hedged", "--")):
            for part, colour in (("p50", BLUE), ("p99", ORANGE)):
                values = [row[f"{name} {part} ms"] for row in fan_rows]
                middle.semilogx(fan, values, style, color=colour, label=f"{part}, {name}")
        middle.set(title="Shards of a million, simulated", xlabel="shards", ylim=(0, None))
        steps = [row["documents"] for row in rows]
        right.loglog(steps, [row["core s a question"] for row in rows], color=BLUE, label="all shards")
        right.loglog(steps, [row["by time core s a question"] for row in rows], color=GREEN, label="by time")
        right.set(title="Work a question", xlabel="documents", ylabel="core seconds")
        for panel in (left, middle, right):
            panel.legend()
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", help="how many documents each point has")
    parser.add_argument("--postgres", metavar="URL", help="measure points in this server too")
    parser.add_argument("--points", type=Path, metavar="FILE", help="fit points that were measured before")
    parser.add_argument("--stage", choices=STAGES, help=argparse.SUPPRESS)
    parser.add_argument("--place", help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    quick = arguments.quick
    if arguments.stage:
        print(json.dumps(STAGES[arguments.stage](arguments.place, arguments.sizes[0], quick)))
        return
    if not growth.STATUS.exists() and arguments.points is None:
        skip(f"memory is read in {growth.STATUS}, which only Linux has")
    if not quick and arguments.points is None:
        news_file()
    sizes = sorted(arguments.sizes or (QUICK_SIZES if quick else SIZES))
    points = points_of(arguments.points) if arguments.points else [measured(size, quick) for size in sizes]
    served = [measured(size, quick, arguments.postgres) for size in sizes] if arguments.postgres else []
    world = replace(World(), questions=200) if quick else World()
    known = curves(points)
    rows = [plan(step, known, world) for step in (STEPS[:2] if quick else STEPS)]
    fan_rows = fans(known, world, quick)
    fits = [
        line_row("ms of a question", known.latency),
        line_row("memory, MB", known.memory_mb),
        line_row("disk, MB", known.disk_mb),
    ]
    if served:
        fits.append(line_row("ms of a question, PostgreSQL", curves(served).latency))
    if quick:
        print(json.dumps([*fits, *fan_rows, *rows], indent=2))
        return
    source = f"points of {arguments.points.name}" if arguments.points else "points measured in this run"
    save(
        "scale_model",
        "what shards from ten thousand documents to a billion would take, by lines fitted to measured stores and a "
        "simulation of questions that wait for the slowest shard",
        f"{source}: texts of current_events as in growth.py, encoder static",
        world.seed,
        rows,
        assumed={key: value for key, value in asdict(world).items() if key != "seed"},
        fits=fits,
        fans=fan_rows,
        points=[asdict(point) for point in points],
        postgres_points=[asdict(point) for point in served],
    )
    draw(points, known, fan_rows, rows, PICTURE)
    print(f"{RESULTS / 'scale_model.json'} and {PICTURE} are written", file=sys.stderr)


if __name__ == "__main__":
    main()
