"""The rows that tmrl_retrieval.py trains on, made from public sets.

    python studies/_tmrl_rows.py FOLDER

Writes into FOLDER: train.jsonl and dev.jsonl, passages with one time expression each, of Wikipedia, news, forecasts and
terms of use, distinguished by the document that they are of; specified_train.jsonl, those of train.jsonl with only the
questions that have a specifier ("in", "before", ...); several_train.jsonl, paragraphs of Wikipedia with all of
their expressions; orig_train.jsonl and orig_dev.jsonl, rows in the manner of the triples of Ts-Retriever; and
plain.txt, questions of no time, to which its router is fitted. Passages that the test sets hold, and all that mention
the Nobel prize, are left out. Passages to train on have at most 110 words, which bounds the memory of a GPU.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from _data import find_data

from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.augment.chunks import read_stated_times
from epochal_lab.datasets.augment.facts import Templates
from epochal_lab.datasets.augment.make import Holdout, SourcePassage, from_passages, from_timeqa, prefix_date
from epochal_lab.datasets.augment.rows import TemporalQuestion, TemporalRow, read_rows, write_rows
from epochal_lab.models.tmrl.adapter import find_specifier

SEED = 7
NEWS, FORECASTS, TERMS_SIGNS = 3600, 60, 6000
MOST_WORDS, PLAIN = 110, 5000
#: One document in so many is held out.
HELD_OUT = 25
NOBEL = re.compile("nobel", re.IGNORECASE)
#: What is before the time expression that a question ends with, without the word that binds it.
BEFORE_THE_TIME = re.compile(r"(.*?)(?: (?:in|on|during|at|of|by|around|from))? \0\?")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    held, pages = Holdout.from_sets([find_data("timeqa/human_train_beir"), find_data("tnp")]), read_wiki()
    train, dev = split_rows([*from_passages(pages, seed=SEED, holdout=held).rows,
                        *from_passages(read_news(), seed=SEED, holdout=held).rows])  # fmt: skip
    result = {
        "train": shorten_rows(train),
        "dev": dev,
        "specified_train": select_specified(shorten_rows(train)),
        "several_train": shorten_rows(from_passages(pages, seed=SEED, several=True, holdout=held).rows),
        "orig_train": from_timeqa(find_data("timeqa"), seed=SEED, pages=False, holdout=held, passages=pages).rows,
        "orig_dev": build_original_dev(held),
    }
    for name, rows in result.items():
        print(f"{name}: {write_rows(folder / f'{name}.jsonl', rows):,} rows")
    query = select_plain(train)
    (folder / "plain.txt").write_text("\n".join(query) + "\n", encoding="utf-8")
    print(f"plain: {len(query):,} questions")


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def read_wiki() -> list[SourcePassage]:
    """Read paragraphs of TimeQA's shards; those that answer a question are titled by its subject."""
    templates = Templates.from_file(find_data("timeqa/relations.json"))
    titles: dict[str, str] = {}
    texts: dict[str, int] = {}
    for path in sorted(find_data("timeqa/shards").glob("*.jsonl.gz")):
        for row in read_lines(path):
            read = templates.read(row["question"])
            for item in row["positive_ctxs"] if read else ():
                titles.setdefault(item["text"].strip(), read[1])
            for item in row["positive_ctxs"] + row["negative_ctxs"]:
                texts.setdefault(item["text"].strip(), len(texts))
    return [
        SourcePassage(f"wiki{number}", text, titles.get(text, "")) for text, number in texts.items() if is_usable(text)
    ]


