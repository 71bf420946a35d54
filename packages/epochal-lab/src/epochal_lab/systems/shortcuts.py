"""Shortcuts: rankings that know nothing of time, by which a test set may be solved without reading any.

    shortcut-year     the documents that have a number of the question's time literally, before the others
    shortcut-newest   the latest date of publication or, without any, the latest year in the text
    shortcut-longest  the longest text
    shortcut-first    the order of the corpus

Each reorders the candidates that share most words with the topic of the question, its times left out: the best 50 by
BM25 that reach half of the best score. A set on which a shortcut finds the answer measures that shortcut.
`bm25-plain` ranks by the words of the whole question, the baseline that shortcuts are read beside.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from epochal.errors import EpochalError, UnknownNameError
from epochal.reading.tagger import tag
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.datasets.undated import remove_stated_times
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import QueryAnswer, Ranker, get_document_text, select_top_hits
from epochal_lab.systems.bm25 import Floats, Postings, count_terms, tokenise_han, tokenise_lucene, weigh_lucene

#: The shortcuts by name, each with a description.
SHORTCUTS: Final[Mapping[str, str]] = {
    "shortcut-year": "a shortcut: documents with the number of the question's time, literally",
    "shortcut-newest": "a shortcut: the newest document on the topic",
    "shortcut-longest": "a shortcut: the longest document on the topic",
    "shortcut-first": "a shortcut: the first document of the corpus on the topic",
}
_CANDIDATES: Final = 50
#: The share of the best score that a candidate must reach.
_SAME_TOPIC: Final = 0.5
_HAN: Final = re.compile("[\u3400-\u9fff]")
_NUMBER: Final = re.compile(r"\d+")
_YEAR: Final = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


def tokenise(text: str) -> list[str]:
    """The tokens of a text: stems of its words, and characters and pairs where it is Chinese."""
    words = tokenise_lucene(text)
    if not _HAN.search(text):
        return words
    return [*(word for word in words if not _HAN.match(word)), *tokenise_han(text)]


@dataclass(frozen=True, slots=True, eq=False)
class TopicIndex:
    """The documents of a set, ranked by the words of a question."""

    documents: Sequence[Document]
    vocabulary: Mapping[str, int]
    postings: Postings

    @classmethod
    def of(cls, documents: Iterable[Document]) -> TopicIndex:
        """Count the terms of the documents."""
        kept = tuple(documents)
        counted = count_terms(tokenise(get_document_text(document)) for document in kept)
        weighted = weigh_lucene(counted, twice=False)
        return cls(kept, counted.vocabulary, weighted.postings)

    def score(self, text: str) -> Floats:
        """The BM25 of every document."""
        words = (word for word in tokenise(text) if word in self.vocabulary)
        return self.postings.score(dict(Counter(self.vocabulary[word] for word in words)))

    def find_candidates(self, query: BenchQuery) -> list[int]:
        """The rows of the documents on the topic of a question, its times left out, best first."""
        scores = self.score(remove_stated_times(query.text))
        if not scores.any():
            return []
        rows = np.argsort(-scores, kind="stable")[:_CANDIDATES]
        return [row for row in rows.tolist() if scores[row] >= _SAME_TOPIC * scores.max()]


def rank_by_shortcut(name: str, query: BenchQuery, documents: Sequence[Document]) -> list[int]:
    """The places of documents in the order of a shortcut; ties keep their order."""
    if name == "shortcut-year":
        numbers = _list_numbers(query.text)
        values = [(len(numbers & set(_NUMBER.findall(get_document_text(item)))), 0) for item in documents]
    elif name == "shortcut-newest":
        values = [_get_newest(item) for item in documents]
    elif name == "shortcut-longest":
        values = [(len(item.text), 0) for item in documents]
    elif name == "shortcut-first":
        return list(range(len(documents)))
    else:
        raise UnknownNameError("shortcut", name, SHORTCUTS)
    return sorted(range(len(documents)), key=lambda place: values[place], reverse=True)


def _list_numbers(text: str) -> set[str]:
    """The numbers of the times of a question, as they are written."""
    times = [item.text for item in tag(text, implicit=False)]
    return {number for part in times for number in _NUMBER.findall(part)} or set(_YEAR.findall(text))


def _get_newest(document: Document) -> tuple[int, int]:
    """The date by which a document is newest: that of its publication, or else the last year in its text."""
    if document.published is not None:
        return 1, document.published.start
    return 0, max((int(year) for year in _YEAR.findall(get_document_text(document))), default=0)


@dataclass(frozen=True, slots=True)
class ShortcutSystem:
    """A shortcut as a system."""

    name: str

    @property
    def store(self) -> str:
        """Nothing is stored."""
        return "shortcut"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Count the terms of the documents."""
        yield ShortcutRanker(self.name, TopicIndex.of(documents))


@dataclass(frozen=True, slots=True, eq=False)
class ShortcutRanker:
    """Answers questions by a shortcut over an index of topics."""

    name: str
    index: TopicIndex

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[QueryAnswer]:
        """The answers, each with at most k documents on the topic."""
        order: Callable[[list[int]], list[int]] = sorted if self.name == "shortcut-first" else list
        for query in queries:
            rows = order(self.index.find_candidates(query))
            places = rank_by_shortcut(self.name, query, [self.index.documents[row] for row in rows])
            ids = [self.index.documents[rows[place]].id for place in places[:k]]
            yield QueryAnswer(query.id, tuple((id, float(-rank)) for rank, id in enumerate(ids)))


@dataclass(frozen=True, slots=True)
class WordsSystem:
    """Plain BM25 as a system: it counts each word once, and reads text of any script."""

    name: str = "bm25-plain"

    @property
    def store(self) -> str:
        """Nothing is stored."""
        return "words"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Count the terms of the documents."""
        yield _WordsRanker(TopicIndex.of(documents))


@dataclass(frozen=True, slots=True, eq=False)
class _WordsRanker:
    index: TopicIndex

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[QueryAnswer]:
        ids = [document.id for document in self.index.documents]
        for query in queries:
            yield QueryAnswer(query.id, tuple(select_top_hits(ids, self.index.score(query.text), k, above=0.0)))


def make_words_system(spec: Spec) -> WordsSystem:
    """Plain BM25, which takes no settings."""
    spec.only()
    return WordsSystem()


def make_shortcut_system(spec: Spec) -> ShortcutSystem:
    """The shortcut of a spec, which takes no settings."""
    spec.only()
    if spec.name not in SHORTCUTS:
        raise EpochalError(f"{spec} is no shortcut; accepted: {', '.join(SHORTCUTS)}")
    return ShortcutSystem(spec.name)
