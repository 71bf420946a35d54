"""Does search find the right document from the right time, and what does each part of it do for that?

    python studies/temporal_retrieval.py [--quick] [--cache FILE] [--jobs N] [--sets tnp timeqa scifact]

Makes the headline table and the ablations in docs/results/retrieval.md. Reads tnp, timeqa/human_train_beir and scifact
from EPOCHAL_DATA. Everything goes through the engine as `epochal run` does: default settings, k 100, no version hidden
behind another. Vectors are kept in --cache from run to run, and rows too while the code is the same, so that a run that
was stopped goes on. With --sets the figures are printed and not written. `code` is the fingerprint of across_papers.py.
--quick asks a few questions about the news that come with the package, and writes nothing.

Components are removed one at a time: by the weights of the scorer where it weighs them, else by overriding a constant
of their module during the run. Measures are those of `epochal eval`: hit@k is the share of questions
with a relevant document among the first k, R@k (recall) the share of a question's relevant documents that are among
them.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from _data import find_data
from _material import make_questions, sample_news
from _record import CACHE_FOLDER, VECTOR_CACHE, Row, get_quantiles, override_constants, save
from across_papers import hash_code
from search_cost import SEED, TimedEncoder

from epochal.api import Index
from epochal.encoders import CachedEncoder, encoder
from epochal.ranking import features as evidence
from epochal.ranking import terms
from epochal.ranking.pool import Scorer
from epochal.ranking.scorer import ScorerWeights, WeightedScorer, load_default_weights
from epochal.search import candidates
from epochal.storage.importers import QueryRow, read, read_qrels, read_queries
from epochal.storage.records import Document
from epochal_lab.metrics import measure_rankings, parse_measures

K = 100
#: The longest first, for several processes.
SETS = {"timeqa": "timeqa/human_train_beir", "tnp": "tnp", "scifact": "scifact"}
#: The sets whose questions ask for times: there, components are removed.
TIMED = ("tnp", "timeqa", "demo news")
#: For each set the least that each measure should be.
TARGETS = {"tnp": {"nDCG@10": 0.97}, "timeqa": {"hit@1": 0.50, "nDCG@10": 0.70}}
#: How far scifact may fall when time is on.
NO_LOSS = 0.002
MEASURES = parse_measures(f"nDCG@10 hit@1 hit@10 R@10 R@{K}")
Changes = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True)
class Collection:
    name: str
    documents: Iterable[Document]
    queries: list[QueryRow]
    qrels: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Variant:
    """A configuration of search: a scorer, with time or without, and constants that are overridden meanwhile."""

    name: str
    scorer: str | Scorer | None = None
    time: bool = True
    changes: Changes = nullcontext


def drop_component(part: str) -> Scorer:
    """The default scorer with no weight for a component."""
    weights = load_default_weights()
    groups = (
        {**group, part: 0.0} if part in group else group for group in (weights.plain, weights.timed, weights.fresh)
    )
    return cast("Scorer", WeightedScorer(ScorerWeights(*groups)))


RIVALS = (
    Variant("BM25", "bm25", time=False),
    Variant("MiniLM", "dense", time=False),
    Variant("time off: plain hybrid", time=False),
)
ABLATIONS = (
    Variant("no topic", cast("Scorer", WeightedScorer(relevance_model=None))),
    Variant("no alignment", drop_component("alignment")),
    Variant("alignment without local evidence", changes=lambda: override_constants(evidence, _BEND=0.0)),
    Variant("no nearness", changes=lambda: override_constants(terms, _FAR=1.0)),
    Variant("no candidates by span", changes=lambda: override_constants(candidates, _LONGER=-1)),
    Variant("no semantic part", drop_component("semantic")),
    Variant("no lexical part", drop_component("lexical")),
    Variant("no ends of stretches", changes=lambda: override_constants(evidence, _FIRST=0.0, _LAST=0.0, _BOTH=0.0)),
)


# ---------------------------------------------------------------- material


def read_collection(name: str) -> Collection:
    folder = find_data(SETS[name])
    qrels = {
        query: gains
        for query, grades in read_qrels(folder / "qrels" / "test.tsv").items()
        if (gains := {document: gain for document, gain in grades.items() if gain > 0})
    }
    queries = [query for query in read_queries(folder) if query.id in qrels]
    return Collection(name, read(folder, format="beir"), queries, qrels)


def make_small_collection() -> Collection:
    """News that come with the package, each searched for by some of its words and its date."""
    items = sample_news(60, quick=True)
    queries, qrels = [], {}
    for number, item in enumerate(items[::6]):
        queries.append(QueryRow(str(number), make_questions([item], 2, number)[number % 2].text))
        qrels[str(number)] = {item.id: 1}
    return Collection("demo news", items, queries, qrels)


# ---------------------------------------------------------------- measuring


def measure(index: Index, model: TimedEncoder, collection: Collection, variant: Variant) -> Row:
    """Run all queries of a set. Milliseconds are without the encoder's, whose vectors may be cached."""
    ranked: list[list[str]] = []
    took: list[float] = []
    with variant.changes():
        for query in collection.queries:
            model.reset()
            start = time.perf_counter()
            response = index.search(
                query.text, k=K, now=query.now, time=variant.time, collapse_versions=False, scorer=variant.scorer
            )
            took.append(1000 * (time.perf_counter() - start) - model.ms)
            ranked.append([hit.id for hit in response])
    p50, p95 = get_quantiles(took)
    values = measure_rankings(ranked, [collection.qrels[query.id] for query in collection.queries], MEASURES)
    means = {name: round(float(scores.mean()), 4) for name, scores in values.items()}
    row = {"set": collection.name, "what": variant.name, "questions": len(ranked), **means}
    row |= {"p50 ms": round(p50, 1), "p95 ms": round(p95, 1)}
    print(json.dumps(row), file=sys.stderr)
    return row


