"""What do the first dimensions of vectors cost and find, alone and as the first stage of a funnel?

    python studies/nested_search.py [--quick] [--cache FILE] [--encoders NAME ...] [--plot]

Makes the tables and the picture of truncated vectors in docs/results/encoders.md. Reads tnp and scifact from
EPOCHAL_DATA. Quality: documents ranked by their best passage's vector, every passage compared; and the whole engine
with default settings, as `epochal run` searches. Storage: the same documents in indexes that store fewer dimensions.
Latency: the 100 best of random vectors in a mapped file, one thread, in its own process; random vectors take as long as
others, since all are compared. Vectors are cached in --cache. --plot only redraws studies/results/nested_search.png
from nested_search.json. --quick takes the news that come with the package, few random vectors, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from _record import RESULTS, VECTOR_CACHE, Row, save
from growth import measure_disk_mb
from search_cost import SEED
from temporal_retrieval import Collection, K, make_small_collection, read_collection

from epochal.api import Index
from epochal.encoders import CachedEncoder, Encoder, encoder
from epochal.encoders.wrappers import cut_encoder, nested_dims
from epochal.storage.protocol import View
from epochal.storage.vectors import FunnelSearcher, PrefixSearcher, RowSearcher, VectorSearcher, truncate
from epochal_lab.metrics import measure_rankings

SETS = ("tnp", "scifact")
#: One that was not trained to be truncated, and the same adapted and trained for it.
ENCODERS = ("minilm", "epochal-tmrl")
#: Lengths of prefixes, beside whole vectors.
DIMS = (64, 128, 256)
#: Prefix and shortlist.
FUNNELS = ((64, 100), (64, 500), (128, 100), (128, 500))
#: What the whole engine is run with.
ENGINE = ((None, None), (64, None), (64, 500), (128, None), (128, 500))
WIDTH = 384
SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (3_000,)
QUESTIONS = 40
#: Dimensions and shortlist.
Prefix = tuple[int | None, int | None]


# ---------------------------------------------------------------- quality


def list_prefixes(width: int) -> list[Prefix]:
    return [
        *((dims, None) for dims in DIMS if dims < width),
        (None, None),
        *(prefix for prefix in FUNNELS if prefix[0] < width),
    ]


def rank_by_vectors(view: View, model: Encoder, collection: Collection, prefix: Prefix) -> list[list[str]]:
    """For each question the documents of the K best passages by their vectors, in that order."""
    dims, shortlist = prefix
    own = view if dims is None else view.with_dims(dims, shortlist)
    cut = model if dims is None or shortlist is not None else cut_encoder(model, dims)
    names = [item.id for item in view.get_documents(view.alive_documents)]
    positions = {int(row): position for position, row in enumerate(view.alive_documents)}
    matches = []
    for vector in cut.encode_queries([query.text for query in collection.queries]):
        rows = view.get_document_rows(own.search_vectors(vector, K).rows)
        matches.append([names[positions[row]] for row in dict.fromkeys(rows.tolist())])
    return matches


def rank_by_engine(index: Index, collection: Collection, prefix: Prefix) -> list[list[str]]:
    dims, shortlist = prefix
    return [
        [
            hit.id
            for hit in index.search(
                query.text, k=K, now=query.now, collapse_versions=False, dims=dims, shortlist=shortlist
            )
        ]
        for query in collection.queries
    ]


def measure_quality(index: Index, collection: Collection) -> list[Row]:
    model = index.encoder
    assert model is not None
    view = index.view()
    full: list[list[str]] = []
    rows = []
    tried = [("vectors", prefix) for prefix in list_prefixes(view.dim)] + [
        ("engine", prefix) for prefix in ENGINE if (prefix[0] or 0) < view.dim
    ]
    for what, prefix in sorted(tried, key=lambda item: (item[0], item[1] != (None, None))):
        result = (
            rank_by_vectors(view, model, collection, prefix)
            if what == "vectors"
            else rank_by_engine(index, collection, prefix)
        )
        if prefix == (None, None):
            full = result
        gains = [collection.qrels[query.id] for query in collection.queries]
        values = measure_rankings(result, gains, "nDCG@10")["nDCG@10"]
        same = measure_rankings(result, [best[:10] for best in full], "R@10")["R@10"]
        rows.append(
            {
                "part": "quality",
                "encoder": index.encoder_name,
                "set": collection.name,
                "what": what,
                "dims": prefix[0] or view.dim,
                "shortlist": prefix[1],
                "questions": len(result),
                "nDCG@10": round(float(values.mean()), 4),
                "of the first 10 by all numbers": round(float(same.mean()), 4),
            }
        )
        print(json.dumps(rows[-1]), file=sys.stderr)
    return rows


# ---------------------------------------------------------------- storage


def measure_storage(collection: Collection, model: Encoder, dims: int | None) -> tuple[Row, list[Row]]:
    """The size of an index of the documents; and what is found in it, where it has all numbers."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "index"
        with Index.create(folder, encoder=model, dims=dims) as index:
            index.add(collection.documents)
            passages, width = index.view().passage_count, index.view().dim
            rows = measure_quality(index, collection) if dims is None else []
        row = {
            "part": "storage",
            "encoder": model.name,
            "set": collection.name,
            "dims": width,
            "passages": passages,
            "bytes a vector": 4 * width,
            "disk MB": round(measure_disk_mb(folder), 2),
        }
    print(json.dumps(row), file=sys.stderr)
    return row, rows


