"""What a system must do to be measured: take documents, then answer questions.

A `System` is a value that says what is to be measured; `open` takes the documents of a set and gives the `Ranker` that
answers. What a system leaves in its folder (an index, vectors) is used again by every system with the same `store`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from epochal.bench.records import BenchQuery
from epochal.index.records import Document

__all__ = ["Answer", "Ranker", "System", "cut"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system says to one question: documents with scores, best first, and facts such as its outcome.

    >>> Answer("q1", (("d1", 0.9),)).hits[0]
    ('d1', 0.9)
    """

    query: str
    hits: tuple[tuple[str, float], ...]
    facts: Mapping[str, str] = field(default_factory=dict)


class Ranker(Protocol):
    """Answers questions about the documents that it was opened with.

    >>> Ranker.__name__
    'Ranker'
    """

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        """The answer to each question in turn, with at most k documents each."""
        ...


@runtime_checkable
class System(Protocol):
    """Something to be measured.

    >>> from epochal.bench.systems.engine import EngineSystem
    >>> isinstance(EngineSystem("epochal"), System)
    True
    """

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
    """An answer without the documents that its question excludes, and no longer than k.

    >>> cut(Answer("q1", (("d1", 0.9), ("d2", 0.8), ("d3", 0.7))), ("d1",), 1).hits
    (('d2', 0.8),)
    """
    barred = frozenset(excluded)
    hits = tuple(hit for hit in answer.hits if hit[0] not in barred)
    return Answer(answer.query, hits[:k], answer.facts)
