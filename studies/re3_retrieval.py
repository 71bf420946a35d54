"""How well does Re3 rank, as the paper has it and improved, beside its baselines, the default gate, and both together?

    python studies/re3_retrieval.py [--data DIR] [--work DIR] [--parts systems ablations missing backbones]
                                       [--backbones static st:FOLDER ...] [--quick]

Reads the rebuilt Re2Bench: DIR/re2bench/{rel,rec,hyb} (`epochal bench build re2bench/rel`, ...; EPOCHAL_DATA/built
unless given). --work keeps vectors, indexes, pools, models and rows from run to run; name a new folder to measure all
again. With --parts only those parts are done, and the others of the result stay. --quick trains and measures
on a few made documents, and writes nothing.

Models are trained on the split train (of hyb 2,500 questions drawn by chance), chosen on dev (of hyb 400), and measured
on all of test. systems: whole searches with k 100; the gate settles versions as it does for users, baselines and Re3
alone rank as they are, unless they are said to settle versions too, as `epochal search` does with any scorer; the
weight of Re3 beside the gate is chosen by whole searches for dev questions. ablations and backbones: the pools of the
same searches, ranked by the model alone; their models, the unchanged ones too, are trained on at most 400 questions a
set for at most 10 epochs. missing: the dates of documents and the times that their texts mention are taken out of the
index for a share of the documents, drawn by chance; their words stay; of hyb 200 questions.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from _data import find_data_folder
from _re3_material import (
    DEFAULT,
    MOST,
    SEED,
    Bench,
    Row,
    Undated,
    draw_items,
    load_or_make,
    measure_ranking,
    measure_search,
    train_model,
)
from _record import RESULTS, save, skip

from epochal.ranking.pool import Scorer
from epochal.ranking.registry import load_scorer
from epochal.ranking.scorer import WeightedScorer
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.folder import read_folder
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.models.re3.model import Re3Model
from epochal_lab.models.re3.scorer import GateRe3, Re3
from epochal_lab.models.re3.settings import Re3Settings

SETS = ("rel", "rec", "hyb")
MOST_ABLATED, MOST_MISSING, MOST_SLOW = 400, 200, 200
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8)
PARTS = ("systems", "ablations", "missing", "backbones")
#: Baselines by name; those without a notion of time are searched without, and slow ones asked fewer questions of hyb.
BASELINES = ("bm25", "dense", "tempralm", "tempretriever-tag", "tempretriever-ewi", "zscore-time", "symbolic")
TIMELESS, SLOW = ("bm25", "dense"), ("tempretriever-tag", "tempretriever-ewi", "zscore-time")


def get_ablations() -> dict[str, tuple[Re3Settings, float]]:
    """Return the changes to the paper's and the improved model, and the share of queries trained on without dates."""
    parity, better = Re3Settings.parity, Re3Settings.improved
    paper = {
        "parity": parity(depth=None),
        "parity, the first 50 by meaning": parity(),
        "parity, gate off": parity(depth=None, gate="off"),
        "parity, gate by question": parity(depth=None, gate="query"),
        "parity, difference of time texts": parity(depth=None, encoding="difference"),
        "parity, gap repeated": parity(depth=None, encoding="repeat"),
        "parity, logarithmic waves": parity(depth=None, encoding="log"),
        "parity, days for all": parity(depth=None, unit="days"),
        "parity, not missing-aware": parity(depth=None, missing=False),
        "parity, residual": parity(depth=None, residual=True),
    }
    improved = {
        "improved": better(),
        "improved, gate off": better(gate="off"),
        "improved, gate one number": better(gate="scalar"),
        "improved, waves of base 3": better(encoding="base3"),
        "improved, absolute gaps": better(signed=False, overlap=False),
        "improved, not missing-aware": better(missing=False),
        "improved, no standing": better(standing=False),
        "improved, no words": better(words=False),
        "improved, no head": better(head=0),
    }
    result = {name: (built, 0.0) for name, built in paper.items()} | {
        name: (built, 0.5) for name, built in improved.items()
    }
    return {**result, "improved, all timestamps seen": (better(), 0.0)}


# ---------------------------------------------------------------- material


def read_sets(data: Path, work: Path, encoder_name: str = DEFAULT) -> list[Bench]:
    folders = {name: data / "re2bench" / name for name in SETS}
    for folder in folders.values():
        if not folder.is_dir():
            skip(f"{folder} is missing; build it with: epochal bench build re2bench/{folder.name}")
    return [Bench(name, read_folder(folder), work, encoder_name) for name, folder in folders.items()]


# ---------------------------------------------------------------- the parts


