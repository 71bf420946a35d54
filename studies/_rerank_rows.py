"""Training questions of tools/train_rerank.py, by construction from public texts.

    python studies/_rerank_rows.py FOLDER [--share 0.01]

Writes passages.jsonl.gz and questions.jsonl.gz. wiki: TimeQA's templated questions with the paragraphs that answer them
and others of the same page, and questions of `epochal_lab.datasets.augment`; pages of the held-out half of TimeQA's
human questions, and TNP, are left out. news: words of an item with its time, its first sentence, and augmented
questions; the same item from another day is a wrong answer. scifact: titles and sentences of abstracts, never the
claims. terms: sentences, and words of sentences, with the service and the time. Sets that are for evaluation only
(release notes, timelines, TDBench, LoCoMo) or have no licence (TNP's triples) are not read.
"""

from __future__ import annotations

import argparse
import datetime as dt
import gzip
import json
import multiprocessing
import random
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from _data import find_data
from _material import read_rows as read_data
from _record import Row
from _tmrl_rows import read_wiki
from rerank import HELD, find_part

from epochal.ranking.pool import get_windows
from epochal.ranking.rerank import describe_time, name_year
from epochal.reading.questions.understand import understand
from epochal.reading.tagger import tag
from epochal.storage.importers import read
from epochal.storage.records import Document
from epochal.storage.text import split, units
from epochal.times import Span
from epochal_lab.datasets.augment.make import Holdout, SourcePassage, from_passages, prefix_date
from epochal_lab.datasets.augment.rows import TemporalRow

SEED = 11
#: Items, paragraphs and chains of terms to make questions of.
NEWS, NEWS_ROWS, WIKI_ROWS, TERMS = 16_000, 5_000, 6_000, 400
TIMES = ("on {day}", "in {month}", "in {month}", "in {year}", "between {before} and {after}", "")
FRAMES = (
    "What was reported of {topic} {when}?",
    "{topic} {when}",
    "What happened with {topic} {when}?",
    "news about {topic} {when}",
    "Which event involved {topic} {when}?",
)
#: Days by which a wrong copy of a text is moved.
MOVES = (45, 90, 200, 365, 366, 730, 1461, 2500)
#: How authors introduce what they found: a claim does not have it.
LEAD = re.compile(
    r"^(?:[\w ,]{0,60}\b)?(?:we|results?|findings?|data|study|observations?|experiments?|analys[ie]s)\b[\w ]{0,20}?\b"
    r"(?:show|f[io]und|demonstrate|suggest|report|conclude|reveal|indicate|observe)(?:s|d|ed)?\b\s+(?:that\s+)?",
    re.IGNORECASE,
)
#: What the processes share: jobs, what is held out, and the titles of paragraphs.
_SHARED: dict[str, Any] = {}
MARKS = ".,;:()\"'“”*[]"


class Writer:
    """Collects the passages and questions of one part of a corpus."""

    def __init__(self, name: str, part: int) -> None:
        self.name, self.rng = name, random.Random(f"{SEED} {name} {part}")
        self.passages: list[Row] = []
        self.questions: list[Row] = []
        self._known: dict[tuple[str, str, Span | None], int] = {}

    def add_passage(self, text: str, title: str = "", day: Span | None = None, **more: Any) -> int:
        key = title, text, day
        if key not in self._known:
            self._known[key] = len(self.passages)
            row: Row = {"set": self.name, **more}
            if "ref" not in more:
                times = [
                    [item.start_char, item.end_char, item.span.start, item.span.end, name_year(item.span, item.text)]
                    for item in tag(text, day)
                    if item.span is not None
                ]
                row |= {"title": title, "text": text, "t": times}
            if day is not None:
                row["pub"] = describe_time(day)
            self.passages.append(row)
        return self._known[key]

    def add_question(self, text: str, right: Iterable[int], wrong: Iterable[int] = (), kind: str = "") -> None:
        row = {"set": self.name, "k": kind, "q": text, "w": read_windows(text), "pos": [*right], "neg": [*wrong]}
        self.questions.append(row)

    def add_reverse(self, passage: int, right: Iterable[str], wrong: Iterable[str]) -> None:
        """A passage with questions that it answers, and such as it does not."""
        sides = [[[text, read_windows(text)] for text in side] for side in (right, wrong)]
        self.questions.append({"set": self.name, "k": "reverse", "p": passage, "qp": sides[0], "qn": sides[1]})

    def add_moved(self, question: str, passage: int, text: str, title: str, day: Span) -> list[int]:
        """The same text from a day outside the queried time, if one is."""
        windows = read_windows(question)
        for _ in range(20 if windows else 0):
            days = self.rng.choice((-1, 1)) * self.rng.choice(MOVES) + self.rng.randint(-20, 20)
            moved = Span.parse((dt.date.fromisoformat(day.edtf()) + dt.timedelta(days=days)).isoformat())
            if not any(moved.start < end and moved.end > start for start, end, _ in windows):
                return [self.add_passage(text, title, moved, ref=passage)]
        return []

    def add_augmented(self, rows: Iterable[TemporalRow]) -> None:
        for row in rows:
            passage = self.add_passage(row.passage, _SHARED["titles"].get(row.passage, ""))
            right, wrong = ([item.text for item in side] for side in (row.positives, row.negatives))
            self.rng.shuffle(right)
            self.rng.shuffle(wrong)
            for text in right[:2]:
                self.add_question(text, [passage], kind="row")
            if right and wrong:
                self.add_reverse(passage, right[:2], wrong[:6])


