"""Does a search within a window of time find all of the best, however little the window keeps, and what does it cost?

    python studies/narrow_windows.py [--quick]

Makes the table of narrow windows in docs/results/speed.md. Everything is synthetic and seeded: documents with random
spans, clustered vectors, short texts whose words follow Zipf's law. Rivals are plain faiss and plain tantivy on the
same vectors, texts and windows. --quick takes few documents, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt
import tantivy
from _record import Row, get_quantiles, override_constants, save

from epochal.api import Index
from epochal.ingest import StatedTimes
from epochal.reading.expression import StatedRange
from epochal.search import search
from epochal.storage.protocol import Rows, View
from epochal.storage.records import Document
from epochal.storage.store import Store
from epochal.storage.text import analyse
from epochal.times import Grain, Span
from epochal.times.axis import DAY

SEED = 7
COUNT, QUESTIONS = 200_000, 50
DIM, CENTRES, VOCABULARY, LENGTH = 384, 2_000, 20_000, 12
SHARES = (0.001, 0.01, 0.1, 0.5, 1.0)
AXIS = Span.parse("1000/2024")
LONGEST = 3 * 365
K = 50
#: How many hits a rival that filters afterwards fetches.
FETCHED = 4 * K
#: Scores that differ by less count as equal: single precision does not tell them apart.
SLACK = 1e-5
Floats = npt.NDArray[np.float64]


# ---------------------------------------------------------------- material


class ClusteredEncoder:
    """A synthetic encoder: a text's vector is a centre plus noise, both seeded by the text's checksum."""

    name, dim = "clustered", DIM

    def __init__(self) -> None:
        self.centres = np.random.default_rng(SEED).standard_normal((CENTRES, DIM)).astype(np.float32)

    def encode_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return self._encode(texts, centres=1)

    def encode_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Between two centres: near some documents and equal to none, like a question."""
        return self._encode(texts, centres=2)

    def _encode(self, texts: Sequence[str], centres: int) -> npt.NDArray[np.float32]:
        result = np.empty((len(texts), DIM), np.float32)
        for row, text in enumerate(texts):
            rng = np.random.default_rng(zlib.crc32(text.encode()))
            result[row] = self.centres[rng.integers(0, CENTRES, centres)].sum(axis=0)
            result[row] += 0.8 * rng.standard_normal(DIM, np.float32)
        return np.asarray(result / np.linalg.norm(result, axis=1, keepdims=True), dtype=np.float32)


def make_words(count: int) -> list[str]:
    """Invented words that the analyser leaves as they are: no two have one stem."""
    rng = np.random.default_rng(SEED)
    consonants, vowels = np.array(list("bdfgklmnprtvz")), np.array(list("aou"))
    result: dict[str, None] = {}
    while len(result) < count:
        sounds = np.stack([rng.choice(consonants, (count, 4)), rng.choice(vowels, (count, 4))], axis=2)
        built = ("".join(word) for word in sounds.reshape(count, 8))
        result |= {word: None for word in built if analyse(word) == [word]}
    return list(result)[:count]


