"""Does search find the right document from the right time, and what does each part of it do for that?

    python studies/temporal_retrieval.py [--quick] [--cache FILE] [--sets tnp timeqa scifact]

Reads tnp, timeqa/human_train_beir, scifact of EPOCHAL_DATA. Everything goes through the engine as `epochal run` does:
default settings, k 100, no document behind a copy of it. Vectors are kept in --cache from run to run. With --sets, what
is found is shown and not written. --quick asks a few questions of the news that come with the package, and writes
nothing.

Parts are taken out one at a time: by the weights of the gate where it weighs them, else by changing a constant of the
module that has it, while the questions are asked. Measures are those of `epochal eval`: hit@k is the share of questions
with a relevant document among the first k, R@k (recall) the share of a question's relevant documents that are among
them.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from _data import find_data
from _record import save
from search_cost import CACHE, SEED, Row, Timed, news, quantiles, questions_on

from epochal.api import Index
from epochal.encoders import CachedEncoder, encoder
from epochal.ranking import features as evidence
from epochal.ranking import terms
from epochal.ranking.pool import Scorer
from epochal.ranking.scorer import Gate, GateWeights, default_weights
from epochal.search import candidates
from epochal.storage.importers import QueryRow, read, read_qrels, read_queries
from epochal.storage.records import Document
from epochal_lab.metrics import measure_rankings, parse_measures

K = 100
SETS = {"tnp": "tnp", "timeqa": "timeqa/human_train_beir", "scifact": "scifact"}
#: The sets whose questions ask for times: there, parts are taken out.
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
    judged: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Variant:
    """A way to answer: a scorer, by name or made, with time or without, and constants that are changed meanwhile."""

    name: str
    scorer: str | Scorer | None = None
    time: bool = True
    changes: Changes = nullcontext


@contextmanager
def changed(module: ModuleType, **constants: float) -> Iterator[None]:
    """The constants of a module with other values, for as long as the context lasts."""
    before = {name: getattr(module, name) for name in constants}
    for name, value in constants.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def without(part: str) -> Scorer:
    """The default gate with no weight for a part."""
    weights = default_weights()
    groups = (
        {**group, part: 0.0} if part in group else group for group in (weights.plain, weights.timed, weights.fresh)
    )
    return cast("Scorer", Gate(GateWeights(*groups)))


RIVALS = (
    Variant("BM25", "bm25", time=False),
    Variant("MiniLM", "dense", time=False),
    Variant("time off: plain hybrid", time=False),
)
ABLATIONS = (
    Variant("no alignment", without("alignment")),
    Variant("alignment without local evidence", changes=lambda: changed(evidence, _BEND=0.0)),
    Variant("no nearness", changes=lambda: changed(terms, _FAR=1.0)),
    Variant("no candidates by span", changes=lambda: changed(candidates, _LONGER=-1)),
    Variant("no semantic part", without("semantic")),
    Variant("no lexical part", without("lexical")),
    Variant("no ends of stretches", changes=lambda: changed(evidence, _FIRST=0.0, _LAST=0.0, _BOTH=0.0)),
)


# ---------------------------------------------------------------- material


def collection(name: str) -> Collection:
    folder = find_data(SETS[name])
    judged = {
        query: gains
        for query, found in read_qrels(folder / "qrels" / "test.tsv").items()
        if (gains := {document: gain for document, gain in found.items() if gain > 0})
    }
    queries = [query for query in read_queries(folder) if query.id in judged]
    return Collection(name, read(folder, format="beir"), queries, judged)


def little() -> Collection:
    """News that come with the package, each asked for in words of its own and by its date."""
    items = news(60, quick=True)
    queries, judged = [], {}
    for number, item in enumerate(items[::6]):
        queries.append(QueryRow(str(number), questions_on([item], 2, number)[number % 2].text))
        judged[str(number)] = {item.id: 1}
    return Collection("demo news", items, queries, judged)


# ---------------------------------------------------------------- measuring


def answer(index: Index, own: Timed, asked: Collection, variant: Variant) -> Row:
    """All questions of a set answered one way. Milliseconds are without the encoder's, whose vectors may be kept."""
    ranked: list[list[str]] = []
    took: list[float] = []
    with variant.changes():
        for query in asked.queries:
            own.reset()
            start = time.perf_counter()
            response = index.search(
                query.text, k=K, now=query.now, time=variant.time, collapse_versions=False, scorer=variant.scorer
            )
            took.append(1000 * (time.perf_counter() - start) - own.ms)
            ranked.append([hit.id for hit in response])
    p50, p95 = quantiles(took)
    values = measure_rankings(ranked, [asked.judged[query.id] for query in asked.queries], MEASURES)
    means = {name: round(float(scores.mean()), 4) for name, scores in values.items()}
    row = {"set": asked.name, "what": variant.name, "questions": len(ranked), **means}
    row |= {"p50 ms": round(p50, 1), "p95 ms": round(p95, 1)}
    print(json.dumps(row), file=sys.stderr)
    return row


def rows_of(asked: Collection, cache: Path) -> list[Row]:
    own = Timed(CachedEncoder(encoder(), cache))
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=own) as index:
        size = index.add(asked.documents)
        index.search(asked.queries[0].text, k=K)  # warm
        variants = (Variant("Epochal"), *RIVALS, *(ABLATIONS if asked.name in TIMED else ()))
        return [{**answer(index, own, asked, variant), "documents": size} for variant in variants]


# ---------------------------------------------------------------- what came of it


def summary(rows: Sequence[Row]) -> Row:
    """What was aimed at and whether it was reached; and for each set the figures over those of its best rival."""
    by_name = {(row["set"], row["what"]): row for row in rows}
    targets: list[dict[str, Any]] = []
    for name, wanted in TARGETS.items():
        row = by_name[name, "Epochal"]
        targets += [
            {
                "set": name,
                "measure": measure,
                "target": f">= {least}",
                "found": row[measure],
                "reached": row[measure] >= least,
            }
            for measure, least in wanted.items()
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
        "--cache", type=Path, default=CACHE, help=f"keeps vectors from run to run; {CACHE} unless given"
    )
    parser.add_argument("--sets", nargs="+", choices=SETS, help="only these, and nothing is written")
    arguments = parser.parse_args(given)
    if arguments.quick:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(rows_of(little(), Path(folder) / "vectors.db"), indent=2))
        return
    sets = [collection(name) for name in arguments.sets or SETS]
    rows = [row for asked in sets for row in rows_of(asked, arguments.cache)]
    if arguments.sets:
        print(json.dumps(rows, indent=2))
        return
    save(
        "temporal_retrieval",
        "retrieval with default settings beside BM25, MiniLM and the same search without time; and with one part taken "
        "out at a time. hit@k: questions with a relevant document among the first k; R@k: the share of a question's "
        "relevant documents among them; ms: a search with k 100, without the encoding of the question",
        ", ".join(f"{SETS[asked.name]} ({len(asked.queries):,} questions)" for asked in sets),
        SEED,
        rows,
        encoder=encoder().name,
        taken_out="by the gate's weights: alignment, semantic, lexical; by changed constants while the questions are "
        "asked: evidence._BEND 0 (every time counts as if all words stood around it), terms._FAR 1 (no word is "
        "nearer), candidates._LONGER -1 (no candidates by span), evidence._FIRST, _LAST, _BOTH 0 (no ends of "
        "stretches)",
        **summary(rows),
    )


if __name__ == "__main__":
    main()
