"""Any retriever in Python as a system: a function, or an object with `invoke` as LangChain has them.

CallableSystem("mine", lambda question, k, now: ["d3", "d1"])
CallableSystem("vendor", vectorstore.as_retriever())
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from epochal.bench.records import BenchQuery
from epochal.bench.systems.base import Answer, Ranker
from epochal.errors import EpochalError
from epochal.index.records import Document

__all__ = ["CallableSystem", "Retriever", "asked_of", "hits_of"]

#: Under which names of its metadata a document of another library may have its id.
_IDS = ("id", "_id", "doc_id")


@runtime_checkable
class Retriever(Protocol):
    """A retriever as LangChain has them: `invoke` gives documents, with their id in `metadata` or under `id`.

    >>> isinstance(object(), Retriever)
    False
    """

    def invoke(self, query: str) -> Iterable[Any]:
        """The documents for a question, best first."""
        ...


def hits_of(found: Iterable[Any]) -> tuple[tuple[str, float], ...]:
    """Documents in whatever form a retriever gives them, as ids with scores; the order stands for scores not given.

    Accepted are ids, pairs of an id (or a document) and a score, and documents: objects with `id` and perhaps `score`,
    with `metadata` that holds an id, or mappings of such a kind. What comes twice counts once.

    >>> hits_of(["d3", "d1", "d3"])
    (('d3', 0.0), ('d1', -1.0))
    >>> hits_of([("d3", 0.5), {"id": "d1", "score": 0.25}])
    (('d3', 0.5), ('d1', 0.25))
    >>> hits_of([3])
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: a retriever found 3; accepted: ids, pairs of an id and a score, documents with an id
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
    """What a retriever answers; an `outcome` that its answer has is told as a fact.

    >>> asked_of(lambda question, k, now: ["d1", "d2"], BenchQuery("q", "Rain?"), 1).hits
    (('d1', 0.0),)
    """
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

    >>> system = CallableSystem("mine", lambda question, k, now: ["d3", "d1"])
    >>> with system.open([], Path("nowhere")) as ranker:
    ...     next(ranker.answer([BenchQuery("q1", "Rain?")], 1)).hits
    (('d3', 0.0),)
    """

    name: str
    function: Callable[..., Iterable[Any]] | Retriever
    prepare: Callable[[Iterable[Document], Path], None] | None = None

    @property
    def store(self) -> str:
        """One for each name.

        >>> CallableSystem("mine", lambda question, k, now: []).store.startswith("callable-")
        True
        """
        return f"callable-{hashlib.sha256(self.name.encode()).hexdigest()[:12]}"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Let the retriever prepare itself, where it wants to.

        >>> CallableSystem.open.__name__
        'open'
        """
        if self.prepare is not None:
            self.prepare(documents, folder)
        yield _CallableRanker(self.function)


@dataclass(frozen=True, slots=True, eq=False)
class _CallableRanker:
    function: Callable[..., Iterable[Any]] | Retriever

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        for query in queries:
            yield asked_of(self.function, query, k)