# ---------------------------------------------------------------- latency, in its own process


def write_random_vectors(path: Path, size: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    rng = np.random.default_rng(SEED)
    with path.open("wb") as file:
        for low in range(0, size, 10_000):
            part = rng.standard_normal((min(10_000, size - low), WIDTH)).astype(np.float32)
            file.write((part / np.linalg.norm(part, axis=1, keepdims=True)).tobytes())
    return np.asarray(np.memmap(path, np.float32, "r", shape=(size, WIDTH)))


def measure_latency(size: int, questions: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        vectors = write_random_vectors(Path(folder) / "vectors.f4", size)
        queries = truncate(
            np.random.default_rng(SEED + 1).standard_normal((questions + 1, WIDTH)).astype(np.float32), WIDTH
        )
        searchers: dict[Prefix, RowSearcher] = {(None, None): VectorSearcher(vectors, 1.0 + 1e-6)}
        first: dict[Prefix, float] = {}
        for dims in DIMS:
            searchers[dims, None] = PrefixSearcher(vectors, dims)
        for dims, shortlist in FUNNELS:
            # A funnel shares its prefixes with the search by them, as in an index.
            shared = searchers[dims, None]
            assert isinstance(shared, PrefixSearcher)
            searchers[dims, shortlist] = FunnelSearcher(VectorSearcher(vectors, 1.0 + 1e-6), shared, shortlist)
        took: dict[Prefix, list[float]] = {prefix: [] for prefix in searchers}
        for turn in range(len(queries)):
            for number, (prefix, searcher) in enumerate(searchers.items()):
                dims, shortlist = prefix
                # Another question for each: a searcher remembers the products of its last one.
                query = queries[(turn + number) % len(queries)]
                short = query if dims is None or shortlist is not None else truncate(query[None], dims)[0]
                start = time.perf_counter()
                searcher.search_vectors(short, K)
                spent = 1000 * (time.perf_counter() - start)
                if turn:
                    took[prefix].append(spent)
                else:
                    first[prefix] = spent
    return [
        {
            "part": "latency",
            "vectors": size,
            "dims": prefix[0] or WIDTH,
            "shortlist": prefix[1],
            "p50 ms": round(float(np.quantile(took[prefix], 0.5)), 2),
            "p95 ms": round(float(np.quantile(took[prefix], 0.95)), 2),
            "first ms": round(first[prefix], 1),
            "copy of the prefixes MB": round(size * prefix[0] * 4 / 1e6, 1) if prefix[0] else 0.0,
        }
        for prefix in searchers
    ]


def run_latency(size: int, questions: int) -> list[Row]:
    command = [sys.executable, __file__, "--latency", str(size), str(questions)]
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **single})
    if done.returncode:
        raise SystemExit(f"the latency of {size:,} vectors failed:\n{done.stderr}")
    rows: list[Row] = json.loads(done.stdout)
    for row in rows:
        print(json.dumps(row), file=sys.stderr)
    return rows


# ---------------------------------------------------------------- the whole


