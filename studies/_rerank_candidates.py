"""The engine's best documents for questions to evaluate and to train on, as rerank.py and tools/train_rerank.py do.

    python studies/_rerank_candidates.py FOLDER [SET...] [--processes N]

Writes FOLDER/eval_SET.jsonl.gz, a question a line: its windows, and of each document the best passage with its times,
its score and its grade. Release notes are searched with static vectors, everything else with minilm. FOLDER/train_SET
is the same for questions to train on: those of people on the pages of TimeQA that are not held out, with other times
of the same fact and by the templates of its relation; and a sample of the questions that _rerank_rows.py wrote into
FOLDER/train, searched among the passages of their corpus.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from _data import find_data
from _material import read_rows
from _record import Row
from rerank import HELD, find_part, read_lines

from epochal.api import Index
from epochal.encoders import encoder
from epochal.encoders.bundled import MiniLM
from epochal.errors import EpochalError
from epochal.ranking.pool import Pool, Scored
from epochal.ranking.rerank import describe_time, find_date, read_times
from epochal.ranking.scorer import WeightedScorer
from epochal.storage.importers import read, read_qrels, read_queries
from epochal.storage.records import Document
from epochal.times import Span
from epochal.times.axis import Grain
from epochal.times.words import MONTHS
from epochal_lab.datasets.augment.facts import Templates

SEED, DEPTH, MOST = 5, 50, 400
#: The same for questions to train on by construction.
FEW = 30
#: An id, a text, the present that it counts from, and the relevant documents.
Question = tuple[str, str, str | None, dict[str, int]]
Collection = tuple[list[Document], list[Question]]
#: Questions of _rerank_rows.py to search for, of each corpus.
SEARCHED = {"wiki": 4000, "news": 3500, "scifact": 3500, "terms": 1500}
#: Questions that a worker takes at a time.
SLICE = 60


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
    documents: list[Document] = []
    months: dict[tuple[str, str], list[str]] = {}
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


# ---------------------------------------------------------------- questions to train on

_POINT = r"(?:[A-Z][a-z]{2} )?\d{3,4}"
_RANGE = re.compile(rf"\b(?P<before>[Ff]rom|[Bb]etween|[Ss]tarting in) (?P<a>{_POINT}) (?:to|and) (?P<b>{_POINT})")


def vary_time(question: str, rng: random.Random) -> list[str]:
    """The same question for other times of its fact: of what holds from 1811 to 1827, one may ask in 1815."""
    match = _RANGE.search(question)
    if match is None:
        return []
    start, end = match["a"], match["b"]
    first, last = int(start.split()[-1]), int(end.split()[-1])
    inside = list(range(first + 1, last))
    times = [f"between {start} and {end}", f"from {start} until {end}"]
    if inside:
        times += [f"in {rng.choice(inside)}", f"in {rng.choice(MONTHS)} {rng.choice(inside)}"]
    if len(inside) > 1:
        low, high = sorted(rng.sample(inside, 2))
        times.append(f"from {low} to {high}")
    upper = match["before"][0].isupper()
    texts = [time[0].upper() + time[1:] if upper else time for time in times]
    return [question[: match.start()] + text + question[match.end() :] for text in texts]


def read_timeqa_training() -> Iterator[Collection]:
    """The questions of people on pages that are not held out, in other forms; all of their pages are searched."""
    ((documents, requests),) = read_beir("timeqa/human_train_beir")
    documents = [row for row in documents if find_part(row.id.partition("#")[0]) != HELD]
    titles = {row.id: row.title for row in documents}
    templates = Templates.from_file(find_data("timeqa/relations.json"))
    rng = random.Random(SEED)
    questions: list[Question] = []
    for name, text, now, gold in requests:
        page, _, rest = name.partition("#")
        if find_part(page) == HELD:
            continue
        forms = [text, *vary_time(text, rng)]
        match, relation = _RANGE.search(text), rest.partition("@")[0]
        if match is not None and relation in templates.group_by_relation:
            subject, number = titles[next(iter(gold))], rng.randrange(10)
            forms.append(templates.fill_template(relation, number, subject, f"from {match['a']} to {match['b']}"))
        questions += [(f"{name}~{at}", form, now, gold) for at, form in enumerate(forms)]
    yield documents, questions


def read_constructed(folder: Path, name: str) -> Iterator[Collection]:
    """A sample of the questions that _rerank_rows.py made of a corpus, and its passages."""
    passages = list(read_lines(folder / "passages.jsonl.gz"))
    documents = []
    for at, row in enumerate(passages):
        if row["set"] == name:
            text = passages[row["ref"]] if "ref" in row else row
            day = Span.unit(row["pub"][0], Grain.DAY) if row.get("pub") else None
            documents.append(Document(str(at), text["text"], text["title"], day))
    rows = [row for row in read_lines(folder / "questions.jsonl.gz") if row["set"] == name and "q" in row]
    selected = random.Random(SEED).sample(rows, min(SEARCHED[name], len(rows)))
    yield (
        documents,
        [(f"{name}{at}", row["q"], None, {str(key): 1 for key in row["pos"]}) for at, row in enumerate(selected)],
    )


# ---------------------------------------------------------------- searching


def describe_question(question: Question, recorder: Recorder, depth: int) -> Row:
    name, text, _, gold = question
    pool, scores = recorder.pool, recorder.scored.scores
    order = np.lexsort((pool.rows, -scores))
    best = np.sort(np.unique(pool.document_rows[order], return_index=True)[1])
    positions = order[best][:depth]
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


@cache
def open_index(folder: str, static: bool) -> Index:
    return Index.open(folder, encoder=encoder("static") if static else MiniLM(threads=1))


def search_slice(task: tuple[str, bool, int, Sequence[Question]]) -> list[str]:
    folder, static, depth, questions = task
    index, lines = open_index(folder, static), []
    for question in questions:
        recorder = Recorder()
        index.search(
            question[1],
            k=depth,
            now=question[2],
            collapse_versions=False,
            promote_current_version=False,
            scorer=recorder,
        )
        lines.append(json.dumps(describe_question(question, recorder, depth), ensure_ascii=False))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sets", nargs="*", help="such as eval_timeqa or train_news; all unless given")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    rows = arguments.folder / "train"
    readers: dict[str, Callable[[], Iterator[Collection]]] = {f"eval_{name}": read for name, read in SETS.items()} | {
        "train_timeqa": read_timeqa_training
    }
    if rows.is_dir():
        readers |= {f"train_{name}": partial(read_constructed, rows, name) for name in SEARCHED}
    # New processes, as a model that was loaded does not survive a fork.
    workers = multiprocessing.get_context("spawn").Pool(arguments.processes)
    with workers, tempfile.TemporaryDirectory() as place:
        results = []
        for name in arguments.sets or readers:
            slices = []
            for number, (documents, query) in enumerate(readers[name]()):
                folder, static = str(Path(place, f"{name}-{number}")), name == "eval_changelogs"
                with Index.create(folder, encoder=encoder("static" if static else "minilm")) as index:
                    index.add(documents)
                depth = FEW if name.removeprefix("train_") in SEARCHED and name.startswith("train_") else DEPTH
                slices += [(folder, static, depth, query[at : at + SLICE]) for at in range(0, len(query), SLICE)]
            results.append((name, workers.map_async(search_slice, slices, chunksize=1)))
            print(f"{name}: indexed", flush=True)
        for name, result in results:
            lines = [line for part in result.get() for line in part]
            partial = arguments.folder / f".{name}"
            with gzip.open(partial, "wt", encoding="utf-8", compresslevel=4) as file:
                file.writelines(f"{line}\n" for line in lines)
            # Who waits for it must not read a part of it.
            partial.rename(arguments.folder / f"{name}.jsonl.gz")
            print(f"{name}: {len(lines)} questions", flush=True)


if __name__ == "__main__":
    main()