def train_models(benches: Sequence[Bench], work: Path) -> dict[str, dict[str, Re3Model]]:
    """Train the models of the main table: by set, those trained on it alone and on all sets."""
    parity, better = Re3Settings.parity(), Re3Settings.improved()
    most = MOST["train"] or 0
    paper = train_model(work, "parity joint", benches, parity, 0.0, most)
    joint = train_model(work, "improved joint", benches, better, 0.5, most)
    return {
        bench.name: {
            "Re3 parity": train_model(work, f"parity {bench.name}", [bench], parity, 0.0, most),
            "Re3 parity, trained jointly": paper,
            "Re3 parity, all candidates": train_model(
                work, f"parity whole {bench.name}", [bench], Re3Settings.parity(depth=None), 0.0, most
            ),
            "Re3 improved": train_model(work, f"improved {bench.name}", [bench], better, 0.5, most),
            "Re3 improved, trained jointly": joint,
        }
        for bench in benches
    }


def measure_systems(benches: Sequence[Bench], work: Path) -> list[Row]:
    models, rows = train_models(benches, work), []
    for bench in benches:
        judged, queries = bench.made.judgements(), bench.queries("test")
        with bench.index() as index:
            view = index.view()

            def measured(name: str, ranking: Scorer, asked: Sequence[BenchQuery], **how: Any) -> None:
                head = {"part": "systems", "set": bench.name, "system": name}  # noqa: B023
                make = partial(measure_search, view, bench.encoder, bench, judged, asked, ranking, **how)  # noqa: B023
                rows.append(load_or_make(work, head, make))

            for name in BASELINES:
                few = draw_items(queries, MOST_SLOW) if name in SLOW and bench.name == "hyb" else queries
                result = load_scorer(name)
                if "encoder" in getattr(result, "__dataclass_fields__", {}):
                    result = replace(result, encoder=bench.encoder)  # type: ignore[type-var]
                measured(name, result, few, timed=name not in TIMELESS)
            measured("gate", WeightedScorer(), queries, settles=True)
            for name, model in models[bench.name].items():
                measured(name, Re3(model, bench.encoder), queries)
            settled = Re3(models[bench.name]["Re3 improved, trained jointly"], bench.encoder)
            measured("Re3 improved, trained jointly, versions settled", settled, queries, settles=True)
            for name in ("Re3 improved", "Re3 improved, trained jointly"):
                both = GateRe3(Re3(models[bench.name][name], bench.encoder))
                measured(f"gate + {name}", both, queries, settles=True)
    return rows


def measure_ablations(benches: Sequence[Bench], work: Path) -> list[Row]:
    rows = []
    for name, (settings, dropout) in get_ablations().items():
        for bench in benches:
            model = train_model(work, f"{name} {bench.name} few", [bench], settings, dropout, MOST_ABLATED)
            head = {"part": "ablations", "set": bench.name, "system": name}
            rows.append(load_or_make(work, head, partial(measure_ranking, model, bench)))
    return rows


def measure_missing(benches: Sequence[Bench], work: Path) -> list[Row]:
    models, rows = train_models(benches, work), []
    for bench in benches:
        judged, queries = bench.made.judgements(), draw_items(bench.queries("test"), MOST_MISSING)
        joint = models[bench.name]["Re3 improved, trained jointly"]
        ways: dict[str, tuple[Scorer, bool]] = {
            "gate": (WeightedScorer(), True),
            "Re3 parity, trained jointly": (
                Re3(models[bench.name]["Re3 parity, trained jointly"], bench.encoder),
                False,
            ),
            "Re3 improved, trained jointly": (Re3(joint, bench.encoder), False),
            "gate + Re3 improved, trained jointly": (GateRe3(Re3(joint, bench.encoder)), True),
        }
        with bench.index() as index:
            for share in SHARES:
                view: Any = Undated(index.view(), share)
                for name, (ranking, settles) in ways.items():
                    head = {"part": "missing", "set": bench.name, "system": name, "without times": share}
                    make = partial(
                        measure_search, view, bench.encoder, bench, judged, queries, ranking, settles=settles
                    )
                    rows.append(load_or_make(work, head, make))
    return rows


def measure_backbones(data: Path, work: Path, names: Sequence[str]) -> list[Row]:
    rows = []
    for encoder_name in (DEFAULT, *names):
        benches = read_sets(data, work, encoder_name)
        for bench in benches:
            for name, settings, dropout in (
                ("parity", Re3Settings.parity(depth=None), 0.0),
                ("improved", Re3Settings.improved(), 0.5),
            ):
                model = train_model(work, f"{name} {bench.name} few", [bench], settings, dropout, MOST_ABLATED)
                head = {"part": "backbones", "set": bench.name, "encoder": encoder_name, "system": f"Re3 {name}"}
                rows.append(load_or_make(work, head, partial(measure_ranking, model, bench)))
    return rows


