"""What a system must do to be measured: take documents, then answer questions.

A `System` is a value that says what is to be measured; `open` takes the documents of a set and gives the `Ranker` that
answers. What a system leaves in its folder (an index, vectors) is used again by every system with the same `store`.

Any retriever in Python as a system: a function, or an object with `invoke` as LangChain has them.

CallableSystem("mine", lambda question, k, now: ["d3", "d1"])
CallableSystem("vendor", vectorstore.as_retriever())

What systems with a score for every document share: the text of a document, and the best of the scores.
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

__all__ = [
    "Answer",
    "CallableSystem",
    "Ranker",
    "Retriever",
    "System",
    "asked_of",
    "best_hits",
    "cut",
    "hits_of",
    "text_of",
]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system says to one question: documents with scores, best first, and facts such as its outcome."""

    query: str
    hits: tuple[tuple[str, float], ...]
    facts: Mapping[str, str] = field(default_factory=dict)


class Ranker(Protocol):
    """Answers questions about the documents that it was opened with."""

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        """The answer to each question in turn, with at most k documents each."""
        ...


@runtime_checkable
class System(Protocol):
    """Something to be measured."""

    @property
    def name(self) -> str:
        """How results call it; two systems that may answer differently have different names."""
        ...

    @property
    def store(self) -> str:
        """What systems share that can use one another's folder."""
        ...

    def open(self, documents: Iterable[Document], folder: Path) -> AbstractContextManager[Ranker]:
        """Take the documents, leaving in the folder what answers need, and be ready to answer."""
        ...


def cut(answer: Answer, excluded: Sequence[str], k: int) -> Answer:
    """An answer without the documents that its question excludes, and no longer than k."""
    barred = frozenset(excluded)
    hits = tuple(hit for hit in answer.hits if hit[0] not in barred)
    return Answer(answer.query, hits[:k], answer.facts)


#: Under which names of its metadata a document of another library may have its id.
_IDS = ("id", "_id", "doc_id")


@runtime_checkable
class Retriever(Protocol):
    """A retriever as LangChain has them: `invoke` gives documents, with their id in `metadata` or under `id`."""

    def invoke(self, query: str) -> Iterable[Any]:
        """The documents for a question, best first."""
        ...


def hits_of(found: Iterable[Any]) -> tuple[tuple[str, float], ...]:
    """Documents in whatever form a retriever gives them, as ids with scores; the order stands for scores not given.

    Accepted are ids, pairs of an id (or a document) and a score, and documents: objects with `id` and perhaps `score`,
    with `metadata` that holds an id, or mappings of such a kind. What comes twice counts once.
    """
    hits: dict[str, float] = {}
    for place, item in enumerate(found):
        inner, score = item if isinstance(item, tuple) and len(item) == 2 else (item, None)
        if score is None:
            score = inner.get("score") if isinstance(inner, dict) else getattr(inner, "score", None)
        hits.setdefault(_id_of(inner), float(-place) if score is None else float(score))
    return tuple(hits.items())


def _id_of(item: Any) -> str:
    if isinstance(item, str):
        return item
    parts = item if isinstance(item, dict) else {"id": getattr(item, "id", None)}
    metadata = parts.get("metadata") if isinstance(item, dict) else getattr(item, "metadata", None)
    # Other libraries number documents by themselves; the id that a user gave is in the metadata.
    for place in (metadata or {}, parts):
        for name in _IDS:
            if place.get(name) is not None:
                return str(place[name])
    shown = repr(item)
    shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
    raise EpochalError(f"a retriever found {shown}; accepted: ids, pairs of an id and a score, documents with an id")


def asked_of(function: Callable[..., Iterable[Any]] | Retriever, query: BenchQuery, k: int) -> Answer:
    """What a retriever answers; an `outcome` that its answer has is told as a fact."""
    if isinstance(function, Retriever):
        found = function.invoke(query.text)
    elif callable(function):
        found = function(query.text, k, query.now)
    else:
        raise EpochalError(
            f"{type(function).__name__} cannot be asked; accepted: a function (question, k, now), an object with invoke"
        )
    outcome = getattr(found, "outcome", None)
    hits = sorted(hits_of(found), key=lambda hit: -hit[1])
    return Answer(query.id, tuple(hits[:k]), {} if outcome is None else {"outcome": str(outcome)})


@dataclass(frozen=True, slots=True)
class CallableSystem:
    """A retriever of your own. The function gets the question, how many documents, and when it is asked.

    It must know the documents already; `prepare`, where there is one, gets them first.
    """

    name: str
    function: Callable[..., Iterable[Any]] | Retriever
    prepare: Callable[[Iterable[Document], Path], None] | None = None

    @property
    def store(self) -> str:
        """One for each name."""
        return f"callable-{hashlib.sha256(self.name.encode()).hexdigest()[:12]}"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Let the retriever prepare itself, where it wants to."""
        if self.prepare is not None:
            self.prepare(documents, folder)
        yield _CallableRanker(self.function)


@dataclass(frozen=True, slots=True, eq=False)
class _CallableRanker:
    function: Callable[..., Iterable[Any]] | Retriever

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        for query in queries:
            yield asked_of(self.function, query, k)


def text_of(document: Document) -> str:
    r"""The text that models and word counts get: the title, where there is one, on a line before the text."""
    return f"{document.title}\n{document.text}" if document.title else document.text


def best_hits(
    ids: Sequence[str], scores: npt.NDArray[np.floating], k: int, *, above: float | None = None
) -> tuple[tuple[str, float], ...]:
    """The k documents with the highest scores, of equal ones those that came first; with `above`, none that is not."""
    rows = np.arange(len(scores)) if above is None else np.flatnonzero(scores > above)
    if len(rows) > k:
        # Everything as good as the k-th is sorted, so that ties do not fall as the partition pleases.
        least = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
        rows = rows[scores[rows] >= least]
    rows = rows[np.argsort(-scores[rows], kind="stable")][:k]
    return tuple((ids[row], float(scores[row])) for row in rows.tolist())
