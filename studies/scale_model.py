"""What would a billion documents take? A model fitted to measured points, and a simulation of questions over shards.

    python studies/scale_model.py [--quick] [--sizes 10000 100000 1000000] [--postgres URL] [--points FILE]

Makes the tables of scale in docs/results/backends.md, and docs/images/scale.svg. Measures stores of the given sizes,
each filled in one process and searched in another (reads current_events from EPOCHAL_DATA, as growth.py does), fits the
cost of a store, and simulates shards from ten thousand documents to a billion. With --postgres the same is measured in
a server, in its own namespaces. With --points nothing is measured: the points of an earlier run, or of growth.json, are
fitted and simulated again. --quick takes small sizes, simulates little, and writes nothing.
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
from _data import find_data
from _material import NEWS_FILE, make_questions
from _record import RESULTS, ROOT, Row, save, skip
from _scale_simulation import Curves, Layout, Line, Point, World, fit_curves, make_plan, simulate
from search_cost import ROUNDS, SEED

from epochal.api import Index
from epochal.storage.addresses import get_provider

DOCS = ROOT / "docs"
PICTURE = DOCS / "images" / "scale.svg"
SIZES, QUICK_SIZES = (10_000, 100_000, 1_000_000), (60, 120)
STEPS = tuple(10**power for power in range(4, 10))
FANS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

# ---------------------------------------------------------------- points, each in its own processes


def fill(address: str, size: int, quick: bool) -> Row:
    if get_provider(address).exists(address):  # left on a server by an earlier run
        get_provider(address).remove(address)
    growth.load_encoder()
    with Index.create(address, encoder=growth.ENCODER) as index:
        start = time.perf_counter()
        index.add(growth.make_documents(size, quick))
        return {"documents/s": size / (time.perf_counter() - start)}


def search(address: str, size: int, quick: bool) -> Row:
    questions = make_questions(
        list(islice(growth.make_documents(size, quick), 2_000)), 10 if quick else growth.QUESTIONS, SEED
    )
    growth.load_encoder()
    before = growth.read_memory_mb("VmRSS")
    with Index.open(address) as index:
        index.search(questions[0].text)
        took = []
        for _ in range(1 if quick else ROUNDS):
            for question in questions:
                start = time.perf_counter()
                index.search(question.text)
                took.append(1000 * (time.perf_counter() - start))
        return {"samples": [round(ms, 3) for ms in took], "memory MB": growth.read_memory_mb("VmRSS") - before}


STAGES = {"fill": fill, "search": search}


def run_stage(stage: str, address: str, size: int, quick: bool) -> Row:
    command = [sys.executable, __file__, "--stage", stage, "--address", address, "--sizes", str(size)]
    done = subprocess.run([*command, *(["--quick"] if quick else [])], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the stage {stage} of {size:,} documents failed:\n{done.stderr}")
    row: Row = json.loads(done.stdout)
    return row


def measure_point(size: int, quick: bool, postgres: str | None = None) -> Point:
    with tempfile.TemporaryDirectory() as folder:
        address = f"{folder}/index"
        if postgres is not None:
            address = f"{postgres}{'&' if '?' in postgres else '?'}namespace=scale{size}"
        filling = run_stage("fill", address, size, quick)
        searching = run_stage("search", address, size, quick)
        p50, p95 = (float(np.quantile(searching["samples"], share)) for share in (0.5, 0.95))
        # The disk of a server cannot be seen from here.
        disk = 0.0 if postgres is not None else growth.measure_disk_mb(Path(address))
        return Point(
            size,
            round(p50, 2),
            round(p95, 2),
            round(searching["memory MB"], 1),
            round(disk, 1),
            round(filling["documents/s"]),
            tuple(searching["samples"]),
        )


def read_points(path: Path) -> list[Point]:
    """The points of an earlier run of this study, or the rows of growth.json, which have two quantiles."""
    result = json.loads(path.read_text(encoding="utf-8"))
    if "points" in result:
        return [Point(**{**row, "samples": tuple(row["samples"])}) for row in result["points"]]
    return [
        Point(
            row["documents"],
            row["temporal p50 ms"],
            row["temporal p95 ms"],
            row["search memory MB"],
            row["disk MB"],
            row["documents/s"],
        )
        for row in result["rows"]
    ]


# ---------------------------------------------------------------- fits and simulations


def simulate_fans(curves: Curves, world: World, quick: bool) -> list[Row]:
    """A million documents a shard, and more and more shards: how a question waits for the slowest."""
    rows = []
    for shards in FANS[:4] if quick else FANS:
        layout = Layout(10**6 * shards, shards)
        row: Row = {"shards": shards}
        for name, item in (("one replica", layout), ("hedged", replace(layout, replicas=2, hedge=2.0))):
            times = simulate(item, curves, world)
            row[f"{name} p50 ms"], row[f"{name} p99 ms"] = (round(float(np.quantile(times, q)), 1) for q in (0.5, 0.99))
        rows.append(row)
    return rows


def make_fit_row(name: str, line: Line) -> Row:
    return {
        "of a store": name,
        "fixed": round(line.fixed, 3),
        "a million documents": round(line.slope * 1e6, 3),
        "worst deviation": round(line.worst, 3),
    }


def draw(points: Sequence[Point], curves: Curves, fan_rows: Sequence[Row], rows: Sequence[Row], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    sys.path.insert(0, str(DOCS))
    from make_figures import BLUE, GREEN, ORANGE, STYLE

    sys.path.remove(str(DOCS))
    with plt.rc_context(STYLE):
        figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.2, 3.3), layout="constrained")
        sizes = np.geomspace(points[0].documents, points[-1].documents, 60)
        left.loglog(sizes, [curves.latency.at(size) for size in sizes], color=BLUE, label="fitted")
        for name, colour in (("p50", BLUE), ("p95", ORANGE)):
            values = [getattr(point, name) for point in points]
            left.loglog([point.documents for point in points], values, "o", color=colour, label=name)
        left.set(title="One store, measured", xlabel="documents", ylabel="ms a question")
        fan = [row["shards"] for row in fan_rows]
        for name, style in (("one replica", "-"), ("hedged", "--")):
            for quantile, colour in (("p50", BLUE), ("p99", ORANGE)):
                values = [row[f"{name} {quantile} ms"] for row in fan_rows]
                middle.semilogx(fan, values, style, color=colour, label=f"{quantile}, {name}")
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
    parser.add_argument("--address", help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    quick = arguments.quick
    if arguments.stage:
        print(json.dumps(STAGES[arguments.stage](arguments.address, arguments.sizes[0], quick)))
        return
    if not growth.STATUS.exists() and arguments.points is None:
        skip(f"memory is read in {growth.STATUS}, which only Linux has")
    if not quick and arguments.points is None:
        find_data(NEWS_FILE)
    sizes = sorted(arguments.sizes or (QUICK_SIZES if quick else SIZES))
    points = read_points(arguments.points) if arguments.points else [measure_point(size, quick) for size in sizes]
    served = [measure_point(size, quick, arguments.postgres) for size in sizes] if arguments.postgres else []
    world = replace(World(), questions=200) if quick else World()
    curves = fit_curves(points)
    rows = [make_plan(step, curves, world) for step in (STEPS[:2] if quick else STEPS)]
    fan_rows = simulate_fans(curves, world, quick)
    fits = [
        make_fit_row("ms of a question", curves.latency),
        make_fit_row("memory, MB", curves.memory_mb),
        make_fit_row("disk, MB", curves.disk_mb),
    ]
    if served:
        fits.append(make_fit_row("ms of a question, PostgreSQL", fit_curves(served).latency))
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
    draw(points, curves, fan_rows, rows, PICTURE)
    print(f"{RESULTS / 'scale_model.json'} and {PICTURE} are written", file=sys.stderr)


if __name__ == "__main__":
    main()