def plot(rows: Sequence[Row], path: Path) -> None:
    """Quality, disk and time over the dimensions of a vector; funnels as hollow marks above their first stage."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12.6, 4.2), layout="constrained")
    colours = ("#2563a8", "#c8590e", "#2b8a4b", "#7b4fa3")

    def line(axes: Any, selected: list[Row], column: str, colour: str, label: str) -> None:
        alone = sorted((row for row in selected if row.get("shortlist") is None), key=lambda row: row["dims"])
        axes.plot([row["dims"] for row in alone], [row[column] for row in alone], "o-", color=colour, label=label)
        for mark, shortlist in (("^", 100), ("D", 500)):
            funnels = [row for row in selected if row.get("shortlist") == shortlist]
            points = [row["dims"] for row in funnels], [row[column] for row in funnels]
            axes.plot(*points, mark, color=colour, markerfacecolor="white", ms=7, zorder=4)

    kinds = [row for row in rows if row["part"] == "quality"]
    pairs = list(dict.fromkeys((row["encoder"], row["set"], row["what"]) for row in kinds))
    for number, pair in enumerate(pair for pair in pairs if pair[2] == "vectors"):
        selected = [row for row in kinds if (row["encoder"], row["set"], row["what"]) == pair]
        line(left, selected, "nDCG@10", colours[number % 4], f"{pair[1]}, {pair[0]}")
    left.set_title("nDCG@10 by vectors alone", fontsize=10, loc="left")
    left.set_ylim(0)
    retained = [row for row in rows if row["part"] == "storage"]
    for number, name in enumerate(dict.fromkeys(row["set"] for row in retained)):
        first = next(row["encoder"] for row in retained)
        line(
            middle,
            [row for row in retained if (row["set"], row["encoder"]) == (name, first)],
            "disk MB",
            colours[number],
            name,
        )
    middle.set_title("index on disk, MB", fontsize=10, loc="left")
    middle.set_ylim(0)
    timed = [row for row in rows if row["part"] == "latency"]
    for number, size in enumerate(dict.fromkeys(row["vectors"] for row in timed)):
        line(
            right, [row for row in timed if row["vectors"] == size], "p50 ms", colours[number % 4], f"{size:,} vectors"
        )
    right.set_yscale("log")
    right.set_title("the 100 best, median ms, one thread", fontsize=10, loc="left")
    for axes in (left, middle, right):
        axes.set_xticks([*DIMS, WIDTH])
        axes.set_xlabel("dimensions compared, or stored")
        axes.grid(color="#eceff2")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)
    for mark, shortlist in (("^", 100), ("D", 500)):
        left.plot(
            [], [], mark, color="#66717d", markerfacecolor="white", label=f"then a shortlist of {shortlist} by all"
        )
    left.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=150, metadata={"Software": None})
    plt.close(figure)


def measure_sets(
    sets: Iterable[Collection], models: Sequence[str], cache: Path, sizes: Sequence[int], questions: int
) -> list[Row]:
    rows: list[Row] = []
    for collection in sets:
        for name in models:
            model = CachedEncoder(encoder(name), cache)
            for dims in (None, *(dims for dims in DIMS if dims < model.dim)):
                size, result = measure_storage(collection, model, dims)
                rows += [*({**row, "encoder": name} for row in result), {**size, "encoder": name}]
    for size in sizes:
        rows += run_latency(size, questions)
    return rows


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument(
        "--cache", type=Path, default=VECTOR_CACHE, help=f"keeps vectors from run to run; {VECTOR_CACHE} unless given"
    )
    parser.add_argument("--encoders", nargs="+", default=list(ENCODERS), metavar="NAME", help="what to measure")
    parser.add_argument("--plot", action="store_true", help="draw the picture of the result that is there")
    parser.add_argument("--latency", type=int, nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    picture = RESULTS / "nested_search.png"
    if arguments.plot:
        plot(json.loads((RESULTS / "nested_search.json").read_text(encoding="utf-8"))["rows"], picture)
        return
    if arguments.latency:
        print(json.dumps(measure_latency(*arguments.latency)))
        return
    if arguments.quick:
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder) / "vectors.db"
            print(json.dumps(measure_sets([make_small_collection()], ["static"], cache, QUICK_SIZES, 3), indent=2))
        return
    # Every index of a set reads its documents again.
    sets = [replace(collection, documents=list(collection.documents)) for collection in map(read_collection, SETS)]
    rows = measure_sets(sets, arguments.encoders, arguments.cache, SIZES, QUESTIONS)
    save(
        "nested_search",
        "what the first dimensions of vectors find, and what they cost in disk and time, beside all of them; and "
        "funnels, which select a shortlist by the first dimensions and rank it by all. vectors: documents by their "
        "best passage's vector; engine: default settings, k 100",
        ", ".join(f"{collection.name} ({len(collection.queries):,} questions)" for collection in sets)
        + f"; latency: random vectors of {WIDTH} dimensions, {QUESTIONS} questions in turn, the {K} best, one thread",
        SEED,
        rows,
        encoders={
            name: {"name": (result := encoder(name)).name, "trained to be cut at": nested_dims(result)}
            for name in arguments.encoders
        },
        picture=f"studies/results/{picture.name}",
    )
    plot(rows, picture)


if __name__ == "__main__":
    main()