def read_news() -> list[SourcePassage]:
    """Read dated news, forecasts for days, and the first versions of terms of use."""
    sampled = random.Random(SEED)
    items = [
        (number, item)
        for number, item in enumerate(read_lines(find_data("current_events/events.jsonl.gz")))
        if 14 <= len(item["text"].split()) <= 120 and is_usable(item["text"])
    ]
    matches = []
    for number, item in sampled.sample(items, NEWS):
        document = Document(f"news{number}", item["text"], published=Span.parse(item["date"]))
        matches.append(SourcePassage(document.id, prefix_date(document, SEED)))
    record = {
        (row["city"], row["target_date"], row["part"]): row
        for row in read_lines(find_data("forecasts/nws_2021.jsonl.gz"))
    }
    for key in sampled.sample(sorted(record), FORECASTS):
        city, day = key[0].title(), Span.parse(key[1]).describe()
        text = f"Forecast for {city}, {day}: {record[key]['detailedForecast']}"
        matches.append(SourcePassage(f"cast{''.join(map(str, key))}", text, city))
    terms: dict[str, dict[str, Any]] = {}
    for row in read_lines(find_data("terms/versions.jsonl.gz")):
        terms.setdefault(row["doc"], row)
    for name, row in sorted(terms.items()):
        matches.append(SourcePassage(f"terms{name}", row["text"][:TERMS_SIGNS], f"{row['service']} {row['type']}"))
    return matches


def is_usable(text: str) -> bool:
    return NOBEL.search(text) is None


def shorten_rows(rows: Iterable[TemporalRow]) -> list[TemporalRow]:
    return [row for row in rows if len(row.passage.split()) <= MOST_WORDS]


def select_specified(rows: Iterable[TemporalRow]) -> list[TemporalRow]:
    """Return rows with only the answered questions that state their time by a specifier."""
    retained = [replace(row, positives=tuple(one for one in row.positives if find_specifier(one))) for row in rows]
    return [row for row in retained if row.positives]


def split_rows(rows: list[TemporalRow]) -> tuple[list[TemporalRow], list[TemporalRow]]:
    """Split rows into training and held-out rows, without a common document."""
    sample = random.Random(SEED)
    sources = sorted({row.id.rpartition("#")[0] for row in rows})
    sample.shuffle(sources)
    held = set(sources[: len(sources) // HELD_OUT])
    sample.shuffle(rows)
    sides: tuple[list[TemporalRow], list[TemporalRow]] = ([], [])
    for row in rows:
        sides[row.id.rpartition("#")[0] in held].append(row)
    return sides


def build_original_dev(held: Holdout) -> list[TemporalRow]:
    """Return the published development triples, with the time expressions that the tagger finds."""
    return [
        replace(
            row,
            id=f"tnp-dev-{row.id}",
            temporal=tuple(time.text for time in read_stated_times(row.passage).stated_times if time.absolute),
            positives=tag_questions(row.positives),
            negatives=tag_questions(row.negatives),
        )
        for row in read_rows(find_data("tnp/dev_triples.jsonl"))
        if not held.has(row.passage)
    ]


def tag_questions(questions: Iterable[TemporalQuestion]) -> tuple[TemporalQuestion, ...]:
    result: dict[str, TemporalQuestion] = {}
    for one in questions:
        messages = tuple(stated_time.text for stated_time in read_stated_times(one.text).stated_times)
        result.setdefault(one.text, replace(one, temporal=messages, type="Explicit" if messages else ""))
    return tuple(result.values())


def select_plain(rows: Iterable[TemporalRow]) -> list[str]:
    """Return training questions without their final time, and queries that TQIC calls atemporal."""
    result = set()
    for row in rows:
        for one in row.positives[:3]:
            if len(one.temporal) == 1 and one.type == "Explicit":
                match = BEFORE_THE_TIME.fullmatch(one.text.replace(one.temporal[0], "\0"))
                if match and "\0" not in match[1]:
                    result.add(f"{match[1]}?")
    requests = sorted(result)
    random.Random(SEED).shuffle(requests)
    with find_data("tqic/queries.jsonl").open(encoding="utf-8") as file:
        queries = [row["query"] for row in map(json.loads, file) if row["class"] == "Atemporal"]
    return requests[:PLAIN] + queries


if __name__ == "__main__":
    main()