@dataclass(frozen=True, eq=False)
class World:
    """Texts as word ids, and the span of each in days; a third are published, a third valid, a third stated then."""

    vocabulary: list[str]
    tokens: npt.NDArray[np.int64]
    starts: Rows
    ends: Rows

    @classmethod
    def make(cls, count: int) -> World:
        rng = np.random.default_rng(SEED)
        chances = 1 / np.arange(1, VOCABULARY + 1)
        tokens = rng.choice(VOCABULARY, (count, LENGTH), p=chances / chances.sum())
        starts = rng.integers(AXIS.start // DAY, AXIS.end // DAY - LONGEST, count)
        lengths = np.exp(rng.uniform(0, np.log(LONGEST), count)).astype(np.int64)
        return cls(make_words(VOCABULARY), tokens, starts, starts + np.maximum(lengths, 1))

    def __len__(self) -> int:
        return len(self.tokens)

    def text(self, row: int) -> str:
        return " ".join(self.vocabulary[word] for word in self.tokens[row])

    def span(self, row: int) -> Span:
        return Span(int(self.starts[row]) * DAY, int(self.ends[row]) * DAY, Grain.DAY)

    def documents(self) -> Iterator[Document]:
        for row in range(len(self)):
            published = self.span(row) if row % 3 == 0 else None
            valid = self.span(row) if row % 3 == 1 else None
            yield Document(str(row), self.text(row), published=published, valid=valid)

    def read(self, document: Document) -> StatedTimes:
        """The last third of the spans is stated in the text."""
        row = int(document.id)
        return [], [StatedRange(self.span(row), 0, 1, 1.0, ())] if row % 3 == 2 else []

    def window(self, share: float, rng: np.random.Generator) -> tuple[int, int]:
        """First and last day of a window around a random day that keeps that share of the documents."""
        low, high = AXIS.start // DAY, AXIS.end // DAY
        if share == 1:
            return low, high
        middle = int(rng.integers(low + (high - low) // 3, high - (high - low) // 3))
        narrow, wide = 1, high - low
        while narrow < wide:
            half = (narrow + wide) // 2
            if int(self.inside((middle - half, middle + half)).sum()) < share * len(self):
                narrow = half + 1
            else:
                wide = half
        return middle - narrow, middle + narrow

    def inside(self, window: tuple[int, int]) -> npt.NDArray[np.bool_]:
        return (self.starts < window[1]) & (self.ends > window[0])


def score_bm25(world: World, query: Sequence[int]) -> Floats:
    """Every document's BM25 by definition (k1 1.2, b 0.75; all texts are of one length, so b has nothing to do)."""
    scores = np.zeros(len(world))
    for word, times in Counter(query).items():
        counts = (world.tokens == word).sum(axis=1)
        having = int((counts > 0).sum())
        idf = np.log1p((len(world) - having + 0.5) / (having + 0.5))
        scores += times * idf * counts * 2.2 / (counts + 1.2)
    return scores


# ---------------------------------------------------------------- measuring


@dataclass(frozen=True, eq=False)
class Task:
    """One query within one window: the rows inside, and the true scores of every row."""

    window: tuple[int, int]
    mask: npt.NDArray[np.bool_]
    rows: Rows
    text: str
    vector: npt.NDArray[np.float32]
    lexical: Floats
    semantic: Floats

    @property
    def span(self) -> Span:
        return Span(self.window[0] * DAY, self.window[1] * DAY, Grain.DAY)


def make_tasks(
    world: World, model: ClusteredEncoder, vectors: npt.NDArray[np.float32], share: float, count: int
) -> list[Task]:
    """Queries of three words of a document and one frequent word."""
    rng = np.random.default_rng(SEED + int(1000 * share))
    matches = []
    for _ in range(count):
        window = world.window(share, rng)
        mask = world.inside(window)
        query = [*rng.choice(world.tokens[rng.integers(0, len(world))], 3).tolist(), int(rng.integers(0, 20))]
        text = " ".join(world.vocabulary[word] for word in query)
        vector = model.encode_queries([text])[0]
        semantic = (vectors @ vector).astype(np.float64)
        matches.append(Task(window, mask, np.flatnonzero(mask), text, vector, score_bm25(world, query), semantic))
    return matches


@dataclass(frozen=True)
class Method:
    """A way to search, and the true scores that its hits are compared with."""

    run: Callable[[Task], Sequence[int] | Rows]
    truth: Callable[[Task], Floats]


def get_recall(task: Task, scores: Floats, matches: Sequence[int] | Rows) -> float:
    """The share of the K best rows within the window that were found; rows with score 0 are not relevant."""
    inside = scores[task.mask & (scores > 0)]
    count = min(K, len(inside))
    if not count:
        return 1.0
    minimum = np.partition(inside, len(inside) - count)[len(inside) - count] * (1 - SLACK)
    rows = np.unique(np.asarray(matches, dtype=np.int64))
    return min(int((task.mask[rows] & (scores[rows] >= minimum)).sum()), count) / count


def measure(share: float, tasks: Sequence[Task], methods: dict[str, Method]) -> list[Row]:
    """Recall and milliseconds of all methods, which take turns, over the queries of one share."""
    took: dict[str, list[float]] = {name: [] for name in methods}
    recalls: dict[str, list[float]] = {name: [] for name in methods}
    outside = dict.fromkeys(methods, 0)
    for method in methods.values():
        method.run(tasks[0])  # warm
    for task in tasks:
        for name, method in methods.items():
            start = time.perf_counter()
            result = method.run(task)
            took[name].append(1000 * (time.perf_counter() - start))
            recalls[name].append(get_recall(task, method.truth(task), result))
            outside[name] += int((~task.mask[np.asarray(result, dtype=np.int64)]).sum())
    return [
        {
            "window keeps": share,
            "what": name,
            f"recall@{K}": round(float(np.mean(recalls[name])), 4),
            "least recall": round(min(recalls[name]), 4),
            "rows outside the window": outside[name],
            "p50 ms": round(get_quantiles(took[name])[0], 3),
            "p95 ms": round(get_quantiles(took[name])[1], 3),
        }
        for name in methods
    ]


# ---------------------------------------------------------------- rivals


#: Its type stubs lack what faiss adds at import.
FAISS: Any = faiss


class Faiss:
    """Plain faiss: every vector compared, or the nearest 32 of 1,024 lists."""

    def __init__(self, vectors: npt.NDArray[np.float32]) -> None:
        self.flat = faiss.IndexFlatIP(DIM)
        self.flat.add(vectors)
        lists = min(1024, len(vectors) // 40)
        self.ivf = faiss.IndexIVFFlat(faiss.IndexFlatIP(DIM), DIM, lists, faiss.METRIC_INNER_PRODUCT)
        self.ivf.train(vectors)
        self.ivf.add(vectors)
        self.ivf.nprobe = 32

    def exact(self, task: Task) -> Rows:
        return self._search(self.flat, task, K, FAISS.SearchParameters(sel=self._select_window(task)))

    def filtered(self, task: Task) -> Rows:
        rows = self._search(self.ivf, task, FETCHED)
        return rows[task.mask[rows]][:K]

    def selected(self, task: Task) -> Rows:
        return self._search(self.ivf, task, K, FAISS.SearchParametersIVF(sel=self._select_window(task), nprobe=32))

    @staticmethod
    def _select_window(task: Task) -> Any:
        return FAISS.IDSelectorBitmap(np.packbits(task.mask, bitorder="little"))

    @staticmethod
    def _search(index: Any, task: Task, count: int, parameters: Any = None) -> Rows:
        rows: Rows = index.search(task.vector[None], count, params=parameters)[1][0]
        return rows[rows >= 0]


class Tantivy:
    """Plain tantivy: the best matches, filtered afterwards, or the two ends of the window as conditions on fields."""

    def __init__(self, world: World, folder: Path) -> None:
        builder = tantivy.SchemaBuilder()
        for name in ("row", "start", "end"):
            builder.add_integer_field(name, stored=False, indexed=True, fast=True)
        builder.add_text_field("body", stored=False, tokenizer_name="whitespace", index_option="freq")
        self.schema = builder.build()
        folder.mkdir()
        index = tantivy.Index(self.schema, str(folder))
        writer = index.writer(128_000_000, num_threads=1)
        for row in range(len(world)):
            start, end = int(world.starts[row]), int(world.ends[row])
            fields = {"row": row, "start": start, "end": end, "body": world.text(row)}
            writer.add_document(tantivy.Document.from_dict(fields, self.schema))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self.searcher = index.searcher()

    def filtered(self, task: Task) -> Rows:
        rows = self._search(self._words(task), FETCHED)
        return rows[task.mask[rows]][:K]

    def conditioned(self, task: Task) -> Rows:
        integer = tantivy.FieldType.Integer
        low, high = task.window
        begins = tantivy.Query.range_query(self.schema, "start", integer, None, high - 1)
        ends = tantivy.Query.range_query(self.schema, "end", integer, low + 1, None)
        both = [(tantivy.Occur.Must, tantivy.Query.const_score_query(query, 0.0)) for query in (begins, ends)]
        return self._search(tantivy.Query.boolean_query([(tantivy.Occur.Must, self._words(task)), *both]), K)

    def _words(self, task: Task) -> Any:
        counts = Counter(task.text.split())
        terms = [
            tantivy.Query.boost_query(tantivy.Query.term_query(self.schema, "body", word, "freq"), float(times))
            for word, times in counts.items()
        ]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])

    def _search(self, query: Any, count: int) -> Rows:
        hits = self.searcher.search(query, count, count=False).hits
        return np.array(self.searcher.fast_field_values("row", [at for _, at in hits]), dtype=np.int64)


# ---------------------------------------------------------------- the whole


def search_window(index: Index, task: Task, scorer: str | None = None) -> list[tuple[int, float]]:
    """A strict search within the window, without collapsing near-duplicates."""
    hits = index.search(task.text, k=K, during=task.span, strict=True, collapse_versions=False, scorer=scorer)
    return [(int(hit.id), hit.score) for hit in hits]


def score_all(index: Index, task: Task) -> Floats:
    """The scores of the K best where everything in the window is a candidate; 0 for the others.

    Overrides the constant that limits candidates: no option goes that far.
    """
    scores = np.zeros(len(task.mask))
    with override_constants(search, _DEPTH=len(task.mask)):
        for row, score in search_window(index, task):
            scores[row] = score
    return scores


def list_methods(index: Index, view: View, near: Faiss, words: Tantivy) -> dict[str, Method]:
    def semantic(task: Task) -> Floats:
        return task.semantic

    def lexical(task: Task) -> Floats:
        return task.lexical

    return {
        "vectors": Method(lambda task: view.search_vectors(task.vector, K, task.rows).rows, semantic),
        "vectors: faiss flat, selected inside": Method(near.exact, semantic),
        f"vectors: faiss IVF, {FETCHED} filtered afterwards": Method(near.filtered, semantic),
        "vectors: faiss IVF, selected inside": Method(near.selected, semantic),
        "words": Method(lambda task: view.search_words(task.text, K, task.rows).rows, lexical),
        f"words: tantivy, {FETCHED} filtered afterwards": Method(words.filtered, lexical),
        "words: tantivy, ends of the window as conditions": Method(words.conditioned, lexical),
        "strict search by vectors": Method(
            lambda task: [row for row, _ in search_window(index, task, "dense")], semantic
        ),
        "strict search by words": Method(lambda task: [row for row, _ in search_window(index, task, "bm25")], lexical),
        "strict search": Method(
            lambda task: [row for row, _ in search_window(index, task)], lambda task: score_all(index, task)
        ),
    }


#: Our own methods. The last weighs words, vectors and times together, and takes its candidates from the best of each,
#: so it may miss what is only fair by all of them, with a window or without.
OWN = ("vectors", "words", "strict search by vectors", "strict search by words", "strict search")


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    quick = parser.parse_args(given).quick
    count, questions = (2_000, 3) if quick else (COUNT, QUESTIONS)
    world, model = World.make(count), ClusteredEncoder()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with Index.create(folder / "index", encoder=model) as index:
            index.add(world.documents(), read=world.read)
        vectors = model.encode_documents([world.text(row) for row in range(count)])
        near, words = Faiss(vectors), Tantivy(world, folder / "tantivy")
        with Store.open(folder / "index") as store, Index.open(folder / "index", encoder=model) as index:
            for share in SHARES:
                tasks = make_tasks(world, model, vectors, share, questions)
                rows += measure(share, tasks, list_methods(index, store.view(), near, words))
    if quick:
        print(json.dumps(rows, indent=2))
        return
    save(
        "narrow_windows",
        f"recall@{K} within a window of time against brute force, and the time it takes, beside faiss and tantivy; a "
        "strict search against the same one with everything that the window keeps as a candidate",
        f"{count:,} documents of {LENGTH} words (Zipf, {VOCABULARY:,} words), vectors of {DIM} dimensions about "
        f"{CENTRES:,} centres, spans of a day to {LONGEST} days in {AXIS.edtf()}; {questions} questions a share, each "
        "with its own window. The rows that a window keeps are given to all but the strict searches and tantivy's "
        f"conditions, which find them. Scores that differ by less than {SLACK} of themselves count as equal",
        SEED,
        rows,
        target=f"recall@{K} 1.000",
        reached={name: all(row["least recall"] == 1 for row in rows if row["what"] == name) for name in OWN},
    )


if __name__ == "__main__":
    main()
