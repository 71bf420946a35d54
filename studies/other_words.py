"""Is a question in other words than the documents' answered, and is what no document is about said to be unknown?

    python studies/other_words.py [--encoders static minilm] [--split report] [--misses]

Part of docs/results/truth.md. Five small collections that come with the laboratory, with open questions: half of them
are answered by a document that uses other words, half are about things that no document is about. The collections of
the split report are of other genres and by another hand than those by which the probabilities of outcomes were fitted.
wrongly unknown: answered questions whose topic is said to be unknown. rightly unknown: the same of the others. Beside
Epochal with default settings: the same engine without time, and BM25, which say nothing of a topic.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence

from _record import Row, save

from epochal.api import Index
from epochal.search.response import Response
from epochal_lab.datasets.timed.other_words import list_collections, load_collection
from epochal_lab.datasets.timed.questions import SPLITS, TimedCorpus, TimedQuestion

SEED = 0
K = 10
SYSTEMS = {"Epochal": {}, "plain hybrid": {"time": False}, "BM25": {"time": False, "scorer": "bm25"}}


def measure(corpus: TimedCorpus, encoder: str, misses: bool) -> list[Row]:
    """A row for each system on one collection."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=encoder) as index:
        index.add(corpus.documents)
        for system, options in SYSTEMS.items():
            found = [(item, index.search(item.text, k=K, now=item.now, **options)) for item in corpus.questions]
            rows.append({"collection": corpus.name, "encoder": encoder, "what": system, **describe(found)})
            if misses and system == "Epochal":
                show_misses(found)
    return rows


def describe(found: Sequence[tuple[TimedQuestion, Response]]) -> Row:
    """How often the first hit is right, and how often a topic is said to be unknown."""
    answered = [(item, response) for item, response in found if item.answerable]
    others = [response for item, response in found if not item.answerable]
    right = sum(bool(response) and response[0].id in item.relevant for item, response in answered)
    wrongly = sum(response.outcome == "topic_unknown" for _, response in answered)
    rightly = sum(response.outcome == "topic_unknown" for response in others)
    return {
        "answered": len(answered),
        "others": len(others),
        "hit@1": round(right / len(answered), 4),
        "wrongly unknown": round(wrongly / len(answered), 4),
        "rightly unknown": round(rightly / len(others), 4),
    }


def show_misses(found: Sequence[tuple[TimedQuestion, Response]]) -> None:
    for item, response in found:
        is_unknown = response.outcome == "topic_unknown"
        if is_unknown == item.answerable or (item.answerable and response[0].id not in item.relevant):
            gold = sorted(item.relevant)
            print(item.text, "|", response.outcome, response.unknown_words, response[0].id, "| gold", gold)


def pool_rows(rows: Sequence[Row]) -> list[Row]:
    """The rows of all collections together, for each encoder and system; all collections are of one size."""
    pooled = []
    for encoder, system in dict.fromkeys((row["encoder"], row["what"]) for row in rows):
        own = [row for row in rows if (row["encoder"], row["what"]) == (encoder, system)]
        row: Row = {"collection": "all", "encoder": encoder, "what": system}
        row |= {name: sum(one[name] for one in own) for name in ("answered", "others")}
        for name, count in (("hit@1", "answered"), ("wrongly unknown", "answered"), ("rightly unknown", "others")):
            row[name] = round(sum(one[name] * one[count] for one in own) / row[count], 4)
        pooled.append(row)
    return pooled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoders", nargs="+", default=["static", "minilm"], help="static and minilm unless given")
    parser.add_argument("--split", choices=SPLITS, default="report", help="report unless given; train writes nothing")
    parser.add_argument("--misses", action="store_true", help="print the questions that went wrong")
    arguments = parser.parse_args()
    corpora = [load_collection(name) for name in list_collections(arguments.split)]
    rows = [
        row
        for encoder in arguments.encoders
        for corpus in corpora
        for row in measure(corpus, encoder, arguments.misses)
    ]
    pooled = pool_rows(rows)
    if arguments.split == "train":
        print(*pooled, sep="\n")
        return
    save(
        "other_words",
        "open questions in other words than the documents', and about things that no document is about: how often the "
        "first hit is right, and how often the topic is said to be unknown",
        ", ".join(f"{corpus.name} ({len(corpus.documents)} documents)" for corpus in corpora),
        SEED,
        [*pooled, *rows],
    )


if __name__ == "__main__":
    main()
