"""What do BM25, dense search and Epochal reach on test sets made from documents without labels?

    python studies/made_sets.py [--quick] [--encoder static] [--sets terms forecasts current_events] [--questions]

Makes the table of generated test sets in docs/results/retrieval.md. Generates 20 questions of each kind from each of
three collections (see _material.py) as `epochal bench make` does, and scores three systems on them. hit@1: questions
with a relevant document in first place. silent: of the questions to which nothing is recorded, those of which a system
says so; BM25 and dense search never do. --questions prints the sample of questions that was reviewed by hand, with its
gold, and scores nothing; results/made_questions_review.md has the verdicts. With --sets the figures are printed and not
written. --quick takes the news that come with the package, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from _material import COLLECTIONS, sample_news
from _record import Row, save

from epochal.api import Index
from epochal.storage.protocol import Ranked
from epochal.storage.records import Document
from epochal_lab.datasets.making.make import make
from epochal_lab.datasets.records import BenchSet
from epochal_lab.runs.score import SetScores, score

SEED = 90210
PER_KIND = 20
#: How many questions of each collection were reviewed by hand.
REVIEWED = {"current_events": 17, "terms": 17, "forecasts": 16}
MEASURES = "nDCG@10 hit@1 hit@10 R@10"
K = 100
#: Passages that are ranked for each document that is wanted.
PASSAGES = 10
Answer = Callable[[str, int, object], Any]


def make_set(documents: Iterable[Document], per_kind: int = PER_KIND) -> BenchSet:
    return make(documents, per_kind=per_kind, seed=SEED)[0]


def list_systems(index: Index) -> dict[str, Answer | Index]:
    """BM25 and dense search straight from the index, without the engine's handling of versions; and the engine."""
    view, encoder = index.view(), index.encoder

    def documents(ranked: Ranked, k: int) -> list[str]:
        rows = list(dict.fromkeys(view.get_document_rows(ranked.rows).tolist()))[
            :k
        ]  # a document where its best passage is
        return [document.id for document in view.get_documents(np.array(rows, dtype=np.int64))]

    systems: dict[str, Answer | Index] = {
        "BM25": lambda question, k, now: documents(view.search_words(question, PASSAGES * k), k)
    }
    if encoder is not None:
        systems["dense"] = lambda question, k, now: documents(
            view.search_vectors(encoder.encode_queries([question])[0], PASSAGES * k), k
        )
    return {**systems, "Epochal": index}


def make_row(name: str, system: str, bench_set: BenchSet, documents: int, scores: SetScores) -> Row:
    row: Row = {"set": name, "what": system, "documents": documents, "questions": len(bench_set.queries)}
    row |= {measure: round(match.mean, 4) for measure, match in scores.measures.items()}
    row["silent"] = None if scores.silent is None else round(scores.silent.mean, 4)
    row["wrongly silent"] = None if scores.wrongly_silent is None else round(scores.wrongly_silent.mean, 4)
    row["nDCG@10 by kind"] = {kind: round(match["nDCG@10"].mean, 4) for kind, match in scores.kinds.items()}
    return row


def measure_collection(
    name: str, documents: list[Document], encoder: str | None, per_kind: int = PER_KIND
) -> list[Row]:
    bench_set = make_set(documents, per_kind)
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=encoder) as index:
        index.add(documents)
        return [
            make_row(name, system, bench_set, len(documents), score(match, bench_set, MEASURES, k=K))
            for system, match in list_systems(index).items()
        ]


def sample_questions(name: str) -> tuple[BenchSet, list[Any]]:
    """The questions that were reviewed: sampled by the seed, before any of them was seen."""
    bench_set = make_set(COLLECTIONS[name]())
    return bench_set, random.Random(SEED).sample(list(bench_set.queries), REVIEWED[name])


def show_questions(names: Sequence[str]) -> None:
    for name in names:
        result, queries = sample_questions(name)
        for query in queries:
            gold = sorted(result.qrels.get(query.id, {}))
            print(json.dumps({"set": name, "id": query.id, "text": query.text, "gold": gold}, ensure_ascii=False))


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument("--encoder", default="static", help="static unless given")
    parser.add_argument("--sets", nargs="+", choices=COLLECTIONS, help="only these, and nothing is written")
    parser.add_argument("--questions", action="store_true", help="print the questions that were reviewed by hand")
    arguments = parser.parse_args(given)
    if arguments.quick:
        print(json.dumps(measure_collection("demo news", sample_news(300, quick=True), "static", 3), indent=2))
        return
    names = arguments.sets or list(COLLECTIONS)
    if arguments.questions:
        show_questions(names)
        return
    rows = [row for name in names for row in measure_collection(name, COLLECTIONS[name](), arguments.encoder)]
    if arguments.sets:
        print(json.dumps(rows, indent=2))
        return
    save(
        "made_sets",
        "test sets made from documents without labels: BM25, dense search and Epochal with default settings; hit@1: "
        "questions with a relevant document in first place; silent: questions to which nothing is recorded of which a "
        "system says so",
        "terms (all versions), forecasts (five versions of each of the first 60 days), current_events "
        "(every fifteenth item)",
        SEED,
        rows,
        encoder=arguments.encoder,
        per_kind=PER_KIND,
    )


if __name__ == "__main__":
    main()
