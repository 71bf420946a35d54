"""Questions in other words than the documents': small collections, written for this project, and open questions.

Half of the questions are answered by a document that uses other words for what they name ("puppy" for "dogs"); the
others are about things that no document of the collection says anything about. None asks for a time. The collections
of the two splits are of other genres and by other hands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from epochal.errors import UnknownNameError
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.timed.questions import SPLITS, Split, TimedCorpus, TimedQuestion, number_questions

__all__ = ["OTHER_WORDS", "list_collections", "load_collection"]

#: What the names of these corpora begin with.
OTHER_WORDS: Final = "other_words"
_NOW: Final = Span.parse("2026-01-01")


def list_collections(split: Split) -> tuple[str, ...]:
    """The names of the collections of a split."""
    return tuple(item["name"] for item in _read(split))


def load_collection(name: str) -> TimedCorpus:
    """One of the collections, of either split, with its questions."""
    collections = {item["name"]: (split, item) for split in SPLITS for item in _read(split)}
    if name not in collections:
        raise UnknownNameError("collection of questions in other words", name, collections)
    split, item = collections[name]
    corpus = f"{OTHER_WORDS}_{name}"
    documents = tuple(Document(**row) for row in item["documents"])
    return TimedCorpus(corpus, documents, number_questions(_make(corpus, split, row) for row in item["questions"]))


def _make(corpus: str, split: Split, row: Mapping[str, Any]) -> TimedQuestion:
    relevant = frozenset(row["relevant"])
    return TimedQuestion(
        "",
        row["question"],
        "plain" if relevant else "unanswerable",
        corpus,
        _NOW,
        relevant,
        outcome="recorded" if relevant else "topic_unknown",
        on_topic=None if relevant else frozenset(),
        split=split,
    )


@cache
def _read(split: Split) -> list[dict[str, Any]]:
    path = Path(__file__).parent / "data" / f"other_words_{split}.json"
    collections: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["collections"]
    return collections
