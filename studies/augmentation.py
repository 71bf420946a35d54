"""Are the labels of generated training rows right, and what do the rows hold?

    python studies/augmentation.py [--quick]

Makes the table of training rows in docs/results/tmrl.md. Generates 10,000 pairs of a passage and a question by
templates from the paragraphs of TimeQA's shards and from news (EPOCHAL_DATA), the same from whole paragraphs with
several times, and the rows of TimeQA's facts. Every relation is checked twice by code that shares nothing with the
labelling: by comparing the spans that the tagger reads, and by reading the expressions with another grammar
(_second_reading.py). --quick takes the news that come with the package, and writes nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from _data import find_data
from _material import NEWS_FILE, read_rows, sample_news
from _record import Row, save
from _second_reading import read as read_again
from _second_reading import relate as relate_again

from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.augment.chunks import read_stated_times
from epochal_lab.datasets.augment.facts import Templates
from epochal_lab.datasets.augment.make import (
    AugmentedRows,
    Holdout,
    SourcePassage,
    from_passages,
    from_timeqa,
    prefix_date,
)
from epochal_lab.datasets.augment.rows import EMPTY, TemporalQuestion, TemporalRow, count_rows

SEED = 4711
PAIRS = 10_000
QUICK = 300
#: The relations of disjoint times, which no question that a passage answers may have.
APART = {"Before", "After", "Meets", "MetBy"}


def read_wiki_passages(count: int | None = None) -> list[SourcePassage]:
    """Paragraphs of the shards, titled by the question where they answer one."""
    timeqa = find_data("timeqa")
    templates = Templates.from_file(timeqa / "relations.json")
    titles: dict[str, str] = {}
    for path in sorted((timeqa / "shards").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                read = templates.read(row["question"])
                for item in row["positive_ctxs"]:
                    titles.setdefault(item["text"].strip(), read[1] if read else "")
                for item in row["negative_ctxs"]:
                    titles.setdefault(item["text"].strip(), "")
    texts = list(titles)
    random.Random(SEED).shuffle(texts)
    return [SourcePassage(f"wiki{number}", text, titles[text]) for number, text in enumerate(texts[:count])]


def sample_news_passages(count: int) -> list[SourcePassage]:
    items = [item for item in read_rows(NEWS_FILE) if len(item["text"].split()) >= 14]
    sample = random.Random(SEED).sample(items, count)
    documents = [
        Document(f"news{number}", item["text"], published=Span.parse(item["date"]))
        for number, item in enumerate(sample)
    ]
    return [SourcePassage(document.id, prefix_date(document, SEED)) for document in documents]


def list_pairs(rows: Iterable[TemporalRow]) -> Iterator[tuple[TemporalRow, TemporalQuestion, bool]]:
    for row in rows:
        yield from ((row, question, True) for question in row.positives)
        yield from ((row, question, False) for question in row.negatives)


def normalise(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())


def check(rows: Sequence[TemporalRow], pairs: int | None = None) -> Row:
    """Count what is wrong with the first `pairs` pairs."""
    counts: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    examples: list[str] = []
    for row, question, right in islice(list_pairs(rows), pairs):
        counts["pairs"] += 1
        key = (normalise(row.passage), normalise(question.text))
        counts["duplicates"] += key in seen
        seen.add(key)
        if question.relation == EMPTY:
            counts["pairs that ask for a time"] += 1
            counts["wrong: a time in a question that asks for one"] += bool(question.temporal)
            continue
        anchor = question.anchor or row.temporal[0]
        stated = [item for item in read_stated_times(row.passage).stated_times if item.text == anchor]
        query = read_stated_times(question.text, implicit=True).stated_times
        if len(query) != 1 or not stated or question.temporal != (query[0].text,) or anchor not in row.passage:
            counts["wrong: not the one expression that is named"] += 1
            continue
        counts["relations checked on spans"] += 1
        spans = (query[0].span, stated[0].span)
        expected = relate_again(*((span.start, span.end) for span in spans))
        counts["wrong relation on spans"] += expected != question.relation
        by_grammar = [read_again(question.temporal[0]), read_again(anchor)]
        if None not in by_grammar:
            counts["relations checked by the other grammar"] += 1
            if relate_again(*by_grammar) != question.relation:  # type: ignore[misc]
                counts["wrong relation by the other grammar"] += 1
                examples.append(f"{question.temporal[0]} / {anchor}: {question.relation}")
        counts["wrong: answered, at another time"] += right and question.relation in APART
    names = (
        "pairs",
        "duplicates",
        "pairs that ask for a time",
        "relations checked on spans",
        "wrong relation on spans",
        "relations checked by the other grammar",
        "wrong relation by the other grammar",
        "wrong: not the one expression that is named",
        "wrong: a time in a question that asks for one",
        "wrong: answered, at another time",
    )
    return {**{name: counts[name] for name in names}, "examples of wrong ones": examples[:5]}


def make_row(what: str, result: AugmentedRows, seconds: float, pairs: int | None = None) -> Row:
    counts = count_rows(result.rows)
    checked = check(result.rows, pairs)
    return {
        "what": what,
        **checked,
        "seconds": round(seconds, 1),
        "pairs a second": round((counts.positives + counts.negatives) / max(seconds, 1e-9)),
        "statistics": counts.to_dict(),
        "dropped": dict(sorted(result.dropped.items())),
    }


def time_making(make: Any) -> tuple[AugmentedRows, float]:
    start = time.perf_counter()
    result: AugmentedRows = make()
    return result, time.perf_counter() - start


def make_quick_rows() -> list[Row]:
    documents = sample_news(QUICK, quick=True)
    passages = [SourcePassage(document.id, prefix_date(document, SEED)) for document in documents]
    return [
        make_row("news, quick", *time_making(lambda: from_passages(passages, seed=SEED))),
        make_row("news, quick, several times", *time_making(lambda: from_passages(passages, seed=SEED, several=True))),
    ]


def make_all_rows() -> list[Row]:
    held = Holdout.from_sets([find_data("timeqa/human_train_beir"), find_data("tnp")])
    passages = [*read_wiki_passages(900), *sample_news_passages(300)]
    random.Random(SEED).shuffle(passages)
    rows = PAIRS // 10
    options = {"seed": SEED, "most": rows, "holdout": held}
    one = time_making(lambda: from_passages(passages, **options))
    several = time_making(lambda: from_passages(passages, several=True, **options))
    facts = time_making(lambda: from_timeqa(find_data("timeqa"), seed=SEED, holdout=held, pages=False))
    return [
        make_row("templates, one time a passage", *one, PAIRS),
        make_row("templates, several times a passage", *several),
        make_row("facts of TimeQA", *facts),
    ]


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    arguments = parser.parse_args(given)
    if arguments.quick:
        print(json.dumps(make_quick_rows(), indent=2))
        return
    save(
        "augmentation",
        "labels of generated training rows, checked by a second reading and a second comparison that share no code "
        "with what labels; and what the rows hold (types and relations as pairs: of questions that a passage answers, "
        "and of those that it does not)",
        "paragraphs of timeqa/shards and current_events (without what timeqa/human_train_beir and tnp hold)",
        SEED,
        make_all_rows(),
    )


if __name__ == "__main__":
    main()