def measure_collection(collection: Collection, cache: Path, kept: Path) -> list[Row]:
    """The rows of a set; those that a file has are taken from there, and others are added to it."""
    variants = (Variant("Epochal"), *RIVALS, *(ABLATIONS if collection.name in TIMED else ()))
    rows = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()] if kept.exists() else []
    known = {row["what"]: row for row in rows}
    if len(known) < len(variants):
        kept.parent.mkdir(parents=True, exist_ok=True)
        model = TimedEncoder(CachedEncoder(encoder(), cache))
        with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=model) as index:
            size = index.add(collection.documents)
            index.search(collection.queries[0].text, k=K)  # warm
            for variant in variants:
                if variant.name not in known:
                    row = {**measure(index, model, collection, variant), "documents": size}
                    known[variant.name] = row
                    with kept.open("a", encoding="utf-8") as file:
                        file.write(f"{json.dumps(row)}\n")
    return [known[variant.name] for variant in variants]


def measure_set(name: str, cache: Path, work: Path) -> list[Row]:
    return measure_collection(read_collection(name), cache, work / f"{name}.jsonl")


# ---------------------------------------------------------------- result


def summarise(rows: Sequence[Row]) -> Row:
    """The targets and whether they were reached; and for each set the nDCG@10 over that of the best rival."""
    by_name = {(row["set"], row["what"]): row for row in rows}
    targets: list[Row] = []
    for name, least_by_measure in TARGETS.items():
        row = by_name[name, "Epochal"]
        targets += [
            {
                "set": name,
                "measure": measure,
                "target": f">= {minimum}",
                "found": row[measure],
                "reached": row[measure] >= minimum,
            }
            for measure, minimum in least_by_measure.items()
        ]
    lost = by_name["scifact", RIVALS[-1].name]["nDCG@10"] - by_name["scifact", "Epochal"]["nDCG@10"]
    targets.append(
        {
            "set": "scifact",
            "measure": "nDCG@10 lost by time",
            "target": f"<= {NO_LOSS}",
            "found": round(lost, 4),
            "reached": lost <= NO_LOSS,
        }
    )
    rivals = [rival.name for rival in RIVALS]
    ratios = {
        name: round(by_name[name, "Epochal"]["nDCG@10"] / max(by_name[name, rival]["nDCG@10"] for rival in rivals), 3)
        for name in SETS
    }
    return {"targets": targets, "nDCG@10 / that of the best rival in this run": ratios}


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument(
        "--cache", type=Path, default=VECTOR_CACHE, help=f"keeps vectors from run to run; {VECTOR_CACHE} unless given"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes that measure sets at once")
    parser.add_argument("--sets", nargs="+", choices=SETS, help="only these, and nothing is written")
    arguments = parser.parse_args(given)
    if arguments.quick:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            rows = measure_collection(make_small_collection(), place / "vectors.db", place / "rows.jsonl")
            print(json.dumps(rows, indent=2))
        return
    code, names = hash_code(), [name for name in SETS if name in (arguments.sets or SETS)]
    find_data(SETS[names[0]])
    with ProcessPoolExecutor(arguments.jobs) as pool:
        work = CACHE_FOLDER / "temporal_retrieval" / code
        rows = [row for part in pool.map(partial(measure_set, cache=arguments.cache, work=work), names) for row in part]
    if arguments.sets:
        print(json.dumps(rows, indent=2))
        return
    save(
        "temporal_retrieval",
        "retrieval with default settings beside BM25, MiniLM and the same search without time; and with one part taken "
        "out at a time. hit@k: questions with a relevant document among the first k; R@k: the share of a question's "
        "relevant documents among them; ms: a search with k 100, without the encoding of the question",
        ", ".join(f"{SETS[row['set']]} ({row['questions']:,} questions)" for row in rows if row["what"] == "Epochal"),
        SEED,
        rows,
        code=code,
        encoder=encoder().name,
        taken_out="by the scorer: topic; by the gate's weights: alignment, semantic, lexical; by changed constants "
        "while the questions are asked: evidence._BEND 0 (every time counts as if all words stood around it), "
        "terms._FAR 1 (no word is nearer), candidates._LONGER -1 (no candidates by span), evidence._FIRST, _LAST, "
        "_BOTH 0 (no ends of stretches)",
        **summarise(rows),
    )


if __name__ == "__main__":
    main()
