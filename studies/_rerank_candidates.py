"""The engine's best documents for the questions of evaluation sets, as rerank.py and tools/train_rerank.py read them.

    python studies/_rerank_candidates.py FOLDER [SET...]

Writes FOLDER/eval_SET.jsonl.gz, a question a line: its windows, and of each document the best passage with its times,
its score and its grade. Release notes are searched with static vectors, everything else with minilm.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _data import find_data
from _material import read_rows
from _record import Row

from epochal.api import Index
from epochal.encoders import CachedEncoder, encoder
from epochal.errors import EpochalError
from epochal.ranking.pool import Pool, Scored
from epochal.ranking.rerank import describe_time, find_date, read_times
from epochal.ranking.scorer import WeightedScorer
from epochal.storage.importers import read, read_qrels, read_queries
from epochal.storage.records import Document
from epochal.times import Span

SEED, DEPTH, MOST = 5, 50, 400
#: An id, a text, the present that it counts from, and the relevant documents.
Question = tuple[str, str, str | None, dict[str, int]]
Collection = tuple[list[Document], list[Question]]


class Recorder:
    """The default scorer, which keeps what it was given and what it found."""

    name = "recorder"

    def __init__(self) -> None:
        self._inner = WeightedScorer()

    def score(self, pool: Pool) -> Scored:
        self.pool, self.scored = pool, self._inner.score(pool)
        return self.scored


def read_beir(folder: str, most: int | None = None) -> Iterator[Collection]:
    path = find_data(folder)
    graded = read_qrels(path / "qrels" / "test.tsv")
    qrels = {name: {key: gain for key, gain in row.items() if gain > 0} for name, row in graded.items()}
    requests: list[Question] = [
        (row.id, row.text, None, qrels[row.id]) for row in read_queries(path) if qrels.get(row.id)
    ]
    if most is not None:
        random.Random(SEED).shuffle(requests)
    yield list(read(path, format="beir")), requests[:most]


def read_locomo() -> Iterator[Collection]:
    for path in sorted(find_data("locomo").glob("turns_*.jsonl.gz")):
        name = path.name.removeprefix("turns_").partition(".")[0]
        turns = read_rows(f"locomo/turns_{name}.jsonl.gz")
        documents = [Document(row["id"], row["text"], published=Span.parse(row["published"])) for row in turns]
        query = read_rows(f"locomo/questions_{name}.jsonl.gz")
        answerable = [row for row in query if row["kind"] != "unanswerable" and row["gold"]]
        yield documents, [(row["id"], row["text"], row["now"], dict.fromkeys(row["gold"], 1)) for row in answerable]


def read_tdbench() -> Iterator[Collection]:
    facts = read_rows("tdbench/facts.jsonl.gz")
    documents = [Document(row["id"], row["text"], valid=Span.parse(row["valid"])) for row in facts]
    requests: list[Question] = []
    for row in read_rows("tdbench/queries.jsonl.gz"):
        if row["answerable"]:
            gold = row["gold"] if isinstance(row["gold"], list) else [row["gold"]]
            requests.append((row["id"], row["text"], row["now"], dict.fromkeys(gold, 1)))
    random.Random(SEED).shuffle(requests)
    yield documents, requests[:MOST]


def read_changelogs() -> Iterator[Collection]:
    """Release notes: what changed in a package in a month, and lines of its notes."""
    rows = [row for row in read_rows("changelogs/pypi.jsonl.gz") if row["text"].strip()]
    documents, months = [], {}
    for row in rows:
        day = parse_day(row.get("published"))
        documents.append(Document(row["id"], row["text"], row["title"], day))
        if day is not None and len(row["published"]) >= len("2020-01"):
            months.setdefault((row["package"], row["published"][:7]), []).append(row["id"])
    rng = random.Random(SEED)
    requests: list[Question] = []
    for (package, month), ids in rng.sample(sorted(months.items()), 250):
        text = f"What changed in {package} in {Span.parse(month).describe()}?"
        requests.append((f"m-{package}-{month}", text, "2026-01-01", dict.fromkeys(ids, 1)))
    for row in rng.sample([row for row in rows if len(row["text"]) > 150], 150):
        lines = [line.strip(" -*") for line in row["text"].splitlines() if 30 < len(line) < 140]
        if lines:
            text = f"{row['package']}: {rng.choice(lines)}"
            requests.append((f"l-{row['id']}", text, "2026-01-01", {row["id"]: 1}))
    yield documents, requests


def parse_day(text: str | None) -> Span | None:
    try:
        return Span.parse(text) if text else None
    except EpochalError:
        return None  # "2011-16-09"


SETS: dict[str, Callable[[], Iterator[Collection]]] = {
    "timeqa": lambda: read_beir("timeqa/human_train_beir"),
    "scifact": lambda: read_beir("scifact"),
    "tnp": lambda: read_beir("tnp", MOST),
    "tdbench": read_tdbench,
    "locomo": read_locomo,
    "changelogs": read_changelogs,
}


def describe_question(question: Question, recorder: Recorder) -> Row:
    name, text, _, gold = question
    pool, scores = recorder.pool, recorder.scored.scores
    order = np.lexsort((pool.rows, -scores))
    best = np.sort(np.unique(pool.document_rows[order], return_index=True)[1])
    positions = order[best][:DEPTH]
    hits: list[dict[str, Any]] = []
    texts = pool.view.get_texts(pool.rows[positions])
    documents = pool.view.get_documents(pool.document_rows[positions])
    for position, passage, document in zip(positions.tolist(), texts, documents, strict=True):
        day = find_date(document)
        hits.append(
            {
                "id": document.id,
                "s": round(float(scores[position]), 5),
                "title": passage.title,
                "text": passage.text,
                "t": [list(item) for item in read_times(pool, int(pool.rows[position]), passage.text)],
                "pub": None if day is None else list(day[2:]),
                "g": gold.get(document.id, 0),
            }
        )
    windows = [describe_time(window.span) for window in pool.windows]
    return {"id": name, "q": text, "w": windows, "gold": len(gold), "hits": hits}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sets", nargs="*", choices=[*SETS, []], help="all unless given")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.sets or SETS:
        model = encoder("static") if name == "changelogs" else CachedEncoder(encoder(), arguments.folder / "vectors.db")
        with gzip.open(arguments.folder / f"eval_{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            for documents, query in SETS[name]():
                with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=model) as index:
                    index.add(documents)
                    for question in query:
                        recorder = Recorder()
                        index.search(
                            question[1],
                            k=DEPTH,
                            now=question[2],
                            collapse_versions=False,
                            promote_current_version=False,
                            scorer=recorder,
                        )
                        file.write(json.dumps(describe_question(question, recorder), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
