"""Do an encoder adapted to time and the engine's scoring of intervals add up, and what does the adapter forget?

    python studies/tmrl_engine.py [--encoders minilm epochal-tmrl] [--sets tnp timeqa scifact] [--cache FILE]

Reads tnp, timeqa/human_train_beir, scifact of EPOCHAL_DATA, with default settings, k 100, no document behind a copy
of it. For each encoder: its vectors alone, the plain hybrid without time, and the whole engine; and once the engine
without a semantic part, which is the scoring of intervals and of words alone. Differences are of the last encoder's
whole engine from each other way, question by question. Vectors are kept in --cache from run to run.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from _record import VECTOR_CACHE, compare_scores, save
from search_cost import SEED
from temporal_retrieval import SETS, K, Variant, drop_component, read_collection

from epochal.api import Index
from epochal.encoders import CachedEncoder, encoder
from epochal_lab.metrics import measure_rankings

WHOLE = "engine"
WAYS = (Variant("vectors alone", "dense", time=False), Variant("time off: plain hybrid", time=False), Variant(WHOLE))
WORDS = Variant("engine without vectors", drop_component("semantic"))
SHOWN = ("nDCG@10", "hit@1", f"R@{K}")

Values = dict[str, dict[str, float]]


def run_queries(name: str, encoders: list[str], cache: Path) -> dict[tuple[str, str], Values]:
    """Return the measures of each query of a set, by encoder and system."""
    result: dict[tuple[str, str], Values] = {}
    for position, own in enumerate(encoders):
        request = read_collection(name)
        built = CachedEncoder(encoder(own), cache)
        with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=built) as index:
            index.add(request.documents)
            for way in (*WAYS, *(() if position else (WORDS,))):
                ranked = []
                for query in request.queries:
                    hits = index.search(
                        query.text, k=K, now=query.now, time=way.time, collapse_versions=False, scorer=way.scorer
                    )
                    ranked.append([hit.id for hit in hits])
                values = measure_rankings(
                    ranked, [request.qrels[query.id] for query in request.queries], " ".join(SHOWN)
                )
                result["" if way is WORDS else own, way.name] = {
                    query.id: {output: float(scores[position]) for output, scores in values.items()}
                    for position, query in enumerate(request.queries)
                }
                print(f"{name} {own} {way.name}: nDCG@10 {values['nDCG@10'].mean():.4f}", file=sys.stderr, flush=True)
    return result


def build_rows(name: str, result: dict[tuple[str, str], Values]) -> list[dict[str, Any]]:
    """Build one row per system, with the difference of the last encoder's engine from it."""
    ours = [values for (_, way), values in result.items() if way == WHOLE][-1]
    rows = []
    for (own, what), values in result.items():
        row: dict[str, Any] = {"set": name, "encoder": own, "what": what, "questions": len(values)}
        row |= {output: round(float(np.mean([one[output] for one in values.values()])), 4) for output in SHOWN}
        if values is not ours:
            here, there = ({key: one["nDCG@10"] for key, one in way.items()} for way in (ours, values))
            row["engine beyond it"] = compare_scores(here, there, SEED)
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoders", nargs="+", default=["minilm", "epochal-tmrl"])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument(
        "--cache", type=Path, default=VECTOR_CACHE, help=f"keeps vectors from run to run; {VECTOR_CACHE} unless given"
    )
    parser.add_argument("--show", action="store_true", help="show what is found, and write nothing")
    arguments = parser.parse_args()
    rows = [
        row
        for name in arguments.sets
        for row in build_rows(name, run_queries(name, arguments.encoders, arguments.cache))
    ]
    if arguments.show:
        print(json.dumps(rows, indent=2))
        return
    save(
        "tmrl_engine",
        "Do an encoder adapted to time and the engine's scoring of intervals add up, and what does the adapter forget?",
        ", ".join(SETS[name] for name in arguments.sets),
        SEED,
        rows,
        encoders={name: encoder(name).name for name in arguments.encoders},
    )


if __name__ == "__main__":
    main()
