"""The interface of a system under test, and any Python retriever as one.

A `System` names a configuration; `open` indexes the documents of a set and returns the `Ranker` that answers queries.
What a system writes to its folder (an index, vectors) is reused by every system with the same `store`.

    CallableSystem("mine", lambda question, k, now: ["d3", "d1"])
    CallableSystem("vendor", vectorstore.as_retriever())
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The answer to one query: documents with scores, best first, and facts such as the outcome."""

    query: str
    hits: tuple[tuple[str, float], ...]
    facts: Mapping[str, str] = field(default_factory=dict)


class Ranker(Protocol):
    """Answers queries over the documents that it was opened with."""

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[QueryAnswer]:
        """Yield the answer to each query in turn, with at most k documents each."""
        ...


@runtime_checkable
class System(Protocol):
    """A retriever to be measured."""

    @property
    def name(self) -> str:
        """Its name in results; two systems that may answer differently have different names."""
        ...

    @property
    def store(self) -> str:
        """The same for systems that can use the same folder."""
        ...

    def open(self, documents: Iterable[Document], folder: Path) -> AbstractContextManager[Ranker]:
        """Index the documents into the folder, and be ready to answer."""
        ...


def trim_answer(answer: QueryAnswer, excluded: Sequence[str], k: int) -> QueryAnswer:
    """The answer without the documents that its query excludes, and no longer than k."""
    barred = frozenset(excluded)
    hits = tuple(hit for hit in answer.hits if hit[0] not in barred)
    return QueryAnswer(answer.query, hits[:k], answer.facts)


#: Keys under which the metadata of another library's document may have its id.
_ID_KEYS = ("id", "_id", "doc_id")


@runtime_checkable
class InvokableRetriever(Protocol):
    """A retriever as in LangChain: `invoke` returns documents with their id in `metadata` or under `id`."""

    def invoke(self, query: str) -> Iterable[Any]:
        """The documents for a query, best first."""
        ...


def read_hits(results: Iterable[Any]) -> tuple[tuple[str, float], ...]:
    """Convert what a retriever returned to ids with scores; missing scores follow from the order.

    Accepted are ids, pairs of an id (or a document) and a score, and documents: objects with `id` and perhaps `score`,
    with `metadata` that has an id, or such mappings. Duplicates count once.
    """
    hits: dict[str, float] = {}
    for rank, item in enumerate(results):
        inner, score = item if isinstance(item, tuple) and len(item) == 2 else (item, None)
        if score is None:
            score = inner.get("score") if isinstance(inner, dict) else getattr(inner, "score", None)
        hits.setdefault(_get_id(inner), float(-rank) if score is None else float(score))
    return tuple(hits.items())


def _get_id(item: Any) -> str:
    if isinstance(item, str):
        return item
    own = item if isinstance(item, dict) else {"id": getattr(item, "id", None)}
    metadata = own.get("metadata") if isinstance(item, dict) else getattr(item, "metadata", None)
    # Other libraries assign their own ids; the id that a user gave is in the metadata.
    for fields in (metadata or {}, own):
        for key in _ID_KEYS:
            if fields.get(key) is not None:
                return str(fields[key])
    text = repr(item)
    text = text if len(text) <= 80 else f"{text[:77]}..."
    raise EpochalError(f"a retriever returned {text}; accepted: ids, pairs of an id and a score, documents with an id")


def call_retriever(
    function: Callable[..., Iterable[Any]] | InvokableRetriever, query: BenchQuery, k: int
) -> QueryAnswer:
    """Query a retriever; an `outcome` of its result becomes a fact of the answer."""
    if isinstance(function, InvokableRetriever):
        results = function.invoke(query.text)
    elif callable(function):
        results = function(query.text, k, query.now)
    else:
        raise EpochalError(
            f"{type(function).__name__} cannot be queried; accepted: a function (question, k, now), "
            "an object with invoke"
        )
    outcome = getattr(results, "outcome", None)
    hits = sorted(read_hits(results), key=lambda hit: -hit[1])
    return QueryAnswer(query.id, tuple(hits[:k]), {} if outcome is None else {"outcome": str(outcome)})


@dataclass(frozen=True, slots=True)
class CallableSystem:
    """A retriever of your own. The function gets the question, k, and the reference time `now`.

    It must have the documents already; `prepare`, if given, gets them first.
    """

    name: str
    function: Callable[..., Iterable[Any]] | InvokableRetriever
    prepare: Callable[[Iterable[Document], Path], None] | None = None

    @property
    def store(self) -> str:
        """One per name."""
        return f"callable-{hashlib.sha256(self.name.encode()).hexdigest()[:12]}"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Call `prepare`, if given."""
        if self.prepare is not None:
            self.prepare(documents, folder)
        yield _CallableRanker(self.function)


@dataclass(frozen=True, slots=True, eq=False)
class _CallableRanker:
    function: Callable[..., Iterable[Any]] | InvokableRetriever

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[QueryAnswer]:
        for query in queries:
            yield call_retriever(self.function, query, k)


def get_document_text(document: Document) -> str:
    """The text that models and term counts get: the title, if any, on a line before the text."""
    return f"{document.title}\n{document.text}" if document.title else document.text


def read_texts(documents: Iterable[Document]) -> tuple[list[str], list[str]]:
    """The ids of documents and their texts; the documents are iterated once."""
    ids: list[str] = []
    texts: list[str] = []
    for document in documents:
        ids.append(document.id)
        texts.append(get_document_text(document))
    return ids, texts


def select_top_hits(
    ids: Sequence[str], scores: npt.NDArray[np.floating], k: int, *, above: float | None = None
) -> tuple[tuple[str, float], ...]:
    """The k documents with the highest scores, ties in their order; with `above`, only those with a higher score."""
    rows = np.arange(len(scores)) if above is None else np.flatnonzero(scores > above)
    if len(rows) > k:
        # Everything as good as the k-th is sorted, so that ties keep their order.
        lowest = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
        rows = rows[scores[rows] >= lowest]
    rows = rows[np.argsort(-scores[rows], kind="stable")][:k]
    return tuple((ids[row], float(scores[row])) for row in rows.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class BatchRanker:
    """Ranks documents by their scores for each query; `score` maps query texts to a row of scores each."""

    ids: Sequence[str]
    score: Callable[[list[str]], Iterable[npt.NDArray[np.floating]]]
    size: int = 64
    above: float | None = None
    facts: Mapping[str, str] = field(default_factory=dict)

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[QueryAnswer]:
        if not self.ids:
            yield from (QueryAnswer(query.id, (), self.facts) for query in queries)
            return
        for first in range(0, len(queries), self.size):
            batch = queries[first : first + self.size]
            for query, scores in zip(batch, self.score([query.text for query in batch]), strict=True):
                yield QueryAnswer(query.id, select_top_hits(self.ids, scores, k, above=self.above), self.facts)