def read_windows(question: str) -> list[tuple[int, int, str]]:
    return [describe_time(window.span) for window in get_windows(understand(question, None))]


def find_holdout() -> Holdout:
    """The held-out pages of TimeQA, and TNP."""
    pages = read_data("timeqa/human_train_beir/corpus.jsonl.gz")
    held = [row for row in pages if find_part(row["_id"].partition("#")[0]) == HELD]
    texts = [row["text"] for row in held] + [item.text for item in read(find_data("tnp"), format="beir")]
    return Holdout(texts, [row["title"] for row in held])


# ---------------------------------------------------------------- corpora


def write_shards(writer: Writer, rows: Sequence[Row], holdout: Holdout) -> None:
    titles = _SHARED["titles"]

    def add(text: str) -> int:
        return writer.add_passage(text, titles.get(text, ""))

    for row in rows:
        sides = ([item["text"].strip() for item in row[name]] for name in ("positive_ctxs", "negative_ctxs"))
        right, wrong = ([text for text in side if not holdout.has(text)] for side in sides)
        wrong = [text for text in wrong if text not in right][:16]
        if right and wrong:
            writer.add_question(row["question"], map(add, right), map(add, wrong), "shard")


def write_wiki(writer: Writer, rows: Sequence[SourcePassage], holdout: Holdout) -> None:
    writer.add_augmented(from_passages(rows, seed=7, holdout=holdout).rows)


def write_news(writer: Writer, rows: Sequence[Row], holdout: Holdout) -> None:
    rng = writer.rng
    for row in rows:
        text, day, year = row["text"], Span.parse(row["date"]), int(row["date"][:4])
        words = [word.strip(MARKS) for word in text.split()]
        naming = {word for position, word in enumerate(words) if len(word) > 4 or (position and word[:1].isupper())}
        if len(naming) >= 3:
            selected = set(rng.sample(sorted(naming), min(rng.choice((2, 3, 4)), len(naming))))
            when = rng.choice(TIMES).format(
                day=day.describe(),
                month=Span.parse(row["date"][:7]).describe(),
                year=year,
                before=year - rng.choice((0, 1)),
                after=year + 1,
            )
            topic = " ".join(word for word in words if word in selected)
            question = " ".join(rng.choice(FRAMES).format(topic=topic, when=when).split()).replace(" ?", "?")
            passage = writer.add_passage(text, "", day)
            writer.add_question(question, [passage], writer.add_moved(question, passage, text, "", day), "keywords")
        parts = [text[start:end] for start, end in units(text)]
        rest = text[len(parts[0]) :].strip() if parts else ""
        if len(parts) > 1 and len(parts[0].split()) > 5 and len(rest.split()) > 8:
            passage = writer.add_passage(rest, "", day)
            writer.add_question(parts[0], [passage], writer.add_moved(parts[0], passage, rest, "", day), "cloze")


def write_news_rows(writer: Writer, rows: Sequence[Row], holdout: Holdout) -> None:
    documents = (Document(f"n{at}", row["text"], published=Span.parse(row["date"])) for at, row in enumerate(rows))
    passages = [SourcePassage(item.id, prefix_date(item, 7)) for item in documents]
    writer.add_augmented(from_passages(passages, seed=7, holdout=holdout).rows)


def write_abstracts(writer: Writer, rows: Sequence[Row], holdout: Holdout) -> None:
    rng = writer.rng
    for row in rows:
        chunks = [row["text"][start:end] for start, end in split(row["text"])]
        named = {"d": row["_id"]}
        for chunk in chunks:
            writer.add_passage(chunk, row["title"], **named)
        bare = [writer.add_passage(chunk, **named) for chunk in chunks]
        if row["title"].strip() and bare:
            writer.add_question(row["title"].rstrip("."), bare[:1], kind="title")
        matches = [(chunk, chunk[start:end]) for chunk in chunks for start, end in units(chunk)]
        matches = [item for item in matches if 8 <= len(item[1].split()) <= 45]
        # The last sentences say what was found, as claims do.
        selected = rng.sample(matches[-3:], min(1, len(matches))) + rng.sample(matches, min(3, len(matches)))
        for chunk, sentence in dict.fromkeys(selected):
            rest = chunk.replace(sentence, " ").strip()
            if len(rest.split()) < 30:
                rest = next((other for other in chunks if other != chunk), "")
            claim = sentence.strip("[]'\" \n")
            short = LEAD.sub("", claim)
            if rest:
                passage = writer.add_passage(rest, row["title"] if rng.random() < 0.6 else "", **named)
                text = short[:1].upper() + short[1:] if len(short.split()) >= 6 else claim
                writer.add_question(text, [passage], kind="sentence")