# ---------------------------------------------------------------- what came of it


def summarise(rows: Sequence[Row]) -> Row:
    """Return whether the combined scorer is as good as the better of the two, and the papers' figures."""
    by_name = {(row["set"], row["system"]): row for row in rows if row["part"] == "systems"}
    matches = []
    for name in SETS:
        if (name, "gate") not in by_name:
            continue
        hits = {
            system: by_name[name, system]["hit@1"]["mean"]
            for system in ("gate", "Re3 improved, trained jointly", "gate + Re3 improved, trained jointly")
        }
        best = max(hits["gate"], hits["Re3 improved, trained jointly"])
        both = hits["gate + Re3 improved, trained jointly"]
        matches.append({"set": name, "hit@1": hits, "both as good as the better": both >= best})
    return {"both_together": matches}


def build_small_sets(work: Path) -> list[Bench]:
    """Build a few prizes and their years, to try the script with."""
    documents, queries, qrels = [], [], {}
    names = ("Anna", "Bert", "Carl", "Dora", "Emil", "Fred")
    for year in range(1900, 1936):
        name = names[year % 6]
        documents.append(
            Document(
                f"d{year}",
                f"The prize of {year} went to {name}.",
                published=Span.parse(f"{year}-12-10"),
                meta={"times": [str(year)]},
            )
        )
        split = ("train", "train", "dev", "test")[year % 4]
        queries.append(BenchQuery(f"q{year}", f"Who got the prize in {year}?", periods=(Span.year(year),), split=split))
        qrels[f"q{year}"] = {f"d{year}": 1}
    return [Bench("rel", BenchSet("own/prizes", tuple(documents), tuple(queries), qrels), work, "static")]


def run_small() -> list[Row]:
    """Run one model and three systems on small sets."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (bench,) = build_small_sets(work)
        settings = Re3Settings.improved(hidden=8, width=8, head=8)
        model = train_model(work, "improved quick", [bench], settings, 0.5, 100)
        rows = [{"part": "ablations", "set": bench.name, "system": "improved", **measure_ranking(model, bench)}]
        with bench.index() as index:
            for share in (0.0, 0.8):
                view: Any = Undated(index.view(), share)
                for name, ranking in (("gate", WeightedScorer()), ("gate + Re3", GateRe3(Re3(model, bench.encoder)))):
                    row = measure_search(
                        view, bench.encoder, bench, bench.made.judgements(), bench.queries("test"), ranking
                    )
                    rows.append({"part": "missing", "set": "rel", "system": name, "without times": share, **row})
        return rows


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of built sets; EPOCHAL_DATA/built unless given")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "epochal-benchmarks" / "re3")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--backbones", nargs="+", default=["static"], metavar="ENCODER")
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    arguments = parser.parse_args(given)
    if arguments.quick:
        print(json.dumps(run_small(), indent=2))
        return
    data = arguments.data or find_data_folder("re2bench/rel") / "built"
    arguments.work.mkdir(parents=True, exist_ok=True)
    benches = read_sets(data, arguments.work)
    done: dict[str, list[Row]] = {}
    for part in arguments.parts:
        if part == "backbones":
            done[part] = measure_backbones(data, arguments.work, arguments.backbones)
        else:
            done[part] = {"systems": measure_systems, "ablations": measure_ablations, "missing": measure_missing}[part](
                benches, arguments.work
            )
    # Read last: another part may have been measured meanwhile.
    before = RESULTS / "re3_retrieval.json"
    retained: list[Row] = json.loads(before.read_text(encoding="utf-8"))["rows"] if before.exists() else []
    rows = [row for part in PARTS for row in done.get(part, [row for row in retained if row["part"] == part])]
    counted = ", ".join(
        f"{bench.name} ({len(bench.queries('train')):,}/{len(bench.queries('dev')):,}/{len(bench.queries('test')):,} "
        "questions to train, choose and measure)"
        for bench in benches
    )
    save(
        "re3_retrieval",
        "ranking by Re3 as the paper has it and improved, beside its baselines, the default gate, and both together; "
        "means with the bounds of a 95 % bootstrap. TimeVar and MFG: lower is better; years, months and days as in "
        "the paper",
        f"Re2Bench, rebuilt: {counted}",
        SEED,
        rows,
        encoder=benches[0].encoder.name,
        training=f"at most {MOST['train']:,} questions a set to train on and {MOST['dev']} to choose by; "
        f"{MOST_ABLATED} to train on in ablations and backbones",
        **summarise(rows),
    )


if __name__ == "__main__":
    main()