def write_terms(writer: Writer, rows: Sequence[Row], holdout: Holdout) -> None:
    rng = writer.rng
    for row in rows:
        day, title = Span.parse(row["date"][:10]), f"{row['service']}: {row['type']}"
        chunks = [row["text"][start:end] for start, end in split(row["text"][:14_000])]
        for chunk in rng.sample(chunks, min(4, len(chunks))):
            parts = [chunk[start:end] for start, end in units(chunk)]
            parts = [part for part in parts if 8 <= len(part.split()) <= 40]
            if len(parts) < 2:
                continue
            sentence = rng.choice(parts)
            rest = chunk.replace(sentence, " ").strip()
            words = [word.strip(MARKS) for word in sentence.split()]
            topic = " ".join([word for word in words if len(word) > 4][: rng.choice((4, 6, 8))])
            month = Span.parse(row["date"][:7]).describe()
            when = rng.choice(("", "", f" in {row['date'][:4]}", f" in {month}"))
            named = f"{row['service']} {row['type']}: {topic}{when}"
            question = rng.choice((named, f"What does {row['service']} say about {topic}{when}?", sentence))
            passage = writer.add_passage(rest, title, day, d=row["doc"])
            writer.add_question(question, [passage], writer.add_moved(question, passage, rest, title, day), "cloze")


# ---------------------------------------------------------------- all of it

Job = tuple[str, Callable[[Writer, Sequence[Any], Holdout], None], list[Any]]


def list_jobs(share: float) -> list[Job]:
    rng = random.Random(SEED)

    def draw(rows: Iterable[Any], most: int | None = None) -> list[Any]:
        matches = list(rows)
        rng.shuffle(matches)
        return matches[: int(share * (len(matches) if most is None else most)) + 1]

    news = [row for row in read_data("current_events/events.jsonl.gz") if 12 <= len(row["text"].split()) <= 120]
    rng.shuffle(news)
    shards = [path.name for path in sorted(find_data("timeqa/shards").glob("*.jsonl.gz"))]
    chains: dict[str, list[Row]] = {}
    for row in read_data("terms/versions.jsonl.gz"):
        chains.setdefault(row["doc"], []).append(row)
    versions = [row for rows in draw(chains.values(), TERMS) for row in rng.sample(rows, min(2, len(rows)))]
    pages = read_wiki()
    _SHARED["titles"] = {page.text: page.title for page in pages}
    short = [page for page in pages if len(page.text.split()) < 160]
    return [
        ("news", write_news_rows, draw(news[NEWS:], NEWS_ROWS)),
        ("wiki", write_wiki, draw(short, WIKI_ROWS)),
        ("news", write_news, draw(news[:NEWS], NEWS)),
        ("scifact", write_abstracts, draw(read_data("scifact/corpus.jsonl.gz"))),
        ("terms", write_terms, versions),
        ("wiki", write_shards, draw(row for name in shards for row in read_data(f"timeqa/shards/{name}"))),
    ]


def run_part(task: tuple[int, int, int]) -> tuple[list[Row], list[Row]]:
    number, part, parts = task
    name, write, rows = _SHARED["jobs"][number]
    writer = Writer(name, 100 * number + part)
    write(writer, rows[part::parts], _SHARED["holdout"])
    return writer.passages, writer.questions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--share", type=float, default=1.0, help="of all texts; 1 unless given")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    _SHARED.update(jobs=list_jobs(arguments.share), holdout=find_holdout())
    parts = 12
    tasks = [(number, part, parts) for number in range(len(_SHARED["jobs"])) for part in range(parts)]
    passages: list[Row] = []
    questions: list[Row] = []
    with multiprocessing.get_context("fork").Pool() as workers:
        for match, query in workers.imap(run_part, tasks):
            first = len(passages)
            for row in match:
                if "ref" in row:
                    row["ref"] += first
            for row in query:
                for key in ("pos", "neg"):
                    if key in row:
                        row[key] = [first + at for at in row[key]]
                if "p" in row:
                    row["p"] += first
            passages += match
            questions += query
    for name, rows in (("passages", passages), ("questions", questions)):
        with gzip.open(arguments.folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        print(f"{name}: {len(rows):,}")


if __name__ == "__main__":
    main()
